"""`POST /api/v1/coral`: an external moderation phase of Coral, which features comments and never holds one back.

Coral signs the bytes of the body with the secret of the phase (`X-Coral-Signature: sha256=HEX`, after a rotation of the secret one signature for each,
separated by commas). It signs no time, so that an old request cannot be told from a new one: the same body is answered once a minute, and nothing is stored.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.service.api import work
from newsdesk.service.api.answers import documented, read_body, takes, whole
from newsdesk.service.api.platform_shapes import CoralAnswer, CoralRequest
from newsdesk.service.api.work import MOST_COMMENT_BYTES, ranker_source, scores_language
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.principals import Principal, limit_rate, note_caller
from newsdesk.text import language

router = APIRouter(prefix="/api/v1", tags=["comments"])

HEADER = "X-Coral-Signature"
_MOST_SIGNATURES = 16  # of one request; Coral sends one per active secret
_CORAL = Principal("key", "coral", "Coral", frozenset())


def is_signed(body: bytes, header: str, secrets: Sequence[str]) -> bool:
    """Return True if the header holds the signature of the body under one of the secrets.

    >>> is_signed(b"{}", "sha256=" + hmac.new(b"key", b"{}", "sha256").hexdigest(), ["old", "key"])
    True
    """
    sent = [part.strip().encode() for part in header.split(",")[:_MOST_SIGNATURES]]
    expected = [
        b"sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest().encode()
        for secret in secrets
    ]
    # All pairs, each in constant time: how long it takes does not depend on which one matches.
    return sum(hmac.compare_digest(one, other) for one in sent for other in expected) > 0


async def require_signature(request: Request) -> Principal:
    """Return Coral as the principal of a signed request; others are refused."""
    desk = desk_of(request)
    body = await request.body()
    secrets = await run_in_threadpool(desk.folder.coral_secrets)
    if not is_signed(body, request.headers.get(HEADER, ""), secrets):
        limit_rate(request, desk, None)
        raise Problem(
            401, "signature", f"the request has no valid {HEADER}; it needs a secret of this server"
        )
    note_caller(request, _CORAL)
    limit_rate(request, desk, _CORAL)
    return _CORAL


@router.post(
    "/coral",
    responses={
        **documented(CoralAnswer, body=True),
        204: {"description": "Nothing is added to the comment."},
    },
    openapi_extra=takes(CoralRequest, once=False),
)
async def moderate(
    request: Request,
    principal: Annotated[Principal, Depends(require_signature)],
    feature: Annotated[float, Query(gt=0, le=1)] = 0.8,
    model: Annotated[str, Query(min_length=1, max_length=200)] = "ready",
    lang: Annotated[str | None, Query(min_length=2, max_length=35)] = None,
) -> Response:
    """Tag a new comment of Coral FEATURED if its probability reaches a threshold, else answer 204."""
    desk = desk_of(request)
    digest = hashlib.sha256(await request.body()).hexdigest()
    if desk.rates.wait_s(f"coral {digest}", 1):
        raise Problem(409, "replayed", "this request was answered within the last minute")
    text = (await read_body(request, CoralRequest)).comment.body.strip()
    if len(text.encode("utf-8")) > MOST_COMMENT_BYTES:
        raise Problem(413, "too-large", f"the comment is larger than {MOST_COMMENT_BYTES:,} bytes")
    source = ranker_source(desk.folder, model)
    lang = (lang or language(text)).partition("-")[0].lower()
    if not text or not scores_language(model, lang):
        return Response(status_code=204)
    [probability] = await desk.workers.run(work.probabilities, source, [text], lang)
    return whole({"tags": ["FEATURED"]}) if probability >= feature else Response(status_code=204)
