"""Grades, ranks and votes to test agreement with: published tables, random ones, and plain loops over them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.stats.agreement import Votes
from newsdesk.stats.agreement.coincidences import Level, Weights
from newsdesk.streams import stream

NAN = math.nan
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS: tuple[Weights | None, ...] = (None, "linear", "quadratic")


def table(text: str) -> Floats:
    return np.array([[NAN if each == "*" else float(each) for each in row.split()] for row in text.split("/")])  # fmt: skip


WIKIPEDIA = table(
    "* * * * * 3 4 1 2 1 1 3 3 * 3 / 1 * 2 1 3 3 4 3 * * * * * * * / * * 2 1 3 4 4 * 2 1 1 3 3 * 4"
)
KRIPPENDORFF = table(
    "1 2 3 3 2 1 4 1 2 * * * / 1 2 3 3 2 2 4 1 2 5 * 3 / * 3 3 3 2 3 4 2 2 5 1 * / 1 2 3 3 2 4 4 1 2 5 1 *"
)


def slow_alpha(values: Floats, level: str) -> float | None:
    """Krippendorff's own steps, over dictionaries."""
    units = [[v for v in unit if not math.isnan(v)] for unit in values.T]
    units = [unit for unit in units if len(unit) > 1]
    coincidences: dict[tuple[float, float], float] = defaultdict(float)
    for unit in units:
        for i, one in enumerate(unit):
            for j, two in enumerate(unit):
                if i != j:
                    coincidences[one, two] += 1 / (len(unit) - 1)
    n = Counter(v for unit in units for v in unit)
    labels, total = sorted(n), sum(n.values())
    if len(labels) < 2:
        return None

    def apart(c: float, k: float) -> float:
        if c == k:
            return 0.0
        if level == "nominal":
            return 1.0
        if level == "interval":
            return (c - k) ** 2
        if level == "ratio":
            return ((c - k) / (c + k)) ** 2
        between = sum(n[g] for g in labels if min(c, k) <= g <= max(c, k))
        return (between - (n[c] + n[k]) / 2) ** 2

    observed = sum(count * apart(*pair) for pair, count in coincidences.items())
    expected = sum(n[c] * n[k] * apart(c, k) for c in labels for k in labels) / (total - 1)
    return 1 - observed / expected


def slow_pairs(votes: Sequence[tuple[Any, Any, Any, float]], *, drop: bool) -> Floats:
    """A table workers × (pairs, each in both orders) of 0 (worse), 1 (equal) and 2 (better)."""
    said = {(task, worker, comment): vote for task, comment, worker, vote in votes}
    workers = sorted({worker for _, worker, _ in said})
    units = sorted({(task, comment) for task, _, comment in said})
    columns = []
    for (task, one), (other, two) in combinations(units, 2):
        if task == other:
            for first, second in ((one, two), (two, one)):
                column = []
                for worker in workers:
                    votes_of = [said.get((task, worker, each), NAN) for each in (first, second)]
                    sign = np.sign(votes_of[0] - votes_of[1]) + 1
                    column.append(NAN if drop and sign == 1 else sign)
                columns.append(column)
    return np.array(columns).T


def some_grades(
    seed: int, annotators: int = 5, items: int = 30, present: float = 0.6, top: int = 5
) -> Floats:
    rng = np.random.default_rng(seed)
    quality = rng.normal(3, 1, items)
    said = np.clip(np.rint(quality + rng.normal(0, 1, (annotators, items))), 1, top)
    return np.where(rng.random(said.shape) < present, said, NAN)


def some_rankings(seed: int, annotators: int = 4, items: int = 12, systems: int = 5) -> Floats:
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 4, (annotators, items, systems)).astype(float)
    ranks[rng.random((annotators, items)) < 0.4] = NAN
    # Each item has its own set of systems.
    ranks[:, np.arange(items) % 3 == 0, -1] = NAN
    return ranks


def some_votes(seed: int, tasks: int = 8, workers: int = 5) -> list[tuple[Any, Any, Any, float]]:
    rng = np.random.default_rng(seed)
    votes = []
    for task in range(tasks):
        for comment in range(int(rng.integers(2, 6))):
            rate = rng.random()
            for worker in range(workers):
                if rng.random() < 0.8:
                    votes.append((f"t{task}", f"c{task}-{comment}", f"w{worker}", float(rng.random() < rate)))  # fmt: skip
    return votes


def plain_halves(values: Floats, repeats: int, seed: int) -> list[Floats]:
    """The halves' means of each repeat (2 × items), by loops over the same draws."""
    rng, halves = stream("halves", seed), []
    for _ in range(repeats):
        keys = rng.random(values.shape)
        means = []
        for item in range(values.shape[1]):
            there = [a for a in range(len(values)) if not math.isnan(values[a, item])]
            order = sorted(there, key=keys[:, item].__getitem__)
            half = len(order) // 2
            means.append([values[part, item].mean() for part in (order[:half], order[half:])])
        halves.append(np.array(means).T)
    return halves


def votes_of(seed: int) -> Votes:
    return Votes(*zip(*some_votes(seed, tasks=20), strict=True))
