"""The alignment step of a build: events and articles become clusters, with the losing candidates and the measures of the aligner.

Decisions, measures and clusters are computed day by day and only where their inputs changed. An aligner that is fitted on the sources of the build itself
changes with every new source, and everything with it; one that ships or was saved stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from newsdesk.corpus.align.article_files import ArticleFile, cited_rows
from newsdesk.corpus.align.calendar import EventCalendar
from newsdesk.corpus.align.candidates import AlignSettings
from newsdesk.corpus.align.clusters import Alignment, alignment_of
from newsdesk.corpus.align.measured import MeasuredAligner, measured_fit
from newsdesk.corpus.align.model import EventAligner, ready_aligner
from newsdesk.corpus.align.training import fit_aligner
from newsdesk.corpus.build.cache import DayCache
from newsdesk.corpus.build.cluster_days import write_cluster_days
from newsdesk.corpus.build.decisions import CitedRows, EventKeys, stored_decisions
from newsdesk.corpus.build.measures import measured_by_day
from newsdesk.corpus.build.settings import AlignTable
from newsdesk.files import atomic, write_text
from newsdesk.jsonl import json_line, json_text
from newsdesk.types import Article, Event

CLUSTERS = "clusters.jsonl"
CANDIDATES = "candidates.jsonl"
MEASURES = "aligner.json"


@dataclass(frozen=True, slots=True)
class AlignStores:
    """What alignment stores to go on: decisions, scored pairs, and the file that says where the clusters of each day stand."""

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
    """Write clusters, candidates and measures to a folder; the alignment, and the days whose clusters were gathered now."""
    keys = EventKeys(EventCalendar(events))
    cited = [cited_rows(file, keys.calendar) for file in files]
    aligner, measured = _aligner(files, cited, keys, table, root, stores.pairs)
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


def _aligner(
    files: Sequence[ArticleFile],
    cited: Sequence[CitedRows],
    keys: EventKeys,
    table: AlignTable,
    root: Path,
    pairs: DayCache,
) -> tuple[EventAligner, MeasuredAligner | None]:
    if table.fit:
        fitted = fit_aligner(
            keys.calendar.events,
            _sources(files, cited),
            features=table.features,
            threshold=table.probability,
        )
        return fitted.aligner, measured_fit(fitted)
    saved = table.aligner
    aligner = EventAligner.load(root / saved) if saved else ready_aligner(table.features)
    return aligner, measured_by_day(files, cited, keys, aligner, table.probability, pairs)


def _sources(files: Sequence[ArticleFile], cited: Sequence[CitedRows]) -> Iterator[Article]:
    for file, rows in zip(files, cited, strict=True):
        if rows:
            yield from (article for _, article in file.articles(rows))
