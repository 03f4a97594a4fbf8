"""Confidence intervals from bootstrap samples of a correlation.

Percentile intervals with quantiles widened as Hesterberg (2015) proposes, because a bootstrap of n units is too narrow by a factor of
√((n − 1) / n) and knows no t quantile: with many units nothing changes, with few the interval grows to hold its level.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from newsdesk.arrays import Floats

Ends = tuple[float, float]


def percentile_ends(draws: Floats, units: int, level: float = 0.95) -> Ends | None:
    """The interval of one statistic over `units` resampled units; None where too few samples have a value."""
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
