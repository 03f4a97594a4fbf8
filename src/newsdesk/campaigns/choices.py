"""What choices between texts say: best and worst of several, and the better of two.

A choice of the best and the worst of n texts says that the best is better than each of the others, and each of the others better than the worst; between
the others it says nothing (Kiritchenko and Mohammad 2017). A text's score is how often it was best less how often it was worst, by how often it was shown:
from −1 to 1. Its strength is that of Bradley and Terry over the pairs that the choices imply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import TypeAlias

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.campaigns.campaign import answered
from newsdesk.campaigns.protocols import Protocol
from newsdesk.stats.standard_scores import standard_scores
from newsdesk.stats.strengths import Strengths, bradley_terry
from newsdesk.types import Judgment

SCORE_OF = {"best": 1.0, "worst": -1.0, "neither": 0.0}
Answers: TypeAlias = list[Judgment]  # of one annotator to one question of one task

_by_answer: Callable[[Judgment], tuple[str, str, str]] = attrgetter("question", "task", "annotator")


@dataclass(frozen=True, slots=True)
class ChoiceCount:
    """How often a target was shown, and chosen as best and as worst."""

    target: str
    shown: int
    best: int
    worst: int


def whole_answers(judgments: Iterable[Judgment]) -> Iterator[Answers]:
    """Yield the answers of each annotator to each question of each task, without withdrawn ones."""
    for _, group in groupby(sorted(answered(judgments), key=_by_answer), _by_answer):
        yield list(group)


def choice_counts(judgments: Iterable[Judgment]) -> list[ChoiceCount]:
    """Count the choices of each target, the one with the highest score first."""
    counts: dict[str, list[int]] = {}
    for judgment in answered(judgments):
        count = counts.setdefault(judgment.target, [0, 0, 0])
        count[0] += 1
        count[1] += judgment.value == "best"
        count[2] += judgment.value == "worst"
    rows = [ChoiceCount(target, *count) for target, count in counts.items()]
    return sorted(rows, key=lambda row: ((row.worst - row.best) / row.shown, row.target))


def choice_scores(judgments: Iterable[Judgment]) -> list[Judgment]:
    """Return the judgments with 1 for the best, −1 for the worst and 0 for all others."""
    return [
        replace(judgment, value=SCORE_OF[str(judgment.value)]) for judgment in answered(judgments)
    ]


def implied_pairs(judgments: Iterable[Judgment]) -> Iterator[tuple[str, str, str]]:
    """Yield item, better and worse target for every pair that a choice of best and worst orders."""
    for answers in whole_answers(judgments):
        best = [each for each in answers if each.value == "best"]
        worst = [each for each in answers if each.value == "worst"]
        rest = [each for each in answers if each.value == "neither"]
        for better, others in ((best, [*rest, *worst]), (rest, worst)):
            for one in better:
                for other in others:
                    yield one.item, one.target, other.target


def choice_strengths(
    judgments: Sequence[Judgment], targets: Sequence[str], *, seed: int = 0
) -> Strengths:
    """Fit Bradley–Terry strengths of the targets to the pairs that choices imply."""
    place = {target: number for number, target in enumerate(targets)}
    pairs = list(implied_pairs(judgments))
    ranks: Floats = np.full((len(pairs), len(targets)), np.nan)  # pairs × targets
    rows = np.arange(len(pairs))
    ranks[rows, [place[better] for _, better, _ in pairs]] = 1
    ranks[rows, [place[worse] for _, _, worse in pairs]] = 2
    return bradley_terry(ranks, [item for item, _, _ in pairs], names=targets, seed=seed)


def preferences(judgments: Iterable[Judgment]) -> list[Judgment]:
    """Return each preference between two texts as a label of its task: the better text, or `tie`."""
    labels = []
    for answers in whole_answers(judgments):
        if len(answers) != 2:
            continue
        one, other = sorted(answers, key=lambda each: float(each.value))
        tie = float(one.value) == float(other.value)
        value = "tie" if tie else f"better: {one.target}"
        labels.append(replace(one, target=one.task, value=value))
    return labels


def by_task(judgments: Iterable[Judgment]) -> list[Judgment]:
    """Return the judgments with targets told apart by their task, where a text is in several tasks."""
    return [
        replace(judgment, target=f"{judgment.task}\t{judgment.target}") for judgment in judgments
    ]


def standardised(judgments: Iterable[Judgment]) -> list[Judgment]:
    """Return scores as standard scores of their annotator, for each question on its own.

    Who gave the same score to everything is left out.
    """
    rows = answered(judgments)
    people = list(dict.fromkeys((row.question, row.annotator) for row in rows))
    own: dict[tuple[str, str], list[int]] = {key: [] for key in people}
    for number, row in enumerate(rows):
        own[row.question, row.annotator].append(number)
    scores: Floats = np.full(len(rows), np.nan)
    for numbers in own.values():
        scores[numbers] = standard_scores([[float(rows[number].value) for number in numbers]])[0]
    return [
        replace(row, value=score)
        for row, score in zip(rows, scores.tolist(), strict=True)
        if score == score  # nan is not
    ]


def numbers_for(form: Protocol, judgments: Iterable[Judgment]) -> list[Judgment]:
    """Return judgments with values that can be averaged: choices as scores, anything else as it is."""
    return choice_scores(judgments) if form.kind == "best-worst" else list(judgments)
