"""Alignment of many files in several processes or on a cluster: the same decisions in the same order, whatever their number."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence

from newsdesk.corpus.align.article_files import ArticleFile
from newsdesk.corpus.align.calendar import EventCalendar, window_of
from newsdesk.corpus.align.candidates import AlignCandidate, AlignSettings
from newsdesk.corpus.align.clusters import Alignment, Decisions, alignment_of, decisions_of
from newsdesk.corpus.align.features import Window
from newsdesk.corpus.align.model import EventAligner
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
    """As `align`, over files, each of which one process or worker of a cluster decides on."""
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
    decisions, row = [], 0
    for batch in file.batches():
        decisions.append(decisions_of(number, row, batch, calendar, aligner, window, settings))
        row += len(batch)
    return decisions
