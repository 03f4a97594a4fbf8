"""The answers of models and programs to tasks: a table of their own, so that no statistic of people can hold them by mistake."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from newsdesk.campaigns.store import schema
from newsdesk.jsonl import json_text
from newsdesk.types import Judgment, Value

if TYPE_CHECKING:
    from newsdesk.campaigns.store.rows import CampaignEntry

TURNED = " (turned)"  # ends the name under which the answers of the second turn are exported
_m = schema.model_answers


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a judge answered to a task in one turn: values by target and question, or a fault instead."""

    task: str
    judge: str
    turn: int
    answers: Mapping[tuple[str, str], Value]
    shown: Mapping[str, str]  # target → letter
    at: str
    fault: str = ""

    @property
    def usable(self) -> bool:
        """True if the answer is valid."""
        return not self.fault


def add(connection: sa.Connection, entry: CampaignEntry, answer: ModelAnswer) -> None:
    """Store an answer in place of an earlier one of the same judge, task and turn."""
    number = connection.execute(
        sa.select(schema.tasks.c.number).where(
            schema.tasks.c.campaign_id == entry.id, schema.tasks.c.name == answer.task
        )
    ).scalar_one()
    key = (_m.c.campaign_id == entry.id, _m.c.task == number, _m.c.judge == answer.judge, _m.c.turn == answer.turn)  # fmt: skip
    connection.execute(_m.delete().where(*key))
    rows = [[target, question, value] for (target, question), value in answer.answers.items()]
    connection.execute(
        _m.insert().values(
            campaign_id=entry.id, task=number, judge=answer.judge, turn=answer.turn, answers=json_text(rows),
            shown=json_text(dict(answer.shown)), at=answer.at, fault=answer.fault,
        )
    )  # fmt: skip


def answers(
    connection: sa.Connection, entry: CampaignEntry, judge: str | None
) -> list[ModelAnswer]:
    """Return the answers of one judge, or of all, by judge, task and turn."""
    query = (
        sa.select(schema.tasks.c.name, _m.c.judge, _m.c.turn, _m.c.answers, _m.c.shown, _m.c.at, _m.c.fault)
        .join(schema.tasks, sa.and_(schema.tasks.c.campaign_id == _m.c.campaign_id, schema.tasks.c.number == _m.c.task))
        .where(_m.c.campaign_id == entry.id)
        .order_by(_m.c.judge, _m.c.task, _m.c.turn)
    )  # fmt: skip
    if judge is not None:
        query = query.where(_m.c.judge == judge)
    return [
        ModelAnswer(task, name, turn, {(target, question): value for target, question, value in json.loads(rows)}, json.loads(shown), at, fault)
        for task, name, turn, rows, shown, at, fault in connection.execute(query)
    ]  # fmt: skip


def judgments(
    connection: sa.Connection, entry: CampaignEntry, judge: str | None, *, control: bool | None
) -> Iterator[Judgment]:
    """Yield the valid answers as judgments with `via` model; those of the second turn end in " (turned)"."""
    query = sa.select(schema.tasks.c.name, schema.tasks.c.item, schema.targets.c.name, schema.targets.c.answer.is_not(None)).join(
        schema.targets, sa.and_(schema.targets.c.campaign_id == schema.tasks.c.campaign_id, schema.targets.c.task == schema.tasks.c.number)
    ).where(schema.tasks.c.campaign_id == entry.id)  # fmt: skip
    known = {(task, target): (item, bool(answer)) for task, item, target, answer in connection.execute(query)}  # fmt: skip
    for answer in answers(connection, entry, judge):
        name = answer.judge + (TURNED if answer.turn else "")
        for (target, question), value in answer.answers.items():
            item, is_control = known[answer.task, target]
            if control is None or control == is_control:
                yield Judgment(
                    entry.campaign.name, answer.task, item, target, question, value, name,
                    answer.shown.get(target), answer.at, None, is_control, "model",
                )  # fmt: skip
