"""Small campaigns to test with."""

from __future__ import annotations

from collections.abc import Iterable

from newsdesk.campaigns.campaign import Assignment
from newsdesk.campaigns.protocols import Protocol, protocol
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.types import Judgment, Value

AT = "2026-01-02T09:00:00Z"
LATER = "2026-01-02T10:00:00Z"
RANK = protocol("rank")
GRADE = protocol("grade")
VOTE = protocol("constructive")


def rank_tasks(count: int, systems: int = 4) -> list[Task]:
    return [
        Task(
            f"t{n}",
            f"item{n}",
            tuple(Target(f"s{s}", f"output {n} of system {s}") for s in range(systems)),
            (("reference", f"what happened in {n}"),),
        )
        for n in range(count)
    ]


def grade_tasks(count: int, *, controls: int = 0) -> list[Task]:
    return [
        Task(
            f"c{n}",
            f"article{n // 3}",
            (Target(f"c{n}", f"comment {n}", 5 if n < controls else None),),
        )
        for n in range(count)
    ]


def vote_tasks(count: int, bundle: int = 5) -> list[Task]:
    return [
        Task(
            f"b{n}",
            f"article{n}",
            tuple(Target(f"b{n}c{m}", f"comment {n} {m}") for m in range(bundle)),
        )
        for n in range(count)
    ]


def numbers_of(store: Store, campaign: str, annotator: str) -> dict[str, int]:
    """The numbers under which an annotator is shown the tasks, by their ids."""
    places, assignments = store.places(campaign, annotator), store.assignments(campaign, annotator)
    return {
        assigned.task.id: place.number for place, assigned in zip(places, assignments, strict=True)
    }


def answers(form: Protocol, task: Task, values: Iterable[Value]) -> dict[tuple[str, str], Value]:
    """The same values, one per target, for every question."""
    listed = list(values)
    return {
        (target.id, question.name): value
        for question in form.questions
        for target, value in zip(task.targets, listed, strict=True)
    }


def judgments(
    campaign: str, form: Protocol, task: Task, annotator: str, values: Iterable[Value]
) -> list[Judgment]:
    return [
        Judgment(
            campaign, task.id, task.item, target, question, value, annotator, at=AT, via="sheet"
        )
        for (target, question), value in answers(form, task, values).items()
    ]


def judged(todo: Assignment, form: Protocol, values: Iterable[Value]) -> list[Judgment]:
    assert todo.slot.annotator is not None
    return judgments("pilot", form, todo.task, todo.slot.annotator, values)
