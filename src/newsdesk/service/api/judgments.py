"""`/api/v1/judgments` and an annotator's tasks. A key for one annotator reaches that annotator's own tasks alone, and those blinded.

Others send and get judgments as records; annotators of those they get are pseudonyms, unless the key is an admin's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.campaigns.campaign import Stored
from newsdesk.campaigns.screens import (
    BlindTask,
    claim_task,
    own_judgments,
    own_tasks,
    store_own,
)
from newsdesk.jsonl import json_text
from newsdesk.records.schema import schema_of
from newsdesk.service.api.answers import (
    documented,
    once,
    read_body,
    read_in_turn,
    streamed,
    takes,
    takes_nothing,
    whole,
)
from newsdesk.service.api.campaign_shapes import (
    Judgments,
    JudgmentsRequest,
    NextTask,
    StoredJudgments,
    Tasks,
)
from newsdesk.service.api.campaigns import seen_campaign
from newsdesk.service.desk import Desk, desk_of, slug
from newsdesk.service.errors import Problem
from newsdesk.service.principals import Principal, require
from newsdesk.types import Judgment

router = APIRouter(prefix="/api/v1", tags=["judgments"])

Judge = Annotated[Principal, Depends(require("judge"))]
Annotator = Annotated[str | None, Query(min_length=1, max_length=200)]


async def may_read_judgments(request: Request) -> Principal:
    """Return the principal if it may read, or is an annotator, who reads the own judgments."""
    try:
        return await require("read")(request)
    except Problem as problem:
        principal = await require("judge")(request)
        if principal.annotator is None:
            raise problem
        return principal


@router.get("/judgments", responses=documented(Judgments, 400, 404, 422, lines=True))
async def judgments(
    request: Request,
    principal: Annotated[Principal, Depends(may_read_judgments)],
    campaign: Annotated[str, Query(min_length=1, max_length=200)],
) -> Response:
    """Return the current judgments of a campaign; to an annotator the own ones, blinded."""
    desk = desk_of(request)
    name = await run_in_threadpool(seen_campaign, desk, principal, slug(campaign))
    if principal.annotator is not None:
        rows = own_judgments(desk.store, name, principal.annotator)
    else:
        names = "admin" in principal.scopes
        rows = await run_in_threadpool(desk.store.judgments, name, names=names)
    return streamed(request, "judgments", read_in_turn(request, _encoded(rows)))


@router.post(
    "/judgments",
    responses=documented(StoredJudgments, 404, body=True),
    openapi_extra=takes(JudgmentsRequest),
)
async def judge(request: Request, principal: Judge) -> Response:
    """Store judgments, durably and idempotently.

    A task whose judgments are not valid is rejected, with 422 if nothing was stored at all.
    """
    body = await read_body(request, JudgmentsRequest)
    desk = desk_of(request)

    async def stored() -> Response:
        outcome = await run_in_threadpool(_stored, desk, principal, body.judgments)
        fields = asdict(outcome)
        if outcome.rejected and not outcome.new + outcome.corrected + outcome.unchanged:
            reason = outcome.rejected[0].reason
            raise Problem(422, "rejected", reason, detail=fields["rejected"])
        return whole(fields)

    return await once(request, principal, stored, keeps=True)


@router.get("/campaigns/{campaign}/tasks", responses=documented(Tasks, 400, 404, 422, lines=True))
async def tasks(
    request: Request, campaign: str, principal: Judge, annotator: Annotator = None
) -> Response:
    """Return an annotator's tasks, blinded; who is not an annotator says whose."""
    desk = desk_of(request)
    name, who = await run_in_threadpool(_whose, desk, principal, campaign, annotator)
    rows = (
        json_text(_task_row(desk, name, task)).encode() for task in own_tasks(desk.store, name, who)
    )
    return streamed(request, "tasks", read_in_turn(request, rows))


@router.post(
    "/campaigns/{campaign}/claims",
    responses=documented(NextTask, 400, 404, 409, 422),
    openapi_extra=takes_nothing(),
)
async def claim(
    request: Request, campaign: str, principal: Judge, annotator: Annotator = None
) -> Response:
    """Return the next task of an annotator, claimed if need be; null if nothing is left.

    Claiming again returns the same task until it is answered.
    """
    desk = desk_of(request)
    name, who = await run_in_threadpool(_whose, desk, principal, campaign, annotator)

    async def claimed() -> Response:
        task = await run_in_threadpool(claim_task, desk.store, name, who, at=desk.now())
        return whole({"task": None if task is None else _task_row(desk, name, task)})

    return await once(request, principal, claimed)


def _whose(desk: Desk, principal: Principal, path: str, annotator: str | None) -> tuple[str, str]:
    """Return the campaign and the annotator of a request; a key for one annotator is for nobody else."""
    name = seen_campaign(desk, principal, path)
    who = annotator or principal.annotator
    if who is None:
        raise Problem(400, "annotator", "say whose tasks: ?annotator=NAME")
    names = (annotator.name for annotator in desk.store.status(name).annotators)
    if not principal.sees(name, who) or who not in names:
        raise Problem(404, "not-found", "there is no such annotator")
    return name, who


def _stored(desk: Desk, principal: Principal, rows: Sequence[Judgment]) -> Stored:
    """Store judgments by campaign; none is stored if the principal may not see one of them."""
    campaigns: dict[str, list[Judgment]] = defaultdict(list)
    for row in rows:
        campaigns[row.campaign].append(row)
    for name, of_campaign in campaigns.items():
        seen_campaign(desk, principal, slug(name))
        if not all(principal.sees(name, row.annotator) for row in of_campaign):
            raise Problem(403, "annotator", "this key is for the tasks of its own annotator alone")
    total = Stored()
    for name, of_campaign in campaigns.items():
        total += _stored_in(desk, principal, name, of_campaign)
    return total


def _stored_in(desk: Desk, principal: Principal, name: str, rows: Sequence[Judgment]) -> Stored:
    """Store judgments of one campaign: of an annotator by blinded names, of others as records."""
    now = desk.now()
    if principal.annotator is not None:
        return store_own(desk.store, name, principal.annotator, rows, at=now)
    dated = (replace(row, at=row.at or now, via=row.via or "import") for row in rows)
    return desk.store.import_judgments(name, dated)


def _encoded(rows: Iterable[Judgment]) -> Iterator[bytes]:
    schema = schema_of(Judgment)
    return (json_text(schema.encode(row)).encode() for row in rows)


def _task_row(desk: Desk, campaign: str, task: BlindTask) -> dict[str, Any]:
    """Return a blinded task as JSON."""
    return {
        "campaign": campaign,
        "task": task.name,
        "state": task.state,
        "context": [{"label": label, "text": text} for label, text in task.context],
        "article": task.article,
        "targets": [{"target": letter, "text": text} for letter, text in task.texts.items()],
        "questions": [
            question.name for question in desk.store.campaign(campaign).protocol.questions
        ],
        "answers": [
            {"target": letter, "question": question, "value": value}
            for (letter, question), value in task.answers.items()
        ],
    }
