"""Answer errors in one shape: `{"error": {"code", "message", "detail"?}}` for programs, a page with the same sentence for browsers."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Scope

from newsdesk.errors import FileError, MissingExtraError, NewsdeskError
from newsdesk.service.workers import WorkFailedError, WorkQueueError, WorkTimeoutError

GOOGLE = "/v1alpha1/"

_TYPE = "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


def google_body(
    status: int, message: str, details: Sequence[Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Return an error in the JSON shape of Google's APIs, which clients of comments:analyze expect."""
    body = {"code": status, "message": message, "status": _STATUS.get(status, "INVALID_ARGUMENT")}
    return {"error": body if details is None else {**body, "details": list(details)}}


def google_detail(kind: str, **fields: Any) -> dict[str, Any]:
    """Return the detail of an error of the comment analyzer, such as COMMENT_EMPTY."""
    return {"@type": _TYPE, "errorType": kind, **fields}


_log = logging.getLogger("newsdesk.service")

_PROGRAMS = ("/api/", "/v1alpha1/", "/openapi.json", "/health", "/ready")
_MOST_FAULTS = 20  # that an answer lists
_CODES = {400: "request", 404: "not-found", 405: "method", 413: "too-large", 503: "busy"}


class Problem(HTTPException):
    """An error of a request: status, a short code for programs, and a sentence for people."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        detail: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, message, headers)
        self.code = code
        self.more = detail


def error_body(code: str, message: str, detail: Any = None) -> dict[str, Any]:
    """Return the JSON body of an error: code, message and detail."""
    body = {"code": code, "message": message}
    return {"error": body if detail is None else {**body, "detail": detail}}


def install(app: FastAPI, page: Callable[..., Response]) -> None:
    """Answer every kind of error in the one shape; `page` renders one for browsers."""
    app.state.error_page = page
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(NewsdeskError, _our_error)
    app.add_exception_handler(WorkTimeoutError, _late)
    app.add_exception_handler(WorkQueueError, _queued)


def answer(
    request: Request,
    status: int,
    code: str,
    message: str,
    detail: Any = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the response of an error: JSON for programs, a page or the sign-in page for browsers."""
    if request.url.path.startswith(GOOGLE):
        return JSONResponse(google_body(status, message), status, headers)
    if not for_browser(request):
        return JSONResponse(error_body(code, message, detail), status, headers)
    if status == 401 and request.method in ("GET", "HEAD"):
        return RedirectResponse("/sign-in", 303)
    response: Response = request.app.state.error_page(request, status, message, headers)
    return response


def for_browser(request: Request) -> bool:
    """Return True if a request wants a page: it is not for the API, and HTML is accepted."""
    if request.url.path.startswith(_PROGRAMS):
        return False
    return "text/html" in request.headers.get("accept", "text/html")


async def _http_error(request: Request, error: Exception) -> Response:
    """Answer a `Problem` as it is, and other HTTP errors with a code by their status."""
    if isinstance(error, Problem):
        return answer(
            request, error.status_code, error.code, error.detail, error.more, error.headers
        )
    if not isinstance(error, HTTPException):
        raise error
    code = _CODES.get(error.status_code, "request")
    status = HTTPStatus(error.status_code)
    message = (
        error.detail if error.detail and error.detail != status.phrase else status.phrase.lower()
    )
    return answer(request, error.status_code, code, message, headers=error.headers)


async def _invalid(request: Request, error: Exception) -> Response:
    """Answer a body that does not fit: where and why, for the first faults, without its texts."""
    faults = error.errors() if isinstance(error, RequestValidationError) else []
    # Without `input` and `ctx`: an error must not send a whole text back.
    detail = [
        {"at": ".".join(str(part) for part in fault["loc"]), "message": fault["msg"]}
        for fault in faults[:_MOST_FAULTS]
    ]
    first = f"{detail[0]['at']}: {detail[0]['message']}" if detail else "not valid"
    return answer(request, 422, "invalid", first, detail)


async def _our_error(request: Request, error: Exception) -> Response:
    """Answer an error raised on purpose: of the request, or of a file or extra of the server."""
    if isinstance(error, FileError | MissingExtraError):
        fields = {
            "reason": str(error),
            "error": type(error).__name__,
            "route": route_of(request.scope),
        }
        _log.error("unavailable", extra={"fields": fields})
        return answer(request, 503, "unavailable", "the server cannot do this now; see its log")
    return answer(request, 400, "request", str(error))


async def _late(request: Request, error: Exception) -> Response:
    return answer(request, 503, "timeout", str(error))


async def _queued(request: Request, error: Exception) -> Response:
    return answer(request, 503, "busy", str(error), headers={"Retry-After": "5"})


def log_bug(request: Request, error: Exception) -> None:
    """Log what a bug is and where, in a worker too, without its message, which may hold a text."""
    if isinstance(error, WorkFailedError):
        reason, where = error.reason, error.frames
    else:
        frames = traceback.extract_tb(error.__traceback__)[-6:]
        reason = type(error).__name__
        where = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in frames]
    fields = {"error": reason, "where": where, "route": route_of(request.scope)}
    _log.error("bug", extra={"fields": fields})


def route_of(scope: Scope) -> str | None:
    """Return the pattern of a request's route, without its values; None if it has none."""
    path: str | None = getattr(scope.get("route"), "path", None)
    return path
