"""Fit linear rankers: a Newton solver, the loss of all pairs of an article, and the search for a cost.

Minimizes ½ w·w + C · loss(X w) by a truncated Newton method, as liblinear does (Lin, Weng and Keerthi, 2008).

Each step solves the Newton equation by conjugate gradients, preconditioned by the Hessian's diagonal, to a tolerance of a tenth, and backtracks
until the objective falls enough. The line search moves in scores, X w + t X s, and needs no product with X.

We stop when the predicted fall of the objective is below `tolerance` of its value. A bound on the gradient, which liblinear uses, stops ten
times too high when one column (the number of words) is much larger than the others.

The L2-loss of all pairs of comments of one article, without forming a pair: Lee and Lin (2014), "Large-scale linear rankSVM".

The loss is the sum of max(0, 1 - (z_i - z_j))² over pairs of one article with gain_i > gain_j, for scores z. A pair counts while its
margin is below 1. Per comment only two things are needed: how many such pairs it is in, and the sum of the partners' scores. Lee and
Lin find both with order-statistic trees in O(n log k) for k different gains. We do the same with arrays: comments stand in the order of
their scores, a wavelet matrix (Claude and Navarro, 2012) sorts them by one bit of their gain after the other, and on each level a sum
over partners is the difference of two prefix sums. The places of those prefix sums are stored, so that a product with the Hessian is one pass
of cumulative sums per level.

Gains that agree after rounding to 1e-9 are equal and give no pair.

Search for the cost C of a linear ranker: the grid of Fujita et al. (2019), extended where its best value is at an end.

The paper tries 2⁻¹³ … 2⁰. The effect of a cost depends on the number of pairs: the best cost for two million is a twentieth of that for eighty thousand.
So where the best value is the first or the last of the grid, the search goes on from there by factors of two until the dev NDCG no longer rises,
at most `BEYOND` times.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints, rounded


@dataclass(frozen=True, slots=True, eq=False)
class WaveletLevel:
    """One level of the wavelet matrix: the comments sorted by one bit of their gain.

    Beside them where each comment's partners begin and end.
    """

    order: Ints  # comments, as they stand on this level
    first: Ints  # comments: where the partners begin
    last: Ints  # comments: where they end


@dataclass(frozen=True, slots=True, eq=False)
class PairState:
    """The loss at some scores, with its gradient and curvature."""

    value: float
    gradient: Floats  # comments
    weights: Floats  # comments: an upper bound of the Hessian's diagonal
    _order: Ints  # comments by article and score
    _levels: tuple[WaveletLevel, ...]

    def curvature(self, direction: Floats) -> Floats:
        """Return the product of the (generalized) Hessian and a direction."""
        return 2 * _laplacian(direction, self.weights / 2, self._order, self._levels)


class PairLoss:
    """The squared hinge loss over pairs of comments that differ in gain.

    `gains` and `articles` have an entry per comment, and comments come grouped by article. What no score changes is computed at once: where
    each comment's article begins and ends, the grade of its gain within the article, and the number of pairs. `at` adds the loss.

    >>> loss = PairLoss(np.array([2.0, 1.0, 1.0]), np.array([0, 0, 0]))
    >>> loss.pairs, loss.at(np.array([1.0, 0.5, -3.0])).value
    (2, 0.25)
    """

    def __init__(self, gains: Floats, articles: NDArray[np.integer]) -> None:
        size = len(gains)
        starts = np.flatnonzero(np.diff(articles, prepend=articles[:1] - 1))  # (articles,)
        sizes = np.diff(starts, append=size)  # (articles,): how many comments each has
        # (comments,): the article of each, where that begins and ends, and which of its different gains the comment has, from 0.
        self._article = np.repeat(np.arange(len(starts)), sizes)
        self._start = np.repeat(starts, sizes)
        self._end = np.repeat(starts + sizes, sizes)
        self._grade = _dense_ranks(rounded(gains), self._article, self._start)
        self._grade_bits = int(self._grade.max(initial=0)).bit_length()
        # All pairs of an article, less those of equal gain.
        same = np.unique(np.stack([self._article, self._grade]), axis=1, return_counts=True)[1]
        self.pairs = (int((sizes**2).sum()) - int((same**2).sum())) // 2

    def at(self, scores: Floats) -> PairState:
        """Return the loss at these scores, in O(n log n)."""
        order, below, above = self._order(scores)
        grade = self._grade[order]
        count = len(order)
        # Partners of a better comment: worse ones from `low` to the article's end. Of a worse one: better ones from its start to `high`.
        low, low_end, high_start, high = below, self._end, self._start, above
        worse, better = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        levels = []
        placed, standing = order, grade
        for bit in reversed(range(self._grade_bits)):
            one = (standing >> bit) & 1  # comments as they stand: this bit of their gain
            # How many have no such bit up to each place.
            zeros = np.zeros(count + 1, dtype=np.int64)
            np.cumsum(1 - one, out=zeros[1:])
            # Where the ends of each comment's ranges move when zeros are put before ones.
            has_bit = ((grade >> bit) & 1).astype(bool)
            edges = (low, low_end, high_start, high)
            to_zeros = [zeros[edge] for edge in edges]
            to_ones = [
                zeros[-1] + edge - moved for edge, moved in zip(edges, to_zeros, strict=True)
            ]
            # On this level a comment with the bit set meets worse ones, among the zeros; one without it better ones, among the ones.
            low_in_zeros, low_end_in_zeros, _, _ = to_zeros
            _, _, high_start_in_ones, high_in_ones = to_ones
            first = np.where(has_bit, low_in_zeros, high_start_in_ones)
            last = np.where(has_bit, low_end_in_zeros, high_in_ones)
            worse += np.where(has_bit, last - first, 0)
            better += np.where(has_bit, 0, last - first)
            low, low_end, high_start, high = (
                np.where(has_bit, in_ones, in_zeros)
                for in_ones, in_zeros in zip(to_ones, to_zeros, strict=True)
            )
            # A stable partition by the bit is the order of the next level.
            moved = np.concatenate([np.flatnonzero(one == 0), np.flatnonzero(one)])
            placed, standing = placed[moved], standing[moved]
            levels.append(WaveletLevel(placed, first, last))
        return _state(scores, order, tuple(levels), worse, better)

    def _order(self, scores: Floats) -> tuple[Ints, Ints, Ints]:
        """Return comments sorted by article and score.

        For each the first place within the margin below, and the first beyond the margin above.
        """
        shifted = scores - scores.min(initial=0.0)
        # Articles are set apart by more than the reach of a margin, so that one sort and one search serve them all.
        keys = shifted + self._article * (shifted.max(initial=0.0) + 2)
        order = np.argsort(keys, kind="stable").astype(np.int64)
        keys = keys[order]
        below = np.searchsorted(keys, keys - 1, side="right").astype(np.int64)
        above = np.searchsorted(keys, keys + 1, side="left").astype(np.int64)
        return order, below, above


def _state(
    scores: Floats, order: Ints, levels: tuple[WaveletLevel, ...], worse: Ints, better: Ints
) -> PairState:
    """Evaluate the loss and its derivatives at some scores z.

    `worse` and `better` count the partners of each comment, in the order of `order`. With c_i partners and n active pairs, the loss is n - 2 Σ (worse_i - better_i) z_i + z·Lz, where (Lz)_i = c_i
    z_i - Σ_j z_j.
    """
    partners, balance = np.empty(len(scores)), np.empty(len(scores))
    partners[order] = worse + better
    balance[order] = worse - better
    spread = _laplacian(scores, partners, order, levels)
    value = float(worse.sum()) + float(np.sum(scores * (spread - 2 * balance)))
    return PairState(
        value=max(value, 0.0),
        gradient=2 * (spread - balance),
        weights=2 * partners,
        _order=order,
        _levels=levels,
    )


def _laplacian(
    values: Floats, partners: Floats, order: Ints, levels: tuple[WaveletLevel, ...]
) -> Floats:
    """Multiply values v with the graph Laplacian of the active pairs: c_i v_i less the sum over partners.

    `partners` are the c_i.
    """
    sums = np.zeros(len(values))  # comments
    prefix = np.zeros(len(values) + 1)
    for level in levels:  # a sum over a range of partners is a difference of prefix sums
        np.cumsum(values[level.order], out=prefix[1:])
        sums += prefix[level.last] - prefix[level.first]
    result = partners * values
    result[order] -= sums
    return result


def _dense_ranks(gains: Floats, article: Ints, start: Ints) -> Ints:
    """Return the rank of each gain among the different gains of its article, from 0."""
    order = np.lexsort((gains, article))
    steps = np.cumsum(np.diff(gains[order], prepend=gains[order][:1]) != 0)
    ranks = np.empty(len(gains), dtype=np.int64)
    ranks[order] = steps - steps[start]
    return ranks


COSTS = tuple(2.0**power for power in range(-13, 1))
BEYOND = 10  # costs tried beyond an end of the grid


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """A cost, the weights fitted with it, and their NDCG on the dev threads."""

    cost: float
    weights: Floats
    ndcg: float


Fit = Callable[[float, Floats | None], Tried]


def search(fit: Fit, *, beyond_grid: bool = True) -> tuple[Tried, list[Tried]]:
    """Return the best cost (of equals in the grid the smallest) and every one tried, in ascending order.

    `fit` takes a cost and the weights of the cost before, None at first, which it may start from.
    """
    tried: list[Tried] = []
    for cost in COSTS:
        tried.append(fit(cost, tried[-1].weights if tried else None))
    best = max(tried, key=lambda trial: trial.ndcg)
    smallest, largest = COSTS[0], COSTS[-1]
    for end, factor in ((smallest, 0.5), (largest, 2.0)):
        if best.cost != end or not beyond_grid:
            continue
        for _ in range(BEYOND):
            further = fit(factor * best.cost, best.weights)
            tried.append(further)
            if further.ndcg <= best.ndcg:
                break
            best = further
    return best, sorted(tried, key=lambda trial: trial.cost)


_log = logging.getLogger(__name__)

_CG_TOLERANCE = 0.1  # of conjugate gradients, relative
_CG_STEPS = 500
_ENOUGH_FALL = 1e-4  # of the objective, as a share of what the slope predicts
_SMALLEST_STEP = 1e-10


class LossState(Protocol):
    """A convex loss evaluated at some scores."""

    @property
    def value(self) -> float:
        """The value of the loss."""

    @property
    def gradient(self) -> Floats:
        """The gradient with respect to the scores."""

    @property
    def weights(self) -> Floats:
        """An upper bound of the diagonal of its Hessian."""

    def curvature(self, direction: Floats) -> Floats:
        """Return the product of the Hessian and a direction."""


class Loss(Protocol):
    """A convex loss of one score per comment."""

    def at(self, scores: Floats) -> LossState:
        """Evaluate the loss at these scores."""


def minimize(
    matrix: sparse.csr_array,
    loss: Loss,
    cost: float,
    *,
    start: Floats | None = None,
    tolerance: float = 1e-5,
    max_steps: int = 200,
) -> Floats:
    """Return the minimizing weights, one per column of the matrix (comments × columns)."""
    weights = np.zeros(matrix.shape[1]) if start is None else start
    scores = matrix @ weights
    state = loss.at(scores)
    value = _dot(weights, weights) / 2 + cost * state.value
    squares = matrix.power(2).T
    for _ in range(max_steps):
        gradient = weights + cost * (matrix.T @ state.gradient)
        inverse_diagonal = 1 / (1 + cost * (squares @ state.weights))
        direction = _newton_direction(matrix, state, cost, gradient, inverse_diagonal)
        slope = _dot(gradient, direction)
        if slope >= 0:  # only rounding errors are left
            break
        score_step = matrix @ direction
        length = 1.0
        while True:
            tried = weights + length * direction
            tried_state = loss.at(scores + length * score_step)
            tried_value = _dot(tried, tried) / 2 + cost * tried_state.value
            if tried_value <= value + _ENOUGH_FALL * length * slope:
                break
            length /= 2
            if length < _SMALLEST_STEP:
                return weights
        weights, scores = tried, scores + length * score_step
        state, value = tried_state, tried_value
        if -slope <= 2 * tolerance * value:
            break
    else:
        _log.warning("not at the minimum after %d Newton steps at cost %g", max_steps, cost)
    return weights


def _newton_direction(
    matrix: sparse.csr_array,
    state: LossState,
    cost: float,
    gradient: Floats,
    inverse_diagonal: Floats,
) -> Floats:
    """Solve Hessian · direction = -gradient approximately by preconditioned conjugate gradients."""
    direction = np.zeros_like(gradient)
    residual = -gradient
    scaled = inverse_diagonal * residual
    search = scaled
    size = first_size = _dot(residual, scaled)
    for _ in range(_CG_STEPS):
        if size <= _CG_TOLERANCE**2 * first_size:
            break
        image = search + cost * (matrix.T @ state.curvature(matrix @ search))
        step = size / _dot(search, image)
        direction = direction + step * search
        residual = residual - step * image
        scaled = inverse_diagonal * residual
        size, old_size = _dot(residual, scaled), size
        search = scaled + (size / old_size) * search
    return direction


def _dot(first: Floats, second: Floats) -> float:
    """Return the dot product, without BLAS, whose last bits depend on the number of threads."""
    return float(np.einsum("i,i->", first, second))
