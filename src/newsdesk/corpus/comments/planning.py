"""Which articles and comments go to which part: seeded draws over what the first pass has found out about every article."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import DataError
from newsdesk.streams import stream


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a corpus, and how many people are to judge each of its comments (0 for none)."""

    name: str
    votes: int


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What a plan needs to know of an article: its place in the inputs, how many comments may be drawn, and a score for each where a preset wants one."""

    index: int
    pool: int
    scores: Floats | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """An article for a part, with all comments of the part's pool, so many drawn from it, or those at some places of it."""

    index: int
    part: str
    count: int | None = None
    ranks: tuple[int, ...] | None = None

    def places(self, pool: int, seed: int) -> Sequence[int]:
        """Return the places of the comments in a pool of this size."""
        if self.ranks is not None:
            return self.ranks
        return range(pool) if self.count is None else sampled(self.index, pool, self.count, seed)


def permuted(facts: Sequence[Facts], seed: int, name: str) -> list[Facts]:
    """Return the articles in random order."""
    order = stream(f"comment corpus {name}", seed).permutation(len(facts)).tolist()
    return [facts[place] for place in order]


def drawn(facts: Sequence[Facts], count: int, seed: int, name: str) -> list[Facts]:
    """So many articles, drawn without replacement, in the order of the inputs."""
    chosen = permuted(facts, seed, name)[:count]
    return sorted(chosen, key=lambda each: each.index)


def sampled(index: int, pool: int, count: int, seed: int) -> tuple[int, ...]:
    """So many places in the pool of an article, drawn without replacement, in the order of the thread."""
    rng = stream("comment corpus comments", seed, index)
    places = rng.choice(pool, size=min(count, pool), replace=False)
    return tuple(np.sort(places).tolist())


def even_counts(pools: Sequence[int], total: int) -> list[int]:
    """Return how many comments each article gives so that there are `total` in all, or all there are: as evenly as the pools allow.

    >>> even_counts([2, 9, 5], 10), even_counts([2, 1], 10)
    ([2, 4, 4], [2, 1])
    """
    counts = [0] * len(pools)
    left = min(total, sum(pools))
    open_places = list(range(len(pools)))
    while left:
        share, rest = divmod(left, len(open_places))
        for turn, place in enumerate(open_places):
            more = min(share + (turn < rest), pools[place] - counts[place])
            counts[place] += more
            left -= more
        open_places = [place for place in open_places if counts[place] < pools[place]]
    return counts


def need(available: int, wanted: int, setting: str, what: str) -> None:
    """Raise an error if a corpus is too small for a preset."""
    if available < wanted:
        raise DataError(
            f"there are only {available:,} {what}, not {wanted:,}; name smaller sizes, such as {setting}, in --preset, or take --preset plain"
        )
