"""Differences between systems at equal length: a regression of scores on systems and the logarithm of the number of words, within items.

A system that writes more is often graded higher for it. The score of an output is explained by its item, its system and log(1 + words);
a system's coefficient is what is left of its lead when all write equally long. Intervals resample items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.stats.intervals import Ends, ends
from newsdesk.stats.resample import exact_columns, resample

_RIDGE = 1e-9  # of the trace: keeps a resample with too few outputs solvable
_FLAT = 1e-9  # sum of squares of lengths below which they do not vary


@dataclass(frozen=True, slots=True, eq=False)
class AtEqualLength:
    """Systems' scores at equal length relative to the first system, with bootstrap draws."""

    values: Floats  # of each system; 0 for the first
    draws: Floats  # samples × systems
    slope: float  # the change of the score per doubling of the length
    slope_ci: Ends | None

    def difference(self, first: int, second: int, items: int) -> tuple[float, Ends | None]:
        """Return the difference of two systems (columns) at equal length, and its interval over items."""
        interval = ends(self.draws[:, first] - self.draws[:, second], "widened", units=items)
        return float(self.values[first] - self.values[second]), interval


def at_equal_length(
    scores: Floats, words: Floats, *, samples: int, seed: int
) -> AtEqualLength | None:
    """Fit the regression on items × systems of scores and numbers of words (nan where missing).

    None where lengths do not vary within items.
    """
    present = ~np.isnan(scores) & ~np.isnan(words)
    length = np.where(present, np.log2(1 + np.where(present, words, 0.0)), 0.0)
    items, systems = scores.shape
    if systems < 2 or not present.any():
        return None
    design = np.zeros((items, systems, systems))  # systems but the first, then length
    for system in range(1, systems):
        design[:, system, system - 1] = present[:, system]
    design[:, :, -1] = length
    count = np.maximum(present.sum(axis=1), 1)[:, None]
    # Within items: the item's own mean is taken off the design and off the scores.
    centred = np.where(present[:, :, None], design - (design.sum(axis=1) / count)[:, None, :], 0.0)
    values = np.where(present, scores, 0.0)
    centred_scores = np.where(present, values - values.sum(axis=1, keepdims=True) / count, 0.0)
    if float((centred[:, :, -1] ** 2).sum()) <= _FLAT:
        return None
    squares = np.einsum("isa,isb->iab", centred, centred)  # items × columns × columns
    products = np.einsum("isa,is->ia", centred, centred_scores)  # items × columns
    # The normal equations are sums over items, so a resample only adds other counts of them.
    equations = exact_columns(np.hstack([squares.reshape(items, -1), products]), items)
    solutions = [_solved(equations.sum(axis=0)[None], systems)]
    resampled = resample("correlate bootstrap", seed, 0, units=items, samples=samples)
    solutions += [_solved(counts @ equations, systems) for counts in resampled]
    coefficients = np.concatenate(solutions)  # (all items, then each sample) × columns
    of_systems = np.hstack([np.zeros((len(coefficients), 1)), coefficients[:, :-1]])
    slopes = coefficients[:, -1]
    return AtEqualLength(
        values=of_systems[0],
        draws=of_systems[1:],
        slope=float(slopes[0]),
        slope_ci=ends(slopes[1:], "widened", units=items),
    )


def _solved(sums: Floats, size: int) -> Floats:
    """Solve the normal equations of each row: `size` × `size` squares, then `size` products."""
    squares = sums[:, : size * size].reshape(-1, size, size)
    scale = np.trace(squares, axis1=1, axis2=2)[:, None, None]
    squares = squares + _RIDGE * scale * np.eye(size)
    return np.linalg.solve(squares, sums[:, size * size :, None])[:, :, 0]
