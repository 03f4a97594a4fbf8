"""Groups of systems that cannot be told apart, as letters: two systems that share a letter do not differ for sure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from newsdesk.arrays import Floats


def letters(ordered: Sequence[str], differ: Collection[frozenset[str]]) -> dict[str, str]:
    """The letters of each system, `ordered` best first; `differ` holds the pairs that differ for sure.

    >>> letters(["a", "b", "c"], {frozenset("ac")})
    {'a': 'A', 'b': 'AB', 'c': 'B'}
    """
    groups: list[list[str]] = []
    for place, system in enumerate(ordered):
        group = [system]
        for other in ordered[place + 1 :]:
            if all(frozenset((member, other)) not in differ for member in group):
                group.append(other)
        if not any(set(group) <= set(known) for known in groups):
            groups.append(group)
    named = dict.fromkeys(ordered, "")
    for number, group in enumerate(groups):
        for system in group:
            named[system] += _letter(number)
    return named


def _letter(number: int) -> str:
    """A, B, …, Z, then a number after the letter."""
    round_, place = divmod(number, 26)
    return chr(ord("A") + place) + (str(round_) if round_ else "")


def nemenyi_distance(systems: int, blocks: int, level: float = 0.95) -> float:
    """The smallest difference of mean ranks that is significant for any pair (Nemenyi 1963; Demšar 2006).

    >>> round(nemenyi_distance(5, 30), 3)
    1.114
    """
    from scipy import stats

    quantile = float(stats.studentized_range.ppf(level, systems, np.inf)) / math.sqrt(2)
    return quantile * math.sqrt(systems * (systems + 1) / (6 * blocks))


def apart_by_ranks(means: Mapping[str, float], distance: float) -> set[frozenset[str]]:
    """The pairs of systems whose mean ranks differ by at least the critical distance."""
    names = list(means)
    values: Floats = np.array(list(means.values()))
    far = np.argwhere(np.triu(np.abs(values[:, None] - values[None, :]) >= distance, 1))
    return {frozenset((names[one], names[two])) for one, two in far.tolist()}
