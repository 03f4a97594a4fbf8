"""The day an article was published, from the first source that names one: JSON-LD, `meta`, `itemprop`, URL, `time`, `title`.

A day is taken as it is written, in the page's own time zone: converted to UTC, an article of one o'clock in Tokyo would be
dated a day early. A day after the crawl is not believed, and the next candidate is asked. Behind all of them stands htmldate.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from newsdesk.corpus.extract.metadata import Metadata
from newsdesk.corpus.extract.page import Element, markup
from newsdesk.packaged import sections
from newsdesk.registry import require

_FIRST = datetime.date(1990, 1, 1)
_LAST = datetime.date(2099, 12, 31)
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)([01]\d)([0-3]\d)(?!\d)")
_COMPACT_TIME = re.compile(r"(?<!\d)((?:19|20)\d\d)([01]\d)([0-3]\d)(?=T?\d{4})")
_CJK = re.compile(r"((?:19|20)\d\d)\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_DMY = re.compile(r"(?<!\d)(\d{1,2})[./-]\s?(\d{1,2})[./-]\s?((?:19|20)\d\d)(?!\d)")
_DAY_MONTH = re.compile(
    r"(?<!\d)(\d{1,2})(?:\.|st|nd|rd|th|º|er)?[\s-](?:de\s)?([^\W\d_]{3,12})\.?,?[\s-](?:de\s|del\s)?((?:19|20)\d\d)(?!\d)"
)
_MONTH_DAY = re.compile(r"([^\W\d_]{3,12})\.?\s(\d{1,2})(?:st|nd|rd|th)?,?\s((?:19|20)\d\d)(?!\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_EPOCH = re.compile(r"\d{10}(?:\d{3})?")
_URL = (
    re.compile(r"/((?:19|20)\d\d)/(\d{1,2})/(\d{1,2})(?=[/_-]|$)"),
    re.compile(r"(?<!\d)((?:19|20)\d\d)[-_](\d{2})[-_](\d{2})(?!\d)"),
    re.compile(r"(?<!\d)((?:19|20)\d\d)([01]\d)([0-3]\d)(?!\d)"),
)
_MOST = 200

# The share of right days of each source, asked alone, on the pages of `bench/extract.py` that name one there (json-ld 112 of
# 112, meta 88 of 93, url 15 of 15, time 67 of 72, itemprop 11 of 12, title 3 of 5), with one right and one wrong added.
# For pages on which only a change is dated, or only htmldate finds a day, there are too few to count: a cautious guess.
CONFIDENCE = {
    "json-ld": 0.99,
    "meta": 0.94,
    "itemprop": 0.86,
    "url": 0.94,
    "time": 0.92,
    "title": 0.57,
    "modified": 0.5,
    "htmldate": 0.5,
}


@dataclass(frozen=True, slots=True)
class Dated:
    """A day (ISO 8601), where it was read, and how often that source is right."""

    date: str
    source: str
    confidence: float


def day(value: object) -> datetime.date | None:
    """Return the day that a value names; None if it names none.

    >>> day("Tue, 5 Mar 2024 23:10:00 +0900")
    datetime.date(2024, 3, 5)
    """
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(int(value)) if abs(value) < 1e15 else ""
    if not isinstance(value, str):
        return None
    text = value[:_MOST].strip()
    if _EPOCH.fullmatch(text) and not _COMPACT_TIME.match(text):
        return _from_epoch(text)
    return next(_days(text), None)


def names_day(text: str) -> bool:
    """Return whether a text names a day in any of the forms that are understood."""
    return _YEAR.search(text) is not None and any(True for _ in _days(text[:_MOST]))


def dated(
    root: Element, page: Metadata, url: str | None, crawled: datetime.date | None
) -> Dated | None:
    """Return the day a page was published, not after the day behind the crawl."""
    last = crawled + datetime.timedelta(days=1) if crawled and crawled < _LAST else _LAST
    for source, value in _candidates(root, page, url):
        if (date := day(value)) and _FIRST <= date <= last:
            return Dated(date.isoformat(), source, CONFIDENCE[source])
    return _htmldate(root, url, last)


def _candidates(root: Element, page: Metadata, url: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the values that may name the day, each after its source, the surest first."""
    article = page.article
    yield "json-ld", article.get("datePublished")
    yield "json-ld", article.get("dateCreated")
    for name in sections("corpus.extract", "dates.txt")["meta"]:
        yield "meta", page.meta.get(name)
    for element in root.iterfind(".//*[@itemprop='datePublished']"):
        yield (
            "itemprop",
            element.get("content") or element.get("datetime") or "".join(element.itertext()),
        )
    if url:
        for pattern in _URL:
            yield "url", "-".join(match.groups()) if (match := pattern.search(url)) else None
    times = sorted(page.times, key=_unlikely)
    for element in times:
        yield "time", element.get("datetime")
    for element in times:
        yield "time", "".join(element.itertext())
    yield "title", page.title
    yield "modified", article.get("dateModified")
    yield "modified", page.first("article:modified_time", "og:updated_time", "datemodified")


def _unlikely(time: Element) -> bool:
    """Return whether a `time` element stands outside of the article, where today's date may be printed."""
    if time.get("pubdate") is not None:
        return False
    return next(time.iterancestors("article", "main"), None) is None


def _days(text: str) -> Iterator[datetime.date]:
    """Yield every day that a text names, in the order of how sure the form is."""
    for pattern in (_ISO, _COMPACT_TIME, _COMPACT, _CJK):
        if match := pattern.search(text):
            yield from _valid(*match.groups())
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        for match in pattern.finditer(text):
            first, second, year = match.groups()
            name, day_of_month = (second, first) if first.isdigit() else (first, second)
            if month := _months().get(name.casefold()[:12]):
                yield from _valid(year, month, day_of_month)
    if match := _DMY.search(text):
        first_number, second_number, year = match.groups()
        yield from _valid(year, second_number, first_number)
        yield from _valid(year, first_number, second_number)


def _valid(year: str | int, month: str | int, day_of_month: str | int) -> Iterator[datetime.date]:
    """Yield the day if there is one of these numbers."""
    try:
        yield datetime.date(int(year), int(month), int(day_of_month))
    except ValueError:
        return


def _from_epoch(text: str) -> datetime.date | None:
    seconds = int(text) / (1000 if len(text) == 13 else 1)
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).date()


@cache
def _months() -> dict[str, int]:
    """Return names of months and their three- and four-letter forms."""
    names: dict[str, int] = {}
    for line in sections("corpus.extract", "dates.txt")["months"]:
        for month, name in enumerate(line.split(), 1):
            for form in (name, name[:4], name[:3]):
                names.setdefault(form, month)
    return names


def _htmldate(root: Element, url: str | None, last: datetime.date) -> Dated | None:
    """Return the day that htmldate finds, up to `last`; None if it finds none or fails."""
    page = markup(root)
    if not page:
        return None
    htmldate = require("htmldate", extra="corpus", what="dating articles")
    try:
        text = htmldate.find_date(
            page,
            original_date=True,
            url=url,
            min_date=_FIRST.isoformat(),
            max_date=last.isoformat(),
        )
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        return None
    # Its first day is what it answers where a number is no date.
    is_day = text and text != _FIRST.isoformat()
    return Dated(text, "htmldate", CONFIDENCE["htmldate"]) if is_day else None
