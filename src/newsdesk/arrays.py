"""Array types for annotations, rows of length one, and the order of scores: best first, ties by position.

Scores that differ by less than 1e-9 are ties, and ties keep their order: so a ranking does not depend on the last bit of a sum.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
FloatRows = TypeVar("FloatRows", NDArray[np.float64], NDArray[np.float32])

# From here on neighbouring floats are more than 1e-9 apart, and there is nothing to round.
_COARSE = 2.0**23


def rounded(values: Floats) -> Floats:
    """Values as ties see them: to 1e-9; what is too large to be rounded so finely stays."""
    fine = np.abs(values) < _COARSE
    return np.where(fine, np.round(np.where(fine, values, 0.0), 9), values)


def unit_rows(rows: FloatRows) -> FloatRows:
    """Scale each row to length one; rows of zeros stay zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    norms = np.linalg.norm(rows, axis=1, keepdims=True)  # rows × 1
    norms[norms == 0] = 1
    scaled: FloatRows = rows / norms
    return scaled


def best_first(scores: Floats) -> Ints:
    """Return the places of scores, best first; those that agree after rounding to 1e-9 stay in order.

    >>> best_first(np.array([1.0, 2.0, 1.0 + 1e-12])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-rounded(scores), kind="stable").astype(np.int64)
