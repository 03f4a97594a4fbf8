"""Whether what the archive holds is the article that was cited, or a page that a site shows in its place.

Sites answer with status 200 where an article is gone: they redirect to their front page, show an error page, or ask for a login. What gives them
away is the address that was reached, what title and first lines say, and that there is little text. The word lists are ours; a
long text is taken for an article whatever its title says, as there are articles about error pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from newsdesk import packaged
from newsdesk.corpus.archive.client import (
    FAILED,
    GONE,
    HOME_PAGE,
    LOGIN,
    NO_TEXT,
    NOT_HTML,
    OBTAINED,
    SOFT_404,
    TOO_LARGE,
    TRUNCATED,
    Answer,
)
from newsdesk.corpus.archive.store import stored_response
from newsdesk.corpus.extract import extract
from newsdesk.corpus.pages import UnreadableError, html_of, url_key
from newsdesk.errors import PageError
from newsdesk.work.tasks import UnitTimeout, cpu_limit

_FRONT = re.compile(r"/*(?:index|home|default)?(?:\.\w{2,5})?/*", re.IGNORECASE)
_PASSWORD = re.compile(rb"<input[^>]{0,300}type\s*=\s*[\"']?password", re.IGNORECASE)
_SEGMENTS = re.compile(r"[/.?=&]+")
_TITLE_PARTS = re.compile(r"\s[|–—:·-]+\s|[|:]")
_LITTLE_CHARACTERS = 1_000
_OPENING_CHARACTERS = 300
_EXTRACTION_S = 30.0
_PAGE_KINDS = {"binary": NOT_HTML, "empty": NO_TEXT, "too-large": TOO_LARGE}


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """What a page is: an outcome, and for an article its title and how long its text is."""

    outcome: str
    title: str | None = None
    characters: int | None = None


def judge(
    answer: Answer, cited: str, reached: str, *, crawled: str, min_characters: int, max_bytes: int
) -> PageVerdict:
    """Return the verdict on the answer for a cited address; `reached` is the address of the copy."""
    if answer.status in (404, 410):
        return PageVerdict(GONE)
    if answer.status != 200:
        return PageVerdict(NOT_HTML)
    if is_front_page(reached) and not is_front_page(cited):
        return PageVerdict(HOME_PAGE)
    if _asks_for_login(reached) and not _asks_for_login(cited):
        return PageVerdict(LOGIN)
    try:
        html, charset = html_of(stored_response(answer), max_bytes=max_bytes)
    except UnreadableError as error:
        return PageVerdict(error.reason if error.reason in (NOT_HTML, TOO_LARGE) else TRUNCATED)
    try:
        with cpu_limit(_EXTRACTION_S):
            page = extract(html, cited, crawled=crawled, charset=charset, max_bytes=max_bytes)
    except PageError as error:
        return PageVerdict(_PAGE_KINDS.get(error.kind, NO_TEXT))
    except UnitTimeout:
        return PageVerdict(FAILED)
    except Exception:  # noqa: BLE001 - parsers raise anything on hostile pages; one page is one outcome
        return PageVerdict(FAILED)
    return PageVerdict(
        _kind(html, page.title or "", page.text, min_characters), page.title, len(page.text)
    )


def is_front_page(url: str) -> bool:
    """Return whether an address is that of a site's front page.

    >>> is_front_page("https://www.a.example/index.html"), is_front_page("https://a.example/news/1")
    (True, False)
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return _FRONT.fullmatch(parts.path) is not None and "?" not in url_key(url)


def _asks_for_login(url: str) -> bool:
    words = packaged.sections("corpus.archive", "phrases.txt")["login paths"]
    try:
        path = urlsplit(url).path.lower()
    except ValueError:
        return False
    return any(segment in words for segment in _SEGMENTS.split(path))


def _kind(html: bytes, title: str, text: str, min_characters: int) -> str:
    """Return what a page of status 200 is.

    A short article may tell of something not found, so only its title gives an error page away.
    """
    enough = len(text) >= max(1, min_characters)
    if len(text) <= _LITTLE_CHARACTERS:
        phrases = packaged.sections("corpus.archive", "phrases.txt")
        says = title.lower() if enough else f"{title}\n{text[:_OPENING_CHARACTERS]}".lower()
        parts = [part.strip() for part in _TITLE_PARTS.split(title.lower())]
        if any(part in phrases["whole titles"] for part in parts):
            return SOFT_404
        if any(phrase in says for phrase in phrases["not found"]):
            return SOFT_404
        asks = not enough and any(phrase in says for phrase in phrases["login"])
        if asks or _PASSWORD.search(html):
            return LOGIN
    return OBTAINED if enough else NO_TEXT
