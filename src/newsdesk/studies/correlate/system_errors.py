"""Standard errors of correlations, on Fisher's scale, that count systems as a sample of all systems there could be."""

from __future__ import annotations

import math

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.studies.correlate.coefficients import (
    COEFFICIENTS,
    Coefficient,
    Level,
    flat_correlations,
    mean_correlations,
    row_correlations,
    system_means,
)
from newsdesk.studies.correlate.intervals import fisher
from newsdesk.studies.correlate.tables import Aligned

Errors = dict[tuple[Level, Coefficient], tuple[float | None, ...]]


def system_errors(study: Aligned) -> Errors:
    """The error of every metric, level and coefficient; None where there are too few systems."""
    errors: dict[tuple[Level, Coefficient], list[float | None]] = {}
    for metric in study.metrics:
        of_people, means = system_means(study.human), system_means(metric)
        for name, estimate in flat_correlations(means, of_people).items():
            errors.setdefault(("system", name), []).append(
                _theory(name, estimate.value, estimate.n)
            )
        for key, error in _jackknife(study, metric).items():
            errors.setdefault(key, []).append(error)
    return {key: tuple(values) for key, values in errors.items()}


def _theory(coefficient: Coefficient, value: float, systems: int) -> float | None:
    if systems < (5 if coefficient.startswith("kendall") else 4) or math.isnan(value):
        return None
    if coefficient == "pearson":
        return 1 / math.sqrt(systems - 3)
    if coefficient == "spearman":
        return math.sqrt((1 + value**2 / 2) / (systems - 3))
    return math.sqrt(0.437 / (systems - 4))


def _jackknife(study: Aligned, metric: Floats) -> dict[tuple[Level, Coefficient], float | None]:
    """Errors from leaving out each system in turn, pooled and within items."""
    systems = len(study.systems)
    values: dict[tuple[Level, Coefficient], list[float]] = {}
    for place in range(systems if systems > 3 else 0):
        x, y = np.delete(metric, place, axis=1), np.delete(study.human, place, axis=1)
        pooled, within = (
            flat_correlations(x.ravel(), y.ravel()),
            mean_correlations(row_correlations(x, y)),
        )
        for name in COEFFICIENTS:
            values.setdefault(("pooled", name), []).append(pooled[name].value)
            values.setdefault(("item", name), []).append(within[name].value)
    levels: tuple[Level, ...] = ("pooled", "item")
    errors: dict[tuple[Level, Coefficient], float | None] = {
        (level, name): None for level in levels for name in COEFFICIENTS
    }
    for key, listed in values.items():
        left = fisher(np.array(listed))
        if not np.isnan(left).any():
            spread = float(((left - left.mean()) ** 2).sum())
            errors[key] = math.sqrt((systems - 1) / systems * spread)
    return errors
