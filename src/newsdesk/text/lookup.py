"""Group equal 64-bit keys, and find keys among others: for millions at once, without an index sort and nearly without binary search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.text.ragged import Codes, stable_order

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SPARE = 8  # slots of the hash table for each key


@dataclass(frozen=True, slots=True, eq=False)
class GroupedKeys:
    """The distinct keys in ascending order, where each stands first, how often, and the group of every place."""

    keys: Codes
    first: Ints
    counts: Ints
    group_of: NDArray[np.int32]

    @classmethod
    def of(cls, keys: Codes) -> GroupedKeys:
        """Sort keys, each with its place in the low bits if both fit into 64.

        >>> grouped = GroupedKeys.of(np.array([7, 3, 7], dtype=np.uint64))
        >>> grouped.keys.tolist(), grouped.first.tolist(), grouped.counts.tolist(), grouped.group_of.tolist()
        ([3, 7], [1, 0], [1, 2], [1, 0, 1])
        """
        bits = len(keys).bit_length()
        if int(keys.max(initial=0)).bit_length() + bits <= 64:
            both = keys << np.uint64(bits)
            both |= np.arange(len(keys), dtype=np.uint64)
            both.sort()
            order = (both & np.uint64((1 << bits) - 1)).astype(np.int64)
            both >>= np.uint64(bits)
        else:
            order = stable_order(keys)
            both = keys[order]
        is_new = np.ones(len(keys), dtype=np.bool_)
        np.not_equal(both[1:], both[:-1], out=is_new[1:])
        starts = np.flatnonzero(is_new)
        group_of = np.empty(len(keys), dtype=np.int32)
        group_of[order] = np.cumsum(is_new, dtype=np.int32) - np.int32(1)
        counts = np.diff(starts, append=len(keys))
        return cls(both[starts], order[starts], counts, group_of)


def find(keys: Codes, sought: Codes) -> tuple[Ints, Ints]:
    """Return which of the keys sought are among the distinct ascending keys, and where.

    >>> [found.tolist() for found in find(np.array([3, 7], np.uint64), np.array([7, 5, 3, 7], np.uint64))]
    [[0, 2, 3], [1, 0, 1]]
    """
    if not len(keys):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    bits = max(10, (_SPARE * len(keys)).bit_length())
    table = np.full(1 << bits, -1, dtype=np.int32)  # slots of a hash table
    table[_slots(keys, bits)] = np.arange(len(keys), dtype=np.int32)
    guesses = table[_slots(sought, bits)]
    hits = np.flatnonzero(guesses >= 0)
    places: Ints = guesses[hits].astype(np.int64)
    wanted = sought[hits]
    # Two keys may share a slot: what was found under another key is looked up in order.
    doubtful = np.flatnonzero(keys[places] != wanted)
    index = np.minimum(np.searchsorted(keys, wanted[doubtful]), len(keys) - 1)
    places[doubtful] = np.where(keys[index] == wanted[doubtful], index, -1)
    found = places >= 0
    return hits[found], places[found]


def _slots(keys: Codes, bits: int) -> NDArray[np.int64]:
    return ((keys * _ODD) >> np.uint64(64 - bits)).astype(np.int64)
