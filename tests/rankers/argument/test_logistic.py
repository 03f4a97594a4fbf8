"""The regression under the ranker `argument`: the minimum that a general optimizer finds, with and without signs and a prior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from newsdesk.arrays import Floats
from newsdesk.rankers.argument.logistic import LengthCurve, ridge_logistic, sigmoid

RIDGE = np.array([0.1, 1.0, 10.0, 100.0, 1.0, 3.0])


def votes_of(seed: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Features, yes, votes and offsets at random; the features are correlated, so that signs bind."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(60, 6)) + rng.normal(size=(60, 1))
    votes = rng.integers(1, 6, 60).astype(float)
    yes = rng.binomial(votes.astype(int), 0.4).astype(float)
    return matrix, yes, votes, rng.normal(size=60)


def peer(seed: int, prior: Floats, signs: Floats) -> Floats:
    """The same minimum by L-BFGS-B with bounds, from scipy."""
    matrix, yes, votes, offset = votes_of(seed)

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = matrix @ weights + offset
        away = weights - prior
        value = np.sum(votes * np.logaddexp(0, odds) - yes * odds) + RIDGE @ away**2 / 2
        return float(value), matrix.T @ (votes * sigmoid(odds) - yes) + RIDGE * away

    bounds = [(0, None) if sign > 0 else (None, 0) if sign < 0 else (None, None) for sign in signs]
    options = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-10}
    best = minimize(loss, np.zeros(6), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(best.x)


@pytest.mark.parametrize("seed", range(8))
def test_ridge_logistic_equals_a_bounded_optimizer(seed: int) -> None:
    matrix, yes, votes, offset = votes_of(seed)
    rng = np.random.default_rng(100 + seed)
    signs = rng.integers(-1, 2, 6).astype(float)
    prior = np.where(signs == 0, rng.normal(size=6), signs * rng.random(6))
    for own_prior, own_signs in ((prior, signs), (np.zeros(6), signs), (prior, np.zeros(6))):
        weights = ridge_logistic(matrix, yes, votes, offset, RIDGE, own_prior, own_signs)
        np.testing.assert_allclose(weights, peer(seed, own_prior, own_signs), atol=2e-5)
        assert (weights * own_signs >= 0).all()


def test_signs_bind_somewhere_in_these_trials() -> None:
    zeros = 0
    for seed in range(8):
        signs = np.random.default_rng(100 + seed).integers(-1, 2, 6).astype(float)
        weights = ridge_logistic(*votes_of(seed), RIDGE, np.zeros(6), signs)
        zeros += int(((weights == 0) & (signs != 0)).sum())
    assert zeros > 3


def test_without_prior_and_signs_the_weights_start_from_zero() -> None:
    matrix, yes, votes, offset = votes_of(0)
    plain = ridge_logistic(matrix, yes, votes, offset, RIDGE)
    np.testing.assert_allclose(plain, peer(0, np.zeros(6), np.zeros(6)), atol=2e-5)
    stiff = ridge_logistic(matrix, yes, votes, offset, np.full(6, 1e9), np.arange(6.0))
    np.testing.assert_allclose(stiff, np.arange(6.0), atol=1e-4)


def test_the_curve_of_length_is_monotone_smooth_and_flat_outside() -> None:
    rng = np.random.default_rng(1)
    logs = np.log(rng.integers(5, 900, 500))
    votes = np.full(500, 5.0)
    yes = rng.binomial(5, sigmoid(1.5 * (logs - 5))).astype(float)
    curve = LengthCurve.of_votes(logs, yes, votes)
    grid = np.linspace(0, 10, 1000)
    steps = np.diff(curve(grid))
    assert (steps >= -1e-9).all()
    assert steps.max() < 0.1
    assert curve(np.array([0.0]))[0] == curve(np.array([curve.logs.min()]))[0]
    assert curve(np.array([6.0]))[0] == pytest.approx(1.5, abs=0.6)
    falling = LengthCurve.of_votes(logs, votes - yes, votes)
    np.testing.assert_allclose(falling(grid), -curve(grid), atol=1e-8)


def test_a_line_of_length_goes_on_below_the_shortest_training_length() -> None:
    curve = LengthCurve.of_slope(np.log([50.0, 200.0, 800.0]), 2.0)
    one, word, sentence, shortest, double = curve(np.log([1.0, 3.0, 30.0, 50.0, 100.0]))
    assert one < word < sentence < shortest < double
    assert double - shortest == pytest.approx(2 * np.log(2))
    assert shortest - sentence == pytest.approx(np.log(50 / 30))  # half the slope
