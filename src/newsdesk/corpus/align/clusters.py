"""Clusters from what articles joined: two passes over the articles, the first to decide, the second to gather texts.

Between the passes only places are kept in memory. In the second, articles come in order of their dates, and a cluster is
written as soon as its last article was read: texts of a few days are in memory at a time, however many there are. Cited articles from days
far from their event's are gathered first.

An event of which no source was obtained makes no cluster (Gholipour Ghalandari et al. 2020 start from events with sources), unless asked for; what
would have joined it joins nothing else, because it is more probably about that event than about any other.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from newsdesk import __version__
from newsdesk.corpus.align.article_files import ArticleFile
from newsdesk.corpus.align.candidates import (
    AlignCandidate,
    AlignSettings,
    ArticleBatch,
    Decisions,
    Member,
    decide,
)
from newsdesk.corpus.align.features import EventCalendar, Window
from newsdesk.corpus.align.model import EventAligner
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.files import atomic, file_digest
from newsdesk.jsonl import json_line, json_value
from newsdesk.records.schema import schema_of
from newsdesk.records.writer import record_text
from newsdesk.types import Article, Cluster, ClusterArticle, Event, Origin
from newsdesk.work import digest_of

NO_SOURCE = "no source obtained"
NO_ARTICLE = "no article joined"
EVENT_WITHOUT_SOURCE = "its event has no obtained source"
SAME_ID = "an article of the same id is in its cluster"
_FIELDS = tuple(field.name for field in fields(Article))

Batches = Iterable[tuple[int, ArticleBatch]]

Reader = Callable[[Collection[int]], Iterator[tuple[int, Article]]]
Places = Mapping[str, tuple[int, int]]  # digest of a day → its first byte, and how many


@dataclass(frozen=True, slots=True)
class Alignment:
    """The members of each cluster, by the event's place, and what became of articles and events."""

    calendar: EventCalendar
    members: Mapping[int, tuple[Member, ...]]
    articles: StepTally
    events: StepTally


def align(
    events: Sequence[Event],
    batches: Batches,
    aligner: EventAligner,
    *,
    settings: AlignSettings | None = None,
    uncited: bool = False,
    audit: Callable[[AlignCandidate], object] = lambda candidate: None,
) -> Alignment:
    """Decide which articles join which events.

    Batches come with the number of their file, in order of rows.

    `uncited` also makes clusters of events of which no source was obtained; `audit` is called with every candidate above the floor.
    """
    settings = settings or AlignSettings()
    calendar = EventCalendar(events)
    window = aligner.windows(calendar, settings.days)
    rows_read: dict[int, int] = defaultdict(int)

    def decisions() -> Iterator[Decisions]:
        for file, batch in batches:
            yield decide(file, rows_read[file], batch, calendar, aligner, window, settings)
            rows_read[file] += len(batch)

    return alignment_of(calendar, decisions(), uncited=uncited, audit=audit)


def file_decisions(
    number: int,
    file: ArticleFile,
    calendar: EventCalendar,
    aligner: EventAligner,
    window: Callable[[str], Window],
    settings: AlignSettings,
) -> list[Decisions]:
    """Decide on a file, batch by batch; `number` is its place among the files."""
    decisions, first_row = [], 0
    for batch in file.batches():
        decisions.append(decide(number, first_row, batch, calendar, aligner, window, settings))
        first_row += len(batch)
    return decisions


def alignment_of(
    calendar: EventCalendar,
    decisions: Iterable[Decisions],
    *,
    uncited: bool,
    audit: Callable[[AlignCandidate], object],
) -> Alignment:
    """Return the alignment that decisions make together, whatever the batches were."""
    members: dict[int, list[Member]] = defaultdict(list)
    lost = Accounts("align").tally()
    for batch in decisions:
        lost = lost + batch.lost
        for event, member in batch.members:
            members[event].append(member)
        for candidate in batch.candidates:
            audit(candidate)
    accounts = Accounts("align")
    chosen = _chosen(calendar, members, accounts, uncited=uncited)
    events = _events_tally(calendar, chosen, uncited=uncited)
    return Alignment(calendar, chosen, lost + accounts.tally(), events)


def clusters(alignment: Alignment, readers: Sequence[Reader]) -> Iterator[Cluster]:
    """Yield the clusters in order of days; `readers` has one function a file, from rows to articles."""
    # event → (file, row) → article
    gathered: dict[int, dict[tuple[int, int], Article]] = defaultdict(dict)
    waiting = sorted(alignment.members)
    for event, place, article in _gather(alignment, readers, "cited"):
        gathered[event][place] = article
    for event, place, article in _gather(alignment, readers, "found"):
        gathered[event][place] = article
        # Files come by date: what lies before the event at hand by more than the window is complete.
        while waiting and len(gathered[waiting[0]]) == len(alignment.members[waiting[0]]):
            complete = waiting.pop(0)
            yield _cluster(alignment, complete, gathered.pop(complete))
    for event in waiting:
        yield _cluster(alignment, event, gathered.pop(event))


def align_articles(
    events: Sequence[Event],
    articles: Iterable[Article],
    aligner: EventAligner,
    *,
    settings: AlignSettings | None = None,
    uncited: bool = False,
) -> tuple[list[Cluster], list[AlignCandidate], Alignment]:
    """Return the clusters of articles in memory, with the candidates for audit and the accounts."""
    rows = list(articles)
    candidates: list[AlignCandidate] = []
    alignment = align(
        events,
        [(0, ArticleBatch.of(rows))],
        aligner,
        settings=settings,
        uncited=uncited,
        audit=candidates.append,
    )
    read: Reader = lambda wanted: ((row, rows[row]) for row in sorted(wanted))  # noqa: E731
    return list(clusters(alignment, [read])), candidates, alignment


def _chosen(
    calendar: EventCalendar,
    members: Mapping[int, Sequence[Member]],
    accounts: Accounts,
    *,
    uncited: bool,
) -> dict[int, tuple[Member, ...]]:
    """Return the members of each cluster, cited ones first, then by probability; count the rest."""
    chosen: dict[int, tuple[Member, ...]] = {}
    lost: dict[tuple[int, int], str] = {}  # file and row → reason
    for event in range(len(calendar.events)):
        joined = sorted(members.get(event, ()), key=_cited_first)
        if not joined:
            continue
        if not uncited and joined[0].origin != "cited":
            lost |= {(member.file, member.row): EVENT_WITHOUT_SOURCE for member in joined}
            continue
        by_id: dict[str, Member] = {}
        for member in joined:
            if by_id.setdefault(member.id, member) is not member:
                lost[member.file, member.row] = SAME_ID
        chosen[event] = tuple(by_id.values())
    placed = {(member.file, member.row) for cluster in chosen.values() for member in cluster}
    accounts.keep(len(placed))
    for place, reason in lost.items():
        if place not in placed:
            accounts.drop(reason)
    return chosen


def _cited_first(member: Member) -> tuple[bool, float, int, int]:
    return (member.origin != "cited", -(member.probability or 0.0), member.file, member.row)


def _events_tally(
    calendar: EventCalendar, chosen: Mapping[int, Sequence[Member]], *, uncited: bool
) -> StepTally:
    """Count the events that have a cluster and those that have none."""
    accounts = Accounts("clusters")
    accounts.keep(len(chosen))
    accounts.drop(NO_ARTICLE if uncited else NO_SOURCE, len(calendar.events) - len(chosen))
    accounts.note("events that cite nothing", sum(not event.sources for event in calendar.events))
    return accounts.tally()


def _gather(
    alignment: Alignment, readers: Sequence[Reader], origin: Origin
) -> Iterator[tuple[int, tuple[int, int], Article]]:
    """Yield the articles of one origin, each after its event and its place (file and row)."""
    # file → row → events
    wanted: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for event, members in alignment.members.items():
        for member in members:
            if member.origin == origin:
                wanted[member.file][member.row].append(event)
    for file in sorted(wanted):
        for row, article in readers[file](wanted[file].keys()):
            for event in wanted[file][row]:
                yield event, (file, row), article


def _cluster(
    alignment: Alignment, place: int, articles: Mapping[tuple[int, int], Article]
) -> Cluster:
    """Return the cluster of the event at `place`; `articles` are by file and row."""
    event = alignment.calendar.events[place]
    members = tuple(
        ClusterArticle(
            **{name: getattr(articles[member.file, member.row], name) for name in _FIELDS},
            origin=member.origin,
            probability=member.probability,
        )
        for member in alignment.members[place]
    )
    return Cluster(event.id, members, event.date, event.category, event.summary, event.story)


def write_cluster_days(
    path: Path, places: Path, alignment: Alignment, files: Sequence[ArticleFile]
) -> list[str]:
    """Write the clusters in order of days, and where each day stands to `places`.

    Return the days whose clusters were gathered now.
    Those of a day whose events and members are as they were are copied from the file that is there.
    """
    before = _read_places(path, places)
    by_day = groupby(sorted(alignment.members), lambda place: alignment.calendar.events[place].date)
    days = {day: list(events) for day, events in by_day}
    digests = {day: _digest(alignment, events, files) for day, events in days.items()}
    stale = [day for day, digest in digests.items() if digest not in before]
    members = {event: alignment.members[event] for day in stale for event in days[day]}
    gathered = clusters(replace(alignment, members=members), [file.articles for file in files])
    sha, offset, day_places = hashlib.sha256(), 0, []
    with atomic(path) as stream:
        for day, events in days.items():
            if digests[day] in before:
                text = _copied(path, *before[digests[day]])
            else:
                lines = map(record_text, islice(gathered, len(events)))
                text = "".join(f"{line}\n" for line in lines).encode("utf-8")
            stream.write(text)
            sha.update(text)
            day_places.append([digests[day], offset, len(text)])
            offset += len(text)
    with atomic(places) as stream:
        stream.write(json_line({"sha256": sha.hexdigest(), "days": day_places}))
    return stale


def _digest(alignment: Alignment, events: Sequence[int], files: Sequence[ArticleFile]) -> str:
    """Return the digest of events, and of file, id, origin and probability of each member."""
    value: list[Any] = [__version__]
    for event in events:
        members = [
            [files[member.file].path.name, member.id, member.origin, member.probability]
            for member in alignment.members[event]
        ]
        value.append([schema_of(Event).encode(alignment.calendar.events[event]), members])
    return digest_of(value)


def _read_places(path: Path, places: Path) -> Places:
    """Return where each day stands in a file; nothing if `places` describes another file."""
    if not path.is_file() or not places.is_file():
        return {}
    value = json_value(places.read_bytes())
    if value["sha256"] != file_digest(path):
        return {}
    return {digest: (first, length) for digest, first, length in value["days"]}


def _copied(path: Path, first: int, length: int) -> bytes:
    with path.open("rb") as stream:
        stream.seek(first)
        return stream.read(length)
