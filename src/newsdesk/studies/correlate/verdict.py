"""The result of a study of correlations in sentences: which metric to believe, and what to be careful about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.results.verdict import SURE, rivals_text
from newsdesk.studies.correlate.coefficients import Coefficient, Level
from newsdesk.studies.correlate.control import sentences
from newsdesk.studies.correlate.correlations import Correlations
from newsdesk.studies.correlate.halves import HUMAN
from newsdesk.studies.correlate.study import Correlation
from newsdesk.wording import listed, plural

_FEW_SYSTEMS = 10
_FEW_OUTPUTS = 10


@dataclass(frozen=True, slots=True)
class _Best:
    """The metric that correlates best with a question, its value as shown, where, and what follows: whether it is alone."""

    metric: str
    where: str
    alone: str
    question: str
    shown: str


def verdict(result: Correlations, coefficient: Coefficient = "spearman") -> str:
    """The metric that correlates best with each question within items (pooled, where items have one output), and whether it is alone; questions with the same answer share a sentence."""
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
    """What the study found for one question, or a sentence that says why it found nothing."""
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
    """What to be careful about: gains that survive shuffling, few systems, outputs left out."""
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
