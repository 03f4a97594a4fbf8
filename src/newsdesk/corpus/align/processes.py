"""Alignment of many files in several processes or on a cluster: the same decisions in the same order, whatever their number."""

from __future__ import annotations

import multiprocessing
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from newsdesk.corpus.align.article_files import ArticleFile
from newsdesk.corpus.align.calendar import Calendar, window_of
from newsdesk.corpus.align.candidates import AlignSettings, Candidate
from newsdesk.corpus.align.clusters import Alignment, Decisions, alignment_of, decisions_of
from newsdesk.corpus.align.features import Window
from newsdesk.corpus.align.model import Aligner
from newsdesk.corpus.engine import map_items
from newsdesk.corpus.engine.cluster import is_cluster
from newsdesk.errors import ArgumentError
from newsdesk.types import Event

_Numbered = tuple[int, ArticleFile]
_State = tuple[Calendar, Aligner, Callable[[str], Window], AlignSettings]

# What a worker process needs for every file, sent to it once.
_state: list[_State] = []
# The same on a worker of a cluster, by the name of the run.
_prepared_runs: dict[str, _State] = {}


def align_files(
    events: Sequence[Event],
    files: Sequence[ArticleFile],
    aligner: Aligner,
    *,
    settings: AlignSettings | None = None,
    uncited: bool = False,
    audit: Callable[[Candidate], object] = lambda candidate: None,
    processes: int = 1,
    engine: str = "inline",
    progress: Callable[[int], object] = lambda files: None,
) -> Alignment:
    """As `align`, over files; `progress` is called with the number of files done. A cluster decides on each file as a task."""
    if processes < 1:
        raise ArgumentError(f"processes is {processes}, not at least 1")
    settings = settings or AlignSettings()
    decisions = _decisions(events, files, aligner, settings, processes, engine, progress)
    return alignment_of(Calendar(events), decisions, uncited=uncited, audit=audit)


def _decisions(
    events: Sequence[Event],
    files: Sequence[ArticleFile],
    aligner: Aligner,
    settings: AlignSettings,
    processes: int,
    engine: str,
    progress: Callable[[int], object],
) -> Iterator[Decisions]:
    numbered = list(enumerate(files))
    if is_cluster(engine):
        shared = (uuid.uuid4().hex, events, aligner, settings)
        results: Iterator[list[Decisions]] = map_items(engine, _decide_on_cluster, shared, numbered)
    elif processes == 1 or len(files) < 2:
        state = _prepared(events, aligner, settings)
        results = map(partial(_decide_file, state), numbered)
    else:
        # Spawned, not forked: a fork would copy the locks of threads that polars runs.
        pool = ProcessPoolExecutor(
            min(processes, len(files)),
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(events, aligner, settings),
        )
        results = _in_pool(pool, numbered)
    for done, batch in enumerate(results, 1):
        yield from batch
        progress(done)


def _in_pool(pool: ProcessPoolExecutor, numbered: Sequence[_Numbered]) -> Iterator[list[Decisions]]:
    with pool:
        yield from pool.map(_decide_in_worker, numbered)


def _prepared(events: Sequence[Event], aligner: Aligner, settings: AlignSettings) -> _State:
    calendar = Calendar(events)
    return calendar, aligner, window_of(calendar, aligner, settings.days), settings


def _start(events: Sequence[Event], aligner: Aligner, settings: AlignSettings) -> None:
    _state.append(_prepared(events, aligner, settings))


def _decide_in_worker(numbered: _Numbered) -> list[Decisions]:
    return _decide_file(_state[-1], numbered)


def _decide_on_cluster(
    shared: tuple[str, Sequence[Event], Aligner, AlignSettings], numbered: _Numbered
) -> list[Decisions]:
    """The decisions on a file; what is prepared for a run is prepared once by each worker."""
    run, events, aligner, settings = shared
    if run not in _prepared_runs:
        _prepared_runs.clear()
        _prepared_runs[run] = _prepared(events, aligner, settings)
    return _decide_file(_prepared_runs[run], numbered)


def _decide_file(state: _State, numbered: _Numbered) -> list[Decisions]:
    calendar, aligner, window, settings = state
    number, file = numbered
    decisions, row = [], 0
    for batch in file.batches():
        decisions.append(decisions_of(number, row, batch, calendar, aligner, window, settings))
        row += len(batch)
    return decisions
