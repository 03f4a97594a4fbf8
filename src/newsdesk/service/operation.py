"""Health, readiness, static files and the OpenAPI document."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from newsdesk import packaged
from newsdesk.service.access.principals import Principal, require
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem

router = APIRouter(include_in_schema=False)

_STATIC = re.compile(r"[a-z-]+\.(css|js|svg)")
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@router.get("/health")
def health() -> dict[str, str]:
    """Liveness check: answers as long as the process runs."""
    return {"status": "ok"}


@router.get("/ready")
def ready(request: Request) -> Response:
    """Readiness check: answers if the store can be read."""
    desk_of(request).store.campaigns()
    return JSONResponse({"status": "ready"})


@router.get("/static/{name}")
def static(name: str) -> Response:
    """A style sheet or script of the package."""
    fitting = _STATIC.fullmatch(name)
    path = packaged.path("service", "static", name)
    if fitting is None or not path.is_file():
        raise Problem(404, "not-found", "there is no such file")
    headers = {"cache-control": "public, max-age=3600"}
    return Response(path.read_bytes(), media_type=_TYPES[fitting[1]], headers=headers)


@router.get("/openapi.json")
def openapi(
    request: Request, principal: Annotated[Principal, Depends(require("read"))]
) -> dict[str, Any]:
    """The OpenAPI document of the API."""
    document: dict[str, Any] = request.app.openapi()
    return document
