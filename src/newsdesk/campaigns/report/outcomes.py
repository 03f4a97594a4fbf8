"""Results of protocols that ask about several criteria, labels or kinds of passages, or compare scores and choices: a result for each question."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from newsdesk.campaigns import aggregate
from newsdesk.campaigns.aggregate import CampaignMeasure, Tally
from newsdesk.campaigns.choices import (
    choice_counts,
    choice_scores,
    choice_strengths,
    standardised,
)
from newsdesk.campaigns.protocols import Protocol, Question
from newsdesk.campaigns.report.result import ChoiceRow, CriterionResult, EstimateRow
from newsdesk.campaigns.spans import marked_tokens, spans_of
from newsdesk.errors import ArgumentError
from newsdesk.results.standings import Ends
from newsdesk.types import Judgment

Texts: TypeAlias = Mapping[tuple[str, str], str]  # (item, target) → text
Outcome: TypeAlias = Callable[[Protocol, Question, Sequence[Judgment], Texts, int], CriterionResult]

_MOST_CHOICES = 200  # targets of best-worst scaling that a report lists


def criteria_of(
    form: Protocol, judgments: Sequence[Judgment], texts: Texts, seed: int
) -> tuple[CriterionResult, ...]:
    """Compute the result of each question that was answered, in the order of the form."""
    outcome = _OUTCOMES[form.kind]
    asked = (
        (question, [judgment for judgment in judgments if judgment.question == question.name])
        for question in form.questions
    )
    return tuple(outcome(form, question, rows, texts, seed) for question, rows in asked if rows)


def has_criteria(form: Protocol) -> bool:
    """Return True if the results of a form are told question by question, other than as rankings."""
    return form.kind in ("slider", "best-worst", "spans") or (
        form.kind in ("scale", "select") and len(form.questions) > 1
    )


def _scale(
    form: Protocol, question: Question, judgments: Sequence[Judgment], texts: Texts, seed: int
) -> CriterionResult:
    rows = aggregate.tallies(judgments)
    top = max(float(value) for value in form.values)
    return CriterionResult(
        question=question.name,
        text=question.text,
        measure="mean grade",
        systems=estimate_rows(aggregate.system_estimates(rows, seed=seed)),
        estimates=estimate_rows(aggregate.grade_estimates(rows, top=top, seed=seed)),
    )


def _select(
    form: Protocol, question: Question, judgments: Sequence[Judgment], texts: Texts, seed: int
) -> CriterionResult:
    rows = aggregate.tallies(judgments)
    return CriterionResult(
        question=question.name,
        text=question.text,
        measure="share of yes",
        systems=estimate_rows(aggregate.system_estimates(rows, seed=seed)),
        estimates=estimate_rows(aggregate.vote_estimates(rows, seed=seed)),
    )


def _slider(
    form: Protocol, question: Question, judgments: Sequence[Judgment], texts: Texts, seed: int
) -> CriterionResult:
    """Return systems by standard scores, and beside them by scores as given."""
    raw = aggregate.tallies(judgments)
    scores = standardised(judgments)
    estimates = aggregate.grade_estimates(raw, top=math.inf, seed=seed)[:2]
    named = [
        replace(each, name=name)
        for each, name in zip(estimates, ("mean score", "standard deviation"), strict=True)
    ]
    left_out = {each.annotator for each in judgments} - {each.annotator for each in scores}
    note = (
        ""
        if not left_out
        else f"standard scores without {', '.join(sorted(left_out))}, whose scores do not differ"
    )
    return CriterionResult(
        question=question.name,
        text=question.text,
        measure="standardised score",
        systems=estimate_rows(aggregate.system_estimates(aggregate.tallies(scores), seed=seed)),
        raw=estimate_rows(aggregate.system_estimates(raw, seed=seed)),
        estimates=estimate_rows(named),
        note=note,
    )


def _best_worst(
    form: Protocol, question: Question, judgments: Sequence[Judgment], texts: Texts, seed: int
) -> CriterionResult:
    """Return counts, scores and strengths of systems; of texts of one item only counts and scores."""
    items_of: dict[str, set[str]] = {}
    for judgment in judgments:
        items_of.setdefault(judgment.target, set()).add(judgment.item)
    shared = all(len(items) > 1 for items in items_of.values())
    counts = choice_counts(judgments)
    targets = [row.target for row in counts]
    rows = aggregate.tallies(choice_scores(judgments))
    scores = {each.name: each for each in aggregate.system_estimates(rows, seed=seed)}
    strengths = choice_strengths(judgments, targets, seed=seed) if shared else None
    listed = counts
    if len(counts) > _MOST_CHOICES:
        listed = [*counts[: _MOST_CHOICES // 2], *counts[-_MOST_CHOICES // 2 :]]
    choices = tuple(
        ChoiceRow(
            system=row.target,
            n=row.shown,
            best=row.best,
            worst=row.worst,
            score=(row.best - row.worst) / row.shown,
            score_ci=ends(scores[row.target].low, scores[row.target].high) if row.target in scores else None,
            strength=number(strengths.values[place]) if strengths else None,
            strength_ci=ends(strengths.low[place], strengths.high[place]) if strengths else None,
        )
        for place, row in enumerate(listed)
    )  # fmt: skip
    return CriterionResult(
        question=question.name,
        text=question.text,
        measure="best less worst",
        systems=estimate_rows(list(scores.values())) if shared else (),
        choices=choices,
        note=strengths.note if strengths else "",
    )


def _spans(
    form: Protocol, question: Question, judgments: Sequence[Judgment], texts: Texts, seed: int
) -> CriterionResult:
    """Return how much of the texts was marked: as annotators did, and by the majority of them."""
    if any((each.item, each.target) not in texts for each in judgments):
        raise ArgumentError(
            "passages are counted in their texts, which judgments do not hold; ask for the report of their campaign"
        )
    shares: list[Tally] = []
    majorities: list[Tally] = []
    counts: list[Tally] = []
    of_target: dict[tuple[str, str], list[Judgment]] = {}
    for judgment in judgments:
        of_target.setdefault((judgment.item, judgment.target), []).append(judgment)
    for (item, target), answers in of_target.items():
        marks = [marked_tokens(each.value, texts[item, target]) for each in answers]
        votes = np.mean(marks, axis=0) if marks[0] else np.zeros(1)
        for values, of_answers in (
            (shares, tuple(float(np.mean(each)) if each else 0.0 for each in marks)),
            (majorities, (float(np.mean(votes > 0.5)),)),
            (counts, tuple(float(len(spans_of(each.value))) for each in answers)),
        ):
            values.append(Tally(item, target, question.name, of_answers))
    named = {
        "share of tokens marked": shares,
        "share of tokens marked by a majority": majorities,
        "passages in a text": counts,
    }
    estimates = [
        replace(aggregate.mean_estimate(rows, seed=seed), name=name) for name, rows in named.items()
    ]
    return CriterionResult(
        question=question.name,
        text=question.text,
        measure="share of tokens marked",
        systems=estimate_rows(aggregate.system_estimates(shares, seed=seed)),
        estimates=estimate_rows(estimates),
        high=False,
    )


_OUTCOMES: Mapping[str, Outcome] = {
    "scale": _scale,
    "select": _select,
    "slider": _slider,
    "best-worst": _best_worst,
    "spans": _spans,
}


def estimate_rows(rows: Iterable[CampaignMeasure]) -> tuple[EstimateRow, ...]:
    """Return measures as rows of the report."""
    return tuple(
        EstimateRow(name=row.name, value=number(row.value), ci=ends(row.low, row.high), n=row.n)
        for row in rows
    )


def number(value: float | None) -> float | None:
    """Return a number that JSON can hold; None where there is none."""
    return None if value is None or not math.isfinite(value) else value


def ends(low: float | None, high: float | None) -> Ends | None:
    """Return the ends of an interval that JSON can hold; None where one is missing."""
    low, high = number(low), number(high)
    return None if low is None or high is None else (low, high)
