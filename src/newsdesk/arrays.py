"""Array types for annotations, and the order of scores: best first, ties by position.

Scores that differ by less than 1e-9 are ties, and ties keep their order: so a ranking does not depend on the last bit of a sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# From here on neighbouring floats are more than 1e-9 apart, and there is nothing to round.
_COARSE = 2.0**23


def rounded(values: Floats) -> Floats:
    """Values as ties see them: to 1e-9; what is too large to be rounded so finely stays."""
    fine = np.abs(values) < _COARSE
    return np.where(fine, np.round(np.where(fine, values, 0.0), 9), values)


def best_first(scores: Floats) -> Ints:
    """The places of scores, best first; those that agree after rounding to 1e-9 stay in order.

    >>> best_first(np.array([1.0, 2.0, 1.0 + 1e-12])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-rounded(scores), kind="stable").astype(np.int64)
