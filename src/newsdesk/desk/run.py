"""One run of a desk: new files of its inputs become articles, these join events, and events with something new get a summary.

The folder holds `articles/`, `clusters.jsonl`, `why.jsonl`, `summaries.jsonl` and `ledger.jsonl`. No file holds a clock, and each is written atomically, only if it changes. The ledger is written before the files that it describes: a
run that is killed between them finds its own entry when it goes on.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.corpus.align.article_files import article_files
from newsdesk.corpus.articles import Extraction, build_articles
from newsdesk.corpus.cluster.run import (
    Clustered,
    ClusterSettings,
    cluster_files,
    explained,
    gathered,
)
from newsdesk.corpus.partitions import Filters
from newsdesk.corpus.tally import StepTally
from newsdesk.desk.ledger import append, events_of
from newsdesk.files import atomic, read_text, remove_parts
from newsdesk.records.schema import MOST_TOML_BYTES, parse_toml, schema_of
from newsdesk.summarizers import seeded_summarizer
from newsdesk.summarizers.outputs import write_outputs
from newsdesk.types import Cluster, Output
from newsdesk.work import Digests, Running, digest_of, locked
from newsdesk.work.ledger import DayCache, work_folder

CLUSTERS, WHY, SUMMARIES, LEDGER = "clusters.jsonl", "why.jsonl", "summaries.jsonl", "ledger.jsonl"


@dataclass(frozen=True, slots=True)
class InputsTable:
    """`[articles]`: files and folders of any form; columns as `field=column`; the order of dates; filters."""

    inputs: tuple[str, ...]
    map: tuple[str, ...] = ()
    dates: str | None = None
    languages: tuple[str, ...] = ()
    min_characters: int = 0


@dataclass(frozen=True, slots=True)
class OpenEventsTable:
    """`[events]`: days that an event stays open, from which probability an article joins, the smallest event."""

    days: int = 3
    probability: float | None = None
    min_articles: int = 1


@dataclass(frozen=True, slots=True)
class SummariesTable:
    """`[summaries]`: method, length, and from how many articles on an event gets one."""

    method: str = "expected-rouge"
    max_words: int = 40
    min_articles: int = 2


@dataclass(frozen=True, slots=True)
class DeskSettings:
    """All tables of a desk's file; `folder` is where it keeps its files."""

    articles: InputsTable
    events: OpenEventsTable = field(default_factory=OpenEventsTable)
    summaries: SummariesTable = field(default_factory=SummariesTable)
    folder: str = "desk"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class DeskRun:
    """What a run did: its folder, the accounts of articles, days computed now, summaries written now, and whether anything was new."""

    folder: Path
    articles: StepTally
    events: StepTally
    computed: tuple[str, ...]
    summarized: int
    rejected: int
    changed: bool

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the command."""
        steps = [self.articles.as_json(), self.events.as_json()]
        return {"steps": steps, "days": list(self.computed), "summarized": self.summarized, "changed": self.changed}  # fmt: skip


def read_desk(path: str | os.PathLike[str]) -> DeskSettings:
    """Read the TOML file of a desk; an unknown key is an error."""
    name = os.fspath(path)
    return parse_toml(read_text(name, most_bytes=MOST_TOML_BYTES), DeskSettings, name)


def run_desk(settings: DeskSettings, root: Path, *, running: Running | None = None) -> DeskRun:
    """Bring a desk up to date with its inputs; paths of the settings are relative to `root`."""
    from newsdesk.corpus.intake.columns import parse_article_map

    folder, work = work_folder(root / settings.folder, "desk", overwrite=False)
    running = running or Running("inline")
    with locked(work):
        remove_parts(folder)
        table = settings.articles
        report = build_articles(
            table.inputs,
            folder / "articles",
            extraction=Extraction(
                any_form=True, columns=tuple(parse_article_map(table.map).items()), dates=table.dates
            ),
            filters=Filters(languages=table.languages, min_characters=table.min_characters),
            running=running,
            root=root,
            forgotten=folder,
        )  # fmt: skip
        files = article_files(folder / "articles") if report.files else []
        digests = Digests(work / "digests.json")
        names = [file.key(digests) for file in files]
        digests.save()
        chosen = ClusterSettings(**{name: getattr(settings.events, name) for name in ("days", "probability", "min_articles")})  # fmt: skip
        cache = DayCache(work / "days")
        clustered = cluster_files(files, cache, names=names, settings=chosen)
        cache.sweep()
        before = events_of(folder / WHY)
        days = _days(clustered)
        after = {each.article: each.cluster for rows in clustered.days.values() for each in rows}
        changed = append(folder / LEDGER, before, after, days, _open_days(days, chosen.days))
        _write(folder / WHY, b"".join(explained(clustered)))
        _write_records(folder / CLUSTERS, gathered(clustered, files, chosen))
        summarized = _summaries(folder, work, settings)
    _, events = clustered.tallies(chosen)
    return DeskRun(folder, report.tally, events, clustered.computed, summarized, report.rejected, changed)  # fmt: skip


def _days(clustered: Clustered) -> dict[str, str]:
    return {each.article: day or "undated" for day, rows in clustered.days.items() for each in rows}


def _open_days(days: dict[str, str], window: int) -> Sequence[str]:
    """Return the latest day and those before it on which an event that has an article is still open."""
    dated = [day for day in days.values() if day != "undated"]
    if not dated:
        return ["undated"]
    last = date.fromisoformat(max(dated))
    return [(last - timedelta(days=back)).isoformat() for back in range(window + 1)]


def _write(path: Path, content: bytes) -> None:
    """Write a file unless it holds these bytes already."""
    if path.is_file() and path.read_bytes() == content:
        return
    with atomic(path, overwrite=True) as stream:
        stream.write(content)


def _write_records(path: Path, rows: Iterator[Cluster]) -> None:
    """Write clusters unless the file holds the same already."""
    with tempfile.TemporaryDirectory(prefix="newsdesk-") as scratch:
        made = Path(scratch) / path.name
        records.write(made, rows)
        _write(path, made.read_bytes())


def _summaries(folder: Path, work: Path, settings: DeskSettings) -> int:
    """Write the summaries; only events whose articles are new or changed are summarized now, and their number is returned."""
    table = settings.summaries
    method = seeded_summarizer(table.method, settings.seed, max_words=table.max_words)
    cache = DayCache(work / "summaries")
    clusters = [each for each in records.read(folder / CLUSTERS, Cluster) if len(each.articles) >= table.min_articles]  # fmt: skip
    outputs = []
    for cluster in clusters:
        articles = [[row.id, row.title, row.text, row.date] for row in cluster.articles]
        inputs = [method.signature, cluster.id, digest_of(articles)]

        def summarize(cluster: Cluster = cluster) -> dict[str, Any]:
            with tempfile.TemporaryDirectory(prefix="newsdesk-") as scratch:
                made = Path(scratch) / "one.jsonl"
                write_outputs(method, [cluster], made, clean=True)
                [output] = records.read(made, Output)
            encoded: dict[str, Any] = schema_of(Output).encode(output)
            return encoded

        outputs.append(schema_of(Output).decode(cache.value(cluster.id, inputs, summarize)))
    cache.sweep()
    lines = "".join(f"{records.record_text(output)}\n" for output in outputs)
    _write(folder / SUMMARIES, lines.encode())
    return len(cache.computed)
