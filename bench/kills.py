"""A build of the sample newsroom that is killed fifty times at random moments, every second time with all its workers.

Started again it must end in the bytes of an undisturbed run, without a page extracted after its shard was finished. `python -m bench.kills 5` names
another number of kills.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from tests.corpus.articles.test_articles import files_of
from tests.corpus.build.killing import build_under_fire, finish
from tests.corpus.build.newsroom import write_newsroom

KILLS = 50


def main(kills: int = KILLS) -> int:
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


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
