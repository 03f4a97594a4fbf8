"""What every coefficient of agreement keeps to: weights mean repeated items, intervals hold their value, order does not matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from newsdesk.campaigns.agreement import (
    Alpha,
    Figure,
    Kappa,
    KendallW,
    PairAlpha,
    RotatingKappa,
    SplitHalf,
    TauB,
    Votes,
    with_interval,
)
from tests.campaigns.agreement.graded import (
    KRIPPENDORFF,
    LEVELS,
    WEIGHTS,
    plain_halves,
    some_grades,
    some_rankings,
    some_votes,
    votes_of,
)

FIGURES: tuple[tuple[Figure, Callable[[int], Any]], ...] = (
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


each_figure = pytest.mark.parametrize(("figure", "data"), FIGURES, ids=lambda x: getattr(x, "name", ""))  # fmt: skip
repeatable = pytest.mark.parametrize(
    ("figure", "data"),
    [row for row in FIGURES if not isinstance(row[0], SplitHalf | PairAlpha)],
    ids=lambda x: getattr(x, "name", ""),
)


@repeatable
def test_weights_mean_repeated_items(figure: Figure, data: Callable[[int], Any]) -> None:
    values = data(8)
    units = figure.units(values)
    assert units.columns is not None
    times = np.random.default_rng(1).integers(0, 4, len(units.sorts))
    repeated = np.repeat(values[:, units.columns], times, axis=1)
    weights = np.bincount(units.sorts, times)[None]
    assert units.values(weights)[0] == pytest.approx(figure.units(repeated).value, abs=1e-12)


def test_weights_mean_repeated_tasks() -> None:
    votes = some_votes(8, tasks=6)
    units = PairAlpha().units(Votes(*zip(*votes, strict=True)))
    times = np.array([0, 2, 1, 3, 1, 1])
    more = [
        (f"{task}.{copy}", comment, worker, vote)
        for task, comment, worker, vote in votes
        for copy in range(times[int(task[1:])])
    ]
    weights = np.bincount(units.sorts, times)[None].astype(float)
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
    assert units.values(times[None] * 1.0)[0] == pytest.approx(np.mean(expected), abs=1e-9)


@each_figure
def test_an_interval_holds_its_value_and_follows_the_seed(
    figure: Figure, data: Callable[[int], Any]
) -> None:
    found = with_interval(figure, data(8), samples=200)
    assert found.name == figure.name
    assert found.low is not None and found.value is not None and found.high is not None
    assert found.low < found.value < found.high <= 1
    assert found.value == figure.units(data(8)).value
    assert with_interval(figure, data(8), samples=200) == found
    other = with_interval(figure, data(8), samples=200, seed=1)
    assert (other.low, other.high) != (found.low, found.high)
    wide = with_interval(figure, data(8), samples=200, level=0.5)
    assert wide.low > found.low and wide.high < found.high


@repeatable
def test_the_order_of_annotators_and_items_does_not_matter(
    figure: Figure, data: Callable[[int], Any]
) -> None:
    values = data(8)
    chance = np.random.default_rng(2)
    moved = values[chance.permutation(len(values))][:, chance.permutation(values.shape[1])]
    assert figure.units(moved).value == pytest.approx(figure.units(values).value, abs=1e-12)
    # Alike items are drawn as one sort, and sorts stand in an order of their own.
    if not isinstance(figure, Kappa) or isinstance(figure, RotatingKappa):
        first, second = (with_interval(figure, each, samples=50) for each in (values, moved))
        assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-9)


def test_counts_are_those_of_judgments_that_count() -> None:
    found = with_interval(Alpha("ordinal"), KRIPPENDORFF, samples=50)
    assert (found.items, found.annotators, found.judgments) == (11, 4, 40)
    assert found.note == "left out: 1 items with a single judgment"
    pairs = with_interval(PairAlpha(), votes_of(8), samples=50)
    assert (pairs.items, pairs.annotators) == (20, 5)
    assert "no verdict on C-scores" in pairs.note
