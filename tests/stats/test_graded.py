"""The graded model: its likelihood and derivatives against numerical ones, planted annotators found again, intervals in simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.stats.graded import _Grades, graded_model

CUTS = np.array([-1.2, -0.3, 0.5, 1.3])
BIAS = np.array([0.7, 0.2, 0.0, -0.1, -0.8])
NOISE = np.array([0.4, 0.6, 0.7, 0.9, 1.6])


def grades(seed: int, items: int, per_item: int = 3) -> Floats:
    """Simulated grades: annotators × targets, nan where there is none."""
    rng = np.random.default_rng([seed, items])
    values = np.full((len(BIAS), items), np.nan)
    for item, quality in enumerate(rng.normal(size=items).tolist()):
        for who in rng.permutation(len(BIAS))[:per_item].tolist():
            seen = quality + BIAS[who] + NOISE[who] * rng.normal()
            values[who, item] = 1 + np.searchsorted(CUTS, seen)
    return values


def test_the_likelihood_is_that_of_the_formula() -> None:
    values = grades(0, 6)
    table = _Grades.of(values, [1, 2, 3, 4, 5])
    parameters = np.concatenate([CUTS[:1], np.log(np.diff(CUTS)), BIAS, np.log(NOISE)])
    bounds = np.concatenate([[-np.inf], CUTS, [np.inf]])
    total = 0.0
    for column in values.T:
        given = [(who, int(grade) - 1) for who, grade in enumerate(column) if grade == grade]

        def density(quality: float, given: list[tuple[int, int]] = given) -> float:
            chances = [
                stats.norm.cdf((bounds[k + 1] - quality - BIAS[who]) / NOISE[who])
                - stats.norm.cdf((bounds[k] - quality - BIAS[who]) / NOISE[who])
                for who, k in given
            ]
            return float(stats.norm.pdf(quality) * np.prod(chances))

        total += np.log(integrate.quad(density, -8, 8)[0])
    deviation = np.log(NOISE) - np.log(NOISE).mean()
    prior = ((BIAS**2).sum() + (deviation**2).sum() / 0.25) / 2
    loss, gradient = table.loss(parameters)
    assert loss == pytest.approx(prior - total, abs=5e-3)  # a grid of 25 nodes
    numerical = optimize.approx_fprime(parameters, lambda each: table.loss(each)[0], 1e-6)
    np.testing.assert_allclose(gradient, numerical, atol=1e-4)


def test_planted_annotators_are_found_again() -> None:
    model = graded_model(grades(1, 800), levels=[1, 2, 3, 4, 5])
    assert np.abs(model.bias - (BIAS - BIAS.mean())).max() < 0.15
    assert np.abs(np.log(model.noise / NOISE)).max() < 0.3


def test_a_strict_annotator_lowers_nobody() -> None:
    # The strictest grades the first half, the mildest the second, and two others all: as given the halves differ.
    rng = np.random.default_rng(2)
    quality = rng.normal(size=300)
    values = np.full((4, 300), np.nan)
    for who, bias, part in ((0, -1.0, slice(0, 150)), (1, 1.0, slice(150, 300)), (2, 0.0, slice(0, 300)), (3, 0.0, slice(0, 300))):  # fmt: skip
        seen = quality[part] + bias + 0.5 * rng.normal(size=len(quality[part]))
        values[who, part] = 1 + np.searchsorted(CUTS, seen)
    model = graded_model(values, levels=[1, 2, 3, 4, 5])
    halves = np.arange(300) < 150
    given = np.nanmean(values[:, 150:]) - np.nanmean(values[:, :150])
    first, second = model.mean(halves)[0], model.mean(~halves)[0]
    truth = quality[150:].mean() - quality[:150].mean()
    assert given > 0.4
    assert abs(second - first - truth) < 0.2


def test_intervals_cover_in_simulated_campaigns() -> None:
    """The long form, 1,000 campaigns at three sizes, is `python -m bench protocols`."""
    covered = []
    for seed in range(25):
        model = graded_model(grades(seed, 40), levels=[1, 2, 3, 4, 5])
        truth = BIAS - BIAS.mean()
        covered += ((model.bias_ci[:, 0] <= truth) & (truth <= model.bias_ci[:, 1])).tolist()
    assert np.mean(covered) > 0.88


@pytest.mark.parametrize(
    ("values", "levels", "reason"),
    [
        ([[1, 7]], [1, 2, 3], "a grade is 7"),
        ([[1, 2]], [1], "takes 2 to 12"),
        ([[1, float("nan")]], [1, 2], "every target needs a grade"),
    ],
)
def test_grades_that_do_not_fit_are_refused(values: Any, levels: list[int], reason: str) -> None:
    with pytest.raises(ArgumentError, match=reason):
        graded_model(values, levels=levels)


def test_an_empty_choice_has_no_mean_and_one_item_no_interval() -> None:
    model = graded_model(grades(3, 10), levels=[1, 2, 3, 4, 5], groups=["one"] * 10)
    assert model.mean()[1] is None
    with pytest.raises(ArgumentError, match="no target was chosen"):
        model.mean(np.zeros(10, dtype=bool))
