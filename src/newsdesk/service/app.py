"""The web app as a factory: routers from one table, limits, errors, and what is opened at the start and closed at the end."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
from collections.abc import AsyncIterator, Callable
from datetime import datetime

from fastapi import FastAPI

from newsdesk import __version__
from newsdesk.service import errors, logs
from newsdesk.service.api.documents import document
from newsdesk.service.desk import Desk
from newsdesk.service.limits import Limits
from newsdesk.service.settings import VARIABLE, Settings

# Modules whose `router` is mounted, in order. Every route but those of a stranger depends on `require` (a test walks them).
ROUTERS = (
    "newsdesk.service.operation",
    "newsdesk.service.pages.sign_in",
    "newsdesk.service.pages.home",
    "newsdesk.service.pages.annotate",
    "newsdesk.service.pages.campaigns",
    "newsdesk.service.pages.campaign_files",
    "newsdesk.service.pages.keys",
    "newsdesk.service.api.score",
    "newsdesk.service.api.rank",
    "newsdesk.service.api.summarize",
    "newsdesk.service.api.campaigns",
    "newsdesk.service.api.judgments",
    "newsdesk.service.api.studies",
    "newsdesk.service.api.registered",
    "newsdesk.service.api.perspective",
)


def create_app(settings: Settings, *, clock: Callable[[], datetime] | None = None) -> FastAPI:
    """The web app over a data folder; `app.state.desk` is there from its start to its end."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.desk = Desk.open(settings, clock=clock)
        try:
            yield
        finally:
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
    errors.install(app)
    app.add_middleware(Limits, settings=settings)
    for module in ROUTERS:
        app.include_router(importlib.import_module(module).router)
    app.openapi = functools.partial(document, app)  # type: ignore[method-assign]
    return app


def app_from_environment() -> FastAPI:
    """The web app with the settings of the environment: what each worker process of the server calls."""
    logs.install()
    return create_app(Settings.from_json(os.environ[VARIABLE]))
