"""Inter-annotator agreement with intervals over items: kappa, alpha, ICC, Kendall's W and tau-b, split halves.

Judgments are an array annotators × items, nan (or None) where missing. A measure is a value (`Alpha("ordinal")`) that reduces each
item to what it needs; `with_interval` adds a confidence interval, and the functions return the bare number, None where it is
undefined. `Agreement.note` explains a missing value, or how little data is behind one.

- **Cohen's kappa** (1960; weighted 1968) is 1 - ΣwO / ΣwE with w = |i - j| or (i - j)² on the *place* of a label: pass all labels
  of the scale, or gaps close. Qin et al. (2018) cite the weighted form and name no weights.
- **Rotating kappa**: each item was graded by some two of several annotators. All pairs of judgments of an item are pooled, each
  in both orders, since nobody is "the first"; so both sides have one distribution, and it is a weighted Scott's pi (1955).
- **Fleiss' kappa** (1971) and the **intraclass correlations** ICC(1,1), ICC(2,1), ICC(3,1) of Shrout and Fleiss (1979): `variance`.
- **Krippendorff's alpha** (2004): coincidences within units of two or more values, a value of a unit of m counting 1 / (m - 1).
  The ordinal distance is the difference of mid-ranks among all values that have a partner, so it is recomputed in every resample.
- **Alpha over pairs** (Fujita et al., 2019): a unit is a pair of comments of one task, a worker's value is >, < or = from the
  two votes. A pair has no first comment, so it is counted in both orders, and names of comments cannot change the value. The
  paper's own caveat: the task wants people to differ, so a low alpha is no verdict on the C-scores that come of it.
- **Kendall's W** (tie-corrected) and **tau-b** compare rankings of one item; the value is the mean over items, for tau-b over
  all pairs of annotators of all items. W of m annotators who rank at random is 1 / m, not 0: no band applies to it.
- **Split halves**: the annotators of each item fall into two random halves; the correlation of the halves' means over items.
  The Spearman-Brown formula predicts the correlation between two panels of the full size.

`intervals` describes the bootstrap; an interval generalizes to other items judged by the same annotators.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

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
from newsdesk.stats.agreement.concordance import (
    ICC,
    Correlation,
    FleissKappa,
    KendallW,
    SplitHalf,
    TauB,
)
from newsdesk.stats.units import Measure, spread_of

__all__ = [
    "ICC",
    "Agreement",
    "Alpha",
    "FleissKappa",
    "Halves",
    "Kappa",
    "KendallW",
    "Measure",
    "PairAlpha",
    "RotatingKappa",
    "SplitHalf",
    "TauB",
    "Votes",
    "band",
    "cohen_kappa",
    "kendall_w",
    "krippendorff_alpha",
    "pair_alpha",
    "rotating_kappa",
    "split_half",
    "tau_b",
    "with_interval",
]

_BANDS = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))


@dataclass(frozen=True, slots=True)
class Agreement:
    """A measure's value and interval (None where undefined), what they rest on, and a note on its limits."""

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
    """Mean correlations of random halves, and their predictions (Spearman-Brown) for whole panels."""

    pearson: float | None
    spearman: float | None
    full_pearson: float | None
    full_spearman: float | None


def krippendorff_alpha(values: Any, level: Level = "nominal") -> float | None:
    """Return Krippendorff's alpha of annotators × items, nan or None where missing.

    Numbers, or strings for nominal alpha.

    >>> nan = float("nan")
    >>> round(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 4, nan], [nan, 3, 3, 3]], level="ordinal"), 6)
    0.732517
    """
    return _bare(Alpha(level), values)


def cohen_kappa(
    a: Any, b: Any, *, weights: Weights | None = None, labels: Sequence[Any] | None = None
) -> float | None:
    """Return Cohen's kappa of two annotators; items that only one of them judged are left out.

    >>> a, b = [1, 2, 3, 4, 5, 3, 4, 4, 2, 5], [1, 3, 3, 4, 4, 3, 5, 4, 2, 4]
    >>> round(cohen_kappa(a, b, weights="quadratic", labels=range(1, 6)), 6)
    0.858156
    """
    return _bare(Kappa(weights, labels), [a, b])


def rotating_kappa(
    values: Any, *, weights: Weights | None = None, labels: Sequence[Any] | None = None
) -> float | None:
    """Pool all pairs of judgments of each item, in both orders: annotators × items with changing pairs."""
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
    """Return alpha over pairs of comments that one worker voted on in a task (Fujita et al. 2019).

    >>> pair_alpha([1, 1, 1, 1], ["c", "d", "c", "d"], ["w", "w", "x", "x"], [1, 0, 1, 0])
    1.0
    """
    return _bare(PairAlpha(scope, ties), Votes(task, comment, worker, vote, article))


def kendall_w(ranks: ArrayLike) -> float | None:
    """Return the mean of Kendall's W over items: annotators × items × systems, or annotators × systems.

    >>> kendall_w([[1, 2, 3], [1, 2, 3]]), kendall_w([[1, 2, 3], [3, 2, 1]])
    (1.0, 0.0)
    """
    return _bare(KendallW(), ranks)


def tau_b(ranks: ArrayLike) -> float | None:
    """Return the mean of tau-b over all pairs of annotators of all items; shapes as for `kendall_w`.

    A ranking that ties everything has no tau-b with any other, and is left out.
    """
    return _bare(TauB(), ranks)


def split_half(values: Any, *, seed: int = 0, repeats: int = 20) -> Halves:
    """Correlate the item means of two random halves of each item's annotators."""

    def correlated(correlation: Correlation, panel: Literal["half", "full"]) -> float | None:
        return _bare(SplitHalf(correlation, panel, repeats, seed), values)

    return Halves(
        pearson=correlated("pearson", "half"),
        spearman=correlated("spearman", "half"),
        full_pearson=correlated("pearson", "full"),
        full_spearman=correlated("spearman", "full"),
    )


def band(value: float) -> str:
    """Return the band of Landis and Koch (1977) for a kappa or alpha: a naming convention, not a test.

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
    sizes = (len(units.sorts), units.annotators, units.judgments)
    value = units.value
    if value is None:
        return Agreement(measure.name, None, None, None, *sizes, units.note)
    spread = spread_of(units, groups, samples=samples, level=level, seed=seed)
    low, high, undefined = (
        float(column[0]) for column in (spread.low, spread.high, spread.undefined)
    )
    notes = (units.note, _doubt(low, high, undefined))
    note = "; ".join(filter(None, notes))
    if math.isnan(low):
        return Agreement(measure.name, value, None, None, *sizes, note)
    return Agreement(measure.name, value, low, high, *sizes, note)


def _bare(measure: Measure, values: Any) -> float | None:
    return measure.units(values).value


def _doubt(low: float, high: float, undefined: float) -> str:
    """Return a warning about an interval that is missing or degenerate; empty if it is neither.

    `undefined` is the share of resamples without a value, nan where nothing was resampled.
    """
    if math.isnan(undefined):
        return "no interval: there is one item (or group) to draw from"
    if math.isnan(low):
        return "no interval: in most resamples nothing varies, and the measure is undefined"
    if high - low < 1e-12:
        return "every resample gives the same value, so the interval says nothing"
    return f"undefined in {undefined:.1%} of the resamples, which are left out" if undefined else ""
