"""The tasks of one annotator: list them, open one, undo an answer. Everything here runs inside the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from newsdesk.campaigns import schema
from newsdesk.campaigns.campaign import OpenedTask, Place, Stored
from newsdesk.campaigns.store.answers import new_submission, own_values
from newsdesk.campaigns.store.rows import Entry, Person, active, assignment_of, insert, read_task
from newsdesk.errors import ArgumentError
from newsdesk.jsonl import json_text
from newsdesk.types import CANNOT_JUDGE, Via

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
_SLOT = sa.select(_slots).where(_OWN_SLOTS, _slots.c.task == sa.bindparam("the_task"))
_SLOT_LOCKED = _SLOT.with_for_update()


def places(connection: sa.Connection, entry: Entry, who: Person) -> list[Place]:
    """The numbers and states of the annotator's non-void slots, in their order."""
    found = connection.execute(_PLACES, {"campaign": entry.id, "annotator": who.id})
    return [Place(row.task, row.state) for row in found]


def opened(
    connection: sa.Connection, entry: Entry, who: Person, number: int, *, articles: bool
) -> OpenedTask | None:
    """One task with its article and the annotator's answers; None if it is not theirs. `articles`: whether to read them."""
    row = _slot(connection, entry, who, number)
    if row is None:
        return None
    task = read_task(connection, entry, number)
    text = _article(connection, entry, task.item) if articles else ""
    current = own_values(connection, entry, number, who)
    answers = {(task.targets[at].id, question): value for (at, question), value in current.items()}
    return OpenedTask(number, assignment_of(row, task, who.name), text, answers)


def undo(
    connection: sa.Connection, entry: Entry, annotator: str, number: int, *, at: str, via: Via
) -> Stored:
    """Undo the annotator's last submission of a task: earlier values are stored again, and where there were none the task is open again.

    What was never answered before is withdrawn (`cannot-judge`), since judgments are append-only.
    """
    who = active(connection, entry, annotator)
    slot = _slot(connection, entry, who, number, lock=True)
    if slot is None:
        raise ArgumentError(f"{annotator!r} has no task {number} in {entry.campaign.name!r}")
    query = (
        sa.select(_j)
        .where(_j.c.campaign_id == entry.id, _j.c.task == number, _j.c.annotator_id == who.id)
        .order_by(_j.c.seq)
    )
    history = connection.execute(query).all()
    if not history:
        raise ArgumentError("there is no answer to undo")
    last = _last_submission(entry, history)
    earlier = history[: len(history) - len(last)]
    before = {(row.target, row.question): row.value for row in earlier}
    withdrawn, submission = json_text(CANNOT_JUDGE), new_submission()
    rows = [
        {
            "campaign_id": entry.id, "task": number, "annotator_id": who.id,
            "target": row.target, "question": row.question, "value": value,
            "shown": row.shown, "at": at, "seconds": None, "via": via, "base": None,
            "submission": submission,
        }
        for row in last
        if (value := before.get((row.target, row.question), withdrawn)) != row.value
    ]  # fmt: skip
    insert(connection, _j, rows)
    open_again = all(json.loads(value) == CANNOT_JUDGE for value in before.values())
    state = "claimed" if open_again else "done"
    connection.execute(_slots.update().where(_this(slot)).values(state=state, claimed_at=at))
    return Stored(corrected=len(rows))


def _last_submission(entry: Entry, history: Sequence[sa.Row[Any]]) -> list[sa.Row[Any]]:
    """Return the rows at the end of a history, the oldest first, that were stored together.

    Before version 3 nobody wrote down which: there, rows of one time follow the order of the cells.
    """
    questions = [question.name for question in entry.campaign.protocol.questions]

    def cell(row: sa.Row[Any]) -> tuple[int, int]:
        return row.target, questions.index(row.question)

    last = [history[-1]]
    for row in reversed(history[:-1]):
        if row.submission != last[-1].submission:
            break
        if row.submission is None and (row.at != last[-1].at or cell(row) >= cell(last[-1])):
            break
        last.append(row)
    return last[::-1]


def _slot(
    connection: sa.Connection, entry: Entry, who: Person, number: int, *, lock: bool = False
) -> sa.Row[Any] | None:
    bound = {"campaign": entry.id, "the_task": number, "annotator": who.id}
    return connection.execute(_SLOT_LOCKED if lock else _SLOT, bound).one_or_none()


def _this(row: sa.Row[Any]) -> sa.ColumnElement[bool]:
    return sa.and_(
        _slots.c.campaign_id == row.campaign_id,
        _slots.c.task == row.task,
        _slots.c.number == row.number,
    )


def _article(connection: sa.Connection, entry: Entry, item: str) -> str:
    table = schema.articles
    query = sa.select(table.c.text).where(table.c.campaign_id == entry.id, table.c.item == item)
    return connection.execute(query).scalar_one_or_none() or ""
