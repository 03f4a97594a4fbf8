"""NLTK's alignment, for many pairs at once.

NLTK takes candidate words from the right, each to the last free equal word of the reference. So the r-th equal word from the right on
one side goes with the r-th from the right on the other, and no search is needed. Words left over are matched by stem in the
same way. Chunks are whatever comes out.
"""

from __future__ import annotations

import numpy as np

from newsdesk.arrays import Ints
from newsdesk.metrics.alignment.groups import Groups
from newsdesk.metrics.alignment.pairs import EXACT, STEM, Matched, PairCounts, Pairs


def from_the_right(pairs: Pairs) -> PairCounts:
    """Match each reference with its candidate."""
    partner = np.full(len(pairs.references.ids), -1)
    stage = np.full(len(partner), EXACT)
    _match(pairs, np.arange(len(pairs.stem_of)), partner)
    stage[partner < 0] = STEM
    _match(pairs, pairs.stem_of, partner)
    token = np.flatnonzero(partner >= 0)
    pair = pairs.references.rows[token]
    matched = Matched.tally(pairs, pair, token, partner[token], stage[token])
    return PairCounts.of(pairs, matched)


def _match(pairs: Pairs, key_of: Ints, partner: Ints) -> None:
    """Give free reference tokens a free candidate token of the same key."""
    groups = Groups.of(pairs.candidates, key_of)
    free = np.flatnonzero(partner < 0)
    pair = pairs.references.rows[free]
    group = groups.find(pairs.item[pair] * len(key_of) + key_of[pairs.references.ids[free]])
    free, pair, group = (each[group >= 0] for each in (free, pair, group))
    slots = groups.slots(pairs.item)
    slot = slots[pair] + groups.local[group]

    token, other_slot = _free_candidates(pairs, groups, partner, slots, slot)
    longest = max(
        int(pairs.candidates.lengths.max(initial=0)), int(pairs.references.lengths.max(initial=0))
    )
    left, right = (_from_right(each, longest + 1) for each in (other_slot, slot))
    _, at_left, at_right = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    partner[free[at_right]] = token[at_left]


def _free_candidates(
    pairs: Pairs, groups: Groups, partner: Ints, slots: Ints, wanted: Ints
) -> tuple[Ints, Ints]:
    """The free candidate tokens of every pair that stand in a wanted slot, and that slot."""
    places, owners = pairs.places(), pairs.references.rows
    first = pairs.candidates.offsets[pairs.item]
    taken = np.zeros(int(places[-1]), dtype=np.bool_)
    matched = np.flatnonzero(partner >= 0)
    pair = owners[matched]
    taken[places[pair] + partner[matched] - first[pair]] = True
    is_wanted = np.zeros(int(slots[-1]), dtype=np.bool_)
    is_wanted[wanted] = True
    local = np.empty(len(groups.tokens), dtype=np.int64)
    local[groups.tokens] = np.repeat(groups.local, groups.size)
    place = np.flatnonzero(~taken)
    pair = np.repeat(np.arange(len(pairs)), np.diff(places))[place]
    token = place - places[pair] + first[pair]
    slot = slots[pair] + local[token]
    matching = is_wanted[slot]
    return token[matching], slot[matching]


def _from_right(slot: Ints, width: int) -> Ints:
    """A key of the slot and the token's number among the slot's tokens, counted from the right."""
    order = np.argsort(slot, kind="stable")[::-1]
    ordered = slot[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    number = np.empty(len(slot), dtype=np.int64)
    number[order] = np.arange(len(slot)) - np.repeat(first, np.diff(first, append=len(slot)))
    return slot * width + number
