"""`/api/v1/summarize`: summaries of clusters, sent as they are made; and `/api/v1/suggest`: comments suggested for articles."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from starlette.requests import Request

from newsdesk.registry import SUMMARIZERS
from newsdesk.service.access.principals import Principal, require
from newsdesk.service.api import work
from newsdesk.service.api.answers import documented, listed, streamed
from newsdesk.service.api.bodies import read_body
from newsdesk.service.api.documents import takes
from newsdesk.service.api.once import once
from newsdesk.service.api.places import check_spec, model_place
from newsdesk.service.api.shapes.suggestions import Suggestions, SuggestRequest
from newsdesk.service.api.shapes.summaries import Summaries, SummarizeRequest
from newsdesk.service.desk import desk_of

router = APIRouter(prefix="/api/v1", tags=["texts"])

Reader = Annotated[Principal, Depends(require("read"))]


@router.post(
    "/summarize",
    responses=documented(Summaries, body=True, lines=True),
    openapi_extra=takes(SummarizeRequest),
)
async def summarize(request: Request, principal: Reader) -> Response:
    """Summarize clusters by a method such as `centroid`; summaries are sent as they are made."""
    body = await read_body(request, SummarizeRequest)
    check_spec(SUMMARIZERS, body.method)
    return await once(request, principal, lambda: _summarized(request, body))


async def _summarized(request: Request, body: SummarizeRequest) -> Response:
    desk = desk_of(request)
    settings: dict[str, Any] = body.model_dump(
        include={"max_words", "unit", "order", "redundancy"}, exclude_none=True
    )
    if body.model is not None:
        settings["model"] = model_place(desk.folder, body.model).name
    arguments = (body.method, body.seed, settings)

    async def rows(first: bytes | None) -> AsyncIterator[bytes]:
        if first is not None:
            yield first
        for cluster in body.clusters[1:]:
            yield await desk.workers.run(
                work.summarize, *arguments, cluster, clean=body.clean, trace=body.trace
            )

    # Before the answer begins, the method is built and used once: what is wrong with it is said with a status.
    begun = body.clusters[0] if body.clusters else None
    first = await desk.workers.run(
        work.summarize, *arguments, begun, clean=body.clean, trace=body.trace
    )
    return streamed(request, "summaries", rows(first or None))


@router.post(
    "/suggest",
    responses=documented(Suggestions, body=True, lines=True),
    openapi_extra=takes(SuggestRequest),
    tags=["comments"],
)
async def suggest(request: Request, principal: Reader) -> Response:
    """Suggest comments for articles by a fitted commenter; each is labelled as machine-suggested and sealed, and nothing is posted."""
    body = await read_body(request, SuggestRequest)
    desk = desk_of(request)
    place = model_place(desk.folder, body.model)
    key = str(desk.folder.root / "service")

    async def suggested() -> Response:
        rows = await desk.workers.run(
            work.suggest, place, body.articles, body.n, at=desk.now(), key_folder=key
        )
        return listed(request, {"suggestions": rows})

    return await once(request, principal, suggested, keeps=True)
