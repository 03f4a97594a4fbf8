"""The alignment step of a build: events and an articles folder become clusters, with the losing candidates for audit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from newsdesk import records
from newsdesk.corpus.align.article_files import ArticleFile, article_files, cited_in
from newsdesk.corpus.align.candidates import AlignSettings, ArticleBatch, Candidate
from newsdesk.corpus.align.clusters import Alignment, align, clusters
from newsdesk.corpus.align.model import Aligner, ready_aligner
from newsdesk.corpus.align.training import fit_aligner
from newsdesk.corpus.build.settings import AlignTable
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.types import Event

CLUSTERS = "clusters.jsonl"
CANDIDATES = "candidates.jsonl"


def write_clusters(
    folder: Path, articles: Path, events: Sequence[Event], table: AlignTable, root: Path
) -> Alignment:
    """Write the clusters and the candidates to a folder."""
    files = article_files(articles)
    aligner = _aligner(events, files, table, root)
    candidates: list[Candidate] = []
    alignment = align(
        events,
        _batches(files),
        aligner,
        settings=AlignSettings(probability=table.probability, days=table.days),
        uncited=table.uncited,
        audit=candidates.append,
    )
    records.write(folder / CLUSTERS, clusters(alignment, [file.articles for file in files]))
    with atomic(folder / CANDIDATES) as stream:
        for candidate in candidates:
            stream.write(json_line(asdict(candidate)))
    return alignment


def _batches(files: Sequence[ArticleFile]) -> Iterator[tuple[int, ArticleBatch]]:
    for number, file in enumerate(files):
        for batch in file.batches():
            yield number, batch


def _aligner(
    events: Sequence[Event], files: Sequence[ArticleFile], table: AlignTable, root: Path
) -> Aligner:
    if table.aligner is not None:
        return Aligner.load(root / table.aligner)
    if not table.fit:
        return ready_aligner(table.features)
    sources = list(cited_in(files, events))
    return fit_aligner(
        events, sources, features=table.features, threshold=table.probability
    ).aligner
