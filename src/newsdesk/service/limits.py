"""Limit every request: host, framing, body size, time, security headers; and log it as one line of JSON."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
import time
from datetime import UTC, datetime

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from newsdesk.service.errors import Problem, answer, log_bug, route_of
from newsdesk.service.monitoring import count_request
from newsdesk.service.settings import ServiceSettings
from newsdesk.service.workers import CALLER, Caller

LOGGER = "newsdesk.service"


class JsonLines(logging.Formatter):
    """Formats a record as one JSON line; the fields of `extra={"fields": …}` are included."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record; an exception is named by its type alone."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "at": at,
            "level": record.levelname.lower(),
            "event": record.getMessage().partition("\n")[0],
        }
        # No field replaces the time, the level or the event.
        line |= {
            key: value for key, value in getattr(record, "fields", {}).items() if key not in line
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False)


def install_logs(level: int = logging.INFO) -> None:
    """Send the logs of the service, the server and all libraries to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in (None, LOGGER, "uvicorn", "uvicorn.error"):  # None: of all others
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level if name == LOGGER else logging.WARNING)


_log = logging.getLogger("newsdesk.service")

# Paths of uploads, which may be larger than other bodies.
UPLOADS = re.compile(
    r"/files|/campaigns/new|/campaigns/[^/]+/import|/api/v1/campaigns/[^/]+/sheets"
)

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


# "name", "name:8000", "192.0.2.1" or "[::1]:8000".
_HOST = re.compile(r"(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_.-]{1,253}))(?::\d{1,5})?", re.IGNORECASE)
_FOR_ANY_HOST = ("/health", "/ready")  # checked by address, and naming no host in their answer
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\";\s]*)", re.IGNORECASE)


class RequestTimeoutError(Exception):
    """A request whose answer did not begin in time."""


class Limits:
    """Limits the host, size and time of requests, sets security headers and logs each request.

    Every answer passes here, those to bugs and to requests that were given up too, so that all have the one shape.
    """

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request: limit it, set security headers on its response, and log it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0
        address = scope["client"][0] if scope.get("client") else ""
        caller = Caller(f"address {address}")
        CALLER.set(caller)
        request = Request(scope, receive)

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if "frame-ancestors 'none'" not in headers["content-security-policy"]:
                    del headers["x-frame-options"]  # it knows no list of sites
            await send(message)

        async def refuse(status_code: int, code: str, text: str) -> None:
            if not status:  # else an answer has begun already
                response = answer(request, status_code, code, text, headers={"connection": "close"})
                await response(scope, receive, sending)

        try:
            await self._limited(scope, receive, sending, caller)
        except Problem as problem:
            await refuse(problem.status_code, problem.code, problem.detail)
        except RequestTimeoutError as error:
            await refuse(503, "timeout", str(error))
        except asyncio.CancelledError:  # the server stops
            await refuse(503, "stopping", "the server stops; try again soon")
            raise
        except ClientDisconnect:
            pass  # nobody is there to be answered
        except Exception as error:
            log_bug(request, error)
            await refuse(500, "bug", "an error of newsdesk; its log says where")
            raise
        finally:
            _log_request(scope, status, time.perf_counter() - started)

    async def _limited(self, scope: Scope, receive: Receive, send: Send, caller: Caller) -> None:
        """Pass a request on if its head is in order, within the limits of size and time."""
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

        headers = Headers(scope=scope)
        _check_framing(scope, headers)
        if scope["path"] not in _FOR_ANY_HOST:
            _check_host(scope, headers, self._settings.hosts)
        _check_charset(headers)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > limit:
            raise too_large
        timeout_s = self._settings.request_timeout_s
        try:
            # Only until the response begins: a long download may take its time.
            async with asyncio.timeout(timeout_s) as deadline:
                caller.deadline, caller.task = deadline, asyncio.current_task()

                async def starting(message: Message) -> None:
                    if not deadline.expired():
                        deadline.reschedule(None)
                    await send(message)

                await self._app(scope, receiving, starting)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise RequestTimeoutError(f"the request took longer than {timeout_s:g} s") from error


def _check_framing(scope: Scope, headers: Headers) -> None:
    """Refuse a body whose end two parties could see at different places (request smuggling)."""
    if "transfer-encoding" not in headers:
        return
    if "content-length" in headers or scope["http_version"] == "1.0":
        raise Problem(
            400, "framing",
            "a request has Content-Length or, in HTTP/1.1, Transfer-Encoding, and not both",
        )  # fmt: skip


def _check_host(scope: Scope, headers: Headers, hosts: tuple[str, ...]) -> None:
    """Refuse a host that is neither one of the settings nor the address of the connection itself."""
    host = headers.get("host")
    if host is None:  # HTTP/1.0
        return
    fitting = _HOST.fullmatch(host)
    if fitting is None:
        raise Problem(400, "host", "the Host header is not a host name or address with a port")
    name = (fitting[1] or fitting[2]).lower()
    if name not in (*hosts, *(scope.get("server") or ())[:1]):
        raise Problem(
            400, "host",
            f"this server does not answer for the host {name!r}; name it with --allowed-host",
        )  # fmt: skip


def _check_charset(headers: Headers) -> None:
    """Refuse a form in another encoding than UTF-8: some of Python's codecs decode to what is no text."""
    kind = headers.get("content-type", "")
    charset = _CHARSET.search(kind)
    if charset and kind.lower().startswith(_FORMS) and charset[1].lower() not in ("utf-8", "utf8"):
        raise Problem(415, "media-type", "a form is sent in UTF-8")


def _log_request(scope: Scope, status: int, seconds: float) -> None:
    """Count a request, and log one line of it, by the route's pattern: its path and query may hold a token."""
    route = route_of(scope)
    count_request(route, scope["method"], status, seconds)
    fields = {
        "method": scope["method"],
        "route": route,
        "status": status,
        "ms": round(seconds * 1000, 1),
        "who": (scope.get("state") or {}).get("who"),
    }
    _log.info("request", extra={"fields": fields})
