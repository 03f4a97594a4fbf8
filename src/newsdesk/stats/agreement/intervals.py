"""Bootstrap confidence intervals over items, and what a measure needs of each item.

An interval generalizes to other items judged by the same annotators. It is a bootstrap over items: BCa (Efron, 1987) with its quantiles
widened as Hesterberg (2015) does for percentile intervals, the t quantile times √(n / (n - 1)) in place of the normal one. Plain
percentiles are too narrow for a small campaign: in 2,000 simulated ones of 20 items they cover the true interval alpha in 89.3 %,
these intervals in 94.5 % (`python -m research agreement`). For seven measures of 20 items percentiles cover in 89.5 to 94.4 %, BCa alone
in 91.7 to 96.0 %, these in 94.4 to 97.7 %; of 100 items all three in 93.4 to 95.7 % (1,000 campaigns each). Where a fifth of the judgments of 20
items is missing, these cover alpha and kappa in 91.9 to 95.9 % (15 cases of 700 simulated campaigns each), and the report says so.

A measure is written once, for any weights of the items: the data have weights of one, a bootstrap sample has multinomial counts as
weights, and leaving an item out reduces a weight by one. Items that a measure cannot tell apart are one sort and share one count, so
the cost of a sample is the number of sorts. No sum runs in BLAS: no bit of a result depends on the number of threads.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.settings import at_least
from newsdesk.streams import stream

Values: TypeAlias = Callable[[Floats], Floats]

# Weights in memory at a time (16 MB), and how many sorts of items the jackknife of the acceleration leaves out at most.
_CELLS = 1 << 21
_LEFT_OUT = 200
_SAME = 1e-12


@dataclass(frozen=True, slots=True)
class Spread:
    """Estimates, the ends of their intervals (nan where there is none), and the share of samples in which each is undefined."""

    value: Floats
    low: Floats
    high: Floats
    undefined: Floats


@dataclass(frozen=True, slots=True)
class Units:
    """The items as a measure sees them: the sort of each, and the measure's value for any weights (k × sorts) of the sorts.

    A value is nan where the measure is undefined, and `note` says why. `columns` has the place of each item among the `width` columns
    of the input, if that is an array.
    """

    sorts: Ints
    values: Values
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
    def units(self, values: Any) -> Units:
        """Reduce the judgments to what the measure needs of each item."""


def over_items(
    rows: ArrayLike, values: Values, *, samples: int = 1000, level: float = 0.95, seed: int = 0
) -> Spread:
    """Estimates that depend on sums over items (a row each), with bootstrap intervals.

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
    units: Units,
    groups: ArrayLike | None = None,
    *,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Spread:
    """The estimate of these units with its interval; items of one group are resampled together."""
    at_least("samples", samples, 1)
    if not 0 < level < 1:
        raise ArgumentError(f"level is {level}, not between 0 and 1")
    counts, values = _drawn_as(units, groups)
    items = int(counts.sum())
    estimate = values(counts[None].astype(np.float64)).reshape(-1)
    if items == 1:
        nothing = np.full(len(estimate), np.nan)
        return Spread(estimate, nothing, nothing, nothing)
    rng = stream("items", seed)
    sampled = _chunked(
        lambda part: values(rng.multinomial(items, counts / items, len(part)).astype(np.float64)),
        np.arange(samples),
        len(counts),
    )
    chosen = np.arange(0, len(counts), -(-len(counts) // _LEFT_OUT))
    without = _chunked(lambda part: values(_one_less(counts, part)), chosen, len(counts))
    ends = [
        _bca(*columns, counts[chosen], items, level)
        for columns in zip(estimate, sampled.T, without.T, strict=True)
    ]
    low, high = np.array(ends).T
    return Spread(estimate, low, high, (~np.isfinite(sampled)).mean(axis=0))


def undefined(note: str, annotators: int = 0) -> Units:
    """Empty units of an undefined measure, and the reason."""
    return Units(np.zeros(0, dtype=np.int64), lambda weights: weights[:, 0], annotators, 0, note)


def additive(rows: Floats, values: Values, **about: Any) -> Units:
    """The units of a measure that depends on sums of rows."""
    different, sorts = alike(rows)
    return Units(sorts, lambda weights: values(product(weights, different)), **about)


def alike(rows: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """The distinct rows, and the index of each row among them."""
    different, which = np.unique(rows, axis=0, return_inverse=True)
    return different, which.reshape(-1).astype(np.int64)


def product(weights: Floats, rows: Floats) -> Floats:
    """Weights × rows in plain loops: BLAS adds in an order that depends on the number of threads."""
    return np.einsum("kp,ps->ks", weights, rows)


def _drawn_as(units: Units, groups: ArrayLike | None) -> tuple[Ints, Values]:
    """The count of each resampling unit (sort or group), and the measure for weights of those."""
    if groups is None:
        return np.bincount(units.sorts), units.values
    if units.columns is None:
        raise ArgumentError("votes are drawn by article or task: `groups` has no place here")
    named = np.asarray(groups)
    if named.shape != (units.width,):
        raise ArgumentError(f"groups have shape {named.shape}, not one each of {units.width} items")
    group = np.unique(named[units.columns], return_inverse=True)[1]
    holds = sparse.csr_array((np.ones(len(group)), (units.sorts, group)))
    ones = np.ones(holds.shape[1], dtype=np.int64)
    return ones, lambda weights: units.values((holds @ weights.T).T)


def _chunked(values: Callable[[Ints], Floats], numbers: Ints, sorts: int) -> Floats:
    size = max(1, _CELLS // sorts)
    parts = (numbers[start : start + size] for start in range(0, len(numbers), size))
    return np.concatenate([values(part).reshape(len(part), -1) for part in parts])


def _one_less(counts: Ints, chosen: Ints) -> Floats:
    """A row of weights for each chosen sort, with one item of that sort left out."""
    weights = np.tile(counts.astype(np.float64), (len(chosen), 1))
    weights[np.arange(len(chosen)), chosen] -= 1
    return weights


def _bca(
    estimate: float, sampled: Floats, without: Floats, counts: Ints, items: int, level: float
) -> tuple[float, float]:
    """The ends by BCa with widened quantiles; nan where the measure is undefined in half of the samples or more."""
    defined = sampled[np.isfinite(sampled)]
    if not math.isfinite(estimate) or 2 * len(defined) <= len(sampled):
        return math.nan, math.nan
    slack = _SAME * max(1.0, abs(estimate))
    below = (defined < estimate - slack).sum() + (np.abs(defined - estimate) <= slack).sum() / 2
    edge = 0.5 / len(defined)
    bias = special.ndtri(np.clip(below / len(defined), edge, 1 - edge))
    reach = special.stdtrit(items - 1, (1 + level) / 2) * math.sqrt(items / (items - 1))
    z = bias + np.array([-reach, reach])
    skew = _acceleration(without, counts, items)
    low, high = np.quantile(defined, special.ndtr(bias + z / np.maximum(1 - skew * z, 0.1)))
    return float(low), float(high)


def _acceleration(without: Floats, counts: Ints, items: int) -> float:
    """BCa's acceleration, the skewness of the jackknife values; each value stands for `counts` of all `items`."""
    able = np.isfinite(without)
    values, counts = without[able], counts[able]
    if not len(values):
        return 0.0
    off = (counts * values).sum() / counts.sum() - values
    square, cube = (counts * off**2).sum(), (counts * off**3).sum()
    if square <= _SAME**2:
        return 0.0
    return float(cube / (6 * square**1.5) * math.sqrt(counts.sum() / items))
