"""The search for easy pairs: keep every alignment with the most matches, take the one with the most links.

It finds what the jar's beam finds wherever the beam could not have overflowed and all choices are between equal words. That holds
for nearly all pairs of short texts, and nothing has to be sorted.
"""

from __future__ import annotations

from math import comb, perm

import numpy as np

from newsdesk.arrays import Bools, Floats, Ints
from newsdesk.metrics.alignment.entries import Entries, Repeats
from newsdesk.metrics.alignment.pairs import EXACT, Matched
from newsdesk.metrics.alignment.search import Children, Plan, mark_used

_TABLE = 8  # words repeated more often are left to the beam


def easy_pairs(entries: Entries, repeats: Repeats, pairs: int, beam: int) -> Bools:
    """The pairs whose best alignment a beam cannot lose, and where every choice is between equal words.

    A best alignment leaves out as few reference tokens as it must. Only paths that have left out no more than that can
    stand before it in the beam; if they fit, at any point, it is never cut off.
    """
    first = np.flatnonzero(repeats.left == repeats.times)  # one entry for each stem of a pair
    pair, size, times = entries.pair[first], entries.size[first], repeats.times[first]
    must_skip = np.bincount(pair, weights=np.maximum(times - size, 0), minlength=pairs)
    ways = _WAYS[np.minimum(size, _TABLE), np.minimum(times, _TABLE)]
    new_pair = np.flatnonzero(np.diff(pair, prepend=-1))
    number = np.arange(len(pair)) - np.repeat(new_pair, np.diff(new_pair, append=len(pair)))
    paths = np.zeros((pairs, _TABLE))  # by how many tokens are left out
    paths[:, 0] = 1
    for n in range(int(number.max(initial=-1)) + 1):
        nth = number == n
        paths[pair[nth]] = _product(paths[pair[nth]], ways[nth])
    least = np.minimum(must_skip, _TABLE - 1).astype(np.int64)
    fitting = np.cumsum(paths, axis=1)[np.arange(pairs), least]
    easy: Bools = (fitting <= beam) & (must_skip < _TABLE)
    easy[entries.pair[repeats.mixed]] = False
    return easy


def _product(left: Floats, right: Floats) -> Floats:
    """Products of polynomials, row by row, without the powers beyond the last column."""
    product = np.zeros_like(left)
    for n in range(left.shape[1]):
        product[:, n:] += left[:, n : n + 1] * right[:, : left.shape[1] - n]
    return product


def _most_ways() -> Floats:
    """How many paths there are at most for a word with n candidate, up to m reference tokens, of which s are left out."""
    table = np.full((_TABLE + 1, _TABLE + 1, _TABLE), 1e9)  # words repeated more often: too many
    for n in range(1, _TABLE):
        for m in range(1, _TABLE):
            for s in range(_TABLE):
                ways = (comb(b, s) * perm(n, b - s) for b in range(s, m + 1))
                table[n, m, s] = max(ways, default=0)
    return table


_WAYS = _most_ways()


def keep_all(entries: Entries, repeats: Repeats, chosen: Ints, matched: Matched) -> None:
    """Search the pairs of the chosen entries and write down what was matched."""
    plan = Plan.of(entries.only(chosen))
    e, left = plan.entries, repeats.left[chosen]
    _count_matches(e, repeats.times[chosen], plan.pairs, matched)
    row, used = np.arange(len(plan.pairs)), plan.unused()
    end, links = np.full(len(row), -1), np.zeros(len(row), dtype=np.int64)
    for k, active in enumerate(plan.active):
        going = int(np.searchsorted(row, active))
        _keep_most_links(plan, row[going:], links[going:], matched)
        row = row[:going]
        entry = plan.first_entry[row] + k
        c = Children.of(e, entry, used[:going])
        may_skip = left[entry] > np.add.reduceat(c.free & ~c.skip, c.first)
        keep = np.flatnonzero(np.where(c.skip, may_skip[c.parent], c.free))
        parent, start, here = c.parent[keep], c.start[keep], entry[c.parent[keep]]
        previous = np.where(plan.adjoins[here], end[parent], e.before[here])
        links = links[parent] + (start == previous) + (start + 1 == e.after[here])
        used = mark_used(used, parent, start)
        end = np.where(start < 0, -1, start + 1)
        row = row[parent]
    _keep_most_links(plan, row, links, matched)


def _count_matches(e: Entries, times: Ints, pairs: Ints, matched: Matched) -> None:
    """All are exact, and their number is known: the lesser count of each word, here spread over its reference tokens."""
    share = np.minimum(e.size, times) / times
    size = len(matched.links)
    matches, functions = (
        np.rint(np.bincount(e.pair, weights=weights, minlength=size)).astype(np.int64)
        for weights in (share, share * e.function)
    )
    matched.matches[pairs, EXACT] = matches[pairs]
    matched.function[pairs, EXACT] = functions[pairs, None]


def _keep_most_links(plan: Plan, row: Ints, links: Ints, matched: Matched) -> None:
    if len(row):
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        matched.links[plan.pairs[row[starts]]] = np.maximum.reduceat(links, starts)
