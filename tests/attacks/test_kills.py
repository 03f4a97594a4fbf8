"""Commands that are killed just before they change a file, and run again; `python -m bench kills` kills every long command forty times."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

QUICK = ("corpus dedup of a file", "corpus split", "rank fit again", "serve restore", "summarize --fit")  # fmt: skip


def test_a_killed_command_run_again_leaves_the_bytes_of_an_undisturbed_one_and_nothing_else() -> (
    None
):
    done = subprocess.run(
        [sys.executable, "-m", "tests.attacks.killing", "4", *QUICK],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["command"] for row in rows] == list(QUICK), done.stderr
    assert [row["wrong"] for row in rows] == [[]] * len(QUICK)
    assert sum(row["kills"] for row in rows) == 20
    assert sum(row["forced"] for row in rows) == 0
