"""Estimate what depends on items, with a bootstrap interval over items: agreement, mean ranks, strengths.

An interval generalizes to other items judged by the same annotators; it is the widened BCa of `intervals`. For seven measures of 20 items
percentiles cover in 89.5 to 94.4 %, BCa alone in 91.7 to 96.0 %, these in 94.4 to 97.7 %; of 100 items all three in 93.4 to 95.7 % (1,000
simulated campaigns each). Where a fifth of the judgments of 20 items is missing, these cover alpha and kappa in 91.9 to 95.9 % (15 cases of
700 simulated campaigns each), and the report says so.

A measure is written once, for any weights of the items: the data have weights of one, a bootstrap sample has multinomial counts as
weights, and leaving an item out reduces a weight by one. Items that a measure cannot tell apart are one sort and share one count, so
the cost of a sample is the number of sorts.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.stats.intervals import acceleration, ends
from newsdesk.stats.resample import check_sampling, chunks, product, resample_sorts

Values: TypeAlias = Callable[[Floats], Floats]

_LEFT_OUT = 200  # sorts of items that the jackknife of the acceleration leaves out at most


@dataclass(frozen=True, slots=True)
class Spread:
    """Estimates, the ends of their intervals (nan if none), and the share of samples that are undefined."""

    value: Floats
    low: Floats
    high: Floats
    undefined: Floats


@dataclass(frozen=True, slots=True)
class ItemUnits:
    """The items as a measure sees them: the sort of each, and values for weights of sorts (k × sorts).

    A value is nan where the measure is undefined, and `note` says why. `columns` has the place of each item among the `width` columns
    of the input, if that is an array.
    """

    sorts: Ints  # of each item, from 0
    values: Values  # k × sorts → k numbers
    annotators: int = 0
    judgments: int = 0
    note: str = ""
    columns: Ints | None = None
    width: int = 0

    @property
    def value(self) -> float | None:
        """The value over all items, None where it is undefined."""
        if not len(self.sorts):
            return None
        value = float(self.values(np.bincount(self.sorts)[None].astype(np.float64))[0])
        return value if math.isfinite(value) else None


class Measure(ABC):
    """A measure of agreement: a frozen dataclass of its settings."""

    kind: ClassVar[str]

    @property
    def name(self) -> str:
        """The name in tables, such as `alpha (ordinal)`."""
        settings = (getattr(self, field.name) for field in dataclasses.fields(self))  # type: ignore[arg-type]
        named = ", ".join(setting for setting in settings if isinstance(setting, str))
        return f"{self.kind} ({named})" if named else self.kind

    @abstractmethod
    def units(self, values: Any) -> ItemUnits:
        """Reduce the judgments to what the measure needs of each item."""


def over_items(
    rows: ArrayLike, values: Values, *, samples: int = 1000, level: float = 0.95, seed: int = 0
) -> Spread:
    """Estimate what depends on sums over items (a row each), with bootstrap intervals.

    `values` turns summed rows (k × s) into k numbers, or into k × q for q estimates at once; nan where undefined.

    >>> spread = over_items([[1, 1], [0, 1], [1, 1], [1, 1]], lambda sums: sums[:, 0] / sums[:, 1])
    >>> spread.value.tolist()
    [0.75]
    """
    items = np.asarray(rows, dtype=np.float64)
    if items.ndim != 2 or not len(items) or not np.isfinite(items).all():
        raise ArgumentError(f"rows of shape {items.shape} are not items × columns, all finite")
    return spread_of(additive(items, values), samples=samples, level=level, seed=seed)


def spread_of(
    units: ItemUnits,
    groups: ArrayLike | None = None,
    *,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Spread:
    """Return the estimate of these units with its interval; items of one group are resampled together.

    `groups` names the group of each column of the input; without it every item is drawn alone.
    """
    check_sampling(samples, level)
    counts, values = _drawn_as(units, groups)
    items = int(counts.sum())
    estimate = values(counts[None].astype(np.float64)).reshape(-1)
    if items == 1:
        nans = np.full(len(estimate), np.nan)
        return Spread(estimate, low=nans, high=nans, undefined=nans)
    # samples × estimates
    sampled = _concatenated(values, resample_sorts("items", seed, sizes=counts, samples=samples))
    # Every sort, or every n-th of many, is left out once.
    chosen = np.arange(0, len(counts), math.ceil(len(counts) / _LEFT_OUT))
    without = _concatenated(values, _one_less(counts, chosen))  # chosen sorts × estimates
    intervals = []
    for value, draws, jackknife in zip(estimate.tolist(), sampled.T, without.T, strict=True):
        skew = acceleration(jackknife, counts[chosen], items)
        interval = ends(draws, "bca", value=value, units=items, level=level, skew=skew)
        intervals.append(interval or (math.nan, math.nan))
    low, high = np.array(intervals).T
    return Spread(estimate, low, high, undefined=(~np.isfinite(sampled)).mean(axis=0))


def undefined(note: str, annotators: int = 0) -> ItemUnits:
    """Return empty units of an undefined measure, with the reason."""
    nothing = np.zeros(0, dtype=np.int64)
    return ItemUnits(nothing, lambda weights: weights[:, 0], annotators=annotators, note=note)


def additive(rows: Floats, values: Values, **fields: Any) -> ItemUnits:
    """Return the units of a measure that depends on sums of rows (items × columns).

    `values` turns summed rows into values; `fields` are the other fields of the units.
    """
    different, sorts = alike(rows)
    return ItemUnits(sorts, lambda weights: values(product(weights, different)), **fields)


def alike(rows: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return the distinct rows, and the index of each row among them."""
    different, which = np.unique(rows, axis=0, return_inverse=True)
    return different, which.reshape(-1).astype(np.int64)


def _drawn_as(units: ItemUnits, groups: ArrayLike | None) -> tuple[Ints, Values]:
    """Return the count of each resampling unit (sort or group), and the measure for weights of those."""
    if groups is None:
        return np.bincount(units.sorts), units.values
    if units.columns is None:
        raise ArgumentError("votes are drawn by article or task: `groups` has no place here")
    named = np.asarray(groups)
    if named.shape != (units.width,):
        raise ArgumentError(f"groups have shape {named.shape}, not one each of {units.width} items")
    group = np.unique(named[units.columns], return_inverse=True)[1]
    # sorts × groups: how many items of each sort a group holds
    held = sparse.csr_array((np.ones(len(group)), (units.sorts, group)))
    ones = np.ones(held.shape[1], dtype=np.int64)
    return ones, lambda weights: units.values((held @ weights.T).T)


def _concatenated(values: Values, weights: Iterable[Floats]) -> Floats:
    """Return the estimates for all chunks of weights: weights × estimates."""
    return np.concatenate([values(part).reshape(len(part), -1) for part in weights])


def _one_less(counts: Ints, chosen: Ints) -> Iterable[Floats]:
    """Yield a row of weights for each chosen sort, with one item of that sort left out."""
    start = 0
    for size in chunks(len(chosen), len(counts)):
        weights = np.tile(counts.astype(np.float64), (size, 1))  # chosen sorts × sorts
        weights[np.arange(size), chosen[start : start + size]] -= 1
        start += size
        yield weights
