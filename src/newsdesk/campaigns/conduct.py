"""How annotators worked: whether their answers drift from those of the others, and whether they answer all the same.

**Drift** is how much the distance to the others changed over time: the mean distance of the later half of an annotator's answers less that of the earlier half, with Welch's
interval. The distance of a number is to the mean of the others' answers in the same place, so that somebody who grows stricter has a drift below 0; of a label it is 1 where it is the majority's of
the others, so that below 0 means less agreement. Answers of one moment, as those of an imported sheet are, have no order and no drift.

**Straight lines** are tasks of three answers or more that are all alike, such as the middle of every statement.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, variance
from typing import TypeAlias

from scipy import special

from newsdesk.campaigns.campaign import answered
from newsdesk.types import Judgment

Ends: TypeAlias = tuple[float, float]

_FEWEST = 10  # answers in each half
_LONG = 3  # answers of a task that can be a straight line
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Conduct:
    """The drift of one annotator with its interval, None where it is not known, and their straight lines.

    `straight` of `lines` tasks with three answers or more have the same answer throughout.
    """

    drift: float | None
    drift_ci: Ends | None
    straight: int
    lines: int


def conduct_of(judgments: Sequence[Judgment]) -> dict[str, Conduct]:
    """Return how each annotator worked, by name; `judgments` has one judgment per key."""
    rows = answered(judgments)
    distances = _distances(rows)
    by_annotator: dict[str, list[Judgment]] = defaultdict(list)
    for row in rows:
        by_annotator[row.annotator].append(row)
    found = {}
    for name, own in by_annotator.items():
        tasks: dict[str, list[Judgment]] = defaultdict(list)
        for row in own:
            tasks[row.task].append(row)
        long = [task for task in tasks.values() if len(task) >= _LONG]
        straight = sum(len({(row.value, type(row.value)) for row in task}) == 1 for task in long)
        drift, ends = _drift(own, distances)
        found[name] = Conduct(drift, ends, straight, len(long))
    return found


def _distances(rows: Sequence[Judgment]) -> dict[int, float]:
    """Return the distance of each answer to those of the others in its place, by its identity; none where nobody else answered."""
    places: dict[tuple[str, str, str], list[Judgment]] = defaultdict(list)
    for row in rows:
        places[row.task, row.target, row.question].append(row)
    distances = {}
    for together in places.values():
        if len(together) < 2:
            continue
        textual = any(isinstance(row.value, str) for row in together)
        for row in together:
            others = [each.value for each in together if each is not row]
            if textual:
                top = max(map(others.count, others))
                winners = {value for value in others if others.count(value) == top}
                distances[id(row)] = float(row.value in winners)
            else:
                distances[id(row)] = float(row.value) - mean(float(value) for value in others)
    return distances


def _drift(
    own: Sequence[Judgment], distances: dict[int, float]
) -> tuple[float | None, Ends | None]:
    """Return the drift of one annotator and its interval."""
    timed = sorted(
        (row for row in own if row.at is not None and id(row) in distances),
        key=lambda row: row.at or "",
    )
    middle = len(timed) // 2
    if middle < _FEWEST or timed[middle - 1].at == timed[-1].at or timed[0].at == timed[middle].at:
        return None, None
    early, late = (
        [distances[id(row)] for row in part] for part in (timed[:middle], timed[middle:])
    )
    value = mean(late) - mean(early)
    parts = [variance(part) / len(part) for part in (early, late)]
    error = math.sqrt(sum(parts))
    if error == 0:
        return value, (value, value)
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(half) - 1) for part, half in zip(parts, (early, late), strict=True)
    )
    reach = float(special.stdtrit(freedom, (1 + _LEVEL) / 2)) * error
    return value, (value - reach, value + reach)
