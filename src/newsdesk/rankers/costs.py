"""Search for the cost C of a linear ranker: the grid of Fujita et al. (2019), extended where its best value is at an end.

The paper tries 2⁻¹³ … 2⁰. The effect of a cost depends on the number of pairs: the best cost for two million is a twentieth of that for eighty thousand.
So where the best value is the first or the last of the grid, the search goes on from there by factors of two until the dev NDCG no longer rises,
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
    """A cost, the weights fitted with it, and their NDCG on the dev threads."""

    cost: float
    weights: Floats
    ndcg: float


Fit = Callable[[float, Floats | None], Tried]


def search(fit: Fit) -> tuple[Tried, list[Tried]]:
    """The best cost (of equals in the grid the smallest) and every one tried, in ascending order; `fit` may start from the weights it is passed."""
    tried: list[Tried] = []
    for cost in COSTS:
        tried.append(fit(cost, tried[-1].weights if tried else None))
    best = max(tried, key=lambda each: each.ndcg)
    for end, factor in ((COSTS[0], 0.5), (COSTS[-1], 2.0)):
        if best.cost != end:
            continue
        for _ in range(BEYOND):
            further = fit(factor * best.cost, best.weights)
            tried.append(further)
            if further.ndcg <= best.ndcg:
                break
            best = further
    return best, sorted(tried, key=lambda each: each.cost)
