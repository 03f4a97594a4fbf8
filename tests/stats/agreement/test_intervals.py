"""Intervals over items: by the book, by group, and covering the planted truth."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.stats import units
from newsdesk.stats.agreement import Alpha, PairAlpha, Votes, with_interval
from newsdesk.stats.units import over_items
from newsdesk.streams import stream
from research.agreement import CASES, HIGHEST, LOWEST, Case, coverage
from tests.stats.agreement.graded import WIKIPEDIA, some_grades, some_votes, votes_of


def plain_interval(
    values: Floats, figure: Callable[[Floats], float], samples: int, level: float, seed: int
) -> tuple[float, float]:
    """Widened BCa by the book, on one number per item."""
    numbers, counts = np.unique(values, return_counts=True)
    n = len(values)
    draws = stream("items", seed)
    sampled = [figure(np.repeat(numbers, draws.multinomial(n, counts / n))) for _ in range(samples)]
    estimate = figure(values)
    without = np.array([figure(np.delete(values, i)) for i in range(n)])
    off = without.mean() - without
    acceleration = (off**3).sum() / (6 * (off**2).sum() ** 1.5)
    share = np.mean([(x < estimate - 1e-12) + (abs(x - estimate) <= 1e-12) / 2 for x in sampled])
    bias = stats.norm.ppf(share)
    reach = stats.t.ppf((1 + level) / 2, n - 1) * math.sqrt(n / (n - 1))
    ends = [bias + (bias + z) / (1 - acceleration * (bias + z)) for z in (-reach, reach)]
    low, high = np.quantile(sampled, stats.norm.cdf(ends))
    return float(low), float(high)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_is_widened_bca_by_the_book(level: float) -> None:
    values = np.random.default_rng(3).exponential(1, 25).round(1)
    rows = np.column_stack([values, values**2, np.ones(25)])

    def spread(sums: Floats) -> Floats:
        mean = sums[:, 0] / sums[:, 2]
        return np.asarray(np.sqrt(sums[:, 1] / sums[:, 2] - mean**2))

    estimate = over_items(rows, spread, samples=300, level=level, seed=4)
    expected = plain_interval(values, lambda x: float(x.std()), 300, level, 4)
    assert (estimate.low[0], estimate.high[0]) == pytest.approx(expected, rel=1e-9)


def test_samples_that_equal_the_estimate_count_half_as_below_it() -> None:
    values = np.repeat([0.0, 1.0], [9, 5])  # a share, which many samples hit
    rows = np.column_stack([values, np.ones(14)])
    estimate = over_items(rows, lambda sums: sums[:, 0] / sums[:, 1], samples=300, seed=4)
    expected = plain_interval(values, lambda x: float(x.mean()), 300, 0.95, 4)
    assert (estimate.low[0], estimate.high[0]) == pytest.approx(expected, rel=1e-9)


def test_an_interval_of_a_symmetric_mean_is_close_to_students() -> None:
    half = np.random.default_rng(3).normal(0, 1, 6)
    values = np.append(half, -half)
    rows = np.column_stack([values, np.ones(12)])
    estimate = over_items(rows, lambda sums: sums[:, 0] / sums[:, 1], samples=20_000)
    ends = stats.t.interval(0.95, 11, values.mean(), values.std(ddof=1) / math.sqrt(12))
    assert (estimate.low[0], estimate.high[0]) == pytest.approx(ends, abs=0.05)


def test_items_of_a_group_are_drawn_together() -> None:
    values = some_grades(9, items=60, present=1.0)
    twice = np.repeat(values, 4, axis=1)
    alone = with_interval(Alpha("interval"), twice)
    grouped = with_interval(Alpha("interval"), twice, groups=np.repeat(np.arange(60), 4))
    once = with_interval(Alpha("interval"), values)
    widths = [each.high - each.low for each in (alone, grouped, once)]
    assert widths[1] == pytest.approx(2 * widths[0], rel=0.15)
    assert widths[1] == pytest.approx(widths[2], rel=0.15)


def test_a_part_of_many_items_tells_how_skewed_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).exponential(1, 900)
    rows = np.column_stack([values, np.ones(900)])

    def ends(left_out: int) -> Floats:
        monkeypatch.setattr(units, "_LEFT_OUT", left_out)
        estimate = over_items(rows, lambda sums: sums[:, 0] / sums[:, 1], samples=20_000)
        return np.array([estimate.low[0], estimate.high[0]])

    skewed, part, alone = ends(900), ends(100), ends(1)
    assert skewed == pytest.approx(part, abs=0.25 * float(np.abs(skewed - alone).max()))


def test_tasks_of_one_article_are_drawn_together() -> None:
    votes = some_votes(8, tasks=20)
    task, comment, worker, vote = zip(*votes, strict=True)
    article = [f"a{int(each[1:]) // 4}" for each in task]
    tasks = with_interval(PairAlpha(), Votes(task, comment, worker, vote), samples=50)
    articles = with_interval(PairAlpha(), Votes(task, comment, worker, vote, article), samples=50)
    assert (tasks.value, tasks.items) == (articles.value, 20)
    assert articles.items == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"samples": 0}, "samples is 0"),
        ({"level": 1.0}, "level is 1.0"),
        ({"seed": -1}, "below zero"),
        ({"groups": [1, 2]}, "not one each of 15 items"),
    ],
)
def test_wrong_settings_of_an_interval_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        with_interval(Alpha(), WIKIPEDIA, **arguments)


def test_votes_are_not_grouped_by_hand() -> None:
    with pytest.raises(ArgumentError, match="no place here"):
        with_interval(PairAlpha(), votes_of(8), groups=[1])


SMALL = {"runs": 200, "samples": 300, "truth": 20_000}


@pytest.mark.parametrize("case", [each for each in CASES if "halves" not in each.name], ids=lambda case: f"{case.name}, {case.size}")  # fmt: skip
def test_intervals_cover_the_planted_truth(case: Case) -> None:
    # 200 runs have a standard error of 1.5 points: the bench's 92.5 to 97.5 % of 2,000, two of them wider.
    estimate = coverage(case, **SMALL)
    assert (estimate >= LOWEST - 0.031).all() and (estimate <= HIGHEST + 0.024).all()
