"""Undo what was stored: the last answer of an annotator to a task, or a whole import. Everything here runs inside the caller's transaction.

Judgments are append-only: what counted before is stored again. Rows of an import that was taken back are as if they had never been when something else is undone
or merged. A task that was answered again since an import keeps its answers: a ranking that is half of one and half of another was given by nobody.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from newsdesk.campaigns.campaign import ImportRecord, ImportSource, Stored, TakenBack
from newsdesk.campaigns.store import schema
from newsdesk.campaigns.store.answers import new_submission
from newsdesk.campaigns.store.reading import own_slot
from newsdesk.campaigns.store.rows import CampaignEntry, active, any_of, insert
from newsdesk.campaigns.store.schema import CHUNK, chunks
from newsdesk.campaigns.store.slots import this_slot
from newsdesk.errors import ArgumentError
from newsdesk.jsonl import json_text
from newsdesk.types import CANNOT_JUDGE, Via

_slots, _j, _i = schema.slots, schema.judgments, schema.imports
_COPIED = ("target", "question", "value", "shown", "at", "seconds", "via", "base", "import_id")


def undo(
    connection: sa.Connection,
    entry: CampaignEntry,
    annotator: str,
    number: int,
    *,
    at: str,
    via: Via,
) -> Stored:
    """Undo the annotator's last submission of a task.

    Earlier values are stored again, and where there were none the task is open again.

    What was never answered before is withdrawn (`cannot-judge`), since judgments are append-only.
    """
    who = active(connection, entry, annotator)
    slot = own_slot(connection, entry, who, number, lock=True)
    if slot is None:
        raise ArgumentError(f"{annotator!r} has no task {number} in {entry.campaign.name!r}")
    query = (
        sa.select(_j)
        .where(_j.c.campaign_id == entry.id, _j.c.task == slot.task, _j.c.annotator_id == who.id)
        .order_by(_j.c.seq)
    )
    taken_back = _taken_back(connection, entry)
    history = [row for row in connection.execute(query) if row.import_id not in taken_back]
    if not history:
        raise ArgumentError("there is no answer to undo")
    last = _last_submission(entry, history)
    earlier = history[: len(history) - len(last)]
    earlier_values = {(row.target, row.question): row.value for row in earlier}
    withdrawn, submission = json_text(CANNOT_JUDGE), new_submission()
    rows = [
        {
            "campaign_id": entry.id, "task": slot.task, "annotator_id": who.id,
            "target": row.target, "question": row.question, "value": value,
            "shown": row.shown, "at": at, "seconds": None, "via": via, "base": None,
            "submission": submission, "import_id": None,
        }
        for row in last
        if (value := earlier_values.get((row.target, row.question), withdrawn)) != row.value
    ]  # fmt: skip
    insert(connection, _j, rows)
    open_again = all(json.loads(value) == CANNOT_JUDGE for value in earlier_values.values())
    state = "claimed" if open_again else "done"
    connection.execute(_slots.update().where(this_slot(slot)).values(state=state, claimed_at=at))
    return Stored(corrected=len(rows))


def _last_submission(entry: CampaignEntry, history: Sequence[sa.Row[Any]]) -> list[sa.Row[Any]]:
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


def record_import(connection: sa.Connection, entry: CampaignEntry, source: ImportSource) -> int:
    """Record an import before its judgments are stored; return its number."""
    values = {
        "campaign_id": entry.id, "at": source.at, "by": source.by, "file": source.file,
        "sha256": source.sha256, "annotator": source.annotator, "seal": source.seal,
    }  # fmt: skip
    query = _i.insert().values(values).returning(_i.c.id)
    return int(connection.execute(query).scalar_one())


def count_import(connection: sa.Connection, number: int, stored: Stored) -> None:
    """Record what came of an import."""
    counts = {"new": stored.new, "corrected": stored.corrected, "unchanged": stored.unchanged}
    connection.execute(_i.update().where(_i.c.id == number).values(counts))


def recorded_imports(connection: sa.Connection, entry: CampaignEntry) -> list[ImportRecord]:
    """Return the imports of a campaign, the oldest first."""
    query = sa.select(_i).where(_i.c.campaign_id == entry.id).order_by(_i.c.id)
    return [
        ImportRecord(
            row.id,
            ImportSource(row.file, row.sha256, row.by, row.at, row.annotator, row.seal),
            row.new, row.corrected, row.unchanged, row.undone_at, row.undone_by,
        )
        for row in connection.execute(query)
    ]  # fmt: skip


def undo_import(
    connection: sa.Connection, entry: CampaignEntry, number: int, *, at: str, by: str
) -> TakenBack:
    """Take an import back: its tasks have the answers of before again, and its conflicts are dropped.

    What was never answered before is withdrawn (`cannot-judge`), and its task is open again.
    """
    known = {record.number: record for record in recorded_imports(connection, entry)}
    if number not in known:
        raise ArgumentError(f"campaign {entry.campaign.name!r} has no import {number}")
    if known[number].undone_at is not None:
        raise ArgumentError(f"import {number} was taken back at {known[number].undone_at}")
    values = {"undone_at": at, "undone_by": by}
    connection.execute(_i.update().where(_i.c.id == number).values(values))
    kept_conflicts = sa.and_(
        schema.conflicts.c.import_id == number, schema.conflicts.c.resolved.is_(None)
    )
    connection.execute(
        schema.conflicts.update().where(kept_conflicts).values(resolved="superseded")
    )
    taken_back = _taken_back(connection, entry)
    answers = tasks = kept = 0
    for history in _histories(connection, entry, number):
        last = max(row.seq for row in history if row.import_id == number)
        if any(row.seq > last and row.import_id not in taken_back for row in history):
            kept += 1
            continue
        rows = list(_restored(history, taken_back, number, at))
        insert(connection, _j, rows)
        remaining = [row for row in history if row.import_id not in taken_back]
        if all(json.loads(row.value) == CANNOT_JUDGE for row in _last_of_cells(remaining).values()):
            _open_again(connection, history[0], at)
        answers += len(rows)
        tasks += 1
    return TakenBack(tasks, answers, kept)


def _histories(
    connection: sa.Connection, entry: CampaignEntry, number: int
) -> Iterator[list[sa.Row[Any]]]:
    """Yield the rows of each task and annotator that an import has touched, the oldest first."""
    touched = sa.select(_j.c.task, _j.c.annotator_id).where(
        _j.c.campaign_id == entry.id, _j.c.import_id == number
    )
    cells = {(row.task, row.annotator_id) for row in connection.execute(touched)}
    for tasks in chunks(sorted({task for task, _ in cells}), CHUNK):
        rows_of: dict[tuple[int, int], list[sa.Row[Any]]] = defaultdict(list)
        query = sa.select(_j).where(_j.c.campaign_id == entry.id, any_of(_j.c.task, tasks))
        for row in connection.execute(query.order_by(_j.c.seq)):
            rows_of[row.task, row.annotator_id].append(row)
        yield from (rows for key, rows in rows_of.items() if key in cells)


def _restored(
    history: Sequence[sa.Row[Any]], taken_back: set[int], number: int, at: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows with which a task has the answers again that it has without `taken_back` imports."""
    before = _last_of_cells([row for row in history if row.import_id not in taken_back])
    submission = new_submission()
    for cell, row in _last_of_cells(history).items():
        restored = {name: getattr(before.get(cell, row), name) for name in _COPIED}
        if cell not in before:
            withdrawn = json_text(CANNOT_JUDGE)
            restored |= {"value": withdrawn, "at": at, "seconds": None, "import_id": number}
        if before.get(cell) is not row:
            whose = {name: getattr(row, name) for name in ("campaign_id", "task", "annotator_id")}
            yield {**whose, **restored, "submission": submission}


def _last_of_cells(rows: Sequence[sa.Row[Any]]) -> dict[tuple[int, str], sa.Row[Any]]:
    """Return the last row of each target and question."""
    return {(row.target, row.question): row for row in rows}


def _open_again(connection: sa.Connection, judgment: sa.Row[Any], at: str) -> None:
    """Open the slot of a judgment that was answered; a void one stays void."""
    its_slot = sa.and_(
        *(_slots.c[name] == getattr(judgment, name) for name in ("campaign_id", "task")),
        _slots.c.annotator_id == judgment.annotator_id,
        _slots.c.state == "done",
    )
    connection.execute(_slots.update().where(its_slot).values(state="claimed", claimed_at=at))


def _taken_back(connection: sa.Connection, entry: CampaignEntry) -> set[int]:
    """Return the numbers of the imports that were taken back."""
    query = sa.select(_i.c.id).where(_i.c.campaign_id == entry.id, _i.c.undone_at.is_not(None))
    return set(connection.execute(query).scalars())
