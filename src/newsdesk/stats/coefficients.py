"""Pearson, Spearman, Kendall's tau-b and Stuart's tau-c between a metric and people, at three levels.

- `pooled`: one correlation over all outputs, as Qin et al. (2018) report;
- `item`: a correlation over the systems of each item, averaged over the items for which it is defined (both sides vary);
- `system`: one correlation over the systems' mean scores.

p-values: pooled and system as SciPy's tests, which take outputs (systems) as independent; item by a t-test of the mean over items.

**Many bootstrap samples** of pooled ranks. Spearman is computed anew in every sample: outputs are sorted once, a sample changes only their weights, so
mid-ranks are cumulative weights, and a product with a sparse matrix adds the other side's ranks. A side with more than 1,024 distinct values is cut into
1,024 groups of neighbours that share a rank, which changes a coefficient by less than 1e-4; the printed value is exact. Kendall's tau is linearized: the
change of the coefficient per item (its influence) is added up over the items drawn. What is left out is of the order 1/items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from newsdesk.arrays import Bools, Floats, Ints

_MAX_GROUPS = 1024  # of values that share a rank
_TABLE_CELLS = 1 << 22  # of the table of counts behind Kendall's influence
_AT_ONCE = 32  # samples per product: the tables stay in the processor's cache


@dataclass(frozen=True, slots=True, eq=False)
class PooledRanks:
    """The outputs of a study sorted once by people and by each metric into groups of equal ranks.

    The matrices are sparse and hold 0 and 1.
    """

    item_of: Ints  # the item of each output
    human_groups: Ints  # the group of each output
    human_weights: Any  # human groups × items
    metric_weights: tuple[Any, ...]  # for each metric: its groups × items
    metric_sums: Any  # groups of all metrics, one metric below the other × outputs
    offsets: Ints  # the first row of each metric in `metric_sums`, and the end

    @classmethod
    def of(cls, item_of: Ints, items: int, human: Floats, metrics: Floats) -> PooledRanks:
        """Group the outputs: `human` has a value per output, `metrics` is metrics × outputs.

        `item_of` has the item of each output, and `items` is their number.
        """
        outputs = np.arange(len(human))
        human_groups = groups_of(human, _MAX_GROUPS)
        metric_groups = [groups_of(metric, _MAX_GROUPS) for metric in metrics]
        sizes = [int(groups.max()) + 1 for groups in metric_groups]
        return cls(
            item_of=item_of,
            human_groups=human_groups,
            human_weights=_ones(human_groups, item_of, int(human_groups.max()) + 1, items),
            metric_weights=tuple(
                _ones(groups, item_of, size, items)
                for groups, size in zip(metric_groups, sizes, strict=True)
            ),
            metric_sums=sparse.vstack(
                [
                    _ones(groups, outputs, size, len(human))
                    for groups, size in zip(metric_groups, sizes, strict=True)
                ],
                format="csr",
            ),
            offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        )

    def spearman(self, counts: Floats) -> Floats:
        """Return samples × metrics: Spearman's rho where each item counts so often (samples × items)."""
        parts = [
            self._spearman(np.ascontiguousarray(counts[low : low + _AT_ONCE].T, dtype=np.float32))
            for low in range(0, len(counts), _AT_ONCE)
        ]
        return np.concatenate(parts)

    def _spearman(self, counts: Any) -> Floats:
        """Return samples × metrics from counts of a chunk of samples (items × samples)."""
        ranks, spread = _spread_of_ranks(self.human_weights @ counts)
        # The ranks of people carried to outputs, as often as their items are drawn, and added up by groups of each metric.
        carried = np.take(ranks.astype(np.float32), self.human_groups, axis=0)
        carried *= np.take(counts, self.item_of, axis=0)  # outputs × samples
        sums = self.metric_sums @ carried  # groups of all metrics × samples
        result = np.empty((counts.shape[1], len(self.metric_weights)))
        for index, weights in enumerate(self.metric_weights):
            metric_ranks, metric_spread = _spread_of_ranks(weights @ counts)
            low, high = self.offsets[index : index + 2]
            covariance = (metric_ranks * sums[low:high]).sum(axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):
                result[:, index] = covariance / np.sqrt(metric_spread * spread)
        return result


def groups_of(values: Floats, most: int) -> Ints:
    """Return the group of each value: 0 for the smallest values, and at most `most` groups.

    Equal values share a group; where there are more distinct values than groups, neighbours do too.
    """
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if len(sizes) <= most:
        return group.astype(np.int64)
    mid_places = np.cumsum(sizes) - (sizes + 1) / 2  # of each distinct value among all values
    coarse = np.floor(mid_places * most / len(values)).astype(np.int64)
    _, without_gaps = np.unique(coarse, return_inverse=True)
    return without_gaps[group].astype(np.int64)


def kendall_influence(item_of: Ints, items: int, human: Floats, metric: Floats) -> Floats:
    """Return how much each item moves the pooled tau-b per unit of its weight."""
    most = int(_TABLE_CELLS**0.5)
    x, y = groups_of(metric, most), groups_of(human, most)
    table = np.zeros((int(x.max()) + 2, int(y.max()) + 2))
    np.add.at(table, (x + 1, y + 1), 1.0)
    # below[i, j]: how many outputs lie in the first i groups of the metric and the first j of people.
    below = table.cumsum(axis=0).cumsum(axis=1)
    total = float(len(x))
    row, column = below[:, -1], below[-1]
    # Of each output, how many lie below its value (0), or at most at it (1), by metric x and people y.
    x0, x1, y0, y1 = row[x], row[x + 1], column[y], column[y + 1]
    both00, both01 = below[x, y], below[x, y + 1]
    both10, both11 = below[x + 1, y], below[x + 1, y + 1]
    concordant = both00 + total - x1 - y1 + both11  # with each output
    discordant = (x0 - both01) + (y0 - both10)
    agree = concordant - discordant
    untied_x, untied_y = total - (x1 - x0), total - (y1 - y0)
    sum_x, sum_y = untied_x.sum(), untied_y.sum()
    if not (sum_x and sum_y):
        return np.zeros(items)
    scale = np.sqrt(sum_x * sum_y)
    tau = agree.sum() / scale
    # The derivative of Σ agree / √(Σ untied_x · Σ untied_y) by the weight of an output.
    of_output = 2 * agree / scale - tau * (untied_x / sum_x + untied_y / sum_y)
    return np.bincount(item_of, weights=of_output, minlength=items).astype(np.float64)


def _spread_of_ranks(weights: Any) -> tuple[Floats, Floats]:
    """Return centred mid-ranks of groups (groups × samples), and their weighted squares per sample."""
    weights = weights.astype(np.float64)  # groups × samples
    ranks = weighted_mid_ranks(weights, axis=0)  # groups × samples
    return ranks, (weights * ranks * ranks).sum(axis=0)


def _ones(rows: Ints, columns: Ints, height: int, width: int) -> Any:
    """Return a sparse matrix of height × width that counts how often each cell is named."""
    ones = np.ones(len(rows), dtype=np.float32)
    return sparse.csr_array((ones, (rows, columns)), shape=(height, width))


Level = Literal["pooled", "item", "system"]
Coefficient = Literal["pearson", "spearman", "kendall", "kendall_c"]
LEVELS: tuple[Level, ...] = ("pooled", "item", "system")
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall", "kendall_c")

_CELLS = 1 << 22  # rows × systems × systems held at a time
_FLAT = 1e-12  # relative: below it a side does not vary


@dataclass(frozen=True, slots=True)
class TestedCorrelation:
    """A correlation with its two-sided p-value and the number of units behind it; nan if undefined."""

    value: float
    p: float
    n: int


def mid_ranks(values: ArrayLike) -> Floats:
    """Rank along the last axis: tied values share the mean of their places; nan stays nan.

    >>> mid_ranks([3, 1, 1, 2]).tolist()
    [4.0, 1.5, 1.5, 3.0]
    """
    from scipy import stats

    return stats.rankdata(np.asarray(values, dtype=np.float64), axis=-1, nan_policy="omit")


def weighted_mid_ranks(weights: Floats, axis: int) -> Floats:
    """Return centred mid-ranks of ascending values, each repeated as often as its weight says.

    >>> weighted_mid_ranks(np.array([2.0, 0.0, 1.0]), axis=0).tolist()
    [-0.5, 0.5, 1.0]
    """
    total = weights.sum(axis=axis, keepdims=True)
    return np.cumsum(weights, axis=axis) - (weights + total) / 2


def row_correlations(x: Floats, y: Floats) -> dict[Coefficient, Floats]:
    """Return the four coefficients of each row of x with the same row of y (rows × systems).

    Nan entries are left out, undefined correlations are nan.

    >>> rows = row_correlations(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), np.array([[1.0, 3.0, 2.0], [1.0, 2.0, 3.0]]))
    >>> rows["spearman"].tolist(), round(float(rows["kendall"][0]), 4)
    ([0.5, nan], 0.3333)
    """
    rows = max(1, _CELLS // max(1, x.shape[1] ** 2))
    parts = [
        _row_correlations(x[low : low + rows], y[low : low + rows])
        for low in range(0, len(x), rows)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in COEFFICIENTS}


def _row_correlations(x: Floats, y: Floats) -> dict[Coefficient, Floats]:
    """Return `row_correlations` of rows whose pairs of systems fit into memory."""
    both = ~np.isnan(x) & ~np.isnan(y)  # rows × systems
    pairs = both[:, :, None] & both[:, None, :]  # rows × systems × systems
    above_x, above_y = _signs(x, pairs), _signs(y, pairs)  # rows × systems × systems
    ranks_x, ranks_y = (above.sum(axis=2) / 2 for above in (above_x, above_y))  # rows × systems
    # Concordant pairs less discordant ones, and the pairs that are not tied on a side; every pair counts twice.
    product = (above_x * above_y).sum(axis=(1, 2))
    untied_x, untied_y = (np.abs(above).sum(axis=(1, 2)) for above in (above_x, above_y))
    count = both.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # tau-b divides by the untied pairs of both sides, tau-c by what a table of the smaller side could reach.
        tau_b = product / np.sqrt(untied_x * untied_y)
        smaller = np.minimum(_distinct(above_x, both), _distinct(above_y, both))
        tau_c = product * smaller / (count**2 * (smaller - 1.0))
    undefined = (untied_x == 0) | (untied_y == 0)
    tau_c[undefined] = tau_b[undefined] = np.nan
    return {
        "pearson": _pearson_rows(x, y, both),
        "spearman": _pearson_rows(ranks_x, ranks_y, both),
        "kendall": np.clip(tau_b, -1, 1),
        "kendall_c": np.clip(tau_c, -1, 1),
    }


def _signs(values: Floats, pairs: Bools) -> Floats:
    """Return rows × systems × systems: 1 where the first is above the second, -1 below, 0 tied or missing."""
    with np.errstate(invalid="ignore"):
        signs = np.sign(values[:, :, None] - values[:, None, :])
    return np.where(pairs, signs, 0.0)


def _distinct(above: Floats, both: Bools) -> Floats:
    """Return how many distinct values each row has, from its `_signs`; `both` says what is present."""
    tied_before = (above == 0) & both[:, :, None] & both[:, None, :]
    first = ~np.tril(tied_before, -1).any(axis=2) & both
    return first.sum(axis=1).astype(np.float64)


def _pearson_rows(x: Floats, y: Floats, both: Bools) -> Floats:
    """Return Pearson's r of each row over the systems where `both` is true; nan if a side is flat."""
    count = np.maximum(both.sum(axis=1, keepdims=True), 1)
    centred = []
    for side in (x, y):
        values = np.where(both, side, 0.0)
        off = np.where(both, values - values.sum(axis=1, keepdims=True) / count, 0.0)
        largest = np.abs(values).max(axis=1, initial=0.0)
        spread = np.sqrt((off**2).sum(axis=1))
        off[spread <= _FLAT * largest] = 0.0
        centred.append(off)
    off_x, off_y = centred
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (off_x * off_y).sum(axis=1) / np.sqrt((off_x**2).sum(axis=1) * (off_y**2).sum(axis=1))
    return np.clip(r, -1, 1)


def flat_correlations(x: Floats, y: Floats) -> dict[Coefficient, TestedCorrelation]:
    """Return the four coefficients of two lists of numbers, with p-values; nan where a side does not vary."""
    from scipy import stats

    used = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[used], y[used]
    count = len(x)
    if count < 2 or not (_varies(x) and _varies(y)):
        return {name: TestedCorrelation(np.nan, np.nan, count) for name in COEFFICIENTS}
    if count == 2:  # any two points lie on a line
        sign = float(np.sign((x[1] - x[0]) * (y[1] - y[0])))
        return {name: TestedCorrelation(sign, 1.0, 2) for name in COEFFICIENTS}
    results = {
        "pearson": stats.pearsonr(x, y),
        "spearman": stats.spearmanr(x, y),
        "kendall": stats.kendalltau(x, y),
        "kendall_c": stats.kendalltau(x, y, variant="c"),
    }
    return {
        name: TestedCorrelation(
            min(1.0, max(-1.0, float(results[name].statistic))), float(results[name].pvalue), count
        )
        for name in COEFFICIENTS
    }


def mean_correlations(per_item: dict[Coefficient, Floats]) -> dict[Coefficient, TestedCorrelation]:
    """Average each coefficient over the items for which it is defined, and test it against 0 by t."""
    return {name: _mean_estimate(values) for name, values in per_item.items()}


def _mean_estimate(values: Floats) -> TestedCorrelation:
    """Return the mean of the values that are not nan; one value has p = 1, equal ones p = 0 or 1."""
    from scipy import special

    used = values[~np.isnan(values)]
    count = len(used)
    if not count:
        return TestedCorrelation(np.nan, np.nan, 0)
    mean = float(used.mean())
    if count == 1:
        return TestedCorrelation(mean, 1.0, 1)
    error = float(used.std(ddof=1)) / np.sqrt(count)
    if error <= _FLAT:
        return TestedCorrelation(mean, 1.0 if abs(mean) <= _FLAT else 0.0, count)
    return TestedCorrelation(mean, float(2 * special.stdtr(count - 1, -abs(mean / error))), count)


def system_means(values: Floats) -> Floats:
    """Return the mean of each system over the items that it answered: … × items × systems → … × systems."""
    present = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(present, values, 0.0).sum(axis=-2) / present.sum(axis=-2)


def _varies(side: Floats) -> bool:
    return bool(np.ptp(side) > _FLAT * np.abs(side).max())
