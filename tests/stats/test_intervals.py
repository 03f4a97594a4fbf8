"""Intervals over few systems, where coefficients have few values, and the tests over systems: they keep their level."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from newsdesk.stats.coefficients import COEFFICIENTS, Coefficient, row_correlations
from newsdesk.stats.intervals import ends, inverted_ends
from newsdesk.studies.correlate.between import permutation_ps
from newsdesk.studies.correlate.study import (
    CorrelateSettings,
    correlations_of,
    study_question,
    system_errors,
)
from newsdesk.studies.correlate.tables import Aligned, HumanScores, MetricScores


def test_an_inverted_test_covers_the_truth_of_a_normal_distribution() -> None:
    rng = np.random.default_rng(0)
    rho, runs = 0.6, 400
    x, other = rng.normal(size=(2, runs, 6))
    values = row_correlations(x, rho * x + np.sqrt(1 - rho**2) * other)
    truth: dict[Coefficient, float] = {
        "spearman": 6 / np.pi * np.arcsin(rho / 2),
        "kendall": 2 / np.pi * np.arcsin(rho),
    }
    for name in truth:
        ends = [inverted_ends(name, value, 6) for value in values[name].tolist()]
        held = np.mean([low <= truth[name] <= high for low, high in ends])
        assert 0.925 <= held <= 0.985
        assert all(low <= high for low, high in ends)


def test_an_inverted_interval_mirrors_with_the_sign_and_opens_at_perfect_order() -> None:
    low, high = inverted_ends("kendall", 1.0, 5)
    assert high == 1.0 and 0.2 < low < 0.9
    mirrored = inverted_ends("kendall", -1.0, 5)
    assert mirrored[0] == -1.0 and mirrored[1] == pytest.approx(-low, abs=0.08)
    assert inverted_ends("spearman", 0.0, 4)[1] > 0.7


def test_an_interval_of_few_values_ends_at_values_and_holds_the_estimate() -> None:
    draws = np.repeat([0.2, 0.4, 0.8, 1.0], [2, 18, 70, 10])
    assert ends(draws, "stepped", value=0.8, units=10_000) == (0.4, 1.0)
    assert ends(draws, "stepped", value=0.1, units=10_000) == (0.1, 1.0)
    assert ends(np.full(10, np.nan), "stepped", value=0.5, units=50) is None


def test_an_interval_on_fishers_scale_is_symmetric_there_with_the_error_of_the_draws() -> None:
    draws = np.tanh(np.random.default_rng(0).normal(np.arctanh(0.6), 0.2, 500))
    reach = stats.t.ppf(0.975, 39) * np.sqrt(40 / 39) * np.arctanh(draws).std(ddof=1)
    expected = np.tanh(np.arctanh(0.7) + np.array([-reach, reach]))
    assert ends(draws, "fisher", value=0.7, units=40) == pytest.approx(tuple(expected))


def test_the_error_of_systems_is_that_of_leaving_each_of_them_out() -> None:
    rng = np.random.default_rng(3)
    human, noise = rng.normal(size=(2, 12, 5))
    metric = human + noise
    items, systems = tuple(map(str, range(12))), tuple("abcde")
    study = Aligned("q", items, systems, ("m",), ("",), human, metric[None])
    left = [[system for system in range(5) if system != out] for out in range(5)]
    z = np.arctanh([stats.pearsonr(metric[:, x].ravel(), human[:, x].ravel()).statistic for x in left])  # fmt: skip
    (error,) = system_errors(study)["pooled", "pearson"]
    assert error == pytest.approx(np.sqrt(4 / 5 * ((z - z.mean()) ** 2).sum()))


def test_the_errors_over_systems_are_those_of_fieller_and_of_bonett() -> None:
    # Pearson 1 / (n − 3), Spearman (1 + ρ² / 2) / (n − 3) (Bonett and Wright 2000), Kendall .437 / (n − 4) (Fieller et al. 1957).
    human, metric = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2.0, 1.0, 3.0, 4.0, 6.0, 5.0]])[
        :, None
    ]
    study = Aligned("q", ("i",), tuple("abcdef"), ("m",), ("",), human, metric[None])
    errors = system_errors(study)
    rho = stats.spearmanr(human[0], metric[0]).statistic
    assert errors["system", "pearson"] == pytest.approx((np.sqrt(1 / 3),))
    assert errors["system", "spearman"] == pytest.approx((np.sqrt((1 + rho**2 / 2) / 3),))
    assert errors["system", "kendall"] == pytest.approx((np.sqrt(0.437 / 2),))


def test_kendall_over_four_systems_has_an_interval_for_other_systems() -> None:
    rng = np.random.default_rng(1)
    keys = [(str(item), name) for item in range(30) for name in "abcd"]
    quality = {"a": 0.0, "b": 0.5, "c": 1.0, "d": 1.5}
    human = HumanScores("q", {key: (quality[key[1]] + rng.normal(),) for key in keys})
    metric = MetricScores("m", {key: quality[key[1]] + rng.normal() for key in keys}, "m")
    settings = CorrelateSettings(samples=200, resample="both")
    rows = correlations_of(study_question(human, [metric], settings), settings)
    (system,) = [row for row in rows if row.level == "system"]
    assert all(system.coefficient(name).ci is not None for name in COEFFICIENTS)


def test_the_permutation_test_over_systems_keeps_its_level() -> None:
    """Plain differences of correlations reject in about 7.5 % of such studies; the long form is `python -m research metric_tests`."""
    rejected, runs, systems = 0, 600, 8
    for run in range(runs):
        rng = np.random.default_rng(run)
        quality = rng.normal(0, 0.5, systems)
        human, *metrics = quality + rng.normal(0, 0.12, (3, systems))
        study = Aligned("q", ("i",), tuple("abcdefgh"), ("m", "n"), ("", ""), human[None], np.array(metrics)[:, None])  # fmt: skip
        per_item = {name: np.zeros((2, 1)) for name in COEFFICIENTS}
        ps = permutation_ps(study, per_item, [(0, 1)], samples=200, seed=run)
        rejected += ps["system", "pearson"][0] < 0.05
    assert rejected / runs <= 0.06
