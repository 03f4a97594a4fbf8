"""Change a campaign that runs: more tasks, tasks for somebody, tasks given back, gold answers, notes, and a person who is erased.

Everything here runs inside the caller's transaction.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from newsdesk.campaigns.assign import Slot, another_slot, assign
from newsdesk.campaigns.campaign import check_text
from newsdesk.campaigns.store import schema
from newsdesk.campaigns.store.reading import own_slot
from newsdesk.campaigns.store.rows import (
    CampaignEntry,
    StoredAnnotator,
    active,
    add_person,
    insert,
    people,
    read_tasks,
    slot_row,
    task_numbers,
    write_tasks,
)
from newsdesk.campaigns.store.slots import change_many
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError, DataError
from newsdesk.jsonl import json_text
from newsdesk.types import Judgment, Value

_slots = schema.slots
_LATER = 2**24  # positions of slots that were opened in place of others


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """The answer to one question about one target that somebody decided on, kept apart from the votes."""

    task: str
    item: str
    target: str
    question: str
    value: Value
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class TaskNote:
    """What an annotator noted on a task."""

    task: str
    annotator: str
    text: str
    at: str


def add_tasks(connection: sa.Connection, entry: CampaignEntry, tasks: Sequence[Task]) -> int:
    """Add tasks behind those there are, assigned as at the beginning; return how many are new.

    A task that is there already is left as it is; one of the same name with other texts is an error.
    """
    known = {task.id: task for _, task in read_tasks(connection, entry)}
    for task in tasks:
        other = known.get(task.id)
        if other is not None and replace(task, article="") != replace(other, article=""):
            raise ArgumentError(
                f"campaign {entry.campaign.name!r} has a task {task.id!r} with other texts; give the new one another id"
            )
    fresh = [task for task in tasks if task.id not in known]
    if not fresh:
        return 0
    names = [who.name for who in people(connection, entry) if not who.excluded]
    campaign = entry.campaign
    planned = assign(
        fresh,
        None if campaign.open else names,
        campaign.per_item,
        campaign.seed,
        secret=entry.secret,
    )
    last = connection.execute(
        sa.select(sa.func.max(_slots.c.position)).where(
            _slots.c.campaign_id == entry.id, _slots.c.position < _LATER
        )
    ).scalar_one()
    behind = [replace(slot, position=slot.position + (last or 0)) for slot in planned]
    write_tasks(
        connection, entry, fresh, behind, first=len(known) and _next_task(connection, entry)
    )
    return len(fresh)


def _next_task(connection: sa.Connection, entry: CampaignEntry) -> int:
    table = schema.tasks
    query = sa.select(sa.func.max(table.c.number)).where(table.c.campaign_id == entry.id)
    return int(connection.execute(query).scalar_one()) + 1


def give(
    connection: sa.Connection,
    entry: CampaignEntry,
    annotator: str,
    count: int,
    *,
    source: str | None = None,
    extra: bool = False,
) -> int:
    """Give somebody up to so many tasks that nobody began; return how many.

    Tasks that nobody holds, or with `source` unanswered ones of that annotator; with `extra` tasks get one more annotator. Who is not an annotator yet becomes one.
    """
    if count < 1:
        raise ArgumentError(f"{count} tasks cannot be given; at least one")
    known = {who.name: who for who in people(connection, entry)}
    who = (
        active(connection, entry, annotator)
        if annotator in known
        else add_person(connection, entry, annotator)
    )
    giver = None if source is None else _giver(connection, entry, source, who)
    own = sa.select(_slots.c.task).where(
        _slots.c.campaign_id == entry.id, _slots.c.annotator_id == who.id
    )
    seen = set(connection.execute(own).scalars())
    if extra:
        return _extra_slots(connection, entry, who, count, seen)
    holder = _slots.c.annotator_id.is_(None) if giver is None else _slots.c.annotator_id == giver.id
    query = (
        sa.select(_slots)
        .where(_slots.c.campaign_id == entry.id, _slots.c.state.in_(("open", "claimed")), holder)
        .order_by(_slots.c.position.desc() if giver else _slots.c.position, _slots.c.task)
        .with_for_update()
    )
    free = [row for row in connection.execute(query).all() if row.task not in seen]
    # Of two slots of one task an annotator takes one.
    chosen = list({row.task: row for row in reversed(free)}.values())[::-1][:count]
    taken = {"annotator_id": who.id, "pool": False, "state": "open", "claimed_at": None}
    change_many(connection, entry, {(row.task, row.number): dict(taken) for row in chosen})
    return len(chosen)


def _giver(
    connection: sa.Connection, entry: CampaignEntry, source: str, who: StoredAnnotator
) -> StoredAnnotator:
    giver = active(connection, entry, source)
    if giver.id == who.id:
        raise ArgumentError(f"{source!r} cannot give tasks to themselves")
    return giver


def _extra_slots(
    connection: sa.Connection,
    entry: CampaignEntry,
    who: StoredAnnotator,
    count: int,
    seen: set[int],
) -> int:
    """Open one more slot for tasks with the fewest slots that are new to the annotator."""
    counted = (
        sa.select(
            _slots.c.task,
            sa.func.count().label("slots"),
            sa.func.max(_slots.c.number).label("last"),
        )
        .where(_slots.c.campaign_id == entry.id)
        .group_by(_slots.c.task)
    )
    rows = [row for row in connection.execute(counted) if row.task not in seen]
    rows.sort(key=lambda row: (row.slots, row.task))
    chosen = {row.task: row.last + 1 for row in rows[:count]}
    tasks = dict(read_tasks(connection, entry, sorted(chosen))) if chosen else {}
    insert(connection, _slots, _opened(entry, who, chosen, tasks))
    return len(chosen)


def _opened(
    entry: CampaignEntry, who: StoredAnnotator, numbers: dict[int, int], tasks: dict[int, Task]
) -> Iterator[dict[str, Any]]:
    for number, task in tasks.items():
        order, position = another_slot(
            task, numbers[number], entry.campaign.seed, secret=entry.secret
        )
        slot = Slot(task.id, numbers[number], who.name, position, order)
        yield slot_row(entry.id, number, task, slot, who.id)


def give_back(connection: sa.Connection, entry: CampaignEntry, annotator: str) -> int:
    """Open all unanswered tasks of an annotator for others; return how many."""
    who = active(connection, entry, annotator)
    query = (
        _slots.update()
        .where(
            _slots.c.campaign_id == entry.id,
            _slots.c.annotator_id == who.id,
            _slots.c.state.in_(("open", "claimed")),
        )
        .values(annotator_id=None, pool=True, state="open", claimed_at=None)
    )
    return connection.execute(query).rowcount


def decide(connection: sa.Connection, entry: CampaignEntry, answers: Iterable[Judgment]) -> int:
    """Store gold answers, given as judgments of who decides; return how many differ from those there are."""
    by_task: dict[str, list[Judgment]] = {}
    for answer in answers:
        by_task.setdefault(answer.task, []).append(answer)
    numbers = task_numbers(connection, entry, by_task)
    if unknown := [name for name in by_task if name not in numbers]:
        raise DataError(f"campaign {entry.campaign.name!r} has no task {unknown[0]!r}")
    current = {
        (each.task, each.target, each.question): each.value for each in gold(connection, entry)
    }
    form, rows = entry.campaign.protocol, []
    for number, task in read_tasks(connection, entry, sorted(numbers.values())) if numbers else ():
        place_of = {target.id: place for place, target in enumerate(task.targets)}
        texts = {target.id: target.text for target in task.targets}
        for answer in by_task[task.id]:
            # Of what is compared within a task one answer alone may be decided: its own form is checked.
            faults = form.value_faults({(answer.target, answer.question): answer.value}, texts)
            if answer.target not in place_of or faults:
                raise DataError(
                    f"task {task.id!r}: {faults[0] if faults else f'{answer.target} was not asked'}"
                )
            if current.get((task.id, answer.target, answer.question)) != answer.value:
                rows.append(
                    {
                        "campaign_id": entry.id, "task": number, "target": place_of[answer.target], "question": answer.question,
                        "value": json_text(answer.value), "by": answer.annotator, "at": answer.at or "",
                    }
                )  # fmt: skip
    insert(connection, schema.gold, rows)
    return len(rows)


def gold(connection: sa.Connection, entry: CampaignEntry) -> list[GoldAnswer]:
    """Return the gold answers, of each target and question the last."""
    table, task, target = schema.gold, schema.tasks, schema.targets
    query = (
        sa.select(
            task.c.name,
            task.c.item,
            target.c.name,
            table.c.question,
            table.c.value,
            table.c.by,
            table.c.at,
        )
        .join_from(
            table,
            task,
            sa.and_(task.c.campaign_id == table.c.campaign_id, task.c.number == table.c.task),
        )
        .join(
            target,
            sa.and_(
                target.c.campaign_id == table.c.campaign_id,
                target.c.task == table.c.task,
                target.c.number == table.c.target,
            ),
        )
        .where(table.c.campaign_id == entry.id)
        .order_by(table.c.id)
    )
    last = {
        (name, target_id, question): GoldAnswer(
            name, item, target_id, question, json.loads(value), by, at
        )
        for name, item, target_id, question, value, by, at in connection.execute(query)
    }
    return list(last.values())


def write_note(
    connection: sa.Connection, entry: CampaignEntry, annotator: str, number: int, text: str, at: str
) -> None:
    """Store what an annotator notes on a task in place of an earlier note; an empty text removes it.

    `number` is that under which they see the task.
    """
    check_text(text, "the note")
    who = active(connection, entry, annotator)
    row = own_slot(connection, entry, who, number)
    if row is None:
        raise ArgumentError(f"{number} is not the number of a task of {annotator!r}")
    table = schema.notes
    own = (
        table.c.campaign_id == entry.id,
        table.c.task == row.task,
        table.c.annotator_id == who.id,
    )
    connection.execute(table.delete().where(*own))
    if text.strip():
        values = {"campaign_id": entry.id, "task": row.task, "annotator_id": who.id}
        connection.execute(table.insert().values(text=text.strip(), at=at, **values))


def notes(connection: sa.Connection, entry: CampaignEntry, *, names: bool) -> list[TaskNote]:
    """Return the notes by task; annotators are keyed hashes unless `names`."""
    table, task, who = schema.notes, schema.tasks, schema.annotators
    query = (
        sa.select(task.c.name, who.c.name if names else who.c.hashed, table.c.text, table.c.at)
        .join_from(
            table,
            task,
            sa.and_(task.c.campaign_id == table.c.campaign_id, task.c.number == table.c.task),
        )
        .join(who, who.c.id == table.c.annotator_id)
        .where(table.c.campaign_id == entry.id)
        .order_by(table.c.task, table.c.annotator_id)
    )
    return [TaskNote(*row) for row in connection.execute(query)]


def forget_person(connection: sa.Connection, entry: CampaignEntry, annotator: str) -> int:
    """Erase all that is stored of an annotator of one campaign; return the number of erased judgments.

    Their tasks are open for others. The triggers that refuse deletes must be set aside.
    """
    rows = [who for who in people(connection, entry) if annotator in (who.name, who.hashed)]
    if not rows:
        raise ArgumentError(
            f"{annotator!r} is not an annotator of campaign {entry.campaign.name!r}"
        )
    [who] = rows
    erased = 0
    for table in (schema.judgments, schema.conflicts, schema.notes):
        count = connection.execute(table.delete().where(table.c.annotator_id == who.id)).rowcount
        erased += count if table is schema.judgments else 0
    own = sa.and_(_slots.c.campaign_id == entry.id, _slots.c.annotator_id == who.id)
    # A void slot has another in its place.
    connection.execute(_slots.delete().where(own, _slots.c.state == "void"))
    connection.execute(
        _slots.update()
        .where(own)
        .values(annotator_id=None, pool=True, state="open", claimed_at=None)
    )
    # Of an import stays that there was one; the name of the file may be theirs.
    imports = schema.imports
    of_campaign = imports.c.campaign_id == entry.id
    erased_name = {"annotator": None, "file": "erased", "sha256": None}
    connection.execute(
        imports.update().where(of_campaign, imports.c.annotator == who.name).values(erased_name)
    )
    connection.execute(
        imports.update().where(of_campaign, imports.c.by == who.name).values(by="erased")
    )
    connection.execute(schema.annotators.delete().where(schema.annotators.c.id == who.id))
    return erased
