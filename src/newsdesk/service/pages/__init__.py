"""The pages for people, as HTML forms that also work without JavaScript: sign-in, annotation, campaigns; here is how they are rendered.

Everything in a template is escaped, and a missing name is an error instead of nothing.
"""

from __future__ import annotations

import datetime
import functools
import re
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
from newsdesk.service.ranking import without_options
from newsdesk.service.root_path import rooted
from newsdesk.wording import plural

_LINES = re.compile(r"\s*\n\s*")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


_OPTION = re.compile(
    r"--([a-z][a-z-]*)( [A-Z]{3,}| \w+=[A-Z]+)?"
)  # of a command, with what stands for its value


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
    environment.filters["paragraphs"] = lambda text: _LINES.sub("\n\n", text)
    environment.filters["day"] = day_in_words
    environment.filters["moment"] = moment_in_words
    environment.globals.update(version=__version__, slug=slug, plural=plural)
    return environment


def day_in_words(date: str) -> str:
    """Return a day as a newspaper writes it; a text that is no day stays as it is.

    >>> day_in_words("2031-03-07"), day_in_words("")
    ('Friday, 7 March 2031', '')
    """
    try:
        day = datetime.date.fromisoformat(date[:10])
    except ValueError:
        return date
    return f"{_DAYS[day.weekday()]}, {day.day} {_MONTHS[day.month - 1]} {day.year}"


def moment_in_words(moment: str) -> str:
    """Return a moment by day and minute; a text that is none stays as it is.

    >>> moment_in_words("2031-03-07T09:46:00Z"), moment_in_words("then")
    ('7 March 2031, 09:46', 'then')
    """
    day = day_in_words(moment)
    return moment if day == moment else f"{day.partition(', ')[2]}, {moment[11:16]}".rstrip(", ")


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


def form_words(message: str) -> str:
    """Return what is wrong in the words of a page: what only says how to mend a command goes, and other options are named.

    >>> form_words("no column with the text; name it with --map text=COLUMN")
    'no column with the text'
    >>> form_words("metrics need outputs: give --references FILE")
    'metrics need outputs: give “references”'
    """
    kept = without_options(message) or message
    return _OPTION.sub(lambda option: f"“{option[1].replace('-', ' ')}”", kept)


def error_page(
    request: Request, status: int, message: str, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    """Return an HTML page that shows an error, with the way on for whoever is signed in."""
    principal = getattr(request.state, "principal", None)
    return page(
        request,
        "error.html",
        principal,
        status=status,
        headers=headers,
        message=message,
        code=status,
    )


def waiting(
    request: Request, principal: Principal, job: DeskJob, name: str, file: NewsFile | None = None
) -> HTMLResponse:
    """Return a page that shows how far a job is, and looks again by itself; or why it failed, of a file with a link to it."""
    status = 422 if job.state == "failed" else 200
    return page(request, "waiting.html", principal, status=status, name=name, job=job, file=file)


def see(path: str) -> RedirectResponse:
    """Redirect to a page after a form was sent, so that reloading does not send it again."""
    return RedirectResponse(path, 303)
