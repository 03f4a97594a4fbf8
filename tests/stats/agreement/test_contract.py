"""What every coefficient of agreement keeps to: weights mean repeated items, intervals hold their value, order does not matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from newsdesk.stats.agreement import (
    Alpha,
    Kappa,
    KendallW,
    Measure,
    PairAlpha,
    RotatingKappa,
    SplitHalf,
    TauB,
    Votes,
    with_interval,
)
from tests.stats.agreement.graded import (
    KRIPPENDORFF,
    LEVELS,
    WEIGHTS,
    plain_halves,
    some_grades,
    some_rankings,
    some_votes,
    votes_of,
)

MEASURES: tuple[tuple[Measure, Callable[[int], Any]], ...] = (
    *((Alpha(level), some_grades) for level in LEVELS),
    *((Kappa(weights, range(1, 6)), lambda seed: some_grades(seed, 2)) for weights in WEIGHTS),
    *((RotatingKappa(weights), some_grades) for weights in WEIGHTS),
    (PairAlpha(), votes_of),
    (PairAlpha(ties="drop"), votes_of),
    (KendallW(), some_rankings),
    (TauB(), some_rankings),
    (SplitHalf("pearson", repeats=3), some_grades),
    (SplitHalf("spearman", "full", repeats=3), some_grades),
)


each_measure = pytest.mark.parametrize(("measure", "data"), MEASURES, ids=lambda x: getattr(x, "name", ""))  # fmt: skip
repeatable = pytest.mark.parametrize(
    ("measure", "data"),
    [row for row in MEASURES if not isinstance(row[0], SplitHalf | PairAlpha)],
    ids=lambda x: getattr(x, "name", ""),
)


@repeatable
def test_weights_mean_repeated_items(measure: Measure, data: Callable[[int], Any]) -> None:
    values = data(8)
    units = measure.units(values)
    assert units.columns is not None
    times = np.random.default_rng(1).integers(0, 4, len(units.sorts))
    repeated = np.repeat(values[:, units.columns], times, axis=1)
    weights = np.bincount(units.sorts, times).astype(np.float64)[None]
    assert units.values(weights)[0] == pytest.approx(measure.units(repeated).value, abs=1e-12)


def test_weights_mean_repeated_tasks() -> None:
    votes = some_votes(8, tasks=6)
    units = PairAlpha().units(Votes(*zip(*votes, strict=True)))
    times = np.array([0, 2, 1, 3, 1, 1])
    more = [
        (f"{task}.{copy}", comment, worker, vote)
        for task, comment, worker, vote in votes
        for copy in range(times[int(task[1:])])
    ]
    weights = np.bincount(units.sorts, times).astype(np.float64)[None].astype(float)
    repeated = PairAlpha().units(Votes(*zip(*more, strict=True)))
    assert units.values(weights)[0] == pytest.approx(repeated.value, abs=1e-12)


@pytest.mark.parametrize("correlation", ["pearson", "spearman"])
def test_weights_mean_repeated_items_of_split_halves(correlation: Any) -> None:
    values = some_grades(8, annotators=6, items=20, present=1.0)
    units = SplitHalf(correlation, repeats=4, seed=2).units(values)
    times = np.random.default_rng(1).integers(0, 4, 20)
    function = stats.pearsonr if correlation == "pearson" else stats.spearmanr
    expected = [
        function(*np.repeat(np.round(pair, 9), times, axis=1)).statistic
        for pair in plain_halves(values, 4, 2)
    ]
    assert units.values(times[None].astype(np.float64))[0] == pytest.approx(
        np.mean(expected), abs=1e-9
    )


@each_measure
def test_an_interval_holds_its_value_and_follows_the_seed(
    measure: Measure, data: Callable[[int], Any]
) -> None:
    agreement = with_interval(measure, data(8), samples=200)
    assert agreement.name == measure.name
    assert agreement.low is not None and agreement.value is not None and agreement.high is not None
    assert agreement.low < agreement.value < agreement.high <= 1
    assert agreement.value == measure.units(data(8)).value
    assert with_interval(measure, data(8), samples=200) == agreement
    other = with_interval(measure, data(8), samples=200, seed=1)
    assert (other.low, other.high) != (agreement.low, agreement.high)
    wide = with_interval(measure, data(8), samples=200, level=0.5)
    assert wide.low > agreement.low and wide.high < agreement.high


@repeatable
def test_the_order_of_annotators_and_items_does_not_matter(
    measure: Measure, data: Callable[[int], Any]
) -> None:
    values = data(8)
    rng = np.random.default_rng(2)
    moved = values[rng.permutation(len(values))][:, rng.permutation(values.shape[1])]
    assert measure.units(moved).value == pytest.approx(measure.units(values).value, abs=1e-12)
    # Alike items are drawn as one sort, and sorts stand in an order of their own.
    if not isinstance(measure, Kappa) or isinstance(measure, RotatingKappa):
        first, second = (with_interval(measure, each, samples=50) for each in (values, moved))
        assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-9)


def test_counts_are_those_of_judgments_that_count() -> None:
    agreement = with_interval(Alpha("ordinal"), KRIPPENDORFF, samples=50)
    assert (agreement.items, agreement.annotators, agreement.judgments) == (11, 4, 40)
    assert agreement.note == "left out: 1 item with a single judgment"
    pairs = with_interval(PairAlpha(), votes_of(8), samples=50)
    assert (pairs.items, pairs.annotators) == (20, 5)
    assert "no verdict on C-scores" in pairs.note
