"""Measures of a ranking of one article's comments: NDCG, precision at k and rank correlations.

`scores` are what a ranker predicted and `gains` what people said (C-scores, shares, grades), one of each per comment, higher
is better. NDCG is Järvelin and Kekäläinen's (2002) with the discount log2(rank + 1), as in trec_eval, scikit-learn and Fujita
et al. (2019). What the tools do differently, and what we do:

- Scores that agree after rounding to 1e-9 are tied. Tied comments stand in the order given (`position`), or earn the mean over
  all their orders (`average`, as scikit-learn), or stand worst or best first (`pessimistic`, `optimistic`).
- A gain below zero counts as zero, as in trec_eval, so that NDCG stays in [0, 1].
- An article without any gain has NDCG 0, as in trec_eval; it is not left out of the mean.
- `exp` is (2^gain - 1) over log2(rank + 1). Gains are scaled by the largest power first, so that nothing overflows.
- `letor` is `eval_list` of liblinear-ranksvm: gain 2^gain - 1, ranks 1 and 2 without discount and rank i divided by log2(i), and
  the mean of NDCG@1, NDCG@2, … up to k; without k up to the last comment, which is what that program prints.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from newsdesk.arrays import Floats, Ints, best_first, rounded
from newsdesk.errors import ArgumentError
from newsdesk.settings import one_of

Measure: TypeAlias = Callable[[ArrayLike, ArrayLike], float]
Gain = Literal["linear", "exp", "letor"]
Ties = Literal["position", "average", "pessimistic", "optimistic"]


def ndcg(
    scores: ArrayLike,
    gains: ArrayLike,
    k: int | None = None,
    *,
    gain: Gain = "linear",
    ties: Ties = "position",
) -> float:
    """Return the gain collected on the first k ranks, as a share of what the best order would collect.

    >>> round(ndcg([5, 4, 3, 2, 1], [2, 3, 5, 4, 0]), 6)
    0.820985
    >>> round(ndcg([5, 4, 3, 2, 1], [2, 3, 5, 4, 0], gain="exp"), 6)
    0.649122
    >>> ndcg([1, 1], [0, 3], 1), ndcg([1, 1], [0, 3], 1, ties="average")
    (0.0, 0.5)
    """
    one_of("gain", gain, get_args(Gain))
    one_of("ties", ties, get_args(Ties))
    predicted, true = _two_columns(scores, gains, ("score", "gain"))
    depth = _depth(k, len(true))
    earned = np.maximum(true, 0.0)
    if gain != "linear":
        earned = _exponential(earned)
    if not earned.any():
        return 0.0
    ranks = np.arange(1, depth + 1, dtype=np.float64)
    discounts = np.log2(np.maximum(ranks, 2.0) if gain == "letor" else ranks + 1)
    # DCG at 1, 2, … of the predicted and of the best order.
    collected = np.cumsum(_in_order(predicted, earned, ties)[:depth] / discounts)
    best = np.cumsum(-np.sort(-earned)[:depth] / discounts)
    share = np.mean(collected / best) if gain == "letor" else collected[-1] / best[-1]
    return min(1.0, float(share))


def precision_at(scores: ArrayLike, gains: ArrayLike, k: int) -> float:
    """Return the mean probability of the predicted top k in a true top k, over all orders of ties.

    A gain above the k-th best counts 1, a gain equal to it the places left at that gain over the comments that share it, a gain
    below it 0. Of fewer than k comments all are the top k, and the precision is 1.

    >>> precision_at([4, 3, 2, 1], [1, 2, 1, 3], 2)
    0.5
    >>> round(precision_at([4, 3, 2, 1], [2, 2, 2, 3], 2), 6)
    0.333333
    """
    predicted, true = _two_columns(scores, gains, ("score", "gain"))
    depth = _depth(k, len(true))
    rounded_gains = rounded(true)
    kth_best = -np.sort(-rounded_gains)[depth - 1]
    above, equal = rounded_gains > kth_best, rounded_gains == kth_best
    credit = above + equal * ((depth - above.sum()) / equal.sum())
    return float(credit[_top(predicted, depth)].mean())


def strict_precision_at(scores: ArrayLike, gains: ArrayLike, k: int) -> float:
    """Return the share of the predicted top k in the true top k, equal gains in their order.

    >>> strict_precision_at([4, 3, 2, 1], [2, 2, 2, 3], 2)
    0.5
    """
    predicted, true = _two_columns(scores, gains, ("score", "gain"))
    depth = _depth(k, len(true))
    shared = np.intersect1d(_top(predicted, depth), _top(true, depth), assume_unique=True)
    return len(shared) / depth


def per_article(
    measure: Measure, scores: Sequence[ArrayLike], gains: Sequence[ArrayLike]
) -> Floats:
    """Return the measure of each article; the corpus value is their mean, and `significance` resamples it.

    >>> from functools import partial
    >>> values = per_article(partial(ndcg, k=1), [[2, 1], [2, 1]], [[3, 0], [0, 3]])
    >>> values.tolist(), float(values.mean())
    ([1.0, 0.0], 0.5)
    """
    if len(scores) != len(gains):
        raise ArgumentError(f"{len(scores)} articles have scores but {len(gains)} have gains")
    if not len(scores):
        raise ArgumentError("no articles: there is nothing to take a figure of")
    pairs = zip(scores, gains, strict=True)
    return np.array([measure(predicted, true) for predicted, true in pairs], dtype=np.float64)


def kendall(a: ArrayLike, b: ArrayLike, *, variant: Literal["b", "c"] = "b") -> float:
    """Return Kendall's tau-b, or Stuart's tau-c by name; 0 when a side is constant.

    Unlike rankings, correlations do not round: values that differ at all are not tied.

    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]), 6), kendall([1, 2], [5, 5])
    (0.666667, 0.0)
    """
    one_of("variant", variant, ("b", "c"))
    first, second = _correlated(a, b)
    if _is_constant(first) or _is_constant(second):
        return 0.0
    from scipy import stats  # takes 0.6 s to import, and rankings do without it

    return _clipped(stats.kendalltau(first, second, variant=variant).statistic)


def spearman(a: ArrayLike, b: ArrayLike) -> float:
    """Return Spearman's rho, equal values sharing their mean rank; 0 when a side is constant.

    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 40]), 6)
    0.8
    """
    first, second = _correlated(a, b)
    if _is_constant(first) or _is_constant(second):
        return 0.0
    from scipy import stats

    return _clipped(stats.spearmanr(first, second).statistic)


def varies(side: Floats) -> bool:
    """Return whether there is more than one value, rounding errors (1e-12 of the largest) aside."""
    return bool(np.ptp(side) > 1e-12 * np.abs(side).max())


def pearson(a: ArrayLike, b: ArrayLike) -> float:
    """Return Pearson's r; 0 when a side does not vary.

    >>> round(pearson([1, 2, 3], [2, 4, 5]), 6)
    0.981981
    """
    first, second = _correlated(a, b)
    if not (varies(first) and varies(second)):
        return 0.0
    from scipy import stats

    return _clipped(stats.pearsonr(first, second).statistic)


def _exponential(gains: Floats) -> Floats:
    """Return (2^g - 1) / 2^max of each gain g."""
    # Written as 2^(g - max) · (1 - 2^-g): no overflow, and no digits lost for small g.
    return np.exp2(gains - gains.max()) * -np.expm1(-gains * math.log(2))


def _in_order(scores: Floats, gains: Floats, ties: Ties) -> Floats:
    """Return the gain at each rank, under the rule for ties."""
    descending = -rounded(scores)
    if ties == "pessimistic":
        return gains[np.lexsort((gains, descending))]
    if ties == "optimistic":
        return gains[np.lexsort((-gains, descending))]
    order = np.argsort(descending, kind="stable")
    if ties == "position":
        return gains[order]
    # Average: every comment of a run of ties earns the mean of the run.
    starts = np.flatnonzero(np.diff(descending[order], prepend=-np.inf))
    sizes = np.diff(starts, append=len(order))
    return np.repeat(np.add.reduceat(gains[order], starts) / sizes, sizes)


def _top(values: Floats, depth: int) -> Ints:
    return best_first(values)[:depth]


def _depth(k: int | None, count: int) -> int:
    if k is not None and (not isinstance(k, int | np.integer) or k < 1):
        raise ArgumentError(f"k is {k}, not a whole number from 1 up")
    return count if k is None else min(int(k), count)


def _two_columns(a: ArrayLike, b: ArrayLike, names: tuple[str, str]) -> tuple[Floats, Floats]:
    """Return both as floats; raise an error unless both hold a finite number for each comment.

    `names` are what a value of each is called in the error.
    """
    columns = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    for column, name in zip(columns, names, strict=True):
        if column.ndim != 1:
            raise ArgumentError(f"{name}s have shape {column.shape}, not one number each")
        if not np.isfinite(column).all():
            index = int(np.flatnonzero(~np.isfinite(column))[0])
            raise ArgumentError(f"{name} {index} is {column[index]}, not a finite number")
    if len(columns[0]) != len(columns[1]):
        raise ArgumentError(f"{len(columns[0])} {names[0]}s but {len(columns[1])} {names[1]}s")
    if not len(columns[0]):
        raise ArgumentError(f"no {names[0]}s: there is nothing to rank")
    return columns


def _correlated(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    first, second = _two_columns(a, b, ("first value", "second value"))
    if len(first) < 2:
        raise ArgumentError("a correlation needs at least two pairs of values, not 1")
    return first, second


def _is_constant(values: Floats) -> bool:
    return bool((values == values[0]).all())


def _clipped(value: float) -> float:
    return min(1.0, max(-1.0, float(value)))
