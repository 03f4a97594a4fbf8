"""Slots: claim, release, void and reopen them. Everything here runs inside the caller's transaction.

A task has exactly as many non-void slots as annotators it needs; claiming updates one of these rows and never inserts one, so concurrent
claims cannot give a task to too many annotators. Void slots keep their annotator, so nobody gets a task twice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa

from newsdesk.campaigns.assign import Slot, another_slot
from newsdesk.campaigns.campaign import Assignment
from newsdesk.campaigns.keys import shown_number
from newsdesk.campaigns.store import schema
from newsdesk.campaigns.store.rows import (
    CampaignEntry,
    StoredAnnotator,
    active,
    any_of,
    assignment_of,
    insert,
    people,
    person,
    read_task,
    read_tasks,
    slot_row,
)
from newsdesk.campaigns.store.schema import CHUNK, chunks
from newsdesk.errors import ArgumentError

_slots = schema.slots
_UNFINISHED = ("claimed", "open")
_SPARE = 100  # annotators beyond one for each slot who may join by themselves


def claim(
    connection: sa.Connection, entry: CampaignEntry, annotator: str, at: str
) -> Assignment | None:
    """Claim the annotator's next task; None if there is none left for them."""
    who = active(connection, entry, annotator)
    row = connection.execute(_own_unfinished(entry, who)).first()
    row = row or open_slot(connection, entry, who)
    if row is None:
        return None
    row = _claimed(connection, row, who, at)
    task = read_task(connection, entry, row.task)
    return assignment_of(row, task, who.name)


def next_number(
    connection: sa.Connection,
    entry: CampaignEntry,
    who: StoredAnnotator,
    after: sa.Row[Any],
    at: str,
) -> int | None:
    """Return the shown number of the next unfinished task after a slot, else any of theirs, else a claimed one."""
    bound = {"campaign": entry.id, "annotator": who.id, "place": after.position, "the_task": after.task}  # fmt: skip
    number: int | None = connection.execute(_NEXT_OWN, bound).scalar()
    if number is None and (row := open_slot(connection, entry, who)) is not None:
        number = int(_claimed(connection, row, who, at).task)
    return None if number is None else shown_number(entry.numbers_key(who), number)


def _claimed(
    connection: sa.Connection, row: sa.Row[Any], who: StoredAnnotator, at: str
) -> sa.Row[Any]:
    """Return the slot, claimed by the annotator unless it is already."""
    return (
        row
        if row.state == "claimed"
        else take(connection, row, who, state="claimed", claimed_at=at)
    )


def _own_unfinished(entry: CampaignEntry, who: StoredAnnotator) -> sa.Select[Any]:
    """Return the query of the annotator's first unfinished slot, claimed ones first; it is locked."""
    claimed_first = sa.case((_slots.c.state == "claimed", 0), else_=1)
    return (
        sa.select(_slots)
        .where(
            _slots.c.campaign_id == entry.id,
            _slots.c.annotator_id == who.id,
            _slots.c.state.in_(_UNFINISHED),
        )
        .order_by(claimed_first, _slots.c.position, _slots.c.task)
        .limit(1)
        .with_for_update()
    )


def open_slot(
    connection: sa.Connection, entry: CampaignEntry, who: StoredAnnotator, task: int | None = None
) -> sa.Row[Any] | None:
    """Return an open slot of a task, or of any, that is new to the annotator; None if there is none."""
    bound = {"campaign": entry.id, "annotator": who.id}
    if task is None:
        return connection.execute(_OPEN_SLOT, bound).first()
    return connection.execute(_OPEN_SLOT_OF_TASK, {**bound, "the_task": task}).first()


def _open_slots(*conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Return the query of the first open slot whose task is new to the annotator; it is locked."""
    other_slot = _slots.alias()
    own_slot = sa.select(other_slot.c.task).where(
        other_slot.c.campaign_id == sa.bindparam("campaign"),
        other_slot.c.task == _slots.c.task,
        other_slot.c.annotator_id == sa.bindparam("annotator"),
    )
    query = sa.select(_slots).where(
        _slots.c.campaign_id == sa.bindparam("campaign"),
        _slots.c.annotator_id.is_(None),
        _slots.c.state == "open",
        ~own_slot.exists(),
        *conditions,
    )
    # Rows locked by another transaction are skipped, not waited for.
    return (
        query.order_by(_slots.c.position, _slots.c.task).limit(1).with_for_update(skip_locked=True)
    )


# Queries of every answer are built once: building one takes as long as running it.
_NEXT_OWN = (
    sa.select(_slots.c.task)
    .where(
        _slots.c.campaign_id == sa.bindparam("campaign"),
        _slots.c.annotator_id == sa.bindparam("annotator"),
        _slots.c.state.in_(_UNFINISHED),
    )
    .order_by(
        sa.case(
            (
                sa.tuple_(_slots.c.position, _slots.c.task)
                > sa.tuple_(sa.bindparam("place"), sa.bindparam("the_task")),
                0,
            ),
            else_=1,
        ),
        _slots.c.position,
        _slots.c.task,
    )
    .limit(1)
)
_OPEN_SLOT = _open_slots()
_OPEN_SLOT_OF_TASK = _open_slots(_slots.c.task == sa.bindparam("the_task"))


def check_room(connection: sa.Connection, entry: CampaignEntry) -> None:
    """Refuse one more annotator where there are many more than slots: somebody joins without end."""
    who = schema.annotators
    active_annotators = sa.select(sa.func.count()).where(
        who.c.campaign_id == entry.id, who.c.excluded_at.is_(None)
    )
    wanted = sa.select(sa.func.count()).where(
        _slots.c.campaign_id == entry.id, _slots.c.state != "void"
    )
    count = connection.execute(active_annotators).scalar_one()
    if count >= connection.execute(wanted).scalar_one() + _SPARE:
        raise ArgumentError(
            f"{count} annotators have joined campaign {entry.campaign.name!r}, more than it needs; others are invited by name"
        )


def _is_open(entry: CampaignEntry) -> sa.ColumnElement[bool]:
    return sa.and_(
        _slots.c.campaign_id == entry.id,
        _slots.c.annotator_id.is_(None),
        _slots.c.state == "open",
    )


def take(
    connection: sa.Connection, row: sa.Row[Any], who: StoredAnnotator, **values: Any
) -> sa.Row[Any]:
    """Assign a slot to an annotator and set further columns."""
    query = _slots.update().where(this_slot(row)).values(annotator_id=who.id, **values)
    return connection.execute(query.returning(*_slots.c)).one()


def this_slot(row: sa.Row[Any]) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a slot is this one."""
    return sa.and_(
        _slots.c.campaign_id == row.campaign_id,
        _slots.c.task == row.task,
        _slots.c.number == row.number,
    )


def change_many(
    connection: sa.Connection,
    entry: CampaignEntry,
    changes: Mapping[tuple[int, int], dict[str, Any]],
) -> None:
    """Update the same columns of many slots, each identified by task and number."""
    if not changes:
        return
    columns = next(iter(changes.values()))
    query = (
        _slots.update()
        .where(
            _slots.c.campaign_id == entry.id,
            _slots.c.task == sa.bindparam("the_task"),
            _slots.c.number == sa.bindparam("the_number"),
        )
        .values({name: sa.bindparam(f"new_{name}") for name in columns})
    )
    rows = [
        {"the_task": task, "the_number": number}
        | {f"new_{name}": value for name, value in values.items()}
        for (task, number), values in changes.items()
    ]
    connection.execute(query, rows)


def release(connection: sa.Connection, entry: CampaignEntry, before: str) -> int:
    """Reopen unanswered slots claimed before that time; slots assigned by name stay with their annotator."""
    holder = sa.case((_slots.c.pool, sa.null()), else_=_slots.c.annotator_id)
    query = (
        _slots.update()
        .where(
            _slots.c.campaign_id == entry.id,
            _slots.c.state == "claimed",
            _slots.c.claimed_at < before,
        )
        .values(state="open", claimed_at=None, annotator_id=holder)
    )
    return connection.execute(query).rowcount


def assignments(
    connection: sa.Connection, entry: CampaignEntry, who: StoredAnnotator
) -> Iterator[Assignment]:
    """Yield the annotator's non-void slots, in order."""
    query = (
        sa.select(_slots)
        .where(
            _slots.c.campaign_id == entry.id,
            _slots.c.annotator_id == who.id,
            _slots.c.state != "void",
        )
        .order_by(_slots.c.position, _slots.c.task)
    )
    for rows in chunks(connection.execute(query), CHUNK):
        tasks = dict(read_tasks(connection, entry, [row.task for row in rows]))
        yield from (assignment_of(row, tasks[row.task], who.name) for row in rows)


def exclude(
    connection: sa.Connection, entry: CampaignEntry, annotator: str, reason: str, at: str
) -> int:
    """Exclude an annotator: void their slots and open as many new ones; returns the number of slots."""
    who = active(connection, entry, annotator)
    table = schema.annotators
    values = {"excluded_at": at, "reason": reason}
    connection.execute(table.update().where(table.c.id == who.id).values(values))
    is_own = sa.and_(
        _slots.c.campaign_id == entry.id,
        _slots.c.annotator_id == who.id,
        _slots.c.state != "void",
    )
    rows = connection.execute(sa.select(_slots).where(is_own).order_by(_slots.c.task)).all()
    connection.execute(_slots.update().where(is_own).values(state="void"))
    for chunk in chunks(rows, CHUNK):
        insert(connection, _slots, _replacements(connection, entry, chunk))
    return len(rows)


def _replacements(
    connection: sa.Connection, entry: CampaignEntry, rows: list[sa.Row[Any]]
) -> Iterator[dict[str, Any]]:
    """Yield a new open slot, as a row, for each slot that was voided."""
    numbers = [row.task for row in rows]
    counted = sa.select(_slots.c.task, sa.func.count().label("slots")).where(
        _slots.c.campaign_id == entry.id, any_of(_slots.c.task, numbers)
    )
    counts = connection.execute(counted.group_by(_slots.c.task))
    next_number: dict[int, int] = {row.task: row.slots for row in counts}
    tasks = dict(read_tasks(connection, entry, numbers))
    for row in rows:
        task, number = tasks[row.task], next_number[row.task]
        order, position = another_slot(task, number, entry.campaign.seed, secret=entry.secret)
        slot = Slot(task.id, number, None, position, order)
        yield slot_row(entry.id, row.task, task, slot, None)


def include(connection: sa.Connection, entry: CampaignEntry, annotator: str) -> int:
    """Undo an exclusion: slots opened in place of theirs that are still free are voided.

    Return the number of slots that are theirs again.
    """
    who = person(connection, entry, annotator, lock=True)
    if not who.excluded:
        raise ArgumentError(f"{annotator!r} is not excluded from {entry.campaign.name!r}")
    table = schema.annotators
    values = {"excluded_at": None, "reason": None}
    connection.execute(table.update().where(table.c.id == who.id).values(values))
    own_slots = sa.select(_slots.c.task, _slots.c.number).where(
        _slots.c.campaign_id == entry.id, _slots.c.annotator_id == who.id
    )
    number_of = {row.task: row.number for row in connection.execute(own_slots)}
    open_slots = connection.execute(
        sa.select(_slots).where(_is_open(entry)).with_for_update()
    ).all()
    taken_over = {row.task: row.number for row in open_slots if row.task in number_of}
    change_many(connection, entry, {key: {"state": "void"} for key in taken_over.items()})
    answered = _answered(connection, entry, who)
    returned = {
        (task, number_of[task]): {"state": "done" if task in answered else "open"}
        for task in taken_over
    }
    change_many(connection, entry, returned)
    return len(returned)


def _answered(connection: sa.Connection, entry: CampaignEntry, who: StoredAnnotator) -> set[int]:
    """Return the numbers of the tasks that the annotator has answered."""
    table = schema.judgments
    query = sa.select(table.c.task).where(
        table.c.campaign_id == entry.id, table.c.annotator_id == who.id
    )
    return set(connection.execute(query.distinct()).scalars())


def hand_out(connection: sa.Connection, entry: CampaignEntry) -> int:
    """Assign every open slot to the eligible annotator with the fewest slots; returns the number assigned."""
    query = sa.select(_slots).where(_is_open(entry)).order_by(_slots.c.position, _slots.c.task)
    open_slots = connection.execute(query.with_for_update()).all()
    active_annotators = {who.id for who in people(connection, entry) if not who.excluded}
    taken = sa.select(_slots.c.task, _slots.c.annotator_id, _slots.c.state).where(
        _slots.c.campaign_id == entry.id, _slots.c.annotator_id.is_not(None)
    )
    loads: Counter[int] = Counter()
    seen: dict[int, set[int]] = defaultdict(set)  # task → annotators who have or had it
    for task, annotator, state in connection.execute(taken):
        seen[task].add(annotator)
        loads[annotator] += state != "void"
    changes: dict[tuple[int, int], dict[str, Any]] = {}
    for row in open_slots:
        candidates = active_annotators - seen[row.task]
        if not candidates:
            continue
        chosen = min(candidates, key=lambda who: (loads[who], who))
        changes[row.task, row.number] = {"annotator_id": chosen, "pool": False}
        loads[chosen] += 1
        seen[row.task].add(chosen)
    change_many(connection, entry, changes)
    return len(changes)
