"""Estimate what people would say of all units from few people's answers and many answers of a model.

Prediction-powered inference (Angelopoulos et al. 2023) with power tuning (PPI++, Angelopoulos, Duchi and Zrnic 2023). With people's
values Y and the judge's values f of n units that people answered, and f of N others,

    estimate = mean(Y) − λ mean(f of n) + λ mean(f of N),   variance = var(Y − λ f) / n + λ² var(f of N) / N

λ = 0 is people alone, λ = 1 corrects the judge's mean by its bias. The best λ is cov(Y, f) / ((1 + n/N) var f). The interval holds whatever the judge
does, as long as the n units are a random sample of all of them: a useless judge gets λ near 0.

`Tuning` names three readings of the best λ, which agree for large n:

- `clipped`: covariance over n, variance over all units, between 0 and 1: ppi_py and truescore;
- `unclipped`: covariance over n − 1, no bounds: glide-py;
- `guarded`, the default: as `clipped`, but 0 where the estimated variance would exceed that of people alone.

A mean over units is also a share (values 0 and 1) and a difference of two systems (a difference per item). What the judge saves is the number of people's
answers that an interval as narrow would have needed without it; it rests on the correlation of Y and f, and the judge helps
only where the interval of that correlation lies above zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.settings import one_of
from newsdesk.stats.intervals import Ends, estimated, fisher_ends, wilson_ends
from newsdesk.stats.resample import check_sampling
from newsdesk.types import Estimate

Tuning = Literal["guarded", "clipped", "unclipped"]
Quantile = Literal["t", "normal"]
_FEW = 5  # of the rarer of two values: the variance of a share says little


@dataclass(frozen=True, slots=True)
class PoweredEstimate:
    """People's result from few answers of people and many of a judge, beside that of each alone.

    `weight` is λ. `agreement` is the correlation of the two on the units that people answered. `effective` is the number of units that people alone
    would need for an interval as narrow.
    """

    estimate: Estimate  # n: all units
    people: Estimate  # n: the units that people answered
    judge: Estimate  # n: all units
    weight: float
    error: float
    agreement: Estimate
    effective: float
    effective_ci: Ends | None

    @property
    def helps(self) -> bool:
        """True if the judge is used and the interval of its agreement with people lies above zero."""
        return self.weight > 0 and self.agreement.low > 0

    @property
    def saved(self) -> int:
        """How many units people need not answer thanks to the judge; 0 where it does not help."""
        return max(int(self.effective - self.people.n), 0) if self.helps else 0


def prediction_powered(
    people: ArrayLike,
    judge: ArrayLike,
    *,
    units: Sequence[str] | None = None,
    tuning: Tuning = "guarded",
    quantile: Quantile = "t",
    level: float = 0.95,
) -> PoweredEstimate:
    """Return the mean of people's values over all units, from few of theirs and all of a judge's.

    `people` has nan where nobody answered, `judge` a number everywhere. Rows of one of the `units` count as one, their mean; of a unit that people
    answered in part, only the rows that they answered. Peers use the `normal` quantile; with few people `t` covers better.

    >>> powered = prediction_powered([1, 0, 1, 0, np.nan, np.nan, np.nan], [0.9, 0.1, 0.8, 0.3, 0.8, 0.9, 0.7])
    >>> powered.people.value, round(powered.estimate.value, 3), round(powered.weight, 3)
    (0.5, 0.692, 0.7)
    """
    one_of("tuning", tuning, get_args(Tuning))
    one_of("quantile", quantile, get_args(Quantile))
    check_sampling(1, level)
    given, said = _values(people, judge)
    if units is not None:
        given, said = _by_unit(given, said, units)
    answered = ~np.isnan(given)
    ours, theirs, others = given[answered], said[answered], said[~answered]
    n, rest = len(ours), len(others)
    if n < 2:
        raise ArgumentError(f"{n} of {n + rest} units have people's answers; two are needed")
    alone = float(ours.var(ddof=1)) / n
    weight = _weight(ours, theirs, others, tuning) if rest > 1 else 0.0
    variance = _variance(ours, theirs, others, weight)
    if tuning == "guarded" and variance > alone:
        weight, variance = 0.0, alone
    value = float(np.mean(ours - weight * theirs))
    if weight:
        value += weight * float(others.mean())
    reach = _reach(quantile, n, level)
    half = max(reach * math.sqrt(variance), _rare_half(ours, level))
    people_half = max(reach * math.sqrt(alone), _rare_half(ours, level))
    every = _reach(quantile, n + rest, level) * math.sqrt(said.var(ddof=1) / (n + rest))
    agreement = _agreement(ours, theirs, level)
    return PoweredEstimate(
        estimate=_around(value, half, n + rest),
        people=_around(float(ours.mean()), people_half, n),
        judge=_around(float(said.mean()), every, n + rest),
        weight=weight,
        error=math.sqrt(variance),
        agreement=agreement,
        effective=n * alone / variance if variance > 0 else float(n),
        effective_ci=_effective_ends(agreement, n, rest) if weight > 0 else None,
    )


def _values(people: ArrayLike, judge: ArrayLike) -> tuple[Floats, Floats]:
    given, said = np.asarray(people, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    if given.ndim != 1 or given.shape != said.shape:
        raise ArgumentError(
            f"people's values have shape {given.shape}, the judge's {said.shape}; both need one value per unit"
        )
    if not np.isfinite(said).all():
        raise ArgumentError(
            f"the judge's value {int(np.argmin(np.isfinite(said)))} is not a finite number; leave out units without one"
        )
    if np.isinf(given).any():
        raise ArgumentError("a value of people is infinite")
    return given, said


def _by_unit(given: Floats, said: Floats, units: Sequence[str]) -> tuple[Floats, Floats]:
    """Return the means of each unit; nan where people answered none of its rows."""
    if len(units) != len(given):
        raise ArgumentError(f"{len(units)} names of units for {len(given)} values")
    order = {name: place for place, name in enumerate(dict.fromkeys(units))}
    unit = np.array([order[name] for name in units])  # rows
    answered = ~np.isnan(given)
    of_people = np.bincount(
        unit[answered], minlength=len(order)
    )  # units: rows that people answered
    used = answered | (of_people[unit] == 0)
    rows = np.bincount(unit[used], minlength=len(order))
    said_sums = np.bincount(unit[used], said[used], minlength=len(order))
    sums = np.bincount(unit[answered], given[answered], minlength=len(order))
    means = np.where(of_people > 0, sums / np.maximum(of_people, 1), np.nan)
    return means, said_sums / rows


def _weight(ours: Floats, theirs: Floats, others: Floats, tuning: Tuning) -> float:
    """Return λ, 0 for a judge that says the same of all."""
    spread = float(np.concatenate([theirs, others]).var(ddof=1))
    if spread <= 0:
        return 0.0
    covariance = float(np.cov(ours, theirs, ddof=1 if tuning == "unclipped" else 0)[0, 1])
    weight = covariance / (spread * (1 + len(ours) / len(others)))
    return weight if tuning == "unclipped" else min(max(weight, 0.0), 1.0)


def _variance(ours: Floats, theirs: Floats, others: Floats, weight: float) -> float:
    variance = float((ours - weight * theirs).var(ddof=1)) / len(ours)
    return variance + (weight**2 * float(others.var(ddof=1)) / len(others) if weight else 0.0)


def _reach(quantile: Quantile, n: int, level: float) -> float:
    upper = (1 + level) / 2
    return float(special.ndtri(upper) if quantile == "normal" else special.stdtrit(n - 1, upper))


def _rare_half(ours: Floats, level: float) -> float:
    """Return half of Wilson's interval for a share with fewer than five of one kind; else 0."""
    if not np.isin(ours, (0.0, 1.0)).all():
        return 0.0
    ones = int(ours.sum())
    if min(ones, len(ours) - ones) >= _FEW:
        return 0.0
    low, high = wilson_ends(ones / len(ours), len(ours), level)
    return (high - low) / 2


def _around(value: float, half: float, n: int) -> Estimate:
    return Estimate(value, value - half, value + half, n)


def _agreement(ours: Floats, theirs: Floats, level: float) -> Estimate:
    """Return the correlation of people and judge, with Fisher's interval; nan where one of them is constant."""
    value = (
        math.nan
        if not (np.ptp(ours) and np.ptp(theirs))
        else float(np.corrcoef(ours, theirs)[0, 1])
    )
    error = 1 / math.sqrt(len(ours) - 3) if len(ours) > 3 else None
    ends = None if math.isnan(value) else fisher_ends(value, error, len(ours), level=level)
    return estimated(value, ends, len(ours))


def _effective_ends(agreement: Estimate, n: int, rest: int) -> Ends | None:
    """Return the interval of the effective number of people's units: n / (1 − ρ² N / (n + N))."""
    if math.isnan(agreement.low):
        return None
    low, high = (max(end, 0.0) ** 2 * rest / (n + rest) for end in (agreement.low, agreement.high))
    return n / (1 - low), n / (1 - high)
