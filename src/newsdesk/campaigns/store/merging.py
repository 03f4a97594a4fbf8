"""Merge the cells of a returned sheet with the answers that were given since the sheet was written.

Every cell knows the revision it was written from (the `seq` of a judgment, 0 for an empty cell), so a merge has three sides: that
revision, the sheet's cell, and the current answer. A cell that still has its revision's value was not touched and changes nothing. A
touched cell corrects the current answer if that is its revision, or came from an earlier import of the same sheet. A value that this
sheet has brought before, and that was corrected elsewhere since, is old and changes nothing. All else that differs is a conflict, and so is a
cell without a revision that differs: 0.1.0 wrote none, and people delete columns. The ranks of one question are one unit: a ranking that is half
the sheet's and half the store's was given by nobody.

Conflicts: answers of sheets that contradict newer answers, kept until somebody decides for one side.

Everything here runs inside the caller's transaction. A row holds the sheet's answers to a whole task with the revisions of their cells, and the
revisions they contradict. A conflict that was decided for the store is remembered, so that importing the same sheet again changes nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa

from newsdesk.campaigns.campaign import Side, same_value
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.store import schema
from newsdesk.campaigns.store.rows import CampaignEntry, StoredAnnotator, any_of
from newsdesk.campaigns.store.schema import CHUNK, chunks
from newsdesk.campaigns.tasks import Task
from newsdesk.jsonl import json_text
from newsdesk.types import Value

Key: TypeAlias = tuple[str, str]  # (target, question)
Decision = Literal["same", "take", "stale", "conflict"]


@dataclass(frozen=True, slots=True)
class Past:
    """A stored judgment of one key: its number, value, origin, and the revision it was based on."""

    seq: int
    value: Value
    via: str
    base: int | None


History: TypeAlias = Mapping[
    tuple[int, str], Sequence[Past]
]  # (number of target, question) → rows, the oldest first


@dataclass(frozen=True, slots=True)
class Merge:
    """The values to store for a task, and the keys on which sheet and store are in conflict."""

    values: dict[Key, Value]
    conflicts: tuple[Key, ...]


def histories(
    connection: sa.Connection, entry: CampaignEntry, numbers: list[int]
) -> dict[tuple[int, int], History]:
    """Return the judgments of these tasks, by (task number, annotator id), without imports taken back."""
    table, imported = schema.judgments, schema.imports
    query = (
        sa.select(
            table.c.task, table.c.annotator_id, table.c.target, table.c.question,
            table.c.seq, table.c.value, table.c.via, table.c.base,
        )
        .where(table.c.campaign_id == entry.id, any_of(table.c.task, numbers))
        .order_by(table.c.seq)
    )  # fmt: skip
    if sa.inspect(connection).has_table(imported.name):  # not in a store that cannot be migrated
        taken_back = sa.select(imported.c.id).where(imported.c.undone_at.is_not(None))
        query = query.where(
            sa.or_(table.c.import_id.is_(None), table.c.import_id.not_in(taken_back))
        )
    rows: dict[tuple[int, int], dict[tuple[int, str], list[Past]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row in connection.execute(query):
        past = Past(row.seq, json.loads(row.value), row.via, row.base)
        rows[row.task, row.annotator_id][row.target, row.question].append(past)
    return dict(rows)


def merge(
    form: Protocol,
    task: Task,
    theirs: Mapping[Key, Value],
    bases: Mapping[Key, int],
    history: History,
    prefer: Side | None,
) -> Merge:
    """Merge the answers of a sheet to one task; `prefer` decides conflicts."""
    place_of = {target.id: place for place, target in enumerate(task.targets)}
    past_of = {
        (target, question): history.get((place_of.get(target, -1), question), ())
        for target, question in theirs
    }
    decisions = {key: _decided(theirs[key], bases.get(key), past_of[key]) for key in theirs}
    if form.relative:
        decisions = _by_question(decisions, past_of)
    values: dict[Key, Value] = {}
    for key, decision in decisions.items():
        taken = decision == "take" or (decision == "conflict" and prefer == "theirs")
        values[key] = theirs[key] if taken or not past_of[key] else past_of[key][-1].value
    conflicts = tuple(key for key, decision in decisions.items() if decision == "conflict")
    return Merge(values, () if prefer else conflicts)


def _decided(theirs: Value, base: int | None, past: Sequence[Past]) -> Decision:
    """Return what becomes of a cell with the value `theirs`, written from the revision `base`.

    `past` has the stored answers of the cell, the oldest first.
    """
    if not past:
        return "take"
    current = past[-1]
    if same_value(theirs, current.value):
        return "same"
    base_value = next((each.value for each in past if each.seq == base), None)
    if base is None or (base != 0 and base_value is None):
        return "conflict"
    if base_value is not None and same_value(theirs, base_value):
        return "stale"
    if current.seq == base:
        return "take"
    brought = [each for each in past if each.via == "sheet" and each.base == base]
    seen_before = any(same_value(each.value, theirs) for each in brought)
    if brought and brought[-1] is current:
        return "conflict" if seen_before else "take"
    return "stale" if seen_before else "conflict"


def _by_question(
    decisions: Mapping[Key, Decision], past_of: Mapping[Key, Sequence[Past]]
) -> dict[Key, Decision]:
    """Make the ranks of one question one unit: all are taken, all stay, or all that differ are conflicts."""
    together: dict[str, set[Decision]] = defaultdict(set)
    for (_, question), decision in decisions.items():
        together[question].add(decision)
    united = dict(decisions)
    for (target, question), decision in decisions.items():
        if decision != "same" and past_of[target, question] and _mixed(together[question]):
            united[target, question] = "conflict"
    return united


def _mixed(decisions: set[Decision]) -> bool:
    return "conflict" in decisions or {"take", "stale"} <= decisions


_c = schema.conflicts


@dataclass(frozen=True, slots=True)
class KeptConflict:
    """A conflict as stored: the sheet's answers to a task, and the revisions of their cells."""

    id: int
    task: int
    annotator: int
    answers: dict[tuple[str, str], Value]
    bases: dict[tuple[str, str], int]
    at: str | None


def keep(
    connection: sa.Connection,
    entry: CampaignEntry,
    task: int,
    who: StoredAnnotator,
    theirs: Mapping[tuple[str, str], Value],
    bases: Mapping[tuple[str, str], int],
    history: History,
    at: str | None,
    import_id: int | None,
) -> None:
    """Keep the conflict of one task and annotator, in place of an earlier one."""
    answers, seen = _texts(theirs, bases, history)
    supersede(connection, entry, task, who, None)
    values = {
        "campaign_id": entry.id, "task": task, "annotator_id": who.id,
        "answers": answers, "seen": seen, "at": at, "import_id": import_id,
    }  # fmt: skip
    connection.execute(_c.insert().values(values))


def supersede(
    connection: sa.Connection,
    entry: CampaignEntry,
    task: int,
    who: StoredAnnotator,
    resolved: Side | None,
) -> None:
    """Close the open conflict of one task and annotator, if any, as decided for `resolved`.

    None: another conflict takes its place.
    """
    query = _c.update().where(*_of(entry, task, who), _c.c.resolved.is_(None))
    connection.execute(query.values(resolved=resolved or "superseded"))


def settled(
    connection: sa.Connection,
    entry: CampaignEntry,
    task: int,
    who: StoredAnnotator,
    theirs: Mapping[tuple[str, str], Value],
    bases: Mapping[tuple[str, str], int],
    history: History,
) -> bool:
    """Return True if the very same conflict was decided for the store before."""
    answers, seen = _texts(theirs, bases, history)
    query = sa.select(_c.c.id).where(
        *_of(entry, task, who), _c.c.answers == answers, _c.c.seen == seen, _c.c.resolved == "ours"
    )
    return connection.execute(query).first() is not None


def pending(
    connection: sa.Connection, entry: CampaignEntry, annotator: StoredAnnotator | None = None
) -> Iterator[KeptConflict]:
    """Yield the open conflicts of annotators who are not excluded, in the order of tasks."""
    who = schema.annotators
    query = (
        sa.select(_c.c.id, _c.c.task, _c.c.annotator_id, _c.c.answers, _c.c.at)
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
        yield KeptConflict(row.id, row.task, row.annotator_id, answers, bases, row.at)


def import_ids(
    connection: sa.Connection, entry: CampaignEntry, conflicts: Sequence[int]
) -> dict[int, int | None]:
    """Return the imports that conflicts came from, by their ids; None where it was not recorded."""
    query = sa.select(_c.c.id, _c.c.import_id).where(_c.c.campaign_id == entry.id)
    return {
        number: source
        for chunk in chunks(conflicts, CHUNK)
        for number, source in connection.execute(query.where(_c.c.id.in_(chunk)))
    }


def _of(
    entry: CampaignEntry, task: int, who: StoredAnnotator
) -> tuple[sa.ColumnElement[bool], ...]:
    return _c.c.campaign_id == entry.id, _c.c.task == task, _c.c.annotator_id == who.id


def _texts(
    theirs: Mapping[tuple[str, str], Value],
    bases: Mapping[tuple[str, str], int],
    history: History,
) -> tuple[str, str]:
    """Return the sheet's answers and the revisions they contradict, as stored."""
    cells: list[Any] = [[*key, theirs[key], bases.get(key)] for key in sorted(theirs)]
    return json_text(cells), json_text(sorted(past[-1].seq for past in history.values()))
