"""Grades by several annotators who differ in strictness and in care: a graded response model with a bias and a noise for each.

Annotator a gives target i the grade k where τ(k−1) < θ(i) + b(a) + σ(a)·ε ≤ τ(k): θ is how good the target is (standard normal over targets), b how mild the
annotator is, σ how noisy, ε standard normal, and τ are thresholds that all share (Samejima 1969; with annotators, Johnson 1996). The θ are integrated out on a
grid (Gauss–Hermite), and thresholds, b and log σ maximize the likelihood less weak normal priors (standard deviation 1 of b, .5 of log σ around their mean), which keep
annotators of few grades near the average. A target's estimate is the grade that an average annotator is expected to give it, so that a strict annotator lowers nobody.

Intervals come of the influence of each target on the estimates (the infinitesimal jackknife: first derivatives and the observed information), summed over the targets of an item,
with Student's t over items; they hold the uncertainty of thresholds and annotators, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement.coincidences import coded

_NODES = 25  # of the grid of θ
_PRIOR_BIAS, _PRIOR_NOISE = 1.0, 0.5  # standard deviations
_LEAST = 1e-300
_STEP = 1e-4  # of a finite difference
_LEVEL = 0.95
_MOST_LEVELS = 12
_MOST_LEVERAGE = 0.8
_FAR = 40.0  # in place of an infinite threshold
_FAR_LOG = 20.0  # bounds of logarithms, so that a step of the search does not overflow

Ends: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class GradedModel:
    """The fitted model: what an average annotator would give each target, and each annotator's bias and noise.

    `bias` is in standard deviations of the targets, above 0 for the mild; `noise` in the same unit.
    """

    levels: tuple[float, ...]
    grades: Floats  # targets
    bias: Floats  # annotators
    bias_ci: Floats  # annotators × 2
    noise: Floats  # annotators
    noise_ci: Floats  # annotators × 2
    influence: Floats  # items × parameters: how much each item moved them
    slopes: Floats  # targets × parameters: derivatives of `grades`
    groups: Ints  # of each target, the number of its item

    def mean(self, chosen: ArrayLike | None = None) -> tuple[float, Ends | None]:
        """Return the mean grade of the chosen targets (a mask; default: all) and its interval over items."""
        mask = np.ones(len(self.grades), dtype=bool) if chosen is None else np.asarray(chosen, bool)
        if not mask.any():
            raise ArgumentError("no target was chosen")
        value = float(self.grades[mask].mean())
        own = np.where(mask, self.grades - value, 0.0) / mask.sum()
        shift = self.influence @ self.slopes[mask].mean(axis=0)
        sums = np.bincount(self.groups, own) + shift
        return value, _interval(value, sums, len(np.unique(self.groups[mask])))


def graded_model(
    values: Any, *, levels: Sequence[float], groups: ArrayLike | None = None
) -> GradedModel:
    """Fit the model to grades, annotators × targets, nan where there is none; `groups` has the item of each target.

    >>> model = graded_model([[1, 2, 3, 3], [1, 2, 3, 2], [2, 3, 3, 3]], levels=[1, 2, 3])
    >>> bool(model.bias[2] > model.bias[1])  # the third is milder
    True
    """
    table = _Grades.of(values, levels)
    count = len(table.levels)
    start = np.zeros(count - 1 + 2 * table.annotators)
    start[: count - 1] = table.start()
    free, bounded = (None, None), (-_FAR_LOG, _FAR_LOG)
    bounds = [free] + [bounded] * (count - 2) + [free] * table.annotators
    bounds += [bounded] * table.annotators
    fit = optimize.minimize(
        table.loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500}
    )
    solution = table.centred(fit.x)
    curvature = _curvature(table, solution)
    inverse = np.linalg.pinv(curvature, hermitian=True)
    numbers = (
        np.arange(table.targets)
        if groups is None
        else np.unique(np.asarray(groups), return_inverse=True)[1]
    )
    people = slice(count - 1, count - 1 + table.annotators)
    scores = np.zeros((int(numbers.max()) + 1, len(solution)))  # items × parameters
    np.add.at(scores, numbers, table.scores(solution))
    by_item = scores @ inverse
    # An item that the parameters follow closely hides its own error (HC2, MacKinnon and White 1985).
    leverage = (by_item * scores).sum(axis=1, keepdims=True)
    by_item /= np.sqrt(1 - np.clip(leverage, 0.0, _MOST_LEVERAGE))
    # An annotator is compared with the mean of all.
    of_bias = by_item[:, people] - by_item[:, people].mean(axis=1, keepdims=True)
    of_noise = by_item[:, people.stop :]
    bias, log_noise = solution[people], solution[people.stop :]
    items = len(by_item)
    return GradedModel(
        levels=tuple(table.levels.tolist()),
        grades=table.expected(solution),
        bias=bias,
        bias_ci=_column_ends(bias, of_bias, items),
        noise=np.exp(log_noise),
        noise_ci=np.exp(_column_ends(log_noise, of_noise, items)),
        influence=by_item,
        slopes=_slopes(table, solution),
        groups=numbers,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Grades:
    """Grades as three columns (annotator, target, level), and the likelihood of parameters.

    Parameters: the first threshold and the logarithms of the steps to the next ones, biases, logarithms of noises.
    """

    levels: Floats
    who: Ints
    target: Ints
    level: Ints
    annotators: int
    targets: int

    @classmethod
    def of(cls, values: Any, levels: Sequence[float]) -> _Grades:
        scale = np.array(sorted(float(level) for level in levels))
        if not 2 <= len(scale) <= _MOST_LEVELS:
            raise ArgumentError(
                f"there are {len(scale)} levels; the model takes 2 to {_MOST_LEVELS}"
            )
        codes, labels = coded(values)
        if strange := [label for label in labels if float(label) not in scale]:
            raise ArgumentError(f"a grade is {strange[0]}, not one of {scale.tolist()}")
        if not (codes >= 0).any(axis=0).all() or not codes.size:
            raise ArgumentError("every target needs a grade; leave out those without")
        who, target = np.nonzero(codes >= 0)
        place = np.searchsorted(scale, np.array([float(label) for label in labels]))
        return cls(scale, who, target, place[codes[who, target]], *codes.shape)

    def start(self) -> Floats:
        """Return thresholds at the normal quantiles of the shares of levels, as parameters."""
        counts = np.bincount(self.level, minlength=len(self.levels)) + 0.5
        cuts = math.sqrt(2) * special.ndtri(np.cumsum(counts)[:-1] / counts.sum())
        return np.concatenate([cuts[:1], np.log(np.maximum(np.diff(cuts), 0.05))])

    def _parts(self, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        count = len(self.levels) - 1
        cuts = parameters[0] + np.concatenate([[0.0], np.cumsum(np.exp(parameters[1:count]))])
        bias = parameters[count : count + self.annotators]
        return cuts, bias, np.exp(parameters[count + self.annotators :])

    def _likelihood(self, parameters: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return upper and lower ends, probabilities (grades × nodes), posterior (targets × nodes), log likelihoods."""
        cuts, bias, noise = self._parts(parameters)
        bounds = np.concatenate([[-np.inf], cuts, [np.inf]])
        nodes, weights = _grid()
        scale = noise[self.who][:, None]
        centre = nodes[None] + bias[self.who][:, None]
        upper = np.clip((bounds[self.level + 1][:, None] - centre) / scale, -_FAR, _FAR)
        lower = np.clip((bounds[self.level][:, None] - centre) / scale, -_FAR, _FAR)
        # Above 0 the other tail has the digits.
        flip = lower > 0
        chance = special.ndtr(np.where(flip, -lower, upper)) - special.ndtr(
            np.where(flip, -upper, lower)
        )
        chance = np.maximum(chance, _LEAST)
        logs = np.tile(np.log(weights), (self.targets, 1))
        np.add.at(logs, self.target, np.log(chance))
        most = logs.max(axis=1, keepdims=True)
        posterior = np.exp(logs - most)
        total = posterior.sum(axis=1, keepdims=True)
        return upper, lower, chance, posterior / total, (np.log(total) + most)[:, 0]

    def scores(self, parameters: Floats) -> Floats:
        """Return the derivatives of each target's log likelihood: targets × parameters."""
        upper, lower, chance, posterior, _ = self._likelihood(parameters)
        _, _, noise = self._parts(parameters)
        count = len(self.levels) - 1
        weight = posterior[self.target] / chance  # grades × nodes
        high, low = (np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) for z in (upper, lower))
        scale = noise[self.who]
        at_high, at_low = (weight * high).sum(axis=1) / scale, (weight * low).sum(axis=1) / scale
        scores = np.zeros((self.targets, len(parameters)))
        cuts = np.zeros((self.targets, count + 2))  # with the infinite ones at both ends
        np.add.at(cuts, (self.target, self.level + 1), at_high)
        np.add.at(cuts, (self.target, self.level), -at_low)
        of_cut = cuts[:, 1:-1]
        later = np.cumsum(of_cut[:, ::-1], axis=1)[:, ::-1]  # a step moves all later thresholds
        scores[:, 0] = later[:, 0]
        scores[:, 1:count] = later[:, 1:] * np.exp(parameters[1:count])
        np.add.at(scores, (self.target, count + self.who), at_low - at_high)
        of_noise = (weight * (lower * low - upper * high)).sum(axis=1)
        np.add.at(scores, (self.target, count + self.annotators + self.who), of_noise)
        return scores

    def gradient(self, parameters: Floats) -> Floats:
        """Return the derivatives of the loss."""
        _, bias, noise = self._parts(parameters)
        gradient = -self.scores(parameters).sum(axis=0)
        logs = np.log(noise)
        people = len(self.levels) - 1
        gradient[people : people + self.annotators] += bias / _PRIOR_BIAS**2
        gradient[people + self.annotators :] += (logs - logs.mean()) / _PRIOR_NOISE**2
        return gradient

    def loss(self, parameters: Floats) -> tuple[float, Floats]:
        """Return the negative log likelihood with the priors, and its derivatives."""
        _, bias, noise = self._parts(parameters)
        *_, logs = self._likelihood(parameters)
        deviation = np.log(noise) - np.log(noise).mean()
        prior = (bias**2).sum() / _PRIOR_BIAS**2 + (deviation**2).sum() / _PRIOR_NOISE**2
        return float(prior / 2 - logs.sum()), self.gradient(parameters)

    def centred(self, parameters: Floats) -> Floats:
        """Return the same likelihood with biases of mean 0."""
        count = len(self.levels) - 1
        moved = parameters.copy()
        mean = parameters[count : count + self.annotators].mean()
        moved[count : count + self.annotators] -= mean
        moved[0] -= mean
        return moved

    def expected(self, parameters: Floats) -> Floats:
        """Return the grade that an average annotator is expected to give each target."""
        cuts, _, noise = self._parts(parameters)
        *_, posterior, _ = self._likelihood(parameters)
        nodes, _ = _grid()
        mean_noise = math.exp(np.log(noise).mean())
        below = special.ndtr((cuts[:, None] - nodes[None]) / mean_noise)  # thresholds × nodes
        grade = self.levels[-1] - np.diff(self.levels) @ below
        return np.asarray(posterior @ grade)


def _grid() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()


def _curvature(table: _Grades, solution: Floats) -> Floats:
    """Return the second derivatives of the loss, from differences of its gradient."""
    rows = []
    for place in range(len(solution)):
        step = np.zeros_like(solution)
        step[place] = _STEP
        rows.append(
            (table.gradient(solution + step) - table.gradient(solution - step)) / (2 * _STEP)
        )
    return (np.array(rows) + np.array(rows).T) / 2


def _slopes(table: _Grades, solution: Floats) -> Floats:
    """Return the derivatives of the expected grades: targets × parameters."""
    columns = []
    for place in range(len(solution)):
        step = np.zeros_like(solution)
        step[place] = _STEP
        columns.append(
            (table.expected(solution + step) - table.expected(solution - step)) / (2 * _STEP)
        )
    return np.array(columns).T


def _interval(value: float, sums: Any, units: int) -> Ends | None:
    """Return the interval of an estimate from the influence of each item; None for fewer than two."""
    if units < 2:
        return None
    error = math.sqrt(float((sums**2).sum()) * units / (units - 1))
    reach = float(special.stdtrit(units - 1, (1 + _LEVEL) / 2)) * error
    return value - reach, value + reach


def _column_ends(values: Floats, influence: Floats, units: int) -> Floats:
    """Return the ends of each value's interval: values × 2; `influence` is items × values."""
    found = [_interval(value, column, units) for value, column in zip(values.tolist(), influence.T, strict=True)]  # fmt: skip
    return np.array([each or (math.nan, math.nan) for each in found])
