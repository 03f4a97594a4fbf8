"""Tests between two metrics: does one correlate better with people than the other?

- **Permutation**: under the null hypothesis the two metrics are interchangeable. Their scores are put on one scale (standard scores for
  Pearson, ranks for Spearman) and swapped with probability ½: all scores of an item together at the pooled level, an item's
  correlations at the item level, all scores of a system at the system level (Noreen 1989; Deutsch et al. 2021). Whole items and systems
  are swapped because the scores within one are not independent. Over systems the statistic is Williams's t, because the plain difference of
  correlations rejects too often with few systems: swapped scores vary more than the standardized ones they came from. With s systems there
  are only 2^(s−1) different swaps: with five or fewer p cannot fall below .05.
- **Williams** (1959): for correlations that share a variable, normal and independent observations. At the pooled level outputs of one item are
  not independent, so it can reject too often; the permutation test is the one to believe there.

p-values are corrected over the pairs of metrics of one question, level, coefficient and test.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import special

from newsdesk.arrays import Floats
from newsdesk.stats.coefficients import Coefficient, Level, system_means
from newsdesk.stats.resample import exact_columns
from newsdesk.stats.significance import Correction, correct
from newsdesk.streams import stream
from newsdesk.studies.correlate.tables import Aligned

Test = Literal["permutation", "williams"]
TESTED: tuple[Coefficient, ...] = ("pearson", "spearman")
_SLACK = 1e-9
_CELLS = 1 << 21


@dataclass(frozen=True, slots=True)
class MetricTest:
    """The difference of two metrics' correlations with people, first minus second, with its interval and p-values.

    `more_items` is how many further items would give a test at 5 % a power of 80 % if the difference is as it looks; None if unknown.
    """

    human: str
    level: Level
    coefficient: Coefficient
    first: str
    second: str
    difference: float
    ci: tuple[float, float] | None
    test: Test
    p: float
    p_corrected: float
    n: int
    more_items: int | None = None
    signature: str = ""

    @property
    def holds(self) -> bool:
        """Whether the test keeps its level of 5 % in simulations (`python -m research metric_tests`)."""
        return self.test == "permutation" or (self.level, self.coefficient) == ("system", "pearson")


def williams(r_first: float, r_second: float, r_between: float, n: int) -> float:
    """The two-sided p-value of Williams's test that two correlations with one variable are equal.

    >>> round(williams(0.7, 0.5, 0.6, 50), 4)
    0.0383
    """
    if n < 4:
        return 1.0
    first, second, between = np.array([r_first, r_second, r_between])[:, None]
    t = float(_williams_t(first, second, between, n)[0])
    return float(2 * special.stdtr(n - 3, -abs(t)))


def _williams_t(first: Floats, second: Floats, between: Floats, n: int) -> Floats:
    """Williams's t of correlations with one variable, given those between the two others; 0 where they are equal, else infinite where nothing varies."""
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean_square = (first + second) ** 2 / 4
    below = 2 * np.maximum(determinant, 0.0) * (n - 1) / (n - 3) + mean_square * (1 - between) ** 3
    apart = first - second
    with np.errstate(divide="ignore", invalid="ignore"):
        t = apart * np.sqrt((n - 1) * (1 + between) / below)
    t = np.where(below <= 0, np.copysign(np.inf, apart), t)
    return np.where(np.abs(apart) <= _SLACK, 0.0, t)


def permutation_ps(
    study: Aligned,
    per_item: dict[Coefficient, Floats],
    pairs: Sequence[tuple[int, int]],
    *,
    samples: int,
    seed: int,
) -> dict[tuple[Level, Coefficient], Floats]:
    """The permutation p-value of every pair of metrics at every level, for Pearson and Spearman."""
    ps: dict[tuple[Level, Coefficient], Floats] = {}
    for coefficient in TESTED:
        human, metrics = on_one_scale(study, coefficient)
        ps["pooled", coefficient] = _swapped_p(human, metrics, pairs, samples, seed)
        ps["item", coefficient] = _flipped_p(per_item[coefficient], pairs, samples, seed)
        if len(study.systems) > 2:
            means = system_means(study.metrics)
            of_people = system_means(study.human)
            if coefficient == "spearman":
                means, of_people = _mid_ranks(means), _mid_ranks(of_people[None])[0]
            ps["system", coefficient] = _swapped_p(
                of_people[:, None],
                standardized(means)[:, :, None],
                pairs,
                samples,
                seed,
                studentized=len(study.systems) > 3,
            )
    return ps


def on_one_scale(study: Aligned, coefficient: Coefficient) -> tuple[Floats, Floats]:
    """Human scores and metrics (nan where missing) as standard scores, or as standardized mid-ranks for Spearman."""
    human, metrics = study.human, study.metrics
    if coefficient == "spearman":
        used = ~np.isnan(human)
        human, metrics = human.copy(), metrics.copy()
        human[used] = _mid_ranks(human[used][None])[0]
        metrics[:, used] = _mid_ranks(metrics[:, used])
    return standardized(human[None])[0], standardized(metrics)


def standardized(values: Floats) -> Floats:
    """Each entry of the first axis with mean 0 and variance 1; a constant one becomes 0."""
    flat = values.reshape(len(values), -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = flat - np.nanmean(flat, axis=1, keepdims=True)
        spread = np.nanstd(flat, axis=1, keepdims=True)
        scaled = np.where(spread > 1e-12, off / spread, np.where(np.isnan(flat), np.nan, 0.0))
    return scaled.reshape(values.shape)


def _mid_ranks(rows: Floats) -> Floats:
    from scipy import stats

    return stats.rankdata(rows, axis=1)


def _swapped_p(
    human: Floats,
    metrics: Floats,
    pairs: Sequence[tuple[int, int]],
    samples: int,
    seed: int,
    *,
    studentized: bool = False,
) -> Floats:
    """p-values of pooled correlations when two metrics' scores of a unit (first axis of `human`) are swapped.

    The statistic is the difference of the two correlations, or, `studentized`, Williams's t.
    """
    present = ~np.isnan(human)
    y = np.where(present, human, 0.0)
    x = np.where(present, metrics, 0.0)
    columns = np.concatenate([x.sum(axis=2), (x**2).sum(axis=2), (x * y).sum(axis=2)]).T
    exact = exact_columns(columns, len(columns))
    n, size = int(present.sum()), len(metrics)
    spread_y = float((y**2).sum() - y.sum() ** 2 / n)

    def statistic(first: Floats, second: Floats, product: float) -> Floats:
        spreads = [
            np.maximum(side[..., 1] - side[..., 0] ** 2 / n, 0.0) for side in (first, second)
        ]
        one, two = (
            _ratio(side[..., 2] - side[..., 0] * y.sum() / n, spread * spread_y)
            for side, spread in zip((first, second), spreads, strict=True)
        )
        if not studentized:
            return np.abs(one - two)
        joint = product - first[..., 0] * second[..., 0] / n  # swapping leaves the sum of products
        between = _ratio(joint, spreads[0] * spreads[1])
        return np.abs(_williams_t(one, two, between, n))

    whole = exact.sum(axis=0).reshape(3, size).T
    products = [float((x[first] * x[second]).sum()) for first, second in pairs]
    as_far = np.zeros(len(pairs))
    for chosen in _coins(samples, len(columns), seed):
        swapped = (chosen @ exact).reshape(len(chosen), 3, size).transpose(0, 2, 1)
        for place, ((first, second), product) in enumerate(zip(pairs, products, strict=True)):
            moved = swapped[:, first] - swapped[:, second]
            observed = statistic(whole[first], whole[second], product)
            drawn = statistic(whole[first] - moved, whole[second] + moved, product)
            as_far[place] += np.count_nonzero(drawn >= observed - _SLACK)
    return (as_far + 1) / (samples + 1)


def _ratio(product: Floats, spreads: Floats) -> Floats:
    """A correlation from a sum of products and the product of two sums of squares; 0 where a side does not vary."""
    varies = spreads > _SLACK**2
    return np.where(varies, product / np.sqrt(np.where(varies, spreads, 1.0)), 0.0)


def _flipped_p(
    per_item: Floats, pairs: Sequence[tuple[int, int]], samples: int, seed: int
) -> Floats:
    """p-values of mean per-item correlations when two metrics' correlations of an item are swapped."""
    apart = np.stack([np.nan_to_num(per_item[a] - per_item[b]) for a, b in pairs], axis=1)
    exact = exact_columns(apart, len(apart))
    total = exact.sum(axis=0)
    as_far = np.zeros(len(pairs))
    slack = _SLACK * len(apart)
    for chosen in _coins(samples, len(apart), seed):
        as_far += (np.abs(total - 2 * (chosen @ exact)) >= np.abs(total) - slack).sum(axis=0)
    return (as_far + 1) / (samples + 1)


def _coins(samples: int, units: int, seed: int) -> Iterator[Floats]:
    """Samples × units of 0 and 1; with so few units that every outcome can be listed the draws are still at random."""
    rng = stream("correlate permutation", seed)
    size = max(1, _CELLS // units)
    for start in range(0, samples, size):
        count = min(size, samples - start)
        yield rng.integers(0, 2, size=(count, units)).astype(np.float64)


def all_pairs(count: int) -> list[tuple[int, int]]:
    """Every two of so many metrics."""
    return list(itertools.combinations(range(count), 2))


def items_needed(difference: float, draws: Floats, items: int) -> int | None:
    """How many more items would show a difference at 5 % with a power of 80 %, from its bootstrap draws; None if it cannot be told."""
    used = draws[~np.isnan(draws)]
    if len(used) < 2 or abs(difference) <= _SLACK:
        return None
    error = float(used.std(ddof=1))
    reach = float(special.ndtri(0.975) + special.ndtri(0.8))
    needed = items * (reach * error / abs(difference)) ** 2
    return max(0, math.ceil(needed) - items) if needed < 1e12 else None


def corrected(tests: Sequence[MetricTest], method: Correction) -> list[MetricTest]:
    """The tests with p-values corrected within each question, level, coefficient and kind of test."""
    families: dict[tuple[str, str, str, str], list[int]] = {}
    for place, each in enumerate(tests):
        family = (each.human, each.level, each.coefficient, each.test)
        families.setdefault(family, []).append(place)
    result = list(tests)
    for places in families.values():
        for place, p in zip(places, correct([tests[at].p for at in places], method), strict=True):
            result[place] = replace(tests[place], p_corrected=float(p))
    return result
