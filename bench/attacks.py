"""Attacks on campaigns and the web app, each of which must fail; `python -m bench attacks`, or `python -m bench.attacks N` for N campaigns.

- blinding: an annotator must not recognise control questions or systems by anything shown but the texts (`_blinding`): over simulated campaigns of every
  protocol the interval of the AUC holds .5, and its upper end is at most .52. Intervals of all learners, labels and designs hold together with 95 %.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from bench._blinding import DESIGNS, Design, Recognised, Shown, recognised, shown, single_features
from newsdesk.service.app import create_app
from newsdesk.service.desk import Desk
from newsdesk.service.settings import ServiceSettings

CAMPAIGNS = 300  # of each design
_INTERVALS = len(DESIGNS) * 7  # that must hold together
LEVEL = 1 - 0.05 / _INTERVALS
MOST = 0.52


@contextmanager
def running(data: Path) -> Iterator[tuple[Desk, TestClient]]:
    """Run the web app over a new data folder, without limits on requests."""
    settings = ServiceSettings(data=data, requests_per_minute=10**9, sign_ins_per_minute=10**9)
    app = create_app(settings)
    with TestClient(app, follow_redirects=False) as client:
        yield app.state.desk, client


def views_of(design: Design, campaigns: int) -> list[Shown]:
    """Return what one annotator was shown in each of so many campaigns."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as (desk, client):
        return [shown(desk, client, design, seed) for seed in range(campaigns)]


def blinded(result: Recognised) -> bool:
    """Return True if nothing was recognised: the interval holds .5 and ends at .52."""
    return result.low <= 0.5 <= result.high <= MOST


def main(campaigns: int = CAMPAIGNS) -> int:
    """Run the attacks, with so many campaigns of each design; return 1 if one succeeds."""
    failed = 0
    for design in DESIGNS:
        began = time.process_time()
        views = views_of(design, campaigns)
        texts = sum(len(view.truths) for view in views)
        print(f"{design.name}: {campaigns} simulated campaigns, {texts} texts, {len(views[0].names)} features")  # fmt: skip
        for result in recognised(views, level=LEVEL):
            state = "blind" if blinded(result) else "RECOGNISED"
            failed += not blinded(result)
            print(f"  {result.what:20s} {result.learner:9s} AUC {result.auc:.4f} [{result.low:.4f}, {result.high:.4f}] {state}")  # fmt: skip
        for what, label in (("control", lambda truth: truth.control), ("source 0", lambda truth: not truth.control and truth.source == 0)):  # fmt: skip
            value, name = single_features(views, label)[0]
            print(f"  {what:20s} best single feature: {name}, AUC {value:.4f}")
        print(f"  {time.process_time() - began:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
