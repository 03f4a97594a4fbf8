"""How far the annotators of a campaign agree: the measures of each question, by the kind of the protocol."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from newsdesk.campaigns.aggregate import rank_cube, value_matrix, vote_columns
from newsdesk.campaigns.choices import by_task, preferences, standardised
from newsdesk.campaigns.protocols import Protocol, Question
from newsdesk.campaigns.report.outcomes import Texts, ends, number
from newsdesk.campaigns.report.result import AgreementRow
from newsdesk.campaigns.spans import token_votes
from newsdesk.stats.agreement import (
    ICC,
    Agreement,
    Alpha,
    FleissKappa,
    KendallW,
    Measure,
    PairAlpha,
    RotatingKappa,
    SplitHalf,
    TauB,
    with_interval,
)
from newsdesk.stats.agreement.coincidences import Level
from newsdesk.types import Judgment


def agreement_of(
    form: Protocol, judgments: Sequence[Judgment], seed: int, texts: Texts | None = None
) -> tuple[AgreementRow, ...]:
    """Compute every measure of agreement with its interval, by question; none without judgments."""
    if not judgments:
        return ()
    return tuple(
        AgreementRow(
            question=question.name,
            measure=each.name,
            value=number(each.value),
            ci=ends(each.low, each.high),
            items=each.items,
            note=each.note,
        )
        for question in form.questions
        for each in _agreements(
            form,
            question,
            [row for row in judgments if row.question == question.name],
            seed,
            texts or {},
        )
    )


def _agreements(
    form: Protocol, question: Question, judgments: Sequence[Judgment], seed: int, texts: Texts
) -> Iterator[Agreement]:
    """Yield the measures of one question, by the kind of the protocol."""
    compared, groups = comparable(form, judgments, texts)
    ranked = form.kind == "rank" and not form.paired
    values = rank_cube(compared) if ranked else value_matrix(compared)
    for coefficient in _coefficients(form):
        agreement = with_interval(coefficient, values, groups=groups, seed=seed)
        name = f"{agreement.name}{_UNIT_OF_KIND.get(form.kind, '')}"
        # Of ranks several questions are asked.
        several = form.kind == "rank" or len(form.questions) > 1
        name = f"{name}, {question.name}" if several else name
        yield dataclasses.replace(agreement, name=name)
    if form.kind == "slider":
        standard = value_matrix(standardised(judgments))
        agreement = with_interval(Alpha("interval"), standard, seed=seed)
        yield dataclasses.replace(agreement, name=f"{agreement.name}, standardised")
    if form.kind == "select" and len(form.questions) == 1:
        yield with_interval(PairAlpha(), vote_columns(judgments), seed=seed)


def agreement_without(
    form: Protocol, judgments: Sequence[Judgment], texts: Texts
) -> dict[str, float | None]:
    """Return the agreement of all others without each annotator: alpha, or tau-b of ranks, the mean over questions."""
    ranked = form.kind == "rank" and not form.paired
    level: Level = {"scale": "ordinal", "slider": "interval"}.get(form.kind, "nominal")  # type: ignore[assignment]
    measure: Measure = TauB() if ranked else Alpha(level)
    values: dict[str, list[float]] = {}
    for question in form.questions:
        asked = [row for row in judgments if row.question == question.name]
        compared, _ = comparable(form, asked, texts)
        people = list(dict.fromkeys(row.annotator for row in compared))
        table = rank_cube(compared) if ranked else value_matrix(compared)
        for place, name in enumerate(people if len(people) > 2 else ()):
            value = measure.units(np.delete(table, place, axis=0)).value
            values.setdefault(name, []).extend([] if value is None else [value])
    return {name: sum(each) / len(each) if each else None for name, each in values.items()}


_UNIT_OF_KIND = {"spans": ", token by token", "best-worst": ", choices"}


def comparable(
    form: Protocol, judgments: Sequence[Judgment], texts: Texts
) -> tuple[Sequence[Judgment], list[str] | None]:
    """Return the judgments in which annotators can agree, and the text of each compared target.

    Of passages every token is one: those of a text are not independent, and are resampled together.
    """
    if form.paired:
        return preferences(judgments), None
    if form.kind == "best-worst":
        return by_task(judgments), None
    if form.kind != "spans":
        return judgments, None
    votes = list(token_votes(judgments, texts))
    targets = dict.fromkeys((vote.item, vote.target) for vote in votes)
    return votes, ["\t".join((item, target.rpartition("\t")[0])) for item, target in targets]


def _coefficients(form: Protocol) -> tuple[Measure, ...]:
    """Return the measures of agreement for the kind of a protocol."""
    if form.kind == "rank" and not form.paired:
        return KendallW(), TauB()
    if form.kind == "slider":
        return Alpha("interval"), ICC("1,1"), SplitHalf("pearson", "half")
    if form.kind == "spans":
        return (Alpha("nominal"),)
    if form.kind != "scale":
        return Alpha("nominal"), FleissKappa()
    return (
        RotatingKappa(None, form.values),
        RotatingKappa("linear", form.values),
        RotatingKappa("quadratic", form.values),
        Alpha("ordinal"),
        Alpha("interval"),
        ICC("1,1"),
        SplitHalf("pearson", "half"),
    )
