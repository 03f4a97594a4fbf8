"""Grades that people gave to suggestions: mean grades with intervals, and paired tests between systems.

The unit is the article: a system's value is the mean of its grades there. Real comments of a blinded grading, whose targets begin with `real:`, are one system, `real`. Two systems are compared on the articles where both
were graded, by the paired bootstrap; p-values are corrected together.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.metrics.comparisons import SystemComparison
from newsdesk.signatures import signature
from newsdesk.stats.significance import corrected, interval, paired_bootstrap
from newsdesk.types import Judgment

REAL = "real"
HUMAN, SIMULATED = "human", "simulated"  # who gave the grades
_QUESTION = "grade"

Grades = Mapping[str, Mapping[str, float]]  # system → article → mean grade


@dataclass(frozen=True, slots=True)
class Graded:
    """The mean grade that people gave a system, with its interval, over so many articles."""

    system: str
    mean: float
    ci: tuple[float, float]
    n: int


def mean_grades(judgments: Iterable[Judgment], articles: Collection[str]) -> Grades:
    """The mean grade of each system under each of these articles; an error if there are judgments and none of them is a grade there."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    read = False
    for judgment in judgments:
        read = True
        asked = judgment.question == _QUESTION and not judgment.withdrawn and not judgment.control
        if asked and judgment.item in articles:
            system = REAL if judgment.target.startswith(f"{REAL}:") else judgment.target
            values[system][judgment.item].append(float(judgment.value))
    if read and not values:
        raise ArgumentError(
            "none of the judgments grades an output for these articles; "
            "compare with the threads, --test and --seed of the grading"
        )
    return {
        system: {item: float(np.mean(given)) for item, given in sorted(items.items())}
        for system, items in values.items()
    }


def graded(grades: Grades, *, samples: int, seed: int) -> list[Graded]:
    """The mean grade of each system with its interval over articles."""
    rows = []
    for system, items in grades.items():
        statistics = _rows(items, items)
        ends = interval(statistics, _mean, samples=samples, seed=seed)
        mean = float(statistics[:, 0].mean())
        rows.append(Graded(system, mean, (ends.low, ends.high), len(items)))
    return rows


def grade_tests(
    grades: Grades, *, graders: str = HUMAN, samples: int, seed: int
) -> list[SystemComparison]:
    """Every two systems against each other, on the articles where both were graded."""
    tests: list[SystemComparison] = []
    for first, second in itertools.combinations(grades, 2):
        shared = sorted(grades[first].keys() & grades[second].keys())
        if not shared:
            continue
        ours, theirs = _rows(grades[first], shared), _rows(grades[second], shared)
        result = paired_bootstrap(ours, theirs, _mean, samples=samples, seed=seed)
        ahead = first, second, result.estimate, result.p, result.p
        tests.append(SystemComparison(*ahead, metric=graders, signature=""))
    facts = {"test": f"bootstrap[samples={samples},seed={seed}]", "correction": f"holm[{len(tests)}]"}  # fmt: skip
    signed = signature(graders, facts)
    return [dataclasses.replace(test, signature=signed) for test in corrected(tests)]


def _rows(items: Mapping[str, float], chosen: Iterable[str]) -> Floats:
    return np.array([[items[item], 1.0] for item in chosen])


def _mean(sums: Floats) -> Floats:
    return sums[..., 0] / sums[..., 1]
