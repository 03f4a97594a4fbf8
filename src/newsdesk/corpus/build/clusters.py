"""The alignment step of a build: events and articles become clusters, with the losing candidates and the measures of the aligner.

Decisions, measures and clusters are computed day by day and only where their inputs changed. An aligner that is fitted on the sources of the build itself
changes with every new source, and everything with it; one that ships or was saved stays.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from newsdesk import __version__
from newsdesk.corpus.align.article_files import ArticleFile, cited_rows
from newsdesk.corpus.align.calendar import EventCalendar, window_of
from newsdesk.corpus.align.candidates import AlignCandidate, AlignSettings
from newsdesk.corpus.align.clusters import (
    Alignment,
    Decisions,
    Member,
    alignment_of,
    clusters,
    file_decisions,
)
from newsdesk.corpus.align.measured import MeasuredAligner
from newsdesk.corpus.align.model import EventAligner
from newsdesk.corpus.align.run import AlignerChoice, chosen_aligner
from newsdesk.corpus.align.training import CitedArticle, day_pairs, quality
from newsdesk.corpus.build.settings import AlignTable
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.files import atomic, file_digest, write_text
from newsdesk.jsonl import json_line, json_text
from newsdesk.records.schema import schema_of
from newsdesk.records.writer import record_text
from newsdesk.types import Article, Event
from newsdesk.work import digest_of
from newsdesk.work.ledger import DayCache

CitedRows = Mapping[int, tuple[int, ...]]

Places = Mapping[str, tuple[int, int]]  # digest of a day → its first byte, and how many
Sources = Mapping[int, CitedRows]  # by the number of their file
CLUSTERS = "clusters.jsonl"
CANDIDATES = "candidates.jsonl"
MEASURES = "aligner.json"


class EventKeys:
    """Events as keys: digests of what they say, and their date with their number on that date."""

    def __init__(self, calendar: EventCalendar) -> None:
        schema = schema_of(Event)
        self.calendar = calendar
        self.digests = [digest_of(schema.encode(event)) for event in calendar.events]
        self._numbers = [number for day in calendar.days for number in range(len(calendar.on(day)))]

    def named(self, place: int) -> list[Any]:
        """Return the date and number of an event."""
        return [self.calendar.events[place].date, self._numbers[place]]

    def place(self, date: str, number: int) -> int:
        """Return the place of an event in the calendar."""
        return self.calendar.on(date)[number]


def stored_decisions(
    files: Sequence[ArticleFile],
    cited: Sequence[CitedRows],
    keys: EventKeys,
    aligner: EventAligner,
    settings: AlignSettings,
    cache: DayCache,
) -> Iterator[Decisions]:
    """Yield the decisions on each file; only those on files of which something has changed are made now."""
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
            parts = file_decisions(number, file, calendar, aligner, window, settings)
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


def write_cluster_days(
    path: Path, places: Path, alignment: Alignment, files: Sequence[ArticleFile], keys: EventKeys
) -> list[str]:
    """Write the clusters in order of days, and the list of days to `places`.

    The days that were gathered now.
    """
    before = _read_places(path, places)
    days = _days(alignment)
    digests = {day: _digest(alignment, events, files, keys) for day, events in days.items()}
    stale = [day for day, digest in digests.items() if digest not in before]
    members = {event: alignment.members[event] for day in stale for event in days[day]}
    gathered = clusters(replace(alignment, members=members), [file.articles for file in files])
    sha, offset, rows = hashlib.sha256(), 0, []
    with atomic(path) as stream:
        for day, events in days.items():
            if digests[day] in before:
                text = _copied(path, *before[digests[day]])
            else:
                lines = (record_text(each) for each in islice(gathered, len(events)))
                text = "".join(f"{line}\n" for line in lines).encode("utf-8")
            stream.write(text)
            sha.update(text)
            rows.append([digests[day], offset, len(text)])
            offset += len(text)
    with atomic(places) as stream:
        stream.write(json_line({"sha256": sha.hexdigest(), "days": rows}))
    return stale


def _days(alignment: Alignment) -> dict[str, list[int]]:
    """Return the events that have a cluster, by day."""
    by_day = groupby(sorted(alignment.members), lambda place: alignment.calendar.events[place].date)
    return {day: list(events) for day, events in by_day}


def _digest(
    alignment: Alignment, events: Sequence[int], files: Sequence[ArticleFile], keys: EventKeys
) -> str:
    """Return what the clusters of some events follow from.

    The events, and of each member its file, id, origin and probability.
    """
    value: list[Any] = [__version__]
    for event in events:
        members = [
            [files[each.file].path.name, each.id, each.origin, each.probability]
            for each in alignment.members[event]
        ]
        value.append([keys.digests[event], members])
    return digest_of(value)


def _read_places(path: Path, places: Path) -> Places:
    if not path.is_file() or not places.is_file():
        return {}
    value = json.loads(places.read_bytes())
    if value["sha256"] != file_digest(path):
        return {}
    return {digest: (first, length) for digest, first, length in value["days"]}


def _copied(path: Path, first: int, length: int) -> bytes:
    with path.open("rb") as stream:
        stream.seek(first)
        return stream.read(length)


def measured_by_day(
    files: Sequence[ArticleFile],
    cited: Sequence[CitedRows],
    keys: EventKeys,
    aligner: EventAligner,
    threshold: float,
    cache: DayCache,
) -> MeasuredAligner | None:
    """Return the measures of an aligner on all cited sources, each against the events of its date.

    None if there is no source.
    """
    digest = aligner.digest()
    scores: list[float] = []
    labels: list[int] = []
    for day, sources in sorted(_by_day(cited, keys).items()):
        inputs = [
            digest,
            [keys.digests[place] for place in keys.calendar.on(day)],
            [
                [files[number].path.name, sorted(files[number].dropped), *_named(rows, keys)]
                for number, rows in sources.items()
            ],
        ]
        pairs = cache.value(day, inputs, partial(_scored, day, sources, files, keys, aligner))
        scores += pairs["probabilities"]
        labels += pairs["labels"]
    return MeasuredAligner(quality(scores, labels, threshold=threshold)) if labels else None


def _by_day(cited: Sequence[CitedRows], keys: EventKeys) -> dict[str, Sources]:
    """Return the sources of the events of each day."""
    by_day: dict[str, dict[int, dict[int, tuple[int, ...]]]] = defaultdict(dict)
    for number, rows in enumerate(cited):
        for row, places in rows.items():
            for day in {keys.calendar.events[place].date for place in places}:
                by_day[day].setdefault(number, {})[row] = places
    return {day: dict(sources) for day, sources in by_day.items()}


def _named(rows: CitedRows, keys: EventKeys) -> list[Any]:
    return [[row, *map(keys.named, places)] for row, places in rows.items()]


def _scored(
    day: str, sources: Sources, files: Sequence[ArticleFile], keys: EventKeys, aligner: EventAligner
) -> dict[str, Any]:
    cited = [
        CitedArticle(article, rows[row])
        for number, rows in sources.items()
        for row, article in files[number].articles(rows)
    ]
    pairs = day_pairs(keys.calendar, day, cited, aligner.background, aligner.features)
    probabilities = aligner.probabilities(pairs.matrix)
    return {"probabilities": probabilities.tolist(), "labels": pairs.labels.tolist()}


@dataclass(frozen=True, slots=True)
class AlignStores:
    """What alignment stores to go on.

    Decisions, scored pairs, and the file that says where the clusters of each day stand.
    """

    decisions: DayCache
    pairs: DayCache
    places: Path


def write_clusters(
    folder: Path,
    files: Sequence[ArticleFile],
    events: Sequence[Event],
    table: AlignTable,
    root: Path,
    stores: AlignStores,
) -> tuple[Alignment, list[str]]:
    """Write clusters, candidates and measures to a folder.

    The alignment, and the days whose clusters were gathered now.
    """
    keys = EventKeys(EventCalendar(events))
    cited = [cited_rows(file, keys.calendar) for file in files]
    aligner, measured = chosen_aligner(
        AlignerChoice(table.features, root / table.aligner if table.aligner else None, table.fit),
        keys.calendar.events,
        lambda: _sources(files, cited),
        table.probability,
        measure=lambda aligner: measured_by_day(
            files, cited, keys, aligner, table.probability, stores.pairs
        ),
    )
    settings = AlignSettings(probability=table.probability, days=table.days)
    decisions = stored_decisions(files, cited, keys, aligner, settings, stores.decisions)
    with atomic(folder / CANDIDATES) as stream:
        alignment = alignment_of(
            keys.calendar,
            decisions,
            uncited=table.uncited,
            audit=lambda each: stream.write(json_line(asdict(each))),
        )
    gathered = write_cluster_days(folder / CLUSTERS, stores.places, alignment, files, keys)
    values = {"signature": aligner.signature, "fitted_on": aligner.data}
    measures = measured.as_json() if measured else {}
    write_text(folder / MEASURES, json_text({**values, **measures}) + "\n")
    return alignment, gathered


def _sources(files: Sequence[ArticleFile], cited: Sequence[CitedRows]) -> Iterator[Article]:
    for file, rows in zip(files, cited, strict=True):
        if rows:
            yield from (article for _, article in file.articles(rows))
