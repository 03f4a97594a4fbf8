"""The pages for people, as HTML forms that also work without JavaScript: sign-in, annotation, campaigns; here is how they are rendered.

Everything in a template is escaped, and a missing name is an error instead of nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request

from newsdesk import __version__, packaged
from newsdesk.service.desk import slug
from newsdesk.service.jobs import DeskJob
from newsdesk.service.library import NewsFile
from newsdesk.service.principals import Principal
from newsdesk.service.root_path import rooted
from newsdesk.wording import plural


@functools.cache
def _environment() -> Environment:
    """Return the templates: everything is escaped, and a missing name is an error."""
    environment = Environment(
        loader=FileSystemLoader(packaged.path("service", "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["zip"] = zip
    environment.globals.update(version=__version__, slug=slug, plural=plural)
    return environment


def page(
    request: Request,
    template: str,
    principal: Principal | None = None,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> HTMLResponse:
    """Return a page of a template; `principal` is who is signed in."""
    text = (
        _environment().get_template(template).render(request=request, principal=principal, **values)
    )
    return HTMLResponse(rooted(request, text), status, headers)


def error_page(
    request: Request, status: int, message: str, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    """Return an HTML page that shows an error."""
    return page(request, "error.html", status=status, headers=headers, message=message, code=status)


def waiting(
    request: Request, principal: Principal, job: DeskJob, name: str, file: NewsFile | None = None
) -> HTMLResponse:
    """Return a page that shows how far a job is, and looks again by itself; or why it failed, of a file with a link to it."""
    status = 422 if job.state == "failed" else 200
    return page(request, "waiting.html", principal, status=status, name=name, job=job, file=file)


def see(path: str) -> RedirectResponse:
    """Redirect to a page after a form was sent, so that reloading does not send it again."""
    return RedirectResponse(path, 303)
