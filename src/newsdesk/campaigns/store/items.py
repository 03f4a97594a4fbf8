"""Read tasks as the lead of a campaign sees them: found by text and state, and one with everybody's answers. Nothing here is blinded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from newsdesk.campaigns.campaign import State
from newsdesk.campaigns.store import reading, schema
from newsdesk.campaigns.store.rows import CampaignEntry, any_of, assignment_of, read_tasks
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError
from newsdesk.jsonl import json_text
from newsdesk.types import CANNOT_JUDGE, Value

ItemFilter = Literal["all", "open", "done", "differ", "withdrawn"]

_slots, _j, _who = schema.slots, schema.judgments, schema.annotators


@dataclass(frozen=True, slots=True)
class ListedItem:
    """A task in a list: its stored number, how many of its slots are done, and its context and texts."""

    number: int
    task: Task
    slots: int
    done: int

    @property
    def title(self) -> str:
        """The title or event of the task, else the beginning of its first text."""
        named = dict(self.task.context)
        text = named.get("title") or named.get("event") or self.task.targets[0].text
        return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class ItemAnswers:
    """What one annotator answered to a task so far, by target and question; `shown` are the letters they saw."""

    annotator: str
    excluded: bool
    state: State
    shown: Mapping[str, str]
    values: Mapping[tuple[str, str], Value]
    at: str | None
    seconds: float | None
    via: str


@dataclass(frozen=True, slots=True)
class OpenedItem:
    """A task with its article and everybody's answers, and the numbers of the tasks beside it."""

    number: int
    task: Task
    article: str
    answers: tuple[ItemAnswers, ...]
    before: int | None
    after: int | None


def found_items(
    connection: sa.Connection,
    entry: CampaignEntry,
    *,
    search: str,
    only: ItemFilter,
    first: int,
    most: int,
) -> tuple[list[ListedItem], int]:
    """Return a page of the tasks that a search and a filter leave, and how many they leave."""
    task = schema.tasks
    wanted = sa.and_(task.c.campaign_id == entry.id, *_matching(entry, search), *_filtered(entry, only))  # fmt: skip
    count = connection.execute(sa.select(sa.func.count()).where(wanted)).scalar_one()
    query = sa.select(task.c.number).where(wanted).order_by(task.c.number)
    numbers = connection.execute(query.offset(first).limit(most)).scalars().all()
    if not numbers:
        return [], count
    counts = _slot_counts(connection, entry, numbers)
    listed = [
        ListedItem(number, each, *counts.get(number, (0, 0)))
        for number, each in read_tasks(connection, entry, numbers)
    ]
    return listed, count


def _matching(entry: CampaignEntry, search: str) -> list[sa.ColumnElement[bool]]:
    """Return the condition of each word: it stands in a name, the context or a text of the task."""
    task, target = schema.tasks, schema.targets
    conditions = []
    for word in search.split():
        of_task = (target.c.campaign_id == entry.id, target.c.task == task.c.number)
        texts = sa.select(target.c.number).where(
            *of_task,
            sa.or_(_holds(target.c.text, word), _holds(target.c.name, word)),
        )
        own = (_holds(column, word) for column in (task.c.name, task.c.item, task.c.context))
        conditions.append(sa.or_(*own, texts.exists()))
    return conditions


def _holds(column: sa.Column[str], word: str) -> sa.ColumnElement[bool]:
    return column.icontains(word, autoescape=True)


def _filtered(entry: CampaignEntry, only: ItemFilter) -> list[sa.ColumnElement[bool]]:
    """Return the condition of a filter; answers of excluded annotators do not count."""
    task = schema.tasks
    unfinished = sa.select(_slots.c.number).where(
        _slots.c.campaign_id == entry.id,
        _slots.c.task == task.c.number,
        _slots.c.state.in_(("open", "claimed")),
    )
    match only:
        case "open":
            return [unfinished.exists()]
        case "done":
            return [~unfinished.exists()]
        case "differ":
            values = _current(entry).subquery()
            several = sa.func.count(values.c.value.distinct()) > 1
            by = (values.c.task, values.c.target, values.c.question)
            return [task.c.number.in_(sa.select(values.c.task).group_by(*by).having(several))]
        case "withdrawn":
            values = _current(entry).subquery()
            cannot = values.c.value == json_text(CANNOT_JUDGE)
            return [task.c.number.in_(sa.select(values.c.task).where(cannot))]
        case _:
            return []


def _current(entry: CampaignEntry) -> sa.Select[Any]:
    """Return the query of current values: of each cell the one that was stored last."""
    key = (_j.c.task, _j.c.target, _j.c.annotator_id, _j.c.question)
    last = sa.select(sa.func.max(_j.c.seq)).where(_j.c.campaign_id == entry.id).group_by(*key)
    return (
        sa.select(_j.c.task, _j.c.target, _j.c.question, _j.c.value)
        .join(_who, _who.c.id == _j.c.annotator_id)
        .where(_j.c.seq.in_(last), _who.c.excluded_at.is_(None))
    )


def _slot_counts(
    connection: sa.Connection, entry: CampaignEntry, numbers: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """Return of each task how many slots it has that are not void, and how many of them are done."""
    done = sa.func.sum(sa.case((_slots.c.state == "done", 1), else_=0))
    query = (
        sa.select(_slots.c.task, sa.func.count(), done)
        .where(
            _slots.c.campaign_id == entry.id,
            any_of(_slots.c.task, numbers),
            _slots.c.state != "void",
        )
        .group_by(_slots.c.task)
    )
    return {task: (slots, ready) for task, slots, ready in connection.execute(query)}


def opened_item(connection: sa.Connection, entry: CampaignEntry, number: int) -> OpenedItem:
    """Return a task by its stored number, with the answers of everybody who has it; an unknown one is an error."""
    number_of = schema.tasks.c.number
    of_campaign = schema.tasks.c.campaign_id == entry.id
    tasks = list(read_tasks(connection, entry, [number]))
    if not tasks:
        raise ArgumentError(f"campaign {entry.campaign.name!r} has no task {number}")
    [(_, task)] = tasks
    before = sa.select(sa.func.max(number_of)).where(of_campaign, number_of < number)
    after = sa.select(sa.func.min(number_of)).where(of_campaign, number_of > number)
    return OpenedItem(
        number,
        task,
        reading.article(connection, entry, task.item),
        tuple(_answers(connection, entry, number, task)),
        before=connection.execute(before).scalar(),
        after=connection.execute(after).scalar(),
    )


def _answers(
    connection: sa.Connection, entry: CampaignEntry, number: int, task: Task
) -> list[ItemAnswers]:
    """Return the answers of all annotators who hold or held a slot of a task, by name."""
    held = (
        sa.select(_slots, _who.c.name, _who.c.excluded_at)
        .join(_who, _who.c.id == _slots.c.annotator_id)
        .where(_slots.c.campaign_id == entry.id, _slots.c.task == number)
        .order_by(_who.c.name)
    )
    given = (
        sa.select(_j).where(_j.c.campaign_id == entry.id, _j.c.task == number).order_by(_j.c.seq)
    )
    cells: dict[int, dict[tuple[str, str], Value]] = {}
    last: dict[int, Any] = {}
    for row in connection.execute(given):
        cell = (task.targets[row.target].id, row.question)
        cells.setdefault(row.annotator_id, {})[cell] = json.loads(row.value)
        last[row.annotator_id] = row
    answers = []
    for slot in connection.execute(held):
        latest = last.get(slot.annotator_id)
        answers.append(
            ItemAnswers(
                slot.name,
                slot.excluded_at is not None,
                slot.state,
                assignment_of(slot, task, slot.name).slot.shown,
                cells.get(slot.annotator_id, {}),
                None if latest is None else latest.at,
                None if latest is None else latest.seconds,
                "" if latest is None else latest.via,
            )
        )
    return answers
