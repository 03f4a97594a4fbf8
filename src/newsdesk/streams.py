"""Named, independent streams of random numbers.

A stream is fixed by its name, the seed and, where there are many of a kind, by numbers; never by `hash()`. So any part of a result
can be computed again, in any order, on its own and in every process.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable

import numpy as np

from newsdesk.errors import ArgumentError


def _sha256(name: bytes) -> bytes:
    return hashlib.sha256(name).digest()[:8]


def blake2b(name: bytes) -> bytes:
    """Return the digest that simulated worlds are drawn with, so that a seed keeps its world."""
    return hashlib.blake2b(name, digest_size=8).digest()


def stream(
    name: str, seed: int, *numbers: int, digest: Callable[[bytes], bytes] = _sha256
) -> np.random.Generator:
    """Return the generator that a name, a seed and numbers stand for, the same in every process.

    >>> int(stream("bootstrap", 0).integers(1000)) == int(stream("bootstrap", 0).integers(1000))
    True
    >>> bool(stream("article", 7, 1).random() == stream("article", 7, 2).random())
    False
    """
    if operator.index(seed) < 0:
        raise ArgumentError(f"the seed is {seed}, below zero")
    return np.random.default_rng([seed, int.from_bytes(digest(name.encode()), "big"), *numbers])
