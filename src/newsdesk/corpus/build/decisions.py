"""Decisions of alignment, file by file, stored under all that they follow from.

The probability of a pair depends on the pair and the aligner alone (document frequencies belong to the aligner), so what becomes of the articles of a
partition follows from the partition, its dropped near-duplicates, the events within the window of days, the events that cite one of its articles, the
aligner and the settings. Events are stored by date and number on that date: their places in the calendar change with every new day.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple
from typing import Any

from newsdesk.corpus.align.article_files import ArticleFile
from newsdesk.corpus.align.calendar import EventCalendar, window_of
from newsdesk.corpus.align.candidates import AlignCandidate, AlignSettings
from newsdesk.corpus.align.clusters import Decisions, Member, decisions_of
from newsdesk.corpus.align.model import EventAligner
from newsdesk.corpus.build.cache import DayCache
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.records.schema import schema_of
from newsdesk.types import Event
from newsdesk.work import digest_of

CitedRows = Mapping[int, tuple[int, ...]]


class EventKeys:
    """Events as keys: digests of what they say, and their date with their number on that date."""

    def __init__(self, calendar: EventCalendar) -> None:
        schema = schema_of(Event)
        self.calendar = calendar
        self.digests = [digest_of(schema.encode(event)) for event in calendar.events]
        self._numbers = [number for day in calendar.days for number in range(len(calendar.on(day)))]

    def named(self, place: int) -> list[Any]:
        """The date and number of an event."""
        return [self.calendar.events[place].date, self._numbers[place]]

    def place(self, date: str, number: int) -> int:
        """The place of an event in the calendar."""
        return self.calendar.on(date)[number]


def stored_decisions(
    files: Sequence[ArticleFile],
    cited: Sequence[CitedRows],
    keys: EventKeys,
    aligner: EventAligner,
    settings: AlignSettings,
    cache: DayCache,
) -> Iterator[Decisions]:
    """The decisions on each file; only those on files of which something has changed are made now."""
    calendar, digest = keys.calendar, aligner.digest()
    window = window_of(calendar, aligner, settings.days)
    for number, file in enumerate(files):
        near = calendar.near(file.date, settings.days) if file.date else ()
        inputs = [
            digest,
            asdict(settings),
            file.path.name,
            sorted(file.dropped),
            [keys.digests[place] for place in near],
            [[row, *map(keys.named, places)] for row, places in cited[number].items()],
        ]

        def decide(number: int = number, file: ArticleFile = file) -> dict[str, Any]:
            row, parts = 0, []
            for batch in file.batches():
                parts.append(decisions_of(number, row, batch, calendar, aligner, window, settings))
                row += len(batch)
            return _as_json(parts, keys)

        yield _decisions(cache.value(file.date or "unknown", inputs, decide), number, keys)


def _as_json(parts: Sequence[Decisions], keys: EventKeys) -> dict[str, Any]:
    lost = Accounts("align").tally()
    for part in parts:
        lost = lost + part.lost
    return {
        "members": [
            [*keys.named(event), member.row, member.id, member.origin, member.probability]
            for part in parts
            for event, member in part.members
        ],
        "candidates": [list(astuple(candidate)) for part in parts for candidate in part.candidates],
        "lost": lost.as_json(),
    }


def _decisions(value: Mapping[str, Any], file: int, keys: EventKeys) -> Decisions:
    return Decisions(
        tuple(
            (keys.place(date, number), Member(file, *member))
            for date, number, *member in value["members"]
        ),
        tuple(AlignCandidate(*each) for each in value["candidates"]),
        StepTally(**value["lost"]),
    )
