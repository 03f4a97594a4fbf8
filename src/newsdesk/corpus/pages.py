"""A page of a crawl, and the reasons why a record does not become one.

A reader of a crawl file yields, for every unit of the input (a response, a file of HTML, a record that cannot be read), either
a `CrawledPage` or a `LostPage`. Units are numbered from 0 in the order of the file, so that a unit can be named again in a second pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from newsdesk.work.tasks import CRASHED, TIMEOUT

# Why a unit is lost. A rejected unit is damaged or defeats the reader; the others are simply not articles.
NOT_200 = "not status 200"
NOT_HTML = "not HTML"
NO_TEXT = "no text"
BROKEN = "broken record"
TRUNCATED = "truncated record"
TOO_LARGE = "too large"
BROKEN_BODY = "broken body encoding"
UNKNOWN_ENCODING = "unknown body encoding"
FAILED = "extractor failed"
REJECTED = frozenset(
    {BROKEN, TRUNCATED, TOO_LARGE, BROKEN_BODY, UNKNOWN_ENCODING, TIMEOUT, CRASHED, FAILED}
)

MAX_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CrawledPage:
    """An HTML page: where it lies in its file, its bytes, and what the crawl knows about it."""

    number: int
    offset: int
    html: bytes
    url: str | None = None
    crawled: str | None = None
    charset: str | None = None


@dataclass(frozen=True, slots=True)
class LostPage:
    """A unit of the input that is no page, with the reason."""

    number: int
    offset: int
    reason: str


class UnreadableError(ValueError):
    """A response that cannot be read as a page; `reason` is one of the constants of this module."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)
