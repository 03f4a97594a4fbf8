"""The events of a corpus by day and by the addresses they cite."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from urllib.parse import urlsplit

from newsdesk.corpus.align.features import Window
from newsdesk.corpus.align.model import EventAligner
from newsdesk.errors import ArgumentError
from newsdesk.types import Event

_ARCHIVED = re.compile(r"https?://web\.archive\.org/web/\d+[a-z_]*/(?=https?:)", re.IGNORECASE)
_TRACKING = re.compile(r"(utm_[^=&]*|fbclid|gclid)(=|$)", re.IGNORECASE)


def url_key(url: str) -> str:
    """An address without scheme, `www.`, default port, trailing slash, tracking parameters and fragment, its host lower-cased.

    A copy in the Wayback Machine counts as the page that it is a copy of. The path keeps its case, and other parameters their order.

    >>> url_key("HTTPS://www.Example.org:443/a/B/?utm_source=x&id=3#top")
    'example.org/a/B?id=3'
    >>> url_key("https://web.archive.org/web/20190501000000/http://example.org/a")
    'example.org/a'
    """
    bare = _ARCHIVED.sub("", url.strip())
    if "://" not in bare:
        bare = f"//{bare.removeprefix('//')}"
    try:
        parts = urlsplit(bare)
    except ValueError:  # such as an unclosed bracket: no page has this address
        return url.strip()
    host = parts.netloc.rpartition("@")[2].lower()
    host = host.removesuffix(":80").removesuffix(":443").removeprefix("www.")
    query = "&".join(each for each in parts.query.split("&") if each and not _TRACKING.match(each))
    path = parts.path.rstrip("/")
    return f"{host}{path}?{query}" if query else f"{host}{path}"


class EventCalendar:
    """Events in order of days, those of one day in the order given; `order` holds their places in that order."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = tuple(sorted(events, key=lambda event: event.date))
        by_day: dict[str, list[int]] = defaultdict(list)
        citing: dict[str, list[int]] = defaultdict(list)
        for place, event in enumerate(self.events):
            by_day[event.date].append(place)
            for key in dict.fromkeys(url_key(source.url) for source in event.sources):
                citing[key].append(place)
        self._by_day = {day: tuple(places) for day, places in by_day.items()}
        self._citing = {key: tuple(places) for key, places in citing.items()}

    @property
    def days(self) -> tuple[str, ...]:
        """The days on which there are events."""
        return tuple(self._by_day)

    def on(self, day: str) -> tuple[int, ...]:
        """The numbers of the events of one day."""
        return self._by_day.get(day, ())

    def near(self, day: str, days: int) -> tuple[int, ...]:
        """The events at most so many days before or after a day.

        >>> events = [Event("a", "2019-05-01", "A."), Event("b", "2019-05-04", "B.")]
        >>> Calendar(events).near("2019-05-02", 1)
        (0,)
        """
        middle = date.fromisoformat(day).toordinal()
        first, last = max(middle - days, 1), min(middle + days, date.max.toordinal())
        near = (date.fromordinal(each).isoformat() for each in range(first, last + 1))
        return tuple(place for each in near for place in self.on(each))

    def citing(self, url: str | None) -> tuple[int, ...]:
        """The events that cite an address, however it is spelled."""
        return self._citing.get(url_key(url), ()) if url else ()


def window_of(calendar: EventCalendar, aligner: EventAligner, days: int) -> Callable[[str], Window]:
    """A function that makes the window of events around a day, and remembers the latest ones."""
    if days < 0:
        raise ArgumentError(f"days is {days}; a window reaches 0 or more days to either side")

    @functools.lru_cache(maxsize=8)
    def window(day: str) -> Window:
        events = [calendar.events[place] for place in calendar.near(day, days)]
        return Window(events, aligner.background, aligner.features)

    return window


def day_distance(first: str, second: str) -> int:
    """How many days lie between two days."""
    return abs((date.fromisoformat(first) - date.fromisoformat(second)) // timedelta(days=1))
