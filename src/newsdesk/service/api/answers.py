"""Read the JSON bodies of requests, answer them, each `Idempotency-Key` once, and document both.

An answer is one JSON object, or with `Accept: application/x-ndjson` (or `application/jsonl`) a row a line. A request that is sent again under its key
gets the same answer, another request under that key is refused. What depends on the body alone is computed again; what changes something is done once,
and its answer is kept for a day.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import re
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import Any, TypeVar

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ValidationError
from pydantic.json_schema import models_json_schema
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.requests import Request

from newsdesk.errors import DataError
from newsdesk.jsonl import json_line, json_text
from newsdesk.records.schema import parse_json
from newsdesk.service.api.campaign_shapes import (
    AnalyzeRequest,
    AttributeRequest,
    CampaignRequest,
    JudgmentsRequest,
)
from newsdesk.service.api.platform_shapes import ChallengeRequest, CoralRequest
from newsdesk.service.api.shapes import (
    CurveRequest,
    Error,
    ExplainRequest,
    LengthsRequest,
    RankRequest,
    ScoreRequest,
    SuggestRequest,
    SummarizeRequest,
    Table5Request,
)
from newsdesk.service.database import KeptAnswer
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.principals import Principal
from newsdesk.types import Cluster, References, Thread

_ROWS_AT_ONCE = 100  # that a stream reads and sends
_REFERENCE = "#/components/schemas/{model}"
_BODIES: tuple[type[BaseModel], ...] = (
    AnalyzeRequest, AttributeRequest, CampaignRequest, ChallengeRequest, CoralRequest, CurveRequest, ExplainRequest,
    JudgmentsRequest, LengthsRequest, RankRequest, ScoreRequest, SuggestRequest, SummarizeRequest, Table5Request,
)  # fmt: skip
_RECORDS = (
    "Article", "Cluster", "ClusterArticle", "Comment", "ControlQuestion", "Judgment", "Output", "References",
    "Thread",
)  # fmt: skip
_SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "key"},
    "coral": {"type": "apiKey", "in": "header", "name": "X-Coral-Signature"},
}
# How a caller of these paths may say who it is; of any other, by the first two schemes.
_SECURED = {
    "/v1alpha1/": ("query", "bearer", "header"),
    "/api/v1/ranking-challenge/": ("query", "bearer", "header"),
    "/api/v1/coral": ("coral",),
}
_IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Any text of up to 200 visible ASCII characters. The same request under the same key is done once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
}


def takes(shape: type[BaseModel], *, once: bool = True) -> dict[str, Any]:
    """Return the `openapi_extra` of a route that reads JSON of this shape; `once`: with a key."""
    content = {"application/json": {"schema": {"$ref": _REFERENCE.format(model=shape.__name__)}}}
    body = {"requestBody": {"required": True, "content": content}}
    return {**body, "parameters": [_IDEMPOTENCY]} if once else body


def takes_nothing() -> dict[str, Any]:
    """Return the `openapi_extra` of a post without a body, with an `Idempotency-Key`."""
    return {"parameters": [_IDEMPOTENCY]}


def takes_bytes(*kinds: str) -> dict[str, Any]:
    """Return the `openapi_extra` of a route whose body is a file of one of these media types."""
    file = {"schema": {"type": "string", "format": "binary"}}
    body = {"required": True, "content": dict.fromkeys(kinds, file)}
    return {"requestBody": body, "parameters": [_IDEMPOTENCY]}


def document(app: FastAPI) -> dict[str, Any]:
    """Build the OpenAPI document once and keep it in the app."""
    if app.openapi_schema is not None:
        return app.openapi_schema
    built = get_openapi(
        title=app.title, version=app.version, summary=app.summary, routes=app.routes
    )
    components = built.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    _, definitions = models_json_schema(
        [(shape, "validation") for shape in _BODIES], ref_template=_REFERENCE
    )
    schemas.update(definitions.get("$defs", {}))
    # Records refuse unknown keys, which their dataclasses cannot say; a reference may be a plain text.
    for name in _RECORDS:
        if name in schemas:
            schemas[name]["additionalProperties"] = False
    if "References" in schemas:
        items = schemas["References"]["properties"]["references"]
        items["items"] = {"anyOf": [{"type": "string"}, items["items"]]}
    components["securitySchemes"] = _SECURITY
    built["security"] = [{"bearer": []}, {"header": []}]
    for path, operations in built["paths"].items():
        schemes = next((of for start, of in _SECURED.items() if path.startswith(start)), ())
        for operation in operations.values() if schemes else ():
            operation["security"] = [{scheme: []} for scheme in schemes]
    app.openapi_schema = built
    return built


S = TypeVar("S", bound=BaseModel)


async def read_body(request: Request, shape: type[S]) -> S:
    """Return the body of a request as a shape; what does not fit is refused with its place."""
    check_media_type(request)
    raw = await request.body()
    most = desk_of(request).settings.max_items
    return await run_in_threadpool(decode, raw, shape, most)


def check_media_type(request: Request) -> None:
    """Refuse a body that does not say it is JSON: forms of other sites can send any other type."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise Problem(415, "media-type", "send JSON with the header Content-Type: application/json")


def decode(raw: bytes, shape: type[S], most: int) -> S:
    """Parse strict JSON into a shape whose lists hold at most so many items."""
    try:
        value = parse_json(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise invalid("the body is not UTF-8") from error
    except DataError as error:
        raise invalid(error.reason) from error
    if not isinstance(value, dict):
        raise invalid("the body is not a JSON object")
    try:
        body = shape.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        located = [{**fault, "loc": ("body", *fault["loc"])} for fault in faults]
        raise RequestValidationError(located) from error
    check_length(body, most)
    return body


def invalid(reason: str, *at: str | int) -> RequestValidationError:
    """Return the error of a body that does not fit."""
    return RequestValidationError([{"type": "record", "loc": ("body", *at), "msg": reason}])


def check_length(body: BaseModel, most: int) -> None:
    """Refuse lists of more than `most` items; those inside threads, clusters and references count."""
    for name in type(body).model_fields:
        value = getattr(body, name)
        if isinstance(value, list) and (count := _count(value)) > most:
            raise Problem(
                413, "too-large", f"`{name}` holds {count:,} items; send at most {most:,} at once"
            )


def _count(values: Iterable[Any]) -> int:
    return sum(_size(value) for value in values)


def _size(value: Any) -> int:
    """Return how many items a value counts as: those inside a thread, a cluster or references."""
    match value:
        case Thread():
            return max(1, len(value.comments))
        case Cluster():
            return max(1, len(value.articles))
        case References():
            return max(1, len(value.references))
        case _:
            return 1


LINES = ("application/x-ndjson", "application/jsonl")
JSON = "application/json"

_ERRORS = {
    400: "The request means nothing here, such as an unknown metric.",
    401: "No key, or one that is not valid.",
    403: "The key lacks the scope.",
    404: "There is no such thing, or it is not for this key.",
    409: "The `Idempotency-Key` was sent with another request, or the name is taken.",
    413: "The body or a list is too large.",
    415: "The body is not JSON.",
    422: "The body does not fit the shape; `detail` lists where and why.",
    429: "Too many requests; `Retry-After` says when to try again.",
    503: "The work took too long, or the server cannot do it now.",
}
_ALWAYS = (401, 403, 429, 503)
_OF_BODIES = (400, 409, 413, 415, 422)


def documented(
    shape: type[BaseModel] | None,
    *more: int,
    body: bool = False,
    lines: bool = False,
    status: int = 200,
    content: Mapping[str, Any] | None = None,
) -> dict[int | str, dict[str, Any]]:
    """Return the answers of a route for the OpenAPI document: its shape, and its errors.

    `more` are statuses beside those of every route and, with `body`, of routes that read one.
    """
    success: dict[str, Any] = {} if shape is None else {"model": shape}
    if lines:
        text = {"schema": {"type": "string", "description": "One row a line."}}
        success["content"] = dict.fromkeys(LINES, text)
    if content is not None:
        success["content"] = dict(content)
    success["description"] = "The answer."
    codes = sorted({*_ALWAYS, *(_OF_BODIES if body else ()), *more})
    return {
        status: success,
        **{code: {"model": Error, "description": _ERRORS[code]} for code in codes},
    }


def lines_type(request: Request) -> str | None:
    """Return the media type of JSON lines that a request accepts; None if it wants one JSON object."""
    kinds = [
        part.partition(";")[0].strip().lower()
        for part in request.headers.get("accept", "").split(",")
    ]
    return next((kind for kind in kinds if kind in LINES), None)


def listed(request: Request, lists: Mapping[str, Sequence[bytes]], **more: Any) -> Response:
    """Return encoded rows by the name of their list, as an object with `more` keys or a row a line."""
    if kind := lines_type(request):
        body = b"".join(row + b"\n" for rows in lists.values() for row in rows)
        return Response(body, media_type=kind)
    parts = [_key(name) + b"[" + b",".join(rows) + b"]" for name, rows in lists.items()]
    parts += [_key(name) + json_text(value).encode() for name, value in more.items()]
    return Response(b"{" + b",".join(parts) + b"}", media_type=JSON)


async def read_in_turn(request: Request, rows: Iterator[bytes]) -> AsyncIterator[list[bytes]]:
    """Yield rows that are read from the store while they are sent, some at a time.

    Each reader holds a connection to the store for as long as its client takes: one person has few of them at once.
    """
    desk = desk_of(request)
    async with desk.streams.turn(desk.settings.work_timeout_s):
        try:
            batches = iter(lambda: list(itertools.islice(rows, _ROWS_AT_ONCE)), [])
            async for batch in iterate_in_threadpool(batches):
                yield batch
        finally:
            with contextlib.suppress(ValueError):  # a thread still reads: it ends with its batch
                rows.close()  # type: ignore[attr-defined]


def streamed(request: Request, name: str, batches: AsyncIterator[list[bytes]]) -> Response:
    """Send encoded rows as they come, as one object or a row a line."""
    kind = lines_type(request)
    stream = _by_line(batches) if kind else _by_list(name, batches)
    return StreamingResponse(stream, media_type=kind or JSON)


def whole(value: Any, status: int = 200) -> Response:
    """Return a response with one JSON value as its body."""
    return Response(json_line(value), status, media_type=JSON)


async def _by_line(batches: AsyncIterator[list[bytes]]) -> AsyncIterator[bytes]:
    async for batch in batches:
        yield b"".join(row + b"\n" for row in batch)


async def _by_list(name: str, batches: AsyncIterator[list[bytes]]) -> AsyncIterator[bytes]:
    """Yield rows as they come, as one JSON object with a list of this name."""
    yield b"{" + _key(name) + b"["
    comma = b""
    async for batch in batches:
        yield comma + b",".join(batch)
        comma = b","
    yield b"]}"


def _key(name: str) -> bytes:
    return json_text(name).encode() + b":"


HEADER = "idempotency-key"
REPLAYED = "idempotency-replayed"

_KEY = re.compile(r"[!-~]{1,200}")


async def once(
    request: Request,
    principal: Principal,
    work: Callable[[], Awaitable[Response]],
    *,
    keeps: bool = False,
) -> Response:
    """Answer a post; with `keeps` it changes something, is done once per key, and its answer is kept."""
    key = request.headers.get(HEADER)
    if key is None:
        return await work()
    if not _KEY.fullmatch(key):
        raise Problem(
            400, "idempotency", "an Idempotency-Key has 1 to 200 visible ASCII characters"
        )
    requests = desk_of(request).requests
    digest = await _digest(request)
    earlier = await run_in_threadpool(requests.begin, principal.id, key, digest, keeps=keeps)
    if earlier is not None:
        return Response(
            earlier.body, earlier.status, {REPLAYED: "true"}, media_type=earlier.media_type
        )
    try:
        response = await work()
    except BaseException:
        await run_in_threadpool(requests.forget, principal.id, key)
        raise
    if keeps:
        media_type = response.headers.get("content-type", "")
        answer = KeptAnswer(response.status_code, media_type, bytes(response.body))
        await run_in_threadpool(requests.keep, principal.id, key, answer)
    return response


async def _digest(request: Request) -> str:
    """Return what makes a request the same: method, address, kind of answer and body."""
    head = (request.method, request.url.path, request.url.query, lines_type(request) or "")
    digest = hashlib.sha256("\0".join(head).encode())
    digest.update(b"\0" + await request.body())
    return digest.hexdigest()
