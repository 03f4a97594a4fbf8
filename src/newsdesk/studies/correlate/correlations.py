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
from newsdesk.results.correlations import (
    CoefficientValue,
    CorrelationRow,
    CorrelationsResult,
    Disagreement,
    ScatterPanel,
)
from newsdesk.results.metric_tests import (
    CloseSystems,
    MetricDifference,
    PairOrder,
    WeightingGain,
    gain_sentences,
    shown,
)
from newsdesk.results.verdict import SURE, rivals_text
from newsdesk.signatures import signature
from newsdesk.stats.coefficients import COEFFICIENTS, LEVELS, Coefficient, Level
from newsdesk.stats.intervals import ends
from newsdesk.studies.correlate.between import corrected_by_family, tests_of
from newsdesk.studies.correlate.outputs import (
    close_pairs,
    compared_metrics,
    disagreements,
    instance,
    pair_accuracies,
    scatter_noise,
    scatter_points,
    shown_metrics,
    texts_of,
)
from newsdesk.studies.correlate.study import (
    CorrelateSettings,
    QuestionStudy,
    correlation_rows,
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
from newsdesk.wording import listed, plural
from newsdesk.work.progress import OnProgress, counting, silent

SHUFFLES = 5
DIVISIONS = 20  # of the judges into halves
_SAMPLES = 2_000  # there are several shuffled copies of each metric
_LEVELS: tuple[Level, ...] = ("pooled", "item")
_COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman")
_FEW_SYSTEMS = 10
_FEW_OUTPUTS = 10


def correlate(
    human: Sequence[HumanScores],
    metrics: Sequence[MetricScores],
    *,
    systems: Sequence[System] = (),
    shuffles: int = SHUFFLES,
    settings: CorrelateSettings | None = None,
    progress: OnProgress = silent,
) -> CorrelationsResult:
    """Correlate metrics with every question that people answered.

    With the texts (`systems`) also with shuffled weights, and examples have their texts.
    """
    settings = settings or CorrelateSettings()
    finished = counting(progress, len(human))
    if not human:
        raise ArgumentError(
            "there are no human scores: name a table with --human, --judgments or --campaign, or give outputs that are rated"
        )
    by_name = {metric.name: metric for metric in metrics}
    partners = [(by_name[weighted], by_name[plain]) for weighted, plain in pairs(list(by_name))]
    shuffled = {
        weighted.name: shuffled_scores(
            systems, weighted.name, shuffles=shuffles, seed=settings.seed
        )
        for weighted, _ in partners
        if systems and shuffles
    }
    rows: list[CorrelationRow] = []
    tests: list[MetricDifference] = []
    weight_gains: list[WeightingGain] = []
    orders: list[PairOrder] = []
    close: list[CloseSystems] = []
    parts: list[QuestionStudy] = []
    drawn = {"samples": settings.samples, "seed": settings.seed}
    for scores in human:
        part = study_question(scores, metrics, settings)
        parts.append(part)
        rows += correlations_of(part, settings)
        rows += human_rows(scores, part, settings)
        tests += tests_of(part, settings)
        weight_gains += gains(scores, partners, shuffled, settings)
        orders += pair_accuracies(part.study, **drawn)
        close += close_pairs(part.study, **drawn)
        finished(scores.question)
    tests = corrected_by_family(tests, settings.correction)
    return CorrelationsResult(
        correlations=tuple(rows),
        tests=tuple(tests),
        gains=tuple(weight_gains),
        pairs=tuple(orders),
        close=tuple(close),
        examples=_examples(parts, systems),
        instance=instance(parts[0].study, systems),
        scatter=tuple(panel for part in parts for panel in _panels(part, settings.seed)),
        verdict=_verdict(rows, tests, parts),
        notes=(*gain_sentences(weight_gains), *_cautions(parts, settings.samples)),
    )


def gains(
    human: HumanScores,
    partners: Sequence[tuple[MetricScores, MetricScores]],
    shuffled: Mapping[str, Sequence[MetricScores]],
    settings: CorrelateSettings,
) -> list[WeightingGain]:
    """Return the gain of each weighted metric over its plain partner, pooled and within items.

    `partners` are (weighted, plain); `shuffled` holds by name of a weighted metric its copies with shuffled weights.
    """
    if not partners:
        return []
    metrics: dict[str, MetricScores] = {}
    for weighted, plain in partners:
        metrics[plain.name] = plain
        metrics[weighted.name] = weighted
        for number, copy in enumerate(shuffled.get(weighted.name, ())):
            name = _copy_name(weighted.name, number)
            metrics[name] = replace(copy, name=name)
    fewer_samples = replace(settings, samples=min(settings.samples, _SAMPLES), resample="items")
    part = study_question(human, list(metrics.values()), fewer_samples)
    return [
        _gain(
            part,
            weighted=weighted.name,
            plain=plain.name,
            copies=len(shuffled.get(weighted.name, ())),
            level=level,
            coefficient=coefficient,
        )
        for weighted, plain in partners
        for level in _LEVELS
        for coefficient in _COEFFICIENTS
        if not np.isnan(part.value(level, coefficient, weighted.name))
    ]


def _gain(
    part: QuestionStudy,
    *,
    weighted: str,
    plain: str,
    copies: int,
    level: Level,
    coefficient: Coefficient,
) -> WeightingGain:
    """Return the gain of a weighted metric, and with copies what shuffled weights gain and the rest."""
    units = len(part.study.items)
    draws, estimates = part.draws[level, coefficient], part.estimates[level, coefficient]

    def value_and_draws(name: str) -> tuple[float, Floats]:
        index = part.study.place(name)
        return estimates[index].value, draws[:, index]

    value, drawn = value_and_draws(weighted)
    base, base_drawn = value_and_draws(plain)
    gain = WeightingGain(
        weighted=weighted,
        plain=plain,
        human=part.study.question,
        level=level,
        coefficient=coefficient,
        gain=value - base,
        ci=ends(drawn - base_drawn, "widened", units=units),
    )
    if not copies:
        return gain
    # The same metric with shuffled weights: the mean over its copies, in the data and in every sample.
    shuffled = [value_and_draws(_copy_name(weighted, number)) for number in range(copies)]
    mean = float(np.mean([copy_value for copy_value, _ in shuffled]))
    mean_drawn = np.mean([copy_drawn for _, copy_drawn in shuffled], axis=0)  # samples
    return replace(
        gain,
        shuffled=mean - base,
        shuffled_ci=ends(mean_drawn - base_drawn, "widened", units=units),
        net=value - mean,
        net_ci=ends(drawn - mean_drawn, "widened", units=units),
    )


def _copy_name(name: str, number: int) -> str:
    return f"{name} shuffled {number + 1}"


def human_rows(
    human: HumanScores, part: QuestionStudy, settings: CorrelateSettings
) -> list[CorrelationRow]:
    """Correlate random halves of the judges with each other; no row where outputs have one judge.

    The bootstrap samples are shared out among the divisions, so intervals hold the chance of the division too. p is the median over
    divisions.
    """
    study = part.study
    places = np.argwhere(~np.isnan(study.human)).tolist()  # outputs × (item, system)
    judged = only(human, {(study.items[row], study.systems[column]) for row, column in places})
    if not judged.has_judges:
        return []
    share = max(100, settings.samples // DIVISIONS)
    parts = []
    for number in range(DIVISIONS):
        first_half, second_half = divided(judged, seed=settings.seed, number=number)
        of_division = replace(settings, samples=share, draw=number + 1, resample="items")
        parts.append(study_question(first_half, [second_half], of_division))
    signed = signature(HUMAN, {"halves": DIVISIONS, "seed": settings.seed}, settings.note)
    rows = []
    for level in LEVELS:
        values = {name: _mean(parts, level, name) for name in COEFFICIENTS}
        n = parts[0].estimates[level, "spearman"][0].n
        rows += correlation_rows(HUMAN, human.question, level, values, n, signed)
    return rows


def _mean(parts: list[QuestionStudy], level: Level, coefficient: Coefficient) -> CoefficientValue:
    """Return the mean of a correlation over the divisions of the judges, with all their draws."""
    estimates = [part.estimates[level, coefficient][0] for part in parts]
    values = np.array([estimate.value for estimate in estimates])  # divisions
    if np.isnan(values).all():
        return CoefficientValue()
    draws = np.concatenate([part.draws[level, coefficient][:, 0] for part in parts])
    mean = float(np.nanmean(values))
    kind, items = kind_of(level, coefficient), len(parts[0].study.items)
    p = float(np.nanmedian([estimate.p for estimate in estimates]))
    return CoefficientValue(mean, ends(draws, kind, value=mean, units=items), p)


def _examples(
    parts: Sequence[QuestionStudy], systems: Sequence[System]
) -> tuple[Disagreement, ...]:
    texts = texts_of(systems)
    return tuple(
        example
        for part in parts
        for first, second in compared_metrics(part.study.names)
        for example in disagreements(part.study, first, second, texts)
    )


def _panels(part: QuestionStudy, seed: int) -> list[ScatterPanel]:
    """Return the scatter plots of one question: its metrics of highest Spearman within items.

    Pooled where no item has a correlation.
    """
    study = part.study
    within, pooled = (part.estimates[level, "spearman"] for level in ("item", "pooled"))
    estimates = within if any(estimate.n for estimate in within) else pooled
    return [
        ScatterPanel(
            metric=name,
            human=study.question,
            noise=scatter_noise(study),
            points=scatter_points(study, name, seed),
        )
        for name in shown_metrics(study.names, [estimate.value for estimate in estimates])
    ]


@dataclass(frozen=True, slots=True)
class _Best:
    """The metric that correlates best with a question, where, its value as shown, and whether alone."""

    metric: str
    where: str
    alone: str
    question: str
    shown: str


def _verdict(
    rows: Sequence[CorrelationRow],
    tests: Sequence[MetricDifference],
    parts: Sequence[QuestionStudy],
) -> str:
    """Name the metric that correlates best with each question by Spearman, and whether it is alone.

    Correlations are within items, or pooled where items have one output; questions with the same answer share a sentence.
    """
    answers: list[str] = []
    unanswered: list[str] = []
    shared: dict[tuple[str, str, str], list[_Best]] = {}
    for part in parts:
        # A sentence where nothing correlates; empty where there is no row to speak of.
        of_question = [row for row in rows if row.human == part.study.question]
        best = _best(of_question, tests, part) if of_question else ""
        if isinstance(best, str):
            unanswered.append(best)
        else:
            shared.setdefault((best.metric, best.where, best.alone), []).append(best)
    for (metric, where, alone), group in shared.items():
        if len(group) == 1:
            answers.append(f"{metric} correlates best with {group[0].question!r} {where} ({group[0].shown}, Spearman){alone}.")  # fmt: skip
        else:
            questions = listed([f"{best.question!r} ({best.shown})" for best in group], most=20)
            answers.append(f"{metric} correlates best with {questions} {where} (Spearman){alone}.")
    return " ".join(filter(None, [*answers, *unanswered]))


def _best(
    rows: Sequence[CorrelationRow], tests: Sequence[MetricDifference], part: QuestionStudy
) -> _Best | str:
    """Return what the study says of one question, or a sentence that says why it says nothing.

    `rows` are those of the question; all tests may be there.
    """
    question = part.study.question
    metrics = [row for row in rows if row.metric != HUMAN]
    level = "item" if any(row.level == "item" for row in metrics) else "pooled"
    at_level = [(row.rho, row) for row in metrics if row.level == level and row.rho is not None]
    if not at_level:
        if np.nanmin(part.study.human) == np.nanmax(part.study.human):
            return (
                f"All outputs have the same score for {question!r}: nothing can correlate with it."
            )
        return f"No metric varies with {question!r}."
    (rho, best), *others = sorted(at_level, key=lambda entry: -entry[0])
    where = "within items" if level == "item" else "over all outputs"
    value = shown(rho, best.coefficient("spearman").ci)
    if rho <= 0:
        return f"No metric rises with {question!r} {where}; the highest is {best.metric} ({value}, Spearman)."
    beaten = {
        frozenset((test.first, test.second))
        for test in tests
        if (test.human, test.level, test.coefficient, test.test)
        == (question, level, "spearman", "permutation")
        and test.p_corrected < SURE
    }
    rivals = [row.metric for _, row in others if {best.metric, row.metric} not in beaten]
    alone = rivals_text(rivals, ", and better than every other metric" if others else "")
    return _Best(best.metric, where, alone, question, value)


def _cautions(parts: Sequence[QuestionStudy], samples: int) -> list[str]:
    """Return what to be careful about: few permutations, outputs or systems, and outputs left out."""
    cautions: list[str] = []
    for study in (part.study for part in parts):
        metric_pairs = len(study.names) * (len(study.names) - 1) / 2
        least_p = metric_pairs / (samples + 1)  # after correction
        if least_p > SURE:
            cautions.append(
                f"With {samples:,} permutations and {plural(len(study.names), 'metric')} no corrected p-value can fall below {least_p:.2f}: add --samples."
            )
        if study.outputs < _FEW_OUTPUTS:
            cautions.append(
                f"Only {plural(study.outputs, 'output')} have a human score ({study.question!r}) and every metric: too few to say which metric is better."
            )
        count = len(study.systems)
        if 2 < count < _FEW_SYSTEMS:
            cautions.append(
                f"There are {plural(count, 'system')}: correlations over systems hold for these systems, whose items are resampled, and say little about others."
            )
        if study.left_out:
            cautions.append(
                f"{plural(study.left_out, 'output')} without a human score ({study.question!r}) left out."
            )
    return list(dict.fromkeys(cautions))
