"""Render templates: everything is escaped, and a missing name is an error instead of nothing."""

from __future__ import annotations

import base64
import binascii
import functools
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request

from newsdesk import __version__, packaged
from newsdesk.service.access.principals import Principal
from newsdesk.service.errors import Problem
from newsdesk.wording import plural

_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(packaged.path("service", "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
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
    """A page of a template; `principal` is who is signed in."""
    text = (
        _environment().get_template(template).render(request=request, principal=principal, **values)
    )
    return HTMLResponse(text, status, headers)


def error_page(
    request: Request, status: int, message: str, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    """An HTML page that shows an error."""
    return page(request, "error.html", status=status, headers=headers, message=message, code=status)


def see(path: str) -> RedirectResponse:
    """Redirect to a page after a form was sent, so that reloading does not send it again."""
    return RedirectResponse(path, 303)


def slug(name: str) -> str:
    """A campaign's name as part of a path: as it is where it is plain, else encoded; `name_of` decodes it.

    >>> slug("pilot-2"), name_of(slug("a/b ü"))
    ('pilot-2', 'a/b ü')
    """
    if _PLAIN.fullmatch(name):
        return name
    return "~" + quote(base64.urlsafe_b64encode(name.encode()).decode().rstrip("="))


def name_of(text: str) -> str:
    """The name behind a `slug`."""
    if not text.startswith("~"):
        return text
    try:
        padded = text[1:] + "=" * (-len(text[1:]) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError) as error:
        raise Problem(404, "not-found", "there is no such campaign") from error
