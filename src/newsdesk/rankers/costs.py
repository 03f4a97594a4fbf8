"""Which cost a linear ranker takes: the best of the paper's grid, and beyond it where the grid ends too early.

The paper tries 2⁻¹³ … 2⁰. How strong a cost is depends on how many pairs there are: two million want one a twentieth of what eighty thousand want.
So where the best of the grid is its first or its last, the search goes on from there by factors of two until the figure no longer rises,
at most `BEYOND` times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from newsdesk.arrays import Floats

COSTS = tuple(2.0**power for power in range(-13, 1))
BEYOND = 10


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """A cost, the weights that it leads to, and what they come to on the dev threads."""

    cost: float
    weights: Floats
    figure: float


Fit = Callable[[float, Floats | None], Tried]


def search(fit: Fit) -> tuple[Tried, list[Tried]]:
    """The best of all costs, the smallest of equals in the grid, and every one tried, by size; `fit` may start from weights near by."""
    tried: list[Tried] = []
    for cost in COSTS:
        tried.append(fit(cost, tried[-1].weights if tried else None))
    best = max(tried, key=lambda each: each.figure)
    for end, factor in ((COSTS[0], 0.5), (COSTS[-1], 2.0)):
        if best.cost != end:
            continue
        for _ in range(BEYOND):
            further = fit(factor * best.cost, best.weights)
            tried.append(further)
            if further.figure <= best.figure:
                break
            best = further
    return best, sorted(tried, key=lambda each: each.cost)
