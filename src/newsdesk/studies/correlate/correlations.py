"""The whole study of metrics against people, as `newsdesk study correlate` prints it.

    human = read_rated("human.csv").human()
    systems = join(outputs, references)
    result = correlate(human, metric_scores(systems, ["meteor", "w-meteor"]), systems=systems)
    result.correlations, result.tests, result.gains, result.verdict

Where a weighted metric and its plain partner are both studied and the texts are at hand (`systems`), the gain is shown beside that with
shuffled weights. Pooled correlations are confounded: the mean weight of an item's references tells how its outputs are graded, whichever reference carries
which weight. So every gain is shown pooled and within items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.metrics.systems import System, pairs
from newsdesk.signatures import signature
from newsdesk.stats.coefficients import COEFFICIENTS, LEVELS, Coefficient, Level
from newsdesk.stats.intervals import (
    Ends,
    ends,
)
from newsdesk.studies.correlate.between import MetricTest, corrected_by_family, tests_of
from newsdesk.studies.correlate.pairs import ClosePairs, PairAccuracy, close_pairs, pair_accuracies
from newsdesk.studies.correlate.study import (
    CorrelateSettings,
    Correlation,
    QuestionStudy,
    Value,
    correlations_of,
    kind_of,
    study_question,
)
from newsdesk.studies.correlate.tables import (
    HUMAN,
    HumanScores,
    MetricScores,
    divided,
    only,
    shuffled_scores,
)
from newsdesk.work.progress import OnProgress, counting, silent

_SAMPLES = 2_000  # there are several shuffled copies of each metric
_SMALLEST = 0.01
_LEVELS: tuple[Level, ...] = ("pooled", "item")
_COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman")


@dataclass(frozen=True, slots=True)
class Gain:
    """What a weighted metric gains over its plain partner, beside shuffled weights; `net` is the rest."""

    weighted: str
    plain: str
    human: str
    level: Level
    coefficient: Coefficient
    gain: float
    ci: Ends | None
    shuffled: float | None
    shuffled_ci: Ends | None
    net: float | None
    net_ci: Ends | None

    @property
    def survives(self) -> float | None:
        """The share of a positive gain that is left with shuffled weights."""
        if self.shuffled is None or self.gain <= 0:
            return None
        return self.shuffled / self.gain

    @property
    def confounded(self) -> bool:
        """True if the gain is above zero, worth mentioning (.01), and at least half of it survives shuffling."""
        sure = self.ci is not None and self.ci[0] > 0 and self.gain >= _SMALLEST
        return sure and (self.survives or 0.0) >= 0.5


def gains(
    human: HumanScores,
    partners: Sequence[tuple[MetricScores, MetricScores]],
    shuffled: Mapping[str, Sequence[MetricScores]],
    settings: CorrelateSettings,
) -> list[Gain]:
    """Return the gain of each weighted metric over its plain partner.

    `shuffled` holds copies of a weighted metric with shuffled weights.
    """
    if not partners:
        return []
    metrics: dict[str, MetricScores] = {}
    for weighted, plain in partners:
        metrics[plain.name] = plain
        metrics[weighted.name] = weighted
        for number, each in enumerate(shuffled.get(weighted.name, ())):
            name = _copy(weighted.name, number)
            metrics[name] = replace(each, name=name)
    few = replace(settings, samples=min(settings.samples, _SAMPLES), resample="items")
    part = study_question(human, list(metrics.values()), few)
    return [
        _gain(
            part,
            weighted.name,
            plain.name,
            len(shuffled.get(weighted.name, ())),
            level,
            coefficient,
        )
        for weighted, plain in partners
        for level in _LEVELS
        for coefficient in _COEFFICIENTS
        if not np.isnan(part.value(level, coefficient, weighted.name))
    ]


def _gain(
    part: QuestionStudy,
    weighted: str,
    plain: str,
    copies: int,
    level: Level,
    coefficient: Coefficient,
) -> Gain:
    units = len(part.study.items)
    draws, estimates = part.draws[level, coefficient], part.estimates[level, coefficient]

    def of(name: str) -> tuple[float, Floats]:
        place = part.study.place(name)
        return estimates[place].value, draws[:, place]

    (value, drawn), (base, base_drawn) = of(weighted), of(plain)
    gain = value - base
    row = Gain(
        weighted, plain, part.study.question, level, coefficient,
        gain, ends(drawn - base_drawn, "widened", units=units), None, None, None, None,
    )  # fmt: skip
    if not copies:
        return row
    mixed = [of(_copy(weighted, number)) for number in range(copies)]
    mean = float(np.mean([each for each, _ in mixed]))
    mean_drawn = np.mean([each for _, each in mixed], axis=0)
    return replace(
        row,
        shuffled=mean - base,
        shuffled_ci=ends(mean_drawn - base_drawn, "widened", units=units),
        net=value - mean,
        net_ci=ends(drawn - mean_drawn, "widened", units=units),
    )


def _copy(name: str, number: int) -> str:
    return f"{name} shuffled {number + 1}"


def sentences(rows: Sequence[Gain], coefficient: Coefficient = "spearman") -> list[str]:
    """Say of each weighted metric whose pooled gain mostly survives shuffling what it gains within items."""
    said = []
    chosen = [row for row in rows if row.coefficient == coefficient]
    within = {(row.weighted, row.human): row for row in chosen if row.level == "item"}
    for row in chosen:
        if row.level != "pooled" or not row.confounded:
            continue
        inside = within.get((row.weighted, row.human))
        tail = ""
        if inside is not None and inside.ci is not None:
            tail = f"; within items it gains {inside.gain:+.3f} [{inside.ci[0]:+.3f}, {inside.ci[1]:+.3f}]"
        said.append(
            f"Most of the pooled gain of {row.weighted} over {row.plain} survives shuffling ({row.human}: {row.gain:+.3f}, with shuffled weights"
            f" {row.shuffled:+.3f}, {row.survives:.0%} of it): it does not show that weights tell good references from poor ones{tail}."
        )
    return said


DIVISIONS = 20


def human_rows(
    human: HumanScores, part: QuestionStudy, settings: CorrelateSettings
) -> list[Correlation]:
    """Correlate random halves of the judges with each other; no row where outputs have one judge.

    The bootstrap samples are shared out among the divisions, so intervals hold the chance of the division too. p is the median over
    divisions.
    """
    study = part.study
    rows, columns = np.nonzero(~np.isnan(study.human))
    used = {
        (study.items[row], study.systems[column])
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    }
    judged = only(human, used)
    if not judged.has_judges:
        return []
    share = max(100, settings.samples // DIVISIONS)
    parts = []
    for number in range(DIVISIONS):
        one, two = divided(judged, seed=settings.seed, number=number)
        parts.append(
            study_question(
                one, [two], replace(settings, samples=share, draw=number + 1, resample="items")
            )
        )
    signed = signature(HUMAN, {"halves": DIVISIONS, "seed": settings.seed}, settings.note)
    result = []
    for level in LEVELS:
        values = {name: _mean(parts, level, name) for name in COEFFICIENTS}
        n = parts[0].estimates[level, "spearman"][0].n
        if n and (level != "system" or n > 2):
            result.append(Correlation(HUMAN, human.question, level, values, n, signed))
    return result


def _mean(parts: list[QuestionStudy], level: Level, coefficient: Coefficient) -> Value:
    estimates = [part.estimates[level, coefficient][0] for part in parts]
    values = np.array([estimate.value for estimate in estimates])
    if np.isnan(values).all():
        return Value(None, None, None)
    draws = np.concatenate([part.draws[level, coefficient][:, 0] for part in parts])
    mean = float(np.nanmean(values))
    items = len(parts[0].study.items)
    kind = kind_of(level, coefficient)
    return Value(
        mean,
        ends(draws, kind, value=mean, units=items),
        float(np.nanmedian([e.p for e in estimates])),
    )


SHUFFLES = 5


@dataclass(frozen=True, slots=True, eq=False)
class Correlations:
    """A study of metrics against people: correlations, tests, gains of weighting, order of pairs."""

    correlations: tuple[Correlation, ...]
    tests: tuple[MetricTest, ...]
    gains: tuple[Gain, ...]
    accuracies: tuple[PairAccuracy, ...]
    close: tuple[ClosePairs, ...]
    parts: tuple[QuestionStudy, ...]
    settings: CorrelateSettings


def correlate(
    human: Sequence[HumanScores],
    metrics: Sequence[MetricScores],
    *,
    systems: Sequence[System] = (),
    shuffles: int = SHUFFLES,
    settings: CorrelateSettings | None = None,
    progress: OnProgress = silent,
) -> Correlations:
    """Correlate metrics with every question that people answered.

    With the texts (`systems`) also with shuffled weights.
    """
    settings = settings or CorrelateSettings()
    finished = counting(progress, len(human))
    if not human:
        raise ArgumentError(
            "there are no human scores: name a table with --human, --judgments or --campaign, or give outputs that are rated"
        )
    by_name = {metric.name: metric for metric in metrics}
    partners = [(by_name[weighted], by_name[plain]) for weighted, plain in pairs(list(by_name))]
    mixed = {
        weighted.name: shuffled_scores(
            systems, weighted.name, shuffles=shuffles, seed=settings.seed
        )
        for weighted, _ in partners
        if systems and shuffles
    }
    rows: list[Correlation] = []
    tests: list[MetricTest] = []
    of_weights: list[Gain] = []
    accuracies: list[PairAccuracy] = []
    close: list[ClosePairs] = []
    parts: list[QuestionStudy] = []
    drawn = {"samples": settings.samples, "seed": settings.seed}
    for each in human:
        part = study_question(each, metrics, settings)
        parts.append(part)
        rows += correlations_of(part, settings)
        rows += human_rows(each, part, settings)
        tests += tests_of(part, settings)
        of_weights += gains(each, partners, mixed, settings)
        accuracies += pair_accuracies(part.study, **drawn)
        close += close_pairs(part.study, **drawn)
        finished(each.question)
    return Correlations(
        tuple(rows),
        tuple(corrected_by_family(tests, settings.correction)),
        tuple(of_weights),
        tuple(accuracies),
        tuple(close),
        tuple(parts),
        settings,
    )
