"""Kills: a build with all its workers fifty times at random moments, then every long command that writes forty times, each just before a change of files.

The build of the sample newsroom, started again, must end in the bytes of an undisturbed run, without a page extracted after its shard was finished; so must every
command (`tests/attacks/killing.py`), with nothing left beside its outputs. `python -m bench.kills 5` names another number of kills.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from tests.attacks.killing import run
from tests.corpus.articles.test_articles import files_of
from tests.corpus.build.killing import build_under_fire, finish
from tests.corpus.build.newsroom import write_newsroom

KILLS = 50
KILLS_OF_A_COMMAND = 40


def main(kills: int | None = None) -> int:
    return _build(kills or KILLS) + _commands(kills or KILLS_OF_A_COMMAND)


def _build(kills: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = write_newsroom(folder / "newsroom", 'extractor = "tests.corpus.writing:slow"')
        calm, killed = folder / "calm", folder / "killed"
        seconds = finish(settings, calm, folder / "calm.txt")
        rng, ledger = random.Random(0), folder / "killed.txt"
        fire = build_under_fire(settings, killed, ledger, kills=kills, seconds=seconds, rng=rng)
        before, after = files_of(calm), files_of(killed)
    wrong = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    print(
        f"killed {fire.kills} times within {seconds:.1f} s of a start: {len(wrong)} of {len(before)} files differ, "
        f"{len(fire.again)} pages extracted after their shard was finished"
    )
    return len(wrong) + len(fire.again)


def _commands(kills: int) -> int:
    """Print a line per command; return how many were wrong after a kill."""
    wrong = 0
    for name, killed in run(kills):
        wrong += len(killed.wrong)
        print(
            f"{name:25} {killed.kills:3} kills at {killed.changes:3} changes: {len(killed.wrong)} wrong, "
            f"{killed.complete} complete already, {killed.forced} run again with --force",
            flush=True,
        )
        for sentence in killed.wrong:
            print(f"  {sentence}")
    return wrong


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
