"""`study plan` against brute force: campaigns simulated one by one by code of their own, and compared by scipy's paired t-test.

    python -m research.plan_power

For each world, 5,000 campaigns of the size that `study plan` recommends: their power must lie within 10 % of the one asked for, and the
number of items at which the brute-force power crosses it within 10 % of the plan's. One world is planned from the grades of a pilot
of 150 items by three people, whose spreads are only estimated: there the power of the plan is printed, not held to the floor.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from scipy.stats import ttest_rel

from newsdesk.stats.power import Grades, of_agreement, of_pilot, plan_items
from newsdesk.types import Judgment

CAMPAIGNS = 5_000
WORLDS = {
    "grades 1-5, agreement .4": (of_agreement(0.4, 1.1, scale=(1, 5)), 0.3, 2),
    "grades 1-5, agreement .6": (of_agreement(0.6, 1.2, scale=(1, 5)), 0.4, 1),
    "any number, agreement .3": (of_agreement(0.3, 1.0), 0.25, 3),
    "votes 0-1": (of_agreement(0.3, 0.5, scale=(0, 1)), 0.15, 3),
}


def campaign(
    model: Grades, difference: float, items: int, votes: int, rng: random.Random
) -> list[list[float]]:
    """The mean grades of two systems on every item of one campaign."""
    means: list[list[float]] = [[], []]
    for _ in range(items):
        item = rng.gauss(0, model.item_sd)
        for system, sign in ((0, 0.5), (1, -0.5)):
            truth = model.mean + sign * difference + item + rng.gauss(0, model.system_sd)
            grades = []
            for _ in range(votes):
                grade = truth + rng.gauss(0, model.noise_sd)
                if model.scale is not None:
                    low, high = model.scale
                    grade = min(max(round(grade), low), high)
                grades.append(grade)
            means[system].append(sum(grades) / votes)
    return means


def brute_force(
    model: Grades, difference: float, sizes: Sequence[int], votes: int, campaigns: int, seed: int
) -> list[float]:
    """The share of campaigns in which the better system is found better at the 5 % level, for each number of items."""
    rng = random.Random(seed)
    won = np.zeros(len(sizes))
    for _ in range(campaigns):
        first, second = campaign(model, difference, max(sizes), votes, rng)
        for place, size in enumerate(sizes):
            if first[:size] == second[:size]:
                continue
            test = ttest_rel(first[:size], second[:size])
            won[place] += test.pvalue < 0.05 and test.statistic > 0
    return list(won / campaigns)


def crossing(sizes: Sequence[int], powers: Sequence[float], power: float) -> float:
    """The number of items at which the power is reached, by a straight line through the points."""
    slope, level = np.polyfit(sizes, powers, 1)
    return float((power - level) / slope)


def pilot(model: Grades, items: int, people: int, seed: int) -> list[Judgment]:
    """The judgments of a pilot on two equally good systems."""
    rng = random.Random(seed)
    judgments = []
    for item in range(items):
        effect = rng.gauss(0, model.item_sd)
        for system in ("a", "b"):
            truth = model.mean + effect + rng.gauss(0, model.system_sd)
            for person in range(people):
                grade = truth + rng.gauss(0, model.noise_sd)
                if model.scale is not None:
                    grade = min(max(round(grade), model.scale[0]), model.scale[1])
                judgments.append(
                    Judgment("pilot", str(item), str(item), system, "grade", grade, f"p{person}")
                )
    return judgments


def main() -> int:
    """Compare plan and brute force in every world; 1 where they differ by more than 10 %."""
    failed = 0
    for name, (model, difference, votes) in WORLDS.items():
        (design,) = plan_items(model, difference, votes=(votes,), draws=4_000)
        items = design.items or 0
        sizes = [round(items * share) for share in (0.9, 1.0, 1.1)]
        powers = brute_force(model, difference, sizes, votes, CAMPAIGNS, seed=1)
        true_items = crossing(sizes, powers, 0.8)
        off = items / true_items - 1
        fine = abs(off) <= 0.1 and abs(powers[1] / 0.8 - 1) <= 0.1
        failed += not fine
        print(
            f"{name:<26} plan {items} items, brute force {true_items:.0f} ({off:+.1%}); power there {powers[1]:.3f} of .800"
        )
        if name.startswith("grades") and votes > 1:
            estimated = of_pilot(pilot(model, 150, 3, seed=2))
            (design,) = plan_items(estimated, difference, votes=(votes,), draws=4_000)
            print(f"{'':<26} from a pilot of 150 items by 3 people: {design.items} items")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
