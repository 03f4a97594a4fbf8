"""Named streams of random numbers: each part of a world draws from its own, so that none disturbs another.

A stream is found from the seed and its names alone, never from `hash()`, so any part can be made again, in any order, on its own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CHUNK = 128


def stream(seed: int, name: str, *numbers: int) -> np.random.Generator:
    """The random numbers of a name and, where there are many of a kind, of its number.

    >>> bool(stream(7, "quality").random() == stream(7, "quality").random())
    True
    >>> bool(stream(7, "article", 1).random() == stream(7, "article", 2).random())
    False
    """
    digest = int.from_bytes(blake2b(name.encode("utf-8"), digest_size=8).digest())
    return np.random.default_rng([seed, digest, *numbers])


def whole_numbers(rng: np.random.Generator) -> Iterator[int]:
    """Endless whole numbers to take remainders of; drawn in blocks, since one at a time costs fifty times as much."""
    while True:
        yield from rng.integers(0, 1 << 40, _CHUNK).tolist()


@functools.cache
def zipf_shares(count: int, exponent: float) -> Floats:
    """The cumulated shares of `count` ranks whose frequencies fall as rank to the power of -exponent."""
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    shares: Floats = np.cumsum(weights) / weights.sum()
    return shares


def ranks(shares: Floats, draws: Floats) -> Ints:
    """The rank, from 0, that each draw from [0, 1) falls on."""
    found: Ints = np.minimum(np.searchsorted(shares, draws, side="right"), len(shares) - 1)
    return found
