"""The one door to the network: a GET request becomes a whole answer or the reason why there is none.

No other module of newsdesk opens a connection. Redirects are not followed here, because every address that is asked has to pass the rate and
the robots.txt of its host first. The time limit holds for the whole answer, also from a server that sends a byte a minute.

The settings of a run and the outcomes of a source are named here: one outcome for each URL, and whether asking again may change it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import TracebackType
from typing import Any

from newsdesk.corpus import pages
from newsdesk.corpus.pages import MAX_BYTES
from newsdesk.errors import ArgumentError
from newsdesk.registry import offer, require
from newsdesk.settings import at_least
from newsdesk.work.tasks import TIMEOUT

OBTAINED = "obtained"

# The archive has nothing to offer.
NO_SNAPSHOT = "no snapshot"
NOT_NEAR = "no snapshot near the date"
NOT_SAVED = "could not be saved"
ROBOTS = "excluded by robots.txt"
REFUSED = "forgotten"
BAD_ADDRESS = "not an http address"

# A snapshot is there, and it is not the article.
GONE = "missing in the snapshot"
OUTSIDE = "redirect out of the archive"
REDIRECTS = "too many redirects"
HOME_PAGE = "redirect to a home page"
LOGIN = "login wall"
SOFT_404 = "soft 404"
NOT_HTML = pages.NOT_HTML
NO_TEXT = pages.NO_TEXT
TOO_LARGE = pages.TOO_LARGE
FAILED = pages.FAILED

# No whole answer came, however often it was asked.
TRUNCATED = "truncated answer"
UNREACHABLE = "unreachable"
SERVER_ERROR = "server error"
TOO_MANY = "too many requests"
BROKEN_ANSWER = "unreadable answer"

TRANSIENT = frozenset({TIMEOUT, TRUNCATED, UNREACHABLE, SERVER_ERROR, TOO_MANY, BROKEN_ANSWER})
UNARCHIVED = frozenset({NO_SNAPSHOT, NOT_NEAR})  # what Save Page Now may change


@dataclass(frozen=True, slots=True)
class SourceOutcome:
    """A line of the ledger.

    `key` is the page whatever the spelling of its address, `snapshot` the time of the copy (14
    digits), `offset` and `length`
    the place of the page in the WARC file."""

    key: str
    url: str
    date: str
    outcome: str
    snapshot: str | None = None
    status: int | None = None
    address: str | None = None
    saved: bool = False
    title: str | None = None
    characters: int | None = None
    offset: int | None = None
    length: int | None = None


class NoAnswerError(Exception):
    """A request without a usable answer; `reason` is an outcome of this module."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the Internet Archive answers; another archive or a test server has other addresses."""

    availability: str = "https://archive.org/wayback/available"
    cdx: str = "https://web.archive.org/cdx/search/cdx"
    save: str = "https://web.archive.org/save/"
    web: str = "https://web.archive.org/web/"

    def with_changes(self, changes: Iterable[str]) -> Endpoints:
        """Return the endpoints with some replaced, each written as `name=URL`.

        >>> Endpoints().with_changes(["web=http://127.0.0.1:8000/web/"]).web
        'http://127.0.0.1:8000/web/'
        """
        names = [field.name for field in fields(self)]
        named = {}
        for text in changes:
            name, equals, url = text.partition("=")
            if name not in names or not equals or not url.startswith(("http://", "https://")):
                raise ArgumentError(
                    f"the endpoint {text!r} is not NAME=http(s)://…; {offer(name, names)}"
                )
            named[name] = url
        return replace(self, **named)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSettings:
    """How sources are looked up and downloaded.

    The defaults are what the Internet Archive bears from one visitor.

    `rate_per_s` holds for every host, `save_rate_per_s` for Save Page Now beside it. A failed request is repeated up to `attempts` times, with a
    pause of `backoff_s` that doubles; no pause is longer than `max_pause_s`, whatever a server asks for.
    """

    save: bool = False
    days: int = 365
    rate_per_s: float = 1.0
    save_rate_per_s: float = 0.1
    concurrency: int = 4
    timeout_s: float = 60.0
    attempts: int = 4
    backoff_s: float = 5.0
    max_pause_s: float = 300.0
    max_bytes: int = MAX_BYTES
    min_characters: int = 250
    contact: str | None = None
    endpoints: Endpoints = field(default_factory=Endpoints)

    def __post_init__(self) -> None:
        for name in ("concurrency", "attempts", "max_bytes"):
            at_least(name, getattr(self, name), 1)
        for name in ("days", "backoff_s", "max_pause_s", "min_characters"):
            at_least(name, getattr(self, name), 0)
        for name in ("rate_per_s", "save_rate_per_s", "timeout_s"):
            if getattr(self, name) <= 0:
                raise ArgumentError(f"{name} is {getattr(self, name)}, not above 0")


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; header names are lower-cased, the body is as it was sent, compressed or not."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class Client:
    """Sends requests over kept-alive connections; safe to share among threads."""

    def __init__(
        self,
        *,
        agent: str,
        timeout_s: float,
        max_bytes: int,
        connections: int = 10,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._httpx: Any = require("httpx2", extra="corpus", what="asking web archives")
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._clock = clock
        self._http = self._httpx.Client(
            headers={"User-Agent": agent, "Accept-Encoding": "gzip"},
            timeout=timeout_s,
            limits=self._httpx.Limits(max_connections=connections),
            follow_redirects=False,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def get(self, url: str) -> Answer:
        """Return the whole answer to one request; `NoAnswerError` where there is none."""
        httpx = self._httpx
        try:
            with self._http.stream("GET", url) as response:
                body = self._body(response)
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Answer(url, response.status_code, headers, body)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as error:
            raise NoAnswerError(BAD_ADDRESS) from error
        except httpx.TimeoutException as error:
            raise NoAnswerError(TIMEOUT) from error
        except httpx.ConnectError as error:
            raise NoAnswerError(UNREACHABLE) from error
        except (httpx.RemoteProtocolError, httpx.NetworkError) as error:
            raise NoAnswerError(TRUNCATED) from error
        except httpx.HTTPError as error:
            raise NoAnswerError(BROKEN_ANSWER) from error

    def _body(self, response: Any) -> bytes:
        """Read the whole body, within the limits of size and time."""
        deadline = self._clock() + self._timeout_s
        chunks: list[bytes] = []
        size = 0
        for chunk in response.iter_raw():
            size += len(chunk)
            if size > self._max_bytes:
                raise NoAnswerError(TOO_LARGE)
            if self._clock() > deadline:
                raise NoAnswerError(TIMEOUT)
            chunks.append(chunk)
        return b"".join(chunks)
