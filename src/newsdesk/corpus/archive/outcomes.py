"""What became of a cited source: one outcome for each URL, and whether asking again may change it."""

from __future__ import annotations

from dataclasses import dataclass

from newsdesk.corpus import pages
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
    """A line of the ledger. `key` is the page whatever the spelling of its address, `snapshot` the time of the copy (14 digits), `offset` and `length`
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
