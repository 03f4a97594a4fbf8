"""Intervals of rank correlations over few systems that are a sample of all systems there could be, by inverting a simulated test.

With four systems Spearman's coefficient has eleven values, and no formula for its error holds. Systems are simulated as draws from a
normal distribution with correlation ρ; the interval holds every ρ under which a value as extreme as the observed one has a mid-p of at least
2.5 % on either side (Lancaster 1961: half of the probability of the observed value itself counts), on the scale of the coefficient:
Spearman (6/π) arcsin(ρ/2), Kendall (2/π) arcsin ρ.
"""

from __future__ import annotations

import functools

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.streams import stream
from newsdesk.studies.correlate.coefficients import Coefficient, row_correlations

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
