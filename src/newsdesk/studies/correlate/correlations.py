"""The whole study of metrics against people, as `newsdesk study correlate` prints it.

    human = read_rated("human.csv").human()
    systems = join(outputs, references)
    result = correlate(human, metric_scores(systems, ["meteor", "w-meteor"]), systems=systems)
    result.correlations, result.tests, result.gains, result.verdict

Where a weighted metric and its plain partner are both studied and the texts are at hand (`systems`), the gain is shown beside that with
shuffled weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsdesk.errors import ArgumentError
from newsdesk.metrics.systems import System, pairs
from newsdesk.studies.correlate.agreement import human_rows
from newsdesk.studies.correlate.between import MetricTest, corrected
from newsdesk.studies.correlate.control import Gain, gains
from newsdesk.studies.correlate.pairs import ClosePairs, PairAccuracy, close_pairs, pair_accuracies
from newsdesk.studies.correlate.scoring import shuffled_scores
from newsdesk.studies.correlate.study import (
    Correlation,
    Part,
    Settings,
    correlations_of,
    study_question,
    tests_of,
)
from newsdesk.studies.correlate.tables import HumanScores, MetricScores
from newsdesk.work.progress import OnProgress, counting, silent

SHUFFLES = 5


@dataclass(frozen=True, slots=True, eq=False)
class Correlations:
    """A study of metrics against people: correlations, tests between metrics, gains of weighting, order of pairs, and the aligned scores."""

    correlations: tuple[Correlation, ...]
    tests: tuple[MetricTest, ...]
    gains: tuple[Gain, ...]
    accuracies: tuple[PairAccuracy, ...]
    close: tuple[ClosePairs, ...]
    parts: tuple[Part, ...]
    settings: Settings


def correlate(
    human: Sequence[HumanScores],
    metrics: Sequence[MetricScores],
    *,
    systems: Sequence[System] = (),
    shuffles: int = SHUFFLES,
    settings: Settings | None = None,
    progress: OnProgress = silent,
) -> Correlations:
    """Correlate metrics with every question that people answered; with the texts (`systems`) also with shuffled weights."""
    settings = settings or Settings()
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
    parts: list[Part] = []
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
        tuple(corrected(tests, settings.correction)),
        tuple(of_weights),
        tuple(accuracies),
        tuple(close),
        tuple(parts),
        settings,
    )
