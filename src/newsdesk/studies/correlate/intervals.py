"""Confidence intervals of correlations.

**Items resampled** (systems as they are): a normal interval on Fisher's scale z = artanh r, with the standard error of the bootstrap and the
t quantile of the number of items, widened by √(n / (n − 1)). In simulations it holds its level where percentiles fall short and
basic or bias-corrected intervals of rank correlations over few systems do not hold at all (`python -m bench correlate`).

**Systems resampled**: with 4 to 25 systems a bootstrap of systems breaks down (three distinct systems often correlate perfectly), so the
error of leaving each system out in turn (jackknife) takes its place within items and pooled, and the theory of Fisher (Pearson), Bonett
and Wright (2000, Spearman) and Fieller et al. (1957, Kendall) over systems. **Both**: the two variances added.

Differences of correlations have percentile intervals with widened quantiles (Hesterberg 2015).
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from newsdesk.arrays import Floats
from newsdesk.studies.correlate.coefficients import Coefficient, Level

Ends = tuple[float, float]

_EDGE = 0.9999  # artanh is infinite at 1


def edge_of(level: Level, coefficient: Coefficient, systems: int) -> float:
    """How near to 1 a correlation can be believed to be: a rank correlation over few systems is often 1 by chance, and artanh 1 is infinite."""
    few = level == "system" and coefficient != "pearson"
    return 1 - 1 / max(systems, 2) ** 2 if few else _EDGE


def fisher(values: Floats | float, edge: float = _EDGE) -> Floats:
    """Fisher's z of correlations; those beyond the edge are pulled in."""
    return np.arctanh(np.clip(values, -edge, edge))


def bootstrap_error(draws: Floats, edge: float = _EDGE) -> float | None:
    """The standard error of a correlation on Fisher's scale from its bootstrap draws; None where too few samples have a value."""
    used = draws[~np.isnan(draws)]
    if len(used) < max(2, len(draws) // 2):
        return None
    return float(fisher(used, edge).std(ddof=1))


def fisher_ends(
    value: float, error: float | None, units: int, *, edge: float = _EDGE, level: float = 0.95
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
    centre = float(fisher(value, edge))
    low, high = math.tanh(centre - reach), math.tanh(centre + reach)
    # Beyond the edge a value stands for all up to a perfect correlation.
    low, high = (-1.0 if low <= -edge else low), (1.0 if high >= edge else high)
    return min(low, value), max(high, value)


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
