"""Rankings with ties, drawn at random around a known order."""

from __future__ import annotations

import math

import numpy as np

from newsdesk.arrays import Floats


def some_ranks(seed: int, rankings: int = 60, systems: int = 4, present: float = 1.0) -> Floats:
    """Rankings of systems of which the first is best, close ones tied, some systems not ranked."""
    rng = np.random.default_rng(seed)
    seen = np.rint(np.linspace(0.8, -0.8, systems) + rng.normal(0, 1, (rankings, systems)))
    seen = np.where(rng.random(seen.shape) < present, seen, math.nan)
    return np.array([[math.nan if math.isnan(v) else 1 + sum(w > v for w in row) for v in row] for row in seen])  # fmt: skip
