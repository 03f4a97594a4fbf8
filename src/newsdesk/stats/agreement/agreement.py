"""Functions for all coefficients of agreement, and `with_interval` for confidence intervals; the package docstring defines them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement.coincidences import (
    Alpha,
    Kappa,
    Level,
    PairAlpha,
    RotatingKappa,
    Scope,
    Ties,
    Votes,
    Weights,
)
from newsdesk.stats.agreement.concordance import Correlation, KendallW, SplitHalf, TauB
from newsdesk.stats.units import Measure, spread_of

_BANDS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))


@dataclass(frozen=True, slots=True)
class Agreement:
    """A measure's value and interval (None where undefined), its numbers of items, annotators and judgments, and a note on its limits."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    annotators: int
    judgments: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Halves:
    """Mean correlations of random halves, and their Spearman-Brown predictions for panels of the full size."""

    pearson: float | None
    spearman: float | None
    full_pearson: float | None
    full_spearman: float | None


def krippendorff_alpha(values: Any, level: Level = "nominal") -> float | None:
    """Krippendorff's alpha of annotators × items, nan or None where missing; numbers, or strings for nominal alpha.

    >>> nan = float("nan")
    >>> round(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 4, nan], [nan, 3, 3, 3]], level="ordinal"), 6)
    0.732517
    """
    return _bare(Alpha(level), values)


def cohen_kappa(
    a: Any, b: Any, *, weights: Weights | None = None, labels: Sequence[Any] | None = None
) -> float | None:
    """Cohen's kappa of two annotators; items that only one of them judged are left out.

    >>> a, b = [1, 2, 3, 4, 5, 3, 4, 4, 2, 5], [1, 3, 3, 4, 4, 3, 5, 4, 2, 4]
    >>> round(cohen_kappa(a, b, weights="quadratic", labels=range(1, 6)), 6)
    0.858156
    """
    return _bare(Kappa(weights, labels), [a, b])


def rotating_kappa(
    values: Any, *, weights: Weights | None = None, labels: Sequence[Any] | None = None
) -> float | None:
    """Kappa over all pairs of judgments of each item, in both orders, for annotators × items with changing pairs."""
    return _bare(RotatingKappa(weights, labels), values)


def pair_alpha(
    task: ArrayLike,
    comment: ArrayLike,
    worker: ArrayLike,
    vote: ArrayLike,
    *,
    article: ArrayLike | None = None,
    scope: Scope = "task",
    ties: Ties = "keep",
) -> float | None:
    """Alpha over pairs of comments that one worker voted on in one task (or article), as in Fujita et al. (2019).

    >>> pair_alpha([1, 1, 1, 1], ["c", "d", "c", "d"], ["w", "w", "x", "x"], [1, 0, 1, 0])
    1.0
    """
    return _bare(PairAlpha(scope, ties), Votes(task, comment, worker, vote, article))


def kendall_w(ranks: ArrayLike) -> float | None:
    """The mean of Kendall's W over items: annotators × items × systems, or annotators × systems of one item.

    >>> kendall_w([[1, 2, 3], [1, 2, 3]]), kendall_w([[1, 2, 3], [3, 2, 1]])
    (1.0, 0.0)
    """
    return _bare(KendallW(), ranks)


def tau_b(ranks: ArrayLike) -> float | None:
    """The mean of tau-b over all pairs of annotators of all items; shapes as for `kendall_w`.

    A ranking that ties everything has no tau-b with any other, and is left out.
    """
    return _bare(TauB(), ranks)


def split_half(values: Any, *, seed: int = 0, repeats: int = 20) -> Halves:
    """Correlation of the item means of two random halves of each item's annotators."""
    panels: tuple[Literal["half", "full"], ...] = ("half", "full")
    return Halves(
        *(
            _bare(SplitHalf(correlation, panel, repeats, seed), values)
            for panel in panels
            for correlation in get_args(Correlation)
        )
    )


def band(value: float) -> str:
    """The band of Landis and Koch (1977) for a kappa or alpha: a naming convention, not a test.

    >>> band(0.5282), band(0.2), band(-0.1)
    ('moderate', 'slight', 'poor')
    """
    if not value <= 1:
        raise ArgumentError(f"a kappa or alpha is {value}, not a number up to 1")
    if value < 0:
        return "poor"
    return next((name for end, name in _BANDS if value <= end), "almost perfect")


def with_interval(
    measure: Measure,
    values: Any,
    *,
    groups: ArrayLike | None = None,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Agreement:
    """Compute a measure of agreement with its bootstrap interval over items.

    `groups` names the group of each item: items of one group, such as the comments of an article, are resampled together.

    >>> with_interval(Alpha(), [[1, 1, 1], [1, 1, 1]]).note
    'all 6 judgments are 1: where nothing varies, agreement cannot be told from chance'
    """
    units = measure.units(values)
    about = (len(units.sorts), units.annotators, units.judgments)
    value = units.value
    if value is None:
        return Agreement(measure.name, None, None, None, *about, units.note)
    spread = spread_of(units, groups, samples=samples, level=level, seed=seed)
    low, high, undefined = (float(each[0]) for each in (spread.low, spread.high, spread.undefined))
    notes = (units.note, _doubt(low, high, undefined))
    note = "; ".join(filter(None, notes))
    if math.isnan(low):
        return Agreement(measure.name, value, None, None, *about, note)
    return Agreement(measure.name, value, low, high, *about, note)


def _bare(measure: Measure, values: Any) -> float | None:
    return measure.units(values).value


def _doubt(low: float, high: float, undefined: float) -> str:
    """A warning about an interval that is missing or degenerate."""
    if math.isnan(undefined):
        return "no interval: there is one item (or group) to draw from"
    if math.isnan(low):
        return "no interval: in most resamples nothing varies, and the measure is undefined"
    if high - low < 1e-12:
        return "every resample gives the same value, so the interval says nothing"
    return f"undefined in {undefined:.1%} of the resamples, which are left out" if undefined else ""
