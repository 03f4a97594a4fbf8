"""The sample newsroom as the data folder of the web app: its files, its three campaigns, and an open one to try."""

from __future__ import annotations

import os
from pathlib import Path

from newsdesk import samples
from newsdesk.campaigns import Store, protocol
from newsdesk.campaigns.tasks import constructive_tasks
from newsdesk.demo import campaigns, newsroom
from newsdesk.files import make_folder

TRIAL = "try-it"
_TRIAL_THREADS = 3


def lay_out(folder: str | os.PathLike[str], store: Store) -> None:
    """Write the newsroom into a folder and fill an empty store: the demo's campaigns, and one that whoever is invited can join."""
    newsroom.run(make_folder(Path(folder) / "newsroom"))
    if store.campaigns():
        return
    campaigns.fill(store)
    tasks = constructive_tasks(samples.threads("en")[:_TRIAL_THREADS], bundle=5, seed=1)
    store.create(TRIAL, protocol("constructive"), tasks, None, per_item=3, seed=1)
