"""The events of a corpus by day and by the addresses they cite."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import date

from newsdesk.corpus.align.features import Window
from newsdesk.corpus.align.model import EventAligner
from newsdesk.corpus.pages import url_key
from newsdesk.errors import ArgumentError
from newsdesk.types import Event


class EventCalendar:
    """Events in order of days, those of one day in the order given.

    `order` holds their places in that order.
    """

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
        """Return the numbers of the events of one day."""
        return self._by_day.get(day, ())

    def near(self, day: str, days: int) -> tuple[int, ...]:
        """Return the events at most so many days before or after a day.

        >>> events = [Event("a", "2019-05-01", "A."), Event("b", "2019-05-04", "B.")]
        >>> EventCalendar(events).near("2019-05-02", 1)
        (0,)
        """
        middle = date.fromisoformat(day).toordinal()
        first, last = max(middle - days, 1), min(middle + days, date.max.toordinal())
        near = (date.fromordinal(each).isoformat() for each in range(first, last + 1))
        return tuple(place for each in near for place in self.on(each))

    def citing(self, url: str | None) -> tuple[int, ...]:
        """Return the events that cite an address, however it is spelled."""
        return self._citing.get(url_key(url), ()) if url else ()


def window_of(calendar: EventCalendar, aligner: EventAligner, days: int) -> Callable[[str], Window]:
    """Return a function that makes the window of events around a day, and remembers the latest ones."""
    if days < 0:
        raise ArgumentError(f"days is {days}; a window reaches 0 or more days to either side")

    @functools.lru_cache(maxsize=8)
    def window(day: str) -> Window:
        events = [calendar.events[place] for place in calendar.near(day, days)]
        return Window(events, aligner.background, aligner.features)

    return window
