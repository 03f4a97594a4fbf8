"""Minimizes ½ w·w + C · loss(X w) by a truncated Newton method, as liblinear does (Lin, Weng and Keerthi, 2008).

Each step solves the Newton equation by conjugate gradients, preconditioned by the Hessian's diagonal, to a tolerance of a tenth, and backtracks
until the objective falls enough. The line search moves in scores, X w + t X s, and needs no product with X.

We stop when the predicted fall of the objective is below `tolerance` of its value. A bound on the gradient, which liblinear uses, stops ten
times too high when one column (the number of words) is much larger than the others.
"""

from __future__ import annotations

import logging
from typing import Protocol

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats

_log = logging.getLogger(__name__)

_CG_TOLERANCE = 0.1
_CG_STEPS = 500
_ENOUGH_FALL = 1e-4
_SMALLEST_STEP = 1e-10


class State(Protocol):
    """A convex loss evaluated at some scores."""

    @property
    def value(self) -> float:
        """The value of the loss."""
        ...

    @property
    def gradient(self) -> Floats:
        """The gradient with respect to the scores."""
        ...

    @property
    def weights(self) -> Floats:
        """An upper bound of the diagonal of its Hessian."""
        ...

    def curvature(self, direction: Floats) -> Floats:
        """The product of the Hessian and a direction."""
        ...


class Loss(Protocol):
    """A convex loss of one score per comment."""

    def at(self, scores: Floats) -> State:
        """Evaluate the loss at these scores."""
        ...


def minimize(
    matrix: sparse.csr_array,
    loss: Loss,
    cost: float,
    *,
    start: Floats | None = None,
    tolerance: float = 1e-5,
    max_steps: int = 200,
) -> Floats:
    """The minimizing weights, one per column of the matrix."""
    weights = np.zeros(matrix.shape[1]) if start is None else start
    scores = matrix @ weights
    state = loss.at(scores)
    value = _dot(weights, weights) / 2 + cost * state.value
    squares = matrix.power(2).T
    for _ in range(max_steps):
        gradient = weights + cost * (matrix.T @ state.gradient)
        scale = 1 / (1 + cost * (squares @ state.weights))
        direction = _newton_direction(matrix, state, cost, gradient, scale)
        slope = _dot(gradient, direction)
        if slope >= 0:  # only rounding errors are left
            break
        along = matrix @ direction
        length = 1.0
        while True:
            tried = weights + length * direction
            tried_state = loss.at(scores + length * along)
            tried_value = _dot(tried, tried) / 2 + cost * tried_state.value
            if tried_value <= value + _ENOUGH_FALL * length * slope:
                break
            length /= 2
            if length < _SMALLEST_STEP:
                return weights
        weights, scores, state, value = tried, scores + length * along, tried_state, tried_value
        if -slope <= 2 * tolerance * value:
            break
    else:
        _log.warning("not at the minimum after %d Newton steps at cost %g", max_steps, cost)
    return weights


def _newton_direction(
    matrix: sparse.csr_array, state: State, cost: float, gradient: Floats, scale: Floats
) -> Floats:
    """Solve Hessian · direction = -gradient approximately by conjugate gradients."""
    direction = np.zeros_like(gradient)
    residual = -gradient
    scaled = scale * residual
    search = scaled
    size = first_size = _dot(residual, scaled)
    for _ in range(_CG_STEPS):
        if size <= _CG_TOLERANCE**2 * first_size:
            break
        image = search + cost * (matrix.T @ state.curvature(matrix @ search))
        step = size / _dot(search, image)
        direction = direction + step * search
        residual = residual - step * image
        scaled = scale * residual
        size, old_size = _dot(residual, scaled), size
        search = scaled + (size / old_size) * search
    return direction


def _dot(first: Floats, second: Floats) -> float:
    """The dot product, without BLAS, whose last bits depend on the number of threads."""
    return float(np.einsum("i,i->", first, second))
