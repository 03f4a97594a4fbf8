"""MinHash over word shingles (Broder 1997): digests of texts, and which texts of neighbouring days are alike.

Two texts at most `days` apart are near-duplicates if the Jaccard similarity of their sets of five-word shingles, estimated from 128 hash minima, reaches
the threshold. `day_links` compares one day with those before it in the window. A text is held as its digest, half a kilobyte.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Bools, Ints
from newsdesk.corpus.align.background import words
from newsdesk.errors import ArgumentError
from newsdesk.registry import require

Minima = NDArray[np.uint32]  # texts × MINIMA

MINIMA = 128
BANDS = 32  # of four minima each: a pair of similarity .7 is missed once in 5,000
SHINGLE_WORDS = 5
METHOD = f"minhash {MINIMA}/{BANDS}/{SHINGLE_WORDS}"
_SEED = 13  # of the hash functions, not of a draw: groups must not depend on --seed
_EMPTY = np.iinfo(np.uint32).max
# Odd multipliers that turn a band into one number; where two bands collide, one more pair is compared.
_MIX = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5],
    dtype=np.uint64,
)

UNDATED = 0  # the number of the day of articles without a date


def minima_of(texts: Iterable[str]) -> Minima:
    """Return the digests of texts, one row each."""
    rensa = require("rensa", extra="corpus", what="finding near-duplicates")
    rows = []
    for text in texts:
        tokens = words(text)
        row = np.full(MINIMA, _EMPTY, dtype=np.uint32)
        if tokens:
            minima = rensa.RMinHash(num_perm=MINIMA, seed=_SEED)
            minima.update(shingles(tokens))
            row = np.array(minima.digest(), dtype=np.uint32)
        rows.append(row)
    return np.array(rows, dtype=np.uint32).reshape(-1, MINIMA)


def shingles(tokens: Sequence[str]) -> list[str]:
    """Return the distinct runs of five words, in order; a shorter text is one run.

    >>> shingles("a b c d e f".split())
    ['a b c d e', 'b c d e f']
    """
    count = max(len(tokens) - SHINGLE_WORDS + 1, 1)
    runs = (" ".join(tokens[start : start + SHINGLE_WORDS]) for start in range(count))
    return list(dict.fromkeys(runs))


def wordless(minima: Minima) -> Bools:
    """Return a mask of the texts that have no words."""
    empty: Bools = (minima == _EMPTY).all(axis=1)
    return empty


def similarity(first: Minima, second: Minima) -> float:
    """Return the estimated Jaccard similarity of two texts: the share of equal minima."""
    return float((first == second).mean())


def links(days: Sequence[Minima], threshold: float) -> list[tuple[int, int]]:
    """Return pairs that connect the texts of the last day with those that they are like.

    Places count over all days in a row, the earlier one first. What other pairs connect already is left out, so that a text printed a
    thousand times costs a thousand pairs and not half a million.
    """
    stacked = np.concatenate(days)  # texts of all days × MINIMA
    first_today = len(stacked) - len(days[-1])
    labels = np.arange(len(stacked))  # texts that are connected so far have the same label
    pairs: list[tuple[int, int]] = []
    for run in _runs(stacked):
        for place in run[run >= first_today].tolist():
            others = run[run < place]
            apart = others[labels[others] != labels[place]]
            if not len(apart):
                continue
            alike = (stacked[apart] == stacked[place]).mean(axis=1) >= threshold - 1e-9
            for other in apart[alike].tolist():
                if labels[other] != labels[place]:
                    pairs.append((other, place))
                    labels[labels == labels[place]] = labels[other]
    return pairs


def _runs(stacked: Minima) -> Iterator[Ints]:
    """Yield the places of texts that share a band, in order, two or more at a time."""
    places = np.flatnonzero(~wordless(stacked))
    bands = stacked[places].reshape(len(places), BANDS, MINIMA // BANDS).astype(np.uint64)
    keys = (bands * _MIX).sum(axis=2, dtype=np.uint64)  # texts × BANDS
    for band in range(BANDS):
        order = np.argsort(keys[:, band], kind="stable")
        ends = np.flatnonzero(np.diff(keys[order, band])) + 1
        for first, last in zip([0, *ends.tolist()], [*ends.tolist(), len(order)], strict=True):
            if last - first > 1:
                yield places[order[first:last]]


@dataclass(frozen=True, slots=True)
class DayLinks:
    """What one day adds: its articles, those without words, and links as (day, row, row of this day)."""

    articles: int
    wordless: int
    links: tuple[tuple[int, int, int], ...]


def check_limits(days: int, threshold: float) -> None:
    """Refuse a window or a similarity that cannot be."""
    if days < 0:
        raise ArgumentError(f"days is {days}, below zero")
    if not 0 < threshold <= 1:
        raise ArgumentError(f"threshold is {threshold}, not above 0 and at most 1")


def day_number(day: str | None) -> int:
    """Return the number of a day; articles without a date share one."""
    return date.fromisoformat(day).toordinal() if day else UNDATED


def window(ordered: Sequence[int], day: int, days: int) -> Sequence[int]:
    """Return the days, of those in order, that lie at most so many days before a day, and the day itself.

    >>> window([0, 1, 2, 5, 6], 5, 3)
    [2, 5]
    """
    if day == UNDATED:
        return [UNDATED]
    first = bisect_left(ordered, max(day - days, UNDATED + 1))
    return ordered[first : bisect_right(ordered, day)]


def day_links(digests: Mapping[int, Minima], threshold: float) -> DayLinks:
    """Compare the last of some days with itself and with the others; `digests` are by day."""
    places = [(day, row) for day, minima in digests.items() for row in range(len(minima))]
    row_of = [row for _, row in places]
    *_, today = digests
    pairs = links(list(digests.values()), threshold)
    return DayLinks(
        articles=len(digests[today]),
        wordless=int(wordless(digests[today]).sum()),
        links=tuple((*places[earlier], row_of[later]) for earlier, later in pairs),
    )
