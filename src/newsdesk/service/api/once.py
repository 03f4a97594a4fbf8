"""Idempotent posts: `Idempotency-Key` names a request. The same request again gets the same answer; another request under the same key is refused.

What a request computes depends on nothing but its body, so it is computed again; what a request changes is done once, and its answer is kept for a day.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable

from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.service.access.principals import Principal
from newsdesk.service.api.answers import lines_type
from newsdesk.service.api.requests import Kept
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem

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
        answer = Kept(response.status_code, media_type, bytes(response.body))
        await run_in_threadpool(requests.keep, principal.id, key, answer)
    return response


async def _digest(request: Request) -> str:
    """What makes a request the same: method, address, kind of answer and body."""
    head = (request.method, request.url.path, request.url.query, lines_type(request) or "")
    digest = hashlib.sha256("\0".join(head).encode())
    digest.update(b"\0" + await request.body())
    return digest.hexdigest()
