"""Compute over texts and comments: `/api/v1/score`, `rank`, `explain`, `summarize` and `suggest`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.requests import Request

from newsdesk.languages import check_language
from newsdesk.registry import METRICS, SUMMARIZERS
from newsdesk.service.api import work
from newsdesk.service.api.answers import documented, listed, once, streamed
from newsdesk.service.api.bodies import read_body, takes
from newsdesk.service.api.shapes import (
    ExplainRequest,
    Explanations,
    Rankings,
    RankRequest,
    ScoreRequest,
    Scores,
    Suggestions,
    SuggestRequest,
    Summaries,
    SummarizeRequest,
)
from newsdesk.service.api.work import check_spec, model_place, ranker_place
from newsdesk.service.desk import desk_of
from newsdesk.service.principals import Reader

router = APIRouter(prefix="/api/v1")


@router.post(
    "/score",
    tags=["texts"],
    responses=documented(Scores, body=True, lines=True),
    openapi_extra=takes(ScoreRequest),
)
async def score(request: Request, principal: Reader) -> Response:
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


@router.post(
    "/rank",
    tags=["comments"],
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
    tags=["comments"],
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


@router.post(
    "/summarize",
    tags=["texts"],
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
    tags=["texts", "comments"],
    responses=documented(Suggestions, body=True, lines=True),
    openapi_extra=takes(SuggestRequest),
)
async def suggest(request: Request, principal: Reader) -> Response:
    """Suggest comments for articles by a fitted commenter.

    Each is labelled as machine-suggested and sealed, and nothing is posted.
    """
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
