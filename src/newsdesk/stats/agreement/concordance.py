"""Agreement of rankings (Kendall's W, tau-b), of item means (split halves), and by analysis of variance.

- **Fleiss' kappa** (1971): the mean over items of the share of agreeing pairs, corrected by the shares of all judgments. Every item counts once;
  in `RotatingKappa` every pair does, and with equally many judgments per item the two are the same.
- **ICC(1,1)** (Shrout and Fleiss 1979): items are judged by annotators of their own; computed from the one-way analysis of variance, with the mean
  number of judgments of unbalanced designs (n0). It is what fits rotating pairs of annotators.
- **ICC(2,1)** and **ICC(3,1)**: all annotators judged the item; agreement in the values, and in their order up to a constant per annotator. Only
  items that all annotators judged count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.settings import at_least, one_of
from newsdesk.stats.agreement.coincidences import array_units, coded, numbers, why_none
from newsdesk.stats.coefficients import mid_ranks, weighted_mid_ranks
from newsdesk.stats.resample import product
from newsdesk.stats.units import (
    ItemUnits,
    Measure,
    additive,
    alike,
    undefined,
)
from newsdesk.streams import stream
from newsdesk.wording import plural

Form = Literal["1,1", "2,1", "3,1"]


@dataclass(frozen=True)
class FleissKappa(Measure):
    """Fleiss' kappa of annotators × items."""

    kind: ClassVar[str] = "Fleiss' kappa"

    def units(self, values: Any) -> ItemUnits:
        """Reduce each item of two or more judgments to its agreeing pairs and its counts of labels."""
        codes, labels = coded(values)
        there = codes >= 0
        usable = np.flatnonzero(there.sum(axis=0) > 1)
        if not len(usable):
            return undefined(why_none(there), int(there.any(axis=1).sum()))
        # items × labels
        counts = np.stack(
            [(codes[:, usable] == code).sum(axis=0) for code in range(len(labels))], axis=1
        )
        size = counts.sum(axis=1)
        agreeing = (counts * (counts - 1)).sum(axis=1) / (size * (size - 1))
        rows, sorts = alike(np.column_stack([agreeing, np.ones(len(usable)), counts]))

        def value(weights: Floats) -> Floats:
            sums = product(weights, rows)  # samples × columns
            agreed, items, of_labels = sums[:, 0], sums[:, 1], sums[:, 2:]
            observed = agreed / np.maximum(items, _SAME)
            shares = of_labels / np.maximum(of_labels.sum(axis=1, keepdims=True), _SAME)
            chance = (shares**2).sum(axis=1)
            return _ratio(observed - chance, 1 - chance)

        return array_units(sorts, value, codes, usable, labels)


@dataclass(frozen=True)
class ICC(Measure):
    """An intraclass correlation of single judgments (annotators × items, numbers): `1,1`, `2,1` or `3,1`."""

    form: Form = "1,1"
    kind: ClassVar[str] = "ICC"

    def __post_init__(self) -> None:
        one_of("form", self.form, get_args(Form))

    @property
    def name(self) -> str:
        """The name of Shrout and Fleiss, such as `ICC(1,1)`."""
        return f"ICC({self.form})"

    def units(self, values: Any) -> ItemUnits:
        """Reduce each item to the sums that the analysis of variance adds up."""
        codes, labels = coded(values)
        there = codes >= 0
        # A code of -1, no judgment, looks up the nan at the end.
        grade_of_code = np.append(numbers(labels, "an intraclass correlation"), np.nan)
        judges = np.flatnonzero(there.any(axis=1))
        if self.form == "1,1":
            usable = np.flatnonzero(there.sum(axis=0) > 1)
        else:
            usable = np.flatnonzero(there[judges].all(axis=0) & (len(judges) > 1))
        if not len(usable):
            reason = (
                why_none(there) if self.form == "1,1" else "no item was judged by all annotators"
            )
            return undefined(reason, len(judges))
        table = grade_of_code[codes[np.ix_(judges, usable)]].T  # items × judges
        table = table - np.nanmean(table)  # squares of large numbers would lose their last digits
        size = (~np.isnan(table)).sum(axis=1).astype(np.float64)
        total = np.nansum(table, axis=1)
        basic = [
            np.ones(len(size)),
            size,
            size**2,
            total,
            np.nansum(table**2, axis=1),
            total**2 / size,
        ]
        # The two-way forms also need the sum of each judge.
        columns = basic if self.form == "1,1" else [*basic, *np.nan_to_num(table).T]
        rows, sorts = alike(np.column_stack(columns))
        formula = _one_way if self.form == "1,1" else self._two_way
        return array_units(
            sorts, lambda weights: formula(product(weights, rows)), codes, usable, labels
        )

    def _two_way(self, sums: Floats) -> Floats:
        """Return ICC(2,1) or ICC(3,1) from sums over items: the columns of `units`."""
        n, judgments, _, total, squares, item_squares = sums[:, :6].T
        judge_totals = sums[:, 6:]  # samples × judges
        judges = judge_totals.shape[1]
        correction = total**2 / np.maximum(judgments, _SAME)
        of_judges = (judge_totals**2).sum(axis=1) / np.maximum(n, _SAME) - correction
        # Mean squares of items, and of what items and judges leave over.
        between = (item_squares - correction) / np.maximum(n - 1, _SAME)
        left = squares - item_squares - of_judges
        error = left / np.maximum((n - 1) * (judges - 1), _SAME)
        if self.form == "3,1":
            return _ratio(between - error, between + (judges - 1) * error)
        bias = judges * (of_judges / (judges - 1) - error) / np.maximum(n, _SAME)
        return _ratio(between - error, between + (judges - 1) * error + bias)


def _one_way(sums: Floats) -> Floats:
    """Return ICC(1,1) from sums over items: the columns of `ICC.units`."""
    n, judgments, squared_sizes, total, squares, item_squares = sums.T
    # Mean squares between items and within them, and the mean number of judgments n0.
    between = (item_squares - total**2 / np.maximum(judgments, _SAME)) / np.maximum(n - 1, _SAME)
    error = (squares - item_squares) / np.maximum(judgments - n, _SAME)
    mean_size = (judgments - squared_sizes / np.maximum(judgments, _SAME)) / np.maximum(
        n - 1, _SAME
    )
    return _ratio(between - error, between + (mean_size - 1) * error)


def _ratio(above: Floats, below: Floats) -> Floats:
    """Return the quotient, nan where nothing varies."""
    return np.divide(above, below, out=np.full(len(above), np.nan), where=np.abs(below) > _SAME)


Correlation = Literal["pearson", "spearman"]
_SAME = 1e-12


@dataclass(frozen=True)
class KendallW(Measure):
    """Kendall's W, the mean over items (annotators × items × systems, or annotators × systems)."""

    kind: ClassVar[str] = "Kendall's W"

    def units(self, values: Any) -> ItemUnits:
        """Compute Kendall's W of each item, over which the bootstrap resamples."""
        ranks, ranked = _rankings(values)  # annotators × items × systems
        annotators = ranked.any(axis=2).sum(axis=0)
        off = np.where(ranked, ranks - (ranked.sum(axis=2, keepdims=True) + 1) / 2, 0.0)
        most = annotators * (off**2).sum(axis=(0, 2))
        agreed = (off.sum(axis=0) ** 2).sum(axis=1)
        usable = np.flatnonzero((annotators > 1) & (most > 0))
        rows = np.column_stack([agreed[usable] / most[usable], np.ones(len(usable))])
        return _of_rankings(rows, usable, ranked)


@dataclass(frozen=True)
class TauB(Measure):
    """Kendall's tau-b, the mean over all pairs of annotators who ranked the same item; shapes as for W."""

    kind: ClassVar[str] = "tau-b"

    def units(self, values: Any) -> ItemUnits:
        """Reduce each item to the sum of tau-b over its pairs of annotators, and the number of pairs."""
        ranks, ranked = _rankings(values)
        first, second = np.triu_indices(ranks.shape[2], 1)
        # annotators × items × pairs of systems; of unit length, so that tau-b is a product of two
        order = np.nan_to_num(np.sign(ranks[:, :, first] - ranks[:, :, second]))
        length = np.sqrt((order**2).sum(axis=2, keepdims=True))
        order = np.divide(order, length, out=np.zeros_like(order), where=length > 0)
        rankers = (length[:, :, 0] > 0).sum(axis=0)  # of each item, those who do not tie everything
        # The products of all pairs of unit vectors: half of what |their sum|² has beyond each one's own 1.
        total = ((order.sum(axis=0) ** 2).sum(axis=1) - rankers) / 2
        usable = np.flatnonzero(rankers > 1)
        rows = np.column_stack([total, rankers * (rankers - 1) / 2])[usable]
        return _of_rankings(rows, usable, ranked)


@dataclass(frozen=True)
class SplitHalf(Measure):
    """The mean correlation over items of random halves of each item's annotators.

    For the `full` panel by Spearman-Brown.
    """

    correlation: Correlation = "pearson"
    panel: Literal["half", "full"] = "half"
    repeats: int = 20
    seed: int = 0
    kind: ClassVar[str] = "split halves"

    def __post_init__(self) -> None:
        one_of("correlation", self.correlation, get_args(Correlation))
        one_of("panel", self.panel, ("half", "full"))
        at_least("repeats", self.repeats, 1)

    def units(self, values: Any) -> ItemUnits:
        """Reduce each item to the means of its two halves, for every random split."""
        codes, labels = coded(values)
        scale = numbers(labels, self.name)
        there = codes >= 0
        annotators = int(there.any(axis=1).sum())
        usable = np.flatnonzero(there.sum(axis=0) > 1)
        if len(usable) < 3:
            items = plural(len(usable), "item")
            too_few = f"{items} of two or more judgments: too few for a correlation"
            return undefined(too_few if len(usable) else why_none(there), annotators)
        grades = np.append(scale, 0.0)[codes[:, usable]]
        halves = _halves(grades, there[:, usable], self.repeats, self.seed)
        correlated = _pearson if self.correlation == "pearson" else _spearman

        def value(weights: Floats) -> Floats:
            columns = np.ascontiguousarray(weights.T)  # items × samples
            by_split = [
                correlated((holders @ columns).T, first, second)
                for (first, second), holders in halves
            ]
            r = _mean_defined(np.array(by_split))
            with np.errstate(divide="ignore"):
                return 2 * r / (1 + r) if self.panel == "full" else r

        if not np.isfinite(value(np.ones((1, len(usable)))))[0]:
            return undefined("items do not differ in their means: nothing varies", annotators)
        return array_units(np.arange(len(usable)), value, codes, usable, labels)


def _rankings(values: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Return mid-ranks, annotators × items × systems, and where there is one."""
    ranks = mid_ranks(values)
    if ranks.ndim == 2:
        ranks = ranks[:, None, :]
    if ranks.ndim != 3:
        raise ArgumentError(f"ranks have shape {ranks.shape}, not annotators × items × systems")
    ranked = ~np.isnan(ranks)
    differ = ranked.any(axis=2, keepdims=True) & (ranked != ranked.any(axis=0))
    if differ.any():
        item = int(np.argwhere(differ)[0][1])
        raise ArgumentError(f"item {item} (from 0): its annotators ranked different systems")
    return ranks, ranked


def _of_rankings(rows: Floats, usable: Ints, ranked: NDArray[np.bool_]) -> ItemUnits:
    """Return the units of Σ first column / Σ second column of `rows`, one for each usable item."""
    rankers = np.any(ranked, axis=2)  # annotators × items
    if not len(usable):
        met = (rankers.sum(axis=0) > 1).any()
        alone = "no item was ranked by two annotators"
        return undefined(
            "the rankings tie all systems" if met else alone, int(rankers.any(axis=1).sum())
        )
    rest = int(rankers.any(axis=0).sum()) - len(usable)
    return additive(
        rows,
        lambda sums: sums[:, 0] / sums[:, 1],
        annotators=int(rankers[:, usable].any(axis=1).sum()),
        judgments=int(rankers[:, usable].sum()),
        note=f"left out: {plural(rest, 'item')} without two rankings that order anything"
        if rest
        else "",
        columns=usable,
        width=ranked.shape[1],
    )


def _halves(
    values: Floats, there: NDArray[np.bool_], repeats: int, seed: int
) -> list[tuple[Floats, sparse.csr_array]]:
    """Return of every random split the distinct pairs (2 × q) of half means, and who has them (q × items).

    `values` and `there` are annotators × items. With an odd number of judgments the second half has one more.
    """
    rng = stream("halves", seed)
    items = np.arange(there.shape[1])
    splits = []
    for _ in range(repeats):
        # A random order of each item's annotators; those without a judgment come last.
        order = np.argsort(np.where(there, rng.random(there.shape), 2.0), axis=0)
        first = np.argsort(order, axis=0) < there.sum(axis=0) // 2
        halves = np.stack([first, there & ~first])  # 2 × annotators × items
        means = (values * halves).sum(axis=1) / halves.sum(axis=1)  # 2 × items
        pairs, which = alike(np.round(means.T, 9))
        splits.append((pairs.T, sparse.csr_array((np.ones(len(items)), (which, items)))))
    return splits


def _pearson(weights: Floats, x: Floats, y: Floats) -> Floats:
    x, y = x - x.mean(), y - y.mean()
    sums = product(weights, np.column_stack([x, y, x * x, y * y, x * y]))
    n = weights.sum(axis=1)
    return _correlation(n, sums.T, n * (x * x).max(), n * (y * y).max())


def _spearman(weights: Floats, x: Floats, y: Floats) -> Floats:
    a, b = _weighted_ranks(weights, x), _weighted_ranks(weights, y)  # samples × pairs of means
    sums = [np.einsum("kn,kn->k", weights, term) for term in (a, b, a * a, b * b, a * b)]
    n = weights.sum(axis=1)
    return _correlation(n, np.array(sums), n**3, n**3)


def _correlation(n: Floats, sums: Floats, most_x: Floats, most_y: Floats) -> Floats:
    """Return Pearson's r from sums of x, y, x², y² and xy; nan where a side is constant.

    `sums` has a row for each of the five and a column for each sample, of `n` items; `most_x` and `most_y` bound the sums of squares, as
    the scale of rounding errors.
    """
    x, y, xx, yy, xy = sums
    x_spread, y_spread = n * xx - x * x, n * yy - y * y  # n² times the variance
    varied = (x_spread > _SAME * n * most_x) & (y_spread > _SAME * n * most_y)
    scale = np.sqrt(np.where(varied, x_spread * y_spread, 1.0))
    return np.where(varied, np.clip((n * xy - x * y) / scale, -1, 1), np.nan)


def _weighted_ranks(weights: Floats, x: Floats) -> Floats:
    """Return the centred mid-rank of each item when every item is repeated as often as its weight says."""
    which = np.unique(x, return_inverse=True)[1]  # of the distinct values, in ascending order
    order = np.argsort(which, kind="stable")
    starts = np.flatnonzero(np.diff(which[order], prepend=-1))
    counts = np.add.reduceat(weights[:, order], starts, axis=1)  # samples × distinct values
    return weighted_mid_ranks(counts, axis=1)[:, which]


def _mean_defined(values: Floats) -> Floats:
    """Return the mean of each column over its finite values; nan where there is none."""
    defined = np.isfinite(values)
    total = np.where(defined, values, 0.0).sum(axis=0)
    count = defined.sum(axis=0)
    return np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
