"""The ranker of `--ranker`: a saved or ready one that rates comments for a commenter."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from newsdesk.arrays import Floats
    from newsdesk.types import Thread

ranker_option = click.option(
    "--ranker",
    metavar="MODEL",
    help="Ranker that rates the comments, for ir-quality: a fitted model, or `ready`.",
)
_DIGEST_DIGITS = 8


class RankerByName:
    """Rates threads with a saved ranker, or with the ready one of each thread's language."""

    def __init__(self, model: str) -> None:
        from newsdesk.rankers.ready import Models, ready_names

        self._models = Models(model)
        header = Path(model) / "model.json"
        if model in ready_names() or not header.is_file():
            self.name = model
        else:  # a folder may hold another model tomorrow
            saved = hashlib.sha256(header.read_bytes()).hexdigest()[:_DIGEST_DIGITS]
            self.name = f"saved.{saved}"

    def scores(self, thread: Thread) -> Floats:
        """The score of each comment of a thread."""
        return self._models.of(thread).scores(thread)
