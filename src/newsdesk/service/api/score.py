"""`/api/v1/score`: outputs of systems against references, as `newsdesk score --json` prints it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from starlette.requests import Request

from newsdesk.languages import check_language
from newsdesk.registry import METRICS
from newsdesk.service.access.principals import Principal, require
from newsdesk.service.api import work
from newsdesk.service.api.answers import documented, listed
from newsdesk.service.api.bodies import read_body
from newsdesk.service.api.documents import takes
from newsdesk.service.api.once import once
from newsdesk.service.api.places import check_spec
from newsdesk.service.api.shapes.scores import ScoreRequest, Scores
from newsdesk.service.desk import desk_of

router = APIRouter(prefix="/api/v1", tags=["texts"])


@router.post(
    "/score",
    responses=documented(Scores, body=True, lines=True),
    openapi_extra=takes(ScoreRequest),
)
async def score(
    request: Request, principal: Annotated[Principal, Depends(require("read"))]
) -> Response:
    """Score outputs of systems against references; JSON lines hold scores, then items, then comparisons."""
    body = await read_body(request, ScoreRequest)
    for spec in body.metrics:
        check_spec(METRICS, spec)
    if body.lang:
        check_language(body.lang)
    return await once(request, principal, lambda: _scored(request, body))


async def _scored(request: Request, body: ScoreRequest) -> Response:
    workers = desk_of(request).workers
    scores, items = await workers.run(
        work.score,
        body.outputs,
        body.references,
        body.metrics,
        lang=body.lang,
        samples=body.samples if body.ci else None,
        seed=body.seed,
        per_item=body.per_item,
    )
    lists = {"scores": scores}
    if body.per_item:
        lists["items"] = items
    if body.test:
        lists["comparisons"] = await workers.run(
            work.compare,
            body.outputs,
            body.references,
            body.metrics,
            lang=body.lang,
            test=body.test,
            correction=body.correction,
            samples=body.samples,
            seed=body.seed,
        )
    return listed(request, lists)
