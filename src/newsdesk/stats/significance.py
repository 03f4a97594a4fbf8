"""Confidence intervals and significance tests: of systems over items, and of metrics' correlations with people; corrections.

**Systems.** Everything is written once over item statistics: `statistics` has a row per item, rows of items add up, and `values` turns summed
rows (k × s) into k scores, so a corpus metric such as BLEU is resampled as correctly as a mean. Two systems are compared on the
same items in the same order.

- `interval` is Efron's percentile bootstrap (1979), with items as the unit.
- `paired_bootstrap` draws the same items for both systems (Koehn, 2004). Its p is two-sided: how often the difference, moved to
  be 0 on average, is as far from 0 as the one observed (Riezler and Maxwell, 2005; sacrebleu). One item alone has p = 1.
- `randomization` swaps the two systems' rows of each item with probability ½ (Noreen, 1989; Yeh, 2000).
- Both p count the observed difference as one of the samples, so that p is never 0. Differences that are equal but for rounding
  errors count as equal.

Draws come from a stream that a name and the seed fix, so all systems and metrics of the same number of items are resampled alike.
No product runs in BLAS where its last bit would reach a result: intervals do not depend on the number of threads.

**Correlations**: does one metric correlate better with people than another?

- Permutation: under the null hypothesis the two metrics are interchangeable. Their scores are put on one scale (standard scores for
  Pearson, ranks for Spearman) and swapped with probability ½, a whole unit at a time (Noreen 1989; Deutsch et al. 2021), because the scores within
  an item or a system are not independent. Over systems the statistic is Williams's t, because the plain difference of
  correlations rejects too often with few systems: swapped scores vary more than the standardized ones they came from. With s systems there
  are only 2^(s−1) different swaps: with five or fewer p cannot fall below .05.
- Williams (1959): for correlations that share a variable, normal and independent observations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.settings import one_of
from newsdesk.stats.bootstrap import (
    SIDES,
    SLACK,
    Names,
    Values,
    intervals,
    paired_bootstraps,
    randomizations,
)
from newsdesk.stats.resample import check_sampling, chunks, exact_columns
from newsdesk.streams import stream
from newsdesk.types import Difference, Estimate

_EQUAL = 1e-9  # statistics closer than this are equal


def williams(r_first: float, r_second: float, r_between: float, n: int) -> float:
    """Return the two-sided p-value of Williams's test that two correlations with one variable are equal.

    `r_between` is the correlation of the two other variables, `n` the number of observations.

    >>> round(williams(0.7, 0.5, 0.6, 50), 4)
    0.0383
    """
    if n < 4:
        return 1.0
    first, second, between = (np.array([r]) for r in (r_first, r_second, r_between))
    t = float(_williams_t(first, second, between, n)[0])
    return float(2 * special.stdtr(n - 3, -abs(t)))


def _williams_t(first: Floats, second: Floats, between: Floats, n: int) -> Floats:
    """Return Williams's t of two correlations with one variable, given that between the two others.

    0 where the two are equal, else infinite where nothing varies.
    """
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean_square = (first + second) ** 2 / 4
    denominator = (
        2 * np.maximum(determinant, 0.0) * (n - 1) / (n - 3) + mean_square * (1 - between) ** 3
    )
    apart = first - second
    with np.errstate(divide="ignore", invalid="ignore"):
        t = apart * np.sqrt((n - 1) * (1 + between) / denominator)
    t = np.where(denominator <= 0, np.copysign(np.inf, apart), t)
    return np.where(np.abs(apart) <= _EQUAL, 0.0, t)


def standardized(values: Floats) -> Floats:
    """Return each entry of the first axis with mean 0 and variance 1; a constant one becomes 0."""
    flat = values.reshape(len(values), -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = flat - np.nanmean(flat, axis=1, keepdims=True)
        spread = np.nanstd(flat, axis=1, keepdims=True)
        scaled = np.where(spread > 1e-12, off / spread, np.where(np.isnan(flat), np.nan, 0.0))
    return scaled.reshape(values.shape)


def swapped_p(
    human: Floats,
    metrics: Floats,
    pairs: Sequence[tuple[int, int]],
    samples: int,
    seed: int,
    *,
    studentized: bool = False,
) -> Floats:
    """Return a p-value for each pair of metrics: do their pooled correlations with people differ?

    `human` is units × outputs (nan where missing), `metrics` metrics × units × outputs. Scores of a whole
    unit are swapped. The statistic is the difference of the two correlations, or, `studentized`, Williams's t.
    """
    present = ~np.isnan(human)
    y = np.where(present, human, 0.0)  # units × outputs
    x = np.where(present, metrics, 0.0)  # metrics × units × outputs
    # Σx, Σx² and Σxy of each unit and metric: swapping a unit moves its sums from one metric to the other.
    columns = np.concatenate([x.sum(axis=2), (x**2).sum(axis=2), (x * y).sum(axis=2)]).T
    exact = exact_columns(columns, len(columns))  # units × (3 · metrics)
    n, size = int(present.sum()), len(metrics)
    sum_y = y.sum()
    spread_y = float((y**2).sum() - sum_y**2 / n)

    def statistic(first: Floats, second: Floats, product: float) -> Floats:
        """Return the statistic of two metrics' Σx, Σx² and Σxy (… × 3) and their Σ of products."""
        correlations, spreads = [], []
        for sums in (first, second):
            sum_x, sum_xx, sum_xy = sums[..., 0], sums[..., 1], sums[..., 2]
            spread = np.maximum(sum_xx - sum_x**2 / n, 0.0)
            spreads.append(spread)
            correlations.append(_ratio(sum_xy - sum_x * sum_y / n, spread * spread_y))
        r_first, r_second = correlations
        if not studentized:
            return np.abs(r_first - r_second)
        joint = product - first[..., 0] * second[..., 0] / n  # swapping leaves the sum of products
        between = _ratio(joint, spreads[0] * spreads[1])
        return np.abs(_williams_t(r_first, r_second, between, n))

    whole = exact.sum(axis=0).reshape(3, size).T  # metrics × 3
    products = [float((x[first] * x[second]).sum()) for first, second in pairs]
    as_far = np.zeros(len(pairs))
    for coins in _coins(samples, len(columns), seed):
        # samples × metrics × 3: what the swapped units hold; the other units stay as they are.
        swapped = (coins @ exact).reshape(len(coins), 3, size).transpose(0, 2, 1)
        for index, ((first, second), product) in enumerate(zip(pairs, products, strict=True)):
            moved = swapped[:, first] - swapped[:, second]
            observed = statistic(whole[first], whole[second], product)
            drawn = statistic(whole[first] - moved, whole[second] + moved, product)
            as_far[index] += np.count_nonzero(drawn >= observed - _EQUAL)
    return (as_far + 1) / (samples + 1)


def _ratio(product: Floats, spreads: Floats) -> Floats:
    """Return a correlation from a sum of products and the product of two sums of squares.

    0 where a side does not vary.
    """
    varies = spreads > _EQUAL**2
    return np.where(varies, product / np.sqrt(np.where(varies, spreads, 1.0)), 0.0)


def flipped_p(
    per_item: Floats, pairs: Sequence[tuple[int, int]], samples: int, seed: int
) -> Floats:
    """Return a p-value for each pair of metrics: do their mean correlations per item differ?

    `per_item` is metrics × items (nan where undefined); the two correlations of an item are swapped.
    """
    # items × pairs
    apart = np.stack([np.nan_to_num(per_item[a] - per_item[b]) for a, b in pairs], axis=1)
    # Swapping an item turns the sign of its difference.
    exact = exact_columns(apart, len(apart))
    total = exact.sum(axis=0)
    as_far = np.zeros(len(pairs))
    slack = _EQUAL * len(apart)
    for coins in _coins(samples, len(apart), seed):
        drawn = total - 2 * (coins @ exact)  # samples × pairs
        as_far += (np.abs(drawn) >= np.abs(total) - slack).sum(axis=0)
    return (as_far + 1) / (samples + 1)


def _coins(samples: int, units: int, seed: int) -> Iterator[Floats]:
    """Yield samples × units of 0 and 1 (swap this unit), a chunk of samples at a time.

    With so few units that every outcome can be listed the draws are still at random.
    """
    rng = stream("correlate permutation", seed)
    for count in chunks(samples, units):
        yield rng.integers(0, 2, size=(count, units)).astype(np.float64)


def items_needed(difference: float, draws: Floats, items: int) -> int | None:
    """Return how many more items would show a difference at 5 % with a power of 80 %; None if unknown.

    `draws` are bootstrap draws of the difference over the present number of `items`.
    """
    defined = draws[~np.isnan(draws)]
    if len(defined) < 2 or abs(difference) <= _EQUAL:
        return None
    return items_to_decide(difference, float(defined.std(ddof=1)), items)


def items_to_decide(
    difference: float, error: float, items: int, *, units: int | None = None, level: float = 0.05
) -> int | None:
    """Return how many more items would show a difference at a level with a power of 80 %; None if unknown.

    `error` is its standard error over the present number of `items`, which come in so many `units` that are drawn together. No test by
    exchange of fewer than log2(2 / level) units can reach the level.

    >>> items_to_decide(0.05, 0.04, 200), items_to_decide(0.05, 0.02, 8, units=4)
    (805, 3)
    """
    if abs(difference) <= _EQUAL:
        return None
    errors_apart = float(special.ndtri(1 - level / 2) + special.ndtri(0.8))
    needed = items * (errors_apart * error / abs(difference)) ** 2
    if units is not None:
        needed = max(needed, items / units * math.log2(2 / level))
    return max(0, math.ceil(needed) - items) if needed < 1e12 else None


Correction = Literal["holm", "bonferroni", "bh"]
Tested = TypeVar("Tested", bound=Difference)


def interval(
    statistics: ArrayLike,
    values: Values,
    *,
    samples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Return the score of all items with its percentile bootstrap interval.

    >>> mean = lambda rows: rows[:, 0] / rows[:, 1]
    >>> interval([[4.0, 1.0]] * 9, mean, samples=100)
    Estimate(value=4.0, low=4.0, high=4.0, n=9)
    """
    (estimate,) = intervals([(statistics, values)], samples=samples, level=level, seed=seed)
    return estimate


def paired_bootstrap(
    first: ArrayLike,
    second: ArrayLike,
    values: Values,
    *,
    samples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    names: Names = SIDES,
) -> Difference:
    """Return the difference of two systems, with interval and p over items drawn for both alike."""
    measures = [(first, second, values)]
    (tested,) = paired_bootstraps(measures, samples=samples, level=level, seed=seed, names=names)
    return tested


def randomization(
    first: ArrayLike, second: ArrayLike, values: Values, *, samples: int = 10_000, seed: int = 0
) -> float:
    """Return the two-sided p of a difference under approximate randomization."""
    (p,) = randomizations([(first, second, values)], samples=samples, seed=seed)
    return p


def paired_t(
    first: ArrayLike, second: ArrayLike, *, level: float = 0.95, names: Names = SIDES
) -> Difference:
    """Run Student's paired t-test on one value per item, for measures that are means over items.

    Where all items differ by the same, but for rounding errors, the interval is that point and p is 0, or 1 if they do not differ.

    >>> paired_t([3, 4], [1, 2]).estimate, paired_t([3, 4], [1, 2]).p
    (Estimate(value=2.0, low=2.0, high=2.0, n=2), 0.0)
    """
    ours, theirs = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    check_sampling(1, level)
    if ours.ndim != 1 or ours.shape != theirs.shape:
        raise ArgumentError(f"shapes {ours.shape} and {theirs.shape} are not one value per item")
    if len(ours) < 2:
        raise ArgumentError(f"a paired t-test needs at least two items, not {len(ours)}")
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        raise ArgumentError("an item's value is not a finite number")
    differences = ours - theirs
    mean = float(differences.mean())
    slack = SLACK * float(max(np.abs(ours).max(), np.abs(theirs).max()))
    if np.ptp(differences) <= slack:
        p = 1.0 if abs(mean) <= slack else 0.0
        point = Estimate(mean, low=mean, high=mean, n=len(ours))
        return Difference(*names, point, p=p, p_corrected=p)
    from scipy import stats  # takes 0.6 s to import, and the bootstrap does without it

    tested = stats.ttest_rel(ours, theirs)
    low, high = tested.confidence_interval(level)
    estimate = Estimate(mean, float(low), float(high), len(ours))
    p = float(tested.pvalue)
    return Difference(*names, estimate, p=p, p_corrected=p)


def correct(p_values: ArrayLike, method: Correction = "holm") -> Floats:
    """Correct p-values: `holm`, `bonferroni` (family-wise error rate), `bh` (false discovery rate).

    >>> correct([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.06, 0.06]
    """
    one_of("method", method, get_args(Correction))
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise ArgumentError(f"p-values have shape {p.shape}, not one number each")
    if not ((p >= 0) & (p <= 1)).all():
        wrong = p[~((p >= 0) & (p <= 1))][0]
        raise ArgumentError(f"a p-value is {wrong}, not a number from 0 to 1")
    if method == "bonferroni":
        return np.minimum(p * len(p), 1.0)
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, len(p) + 1)
    corrected = np.empty_like(p)
    if method == "holm":
        corrected[order] = np.maximum.accumulate(p[order] * (len(p) + 1 - ranks))
    else:
        raised = p[order] * len(p) / ranks
        corrected[order] = np.minimum.accumulate(raised[::-1])[::-1]
    return np.minimum(corrected, 1.0)


def corrected(tests: Sequence[Tested], method: Correction = "holm") -> list[Tested]:
    """Return the tests with their p-values corrected for the number of tests."""
    p_values = correct([test.p for test in tests], method).tolist()
    return [replace(test, p_corrected=p) for test, p in zip(tests, p_values, strict=True)]
