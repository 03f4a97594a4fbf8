"""Data structures shared by both searches, which process many pairs in step.

Paths through all pairs stand in flat arrays, those of one pair side by side; step k extends every path by the k-th entry of its
pair. Pairs are ordered by how many entries they have, so that the paths still growing are always a prefix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Bools, Ints
from newsdesk.metrics.alignment.entries import Entries

Bits = NDArray[np.uint64]
LEFT_OUT = -9  # the candidate position of a token that is not matched


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The entries of some pairs, arranged for a search: pairs with more entries come first."""

    pairs: Ints  # their numbers, in the order of the search
    active: list[int]  # how many pairs have a k-th entry
    first_entry: Ints  # of each pair
    adjoins: Bools  # the entry before it is the token before it
    entries: Entries

    @classmethod
    def of(cls, entries: Entries) -> Plan:
        """Group entries by pair and order the pairs by size."""
        first = np.flatnonzero(np.diff(entries.pair, prepend=-1))
        count = np.diff(first, append=len(entries.pair))
        order = np.argsort(-count, kind="stable")
        active = np.searchsorted(-count[order], -np.arange(int(count.max())))
        same_pair = np.diff(entries.pair, prepend=-1) == 0
        adjoins = same_pair & (np.diff(entries.position, prepend=-9) == 1)
        return cls(entries.pair[first[order]], active.tolist(), first[order], adjoins, entries)

    def unused(self) -> Bits:
        """For every pair a row of bits, one for each candidate position: none is taken."""
        words = 1 + (int(self.entries.choices.start.max(initial=0)) >> 6)
        return np.zeros((len(self.pairs), words), dtype=np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class Children:
    """The continuations of all paths by one entry each: matches in the order of the choices, then leaving the token out."""

    parent: Ints
    choice: Ints
    start: Ints
    free: Bools
    skip: Bools
    first: Ints  # of each path

    @classmethod
    def of(cls, entries: Entries, entry: Ints, used: Bits) -> Children:
        """The continuations of paths whose next entries and used positions are these."""
        size = entries.size[entry]
        first = np.cumsum(size + 1) - (size + 1)
        parent = np.repeat(np.arange(len(entry)), size + 1)
        ordinal = np.arange(len(parent)) - first[parent]
        skip = ordinal == size[parent]
        choice = np.where(skip, 0, entries.first[entry][parent] + ordinal)
        start = np.where(skip, LEFT_OUT, entries.choices.start[choice])
        word = used.ravel()[parent * used.shape[1] + (start >> 6)]
        taken = word >> (start & 63).astype(np.uint64)
        return cls(parent, choice, start, (taken & np.uint64(1)) == 0, skip, first)


def mark_used(used: Bits, parent: Ints, start: Ints) -> Bits:
    """The used positions of children: those of their parents and their own."""
    new = used[parent]
    own = np.arange(len(parent)) * new.shape[1] + (np.maximum(start, 0) >> 6)
    bit = np.where(start >= 0, np.uint64(1) << (start & 63).astype(np.uint64), np.uint64(0))
    new.ravel()[own] |= bit
    return new


def blocks(entries: Entries, wanted: Bools, size: int) -> list[Ints]:
    """Indices of the wanted entries, cut into lists that hold whole pairs, about `size` of them each."""
    chosen = np.flatnonzero(wanted)
    starts = np.flatnonzero(np.diff(entries.pair[chosen], prepend=-1))
    return [part for part in np.split(chosen, starts[size::size]) if len(part)]
