"""Random draws of worlds: a named stream for each part of a world, and ranks by Zipf's law."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.streams import blake2b, stream

_CHUNK = 128

world_stream = functools.partial(stream, digest=blake2b)


def whole_numbers(rng: np.random.Generator) -> Iterator[int]:
    """Yield random integers without end, drawn in blocks: one at a time costs fifty times as much."""
    while True:
        yield from rng.integers(0, 1 << 40, _CHUNK).tolist()


@functools.cache
def zipf_shares(count: int, exponent: float) -> Floats:
    """Return the cumulated shares of ranks whose frequencies fall as rank to the power of -exponent."""
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return np.cumsum(weights) / weights.sum()


def ranks(shares: Floats, uniforms: Floats) -> Ints:
    """Return the rank, from 0, of each uniform number in [0, 1), by cumulated shares."""
    return np.minimum(np.searchsorted(shares, uniforms, side="right"), len(shares) - 1)
