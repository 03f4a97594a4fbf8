"""Attacks on campaigns and the web app, each of which must fail; `python -m bench attacks`, or `python -m bench.attacks N` for N tested campaigns.

- blinding: an annotator must not recognise control questions or systems by anything shown but the texts (`_blinding`). Learners see 100 simulated campaigns of a
  design and are tested on 300 others: the 95 % interval of the AUC ends at .52 at most, and holds .5 where all intervals hold together with 95 %. With other labels (a
  permutation within each campaign) the same is measured, to compare.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from bench._blinding import DESIGNS, Design, Recognised, Shown, permuted, recognised, shown
from newsdesk.service.app import create_app
from newsdesk.service.desk import Desk
from newsdesk.service.settings import ServiceSettings

CAMPAIGNS = 300  # of each design, that are tested
LEARNED = 100
MOST = 0.52
_INTERVALS = len(DESIGNS) * 4


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
    """Return True if nothing was recognised."""
    low, high = result.interval(1 - 0.05 / _INTERVALS)
    return low <= 0.5 <= high and result.interval(0.95)[1] <= MOST


def main(campaigns: int = CAMPAIGNS) -> int:
    """Run the attacks, tested on so many campaigns of each design; return 1 if one succeeds."""
    failed = 0
    for design in DESIGNS:
        began = time.process_time()
        views = views_of(design, LEARNED + campaigns)
        learned, tested = views[:LEARNED], views[LEARNED:]
        texts = sum(len(view.truths) for view in tested)
        print(f"{design.name}: {campaigns} simulated campaigns, {texts} texts, {len(views[0].names)} features")  # fmt: skip
        for result in recognised(learned, tested):
            failed += not blinded(result)
            _say(result, "" if blinded(result) else "RECOGNISED")
        mixed = [permuted(view, seed) for seed, view in enumerate(views)]
        for result in recognised(mixed[:LEARNED], mixed[LEARNED:]):
            _say(result, "permuted")
        print(f"  {time.process_time() - began:.0f} s", flush=True)
    return 1 if failed else 0


def _say(result: Recognised, remark: str) -> None:
    low, high = result.interval(0.95)
    print(f"  {result.what:8s} {result.learner:9s} AUC {result.auc:.4f} [{low:.4f}, {high:.4f}] {remark}")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
