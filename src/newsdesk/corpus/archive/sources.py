"""The pages that events cite: each once, whatever the spelling of its address, with the day of the first event that cites it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass

from newsdesk.corpus.align.urls import url_key
from newsdesk.types import Event

_ARCHIVED = re.compile(
    r"https?://web\.archive\.org/web/(\d{8})\d*[a-z_]*/(https?:.+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A page to obtain: its key, its address, and the day near which its copy should lie."""

    key: str
    url: str
    date: str


def cited_sources(events: Iterable[Event]) -> list[CitedSource]:
    """The cited pages of events in their order. A link to a copy in the archive stands for the page, with the day of the copy.

    >>> from newsdesk.types import Source
    >>> sources = (Source("http://a.example/x/"), Source("https://www.a.example/x"))
    >>> cited_sources([Event("e", "2019-05-01", "It happened.", sources=sources)])
    [CitedSource(key='a.example/x', url='http://a.example/x/', date='2019-05-01')]
    """
    sources: dict[str, CitedSource] = {}
    for event in events:
        for source in event.sources:
            url, date = source.url.strip(), event.date
            if copy := _ARCHIVED.fullmatch(url):
                date, url = _day(copy[1]) or date, copy[2]
            url = url.partition("#")[0]  # no server sees what follows it
            key = url_key(url)
            known = sources.get(key)
            if known is None:
                sources[key] = CitedSource(key, url, date)
            elif date < known.date:
                sources[key] = CitedSource(key, known.url, date)
    return list(sources.values())


def _day(digits: str) -> str | None:
    """The day that eight digits name; None where the calendar has no such day."""
    try:
        return datetime.date.fromisoformat(digits).isoformat()
    except ValueError:
        return None
