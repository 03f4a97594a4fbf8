"""Ridge logistic regression on vote counts with fixed offsets, signs and a prior, the length curve that gives the offsets, and calibration.

The curve is fitted first, alone, and stays fixed: the features explain only what length does not. With votes it is the
monotone (isotonic) rate of yes given the logarithm of the length, smoothed; from pairs of comments it is one slope.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.rankers.evaluation.length_control import monotone_rate

_STEPS = 100  # of Newton's method
_CONVERGED = 1e-7  # largest change of a weight
_HALVINGS = 40  # of a step
# A weight this near to zero may be set to zero; a loss may rise by so much in rounding.
_NEAR_ZERO, _ROUNDING = 1e-3, 1e-13
# A rate of 0 or 1 among a few comments is clipped.
_LEAST_RATE = 0.02
# Decimals that do not depend on the number of BLAS threads.
_DECIMALS = 9
# The curve is averaged with triangular weights over this much of log length to either side, on a grid.
_SMOOTHING, _GRID = 0.3, 0.05
# Below the shortest training length a line keeps this share of its slope: "lol" is worse than a sentence, but how much nobody has told.
_BEYOND = 0.5
# The slope of a calibration is shrunk towards 1 by this ridge.
_PLATT_RIDGE = 4.0
# A calibration error is that of so many bins, of so many comments at least.
_BINS, _LEAST_IN_BIN = 10, 20


def ridge_logistic(
    matrix: Floats,  # items × columns
    yes: Floats,  # items
    votes: Floats,  # items
    offset: Floats,  # items: log-odds that are fixed
    ridge: Floats,  # columns
    prior: Floats | None = None,  # columns
    signs: Floats | None = None,  # columns: −1, 0 or 1
) -> Floats:
    """Return the weights of a logistic regression with a ridge towards a prior.

    They minimize the deviance of `yes` of `votes` plus ½ Σ ridge · (weight − prior)², by the projected Newton
    method (Bertsekas 1982).

    A weight whose entry in `signs` is not 0 never gets the other sign. Weights at zero, or nearly so, that the gradient pulls to the wrong side are set to zero and left out of a step; a
    step that would not lessen the loss is halved.
    """
    centre = np.zeros(matrix.shape[1]) if prior is None else prior  # columns
    sides = np.zeros(len(centre)) if signs is None else signs  # columns

    def loss(weights: Floats) -> float:
        odds = matrix @ weights + offset  # items
        return float(
            votes @ np.logaddexp(0, odds) - yes @ odds + ridge @ (weights - centre) ** 2 / 2
        )

    weights = _allowed(centre, sides)
    for _ in range(_STEPS):
        rate = sigmoid(matrix @ weights + offset)  # items: expected share of yes
        gradient = matrix.T @ (votes * rate - yes) + ridge * (weights - centre)  # columns
        # Columns at zero whose gradient pulls them to the wrong side take no part in this step.
        gradient_step = np.abs(_allowed(weights - gradient, sides) - weights).max(initial=0)
        at_zero = np.abs(weights) <= min(_NEAR_ZERO, gradient_step)
        free = ~((sides != 0) & at_zero & (sides * gradient >= 0))  # columns
        inside = matrix[:, free]  # items × free columns
        curvature = (inside * (votes * rate * (1 - rate))[:, None]).T @ inside  # free × free
        step = weights.copy()  # so that the other columns step to zero
        step[free] = np.linalg.solve(curvature + np.diag(ridge[free]), gradient[free])
        moved = _lessened(loss, weights, step, sides)
        change, weights = np.abs(moved - weights).max(initial=0.0), moved
        if change < _CONVERGED:
            break
    return np.round(weights, _DECIMALS)


def _lessened(
    loss: Callable[[Floats], float], weights: Floats, step: Floats, sides: Floats
) -> Floats:
    """Return the weights after the largest step that does not raise the loss.

    The whole step is tried, then its half, its quarter and so on.
    """
    before = loss(weights)
    most = before + _ROUNDING * (1 + abs(before))
    for halvings in range(_HALVINGS):
        moved = _allowed(weights - step / 2**halvings, sides)
        if loss(moved) <= most:
            return moved
    return weights


def _allowed(weights: Floats, sides: Floats) -> Floats:
    """Return the weights with those of the wrong sign set to zero."""
    return np.where((sides != 0) & (weights * sides < 0), 0.0, weights)


@dataclass(frozen=True, slots=True, eq=False)
class LengthCurve:
    """The log-odds by length alone, interpolated linearly between points."""

    logs: Floats  # points, rising
    odds: Floats  # points

    @classmethod
    def of_votes(cls, logs: Floats, yes: Floats, votes: Floats) -> LengthCurve:
        """Return the monotone rate of yes given log length, rising or falling as the votes do, smoothed."""
        points, rate, _ = monotone_rate(logs, yes, votes)  # lengths
        level = np.clip(rate, _LEAST_RATE, 1 - _LEAST_RATE)
        return cls(points, np.log(level / (1 - level))).smoothed()

    @classmethod
    def of_slope(cls, logs: Floats, slope: float) -> LengthCurve:
        """Return a straight line over the range of the training lengths, zero at their mean.

        Below the shortest one it falls half as fast, down to one character.
        """
        ends = np.array([logs.min(), logs.max() + 1.0])  # 2
        odds = slope * (ends - logs.mean())
        if ends[0] <= 0:
            return cls(ends, odds)
        shortest = odds[0] - _BEYOND * slope * ends[0]
        return cls(np.insert(ends, 0, 0.0), np.insert(odds, 0, shortest))

    def smoothed(self) -> LengthCurve:
        """Return the curve without steps, so that a word more or less never changes a score much."""
        first, last = self.logs[0] - _SMOOTHING, self.logs[-1] + _SMOOTHING
        grid = np.linspace(first, last, max(int(np.ceil((last - first) / _GRID)), 2))  # points
        near = np.maximum(_SMOOTHING - np.abs(grid[:, None] - grid[None, :]), 0.0)  # grid × grid
        odds = near @ self(grid) / near.sum(axis=1)
        return LengthCurve(grid, np.round(odds, _DECIMALS))

    def shifted(self, slope: float, bias: float) -> LengthCurve:
        """Return the curve with all log-odds multiplied and moved."""
        return LengthCurve(self.logs, slope * self.odds + bias)

    def __call__(self, logs: Floats) -> Floats:
        """Return the log-odds at log lengths; constant beyond the range of the training lengths."""
        return np.interp(logs, self.logs, self.odds)


def sigmoid(odds: Floats) -> Floats:
    """Return the probability of log-odds, without overflow."""
    return 0.5 * (1 + np.tanh(odds / 2))


def platt_scaling(scores: Floats, yes: Floats, votes: Floats) -> tuple[float, float]:
    """Return slope and bias of Platt scaling (Platt 1999) from scores to the log-odds of a yes.

    The slope is shrunk towards 1, so that a few comments cannot invert the order.
    """
    centre = float(scores.mean())
    slope_and_bias = np.array([1.0, 0.0])
    slope, bias = ridge_logistic(
        np.column_stack([scores - centre, np.ones(len(scores))]),  # comments × 2
        yes,
        votes,
        offset=np.zeros(len(scores)),
        ridge=np.array([_PLATT_RIDGE, 1e-3]),
        prior=slope_and_bias,
        signs=slope_and_bias,
    )
    return float(slope), float(bias - slope * centre)


def calibration_error(probability: Floats, shares: Floats) -> float:
    """Return the mean distance of predicted and cast shares over bins of equal size.

    There are ten bins, fewer where they would have less than 20 comments.
    """
    bins = min(max(len(shares) // _LEAST_IN_BIN, 1), _BINS)
    parts = np.array_split(np.argsort(probability, kind="stable"), bins)
    gaps = [abs(probability[part].mean() - shares[part].mean()) for part in parts]
    return float(np.mean(gaps))
