"""The settings of an archive run and the outcomes of a source: one for each URL, and whether asking again may change it.

Connections are opened by `newsdesk.network`. Redirects are not followed there, because every address that is asked has to pass the rate and
the robots.txt of its host first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

from newsdesk import network
from newsdesk.corpus import pages
from newsdesk.corpus.pages import MAX_BYTES
from newsdesk.errors import ArgumentError
from newsdesk.registry import offer
from newsdesk.settings import at_least
from newsdesk.work.tasks import TIMEOUT

OBTAINED = "obtained"

# The archive has nothing to offer.
NO_SNAPSHOT = "no snapshot"
NOT_NEAR = "no snapshot near the date"
NOT_SAVED = "could not be saved"
ROBOTS = "excluded by robots.txt"
REFUSED = "forgotten"
BAD_ADDRESS = network.BAD_ADDRESS

# A snapshot is there, and it is not the article.
GONE = "missing in the snapshot"
OUTSIDE = "redirect out of the archive"
REDIRECTS = "too many redirects"
HOME_PAGE = "redirect to a home page"
LOGIN = "login wall"
SOFT_404 = "soft 404"
NOT_HTML = pages.NOT_HTML
NO_TEXT = pages.NO_TEXT
TOO_LARGE = network.TOO_LARGE
FAILED = pages.FAILED

# No whole answer came, however often it was asked.
TRUNCATED = network.TRUNCATED
UNREACHABLE = network.UNREACHABLE
SERVER_ERROR = network.SERVER_ERROR
TOO_MANY = network.TOO_MANY
BROKEN_ANSWER = network.BROKEN_ANSWER

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
