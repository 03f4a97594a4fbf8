"""Bulk import of judgments, from sheets, other tools or our own exports.

Everything here runs inside the caller's transaction. Invalid judgments are rejected with a reason, a whole task of one annotator at a
time. An annotator is identified by name or by the id of our exports; in an open campaign a new name joins and takes an open slot.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import sqlalchemy as sa

from newsdesk.campaigns import schema
from newsdesk.campaigns.campaign import Rejection, Stored
from newsdesk.campaigns.store.answers import (
    Plan,
    TaskJudgments,
    check,
    current_values,
    not_theirs,
    plan_of,
)
from newsdesk.campaigns.store.rows import (
    CHUNK,
    Entry,
    Person,
    add_person,
    any_of,
    chunks,
    insert,
    people,
    read_tasks,
    task_numbers,
)
from newsdesk.campaigns.store.slots import change_many
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError, DataError, NewsdeskError
from newsdesk.types import Judgment

_slots = schema.slots
_MANY = 1000  # rows after which PostgreSQL's idea of the tables is out of date
Key: TypeAlias = tuple[str, str]  # (task, annotator)


@dataclass(slots=True)
class _Counts:
    new: int = 0
    corrected: int = 0
    unchanged: int = 0
    rejected: dict[Key, Rejection] = field(default_factory=dict)

    def add(self, plan: Plan) -> None:
        self.new += plan.new
        self.corrected += plan.corrected
        self.unchanged += plan.unchanged

    def reject(self, key: Key, judgments: TaskJudgments, reason: str) -> None:
        self.rejected[key] = Rejection(*key, len(judgments), reason)


def import_judgments(
    connection: sa.Connection, entry: Entry, judgments: Iterable[Judgment]
) -> Stored:
    """Store the judgments of many tasks and annotators; the last judgment of a key counts."""
    everybody = {who.name: who for who in people(connection, entry)}
    names = {who.hashed: who.name for who in everybody.values()}
    groups: dict[Key, dict[tuple[str, str], Judgment]] = defaultdict(dict)
    for judgment in judgments:
        name = names.get(judgment.annotator, judgment.annotator)
        groups[judgment.task, name][judgment.target, judgment.question] = judgment
    numbers = task_numbers(connection, entry, dict.fromkeys(task for task, _ in groups))
    counts = _Counts()
    for key, of_task in groups.items():
        if key[0] not in numbers:
            reason = f"campaign {entry.campaign.name!r} has no task {key[0]!r}"
            counts.reject(key, of_task, reason)
    # In the order of tasks: two imports, or an import and an exclusion, lock slots in the same order.
    known = sorted((key for key in groups if key[0] in numbers), key=lambda key: numbers[key[0]])
    for keys in chunks(known, CHUNK):
        chunk = _Chunk.load(connection, entry, sorted({numbers[task] for task, _ in keys}))
        for key in keys:
            try:
                chunk.plan(numbers[key[0]], everybody, key[1], groups[key], counts)
            except NewsdeskError as error:
                counts.reject(key, groups[key], str(error))
        chunk.write()
    if counts.new + counts.corrected >= _MANY:
        schema.analyze(connection)
    rejected = tuple(counts.rejected[key] for key in groups if key in counts.rejected)
    return Stored(counts.new, counts.corrected, counts.unchanged, rejected)


@dataclass(slots=True)
class _Chunk:
    """A batch of tasks with their locked slots and stored values; changes are collected for `write`."""

    connection: sa.Connection
    entry: Entry
    tasks: dict[int, Task]
    slots: dict[int, list[sa.Row[Any]]]
    current: dict[tuple[int, int], dict[tuple[int, str], Any]]
    rows: list[dict[str, Any]] = field(default_factory=list)
    taken: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def load(cls, connection: sa.Connection, entry: Entry, numbers: list[int]) -> _Chunk:
        query = (
            sa.select(_slots)
            .where(_slots.c.campaign_id == entry.id, any_of(_slots.c.task, numbers))
            .order_by(_slots.c.task, _slots.c.number)
            .with_for_update()
        )
        slots: dict[int, list[sa.Row[Any]]] = defaultdict(list)
        for row in connection.execute(query):
            slots[row.task].append(row)
        tasks = dict(read_tasks(connection, entry, numbers))
        return cls(connection, entry, tasks, slots, current_values(connection, entry, numbers))

    def plan(
        self,
        number: int,
        everybody: dict[str, Person],
        name: str,
        judgments: TaskJudgments,
        counts: _Counts,
    ) -> None:
        """Validate one annotator's answers to one task and collect the rows to write."""
        task = self.tasks[number]
        campaign = self.entry.campaign.name
        for judgment in judgments.values():
            if judgment.campaign != campaign:
                raise DataError(f"a judgment of campaign {judgment.campaign!r}, not {campaign!r}")
            if judgment.item != task.item:
                raise DataError(f"task {task.id!r} has item {task.item!r}, not {judgment.item!r}")
        who = everybody.get(name)
        if who is None and not self.entry.campaign.open:
            raise ArgumentError(f"{name!r} is not an annotator of campaign {campaign!r}")
        if who is not None and who.excluded:
            raise ArgumentError(f"{name!r} was excluded from campaign {campaign!r}")
        check(self.entry, task, judgments)
        row = self._slot(number, who)
        if row is None:
            raise ArgumentError(not_theirs(self.entry, task.id, name))
        if who is None:
            who = everybody[name] = add_person(self.connection, self.entry, name)
        plan = plan_of(
            self.entry, task, row, who, judgments, self.current.get((number, who.id), {})
        )
        self.rows += plan.rows
        counts.add(plan)
        if row.state != "done":
            self.slots[number].remove(row)
            self.taken[number, row.number] = {"annotator_id": who.id, "state": "done"}

    def _slot(self, number: int, who: Person | None) -> sa.Row[Any] | None:
        rows = self.slots[number]
        if who is not None and (own := [row for row in rows if row.annotator_id == who.id]):
            return None if own[0].state == "void" else own[0]
        if not self.entry.campaign.open:
            return None
        free = (row for row in rows if row.annotator_id is None and row.state == "open")
        return next(free, None)

    def write(self) -> None:
        """Write the collected judgments and mark their slots as done."""
        insert(self.connection, schema.judgments, self.rows)
        change_many(self.connection, self.entry, self.taken)
