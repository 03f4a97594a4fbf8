"""MinHash digests of texts (Broder 1997) by rensa, and which texts of neighbouring days are alike.

A text is its set of five-word shingles, and its digest 128 hash minima over that set. Pairs with an equal band of four minima are
candidates; those whose share of equal minima reaches the threshold are alike. A text without words has the digest of the empty set, every
minimum at its largest value, and is like nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Bools, Ints
from newsdesk.corpus.align.words import words
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


def minima_of(texts: Iterable[str]) -> Minima:
    """The digests of texts, one row each."""
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
    """The distinct runs of five words, in order; a shorter text is one run.

    >>> shingles("a b c d e f".split())
    ['a b c d e', 'b c d e f']
    """
    last = max(len(tokens) - SHINGLE_WORDS + 1, 1)
    runs = (" ".join(tokens[place : place + SHINGLE_WORDS]) for place in range(last))
    return list(dict.fromkeys(runs))


def wordless(minima: Minima) -> Bools:
    """Mask of the texts that have no words."""
    empty: Bools = (minima == _EMPTY).all(axis=1)
    return empty


def similarity(first: Minima, second: Minima) -> float:
    """The estimated Jaccard similarity of two texts: the share of equal minima."""
    return float((first == second).mean())


def links(days: Sequence[Minima], threshold: float) -> list[tuple[int, int]]:
    """Pairs that connect all texts of the last day with those of these days that they are like, directly or through each other.

    Places count over all days in a row, the earlier one first. What other pairs connect already is left out, so that a text printed a
    thousand times costs a thousand pairs and not half a million.
    """
    stacked = np.concatenate(days)
    today = len(stacked) - len(days[-1])
    labels = np.arange(len(stacked))  # texts that are connected so far have the same label
    pairs: list[tuple[int, int]] = []
    for run in _runs(stacked):
        for place in run[run >= today].tolist():
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
    """The places of texts that share a band, in order, two or more at a time."""
    places = np.flatnonzero(~wordless(stacked))
    bands = stacked[places].reshape(len(places), BANDS, MINIMA // BANDS).astype(np.uint64)
    keys = (bands * _MIX).sum(axis=2, dtype=np.uint64)
    for band in range(BANDS):
        order = np.argsort(keys[:, band], kind="stable")
        ends = np.flatnonzero(np.diff(keys[order, band])) + 1
        for first, last in zip([0, *ends.tolist()], [*ends.tolist(), len(order)], strict=True):
            if last - first > 1:
                yield places[order[first:last]]
