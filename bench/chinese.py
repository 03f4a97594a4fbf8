"""How many times as fast as jieba we cut Chinese, on the Chinese text of the shared data folder.

Prints one line and exits 1 when the ratio is below the floor.
"""

import json
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator

from bench._data import SHARED
from newsdesk.text import cjk_words

FLOOR = 8.0
REPEATS = 5


def strings_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings_of(part)


def chinese_texts() -> list[str]:
    return sorted(
        {
            text
            for path in SHARED.glob("**/*.jsonl")
            for line in path.read_text(encoding="utf-8").splitlines()
            for text in strings_of(json.loads(line))
            if re.search("[\u4e00-\u9fff]", text)
        }
    )


def jieba_cut() -> Callable[[str], list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba's patterns have escapes that Python warns about
        import jieba
    jieba.setLogLevel("ERROR")
    jieba.initialize()
    return lambda text: [word for word in jieba.lcut(text) if not word.isspace()]


def seconds(cut: Callable[[str], list[str]], texts: list[str]) -> float:
    start = time.perf_counter()
    for text in texts:
        cut(text)
    return time.perf_counter() - start


def main() -> int:
    texts = chinese_texts()
    if not texts:
        sys.exit(f"bench/chinese.py needs the Chinese text under {SHARED}, which is absent")
    peer = jieba_cut()
    for cut in (cjk_words.cut_chinese, peer):  # loads dictionaries, warms caches
        seconds(cut, texts)
    # Interleaved, so that a busy moment of the machine hits both sides; the best of each counts.
    pairs = [(seconds(cjk_words.cut_chinese, texts), seconds(peer, texts)) for _ in range(REPEATS)]
    ours, theirs = map(min, zip(*pairs, strict=True))
    characters = sum(map(len, texts))
    print(
        f"cjk_words.cut_chinese: {theirs / ours:.1f} x jieba (floor {FLOOR:g}), "
        f"{characters / ours / 1e6:.1f} M characters/s on {len(texts)} texts"
    )
    return 0 if theirs / ours >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
