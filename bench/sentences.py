"""How many times as fast as pysbd we cut English news into sentences, both in one run on the same articles.

Prints one line and exits 1 when the ratio is below the floor.
"""

import json
import random
import time
from collections.abc import Callable

from bench._data import SHARED
from newsdesk.text.sentences import sentences

ARTICLES = SHARED / "wcep_real" / "clusters_train.jsonl"
FLOOR = 5.0
SAMPLE = 60
REPEATS = 3
OWN = [
    "Mr. Okafor left the U.S. on Jan. 5.",
    '"Why did he go?" Sen. Alvarez asked at 5 p.m. on Monday.',
    "Shares of Acme Inc. fell 3.5 percent to $4.20, the company said in a statement.",
    "“It is over.” The crowd waited... and then it went home (it was late).",
    "Police closed Elm St. and searched three houses near the old harbour of the town.",
]


def articles() -> tuple[list[str], str]:
    """A sample of the real articles, or text of our own where that folder is absent."""
    rng = random.Random(7)
    if not ARTICLES.exists():
        return [" ".join(rng.choices(OWN, k=20)) for _ in range(SAMPLE)], "made-up articles"
    with ARTICLES.open(encoding="utf-8") as lines:
        texts = [article["text"] for line in lines for article in json.loads(line)["articles"]]
    return rng.sample(texts, SAMPLE), "real articles"


def seconds(split: Callable[[str], list[str]], texts: list[str]) -> float:
    started = time.process_time()
    for text in texts:
        split(text)
    return time.process_time() - started


def main() -> None:
    import pysbd

    texts, source = articles()
    theirs = pysbd.Segmenter(language="en", clean=False).segment
    slow = min(seconds(theirs, texts) for _ in range(REPEATS))
    fast = min(seconds(sentences, texts) for _ in range(REPEATS))
    ratio = slow / fast
    print(
        f"sentences: {ratio:.0f} x pysbd (at least {FLOOR:.0f}) on {len(texts)} {source}: "
        f"{fast * 1000:.1f} ms against {slow * 1000:.0f} ms"
    )
    if ratio < FLOOR:
        raise SystemExit(f"{ratio:.1f} x is below {FLOOR:.0f} x")


if __name__ == "__main__":
    main()
