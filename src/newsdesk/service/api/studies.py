"""`/api/v1/studies`: studies of summarizers on clusters that a request brings along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.requests import Request

from newsdesk.registry import SUMMARIZERS
from newsdesk.service.api import work
from newsdesk.service.api.answers import documented, once, whole
from newsdesk.service.api.bodies import read_body, takes
from newsdesk.service.api.shapes import (
    CurveRequest,
    LengthsRequest,
    Studies,
    StudyResult,
    Table5Request,
)
from newsdesk.service.api.work import check_spec
from newsdesk.service.desk import desk_of
from newsdesk.service.principals import Principal, Reader

router = APIRouter(prefix="/api/v1/studies", tags=["studies"])

_ABOUT = {
    "lengths": "The best length of a summary: an oracle forced to fill each length.",
    "curve": "Scores against the number of articles added to each cluster.",
    "table5": "Methods compared on the same clusters, with intervals and tests.",
}


@router.get("", responses=documented(Studies))
async def studies(request: Request, principal: Reader) -> Response:
    """List the studies that can be run."""
    return whole({"studies": [{"name": name, "about": about} for name, about in _ABOUT.items()]})


@router.post(
    "/lengths",
    responses=documented(StudyResult, body=True),
    openapi_extra=takes(LengthsRequest),
)
async def lengths(request: Request, principal: Reader) -> Response:
    """Force an oracle to fill each length and score its summaries there."""
    body = await read_body(request, LengthsRequest)
    return await _run(request, principal, work.lengths, body, [body.oracle])


@router.post(
    "/curve",
    responses=documented(StudyResult, body=True),
    openapi_extra=takes(CurveRequest),
)
async def curve(request: Request, principal: Reader) -> Response:
    """Score methods on clusters with more and more articles."""
    body = await read_body(request, CurveRequest)
    return await _run(request, principal, work.curve, body, body.methods)


@router.post(
    "/table5",
    responses=documented(StudyResult, body=True),
    openapi_extra=takes(Table5Request),
)
async def table5(request: Request, principal: Reader) -> Response:
    """Compare methods on the same clusters."""
    body = await read_body(request, Table5Request)
    against = [body.against] if body.against else []
    return await _run(request, principal, work.table5, body, [*body.methods, *against])


async def _run(
    request: Request,
    principal: Principal,
    study: Callable[..., dict[str, Any]],
    body: BaseModel,
    methods: list[str],
) -> Response:
    for method in methods:
        check_spec(SUMMARIZERS, method)
    settings = {name: getattr(body, name) for name in type(body).model_fields}

    async def done() -> Response:
        return whole(await desk_of(request).workers.run(study, **settings))

    return await once(request, principal, done)
