"""Bulk import of judgments, from sheets, other tools or our own exports.

Everything here runs inside the caller's transaction. Invalid judgments are rejected with a reason, a whole task of one annotator at a
time. An annotator is identified by name or by the id of our exports; in an open campaign a new name joins and takes an open slot.
The last judgment of a cell (annotator, task, target, question) counts, except that the cells of a sheet are merged with newer answers first (`merging`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import sqlalchemy as sa

from newsdesk.campaigns.campaign import Conflict, Rejection, Side, Stored
from newsdesk.campaigns.store import schema
from newsdesk.campaigns.store.answers import (
    AnswerRows,
    TaskJudgments,
    check,
    current_values,
    not_theirs,
    plan_of,
)
from newsdesk.campaigns.store.merging import (
    History,
    histories,
    import_ids,
    keep,
    merge,
    pending,
    settled,
    supersede,
)
from newsdesk.campaigns.store.rows import (
    CampaignEntry,
    StoredAnnotator,
    add_person,
    any_of,
    assignment_of,
    insert,
    people,
    read_tasks,
    task_numbers,
)
from newsdesk.campaigns.store.schema import CHUNK, chunks
from newsdesk.campaigns.store.slots import change_many
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError, DataError, NewsdeskError
from newsdesk.types import Judgment

_slots = schema.slots
_MANY = 1000  # rows after which PostgreSQL's idea of the tables is out of date
Key: TypeAlias = tuple[str, str]  # (task, annotator)
# task → (target, question) → the revision of the cell
Bases: TypeAlias = Mapping[str, Mapping[tuple[str, str], int]]


@dataclass(slots=True)
class SheetMerge:
    """How the cells of a sheet are merged: revisions, the side that wins, and conflicts left."""

    bases: Bases
    prefer: Side | None = None
    at: str | None = None
    conflicts: list[Conflict] = field(default_factory=list)


@dataclass(slots=True)
class _Counts:
    new: int = 0
    corrected: int = 0
    unchanged: int = 0
    rejected: dict[Key, Rejection] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def add(self, plan: AnswerRows, warnings: Iterable[str]) -> None:
        self.warnings += warnings
        self.new += plan.new
        self.corrected += plan.corrected
        self.unchanged += plan.unchanged

    def reject(self, key: Key, judgments: TaskJudgments, reason: str) -> None:
        self.rejected[key] = Rejection(*key, len(judgments), reason)


def import_judgments(
    connection: sa.Connection,
    entry: CampaignEntry,
    judgments: Iterable[Judgment],
    sheet: SheetMerge | None = None,
    import_id: int | None = None,
) -> Stored:
    """Store judgments of many tasks: the last of a cell counts, those of a `sheet` are merged.

    The answers of one annotator to one task are stored or rejected together. `import_id` is the recorded import they come from.
    """
    everybody = {who.name: who for who in people(connection, entry)}
    names = {who.hashed: who.name for who in everybody.values()}
    # (task, annotator) → (target, question) → judgment
    groups: dict[Key, dict[tuple[str, str], Judgment]] = defaultdict(dict)
    for judgment in judgments:
        name = names.get(judgment.annotator, judgment.annotator)
        groups[judgment.task, name][judgment.target, judgment.question] = judgment
    numbers = task_numbers(connection, entry, dict.fromkeys(task for task, _ in groups))
    counts = _Counts()
    for (task, name), answers in groups.items():
        if task not in numbers:
            reason = f"campaign {entry.campaign.name!r} has no task {task!r}"
            counts.reject((task, name), answers, reason)
    # In the order of tasks: two imports, or an import and an exclusion, lock slots in the same order.
    known = [(task, name) for task, name in groups if task in numbers]
    known.sort(key=lambda task_and_name: numbers[task_and_name[0]])
    for keys in chunks(known, CHUNK):
        needed = sorted({numbers[task] for task, _ in keys})
        chunk = _Chunk.load(connection, entry, needed, sheet, import_id)
        for task, name in keys:
            answers = groups[task, name]
            try:
                chunk.plan(numbers[task], everybody, name, answers, counts)
            except NewsdeskError as error:
                counts.reject((task, name), answers, str(error))
        chunk.write()
    if counts.new + counts.corrected >= _MANY:
        schema.analyze(connection)
    rejected = tuple(counts.rejected[key] for key in groups if key in counts.rejected)
    return Stored(
        new=counts.new,
        corrected=counts.corrected,
        unchanged=counts.unchanged,
        rejected=rejected,
        warnings=tuple(counts.warnings),
    )


@dataclass(slots=True)
class _Chunk:
    """A batch of tasks with their locked slots and stored values; changes are collected for `write`."""

    connection: sa.Connection
    entry: CampaignEntry
    tasks: dict[int, Task]
    slots: dict[int, list[sa.Row[Any]]]  # by task
    # (task, annotator) → (target, question) → value
    current: dict[tuple[int, int], dict[tuple[int, str], Any]]
    sheet: SheetMerge | None
    import_id: int | None
    past: Mapping[tuple[int, int], History]
    kept: set[tuple[int, int]]  # (task, annotator) with an open conflict
    rows: list[dict[str, Any]] = field(default_factory=list)
    # (task, number of the slot) → columns to change
    taken: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def load(
        cls,
        connection: sa.Connection,
        entry: CampaignEntry,
        numbers: list[int],
        sheet: SheetMerge | None,
        import_id: int | None = None,
        *,
        lock: bool = True,
    ) -> _Chunk:
        """Read tasks by their numbers, with slots (locked), values and, for a sheet, their history."""
        query = (
            sa.select(_slots)
            .where(_slots.c.campaign_id == entry.id, any_of(_slots.c.task, numbers))
            .order_by(_slots.c.task, _slots.c.number)
        )
        slots: dict[int, list[sa.Row[Any]]] = defaultdict(list)
        for row in connection.execute(query.with_for_update() if lock else query):
            slots[row.task].append(row)
        tasks = dict(read_tasks(connection, entry, numbers))
        current = current_values(connection, entry, numbers)
        if sheet is None:
            return cls(connection, entry, tasks, slots, current, None, import_id, {}, set())
        past = histories(connection, entry, numbers)
        kept = {(each.task, each.annotator) for each in pending(connection, entry)}
        return cls(connection, entry, tasks, slots, current, sheet, import_id, past, kept)

    def plan(
        self,
        number: int,
        everybody: dict[str, StoredAnnotator],
        name: str,
        judgments: TaskJudgments,
        counts: _Counts,
    ) -> None:
        """Validate one annotator's answers to one task and collect the rows to write.

        `everybody` is by name, and grows where a new name joins; `counts` is added to.
        """
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
        warnings = check(self.entry, task, judgments, name)
        row = self._slot(number, who)
        if row is None:
            raise ArgumentError(not_theirs(self.entry, task.id, name))
        if who is None:
            who = everybody[name] = add_person(self.connection, self.entry, name)
        bases = None
        if self.sheet is not None:
            bases = self.sheet.bases.get(task.id, {})
            merged = self._merged(self.sheet, row, who, judgments, bases)
            if merged is None:
                return
            judgments = merged
            warnings = check(self.entry, task, judgments, name)
        current = self.current.get((number, who.id), {})
        plan = plan_of(self.entry, task, row, who, judgments, current, bases, self.import_id)
        self.rows += plan.rows
        counts.add(plan, warnings)
        if row.state != "done":
            self.slots[number].remove(row)
            self.taken[number, row.number] = {"annotator_id": who.id, "state": "done"}

    def _merged(
        self,
        sheet: SheetMerge,
        row: sa.Row[Any],
        who: StoredAnnotator,
        judgments: TaskJudgments,
        bases: Mapping[tuple[str, str], int],
    ) -> TaskJudgments | None:
        """Return a sheet's answers merged with newer ones; None for a conflict, which is kept."""
        task = self.tasks[row.task]
        theirs = {key: judgment.value for key, judgment in judgments.items()}
        past = self.past.get((row.task, who.id), {})
        merged = merge(self.entry.campaign.protocol, task, theirs, bases, past, sheet.prefer)
        place = (self.connection, self.entry, row.task, who)
        if not merged.conflicts and (row.task, who.id) in self.kept:
            supersede(*place, sheet.prefer)
        elif merged.conflicts and not settled(*place, theirs, bases, past):
            keep(*place, theirs, bases, past, sheet.at, self.import_id)
            shown = assignment_of(row, task, who.name).slot.shown
            sheet.conflicts += [
                Conflict(
                    task.id, who.name, target, shown[target], question,
                    merged.values[target, question], theirs[target, question],
                )
                for target, question in merged.conflicts
            ]  # fmt: skip
        if merged.conflicts:
            return None
        return {
            key: replace(judgment, value=merged.values[key]) for key, judgment in judgments.items()
        }

    def _slot(self, number: int, who: StoredAnnotator | None) -> sa.Row[Any] | None:
        """Return the annotator's slot of a task, or a free one in an open campaign; None if there is none."""
        rows = self.slots[number]
        own = next((row for row in rows if who is not None and row.annotator_id == who.id), None)
        if own is not None:
            return None if own.state == "void" else own
        if not self.entry.campaign.open:
            return None
        free = (row for row in rows if row.annotator_id is None and row.state == "open")
        return next(free, None)

    def write(self) -> None:
        """Write the collected judgments and mark their slots as done."""
        insert(self.connection, schema.judgments, self.rows)
        change_many(self.connection, self.entry, self.taken)


def listed_conflicts(
    connection: sa.Connection, entry: CampaignEntry, annotator: StoredAnnotator | None
) -> list[Conflict]:
    """Return the cells of kept conflicts that still differ from the store."""
    undecided = list(pending(connection, entry, annotator))
    if not undecided:
        return []
    numbers = sorted({each.task for each in undecided})
    chunk = _Chunk.load(connection, entry, numbers, SheetMerge({}), lock=False)
    names = {who.id: who.name for who in people(connection, entry)}
    conflicts = []
    for each in undecided:
        task = chunk.tasks[each.task]
        row = next(row for row in chunk.slots[each.task] if row.annotator_id == each.annotator)
        shown = assignment_of(row, task, names[each.annotator]).slot.shown
        past = chunk.past.get((each.task, each.annotator), {})
        merged = merge(entry.campaign.protocol, task, each.answers, each.bases, past, None)
        conflicts += [
            Conflict(
                task.id, names[each.annotator], target, shown[target], question,
                merged.values[target, question], each.answers[target, question],
            )
            for target, question in merged.conflicts
        ]  # fmt: skip
    return conflicts


def resolve(
    connection: sa.Connection,
    entry: CampaignEntry,
    annotator: StoredAnnotator | None,
    side: Side,
    at: str,
) -> Stored:
    """Decide kept conflicts for one side, merged anew: newer answers may have come since."""
    conflicts = list(pending(connection, entry, annotator))
    names = {who.id: who.name for who in people(connection, entry)}
    tasks = dict(read_tasks(connection, entry, sorted({conflict.task for conflict in conflicts})))
    judgments = [
        Judgment(
            entry.campaign.name, tasks[conflict.task].id, tasks[conflict.task].item, target, question,
            value, names[conflict.annotator], at=conflict.at or at, via="sheet",
        )
        for conflict in conflicts
        for (target, question), value in conflict.answers.items()
    ]  # fmt: skip
    total = Stored()
    sources = import_ids(connection, entry, [conflict.id for conflict in conflicts])
    # Each annotator's and each import's by itself: two have the same cells, with revisions of their own.
    for person, source in dict.fromkeys((each.annotator, sources[each.id]) for each in conflicts):
        own_conflicts = {
            tasks[each.task].id: each
            for each in conflicts
            if (each.annotator, sources[each.id]) == (person, source)
        }
        bases = {task: each.bases for task, each in own_conflicts.items()}
        own_judgments = [
            judgment
            for judgment in judgments
            if judgment.annotator == names[person] and judgment.task in own_conflicts
        ]
        merge_settings = SheetMerge(bases, side, at)
        total += import_judgments(connection, entry, own_judgments, merge_settings, source)
    return total
