"""`/api/v1/rank` and `/api/v1/explain`: comments of threads, best first, and what their scores are made of."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from starlette.requests import Request

from newsdesk.service.access.principals import Principal, require
from newsdesk.service.api import work
from newsdesk.service.api.answers import documented, listed
from newsdesk.service.api.bodies import read_body
from newsdesk.service.api.documents import takes
from newsdesk.service.api.once import once
from newsdesk.service.api.places import ranker_place
from newsdesk.service.api.shapes.rankings import (
    ExplainRequest,
    Explanations,
    Rankings,
    RankRequest,
)
from newsdesk.service.desk import desk_of

router = APIRouter(prefix="/api/v1", tags=["comments"])

Reader = Annotated[Principal, Depends(require("read"))]


@router.post(
    "/rank",
    responses=documented(Rankings, body=True, lines=True),
    openapi_extra=takes(RankRequest),
)
async def rank(request: Request, principal: Reader) -> Response:
    """Rank the comments of threads by a ready model or one of the data folder, with probabilities and on request reasons."""
    body = await read_body(request, RankRequest)
    desk = desk_of(request)
    place = ranker_place(desk.folder, body.model)

    async def ranked() -> Response:
        rows = await desk.workers.run(
            work.rank,
            place,
            body.threads,
            top=body.top,
            diversity=body.diversity,
            half_life_h=body.half_life_h,
            reasons=body.reasons,
        )
        return listed(request, {"comments": rows})

    return await once(request, principal, ranked)


@router.post(
    "/explain",
    responses=documented(Explanations, body=True, lines=True),
    openapi_extra=takes(ExplainRequest),
)
async def explain(request: Request, principal: Reader) -> Response:
    """Explain in words what each comment's score is made of; only models that give reasons can."""
    body = await read_body(request, ExplainRequest)
    desk = desk_of(request)
    place = ranker_place(desk.folder, body.model)

    async def explained() -> Response:
        rows = await desk.workers.run(work.explain, place, body.threads, body.most)
        return listed(request, {"explanations": rows})

    return await once(request, principal, explained)
