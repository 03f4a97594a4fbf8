"""A study of correlations as JSON, as a plain table, and as sentences: which metric to believe, and what to be careful about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from newsdesk.metrics.systems import System
from newsdesk.results.part import plain
from newsdesk.results.verdict import SURE, rivals_text
from newsdesk.stats.coefficients import COEFFICIENTS, Coefficient, Level
from newsdesk.studies.correlate.between import MetricTest
from newsdesk.studies.correlate.correlations import Correlations, Gain, sentences
from newsdesk.studies.correlate.examples import (
    compared_metrics,
    disagreements,
    instance,
    scatter_noise,
    scatter_points,
    shown_metrics,
    texts_of,
)
from newsdesk.studies.correlate.study import Correlation, QuestionStudy
from newsdesk.studies.correlate.tables import HUMAN
from newsdesk.wording import listed, plural

_FEW_SYSTEMS = 10
_FEW_OUTPUTS = 10


@dataclass(frozen=True, slots=True)
class _Best:
    """The metric that correlates best with a question, where, its value as shown, and whether alone."""

    metric: str
    where: str
    alone: str
    question: str
    shown: str


def verdict(result: Correlations, coefficient: Coefficient = "spearman") -> str:
    """Name the metric that correlates best with each question, and whether it is alone.

    Correlations are within items, or pooled where items have one output; questions with the same answer share a sentence.
    """
    answers: list[str] = []
    unanswered: list[str] = []
    shared: dict[tuple[str, str, str], list[_Best]] = {}
    for question in dict.fromkeys(row.human for row in result.correlations):
        best = _best(result, question, coefficient)
        if isinstance(best, str):
            unanswered.append(best)
        else:
            shared.setdefault((best.metric, best.where, best.alone), []).append(best)
    name = coefficient.title()
    for (metric, where, alone), group in shared.items():
        if len(group) == 1:
            answers.append(f"{metric} correlates best with {group[0].question!r} {where} ({group[0].shown}, {name}){alone}.")  # fmt: skip
        else:
            questions = listed([f"{each.question!r} ({each.shown})" for each in group], most=20)
            answers.append(f"{metric} correlates best with {questions} {where} ({name}){alone}.")
    return " ".join([*answers, *unanswered])


def _best(result: Correlations, question: str, coefficient: Coefficient) -> _Best | str:
    """Return what the study found for one question, or a sentence that says why it found nothing."""
    rows = [row for row in result.correlations if row.human == question and row.metric != HUMAN]
    level: Level = "item" if any(row.level == "item" for row in rows) else "pooled"
    ranked = sorted(
        (row for row in rows if row.level == level and row.values[coefficient].value is not None),
        key=lambda row: -_value(row, coefficient),
    )
    if not ranked:
        people = next(part.study.human for part in result.parts if part.study.question == question)
        if np.nanmin(people) == np.nanmax(people):
            return (
                f"All outputs have the same score for {question!r}: nothing can correlate with it."
            )
        return f"No metric varies with {question!r}."
    best = ranked[0]
    where = "within items" if level == "item" else "over all outputs"
    shown = _shown(best, coefficient)
    if _value(best, coefficient) <= 0:
        return f"No metric rises with {question!r} {where}; the highest is {best.metric} ({shown}, {coefficient.title()})."
    rivals = [row.metric for row in ranked[1:] if not _beaten(result, best, row, coefficient)]
    alone = rivals_text(rivals, ", and better than every other metric" if ranked[1:] else "")
    return _Best(best.metric, where, alone, question, shown)


def _beaten(
    result: Correlations, best: Correlation, other: Correlation, coefficient: Coefficient
) -> bool:
    return any(
        test.p_corrected < SURE
        for test in result.tests
        if test.test == "permutation"
        and (test.human, test.level, test.coefficient) == (best.human, best.level, coefficient)
        and {test.first, test.second} == {best.metric, other.metric}
    )


def notes(result: Correlations) -> list[str]:
    """Return what to be careful about: gains that survive shuffling, few systems, outputs left out."""
    said = sentences(result.gains)
    for part in result.parts:
        study = part.study
        floor = len(study.names) * (len(study.names) - 1) / 2 / (result.settings.samples + 1)
        if floor > SURE:
            said.append(
                f"With {result.settings.samples:,} permutations and {plural(len(study.names), 'metric')} no corrected p-value can fall below {floor:.2f}: add --samples."
            )
        if study.outputs < _FEW_OUTPUTS:
            said.append(
                f"Only {plural(study.outputs, 'output')} have a human score ({study.question!r}) and every metric: too few to say which metric is better."
            )
        count = len(study.systems)
        if 2 < count < _FEW_SYSTEMS:
            said.append(
                f"There are {plural(count, 'system')}: correlations over systems hold for these systems, whose items are resampled, and say little about others."
            )
        if study.left_out:
            said.append(
                f"{plural(study.left_out, 'output')} without a human score ({study.question!r}) left out."
            )
    return list(dict.fromkeys(said))


def _value(row: Correlation, coefficient: Coefficient) -> float:
    value = row.values[coefficient].value
    return -2.0 if value is None else value


def _shown(row: Correlation, coefficient: Coefficient) -> str:
    value = row.values[coefficient]
    ends = f" [{value.ci[0]:.3f}, {value.ci[1]:.3f}]" if value.ci else ""
    return f"{_value(row, coefficient):.3f}{ends}"


_TEST_FIELDS = (
    *("human", "level", "coefficient", "first", "second", "difference", "ci", "test"),
    *("p", "p_corrected", "n", "more_items", "signature", "holds"),
)


def correlations_json(result: Correlations, systems: Sequence[System] = ()) -> dict[str, Any]:
    """Return the study as `newsdesk study correlate --json` prints it.

    With the texts (`systems`) examples and one whole instance have theirs.
    """
    texts = texts_of(systems)
    studies = [part.study for part in result.parts]
    examples = [
        {"question": study.question, **asdict(example)}
        for study in studies
        for first, second in compared_metrics(study.names)
        for example in disagreements(study, first, second, texts)
    ]
    whole = instance(studies[0], systems)
    return plain(
        {
            "correlations": [_row(correlation) for correlation in result.correlations],
            "tests": [
                {name: getattr(test, name) for name in _TEST_FIELDS} for test in result.tests
            ],
            "gains": [_gain(gain) for gain in result.gains],
            "pairs": [asdict(accuracy) for accuracy in result.accuracies],
            "close": [asdict(each) for each in result.close],
            "examples": examples,
            "instance": None if whole is None else asdict(whole),
            "scatter": [
                {
                    "metric": name,
                    "human": study.question,
                    "noise": scatter_noise(study),
                    "points": scatter_points(study, name, result.settings.seed),
                }
                for study, part in zip(studies, result.parts, strict=True)
                for name in shown_metrics(study.names, _within_items(part))
            ],
            "verdict": verdict(result),
            "notes": notes(result),
        }
    )


def _within_items(part: QuestionStudy) -> list[float]:
    """Spearman of each metric within items, or pooled where no item has a correlation."""
    within, pooled = (part.estimates[level, "spearman"] for level in ("item", "pooled"))
    defined = any(each.n for each in within)
    return [each.value for each in (within if defined else pooled)]


def _row(row: Correlation) -> dict[str, Any]:
    return {
        "metric": row.metric,
        "human": row.human,
        "level": row.level,
        **{name: asdict(row.values[name]) for name in COEFFICIENTS},
        "n": row.n,
        "signature": row.signature,
    }


def _gain(row: Gain) -> dict[str, Any]:
    return {**asdict(row), "survives": row.survives, "confounded": row.confounded}


def cell(value: float | None, ends: tuple[float, float] | None) -> str:
    """Return a number to three digits with the ends of its interval.

    >>> cell(0.49751, (0.4412, 0.55)), cell(None, None)
    ('0.498 [0.441, 0.550]', '-')
    """
    if value is None or not math.isfinite(value):
        return "-"
    return f"{value:.3f}" + (f" [{ends[0]:.3f}, {ends[1]:.3f}]" if ends else "")


def correlation_cells(row: Correlation) -> list[str | int]:
    """Return a row of the table of correlations: metric, level, coefficients with intervals, n."""
    values = (row.values[name] for name in ("pearson", "spearman", "kendall"))
    return [row.metric, row.level, *(cell(value.value, value.ci) for value in values), row.n]


def shown_tests(result: Correlations, most: int = 12) -> list[MetricTest]:
    """Return the permutation tests of Spearman within items (else pooled), smallest p first."""
    levels = {test.level for test in result.tests}
    level = "item" if "item" in levels else "pooled"
    chosen = [
        test
        for test in result.tests
        if test.test == "permutation" and test.coefficient == "spearman" and test.level == level
    ]
    return sorted(chosen, key=lambda test: (test.p_corrected, test.p))[:most]
