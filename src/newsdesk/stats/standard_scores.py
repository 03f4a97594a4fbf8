"""Standard scores: each annotator's scores less their mean, in units of their standard deviation (Graham et al. 2013).

Strict and mild annotators, and those who use little or all of a scale, are comparable afterwards. Mean and deviation (n − 1) are over all scores of
the annotator. Who gave one score, or the same to everything, says nothing about which text is better: their standard scores are nan.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError

_SAME = 1e-12  # a deviation below this share of the largest score is none


def standard_scores(values: ArrayLike) -> Floats:
    """Return the standard scores of annotators × targets, nan where there is no score.

    >>> standard_scores([[1, 2, 3], [50, 70, 90]]).tolist()
    [[-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]]
    """
    table = np.array(values, dtype=np.float64)
    if table.ndim != 2:
        raise ArgumentError(f"scores have shape {table.shape}, not annotators × targets")
    scored = ~np.isnan(table)
    count = scored.sum(axis=1, keepdims=True)
    mean = np.where(scored, table, 0.0).sum(axis=1, keepdims=True) / np.maximum(count, 1)
    apart = np.where(scored, table - mean, 0.0)
    deviation = np.sqrt((apart**2).sum(axis=1, keepdims=True) / np.maximum(count - 1, 1))
    largest = np.abs(np.where(scored, table, 0.0)).max(axis=1, keepdims=True, initial=0.0)
    varies = deviation > _SAME * np.maximum(largest, 1.0)
    scores = np.divide(apart, deviation, out=np.full(table.shape, np.nan), where=varies & scored)
    return scores
