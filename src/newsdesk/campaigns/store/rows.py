"""Convert rows to values and back: campaigns, tasks, annotators, slots. Everything here runs inside the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from newsdesk.campaigns.assign import Slot, assign
from newsdesk.campaigns.campaign import (
    Assignment,
    Campaign,
    annotator_id,
    check_annotator,
    check_text,
    likenesses,
    protocol_from_json,
    protocol_to_json,
)
from newsdesk.campaigns.keys import derived_key
from newsdesk.campaigns.store import schema
from newsdesk.campaigns.store.schema import CHUNK, chunks
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError, FileError
from newsdesk.jsonl import json_text
from newsdesk.registry import offer

# Built once: building a query takes as long as running it.
_PERSON = sa.select(schema.annotators).where(
    schema.annotators.c.campaign_id == sa.bindparam("campaign"),
    sa.or_(
        schema.annotators.c.name == sa.bindparam("who"),
        schema.annotators.c.hashed == sa.bindparam("who"),
    ),
)
_PERSON_LOCKED = _PERSON.with_for_update(key_share=True)

_ROWS = 10_000  # of one bulk insert


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """A campaign with its row id and the secret of its keyed hashes and its blinding."""

    id: int
    secret: str
    campaign: Campaign

    def numbers_key(self, who: StoredAnnotator) -> bytes:
        """Return the key under which an annotator sees the numbers of tasks."""
        return derived_key(self.secret, "task numbers", who.hashed)


@dataclass(frozen=True, slots=True)
class StoredAnnotator:
    """An annotator as stored, with the id that exports show."""

    id: int
    name: str
    hashed: str
    excluded: bool


def any_of(column: sa.Column[int], numbers: Sequence[int]) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a column is one of the numbers.

    The range keeps PostgreSQL on the index while table statistics are missing.
    """
    return sa.and_(column.between(min(numbers), max(numbers)), column.in_(numbers))


def either(column: sa.Column[int]) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a column is the bound `one` or `other`, for queries that are built once."""
    return column.in_([sa.bindparam("one"), sa.bindparam("other")])


def insert(connection: sa.Connection, table: sa.Table, rows: Iterable[dict[str, Any]]) -> None:
    """Insert any number of rows, in batches."""
    for chunk in chunks(rows, _ROWS):
        connection.execute(table.insert(), chunk)


def find(connection: sa.Connection, name: str) -> CampaignEntry:
    """Look a campaign up by name; raises ArgumentError if there is none."""
    table = schema.campaigns
    row = connection.execute(sa.select(table).where(table.c.name == name)).one_or_none()
    if row is None:
        known = connection.execute(sa.select(table.c.name).order_by(table.c.id)).scalars().all()
        raise ArgumentError(f"no campaign is called {name!r}; {offer(name, known)}")
    return entry_of(row)


def entry_of(row: sa.Row[Any]) -> CampaignEntry:
    """Convert a row of the table of campaigns to a value."""
    if row.format > schema.FORMAT:
        raise FileError(f"campaign {row.name!r} was made by a newer newsdesk: upgrade newsdesk")
    try:
        protocol = protocol_from_json(row.protocol)
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(
            f"the protocol of campaign {row.name!r} is damaged; restore the store from a copy"
        ) from error
    sealed = row.format >= schema.SEALED_FORMAT
    campaign = Campaign(row.name, protocol, row.per_item, row.seed, row.open, sealed)
    return CampaignEntry(row.id, row.secret, campaign)


def create(
    connection: sa.Connection,
    campaign: Campaign,
    tasks: Sequence[Task],
    annotators: Sequence[str] | None,
    secret: str,
) -> None:
    """Write a campaign with its tasks, annotators and slots."""
    assigned_slots = assign(tasks, annotators, campaign.per_item, campaign.seed, secret=secret)
    table = schema.campaigns
    if connection.execute(sa.select(table.c.id).where(table.c.name == campaign.name)).first():
        raise ArgumentError(f"a campaign {campaign.name!r} exists already; choose another name")
    values = {
        "name": campaign.name,
        "format": schema.FORMAT,
        "protocol": protocol_to_json(campaign.protocol),
        "per_item": campaign.per_item,
        "seed": campaign.seed,
        "open": campaign.open,
        "secret": secret,
    }
    campaign_id = connection.execute(
        table.insert().values(values).returning(table.c.id)
    ).scalar_one()
    entry = CampaignEntry(campaign_id, secret, campaign)
    add_people(connection, entry, annotators or ())
    write_tasks(connection, entry, tasks, assigned_slots)


def write_tasks(
    connection: sa.Connection,
    entry: CampaignEntry,
    tasks: Sequence[Task],
    assigned_slots: Sequence[Slot],
    *,
    first: int = 0,
) -> None:
    """Write tasks numbered from `first`, with their articles and slots; the annotators are there already."""
    numbered = [(number, task) for number, task in enumerate(tasks, first)]
    insert(
        connection, schema.tasks, (_task_row(entry.id, number, task) for number, task in numbered)
    )
    insert(connection, schema.targets, _target_rows(entry.id, numbered))
    known = articles(connection, entry) if first else {}
    insert(connection, schema.articles, _article_rows(entry.id, tasks, known))
    ids = {who.name: who.id for who in people(connection, entry)}
    insert(connection, schema.slots, _slot_rows(entry.id, numbered, assigned_slots, ids))
    schema.analyze(connection)


def _task_row(campaign: int, number: int, task: Task) -> dict[str, Any]:
    """Return a task as a row; refuse texts that cannot be stored."""
    for text in (task.id, task.item, *(part for pair in task.context for part in pair)):
        check_text(text, f"task {task.id!r}")
    return {
        "campaign_id": campaign,
        "number": number,
        "name": task.id,
        "item": task.item,
        "context": json_text(task.context),
    }


def _target_rows(campaign: int, tasks: Sequence[tuple[int, Task]]) -> Iterator[dict[str, Any]]:
    """Yield the targets of all numbered tasks as rows; refuse texts that cannot be stored."""
    for task_number, task in tasks:
        for number, target in enumerate(task.targets):
            check_text(target.id + target.text, f"target {target.id!r} of task {task.id!r}")
            yield {
                "campaign_id": campaign,
                "task": task_number,
                "number": number,
                "name": target.id,
                "text": target.text,
                "answer": None if target.answer is None else json.dumps(target.answer),
            }


def _article_rows(
    campaign: int, tasks: Sequence[Task], known: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the text of each item's article, once; of `known` items it is stored already."""
    texts = {
        task.item: task.article
        for task in reversed(tasks)
        if task.article and task.item not in known
    }
    for item, text in texts.items():
        check_text(text, f"the article of item {item!r}")
        yield {"campaign_id": campaign, "item": item, "text": text}


def articles(connection: sa.Connection, entry: CampaignEntry) -> dict[str, str]:
    """Return the texts of the articles, by item."""
    table = schema.articles
    query = sa.select(table.c.item, table.c.text).where(table.c.campaign_id == entry.id)
    return {row.item: row.text for row in connection.execute(query)}


def _slot_rows(
    campaign: int, tasks: Sequence[tuple[int, Task]], plan: Sequence[Slot], ids: dict[str, int]
) -> Iterator[dict[str, Any]]:
    """Yield planned slots as rows; `ids` are the row ids of annotators by name."""
    of_name = {task.id: (number, task) for number, task in tasks}
    for slot in plan:
        number, task = of_name[slot.task]
        yield slot_row(
            campaign,
            number,
            task,
            slot,
            None if slot.annotator is None else ids[slot.annotator],
        )


def slot_row(
    campaign: int, number: int, task: Task, slot: Slot, annotator: int | None
) -> dict[str, Any]:
    """Return an open slot as a row; without an annotator it is in the pool."""
    places = {target.id: place for place, target in enumerate(task.targets)}
    return {
        "campaign_id": campaign,
        "task": number,
        "number": slot.number,
        "annotator_id": annotator,
        "pool": annotator is None,
        "position": slot.position,
        "targets": json.dumps([places[target] for target in slot.order]),
        "state": "open",
    }


def people(connection: sa.Connection, entry: CampaignEntry) -> list[StoredAnnotator]:
    """Return all annotators of a campaign, in the order in which they joined."""
    table = schema.annotators
    query = sa.select(table).where(table.c.campaign_id == entry.id).order_by(table.c.id)
    return [_person(row) for row in connection.execute(query)]


def person(
    connection: sa.Connection, entry: CampaignEntry, name: str, *, lock: bool = False
) -> StoredAnnotator:
    """Look an annotator up by name or by the id in exports; raises ArgumentError if there is none."""
    bound = {"campaign": entry.id, "who": name}
    row = connection.execute(_PERSON_LOCKED if lock else _PERSON, bound).one_or_none()
    if row is None:
        raise ArgumentError(f"{name!r} is not an annotator of campaign {entry.campaign.name!r}")
    return _person(row)


def active(connection: sa.Connection, entry: CampaignEntry, name: str) -> StoredAnnotator:
    """Look an annotator up and lock the row; raises ArgumentError if excluded."""
    who = person(connection, entry, name, lock=True)
    if who.excluded:
        raise ArgumentError(f"{name!r} was excluded from campaign {entry.campaign.name!r}")
    return who


def add_person(connection: sa.Connection, entry: CampaignEntry, name: str) -> StoredAnnotator:
    """Add an annotator; raises ArgumentError if the name is taken, or looks like one that is."""
    return add_people(connection, entry, [name])[0]


def add_people(
    connection: sa.Connection, entry: CampaignEntry, names: Iterable[str]
) -> list[StoredAnnotator]:
    """Add annotators; raises ArgumentError for a name that is taken, or looks like one that is."""
    table = schema.annotators
    taken: dict[object, str] = {}  # a likeness, or an id of exports → the name that has it
    for who in people(connection, entry):
        taken |= dict.fromkeys((*likenesses(who.name), who.hashed), who.name)
    added = []
    for name in names:
        check_annotator(name)
        hashed = annotator_id(entry.secret, name)
        other = next((taken[mark] for mark in likenesses(name) if mark in taken), None)
        # Nobody is called like the id of another in exports.
        if other == name or name in taken or hashed in taken:
            raise ArgumentError(
                f"{name!r} is an annotator of campaign {entry.campaign.name!r} already"
            )
        if other is not None:
            raise ArgumentError(
                f"{name!r} looks like {other!r}, an annotator of campaign {entry.campaign.name!r}; choose another name"
            )
        taken |= dict.fromkeys((*likenesses(name), hashed), name)
        values = {"campaign_id": entry.id, "name": name, "hashed": hashed}
        new = connection.execute(table.insert().values(values).returning(table.c.id)).scalar_one()
        added.append(StoredAnnotator(new, name, hashed, excluded=False))
    return added


def _person(row: sa.Row[Any]) -> StoredAnnotator:
    return StoredAnnotator(row.id, row.name, row.hashed, row.excluded_at is not None)


def lock_campaign(connection: sa.Connection, entry: CampaignEntry) -> None:
    """Lock the campaign: serializes changes of its annotators and of many slots."""
    table = schema.campaigns
    query = sa.select(table.c.id).where(table.c.id == entry.id)
    connection.execute(query.with_for_update(key_share=True)).one()


def read_tasks(
    connection: sa.Connection, entry: CampaignEntry, numbers: Sequence[int] | None = None
) -> Iterator[tuple[int, Task]]:
    """Yield the tasks with their numbers, all or the numbers asked for, in order."""
    if numbers is None:
        yield from _tasks_where(connection, schema.tasks.c.campaign_id == entry.id)
        return
    for chunk in chunks(numbers, CHUNK):
        asked = sa.and_(
            schema.tasks.c.campaign_id == entry.id, any_of(schema.tasks.c.number, chunk)
        )
        yield from _tasks_where(connection, asked)


def read_task(connection: sa.Connection, entry: CampaignEntry, number: int) -> Task:
    """Return the task of a number that exists."""
    [(_, task)] = _tasks(connection.execute(_TASK_ROWS, {"campaign": entry.id, "the_task": number}))
    return task


def two_tasks(
    connection: sa.Connection, entry: CampaignEntry, one: int | None, other: int | None
) -> Iterator[tuple[int, Task]]:
    """Yield the tasks of two numbers, as far as they exist, with their numbers."""
    bound = {"campaign": entry.id, "one": one, "other": other}
    return _tasks(connection.execute(_TWO_TASKS, bound))


def _tasks_where(
    connection: sa.Connection, asked: sa.ColumnElement[bool]
) -> Iterator[tuple[int, Task]]:
    return _tasks(connection.execute(_task_rows(asked)))


def _task_rows(asked: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Return the query of the tasks `asked` for: a row for each target, in order."""
    task, target = schema.tasks, schema.targets
    same = sa.and_(target.c.campaign_id == task.c.campaign_id, target.c.task == task.c.number)
    columns = (
        task.c.number, task.c.name, task.c.item, task.c.context,
        target.c.name, target.c.text, target.c.answer,
    )  # fmt: skip
    query = sa.select(*columns).join_from(task, target, same).where(asked)
    return query.order_by(task.c.number, target.c.number)


_TASK_ROWS = _task_rows(
    sa.and_(
        schema.tasks.c.campaign_id == sa.bindparam("campaign"),
        schema.tasks.c.number == sa.bindparam("the_task"),
    )
)


_TWO_TASKS = _task_rows(
    sa.and_(schema.tasks.c.campaign_id == sa.bindparam("campaign"), either(schema.tasks.c.number))
)


def _tasks(found: Iterable[Sequence[Any]]) -> Iterator[tuple[int, Task]]:
    """Yield the tasks of rows of `_task_rows`, which come target by target, with their numbers."""
    for (number, name, item, context), rows in groupby(found, key=lambda row: tuple(row[:4])):
        targets = tuple(Target(target, text, _decoded(answer)) for *_, target, text, answer in rows)
        pairs = tuple((label, text) for label, text in json.loads(context))
        yield number, Task(name, item, targets, pairs)


def task_numbers(
    connection: sa.Connection, entry: CampaignEntry, names: Iterable[str]
) -> dict[str, int]:
    """Return the numbers of the tasks of these names; unknown names are left out."""
    table = schema.tasks
    query = sa.select(table.c.name, table.c.number).where(table.c.campaign_id == entry.id)
    return {
        name: number
        for chunk in chunks(names, CHUNK)
        for name, number in connection.execute(query.where(table.c.name.in_(chunk)))
    }


def assignment_of(row: sa.Row[Any], task: Task, annotator: str) -> Assignment:
    """Convert a row of slots to the assignment its annotator sees."""
    order = tuple(task.targets[place].id for place in json.loads(row.targets))
    slot = Slot(task.id, row.number, annotator, row.position, order)
    return Assignment(task, slot, row.state)


def _decoded(answer: str | None) -> Any:
    """Return a known answer: None, a value, or the ends of a range."""
    value = None if answer is None else json.loads(answer)
    return tuple(value) if isinstance(value, list) else value
