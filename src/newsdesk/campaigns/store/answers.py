"""Store answers: the answers to a task are stored atomically and idempotently.

Everything here runs inside the caller's transaction. Web answers and imports share the code: the judgments of one task and annotator are
validated against the protocol and compared with what is stored, and only differences are written, as new rows.
"""

from __future__ import annotations

import json
import secrets
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlalchemy as sa

from newsdesk.campaigns.campaign import (
    OpenedTask,
    Stored,
    check_text,
    same_value,
    unequal_twins,
    with_unticked,
)
from newsdesk.campaigns.keys import stored_number
from newsdesk.campaigns.protocols import Answers
from newsdesk.campaigns.store import schema
from newsdesk.campaigns.store.rows import (
    CampaignEntry,
    StoredAnnotator,
    active,
    any_of,
    assignment_of,
    insert,
    read_task,
    task_numbers,
)
from newsdesk.campaigns.store.slots import open_slot, take
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError, DataError
from newsdesk.jsonl import json_text
from newsdesk.types import Judgment, Value, Via

_slots = schema.slots

TaskJudgments: TypeAlias = Mapping[tuple[str, str], Judgment]  # (target, question) → judgment
Current: TypeAlias = Mapping[tuple[int, str], Value]  # (number of target, question) → value


@dataclass(frozen=True, slots=True)
class AnswerRows:
    """The rows to write for the answers to one task, and the counts to report."""

    rows: tuple[dict[str, Any], ...]
    new: int
    corrected: int
    unchanged: int


def answer(
    connection: sa.Connection,
    entry: CampaignEntry,
    annotator: str,
    task_name: str,
    answers: Answers,
    *,
    at: str,
    seconds: float | None,
    via: Via,
) -> Stored:
    """Validate and store one annotator's answers to one task."""
    who = active(connection, entry, annotator)
    number = task_numbers(connection, entry, [task_name]).get(task_name)
    if number is None:
        raise ArgumentError(f"campaign {entry.campaign.name!r} has no task {task_name!r}")
    task = read_task(connection, entry, number)
    stored, _ = _store(
        connection, entry, who, number, task, answers, at=at, seconds=seconds, via=via
    )
    return stored


def submit(
    connection: sa.Connection,
    entry: CampaignEntry,
    who: StoredAnnotator,
    opened: OpenedTask,
    answers: Answers,
    *,
    at: str,
    seconds: float | None,
) -> sa.Row[Any]:
    """Validate and store answers to a task that was opened on the web; return the annotator's slot."""
    task = opened.assignment.task
    number = stored_number(entry.numbers_key(who), opened.number)
    if number is None:
        raise ArgumentError(f"{opened.number} is not the number of a task")
    _, slot = _store(
        connection, entry, who, number, task, answers, at=at, seconds=seconds, via="web"
    )
    return slot


def _store(
    connection: sa.Connection,
    entry: CampaignEntry,
    who: StoredAnnotator,
    number: int,
    task: Task,
    answers: Answers,
    *,
    at: str,
    seconds: float | None,
    via: Via,
) -> tuple[Stored, sa.Row[Any]]:
    """Validate and store answers to task `number`; return the counts and the annotator's slot."""
    slot = _slot_for(connection, entry, who, number)
    if slot is None:
        raise ArgumentError(not_theirs(entry, task.id, who.name))
    judgments = {
        key: Judgment(
            entry.campaign.name, task.id, task.item, *key, value, who.name,
            at=at, seconds=seconds, via=via,
        )
        for key, value in with_unticked(entry.campaign.protocol, task, answers).items()
    }  # fmt: skip
    warnings = check(entry, task, judgments, who.name)
    current = own_values(connection, entry, number, who)
    plan = plan_of(entry, task, slot, who, judgments, current)
    insert(connection, schema.judgments, plan.rows)
    if slot.state != "done" or slot.annotator_id is None:
        slot = take(connection, slot, who, state="done")
    return Stored(plan.new, plan.corrected, plan.unchanged, warnings=warnings), slot


def _slot_for(
    connection: sa.Connection, entry: CampaignEntry, who: StoredAnnotator, number: int
) -> sa.Row[Any] | None:
    """Return the annotator's slot of a task; in an open campaign a free one will do."""
    bound = {"campaign": entry.id, "the_task": number, "annotator": who.id}
    row = connection.execute(_OWN_SLOT, bound).one_or_none()
    if row is not None:
        return None if row.state == "void" else row
    if not entry.campaign.open:
        return None
    return open_slot(connection, entry, who, number)


def not_theirs(entry: CampaignEntry, task: str, annotator: str) -> str:
    """Return the error message for an answer to a task that the annotator has no slot for."""
    if entry.campaign.open:
        return f"task {task!r} has all its annotators, and {annotator!r} is none of them"
    return f"task {task!r} is not assigned to {annotator!r}"


def check(
    entry: CampaignEntry, task: Task, judgments: TaskJudgments, annotator: str
) -> tuple[str, ...]:
    """Raise DataError for invalid answers; return warnings about what is odd and valid."""
    form = entry.campaign.protocol
    values = {key: judgment.value for key, judgment in judgments.items()}
    texts = {target.id: target.text for target in task.targets}
    if reasons := form.faults(list(texts), values, texts):
        others = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        raise DataError(f"task {task.id!r}: {reasons[0]}{others}")
    return tuple(unequal_twins(form, task, values, annotator))


def plan_of(
    entry: CampaignEntry,
    task: Task,
    row: sa.Row[Any],
    who: StoredAnnotator,
    judgments: TaskJudgments,
    current: Current,
    bases: Mapping[tuple[str, str], int] | None = None,
    import_id: int | None = None,
) -> AnswerRows:
    """Return the rows to write for validated answers, those that differ from the current values.

    `row` is the slot; `bases` are the revisions of a sheet's cells, `import_id` is the file they came from.
    """
    changed = []
    corrected = 0
    for place, target in enumerate(task.targets):
        for question in entry.campaign.protocol.questions:
            judgment = judgments[target.id, question.name]
            known = current.get((place, question.name))
            if known is None or not same_value(known, judgment.value):
                changed.append((place, judgment))
                corrected += known is not None
    letters = assignment_of(row, task, who.name).slot.shown if changed else {}
    submission = new_submission()
    rows = tuple(
        _judgment_row(row, place, who, judgment, judgment.shown or letters[judgment.target])
        | {
            "base": (bases or {}).get((judgment.target, judgment.question)),
            "submission": submission,
            "import_id": import_id,
        }
        for place, judgment in changed
    )
    return AnswerRows(
        rows,
        new=len(rows) - corrected,
        corrected=corrected,
        unchanged=len(judgments) - len(rows),
    )


def new_submission() -> int:
    """Return a number for the rows that are stored together; two of one task are equal once in 2^62."""
    return secrets.randbits(62)


def _judgment_row(
    row: sa.Row[Any], target: int, who: StoredAnnotator, judgment: Judgment, shown: str
) -> dict[str, Any]:
    """Return a judgment as a row of the table; `target` is its number in the task of the slot `row`."""
    check_text(shown, f"`shown` of task {judgment.task!r}")
    return {
        "campaign_id": row.campaign_id,
        "task": row.task,
        "target": target,
        "annotator_id": who.id,
        "question": judgment.question,
        "value": json_text(judgment.value),
        "shown": shown,
        "at": judgment.at,
        "seconds": judgment.seconds,
        "via": judgment.via or "import",
    }


def current_values(
    connection: sa.Connection, entry: CampaignEntry, numbers: list[int]
) -> dict[tuple[int, int], dict[tuple[int, str], Value]]:
    """Return the current values by (task number, annotator id), then by (target number, question)."""
    table = schema.judgments
    query = (
        sa.select(
            table.c.task, table.c.annotator_id, table.c.target, table.c.question, table.c.value
        )
        .where(table.c.campaign_id == entry.id, any_of(table.c.task, numbers))
        .order_by(table.c.seq)
    )
    current: dict[tuple[int, int], dict[tuple[int, str], Value]] = defaultdict(dict)
    for task, annotator, target, question, value in connection.execute(query):
        current[task, annotator][target, question] = json.loads(value)
    return current


def own_values(
    connection: sa.Connection, entry: CampaignEntry, number: int, who: StoredAnnotator
) -> dict[tuple[int, str], Value]:
    """Return the current (last) value of every key of one task and annotator, by target and question."""
    bound = {"campaign": entry.id, "the_task": number, "annotator": who.id}
    return {
        (target, question): json.loads(value)
        for target, question, value in connection.execute(_OWN_VALUES, bound)
    }


# Built once, as in `slots`.
_OWN_SLOT = (
    sa.select(_slots)
    .where(
        _slots.c.campaign_id == sa.bindparam("campaign"),
        _slots.c.task == sa.bindparam("the_task"),
        _slots.c.annotator_id == sa.bindparam("annotator"),
    )
    .with_for_update()
)
_OWN_VALUES = (
    sa.select(schema.judgments.c.target, schema.judgments.c.question, schema.judgments.c.value)
    .where(
        schema.judgments.c.campaign_id == sa.bindparam("campaign"),
        schema.judgments.c.task == sa.bindparam("the_task"),
        schema.judgments.c.annotator_id == sa.bindparam("annotator"),
    )
    .order_by(schema.judgments.c.seq)
)
