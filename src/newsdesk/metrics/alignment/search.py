"""Data structures shared by both searches, which process many pairs in step.

Paths through all pairs stand in flat arrays, those of one pair side by side; step k extends every path by the k-th entry of its
pair. Pairs are ordered by how many entries they have, so that the paths still growing are always a prefix.

The search for easy pairs: keep every alignment with the most matches, take the one with the most links.

It finds what the jar's beam finds wherever the beam could not have overflowed and all choices are between equal words. That holds
for nearly all pairs of short texts, and nothing has to be sorted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, perm

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Bools, Floats, Ints
from newsdesk.metrics.alignment.pairs import EXACT, Entries, Matched, Repeats

Bits = NDArray[np.uint64]
LEFT_OUT = -9  # the candidate position of a token that is not matched


@dataclass(frozen=True, slots=True, eq=False)
class SearchPlan:
    """The entries of some pairs, arranged for a search: pairs with more entries come first."""

    pairs: Ints  # their numbers, in the order of the search
    active: list[int]  # how many pairs have a k-th entry
    first_entry: Ints  # of each pair
    adjoins: Bools  # the entry before it is the token before it
    entries: Entries

    @classmethod
    def of(cls, entries: Entries) -> SearchPlan:
        """Group entries by pair and order the pairs by size."""
        first = np.flatnonzero(np.diff(entries.pair, prepend=-1))  # pairs: the first entry of each
        count = np.diff(first, append=len(entries.pair))
        order = np.argsort(-count, kind="stable")  # pairs, those with most entries first
        # Steps: how many pairs go on.
        active = np.searchsorted(-count[order], -np.arange(int(count.max())))
        same_pair = np.diff(entries.pair, prepend=-1) == 0  # entries
        adjoins = same_pair & (np.diff(entries.position, prepend=-9) == 1)
        return cls(
            pairs=entries.pair[first[order]],
            active=active.tolist(),
            first_entry=first[order],
            adjoins=adjoins,
            entries=entries,
        )

    def unused(self) -> Bits:
        """Return a row of bits for every pair, one for each candidate position: none is taken."""
        words = 1 + (int(self.entries.choices.start.max(initial=0)) >> 6)
        return np.zeros((len(self.pairs), words), dtype=np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class Children:
    """The continuations of all paths by one entry each.

    Matches in the order of the choices, then leaving the token out.
    """

    parent: Ints  # the path of each child
    choice: Ints  # of the entry's choices; 0 where the token is left out
    start: Ints  # candidate position of the choice, or LEFT_OUT
    free: Bools  # the path does not use this position yet
    skip: Bools  # the token is left out
    first: Ints  # the first child of each path

    @classmethod
    def of(cls, entries: Entries, entry: Ints, used: Bits) -> Children:
        """Return the continuations of paths; `entry` and `used` are each path's next entry and positions."""
        size = entries.size[entry]  # paths: matches to choose from
        first = np.cumsum(size + 1) - (size + 1)
        parent = np.repeat(np.arange(len(entry)), size + 1)  # children: matches and one skip a path
        ordinal = np.arange(len(parent)) - first[parent]
        skip = ordinal == size[parent]
        choice = np.where(skip, 0, entries.first[entry][parent] + ordinal)
        start = np.where(skip, LEFT_OUT, entries.choices.start[choice])
        # The bit of each child's position, 64 positions a word.
        word = used.ravel()[parent * used.shape[1] + (start >> 6)]
        taken = word >> (start & 63).astype(np.uint64)
        return cls(parent, choice, start, (taken & np.uint64(1)) == 0, skip, first)


def mark_used(used: Bits, parent: Ints, start: Ints) -> Bits:
    """Return the used positions of children: those of their parents and their own."""
    new = used[parent]  # children × words
    own = np.arange(len(parent)) * new.shape[1] + (np.maximum(start, 0) >> 6)
    bit = np.where(start >= 0, np.uint64(1) << (start & 63).astype(np.uint64), np.uint64(0))
    new.ravel()[own] |= bit
    return new


def blocks(entries: Entries, wanted: Bools, size: int) -> list[Ints]:
    """Cut the indices of the wanted entries into lists of `size` whole pairs each."""
    chosen = np.flatnonzero(wanted)
    starts = np.flatnonzero(np.diff(entries.pair[chosen], prepend=-1))  # the first of each pair
    return [part for part in np.split(chosen, starts[size::size]) if len(part)]


_TABLE = 8  # words repeated more often are left to the beam


def easy_pairs(entries: Entries, repeats: Repeats, pairs: int, beam: int) -> Bools:
    """Return the pairs whose best alignment no beam can lose and whose choices are of equal words.

    A best alignment leaves out as few reference tokens as it must. Only paths that have left out no more than that can
    stand before it in the beam; if they fit, at any point, it is never cut off.
    """
    first = np.flatnonzero(repeats.left == repeats.times)  # one entry for each stem of a pair
    # All three: stems of pairs.
    pair, size, times = (
        entries.pair[first],
        entries.size[first],
        repeats.times[first],
    )
    must_skip = np.bincount(pair, weights=np.maximum(times - size, 0), minlength=pairs)  # pairs
    ways = _WAYS[np.minimum(size, _TABLE), np.minimum(times, _TABLE)]  # stems × tokens left out
    new_pair = np.flatnonzero(np.diff(pair, prepend=-1))
    # The n-th stem of every pair at once: polynomials in the number of tokens left out are multiplied.
    number = np.arange(len(pair)) - np.repeat(new_pair, np.diff(new_pair, append=len(pair)))
    paths = np.zeros((pairs, _TABLE))  # by how many tokens are left out
    paths[:, 0] = 1
    for n in range(int(number.max(initial=-1)) + 1):
        nth = number == n
        paths[pair[nth]] = _product(paths[pair[nth]], ways[nth])
    least = np.minimum(must_skip, _TABLE - 1).astype(np.int64)
    # Pairs: paths that leave out no more than they must.
    fitting = np.cumsum(paths, axis=1)[np.arange(pairs), least]
    easy: Bools = (fitting <= beam) & (must_skip < _TABLE)
    easy[entries.pair[repeats.mixed]] = False
    return easy


def _product(left: Floats, right: Floats) -> Floats:
    """Multiply polynomials, row by row, without the powers beyond the last column."""
    product = np.zeros_like(left)
    for n in range(left.shape[1]):
        product[:, n:] += left[:, n : n + 1] * right[:, : left.shape[1] - n]
    return product


def _most_ways() -> Floats:
    """Return [n, m, s]: the most paths of a word with n candidate and m reference tokens, s left out.

    The most at any point of the search, where b of the m tokens have been treated.
    """
    table = np.full((_TABLE + 1, _TABLE + 1, _TABLE), 1e9)  # words repeated more often: too many
    for n in range(1, _TABLE):
        for m in range(1, _TABLE):
            for s in range(_TABLE):
                ways = (comb(b, s) * perm(n, b - s) for b in range(s, m + 1))
                table[n, m, s] = max(ways, default=0)
    return table


_WAYS = _most_ways()


def keep_all(entries: Entries, repeats: Repeats, chosen: Ints, matched: Matched) -> None:
    """Search the pairs of the chosen entries, and write what was matched into `matched`."""
    plan = SearchPlan.of(entries.only(chosen))
    e, left = plan.entries, repeats.left[chosen]
    _count_matches(e, repeats.times[chosen], plan.pairs, matched)
    # Paths, at first one a pair: its pair, the positions it uses, where its chunk would go on, its links.
    row, used = np.arange(len(plan.pairs)), plan.unused()
    end, links = np.full(len(row), -1), np.zeros(len(row), dtype=np.int64)
    for k, active in enumerate(plan.active):
        # Pairs without a k-th entry are complete; their paths stand at the end.
        going = int(np.searchsorted(row, active))
        _keep_most_links(plan, row[going:], links[going:], matched)
        row = row[:going]
        entry = plan.first_entry[row] + k
        c = Children.of(e, entry, used[:going])
        # Paths: whether more tokens are left than free matches.
        may_skip = left[entry] > np.add.reduceat(c.free & ~c.skip, c.first)
        keep = np.flatnonzero(np.where(c.skip, may_skip[c.parent], c.free))
        parent, start, here = c.parent[keep], c.start[keep], entry[c.parent[keep]]
        # A link joins the match of the token before, chosen or forced, or the forced one of the token after.
        previous = np.where(plan.adjoins[here], end[parent], e.before[here])
        links = links[parent] + (start == previous) + (start + 1 == e.after[here])
        used = mark_used(used, parent, start)
        end = np.where(start < 0, -1, start + 1)
        row = row[parent]
    _keep_most_links(plan, row, links, matched)


def _count_matches(e: Entries, times: Ints, pairs: Ints, matched: Matched) -> None:
    """Count the matches, which are all exact: the lesser count of each word, spread over its tokens."""
    share = np.minimum(e.size, times) / times  # entries
    size = len(matched.links)
    matches, functions = (
        np.rint(np.bincount(e.pair, weights=weights, minlength=size)).astype(np.int64)
        for weights in (share, share * e.function)
    )
    matched.matches[pairs, EXACT] = matches[pairs]
    matched.function[pairs, EXACT] = functions[pairs, None]


def _keep_most_links(plan: SearchPlan, row: Ints, links: Ints, matched: Matched) -> None:
    """Write the most links of each complete pair into `matched`."""
    if len(row):
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        matched.links[plan.pairs[row[starts]]] = np.maximum.reduceat(links, starts)
