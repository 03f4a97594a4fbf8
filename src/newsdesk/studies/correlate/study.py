"""One question of a study of metrics against people: correlations at three levels with their intervals.

Intervals resample items, systems or both. Everything is a function of scores alone, so ready values of any metric can be
studied; `tables` computes the scores of texts. Where systems are resampled, `system_errors` has the errors, on Fisher's scale, that count systems as a sample of all there could be: theory over
systems, the jackknife pooled and within items.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.results.correlations import CoefficientValue, CorrelationRow
from newsdesk.settings import at_least, one_of
from newsdesk.stats.coefficients import (
    COEFFICIENTS,
    LEVELS,
    Coefficient,
    Level,
    TestedCorrelation,
    flat_correlations,
    mean_correlations,
    row_correlations,
    system_means,
)
from newsdesk.stats.intervals import (
    MOST_SYSTEMS,
    Ends,
    Kind,
    bootstrap_error,
    ends,
    fisher,
    fisher_ends,
    inverted_ends,
)
from newsdesk.stats.significance import Correction
from newsdesk.studies.correlate.bootstrap import Draws, draw_items
from newsdesk.studies.correlate.tables import Aligned, HumanScores, MetricScores, align

Errors = dict[tuple[Level, Coefficient], tuple[float | None, ...]]


def system_errors(study: Aligned) -> Errors:
    """Return the error of every metric, level and coefficient; None where there are too few systems."""
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
    """Return the standard error over systems on Fisher's scale; None with too few systems."""
    if systems < (5 if coefficient.startswith("kendall") else 4) or math.isnan(value):
        return None
    if coefficient == "pearson":
        return 1 / math.sqrt(systems - 3)
    if coefficient == "spearman":
        return math.sqrt((1 + value**2 / 2) / (systems - 3))
    return math.sqrt(0.437 / (systems - 4))


def _jackknife(study: Aligned, metric: Floats) -> dict[tuple[Level, Coefficient], float | None]:
    """Return the errors of a metric from leaving out each system in turn; None with too few.

    `metric` is items × systems; levels are pooled and within items.
    """
    systems = len(study.systems)
    values: dict[tuple[Level, Coefficient], list[float]] = {}
    for index in range(systems if systems > 3 else 0):
        scores, human = (np.delete(table, index, axis=1) for table in (metric, study.human))
        pooled = flat_correlations(scores.ravel(), human.ravel())
        within = mean_correlations(row_correlations(scores, human))
        for name in COEFFICIENTS:
            values.setdefault(("pooled", name), []).append(pooled[name].value)
            values.setdefault(("item", name), []).append(within[name].value)
    levels: tuple[Level, ...] = ("pooled", "item")
    errors: dict[tuple[Level, Coefficient], float | None] = {
        (level, name): None for level in levels for name in COEFFICIENTS
    }
    for key, correlations in values.items():
        without_each = fisher(np.array(correlations))  # systems
        if not np.isnan(without_each).any():
            spread = float(((without_each - without_each.mean()) ** 2).sum())
            errors[key] = math.sqrt((systems - 1) / systems * spread)
    return errors


Resample = Literal["items", "systems", "both"]
_MANY = 1_000_000  # units at which t is normal


def kind_of(level: Level, coefficient: Coefficient) -> Kind:
    """Return the kind of interval over items: rank correlations over systems jump from value to value."""
    return "stepped" if level == "system" and coefficient != "pearson" else "fisher"


@dataclass(frozen=True, slots=True, eq=False)
class QuestionStudy:
    """One question's study: aligned scores, estimates and draws of every level and coefficient."""

    study: Aligned
    estimates: Mapping[tuple[Level, Coefficient], tuple[TestedCorrelation, ...]]
    per_item: Mapping[Coefficient, Floats]
    draws: Draws
    errors: Errors | None = None  # of systems as a sample, if they are resampled

    def ends(
        self, level: Level, coefficient: Coefficient, index: int, resample: Resample
    ) -> Ends | None:
        """Return the interval of a metric's correlation; `index` is its place in the study."""
        value = self.estimates[level, coefficient][index].value
        draws, items = self.draws[level, coefficient][:, index], len(self.study.items)
        kind = kind_of(level, coefficient)
        if resample == "items" or self.errors is None:
            return ends(draws, kind, value=value, units=items)
        systems = len(self.study.systems)
        if kind == "stepped" and 3 < systems <= MOST_SYSTEMS:
            return inverted_ends(coefficient, value, systems)
        error = self.errors[level, coefficient][index]
        if error is None:
            return None
        if level == "system":  # the theory holds the noise of items too, and has normal quantiles
            return fisher_ends(value, error, _MANY)
        if resample == "systems":
            return fisher_ends(value, error, systems)
        return fisher_ends(value, math.hypot(error, bootstrap_error(draws) or 0.0), _MANY)

    def value(self, level: Level, coefficient: Coefficient, metric: str) -> float:
        """Return the correlation of a metric."""
        return self.estimates[level, coefficient][self.study.place(metric)].value


@dataclass(frozen=True, slots=True)
class CorrelateSettings:
    """What a study of correlations draws: bootstrap samples, the seed, the correction of p-values."""

    samples: int = 10_000
    seed: int = 0
    correction: Correction = "holm"
    resample: Resample = "items"
    draw: int = 0  # which of several independent draws of the same seed

    def __post_init__(self) -> None:
        at_least("samples", self.samples, 100)
        one_of("correction", self.correction, get_args(Correction))
        one_of("resample", self.resample, get_args(Resample))

    @property
    def note(self) -> str:
        """The settings as part of a signature."""
        return f"bootstrap:{self.resample}[samples={self.samples},seed={self.seed}]"


def study_question(
    human: HumanScores, metrics: Sequence[MetricScores], settings: CorrelateSettings
) -> QuestionStudy:
    """Align one question's scores with all metrics, and estimate and resample every correlation."""
    study = align(human, metrics)
    # One correlation per item and metric: metrics × items, by coefficient.
    rows = [row_correlations(metric, study.human) for metric in study.metrics]
    per_item = {name: np.stack([row[name] for row in rows]) for name in COEFFICIENTS}
    estimates: dict[tuple[Level, Coefficient], tuple[TestedCorrelation, ...]] = {}
    # The estimates of each level: over all outputs, over items, over the systems' means.
    pooled = [flat_correlations(metric.ravel(), study.human.ravel()) for metric in study.metrics]
    means = [mean_correlations(row) for row in rows]
    of_people = system_means(study.human)
    systems = [flat_correlations(system_means(metric), of_people) for metric in study.metrics]
    levels: dict[Level, list[dict[Coefficient, TestedCorrelation]]] = {
        "pooled": pooled,
        "item": means,
        "system": systems,
    }
    for level, columns in levels.items():
        for name in COEFFICIENTS:
            estimates[level, name] = tuple(column[name] for column in columns)
    pooled_values = {
        name: np.nan_to_num(np.array([estimate.value for estimate in estimates["pooled", name]]))
        for name in COEFFICIENTS
    }
    drawn = {"samples": settings.samples, "seed": settings.seed, "draw": settings.draw}
    draws = draw_items(study, per_item, pooled_values, **drawn)
    errors = None if settings.resample == "items" else system_errors(study)
    return QuestionStudy(study, estimates, per_item, draws, errors)


def correlations_of(part: QuestionStudy, settings: CorrelateSettings) -> list[CorrelationRow]:
    """Return the correlations of every metric, level by level.

    Levels at which nothing is defined are left out.
    """
    study = part.study
    rows = []
    for index, (name, signed) in enumerate(zip(study.names, study.signatures, strict=True)):
        for level in LEVELS:
            values = {
                coefficient: _value(part, level, coefficient, index, settings.resample)
                for coefficient in COEFFICIENTS
            }
            n = part.estimates[level, "spearman"][index].n
            note = f"{signed}|{settings.note}"
            rows += correlation_rows(name, study.question, level, values, n, note)
    return rows


def correlation_rows(
    metric: str,
    question: str,
    level: Level,
    values: Mapping[Coefficient, CoefficientValue],
    n: int,
    signed: str,
) -> list[CorrelationRow]:
    """Return the row of a metric at a level; none where there are no units, or two systems at most."""
    if not n or (level == "system" and n <= 2):
        return []
    row = CorrelationRow(
        metric=metric, human=question, level=level, n=n, signature=signed, **dict(values)
    )
    return [row]


def _value(
    part: QuestionStudy, level: Level, coefficient: Coefficient, index: int, resample: Resample
) -> CoefficientValue:
    estimate = part.estimates[level, coefficient][index]
    if np.isnan(estimate.value):
        return CoefficientValue()
    return CoefficientValue(
        estimate.value, part.ends(level, coefficient, index, resample), estimate.p
    )
