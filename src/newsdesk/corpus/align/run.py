"""The alignment step: clusters, the candidates for audit, a fitted aligner, and a report as JSON or as a page.

`align_step` decides file by file and stores what was decided, and the scored pairs of each date: a build goes on where nothing changed, a command
where it was killed. An aligner that is fitted on the sources of the corpus itself changes with every new source, and everything with it; one that ships
or was saved stays.
"""

from __future__ import annotations

import functools
import os
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.corpus.align.article_files import ArticleFile, CitedRows, cited_in, cited_rows
from newsdesk.corpus.align.candidates import AlignCandidate, AlignSettings, Decisions, Member
from newsdesk.corpus.align.clusters import Alignment, alignment_of, clusters, file_decisions
from newsdesk.corpus.align.features import EventCalendar, FeatureSet, Window
from newsdesk.corpus.align.measured import (
    MeasuredAligner,
    fit_aligner,
    measured_on,
    measured_section,
)
from newsdesk.corpus.align.model import CitedArticle, EventAligner, day_pairs, ready_aligner
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.files import atomic, write_text
from newsdesk.jsonl import json_line, json_text
from newsdesk.records.schema import schema_of
from newsdesk.results.page import Cell, Section, page
from newsdesk.types import Event
from newsdesk.work import Digests, Progress, Running, digest_of, map_items
from newsdesk.work.ledger import DayCache, resumable

Sources = Mapping[int, CitedRows]  # by the number of their file
_Run = tuple[str, Sequence[Event], EventAligner, AlignSettings]
_State = tuple[EventCalendar, Callable[[str], Window]]

INLINE = Running("inline")

# What a process has prepared for all files of a run, by the name of the run.
_prepared: dict[str, _State] = {}


@dataclass(frozen=True, slots=True)
class AlignerChoice:
    """Which aligner: the one in the folder `saved`, one fitted now, or the one that ships."""

    features: FeatureSet = "rich"
    saved: str | os.PathLike[str] | None = None
    fit: bool = False

    def ready(self) -> EventAligner:
        """Return the one that is fitted already."""
        return EventAligner.load(self.saved) if self.saved else ready_aligner(self.features)


@dataclass(frozen=True, slots=True)
class AlignStores:
    """What alignment stores to go on: decisions by file, and scored pairs of cited sources by date."""

    decisions: DayCache
    pairs: DayCache


@dataclass(frozen=True, slots=True, eq=False)
class AlignRun:
    """What was aligned, with which aligner, and its quality (None if it was not measured)."""

    alignment: Alignment
    aligner: EventAligner
    measured: MeasuredAligner | None

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of a report."""
        steps = [self.alignment.articles.as_json(), self.alignment.events.as_json()]
        return {"steps": steps, **self.measures()}

    def measures(self) -> dict[str, Any]:
        """Return the part of the report that is about the aligner."""
        named = {"signature": self.aligner.signature, "fitted_on": self.aligner.data_}
        return {**named, **(self.measured.as_json() if self.measured else {})}


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

    def rows(self, cited: CitedRows) -> list[Any]:
        """Return the rows of a file that are cited, with the events that cite them."""
        return [[row, *map(self.named, places)] for row, places in cited.items()]

    def place(self, date: str, number: int) -> int:
        """Return the place of an event in the calendar."""
        return self.calendar.on(date)[number]


def align_step(
    events: Sequence[Event],
    files: Sequence[ArticleFile],
    choice: AlignerChoice,
    stores: AlignStores,
    *,
    names: Sequence[str],
    settings: AlignSettings,
    by_day: bool = False,
    measure: bool = True,
    uncited: bool = False,
    audit: Callable[[AlignCandidate], object] = lambda candidate: None,
    running: Running = INLINE,
) -> AlignRun:
    """Decide which articles of which files join which events; `names` of files change with their content.

    With `by_day` every file has the articles of one date, and what is decided on it follows from the events around that date and from those that
    cite its articles; otherwise from all events. `audit` is called with every candidate above the floor.
    """
    keys = EventKeys(EventCalendar(events))
    cited: Sequence[CitedRows] = ()
    if by_day or measure or choice.fit:
        cited = [cited_rows(file, keys.calendar) for file in files]
    if choice.fit:
        fitted = fit_aligner(
            keys.calendar.events,
            list(cited_in(files, cited)),
            features=choice.features,
            threshold=settings.probability,
            engine=running.engine,
        )
        aligner, measured = fitted.aligner, fitted.held_out
    else:
        aligner, measured = choice.ready(), None
        if measure:
            pairs = _scored_pairs(files, names, cited, keys, aligner, stores.pairs)
            measured = measured_on(pairs, settings.probability)
    seen = (
        [_seen(file, rows, keys, settings.days) for file, rows in zip(files, cited, strict=True)]
        if by_day
        else [[keys.digests]] * len(files)
    )
    decided_by = [aligner.digest, asdict(settings)]
    inputs = [
        [*decided_by, name, sorted(file.dropped), *events_seen]
        for file, name, events_seen in zip(files, names, seen, strict=True)
    ]
    run = (uuid.uuid4().hex, keys.calendar.events, aligner, settings)
    missing = [(number, files[number]) for number in stores.decisions.missing(inputs)]
    # Decisions on the missing files, in order; a file whose decisions are stored takes none.
    fresh = map_items(running.engine, _decide, run, missing, workers=running.workers)

    def decisions() -> Iterator[Decisions]:
        for number, file in enumerate(files):
            value = stores.decisions.value(
                file.date or "unknown", inputs[number], lambda: _as_json(next(fresh), keys)
            )
            yield _decisions(value, number, keys)
            running.report(Progress("aligning", number + 1, len(files)))

    alignment = alignment_of(keys.calendar, decisions(), uncited=uncited, audit=audit)
    return AlignRun(alignment, aligner, measured)


def _seen(file: ArticleFile, cited: CitedRows, keys: EventKeys, days: int) -> list[Any]:
    """Return the events that decide on the articles of a date: those around it, and those that cite one."""
    near = keys.calendar.near(file.date, days) if file.date else ()
    return [[keys.digests[place] for place in near], keys.rows(cited)]


def _decide(run: _Run, numbered: tuple[int, ArticleFile]) -> list[Decisions]:
    """Return the decisions on a file, batch by batch; a process prepares the events of a run once."""
    name, events, aligner, settings = run
    if name not in _prepared:
        _prepared.clear()
        calendar = EventCalendar(events)
        _prepared[name] = calendar, aligner.windows(calendar, settings.days)
    calendar, window = _prepared[name]
    number, file = numbered
    return file_decisions(number, file, calendar, aligner, window, settings)


def _as_json(batches: Sequence[Decisions], keys: EventKeys) -> dict[str, Any]:
    """Return the decisions on a file as JSON, which `_decisions` reads back."""
    lost = Accounts("align").tally()
    for batch in batches:
        lost = lost + batch.lost
    return {
        "members": [
            [*keys.named(event), member.row, member.id, member.origin, member.probability]
            for batch in batches
            for event, member in batch.members
        ],
        "candidates": [
            list(astuple(candidate)) for batch in batches for candidate in batch.candidates
        ],
        "lost": lost.as_json(),
    }


def _decisions(value: Mapping[str, Any], file: int, keys: EventKeys) -> Decisions:
    """Return the decisions that `_as_json` stored; `file` is the number of their file."""
    return Decisions(
        tuple(
            (keys.place(date, number), Member(file, *member))
            for date, number, *member in value["members"]
        ),
        tuple(AlignCandidate(*candidate) for candidate in value["candidates"]),
        StepTally(**value["lost"]),
    )


def _scored_pairs(
    files: Sequence[ArticleFile],
    names: Sequence[str],
    cited: Sequence[CitedRows],
    keys: EventKeys,
    aligner: EventAligner,
    cache: DayCache,
) -> Iterator[Mapping[str, Any]]:
    """Yield probabilities and labels of all pairs of cited sources and events of each date."""
    for day, sources in sorted(_by_day(cited, keys).items()):
        inputs = [
            aligner.digest,
            [keys.digests[place] for place in keys.calendar.on(day)],
            [
                [names[number], sorted(files[number].dropped), *keys.rows(rows)]
                for number, rows in sources.items()
            ],
        ]
        score = functools.partial(_scored, day, sources, files, keys, aligner)
        yield cache.value(day, inputs, score)


def _by_day(cited: Sequence[CitedRows], keys: EventKeys) -> dict[str, Sources]:
    """Return the sources of the events of each day: file number → row → events that cite it."""
    by_day: dict[str, dict[int, dict[int, tuple[int, ...]]]] = defaultdict(dict)
    for number, rows in enumerate(cited):
        for row, places in rows.items():
            for day in {keys.calendar.events[place].date for place in places}:
                by_day[day].setdefault(number, {})[row] = places
    return {day: dict(sources) for day, sources in by_day.items()}


def _scored(
    day: str, sources: Sources, files: Sequence[ArticleFile], keys: EventKeys, aligner: EventAligner
) -> dict[str, Any]:
    """Return probabilities and labels of the pairs of one day's sources and events."""
    cited = [
        CitedArticle(article, rows[row])
        for number, rows in sources.items()
        for row, article in files[number].articles(rows)
    ]
    pairs = day_pairs(keys.calendar, day, cited, aligner.background_, aligner.features)
    probabilities = aligner.probabilities(pairs.matrix)
    return {"probabilities": probabilities.tolist(), "labels": pairs.labels.tolist()}


@dataclass(frozen=True, slots=True)
class AlignOutputs:
    """The files to write: `aligner` is the folder of a fitted one, a report may be a page (`.html`)."""

    clusters: str
    candidates: str | None = None
    report: str | None = None
    aligner: str | None = None


def align_to_files(
    events: Sequence[Event],
    files: Sequence[ArticleFile],
    outputs: AlignOutputs,
    choice: AlignerChoice,
    *,
    settings: AlignSettings,
    uncited: bool = False,
    running: Running = INLINE,
    overwrite: bool = False,
) -> AlignRun:
    """Align files of articles with events and write all outputs.

    An aligner that is not fitted now is measured if a report is asked for. A run that was killed goes on behind the files that it had decided on.
    """
    with ExitStack() as stack:
        work = stack.enter_context(resumable(outputs.clusters))
        digests = Digests(work / "digests.json")
        names = [file.key(digests) for file in files]
        digests.save()
        stream = None
        if outputs.candidates:
            stream = stack.enter_context(atomic(outputs.candidates, overwrite=overwrite))
        run = align_step(
            events,
            files,
            choice,
            AlignStores(DayCache(work / "decisions"), DayCache(work / "pairs")),
            names=names,
            settings=settings,
            uncited=uncited,
            running=running,
            measure=outputs.report is not None,
            audit=lambda candidate: stream and stream.write(json_line(asdict(candidate))),
        )
        rows = clusters(run.alignment, [file.articles for file in files])
        records.write(outputs.clusters, rows, overwrite=overwrite)
    if outputs.aligner:
        calendar = EventCalendar(events)
        cited = [cited_rows(file, calendar) for file in files]
        run.aligner.save(outputs.aligner, articles=cited_in(files, cited), overwrite=overwrite)
    if outputs.report:
        html = Path(outputs.report).suffix.lower() in (".html", ".htm")
        text = align_page(run) if html else json_text(run.as_json()) + "\n"
        write_text(outputs.report, text, overwrite=overwrite)
    return run


def align_page(run: AlignRun) -> str:
    """Return the report as a page: how good the aligner is, and what became of articles and events."""
    accounts = Section("What became of everything", "Each article and event is counted once.")
    for unit, tally in (("articles", run.alignment.articles), ("events", run.alignment.events)):
        accounts.table([unit, "count"], _rows(tally), f"{unit}: {tally.read:,} read")
    lead = "Which articles report which event, by a classifier of pairs after Gholipour Ghalandari et al. (2020)."
    measures = measured_section(run.measured, run.aligner.summary)
    return page("newsdesk: alignment", lead, [measures, accounts])


def _rows(tally: StepTally) -> list[list[Cell]]:
    """Return the rows of a table: what was kept, then drops and notes by reason."""
    rows: list[list[Cell]] = [["in clusters" if tally.step == "align" else "clusters", tally.kept]]
    rows += [[reason, count] for reason, count in sorted(tally.dropped.items())]
    return rows + [[f"note: {what}", count] for what, count in sorted(tally.notes.items())]
