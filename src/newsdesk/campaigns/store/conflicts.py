"""Conflicts: answers of sheets that contradict newer answers, kept until somebody decides for one side.

Everything here runs inside the caller's transaction. A row holds the sheet's answers to a whole task with the revisions of their cells, and the
revisions they contradict. A conflict that was decided for the store is remembered, so that importing the same sheet again changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from newsdesk.campaigns import schema
from newsdesk.campaigns.campaign import Side
from newsdesk.campaigns.store.merging import History
from newsdesk.campaigns.store.rows import Entry, Person
from newsdesk.jsonl import json_text
from newsdesk.types import Value

_c = schema.conflicts


@dataclass(frozen=True, slots=True)
class Kept:
    """A conflict as stored: the sheet's answers to a task, and the revisions of their cells."""

    task: int
    annotator: int
    answers: dict[tuple[str, str], Value]
    bases: dict[tuple[str, str], int]
    at: str | None


def keep(
    connection: sa.Connection,
    entry: Entry,
    task: int,
    who: Person,
    theirs: Mapping[tuple[str, str], Value],
    bases: Mapping[tuple[str, str], int],
    history: History,
    at: str | None,
) -> None:
    """Keep the conflict of one task and annotator, in place of an earlier one."""
    answers, seen = _texts(theirs, bases, history)
    supersede(connection, entry, task, who, None)
    values = {
        "campaign_id": entry.id, "task": task, "annotator_id": who.id,
        "answers": answers, "seen": seen, "at": at,
    }  # fmt: skip
    connection.execute(_c.insert().values(values))


def supersede(
    connection: sa.Connection, entry: Entry, task: int, who: Person, resolved: Side | None
) -> None:
    """Close the open conflict of one task and annotator, if there is one."""
    query = _c.update().where(*_of(entry, task, who), _c.c.resolved.is_(None))
    connection.execute(query.values(resolved=resolved or "superseded"))


def settled(
    connection: sa.Connection,
    entry: Entry,
    task: int,
    who: Person,
    theirs: Mapping[tuple[str, str], Value],
    bases: Mapping[tuple[str, str], int],
    history: History,
) -> bool:
    """True if the very same conflict was decided for the store before."""
    answers, seen = _texts(theirs, bases, history)
    query = sa.select(_c.c.id).where(
        *_of(entry, task, who), _c.c.answers == answers, _c.c.seen == seen, _c.c.resolved == "ours"
    )
    return connection.execute(query).first() is not None


def pending(
    connection: sa.Connection, entry: Entry, annotator: Person | None = None
) -> Iterator[Kept]:
    """The open conflicts of annotators who are not excluded, in the order of tasks."""
    who = schema.annotators
    query = (
        sa.select(_c)
        .join(who, who.c.id == _c.c.annotator_id)
        .where(_c.c.campaign_id == entry.id, _c.c.resolved.is_(None), who.c.excluded_at.is_(None))
        .order_by(_c.c.task, _c.c.annotator_id)
    )
    if annotator is not None:
        query = query.where(_c.c.annotator_id == annotator.id)
    for row in connection.execute(query):
        cells = json.loads(row.answers)
        answers = {(target, question): value for target, question, value, _ in cells}
        bases = {(target, question): seq for target, question, _, seq in cells if seq is not None}
        yield Kept(row.task, row.annotator_id, answers, bases, row.at)


def _of(entry: Entry, task: int, who: Person) -> tuple[sa.ColumnElement[bool], ...]:
    return _c.c.campaign_id == entry.id, _c.c.task == task, _c.c.annotator_id == who.id


def _texts(
    theirs: Mapping[tuple[str, str], Value],
    bases: Mapping[tuple[str, str], int],
    history: History,
) -> tuple[str, str]:
    """The sheet's answers and the revisions they contradict, as stored."""
    cells: list[Any] = [[*key, theirs[key], bases.get(key)] for key in sorted(theirs)]
    return json_text(cells), json_text(sorted(past[-1].seq for past in history.values()))
