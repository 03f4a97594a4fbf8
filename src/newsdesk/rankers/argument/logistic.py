"""Ridge logistic regression on vote counts with fixed offsets, and the length curve that gives the offsets.

The curve is fitted first, alone, and stays fixed: the features explain only what length does not. With votes it is the
monotone (isotonic) rate of yes given the logarithm of the length; from pairs of comments it is one slope.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats

_STEPS = 30
_ENOUGH = 1e-6
# A rate of 0 or 1 among a few comments is clipped.
_LEAST_RATE = 0.02
# Decimals that do not depend on the number of BLAS threads.
_DECIMALS = 9


def ridge_logistic(
    matrix: Floats, yes: Floats, votes: Floats, offset: Floats, ridge: Floats
) -> Floats:
    """The weights that minimize the deviance of `yes` of `votes` plus ½ Σ ridge · weight², by Newton's method."""
    weights = np.zeros(matrix.shape[1])
    for _ in range(_STEPS):
        rate = sigmoid(matrix @ weights + offset)
        gradient = matrix.T @ (votes * rate - yes) + ridge * weights
        curvature = (matrix * (votes * rate * (1 - rate))[:, None]).T @ matrix
        step = np.linalg.solve(curvature + np.diag(ridge), gradient)
        weights = weights - step
        if np.abs(step).max(initial=0.0) < _ENOUGH:
            break
    return np.round(weights, _DECIMALS)


@dataclass(frozen=True, slots=True, eq=False)
class LengthCurve:
    """The log-odds by length alone, interpolated linearly between points."""

    logs: Floats
    odds: Floats

    @classmethod
    def of_votes(cls, logs: Floats, yes: Floats, votes: Floats) -> LengthCurve:
        """The monotone rate of yes given log length, rising or falling as the votes do."""
        from scipy.optimize import isotonic_regression

        points, group = np.unique(logs, return_inverse=True)
        weight = np.bincount(group, votes)
        rate = np.bincount(group, yes) / weight
        slope = np.sum(weight * (points - np.average(points, weights=weight)) * rate)
        level = isotonic_regression(rate, weights=weight, increasing=bool(slope >= 0)).x
        level = np.clip(level, _LEAST_RATE, 1 - _LEAST_RATE)
        # Of a constant stretch only its ends are needed.
        inner = np.zeros(len(points), dtype=bool)
        inner[1:-1] = (level[1:-1] == level[:-2]) & (level[1:-1] == level[2:])
        return cls(points[~inner], np.log(level / (1 - level))[~inner])

    @classmethod
    def of_slope(cls, logs: Floats, slope: float) -> LengthCurve:
        """A straight line over the range of the training lengths."""
        ends = np.array([logs.min(), logs.max() + 1.0])
        return cls(ends, slope * ends)

    def __call__(self, logs: Floats) -> Floats:
        """The log-odds at log lengths; constant beyond the range of the training lengths."""
        return np.interp(logs, self.logs, self.odds)


def sigmoid(odds: Floats) -> Floats:
    """The probability of log-odds, without overflow."""
    return 0.5 * (1 + np.tanh(odds / 2))
