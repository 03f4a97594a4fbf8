"""Compute in worker processes: `/api/v1/score`, `rank`, `explain`, `summarize`, `suggest`, and studies of summarizers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.requests import Request

from newsdesk.languages import check_language
from newsdesk.registry import METRICS, SUMMARIZERS
from newsdesk.service.api import work
from newsdesk.service.api.answers import documented, listed, once, read_body, streamed, takes, whole
from newsdesk.service.api.shapes import (
    CurveRequest,
    ExplainRequest,
    Explanations,
    LengthsRequest,
    Rankings,
    RankRequest,
    ScoreRequest,
    Scores,
    Studies,
    StudyResult,
    Suggestions,
    SuggestRequest,
    Summaries,
    SummarizeRequest,
    Table5Request,
)
from newsdesk.service.api.work import model_source, ranker_source
from newsdesk.service.desk import desk_of
from newsdesk.service.principals import Principal, Reader
from newsdesk.service.work import check_spec

router = APIRouter(prefix="/api/v1")

_STUDIES = {
    "lengths": "The best length of a summary: an oracle forced to fill each length.",
    "curve": "Scores against the number of articles added to each cluster.",
    "table5": "Methods compared on the same clusters, with intervals and tests.",
}


def _post(
    path: str, body: type[BaseModel], answer: type[BaseModel], *tags: str
) -> Callable[[Any], Any]:
    """Declare a post that takes one shape and answers with another: rows, unless it is a study."""
    lines = answer is not StudyResult
    responses = documented(answer, body=True, lines=lines)
    return router.post(path, tags=[*tags], responses=responses, openapi_extra=takes(body))


async def _rows(
    request: Request,
    principal: Principal,
    name: str,
    function: Callable[..., list[bytes]],
    *arguments: Any,
    keeps: bool = False,
    **settings: Any,
) -> Response:
    """Answer with the rows that a function returns in a worker, as the list of this name.

    With `keeps` the answer to a request with an Idempotency-Key is stored, and sent again instead of computing a new one.
    """

    async def rows() -> Response:
        encoded = await desk_of(request).workers.run(function, *arguments, **settings)
        return listed(request, {name: encoded})

    return await once(request, principal, rows, keeps=keeps)


@_post("/score", ScoreRequest, Scores, "texts")
async def score(request: Request, principal: Reader) -> Response:
    """Score outputs of systems against references; JSON lines hold scores, then items, then comparisons."""
    body = await read_body(request, ScoreRequest)
    for spec in body.metrics:
        check_spec(METRICS, spec)
    if body.lang:
        check_language(body.lang)
    return await once(request, principal, lambda: _scored(request, body))


async def _scored(request: Request, body: ScoreRequest) -> Response:
    """Return scores, and items and comparisons where asked for."""
    workers = desk_of(request).workers
    inputs = (body.outputs, body.references, body.metrics)
    samples = body.samples if body.ci else None  # None: no intervals
    scores, items = await workers.run(
        work.score, *inputs, lang=body.lang, samples=samples, seed=body.seed, per_item=body.per_item
    )
    lists = {"scores": scores}
    if body.per_item:
        lists["items"] = items
    if body.test:
        lists["comparisons"] = await workers.run(
            work.compare,
            *inputs,
            lang=body.lang,
            test=body.test,
            correction=body.correction,
            samples=body.samples,
            seed=body.seed,
        )
    return listed(request, lists)


@_post("/rank", RankRequest, Rankings, "comments")
async def rank(request: Request, principal: Reader) -> Response:
    """Rank the comments of threads by a ready model or one of the data folder.

    Rows have probabilities, and on request reasons.
    """
    body = await read_body(request, RankRequest)
    model = ranker_source(desk_of(request).folder, body.model)
    settings = body.model_dump(
        include={"top", "diversity", "half_life_h", "reasons", "gate", "hold_back"}
    )
    return await _rows(request, principal, "comments", work.rank, model, body.threads, **settings)


@_post("/explain", ExplainRequest, Explanations, "comments")
async def explain(request: Request, principal: Reader) -> Response:
    """Explain in words what each comment's score is made of; only models that give reasons can."""
    body = await read_body(request, ExplainRequest)
    model = ranker_source(desk_of(request).folder, body.model)
    arguments = (work.explain, model, body.threads, body.most)
    return await _rows(request, principal, "explanations", *arguments)


@_post("/summarize", SummarizeRequest, Summaries, "texts")
async def summarize(request: Request, principal: Reader) -> Response:
    """Summarize clusters by a method such as `centroid`; summaries are sent as they are made."""
    body = await read_body(request, SummarizeRequest)
    check_spec(SUMMARIZERS, body.method)
    return await once(request, principal, lambda: _summarized(request, body))


async def _summarized(request: Request, body: SummarizeRequest) -> Response:
    """Return summaries as they are made; the first one is made before the answer begins."""
    desk = desk_of(request)
    settings: dict[str, Any] = body.model_dump(
        include={"max_words", "unit", "order", "redundancy"}, exclude_none=True
    )
    if body.model is not None:
        settings["model"] = model_source(desk.folder, body.model).name
    arguments = (body.method, body.seed, settings)

    async def rows(first: bytes | None) -> AsyncIterator[list[bytes]]:
        if first is not None:
            yield [first]
        for cluster in body.clusters[1:]:
            yield [
                await desk.workers.run(
                    work.summarize, *arguments, cluster, clean=body.clean, trace=body.trace
                )
            ]

    # Before the answer begins, the method is built and used once: what is wrong with it is said with a status.
    first_cluster = body.clusters[0] if body.clusters else None
    first = await desk.workers.run(
        work.summarize, *arguments, first_cluster, clean=body.clean, trace=body.trace
    )
    return streamed(request, "summaries", rows(first or None))


@_post("/suggest", SuggestRequest, Suggestions, "texts", "comments")
async def suggest(request: Request, principal: Reader) -> Response:
    """Suggest comments for articles by a fitted commenter.

    Each is labelled as machine-suggested and sealed, and nothing is posted.
    """
    body = await read_body(request, SuggestRequest)
    desk = desk_of(request)
    arguments = (work.suggest, model_source(desk.folder, body.model), body.articles, body.n)
    key = str(desk.folder.root / "service")
    return await _rows(
        request, principal, "suggestions", *arguments, keeps=True, at=desk.now(), key_folder=key
    )


@router.get("/studies", tags=["studies"], responses=documented(Studies))
async def studies(request: Request, principal: Reader) -> Response:
    """List the studies that can be run."""
    return whole({"studies": [{"name": name, "about": about} for name, about in _STUDIES.items()]})


@_post("/studies/lengths", LengthsRequest, StudyResult, "studies")
async def lengths(request: Request, principal: Reader) -> Response:
    """Force an oracle to fill each length and score its summaries there."""
    body = await read_body(request, LengthsRequest)
    return await _study(request, principal, work.lengths, body, [body.oracle])


@_post("/studies/curve", CurveRequest, StudyResult, "studies")
async def curve(request: Request, principal: Reader) -> Response:
    """Score methods on clusters with more and more articles."""
    body = await read_body(request, CurveRequest)
    return await _study(request, principal, work.curve, body, body.methods)


@_post("/studies/table5", Table5Request, StudyResult, "studies")
async def table5(request: Request, principal: Reader) -> Response:
    """Compare methods on the same clusters."""
    body = await read_body(request, Table5Request)
    against = [body.against] if body.against else []
    return await _study(request, principal, work.table5, body, [*body.methods, *against])


async def _study(
    request: Request,
    principal: Principal,
    study: Callable[..., dict[str, Any]],
    body: BaseModel,
    methods: list[str],
) -> Response:
    """Run a study in a worker, with the fields of the body as its settings.

    The methods it names are checked first.
    """
    for method in methods:
        check_spec(SUMMARIZERS, method)
    settings = {name: getattr(body, name) for name in type(body).model_fields}

    async def done() -> Response:
        return whole(await desk_of(request).workers.run(study, **settings))

    return await once(request, principal, done)
