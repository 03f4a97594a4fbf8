"""Alignment from files to files: the clusters, the candidates for audit, a fitted aligner, and a report as JSON or as a page."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.corpus.align.article_files import ArticleFile, cited_in
from newsdesk.corpus.align.calendar import EventCalendar, window_of
from newsdesk.corpus.align.candidates import AlignCandidate, AlignSettings
from newsdesk.corpus.align.clusters import (
    Alignment,
    Decisions,
    alignment_of,
    clusters,
    file_decisions,
)
from newsdesk.corpus.align.features import FeatureSet, Window
from newsdesk.corpus.align.measured import (
    MeasuredAligner,
    measured_fit,
    measured_on_cited,
    measured_section,
)
from newsdesk.corpus.align.model import EventAligner, ready_aligner
from newsdesk.corpus.align.training import fit_aligner
from newsdesk.corpus.tally import StepTally
from newsdesk.files import atomic, write_text
from newsdesk.jsonl import json_line, json_text
from newsdesk.model.folder import write_article_list
from newsdesk.results.page import Cell, Section, page
from newsdesk.types import Event
from newsdesk.work import OnProgress, Progress, map_items, silent
from newsdesk.work.cluster import is_cluster

_Run = tuple[str, Sequence[Event], EventAligner, AlignSettings]
_State = tuple[EventCalendar, Callable[[str], Window]]

# What a process has prepared for all files of a run, by the name of the run.
_prepared: dict[str, _State] = {}


def align_files(
    events: Sequence[Event],
    files: Sequence[ArticleFile],
    aligner: EventAligner,
    *,
    settings: AlignSettings | None = None,
    uncited: bool = False,
    audit: Callable[[AlignCandidate], object] = lambda candidate: None,
    processes: int = 1,
    engine: str = "inline",
    progress: OnProgress = silent,
) -> Alignment:
    """Align as `align` does, over files; one process or worker of a cluster decides on each file."""
    run = (uuid.uuid4().hex, events, aligner, settings or AlignSettings())
    if not is_cluster(engine):
        engine = "processes" if processes > 1 else "inline"

    def decisions() -> Iterator[Decisions]:
        batches = map_items(engine, _decide, run, enumerate(files), workers=processes)
        for done, batch in enumerate(batches, 1):
            yield from batch
            progress(Progress("aligning", done, len(files)))

    return alignment_of(EventCalendar(events), decisions(), uncited=uncited, audit=audit)


def _decide(run: _Run, numbered: tuple[int, ArticleFile]) -> list[Decisions]:
    """Return the decisions on a file, batch by batch."""
    name, events, aligner, settings = run
    if name not in _prepared:
        _prepared.clear()
        calendar = EventCalendar(events)
        _prepared[name] = calendar, window_of(calendar, aligner, settings.days)
    calendar, window = _prepared[name]
    number, file = numbered
    return file_decisions(number, file, calendar, aligner, window, settings)


@dataclass(frozen=True, slots=True)
class AlignerChoice:
    """Which aligner: the one in the folder `saved`, one fitted now, or the one that ships."""

    features: FeatureSet = "rich"
    saved: str | os.PathLike[str] | None = None
    fit: bool = False


@dataclass(frozen=True, slots=True)
class AlignOutputs:
    """The files to write.

    `aligner` is the folder of one that is fitted now, a report whose name ends in `.html` is a
    page.
    """

    clusters: str
    candidates: str | None = None
    report: str | None = None
    aligner: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AlignRun:
    """What was aligned, with which aligner, and its quality (None if it was not measured)."""

    alignment: Alignment
    aligner: EventAligner
    measured: MeasuredAligner | None

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of a report."""
        return {
            "steps": [self.alignment.articles.as_json(), self.alignment.events.as_json()],
            "signature": self.aligner.signature,
            "fitted_on": self.aligner.data,
            **(self.measured.as_json() if self.measured else {}),
        }


def align_to_files(
    events: Sequence[Event],
    files: Sequence[ArticleFile],
    outputs: AlignOutputs,
    choice: AlignerChoice,
    *,
    settings: AlignSettings,
    uncited: bool = False,
    processes: int = 1,
    engine: str = "inline",
    progress: OnProgress = silent,
    overwrite: bool = False,
) -> AlignRun:
    """Align the articles of files and write all outputs.

    An aligner that is not fitted now is measured if a report is asked for.

    A cluster (`engine`) decides on each file as a task, and counts words where an aligner is fitted.
    """

    def measure(aligner: EventAligner) -> MeasuredAligner | None:
        return measured_on_cited(aligner, events, cited_in(files, events), settings.probability)

    aligner, measured = chosen_aligner(
        choice,
        events,
        lambda: cited_in(files, events),
        settings.probability,
        measure=measure if outputs.report else None,
        engine=engine,
    )
    with ExitStack() as stack:
        stream = None
        if outputs.candidates:
            stream = stack.enter_context(atomic(outputs.candidates, overwrite=overwrite))
        alignment = align_files(
            events,
            files,
            aligner,
            settings=settings,
            uncited=uncited,
            audit=lambda each: stream and stream.write(json_line(asdict(each))),
            processes=processes,
            engine=engine,
            progress=progress,
        )
        rows = clusters(alignment, [file.articles for file in files])
        records.write(outputs.clusters, rows, overwrite=overwrite)
    if outputs.aligner:
        aligner.save(outputs.aligner, overwrite=overwrite)
        write_article_list(outputs.aligner, cited_in(files, events))
    run = AlignRun(alignment, aligner, measured)
    if outputs.report:
        html = Path(outputs.report).suffix.lower() in (".html", ".htm")
        text = align_page(run) if html else json_text(run.as_json()) + "\n"
        write_text(outputs.report, text, overwrite=overwrite)
    return run


def chosen_aligner(
    choice: AlignerChoice,
    events: Sequence[Event],
    sources: Callable[[], Any],
    threshold: float,
    *,
    measure: Callable[[EventAligner], MeasuredAligner | None] | None,
    engine: str = "inline",
) -> tuple[EventAligner, MeasuredAligner | None]:
    """Return the aligner to use, and its measures.

    Of one fitted now those of the fit, of any other what `measure` returns.
    """
    if choice.fit:
        fitted = fit_aligner(
            events,
            list(sources()),
            features=choice.features,
            threshold=threshold,
            engine=engine,
        )
        return fitted.aligner, measured_fit(fitted)
    aligner = EventAligner.load(choice.saved) if choice.saved else ready_aligner(choice.features)
    return aligner, measure(aligner) if measure else None


def align_page(run: AlignRun) -> str:
    """Return the report as a page: how good the aligner is, and what became of articles and events."""
    accounts = Section("What became of everything", "Each article and event is counted once.")
    for unit, tally in (("articles", run.alignment.articles), ("events", run.alignment.events)):
        accounts.table([unit, "count"], _rows(tally), f"{unit}: {tally.read:,} read")
    aligner = f"{run.aligner.signature}\nfitted on {run.aligner.data}"
    lead = "Which articles report which event, by a classifier of pairs after Gholipour Ghalandari et al. (2020)."
    return page("newsdesk: alignment", lead, [measured_section(run.measured, aligner), accounts])


def _rows(tally: StepTally) -> list[list[Cell]]:
    rows: list[list[Cell]] = [["in clusters" if tally.step == "align" else "clusters", tally.kept]]
    rows += [[reason, count] for reason, count in sorted(tally.dropped.items())]
    return rows + [[f"note: {what}", count] for what, count in sorted(tally.notes.items())]
