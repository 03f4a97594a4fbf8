"""Who is right: the answers behind uneven annotators, beside what people said, and why the two differ.

Votes and labels are weighed by the skill of annotators (Dawid and Skene 1979); grades by a graded response model in which annotators differ in strictness and noise.
The way from what people said to the model's estimate has steps that add up exactly, each with its reason: the share of votes (or the mean grade), the mean over targets, the share of
targets by majority, and the model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.campaigns import aggregate
from newsdesk.campaigns.aggregate import value_matrix
from newsdesk.campaigns.campaign import answered
from newsdesk.campaigns.protocols import Protocol, Question
from newsdesk.campaigns.report.outcomes import ends, number
from newsdesk.campaigns.report.result import AnnotatorSkill, ModelledAnswer, ModelResult
from newsdesk.results.table import number_text
from newsdesk.stats.annotators import Skill, dawid_skene, skill_draws
from newsdesk.stats.graded import GradedModel, graded_model
from newsdesk.stats.intervals import percentiles
from newsdesk.types import Judgment, Value

_FEWEST = 3  # annotators: two who differ do not say who is right
_MOST_LEVELS = 12
_NEAR = 0.005  # a step that is not worth a sentence
_SAMPLES, _MANY = 200, 5_000  # samples, fewer where there are many targets


def models_of(form: Protocol, judgments: Sequence[Judgment], seed: int) -> tuple[ModelResult, ...]:
    """Fit the model of each question; none where fewer than three annotators answered, or nothing varies."""
    modelled = []
    for question in form.questions:
        rows = [row for row in answered(judgments) if row.question == question.name]
        if len({row.annotator for row in rows}) < _FEWEST or len({row.value for row in rows}) < 2:
            continue
        if form.kind in ("select", "label"):
            modelled.append(_skills(form, question, rows, seed))
        elif form.kind == "scale" and len(form.levels) <= _MOST_LEVELS:
            modelled.append(_grades(form, question, rows))
    return tuple(modelled)


def _targets(rows: Sequence[Judgment]) -> list[tuple[str, str]]:
    """Return the targets in the order of the columns of `value_matrix`."""
    return list(dict.fromkeys((row.item, row.target) for row in rows))


def _skills(form: Protocol, question: Question, rows: Sequence[Judgment], seed: int) -> ModelResult:
    """Return shares of answers as people gave them and by the model of Dawid and Skene."""
    values = value_matrix(rows)
    skill = dawid_skene(values)
    targets = _targets(rows)
    samples = _SAMPLES if len(targets) <= _MANY else _SAMPLES // 4
    draws = skill_draws(values, skill, [item for item, _ in targets], samples=samples, seed=seed)
    people = list(dict.fromkeys(row.annotator for row in rows))
    names = _names(form, question)
    answers = []
    for place, label in enumerate(skill.labels):
        steps = _steps(values, skill, place)
        answers.append(
            ModelledAnswer(
                answer=names.get(label, str(label)),
                votes=steps[0],
                targets=steps[1],
                majority=steps[2],
                model=steps[3],
                model_ci=ends(*percentiles(draws.shares[:, place])),
                why=_why_shares(steps, names.get(label, str(label)), skill, people, place),
            )
        )
    return ModelResult(
        question=question.name,
        method="Dawid and Skene (1979)",
        answers=tuple(answers),
        annotators=tuple(
            AnnotatorSkill(
                annotator=name,
                accuracy=float(accuracy),
                accuracy_ci=ends(*percentiles(column)),
            )
            for name, accuracy, column in zip(people, skill.accuracy, draws.accuracy.T, strict=True)
        ),
    )


def _names(form: Protocol, question: Question) -> dict[Value, str]:
    """Return the answers to a form of ticks in words."""
    if form.kind != "select":
        return {}
    return {1.0: question.name, 0.0: f"not {question.name}"}


def _steps(values: Floats, skill: Skill, place: int) -> tuple[float, float, float, float]:
    """Return the share of one answer among votes, over targets, by majority, and by the model."""
    label = skill.labels[place]
    given = np.array([[value == label for value in row] for row in values], dtype=float)
    there = np.array([[value is not None and value == value for value in row] for row in values])
    votes = np.stack(
        [np.array([[value == each for value in row] for row in values]).sum(axis=0) for each in skill.labels],
        axis=1,
    )  # fmt: skip
    top = votes == votes.max(axis=1, keepdims=True)
    majority = (top / top.sum(axis=1, keepdims=True))[:, place]
    return (
        float((given * there).sum() / there.sum()),
        float(((given * there).sum(axis=0) / there.sum(axis=0)).mean()),
        float(majority.mean()),
        float(skill.probabilities[:, place].mean()),
    )


def _why_shares(
    steps: tuple[float, float, float, float],
    answer: str,
    skill: Skill,
    people: Sequence[str],
    place: int,
) -> str:
    """Return in words why the model's share differs from that of the votes."""
    votes, targets, majority, model = steps
    if abs(model - votes) < _NEAR:
        return "the model and the votes say the same"
    parts = []
    if abs(targets - votes) >= _NEAR:
        parts.append(
            f"{_signed(targets - votes)} since targets do not have equally many votes, and each counts once"
        )
    if abs(majority - targets) >= _NEAR:
        parts.append(
            f"{_signed(majority - targets)} since one answer to each target is taken for right: a vote in a minority of its target does not count"
        )
    if abs(model - majority) >= _NEAR:
        recall = skill.tables[:, place, place]  # annotators
        rest = [other for other in range(len(skill.labels)) if other != place]
        weights = skill.shares[rest] / skill.shares[rest].sum()
        wrong = skill.tables[:, rest, place] @ weights
        odd = int(np.abs(recall - (1 - wrong)).argmax())
        parts.append(
            f"{_signed(model - majority)} since votes weigh by skill and habit: {people[odd]} gives “{answer}” to {recall[odd]:.0%} "
            f"of what the model takes for it and to {wrong[odd]:.0%} of the rest, so that "
            f"{'their giving it says more than their not giving it' if recall[odd] < 1 - wrong[odd] else 'their not giving it says more than their giving it'}"
        )
    said = "; ".join(parts)
    return f"from {number_text(votes)} of the votes to {number_text(model)}: {said}"


def _grades(form: Protocol, question: Question, rows: Sequence[Judgment]) -> ModelResult:
    """Return mean grades as given and by the graded model, over all targets and by system."""
    values = value_matrix(rows)
    targets = _targets(rows)
    levels = [float(value) for value in form.values]
    model = graded_model(values, levels=levels, groups=[item for item, _ in targets])
    people = list(dict.fromkeys(row.annotator for row in rows))
    names = np.array([target for _, target in targets])
    systems = {each.name for each in aggregate.system_estimates(aggregate.tallies(rows))}
    masks = {"all targets": np.ones(len(names), dtype=bool)}
    masks |= {name: names == name for name in sorted(systems) if (names == name).sum() > 1}
    answers = tuple(_graded(name, values, model, mask, people) for name, mask in masks.items())
    skills = tuple(
        AnnotatorSkill(
            annotator=name,
            bias=float(model.bias[place]),
            bias_ci=ends(*model.bias_ci[place].tolist()),
            noise=float(model.noise[place]),
            noise_ci=ends(*model.noise_ci[place].tolist()),
        )
        for place, name in enumerate(people)
    )
    method = "graded response model with a bias and a noise for each annotator"
    return ModelResult(question=question.name, method=method, answers=answers, annotators=skills)


def _graded(
    name: str, values: Floats, model: GradedModel, mask: Floats, people: Sequence[str]
) -> ModelledAnswer:
    """Return the mean grade of some targets as given, over targets, and by the model, with the reasons."""
    own = values[:, mask]
    given = float(np.nanmean(own))
    targets = float(np.nanmean(own, axis=0).mean())
    value, interval = model.mean(mask)
    parts = []
    if abs(targets - given) >= _NEAR:
        parts.append(
            f"{_signed(targets - given)} since targets do not have equally many grades, and each counts once"
        )
    if abs(value - targets) >= _NEAR:
        mild, strict = int(model.bias.argmax()), int(model.bias.argmin())
        parts.append(
            f"{_signed(value - targets)} since the model takes out who graded what, and counts noisy grades for less: {people[strict]} is the strictest "
            f"({_signed(float(model.bias[strict]))} standard deviations of targets), {people[mild]} the mildest ({_signed(float(model.bias[mild]))})"
        )
    said = "; ".join(parts)
    return ModelledAnswer(
        answer=f"mean grade of {name}",
        votes=given,
        targets=targets,
        model=value,
        model_ci=interval and ends(number(interval[0]), number(interval[1])),
        why=f"from {number_text(given)} to {number_text(value)}: {said}"
        if said
        else "the model and the grades say the same",
    )


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
