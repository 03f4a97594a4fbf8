"""Answer requests, and each `Idempotency-Key` once.

An answer is one JSON object, or with `Accept: application/x-ndjson` (or `application/jsonl`) a row a line. A request that is sent again under its key
gets the same answer, another request under that key is refused. What depends on the body alone is computed again; what changes something is done once,
and its answer is kept for a day.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.jsonl import json_line, json_text
from newsdesk.service.api.shapes import Error
from newsdesk.service.database import KeptAnswer
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.principals import Principal

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
    """Return the answers of a route for the OpenAPI document.

    They are its shape, and the errors of every route, of bodies, and `more`.
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
    """Return encoded rows by the name of their list, as one object or a row a line.

    `more` are further keys of the object.
    """
    if kind := lines_type(request):
        body = b"".join(row + b"\n" for rows in lists.values() for row in rows)
        return Response(body, media_type=kind)
    parts = [_key(name) + b"[" + b",".join(rows) + b"]" for name, rows in lists.items()]
    parts += [_key(name) + json_text(value).encode() for name, value in more.items()]
    return Response(b"{" + b",".join(parts) + b"}", media_type=JSON)


def streamed(request: Request, name: str, rows: AsyncIterator[bytes]) -> Response:
    """Send encoded rows as they come, as one object or a row a line."""
    kind = lines_type(request)
    stream = _by_line(rows) if kind else _by_list(name, rows)
    return StreamingResponse(stream, media_type=kind or JSON)


def whole(value: Any, status: int = 200) -> Response:
    """Return a response with one JSON value as its body."""
    return Response(json_line(value), status, media_type=JSON)


async def _by_line(rows: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async for row in rows:
        yield row + b"\n"


async def _by_list(name: str, rows: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield b"{" + _key(name) + b"["
    comma = b""
    async for row in rows:
        yield comma + row
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
