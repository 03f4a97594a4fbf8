"""Tests between metrics: permutation p-values against all permutations listed, their correction, and the items that a difference needs."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from newsdesk.arrays import Floats
from newsdesk.results.metric_tests import MetricDifference
from newsdesk.stats.coefficients import COEFFICIENTS, Level, row_correlations
from newsdesk.stats.intervals import ends, widened_tail
from newsdesk.stats.significance import items_needed
from newsdesk.studies.correlate.between import corrected_by_family, permutation_ps
from newsdesk.studies.correlate.outputs import best_epsilon, close_pairs, pair_accuracies
from newsdesk.studies.correlate.tables import Aligned

ITEMS, SYSTEMS, SAMPLES = 6, 3, 4_000


def aligned(seed: int) -> Aligned:
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(ITEMS, SYSTEMS))
    metrics = np.stack([human + rng.normal(size=human.shape), rng.normal(size=human.shape)])
    items, systems = tuple(map(str, range(ITEMS))), tuple("abc")
    return Aligned("q", items, systems, ("one", "two"), ("", ""), human, metrics)


def exact_p(swapped: Callable[[Floats], float], units: int) -> float:
    """The share of all ways to swap two metrics' units whose statistic is at least as large as that of no swap."""
    observed = swapped(np.zeros(units))
    outcomes = [swapped(np.array(each)) for each in itertools.product((0.0, 1.0), repeat=units)]
    return float(np.mean(np.array(outcomes) >= observed - 1e-9))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_permutation_p_values_are_those_of_all_permutations(seed: int) -> None:
    study = aligned(seed)
    rows = [row_correlations(metric, study.human) for metric in study.metrics]
    per_item = {name: np.stack([row[name] for row in rows]) for name in COEFFICIENTS}
    ps = permutation_ps(study, per_item, [(0, 1)], samples=SAMPLES, seed=1)
    for coefficient in ("pearson", "spearman"):
        apart = per_item[coefficient][0] - per_item[coefficient][1]  # items
        flat = study.metrics.reshape(2, -1), study.human.ravel()
        if coefficient == "spearman":
            flat = stats.rankdata(flat[0], axis=1), stats.rankdata(flat[1])
        one, two = stats.zscore(flat[0], axis=1).reshape(2, ITEMS, SYSTEMS)
        human = flat[1]

        def of_items(chosen: Floats, apart: Floats = apart) -> float:
            return abs(float(((1 - 2 * chosen) * apart).sum()))

        def pooled(
            chosen: Floats, one: Floats = one, two: Floats = two, human: Floats = human
        ) -> float:
            swap = chosen[:, None] > 0
            first, second = np.where(swap, two, one).ravel(), np.where(swap, one, two).ravel()
            return abs(np.corrcoef(first, human)[0, 1] - np.corrcoef(second, human)[0, 1])

        assert ps["item", coefficient][0] == pytest.approx(exact_p(of_items, ITEMS), abs=0.03)
        assert ps["pooled", coefficient][0] == pytest.approx(exact_p(pooled, ITEMS), abs=0.03)


def test_no_permutation_p_value_is_zero() -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=(40, 5))
    items, systems = tuple(map(str, range(40))), tuple("abcde")
    metrics = np.stack([human + 0.1 * rng.normal(size=human.shape), -human])
    study = Aligned("q", items, systems, ("one", "two"), ("", ""), human, metrics)
    rows = [row_correlations(metric, study.human) for metric in study.metrics]
    per_item = {name: np.stack([row[name] for row in rows]) for name in COEFFICIENTS}
    ps = permutation_ps(study, per_item, [(0, 1)], samples=99, seed=1)
    levels: tuple[Level, ...] = ("pooled", "item")
    assert [ps[level, "pearson"][0] for level in levels] == [0.01, 0.01]


def compared(level: Level, p: float) -> MetricDifference:
    return MetricDifference(
        first="one", second="two", difference=0.1, p=p, p_corrected=p, n=9,
        human="q", level=level, coefficient="pearson", test="permutation",
    )  # fmt: skip


def test_p_values_are_corrected_within_their_level() -> None:
    tests = [compared("item", 0.01), compared("pooled", 0.03), compared("item", 0.04)]
    assert [each.p_corrected for each in corrected_by_family(tests, "holm")] == [0.02, 0.03, 0.04]
    assert [each.p_corrected for each in corrected_by_family(tests, "bonferroni")] == [
        0.02,
        0.03,
        0.08,
    ]
    assert [each.p for each in corrected_by_family(tests, "holm")] == [0.01, 0.03, 0.04]


@pytest.mark.parametrize(
    ("needed", "more"), [(149.5, 50), (100.2, 1), (100.0 - 1e-6, 0), (30.0, 0)]
)
def test_the_items_needed_find_the_difference_at_five_percent_with_a_power_of_eighty(
    needed: float, more: int
) -> None:
    difference = 0.1
    # The error at which `needed` items in place of 100 leave a difference its two quantiles above 0.
    error = difference * np.sqrt(needed / 100) / (stats.norm.ppf(0.975) + stats.norm.ppf(0.8))
    draws = difference + error * np.array([-1.0, 1.0, np.nan]) / np.sqrt(2)  # ddof=1
    assert items_needed(difference, draws, 100) == more
    assert items_needed(-difference, -draws, 100) == more


def test_what_no_number_of_items_shows_is_none() -> None:
    draws = np.array([-0.1, 0.1])
    assert items_needed(0.0, draws, 100) is None
    assert items_needed(1e-8, draws, 100) is None
    assert items_needed(0.1, np.array([0.1, np.nan]), 100) is None


def test_a_percentile_interval_ends_at_its_quantiles_low_first() -> None:
    draws = np.arange(1_001.0)
    assert ends(draws, level=0.9) == pytest.approx((50, 950))
    tail = widened_tail(50)
    assert ends(draws, "widened", units=50) == pytest.approx((1_000 * tail, 1_000 * (1 - tail)))


def test_of_thresholds_that_agree_equally_well_the_smallest_is_taken() -> None:
    people, metric = np.array([[0.0, 1.0, 0.0]]), np.array([[0.1, 0.5, 0.6]])
    assert best_epsilon(people, metric) == 0.1


def test_a_difference_at_the_threshold_is_a_tie() -> None:
    human = np.tile([1.0, 1.0, 2.0], (4, 1))
    metric = np.tile([0.25, 0.5, 2.0], (4, 1))
    study = Aligned("q", tuple("wxyz"), tuple("abc"), ("m",), ("",), human, metric[None])
    (row,) = pair_accuracies(study, samples=100, seed=0)
    assert (row.epsilon, row.n, row.ties) == (0.25, 12, 1 / 3)
    assert row.accuracy == pytest.approx(2 / 3)
    assert row.calibrated == 1.0


def test_a_threshold_is_chosen_on_other_items_than_those_it_is_applied_to() -> None:
    # Equal differences of the metric, a tie for people in one item and an order in the other: a threshold that suits one fails the other.
    human, metric = np.array([[1.0, 1.0], [2.0, 1.0]]), np.array([[2.0, 1.0], [2.0, 1.0]])
    study = Aligned("q", ("i", "j"), ("a", "b"), ("m",), ("",), human, metric[None])
    (row,) = pair_accuracies(study, samples=100, seed=0)
    assert (row.accuracy, row.calibrated) == (0.5, 0.0)


def test_close_pairs_are_those_that_the_metric_puts_nearest() -> None:
    metric, human = np.tile([0.0, 1.0, 2.0, 10.0], (5, 1)), np.tile([3.0, 2.0, 1.0, 4.0], (5, 1))
    study = Aligned("q", tuple("vwxyz"), tuple("abcd"), ("m",), ("",), human, metric[None])
    nearest, half, every = close_pairs(study, samples=100, seed=0)
    assert (nearest.share, nearest.tau, nearest.apart, nearest.n) == (0.25, -1.0, 2.0, 3)
    assert (half.tau, half.n) == (-1.0, 3)
    assert (every.share, every.tau, every.apart, every.n) == (1.0, 0.0, 10.0, 6)
