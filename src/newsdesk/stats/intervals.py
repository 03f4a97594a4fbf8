"""Confidence intervals of correlations.

**Items resampled** (systems as they are): a normal interval on Fisher's scale z = artanh r, with the standard error of the bootstrap and the
t quantile of the number of items, widened by √(n / (n − 1)). Rank correlations over systems jump from value to value and have percentile
intervals, each end the value whose tail is nearest to 2.5 %; bias-corrected ones do not hold there at all.

**Systems resampled**: with 4 to 25 systems a bootstrap of systems breaks down (three distinct systems often correlate perfectly), so the
error of leaving each system out in turn (jackknife) takes its place within items and pooled. Over systems: Fisher's theory (Pearson), a simulated test
inverted (`inversion`; Spearman, Kendall), and beyond 25 systems the theory of Bonett and Wright (2000) and Fieller et al. (1957). **Both**: the variances
of items and systems added, with normal quantiles; the noise of single outputs counts in both, which makes up for the few systems.

What each of them covers in simulations: `python -m research coverage`. Differences of correlations have percentile intervals with widened
quantiles (Hesterberg 2015).
"""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy import special

from newsdesk.arrays import Floats
from newsdesk.stats.coefficients import Coefficient, row_correlations
from newsdesk.streams import stream

MOST_SYSTEMS = 25  # beyond it the theory of the normal distribution holds
_GRID = np.tanh(np.linspace(-3.8, 3.8, 61))
_DRAWS = 2_000
_SAME = 1e-9


def inverted_ends(
    coefficient: Coefficient, value: float, systems: int, level: float = 0.95
) -> tuple[float, float]:
    """The interval of Spearman's or Kendall's coefficient that was observed over so many systems.

    >>> low, high = inverted_ends("kendall", 1.0, 6)
    >>> low > 0.3, high
    (True, 1.0)
    """
    simulated = _simulated(systems)["spearman" if coefficient == "spearman" else "kendall"]
    above = (simulated > value + _SAME).mean(axis=1)
    below = (simulated < value - _SAME).mean(axis=1)
    same = 1 - above - below
    tail = (1 - level) / 2
    # As large a value becomes likelier with ρ, as small a one less likely; sampling noise is smoothed out of both.
    as_large = np.maximum.accumulate(above + same / 2)
    as_small = np.maximum.accumulate((below + same / 2)[::-1])[::-1]
    low = -1.0 if as_large[0] >= tail else float(np.interp(tail, as_large, _GRID))
    high = 1.0 if as_small[-1] >= tail else float(np.interp(-tail, -as_small, _GRID))
    return _on_scale(coefficient, low), _on_scale(coefficient, high)


def _on_scale(coefficient: Coefficient, rho: float) -> float:
    """The coefficient of a normal distribution with correlation ρ."""
    if coefficient == "spearman":
        return float(6 / np.pi * np.arcsin(rho / 2))
    return float(2 / np.pi * np.arcsin(rho))


@functools.lru_cache(maxsize=8)
def _simulated(systems: int) -> dict[Coefficient, Floats]:
    """ρ × draws of each coefficient over so many systems; the same normal numbers for every ρ."""
    rng = stream("correlate inversion", systems)
    first, other = rng.normal(size=(2, _DRAWS, systems))
    rows = [row_correlations(first, rho * first + np.sqrt(1 - rho**2) * other) for rho in _GRID]
    ranked: tuple[Coefficient, ...] = ("spearman", "kendall")
    return {name: np.stack([row[name] for row in rows]) for name in ranked}


Ends = tuple[float, float]

_EDGE = 0.9999  # artanh is infinite at 1


def fisher(values: Floats | float) -> Floats:
    """Fisher's z of correlations; those nearest to ±1 are pulled in."""
    return np.arctanh(np.clip(values, -_EDGE, _EDGE))


def bootstrap_error(draws: Floats) -> float | None:
    """The standard error of a correlation on Fisher's scale from its bootstrap draws; None where too few samples have a value."""
    used = draws[~np.isnan(draws)]
    if len(used) < max(2, len(draws) // 2):
        return None
    return float(fisher(used).std(ddof=1))


def fisher_ends(
    value: float, error: float | None, units: int, *, level: float = 0.95
) -> Ends | None:
    """The interval of a correlation whose error on Fisher's scale comes from so many units.

    >>> low, high = fisher_ends(0.5, 0.1, 1000)
    >>> round(low, 3), round(high, 3)
    (0.339, 0.633)
    """
    if error is None or units < 2 or not math.isfinite(error):
        return None
    if abs(value) >= 1 and error == 0:
        return value, value
    reach = special.stdtrit(units - 1, (1 + level) / 2) * math.sqrt(units / (units - 1)) * error
    centre = float(fisher(value))
    low, high = math.tanh(centre - reach), math.tanh(centre + reach)
    # Beyond the edge a value stands for all up to a perfect correlation.
    low, high = (-1.0 if low <= -_EDGE else low), (1.0 if high >= _EDGE else high)
    return min(low, value), max(high, value)


def stepped_ends(value: float, draws: Floats, units: int) -> Ends | None:
    """The percentile interval of a statistic with few values: each end is the value whose tail is nearest to the wanted one."""
    used = draws[~np.isnan(draws)]
    if units < 2 or len(used) < max(2, len(draws) // 2):
        return None
    steps, counts = np.unique(used.round(9), return_counts=True)
    tail = widened_tail(units) * len(used)
    below = np.concatenate([[0], np.cumsum(counts)])[:-1]
    above = np.concatenate([[0], np.cumsum(counts[::-1])])[:-1]
    low = steps[int(np.argmin(np.abs(below - tail)))]
    high = steps[::-1][int(np.argmin(np.abs(above - tail)))]
    return min(float(low), value), max(float(high), value)


def percentile_ends(draws: Floats, units: int, level: float = 0.95) -> Ends | None:
    """The percentile interval of one statistic over `units` resampled units; None where too few samples have a value."""
    used = draws[~np.isnan(draws)]
    if units < 2 or len(used) < max(2, len(draws) // 2):
        return None
    tail = widened_tail(units, level)
    low, high = np.quantile(used, [tail, 1 - tail])
    return float(low), float(high)


def widened_tail(units: int, level: float = 0.95) -> float:
    """The share of samples beyond each end: less than (1 − level) / 2 where there are few units.

    >>> round(widened_tail(10), 4), round(widened_tail(100_000), 4)
    (0.0086, 0.025)
    """
    reach = special.stdtrit(units - 1, (1 + level) / 2) * math.sqrt(units / (units - 1))
    return float(special.ndtr(-reach))
