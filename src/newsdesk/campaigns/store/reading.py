"""Judgments and counts out. Everything here runs inside the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Iterator

import sqlalchemy as sa

from newsdesk.campaigns import schema
from newsdesk.campaigns.campaign import AnnotatorStatus, Status
from newsdesk.campaigns.store.rows import Entry, Person
from newsdesk.types import Judgment

_j = schema.judgments


def judgments(
    connection: sa.Connection,
    entry: Entry,
    *,
    current: bool,
    include_excluded: bool,
    control: bool | None,
    annotator: Person | None,
    names: bool,
) -> Iterator[Judgment]:
    """Judgments by task, target, annotator and question, or all rows in the order in which they were stored."""
    task, target, who = schema.tasks, schema.targets, schema.annotators
    query = (
        sa.select(
            task.c.name, task.c.item, target.c.name, _j.c.question, _j.c.value,
            who.c.name if names else who.c.hashed,
            _j.c.shown, _j.c.at, _j.c.seconds, target.c.answer.is_not(None), _j.c.via,
        )
        .join_from(
            _j,
            target,
            sa.and_(
                target.c.campaign_id == _j.c.campaign_id,
                target.c.task == _j.c.task,
                target.c.number == _j.c.target,
            ),
        )
        .join(task, sa.and_(task.c.campaign_id == _j.c.campaign_id, task.c.number == _j.c.task))
        .join(who, who.c.id == _j.c.annotator_id)
        .where(_j.c.campaign_id == entry.id)
    )  # fmt: skip
    if current:
        key = (_j.c.task, _j.c.target, _j.c.annotator_id, _j.c.question, _j.c.seq)
        query = query.where(_is_last()).order_by(*key)
    else:
        query = query.order_by(_j.c.seq)
    if not include_excluded:
        query = query.where(who.c.excluded_at.is_(None))
    if control is not None:
        known = target.c.answer.is_not(None)
        query = query.where(known if control else ~known)
    if annotator is not None:
        query = query.where(_j.c.annotator_id == annotator.id)
    for (
        name,
        item,
        of,
        question,
        value,
        by,
        shown,
        at,
        seconds,
        is_control,
        via,
    ) in connection.execute(query):
        yield Judgment(
            entry.campaign.name, name, item, of, question, json.loads(value), by,
            shown, at, seconds, bool(is_control), via,
        )  # fmt: skip


def _is_last() -> sa.ColumnElement[bool]:
    """No later row has the same key."""
    later = _j.alias()
    return ~(
        sa.select(later.c.seq)
        .where(
            later.c.campaign_id == _j.c.campaign_id,
            later.c.task == _j.c.task,
            later.c.target == _j.c.target,
            later.c.annotator_id == _j.c.annotator_id,
            later.c.question == _j.c.question,
            later.c.seq > _j.c.seq,
        )
        .exists()
    )


def status(connection: sa.Connection, entry: Entry) -> Status:
    """How far the campaign is."""
    task, slot, who = schema.tasks, schema.slots, schema.annotators
    tasks = connection.execute(
        sa.select(sa.func.count()).where(task.c.campaign_id == entry.id)
    ).scalar_one()
    grouped = (
        sa.select(slot.c.annotator_id, slot.c.state, sa.func.count())
        .where(slot.c.campaign_id == entry.id)
        .group_by(slot.c.annotator_id, slot.c.state)
    )
    counts = {(by, state): n for by, state, n in connection.execute(grouped)}
    total = {
        state: sum(n for (_, each), n in counts.items() if each == state)
        for state in ("open", "claimed", "done")
    }
    everybody = sa.select(who).where(who.c.campaign_id == entry.id).order_by(who.c.id)
    annotators = []
    for row in connection.execute(everybody):
        done, *unfinished = (
            counts.get((row.id, state), 0) for state in ("done", "claimed", "open")
        )
        held = done + sum(unfinished)
        annotators.append(
            AnnotatorStatus(row.name, row.hashed, held, done, row.excluded_at, row.reason)
        )
    judged, corrections = _judged(connection, entry)
    return Status(
        tasks, sum(total.values()), total["open"], total["claimed"], total["done"],
        judged, corrections, tuple(annotators),
    )  # fmt: skip


def _judged(connection: sa.Connection, entry: Entry) -> tuple[int, int]:
    """Judgments that count, and rows that correct one, of annotators who are not excluded."""
    who = schema.annotators
    rows = (
        sa.select(sa.func.count())
        .join_from(_j, who, who.c.id == _j.c.annotator_id)
        .where(_j.c.campaign_id == entry.id, who.c.excluded_at.is_(None))
    )
    total = connection.execute(rows).scalar_one()
    current = connection.execute(rows.where(_is_last())).scalar_one()
    return current, total - current
