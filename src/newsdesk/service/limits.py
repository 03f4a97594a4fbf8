"""Limit every request: body size, time, security headers; and log it as one line of JSON."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
import time
from datetime import UTC, datetime

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from newsdesk.service.errors import GOOGLE, Problem, error_body, google_body
from newsdesk.service.settings import ServiceSettings

LOGGER = "newsdesk.service"


class JsonLines(logging.Formatter):
    """Formats a record as one JSON line; the fields of `extra={"fields": …}` are included."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record; an exception is named by its type alone."""
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage().partition("\n")[0],
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False)


def install_logs(level: int = logging.INFO) -> None:
    """Send the logs of the service and of the server to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in (LOGGER, "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level if name == LOGGER else logging.WARNING)


_log = logging.getLogger("newsdesk.service")

# Paths of uploads, which may be larger than other bodies.
UPLOADS = re.compile(r"/campaigns/new|/campaigns/[^/]+/import|/api/v1/campaigns/[^/]+/sheets")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Of self-contained reports, which hold their own style and figures: no script, no forms, an origin of their own.
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Limits:
    """Limits the size and the time of requests, sets security headers and logs each request."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request: limit it, set security headers on its response, and log it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        state = {"status": 0}

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                state["status"] = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._limited(scope, receive, sending, state)
        finally:
            _log_request(scope, state["status"], time.perf_counter() - started)

    async def _limited(
        self, scope: Scope, receive: Receive, send: Send, state: dict[str, int]
    ) -> None:
        """Pass a request on within the limits of size and time; else refuse it.

        `state` has the status of the response, 0 before it begins.
        """
        upload = UPLOADS.fullmatch(scope["path"]) is not None
        limit = self._settings.max_upload_bytes if upload else self._settings.max_body_bytes
        sent = 0
        # FastAPI answers this kind of error as it is, also while it reads a body.
        too_large = Problem(413, "too-large", f"the request is larger than {limit:,} bytes")

        async def receiving() -> Message:
            nonlocal sent
            message = await receive()
            sent += len(message.get("body", b""))
            if sent > limit:
                raise too_large
            return message

        try:
            if _declared(scope) > limit:
                raise too_large
            # Only until the response begins: a long download may take its time.
            async with asyncio.timeout(self._settings.request_timeout_s) as deadline:

                async def starting(message: Message) -> None:
                    deadline.reschedule(None)
                    await send(message)

                await self._app(scope, receiving, starting)
        except Problem as problem:
            body = _body(scope, problem.status_code, problem.code, problem.detail)
            await _refuse(send, state, problem.status_code, body)
        except TimeoutError:
            said = f"the request took longer than {self._settings.request_timeout_s:g} s"
            await _refuse(send, state, 503, _body(scope, 503, "timeout", said))


def _declared(scope: Scope) -> int:
    """Return the size of the body as the request declares it; 0 if it does not."""
    length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    return int(length) if length.isdigit() else 0


def _body(scope: Scope, status: int, code: str, message: str) -> bytes:
    """Return the error in the shape of its path."""
    of_google = scope["path"].startswith(GOOGLE)
    value = google_body(status, message) if of_google else error_body(code, message)
    return json.dumps(value).encode()


async def _refuse(send: Send, state: dict[str, int], status: int, body: bytes) -> None:
    """Send an error, unless a response has begun already, as `state` says."""
    if state["status"]:
        return
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _log_request(scope: Scope, status: int, seconds: float) -> None:
    """Log one line per request, by the route's pattern: its path and query may hold a token."""
    route = getattr(scope.get("route"), "path", None)
    fields = {
        "method": scope["method"],
        "route": route,
        "status": status,
        "ms": round(seconds * 1000, 1),
        "who": (scope.get("state") or {}).get("who"),
    }
    _log.info("request", extra={"fields": fields})
