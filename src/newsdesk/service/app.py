"""Make the web app (routers from one table, limits, errors, its own routes from health to static files) and run it with uvicorn."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime
from typing import Annotated, Any

import uvicorn
from fastapi import APIRouter, Depends, FastAPI
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request

from newsdesk import __version__, packaged
from newsdesk.errors import ArgumentError
from newsdesk.results.page import style_sheet
from newsdesk.service import errors, monitoring
from newsdesk.service.api.answers import document
from newsdesk.service.connections import ConnectionBounds, GuardedConnection, backlog
from newsdesk.service.desk import Desk, desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.limits import Limits, install_logs
from newsdesk.service.pages import error_page
from newsdesk.service.principals import Principal, Reader, require
from newsdesk.service.root_path import RootPath
from newsdesk.service.settings import VARIABLE, ServiceSettings

router = APIRouter(include_in_schema=False)

_STOP_S = 30  # how long running requests may take to finish after a stop
_SWITCH_S = 0.0005  # for which a thread may hold up all others
_STATIC = re.compile(r"[a-z-]+\.(css|js|svg)")
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@router.get("/health")
async def health() -> dict[str, str]:
    """Answer as long as the process runs (liveness check), also when all threads are busy."""
    return {"status": "ok"}


@router.get("/ready")
def ready(request: Request) -> Response:
    """Answer if the store can be read (readiness check)."""
    desk_of(request).store.campaigns()
    return JSONResponse({"status": "ready"})


@router.get("/metrics")
def metrics(
    request: Request, principal: Annotated[Principal, Depends(require("metrics"))]
) -> Response:
    """Return the numbers of this process in Prometheus' text form."""
    desk = desk_of(request)
    text = monitoring.exposition(desk.jobs.count, len(desk.store.campaigns()))
    return Response(text, media_type=CONTENT_TYPE_LATEST)


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Return a style sheet or script of the package."""
    fitting = _STATIC.fullmatch(name)
    path = packaged.path("service", "static", name)
    if fitting is None or not path.is_file():
        raise Problem(404, "not-found", "there is no such file")
    headers = {"cache-control": "public, max-age=3600"}
    shared = style_sheet().encode() if fitting[1] == "css" else b""
    return Response(shared + path.read_bytes(), media_type=_TYPES[fitting[1]], headers=headers)


@router.get("/openapi.json")
def openapi(request: Request, principal: Reader) -> dict[str, Any]:
    """Return the OpenAPI document of the API."""
    document: dict[str, Any] = request.app.openapi()
    root = desk_of(request).settings.root_path
    return {**document, "servers": [{"url": root}]} if root else document


# Modules whose `router` is mounted, in order. Every route but those of a stranger depends on `require` (a test walks them).
ROUTERS = (
    "newsdesk.service.app",
    "newsdesk.service.pages.home",
    "newsdesk.service.pages.front",
    "newsdesk.service.pages.annotate",
    "newsdesk.service.pages.planning",
    "newsdesk.service.pages.campaigns",
    "newsdesk.service.pages.items",
    "newsdesk.service.pages.files",
    "newsdesk.service.pages.comments",
    "newsdesk.service.pages.shared",
    "newsdesk.service.pages.votes",
    "newsdesk.service.pages.events",
    "newsdesk.service.pages.score",
    "newsdesk.service.pages.studies",
    "newsdesk.service.api.compute",
    "newsdesk.service.api.campaigns",
    "newsdesk.service.api.judgments",
    "newsdesk.service.api.perspective",
    "newsdesk.service.api.coral",
    "newsdesk.service.api.challenge",
)


def create_app(
    settings: ServiceSettings, *, clock: Callable[[], datetime] | None = None
) -> FastAPI:
    """Return the web app over a data folder; `app.state.desk` is there from its start to its end."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.desk = Desk.open(settings, clock=clock)
        try:
            yield
        finally:
            await app.state.desk.jobs.close()
            app.state.desk.close()

    app = FastAPI(
        title="newsdesk",
        version=__version__,
        summary="Scores, summaries, rankings, campaigns and judgments over HTTP.",
        lifespan=lifespan,
        openapi_url=None,  # served by `operation`, to those who may read
        docs_url=None,
        redoc_url=None,
    )
    errors.install(app, error_page)
    app.add_middleware(Limits, settings=settings)
    routers = [importlib.import_module(module).router for module in ROUTERS]
    for each in routers:
        app.include_router(each)
    if settings.root_path:
        _check_root_path(settings.root_path, routers)
        app.add_middleware(RootPath, root=settings.root_path)
    app.openapi = functools.partial(document, app)  # type: ignore[method-assign]
    return app


def _check_root_path(root: str, routers: Iterable[APIRouter]) -> None:
    """Refuse a root path that begins like a page: without its prefix a request for one is taken for the other."""
    first = root.split("/")[1]
    if any(route.path.split("/")[1] == first for each in routers for route in each.routes):  # type: ignore[attr-defined]
        raise ArgumentError(f"the root path {root!r} begins like the page /{first}; choose another")


def app_from_environment() -> FastAPI:
    """Return the web app with the settings of the environment, for a process of the server."""
    _set_up_process()
    return create_app(ServiceSettings.from_json(os.environ[VARIABLE]))


def run(
    settings: ServiceSettings,
    *,
    host: str,
    port: int,
    servers: int = 1,
) -> None:
    """Serve until a signal stops it, which finishes the requests that run.

    `servers` processes share one port.
    """
    _set_up_process()
    options = {**server_options(settings, host, port), "workers": servers}
    if servers == 1:
        uvicorn.run(create_app(settings), **options)
        return
    os.environ[VARIABLE] = settings.as_json()
    uvicorn.run("newsdesk.service.app:app_from_environment", factory=True, **options)


def _set_up_process() -> None:
    """Set up logs, and threads that take turns often: each statement of a page waits for one that computes."""
    install_logs()
    sys.setswitchinterval(_SWITCH_S)


def server_options(settings: ServiceSettings, host: str, port: int) -> dict[str, Any]:
    """Return the options of uvicorn; its environment variables change none of them."""
    return {
        "host": host,
        "port": port,
        "http": functools.partial(GuardedConnection, bounds=ConnectionBounds.of(settings)),
        "ws": "none",
        "backlog": backlog(),
        "proxy_headers": bool(settings.proxies),
        "forwarded_allow_ips": list(settings.proxies),
        "access_log": False,  # it would hold tokens; `limits` logs requests
        "log_config": None,
        "server_header": False,
        "timeout_graceful_shutdown": _STOP_S,
        "timeout_keep_alive": 15,
        "lifespan": "on",
    }
