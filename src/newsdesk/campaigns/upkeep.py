"""Look after a campaign that runs: more items, tasks for somebody, gold answers, notes, what is to be paid, and a person who is erased.

Gold answers are what somebody decides where annotators disagree. They are kept apart from the votes: no result counts them, and the report says how often each annotator gave them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from newsdesk.campaigns.campaign import answered, check_moment, check_name, same_value
from newsdesk.campaigns.store import schema, upkeep
from newsdesk.campaigns.store.upkeep import GoldAnswer, TaskNote
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError
from newsdesk.types import Judgment, Value

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

LONGEST_NOTE = 2_000
_HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class DividedAnswers:
    """A question about a target on which annotators differ: how many gave each answer, and the gold answer if there is one."""

    task: str
    item: str
    target: str
    question: str
    text: str
    answers: tuple[tuple[Value, int], ...]
    gold: Value | None


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """What one annotator did: tasks, hours, control questions right, and what is due for it.

    `untimed` tasks, such as those of sheets, have no time; at a rate an hour they count as long as the median of all timed ones.
    """

    annotator: str
    name: str
    tasks: int
    hours: float
    untimed: int
    controls: int
    correct: int
    excluded: bool
    due: float | None


def add_tasks(store: Store, campaign: str, tasks: Sequence[Task]) -> int:
    """Add tasks to a campaign that runs, assigned as at the beginning; return how many are new."""
    with store.locked(campaign) as locked:
        return upkeep.add_tasks(*locked, tasks)


def give_tasks(
    store: Store,
    campaign: str,
    annotator: str,
    count: int,
    *,
    source: str | None = None,
    extra: bool = False,
) -> int:
    """Give somebody up to `count` tasks that nobody began; return how many.

    Free ones, with `source` unanswered ones of that annotator, or with `extra` tasks that have enough annotators already.
    """
    if source is not None and extra:
        raise ArgumentError("tasks come from somebody, or are given once more: not both")
    check_name(annotator, "annotator")
    with store.locked(campaign) as locked:
        return upkeep.give(*locked, annotator, count, source=source, extra=extra)


def give_back(store: Store, campaign: str, annotator: str) -> int:
    """Open the unanswered tasks of an annotator for others; return how many."""
    with store.locked(campaign) as locked:
        return upkeep.give_back(*locked, annotator)


def forget_person(store: Store, campaign: str, annotator: str) -> int:
    """Erase an annotator from a campaign, with judgments, notes and conflicts; return the number of judgments.

    Their tasks are open for others, results are those without them, and the database is written anew.
    """
    with store.locked(campaign) as (_, entry):
        pass
    with store.database.write(alone=True) as connection:
        statements = schema.without_triggers(connection)
        erased = upkeep.forget_person(connection, entry, annotator)
        for statement in statements:
            connection.exec_driver_sql(statement)
    store.database.compact()
    return erased


def decide(store: Store, campaign: str, answers: Iterable[Judgment], *, by: str, at: str) -> int:
    """Store gold answers, given as judgments; return how many are new or changed."""
    check_moment(at)
    check_name(by, "who decides")
    decided = [
        Judgment(campaign, each.task, each.item, each.target, each.question, each.value, by, at=at)
        for each in answers
    ]
    with store.locked(campaign) as locked:
        return upkeep.decide(*locked, decided)


def gold_answers(store: Store, campaign: str) -> list[GoldAnswer]:
    """Return the gold answers of a campaign."""
    with store.locked(campaign) as locked:
        return upkeep.gold(*locked)


def task_notes(store: Store, campaign: str, *, names: bool = False) -> list[TaskNote]:
    """Return what annotators noted on tasks; they are keyed hashes unless `names`."""
    with store.locked(campaign) as locked:
        return upkeep.notes(*locked, names=names)


def note_task(
    store: Store, campaign: str, annotator: str, number: int, text: str, *, at: str
) -> None:
    """Store what an annotator notes on the task that they see under this number; an empty text removes the note."""
    if len(text) > LONGEST_NOTE:
        raise ArgumentError(f"a note has at most {LONGEST_NOTE} characters, not {len(text)}")
    check_moment(at)
    with store.locked(campaign) as (connection, entry):
        upkeep.write_note(connection, entry, annotator, number, text, at)


def disagreements(store: Store, campaign: str) -> list[DividedAnswers]:
    """Return what annotators answered differently, the most divided first, with the gold answers so far."""
    votes: dict[tuple[str, str, str, str], Counter[Value]] = {}
    for row in answered(store.judgments(campaign, control=False)):
        votes.setdefault((row.task, row.item, row.target, row.question), Counter())[row.value] += 1
    texts = {
        (task.id, target.id): target.text
        for task in store.tasks(campaign)
        for target in task.targets
    }
    gold = {
        (each.task, each.target, each.question): each.value
        for each in gold_answers(store, campaign)
    }
    rows = [
        DividedAnswers(task, item, target, question, texts[task, target], tuple(counts.most_common()), gold.get((task, target, question)))
        for (task, item, target, question), counts in votes.items()
        if len(counts) > 1
    ]  # fmt: skip
    return sorted(rows, key=lambda row: row.answers[0][1] / sum(count for _, count in row.answers))


def against_gold(store: Store, campaign: str) -> dict[str, tuple[int, int]]:
    """Return how many gold answers each annotator gave, and of how many that were decided they answered."""
    gold = {
        (each.task, each.target, each.question): each.value
        for each in gold_answers(store, campaign)
    }
    counts: dict[str, tuple[int, int]] = {}
    for row in answered(store.judgments(campaign, control=False)):
        key = (row.task, row.target, row.question)
        if key in gold:
            right, total = counts.get(row.annotator, (0, 0))
            counts[row.annotator] = (right + same_value(row.value, gold[key]), total + 1)
    return counts


def payment_rows(
    store: Store, campaign: str, *, per_hour: float | None = None, per_task: float | None = None
) -> list[PaymentRow]:
    """Return what each annotator did, and what is due at a rate an hour, a task, or both."""
    from newsdesk.campaigns.control import audit, known_answers  # SciPy, which serving does without

    for name, rate in (("per_hour", per_hour), ("per_task", per_task)):
        if rate is not None and not rate >= 0:
            raise ArgumentError(f"{name} is {rate}, below zero")
    seconds: dict[str, dict[str, float | None]] = {}
    for row in store.judgments(campaign, include_excluded=True):
        tasks = seconds.setdefault(row.annotator, {})
        before = tasks.get(row.task)
        # Every row of a task has the time of the whole task; a correction of one row has a shorter one of its own.
        tasks[row.task] = row.seconds if before is None else max(before, row.seconds or 0.0)
    timed = [each for tasks in seconds.values() for each in tasks.values() if each is not None]
    usual = median(timed) if timed else 0.0
    judged = list(store.judgments(campaign, include_excluded=True))
    audits = {each.annotator: each for each in audit(judged, known_answers(store.tasks(campaign)))}
    rows = []
    for who in store.status(campaign).annotators:
        tasks = seconds.get(who.id, {})
        own = [each for each in tasks.values() if each is not None]
        checked = audits.get(who.id)
        paid_s = sum(own) + usual * (len(tasks) - len(own))
        due = (per_hour or 0.0) * paid_s / _HOUR_S + (per_task or 0.0) * len(tasks)
        rows.append(
            PaymentRow(
                who.id, who.name, len(tasks), sum(own) / _HOUR_S, len(tasks) - len(own),
                checked.controls if checked else 0, checked.correct if checked else 0, who.excluded_at is not None,
                None if per_hour is None and per_task is None else round(due, 2),
            )
        )  # fmt: skip
    return rows
