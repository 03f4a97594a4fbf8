"""The tokens that a candidate and its references share, found by one look-up per reference token.

The tokens of one stem in one candidate are a group. A reference token belongs to the group of its item and stem, if there is one;
nearly all have none and drop out here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Bools, Ints
from newsdesk.metrics.alignment.pairs import Pairs
from newsdesk.text.ragged import Ragged, offsets_of


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The candidate tokens of one item and stem: `tokens[start:start + size]`, in text order."""

    keys: Ints
    start: Ints
    size: Ints
    tokens: Ints
    word: Ints  # of the first token
    uniform: Bools  # all tokens are the same word
    local: Ints  # number of the group within its item
    per_item: Ints  # how many groups each item has

    @classmethod
    def of(cls, candidates: Ragged, stem_of: Ints) -> Groups:
        """Sort the candidate tokens by item and stem."""
        owners = candidates.rows
        keys = owners * len(stem_of) + stem_of[candidates.ids]
        tokens = np.argsort(keys, kind="stable")
        ordered = keys[tokens]
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        size = np.diff(first, append=len(tokens))
        words = candidates.ids[tokens].astype(np.int64)
        changes = np.cumsum(np.diff(words, prepend=words[:1]) != 0)
        item = owners[tokens[first]]
        per_item = np.bincount(item, minlength=len(candidates))
        return cls(
            keys=ordered[first],
            start=first,
            size=size,
            tokens=tokens,
            word=words[first],
            uniform=changes[first] == changes[first + size - 1],
            local=np.arange(len(first)) - offsets_of(per_item)[item],
            per_item=per_item,
        )

    def find(self, keys: Ints) -> Ints:
        """The group of each key, or -1: a hash table, and binary search where two keys share a slot."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        bits = max(10, int(16 * len(self.keys)).bit_length())
        table = np.full(1 << bits, -1, dtype=np.int32)
        table[_slot(self.keys, bits)] = np.arange(len(self.keys))
        group = table[_slot(keys, bits)].astype(np.int64)
        doubtful = np.flatnonzero(group >= 0)
        doubtful = doubtful[self.keys[group[doubtful]] != keys[doubtful]]
        sought = keys[doubtful]
        place = np.minimum(np.searchsorted(self.keys, sought), len(self.keys) - 1)
        group[doubtful] = np.where(self.keys[place] == sought, place, -1)
        return group

    def slots(self, item: Ints) -> Ints:
        """One slot for every group of each pair's candidate: where those of each pair begin."""
        return offsets_of(self.per_item[item])


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """The reference tokens whose stem occurs in the candidate, in text order."""

    token: Ints
    pair: Ints
    group: Ints
    times: Ints  # how often the stem occurs in the reference
    single: Bools  # once on both sides: there is one way to match it
    mixed: Bools  # the stem stands for several words in this pair

    @classmethod
    def of(cls, groups: Groups, pairs: Pairs) -> Shared:
        """Look every reference token up."""
        owners = pairs.references.rows
        stems = pairs.stem_of[pairs.references.ids]
        group = groups.find(pairs.item[owners] * len(pairs.stem_of) + stems)
        token = np.flatnonzero(group >= 0)
        group, pair, word = group[token], owners[token], pairs.references.ids[token]
        slots = groups.slots(pairs.item)
        slot = slots[pair] + groups.local[group]
        times = np.bincount(slot, minlength=int(slots[-1]))
        differs = ~groups.uniform[group] | (groups.word[group] != word)
        mixed = np.zeros(int(slots[-1]), dtype=np.bool_)
        mixed[slot[differs]] = True
        here = times[slot]
        single = (here == 1) & (groups.size[group] == 1)
        return cls(token, pair, group, here, single, mixed[slot])


def _slot(keys: Ints, bits: int) -> NDArray[np.uint64]:
    return (keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - bits)
