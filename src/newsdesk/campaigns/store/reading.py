"""Read judgments and progress. Everything here runs inside the caller's transaction.

The tasks of one annotator: list them, open one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from newsdesk.campaigns.campaign import AnnotatorStatus, OpenedTask, Status, TaskPlace, TaskView
from newsdesk.campaigns.keys import shown_number, stored_number
from newsdesk.campaigns.store import schema
from newsdesk.campaigns.store.rows import (
    CampaignEntry,
    StoredAnnotator,
    assignment_of,
    either,
    two_tasks,
)
from newsdesk.jsonl import json_text
from newsdesk.types import CANNOT_JUDGE, Judgment, Value
from newsdesk.wording import natural

_slots, _j = schema.slots, schema.judgments

# Queries of every page are built once: building one takes as long as running it.
_OWN_SLOTS = sa.and_(
    _slots.c.campaign_id == sa.bindparam("campaign"),
    _slots.c.annotator_id == sa.bindparam("annotator"),
    _slots.c.state != "void",
)
_PLACES = (
    sa.select(_slots.c.task, _slots.c.state)
    .where(_OWN_SLOTS)
    .order_by(_slots.c.position, _slots.c.task)
)
_OF_TARGET = sa.and_(
    schema.targets.c.campaign_id == _j.c.campaign_id,
    schema.targets.c.task == _j.c.task,
    schema.targets.c.number == _j.c.target,
)
_OF_TASK = sa.and_(
    schema.tasks.c.campaign_id == _j.c.campaign_id, schema.tasks.c.number == _j.c.task
)
_SLOT = sa.select(_slots).where(_OWN_SLOTS, _slots.c.task == sa.bindparam("the_task"))
_SLOT_LOCKED = _SLOT.with_for_update()
_TWO_SLOTS = sa.select(_slots).where(_OWN_SLOTS, either(_slots.c.task))
_TWO_VALUES = (
    sa.select(_j.c.task, _j.c.target, _j.c.question, _j.c.value)
    .where(
        _j.c.campaign_id == sa.bindparam("campaign"),
        _j.c.annotator_id == sa.bindparam("annotator"),
        either(_j.c.task),
    )
    .order_by(_j.c.seq)
)
_ARTICLE = sa.select(schema.articles.c.text).where(
    schema.articles.c.campaign_id == sa.bindparam("campaign"),
    schema.articles.c.item == sa.bindparam("item"),
)


def places(
    connection: sa.Connection, entry: CampaignEntry, who: StoredAnnotator
) -> list[TaskPlace]:
    """Return the numbers and states of the annotator's non-void slots, in their order."""
    rows = connection.execute(_PLACES, {"campaign": entry.id, "annotator": who.id})
    key = entry.numbers_key(who)
    return [TaskPlace(shown_number(key, row.task), row.state) for row in rows]


def opened(
    connection: sa.Connection,
    entry: CampaignEntry,
    who: StoredAnnotator,
    number: int,
    *,
    articles: bool,
) -> OpenedTask | None:
    """Return one task with its article, if wanted, and the annotator's answers; None if not theirs."""
    return _opened(connection, entry, who, [number], articles=articles).get(number)


def view(
    connection: sa.Connection,
    entry: CampaignEntry,
    who: StoredAnnotator,
    number: int,
    before: int | None,
    *,
    articles: bool,
) -> TaskView | None:
    """Return all that the page of a task shows, in four queries; None if the task is not theirs.

    On PostgreSQL each query is a round trip, during which this thread may lose its turn to others.
    """
    numbers = [number] if before in (None, number) else [number, before]
    tasks = _opened(connection, entry, who, numbers, articles=articles)
    if number not in tasks:
        return None
    return TaskView(
        tasks[number],
        places(connection, entry, who),
        None if before is None else tasks.get(before),
    )


def _opened(
    connection: sa.Connection,
    entry: CampaignEntry,
    who: StoredAnnotator,
    numbers: Sequence[int],  # one or two, the first with its article if wanted
    *,
    articles: bool,
) -> dict[int, OpenedTask]:
    """Return those of the annotator's tasks that have these shown numbers, with the answers so far."""
    key = entry.numbers_key(who)
    stored = [stored_number(key, number) for number in numbers]
    bound = {"campaign": entry.id, "annotator": who.id, "one": stored[0], "other": stored[-1]}
    slot_of = {row.task: row for row in connection.execute(_TWO_SLOTS, bound)}
    if not slot_of:
        return {}
    tasks = dict(two_tasks(connection, entry, stored[0], stored[-1]))
    answers: dict[int, dict[tuple[str, str], Value]] = {task: {} for task in slot_of}
    for task, place, question, value in connection.execute(_TWO_VALUES, bound):
        if task in answers:
            answers[task][tasks[task].targets[place].id, question] = json.loads(value)
    opened_tasks = {}
    for number, place in zip(numbers, stored, strict=True):
        if place is not None and place in slot_of:
            task = tasks[place]
            wanted = articles and number == numbers[0]
            text = article(connection, entry, task.item) if wanted else ""
            assignment = assignment_of(slot_of[place], task, who.name)
            opened_tasks[number] = OpenedTask(number, assignment, text, answers[place])
    return opened_tasks


def own_slot(
    connection: sa.Connection,
    entry: CampaignEntry,
    who: StoredAnnotator,
    number: int,
    *,
    lock: bool = False,
) -> sa.Row[Any] | None:
    """Return the annotator's slot of a task by its shown number, locked if asked for; None if not theirs."""
    task = stored_number(entry.numbers_key(who), number)
    bound = {"campaign": entry.id, "the_task": task, "annotator": who.id}
    return connection.execute(_SLOT_LOCKED if lock else _SLOT, bound).one_or_none()


def article(connection: sa.Connection, entry: CampaignEntry, item: str) -> str:
    """Return the text of an item's article; empty where the campaign has none."""
    bound = {"campaign": entry.id, "item": item}
    return connection.execute(_ARTICLE, bound).scalar_one_or_none() or ""


def judgments(
    connection: sa.Connection,
    entry: CampaignEntry,
    *,
    current: bool,
    include_excluded: bool,
    control: bool | None,
    annotator: StoredAnnotator | None,
    names: bool,
    models: bool = False,
) -> Iterator[Judgment]:
    """Stream the judgments of a campaign; `control` picks those with or without a known answer.

    Rows that were imported as a model's are left out where people judged too, unless `models` is true.

    Current ones by task, target, annotator and question, or all rows in the order stored.
    """
    task, target, who = schema.tasks, schema.targets, schema.annotators
    query = (
        sa.select(
            task.c.name, task.c.item, target.c.name, _j.c.question, _j.c.value,
            who.c.name if names else who.c.hashed,
            _j.c.shown, _j.c.at, _j.c.seconds, target.c.answer.is_not(None), _j.c.via,
        )
        .join_from(_j, target, _OF_TARGET)
        .join(task, _OF_TASK)
        .join(who, who.c.id == _j.c.annotator_id)
        .where(_j.c.campaign_id == entry.id)
    )  # fmt: skip
    key = (_j.c.task, _j.c.target, _j.c.annotator_id, _j.c.question)
    query = query.order_by(*key, _j.c.seq) if current else query.order_by(_j.c.seq)
    if not include_excluded:
        query = query.where(who.c.excluded_at.is_(None))
    if not models:
        people = sa.exists().where(_j.c.campaign_id == entry.id, _j.c.via != "model")
        query = query.where(sa.or_(_j.c.via != "model", ~people.correlate(None)))
    if control is not None:
        known = target.c.answer.is_not(None)
        query = query.where(known if control else ~known)
    if annotator is not None:
        query = query.where(_j.c.annotator_id == annotator.id)
    rows: Iterable[Sequence[Any]] = connection.execute(query)
    for row in _last_of_key(rows) if current else rows:
        task_id, item, target_id, question, value, by, shown, at, seconds, is_control, via = row
        yield Judgment(
            entry.campaign.name, task_id, item, target_id, question, json.loads(value), by,
            shown, at, seconds, bool(is_control), via,
        )  # fmt: skip


def _last_of_key(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield the last row of each run of rows with the same key.

    Done in SQL, it took PostgreSQL minutes instead of 1 s where table statistics were missing.
    """
    last = None
    for row in rows:
        if last is not None and _key(last) != _key(row):
            yield last
        last = row
    if last is not None:
        yield last


def _key(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return the key of a row of `judgments`: task, target, question and annotator."""
    task, _, target, question, _, annotator = row[:6]
    return (task, target, question, annotator)


def status(connection: sa.Connection, entry: CampaignEntry, conflicts: int) -> Status:
    """Count slots by state, judgments and corrections, for the campaign and each annotator.

    `conflicts` is the number of open ones, counted by the caller.
    """
    task, slot, who = schema.tasks, schema.slots, schema.annotators
    tasks = connection.execute(
        sa.select(sa.func.count()).where(task.c.campaign_id == entry.id)
    ).scalar_one()
    grouped = (
        sa.select(slot.c.annotator_id, slot.c.state, sa.func.count())
        .where(slot.c.campaign_id == entry.id)
        .group_by(slot.c.annotator_id, slot.c.state)
    )
    counts = {(by, state): count for by, state, count in connection.execute(grouped)}
    total = {
        state: sum(count for (_, each), count in counts.items() if each == state)
        for state in ("open", "claimed", "done")
    }
    everybody = sa.select(who).where(who.c.campaign_id == entry.id).order_by(who.c.id)
    annotators = []
    for row in connection.execute(everybody):
        done = counts.get((row.id, "done"), 0)
        assigned = sum(counts.get((row.id, state), 0) for state in total)
        annotators.append(
            AnnotatorStatus(row.name, row.hashed, assigned, done, row.excluded_at, row.reason)
        )
    judged, corrections = _judged(connection, entry)
    return Status(
        tasks=tasks,
        slots=sum(total.values()),
        open=total["open"],
        claimed=total["claimed"],
        done=total["done"],
        judgments=judged,
        corrections=corrections,
        withdrawn=_withdrawn(connection, entry),
        conflicts=conflicts,
        annotators=tuple(sorted(annotators, key=lambda annotator: natural(annotator.name))),
    )


def _judged(connection: sa.Connection, entry: CampaignEntry) -> tuple[int, int]:
    """Return the numbers of current judgments and of corrections, without excluded annotators."""
    who = schema.annotators
    rows = (
        sa.select(_j.c.task, _j.c.target, _j.c.annotator_id, _j.c.question)
        .join_from(_j, who, who.c.id == _j.c.annotator_id)
        .where(_j.c.campaign_id == entry.id, who.c.excluded_at.is_(None))
    )
    total, current = (
        connection.execute(sa.select(sa.func.count()).select_from(each.subquery())).scalar_one()
        for each in (rows, rows.distinct())
    )
    return current, total - current


def _withdrawn(connection: sa.Connection, entry: CampaignEntry) -> int:
    """Return the number of current judgments that are `cannot-judge`, without excluded annotators."""
    later, who = _j.alias(), schema.annotators
    corrected = sa.select(later.c.seq).where(
        *(
            later.c[name] == _j.c[name]
            for name in ("campaign_id", "task", "target", "annotator_id", "question")
        ),
        later.c.seq > _j.c.seq,
    )
    query = (
        sa.select(sa.func.count())
        .select_from(_j.join(who, who.c.id == _j.c.annotator_id))
        .where(
            _j.c.campaign_id == entry.id,
            who.c.excluded_at.is_(None),
            _j.c.value == json_text(CANNOT_JUDGE),
            ~corrected.exists(),
        )
    )
    return int(connection.execute(query).scalar_one())


def cells(
    connection: sa.Connection, entry: CampaignEntry, annotator: StoredAnnotator
) -> dict[tuple[str, str, str], tuple[Value, int]]:
    """Return an annotator's current answers and their revisions, by task, target and question."""
    task, target = schema.tasks, schema.targets
    query = (
        sa.select(task.c.name, target.c.name, _j.c.question, _j.c.value, _j.c.seq)
        .join_from(_j, target, _OF_TARGET)
        .join(task, _OF_TASK)
        .where(_j.c.campaign_id == entry.id, _j.c.annotator_id == annotator.id)
        .order_by(_j.c.seq)
    )
    return {
        (task_id, target_id, question): (json.loads(value), seq)
        for task_id, target_id, question, value, seq in connection.execute(query)
    }
