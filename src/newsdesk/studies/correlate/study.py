"""The study of metrics against people: correlations at three levels with intervals, the agreement of people with each other, and tests.

Intervals resample items, systems or both; `agreement` adds the row "Human". Everything is a function of scores alone, so ready values of any metric can be
studied; `scoring` computes the scores of texts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.metrics.ranking import pearson, spearman
from newsdesk.settings import at_least, one_of
from newsdesk.signatures import signature
from newsdesk.stats.coefficients import (
    COEFFICIENTS,
    LEVELS,
    Coefficient,
    Estimate,
    Level,
    flat_correlations,
    mean_correlations,
    row_correlations,
    system_means,
)
from newsdesk.stats.intervals import (
    MOST_SYSTEMS,
    Ends,
    bootstrap_error,
    fisher,
    fisher_ends,
    inverted_ends,
    percentile_ends,
    stepped_ends,
)
from newsdesk.stats.significance import Correction
from newsdesk.studies.correlate.between import (
    MetricTest,
    all_pairs,
    items_needed,
    permutation_ps,
    williams,
)
from newsdesk.studies.correlate.bootstrap import Draws, draw_item_differences, draw_items
from newsdesk.studies.correlate.tables import Aligned, HumanScores, MetricScores, align

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


Resample = Literal["items", "systems", "both"]
_MANY = 1_000_000  # units at which t is normal


@dataclass(frozen=True, slots=True)
class Value:
    """A correlation with its interval and p-value; None where undefined."""

    value: float | None
    ci: tuple[float, float] | None
    p: float | None


@dataclass(frozen=True, slots=True)
class Correlation:
    """How one metric correlates with one question at one level; `n` counts outputs, items or systems."""

    metric: str
    human: str
    level: Level
    values: Mapping[Coefficient, Value]
    n: int
    signature: str


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One question's study: the aligned scores, the estimates and the bootstrap draws of every level and coefficient."""

    study: Aligned
    estimates: Mapping[tuple[Level, Coefficient], tuple[Estimate, ...]]
    per_item: Mapping[Coefficient, Floats]
    draws: Draws
    errors: Errors | None = None  # of systems as a sample, if they are resampled

    def ends(
        self, level: Level, coefficient: Coefficient, place: int, resample: Resample
    ) -> Ends | None:
        """The interval of a metric's correlation."""
        value = self.estimates[level, coefficient][place].value
        draws, items = self.draws[level, coefficient][:, place], len(self.study.items)
        ranked = level == "system" and coefficient != "pearson"
        if resample == "items" or self.errors is None:
            if ranked:
                return stepped_ends(value, draws, items)
            return fisher_ends(value, bootstrap_error(draws), items)
        systems = len(self.study.systems)
        if ranked and 3 < systems <= MOST_SYSTEMS:
            return inverted_ends(coefficient, value, systems)
        error = self.errors[level, coefficient][place]
        if error is None:
            return None
        if level == "system":  # the theory holds the noise of items too, and has normal quantiles
            return fisher_ends(value, error, _MANY)
        if resample == "systems":
            return fisher_ends(value, error, systems)
        return fisher_ends(value, math.hypot(error, bootstrap_error(draws) or 0.0), _MANY)

    def value(self, level: Level, coefficient: Coefficient, metric: str) -> float:
        """The correlation of a metric."""
        return self.estimates[level, coefficient][self.study.place(metric)].value


@dataclass(frozen=True, slots=True)
class Settings:
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


def study_question(human: HumanScores, metrics: Sequence[MetricScores], settings: Settings) -> Part:
    """Align one question's scores with all metrics, and estimate and resample every correlation."""
    study = align(human, metrics)
    rows = [row_correlations(metric, study.human) for metric in study.metrics]
    per_item = {name: np.stack([row[name] for row in rows]) for name in COEFFICIENTS}
    estimates: dict[tuple[Level, Coefficient], tuple[Estimate, ...]] = {}
    pooled = [flat_correlations(metric.ravel(), study.human.ravel()) for metric in study.metrics]
    means = [mean_correlations(row) for row in rows]
    of_people = system_means(study.human)
    systems = [flat_correlations(system_means(metric), of_people) for metric in study.metrics]
    levels: dict[Level, list[dict[Coefficient, Estimate]]] = {
        "pooled": pooled,
        "item": means,
        "system": systems,
    }
    for level, columns in levels.items():
        for name in COEFFICIENTS:
            estimates[level, name] = tuple(column[name] for column in columns)
    values = {
        name: np.nan_to_num(np.array([each.value for each in estimates["pooled", name]]))
        for name in COEFFICIENTS
    }
    drawn = {"samples": settings.samples, "seed": settings.seed, "draw": settings.draw}
    draws = draw_items(study, per_item, values, **drawn)
    errors = None if settings.resample == "items" else system_errors(study)
    return Part(study, estimates, per_item, draws, errors)


def correlations_of(part: Part, settings: Settings) -> list[Correlation]:
    """The correlations of every metric, level by level; levels at which nothing is defined are left out."""
    study = part.study
    rows = []
    for place, (name, signed) in enumerate(zip(study.names, study.signatures, strict=True)):
        for level in LEVELS:
            values = {
                coefficient: _value(part, level, coefficient, place, settings.resample)
                for coefficient in COEFFICIENTS
            }
            n = part.estimates[level, "spearman"][place].n
            if n and (level != "system" or n > 2):
                note = f"{signed}|{settings.note}"
                rows.append(Correlation(name, study.question, level, values, n, note))
    return rows


def _value(
    part: Part, level: Level, coefficient: Coefficient, place: int, resample: Resample
) -> Value:
    estimate = part.estimates[level, coefficient][place]
    if np.isnan(estimate.value):
        return Value(None, None, None)
    return Value(estimate.value, part.ends(level, coefficient, place, resample), estimate.p)


def tests_of(part: Part, settings: Settings) -> list[MetricTest]:
    """Permutation and Williams tests between every two metrics, not corrected yet."""
    study = part.study
    pairs = all_pairs(len(study.names))
    if not pairs:
        return []
    samples, seed = settings.samples, settings.seed
    drawn = permutation_ps(study, dict(part.per_item), pairs, samples=samples, seed=seed)
    tests = []
    for (level, coefficient), ps in drawn.items():
        apart, draws, counts = _differences(part, level, coefficient, pairs, settings)
        for place, (one, two) in enumerate(pairs):
            if np.isnan(apart[place]):
                continue
            test = MetricTest(
                human=study.question,
                level=level,
                coefficient=coefficient,
                first=study.names[one],
                second=study.names[two],
                difference=float(apart[place]),
                ci=percentile_ends(draws[:, place], len(study.items)),
                test="permutation",
                p=float(ps[place]),
                p_corrected=float(ps[place]),
                n=int(counts[place]),
                more_items=items_needed(float(apart[place]), draws[:, place], len(study.items)),
                signature=_signed(f"permutation[samples={samples},seed={seed}]", settings),
            )
            tests.append(test)
            if level != "item":
                p = _williams_p(part, level, coefficient, one, two)
                signed = _signed("williams", settings)
                tests.append(replace(test, test="williams", p=p, p_corrected=p, signature=signed))
    return tests


def _signed(test: str, settings: Settings) -> str:
    return signature("correlate", {"test": test}, settings.note)


def _differences(
    part: Part,
    level: Level,
    coefficient: Coefficient,
    pairs: Sequence[tuple[int, int]],
    settings: Settings,
) -> tuple[Floats, Floats, Ints]:
    """For every pair of metrics the difference of their correlations, its bootstrap samples, and n."""
    if level == "item":
        drawn = {"samples": settings.samples, "seed": settings.seed}
        return draw_item_differences(part.per_item[coefficient], pairs, **drawn)
    estimates, draws = part.estimates[level, coefficient], part.draws[level, coefficient]
    first, second = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    values = np.array([estimate.value for estimate in estimates])
    counts = np.full(len(pairs), estimates[0].n, dtype=np.int64)
    return values[first] - values[second], draws[:, first] - draws[:, second], counts


def _williams_p(part: Part, level: Level, coefficient: Coefficient, one: int, two: int) -> float:
    estimates = part.estimates[level, coefficient]
    between = _between(part.study, level, coefficient, one, two)
    return williams(estimates[one].value, estimates[two].value, between, estimates[one].n)


def _between(study: Aligned, level: Level, coefficient: Coefficient, one: int, two: int) -> float:
    """The correlation of two metrics with each other."""
    first, second = study.metrics[one], study.metrics[two]
    if level == "system":
        first, second = system_means(first), system_means(second)
    measure = spearman if coefficient == "spearman" else pearson
    return measure(first[~np.isnan(first)], second[~np.isnan(second)])
