"""Test whether one metric correlates better with people than another.

- **Permutation**: under the null hypothesis the two metrics are interchangeable. Their scores are put on one scale (standard scores for
  Pearson, ranks for Spearman) and swapped with probability ½, a whole unit at a time (Noreen 1989; Deutsch et al. 2021), because the scores within
  an item or a system are not independent. Over systems the statistic is Williams's t, because the plain difference of
  correlations rejects too often with few systems: swapped scores vary more than the standardized ones they came from. With s systems there
  are only 2^(s−1) different swaps: with five or fewer p cannot fall below .05.
- **Williams** (1959): for correlations that share a variable, normal and independent observations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import special

from newsdesk.arrays import Floats
from newsdesk.stats.resample import chunks, exact_columns
from newsdesk.streams import stream

_SLACK = 1e-9


def williams(r_first: float, r_second: float, r_between: float, n: int) -> float:
    """Return the two-sided p-value of Williams's test that two correlations with one variable are equal.

    >>> round(williams(0.7, 0.5, 0.6, 50), 4)
    0.0383
    """
    if n < 4:
        return 1.0
    first, second, between = np.array([r_first, r_second, r_between])[:, None]
    t = float(_williams_t(first, second, between, n)[0])
    return float(2 * special.stdtr(n - 3, -abs(t)))


def _williams_t(first: Floats, second: Floats, between: Floats, n: int) -> Floats:
    """Williams's t of correlations with one variable, given those between the two others.

    0 where they are equal, else infinite where nothing varies.
    """
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean_square = (first + second) ** 2 / 4
    below = 2 * np.maximum(determinant, 0.0) * (n - 1) / (n - 3) + mean_square * (1 - between) ** 3
    apart = first - second
    with np.errstate(divide="ignore", invalid="ignore"):
        t = apart * np.sqrt((n - 1) * (1 + between) / below)
    t = np.where(below <= 0, np.copysign(np.inf, apart), t)
    return np.where(np.abs(apart) <= _SLACK, 0.0, t)


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
    """Return p-values of pooled correlations when two metrics' scores of a whole unit are swapped.

    The statistic is the difference of the two correlations, or, `studentized`, Williams's t.
    """
    present = ~np.isnan(human)
    y = np.where(present, human, 0.0)  # units × outputs
    x = np.where(present, metrics, 0.0)  # metrics × units × outputs
    # Σx, Σx² and Σxy of each unit and metric: swapping a unit moves its sums from one metric to the other.
    columns = np.concatenate([x.sum(axis=2), (x**2).sum(axis=2), (x * y).sum(axis=2)]).T
    exact = exact_columns(columns, len(columns))  # units × (3 · metrics)
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

    whole = exact.sum(axis=0).reshape(3, size).T  # metrics × 3
    products = [float((x[first] * x[second]).sum()) for first, second in pairs]
    as_far = np.zeros(len(pairs))
    for chosen in _coins(samples, len(columns), seed):
        # What the swapped units hold; the other units stay as they are.
        swapped = (chosen @ exact).reshape(len(chosen), 3, size).transpose(0, 2, 1)
        for place, ((first, second), product) in enumerate(zip(pairs, products, strict=True)):
            moved = swapped[:, first] - swapped[:, second]
            observed = statistic(whole[first], whole[second], product)
            drawn = statistic(whole[first] - moved, whole[second] + moved, product)
            as_far[place] += np.count_nonzero(drawn >= observed - _SLACK)
    return (as_far + 1) / (samples + 1)


def _ratio(product: Floats, spreads: Floats) -> Floats:
    """Return a correlation from a sum of products and the product of two sums of squares.

    0 where a side does not vary.
    """
    varies = spreads > _SLACK**2
    return np.where(varies, product / np.sqrt(np.where(varies, spreads, 1.0)), 0.0)


def flipped_p(
    per_item: Floats, pairs: Sequence[tuple[int, int]], samples: int, seed: int
) -> Floats:
    """p-values of mean per-item correlations when two metrics' correlations of an item are swapped."""
    apart = np.stack([np.nan_to_num(per_item[a] - per_item[b]) for a, b in pairs], axis=1)
    # Swapping an item turns the sign of its difference.
    exact = exact_columns(apart, len(apart))
    total = exact.sum(axis=0)
    as_far = np.zeros(len(pairs))
    slack = _SLACK * len(apart)
    for chosen in _coins(samples, len(apart), seed):
        as_far += (np.abs(total - 2 * (chosen @ exact)) >= np.abs(total) - slack).sum(axis=0)
    return (as_far + 1) / (samples + 1)


def _coins(samples: int, units: int, seed: int) -> Iterator[Floats]:
    """Yield samples × units of 0 and 1.

    With so few units that every outcome can be listed the draws are still at random.
    """
    rng = stream("correlate permutation", seed)
    for count in chunks(samples, units):
        yield rng.integers(0, 2, size=(count, units)).astype(np.float64)


def items_needed(difference: float, draws: Floats, items: int) -> int | None:
    """Return how many more items would show a difference at 5 % with a power of 80 %; None if unknown."""
    used = draws[~np.isnan(draws)]
    if len(used) < 2 or abs(difference) <= _SLACK:
        return None
    error = float(used.std(ddof=1))
    reach = float(special.ndtri(0.975) + special.ndtri(0.8))
    needed = items * (reach * error / abs(difference)) ** 2
    return max(0, math.ceil(needed) - items) if needed < 1e12 else None
