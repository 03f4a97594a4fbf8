"""The clustering step: a folder of articles by day becomes clusters, and a line of why for each article.

What is decided on a day follows from its articles, those of the days before it in the window, and what was decided on these; it is stored under a digest of all that. So a killed run goes on, new articles
compute their day again and the days that it reaches, and the clusters are those of one run over everything. Texts are read in a second pass: a cluster is written when its last day was read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.corpus.align.article_files import ArticleFile, article_files
from newsdesk.corpus.align.model import ready_aligner
from newsdesk.corpus.articles import Extraction, build_articles
from newsdesk.corpus.cluster.assign import Joined, assign_day
from newsdesk.corpus.cluster.headline import central, headline_of, lead_of
from newsdesk.corpus.cluster.pairs import PairModel, ready_pair_model
from newsdesk.corpus.cluster.terms import DayTerms, TermNumbers, day_terms
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import ArgumentError, DataError
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.types import Article, Cluster, ClusterArticle
from newsdesk.work import Digests, Progress, Running, digest_of
from newsdesk.work.ledger import DayCache, resumable

METHOD = "cluster 1"
SMALL = "an event of too few articles"
_FIELDS = tuple(field.name for field in fields(Article))
_LISTED = ("cluster", "article", "nearest", "probability", "cosine", "copy", "shared")


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """How many days an event stays open after its latest article, from which probability an article joins (default: the model's), and the smallest event that is written."""

    days: int = 3
    probability: float | None = None
    min_articles: int = 1

    def __post_init__(self) -> None:
        if self.days < 0:
            raise ArgumentError(f"days is {self.days}, below zero")
        if self.probability is not None and not 0 <= self.probability <= 1:
            raise ArgumentError(f"probability is {self.probability}, not a number from 0 to 1")
        if self.min_articles < 1:
            raise ArgumentError(f"min_articles is {self.min_articles}, below 1")

    def model(self) -> PairModel:
        """Return the model that ships, with the probability of these settings."""
        model = ready_pair_model()
        if self.probability is None:
            return model
        return PairModel(model.weights, model.bias, self.probability, model.data)


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """What was decided on each article, day by day, and which days were computed now."""

    days: Mapping[str | None, tuple[Joined, ...]]
    computed: tuple[str, ...]
    signature: str

    @property
    def members(self) -> dict[str, list[Joined]]:
        """The articles of each cluster, in order of days."""
        clusters: dict[str, list[Joined]] = defaultdict(list)
        for joined in (each for day in self.days.values() for each in day):
            clusters[joined.cluster].append(joined)
        return clusters

    def tallies(self, settings: ClusterSettings) -> tuple[StepTally, StepTally]:
        """Return the accounts of articles and of clusters."""
        articles, clusters = Accounts("cluster"), Accounts("events")
        for members in self.members.values():
            small = len(members) < settings.min_articles
            for unit, count in ((articles, len(members)), (clusters, 1)):
                if small:
                    unit.drop(SMALL, count)
                else:
                    unit.keep(count)
            articles.note("near-duplicates", sum(each.copy for each in members))
            clusters.note("events of one article", int(len(members) == 1))
        return articles.tally(), clusters.tally()


def cluster_files(
    files: Sequence[ArticleFile],
    cache: DayCache,
    *,
    names: Sequence[str],
    settings: ClusterSettings,
    report: Callable[[Progress], object] = lambda progress: None,
) -> Clustered:
    """Decide on all articles, day by day; `names` of files change with their content. Every file has the articles of one day."""
    by_day: dict[str | None, list[int]] = defaultdict(list)
    for number, file in enumerate(files):
        by_day[file.date].append(number)
    model = settings.model()
    background = ready_aligner().background_
    numbers = TermNumbers(background)
    order: list[str | None] = [*sorted(filter(None, by_day)), *([None] if None in by_day else [])]

    @lru_cache(maxsize=settings.days + 2)
    def terms(day: str | None) -> DayTerms:
        return _terms(numbers, [files[number] for number in by_day[day]])

    decided: dict[str | None, tuple[Joined, ...]] = {}
    keys: dict[str | None, str] = {}  # of a day: what its decisions follow from
    for place, day in enumerate(order):
        window = [each for each in order[:place] if _within(each, day, settings.days)]
        compared = [[names[number] for number in by_day[each]] for each in (*window, day)]
        inputs = [METHOD, model.signature, settings.days, compared, [keys[each] for each in window]]

        def decide(day: str | None = day, window: list[str | None] = window) -> list[Any]:
            assigned = {each.article: each.cluster for near in window for each in decided[near]}
            days = [terms(each) for each in (*window, day)]
            joined = assign_day(day, days, assigned, numbers, model)
            return [[getattr(each, name) for name in _LISTED] for each in joined]

        rows = cache.value(day or "undated", inputs, decide)
        decided[day] = tuple(_joined(row) for row in rows)
        keys[day] = digest_of([[each.article, each.cluster] for each in decided[day]])
        report(Progress("clustering", place + 1, len(order)))
    return Clustered(decided, tuple(cache.computed), model.signature)


def _joined(row: Sequence[Any]) -> Joined:
    values = dict(zip(_LISTED, row, strict=True))
    return Joined(**{**values, "shared": tuple(values["shared"])})


def _within(earlier: str | None, day: str | None, days: int) -> bool:
    """Return whether a day lies at most so many days before another; articles without a day meet only each other."""
    if earlier is None or day is None:
        return False
    return 0 < date.fromisoformat(day).toordinal() - date.fromisoformat(earlier).toordinal() <= days


def _terms(numbers: TermNumbers, files: Sequence[ArticleFile]) -> DayTerms:
    """Return the terms of the articles of a day, in order of their ids."""
    rows = [
        (name or "", title or "", text or "")
        for file in files
        for name, title, text in file.columns("id", "title", "text")
    ]
    rows.sort(key=lambda row: row[0])
    ids = [name for name, *_ in rows]
    if len(set(ids)) != len(ids):
        twice = next(name for place, name in enumerate(ids) if place and ids[place - 1] == name)
        raise DataError(f"duplicate article id {twice!r}; articles are clustered by id")
    return day_terms(numbers, ids, [title for _, title, _ in rows], [text for *_, text in rows])


def gathered(
    clustered: Clustered, files: Sequence[ArticleFile], settings: ClusterSettings
) -> Iterator[Cluster]:
    """Yield the clusters with their texts: by the day of their last article, then by id."""
    members = {
        name: rows for name, rows in clustered.members.items() if len(rows) >= settings.min_articles
    }
    joined = {each.article: each for rows in members.values() for each in rows}
    left = {name: len(rows) for name, rows in members.items()}
    texts: dict[str, list[Article]] = defaultdict(list)
    by_day: dict[str | None, list[ArticleFile]] = defaultdict(list)
    for file in files:
        by_day[file.date].append(file)
    for day in clustered.days:
        complete = []
        for file in by_day[day]:
            wanted = [row for row, (name,) in enumerate(file.columns("id")) if name in joined]
            for _, article in file.articles(wanted):
                cluster = joined[article.id].cluster
                texts[cluster].append(article)
                left[cluster] -= 1
                if not left[cluster]:
                    complete.append(cluster)
        for name in sorted(complete):
            yield _cluster(name, texts.pop(name), joined)


def _cluster(name: str, articles: Sequence[Article], joined: Mapping[str, Joined]) -> Cluster:
    rows = sorted(articles, key=lambda row: (row.date or "", row.id))
    middle = central(rows)
    return Cluster(
        name,
        tuple(
            ClusterArticle(
                **{field: getattr(row, field) for field in _FIELDS},
                probability=joined[row.id].probability,
            )
            for row in rows
        ),
        rows[0].date,
        category=next((row.category for row in rows if row.category), None),
        title=headline_of(middle) or None,
        lead=lead_of(middle) or None,
        central=middle.id,
    )


def explained(clustered: Clustered) -> Iterator[bytes]:
    """Yield a line of JSON for each article: its cluster and why it is there."""
    for day in clustered.days.values():
        for joined in day:
            values = asdict(joined)
            yield json_line({name: values[name] for name in _LISTED if values[name] is not None})


@dataclass(frozen=True, slots=True)
class ClusterOutputs:
    """The files to write: clusters, and a line of why for each article."""

    clusters: str
    explain: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ClusterRun:
    """What was clustered: the accounts of reading (of files that are no folder of articles), of articles and of events."""

    read: StepTally | None
    articles: StepTally
    events: StepTally
    signature: str
    rejected: int = field(default=0)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the command."""
        steps = [each.as_json() for each in (self.read, self.articles, self.events) if each]
        return {"steps": steps, "signature": self.signature}


def cluster_to_files(
    inputs: Sequence[str],
    outputs: ClusterOutputs,
    *,
    settings: ClusterSettings,
    extraction: Extraction | None = None,
    running: Running | None = None,
    overwrite: bool = False,
) -> ClusterRun:
    """Cluster the articles of a folder by date, or of files of any form, which are read first; write clusters and explanations."""
    running = running or Running("inline")
    with ExitStack() as stack:
        work = stack.enter_context(resumable(outputs.clusters))
        read, rejected, folder = None, 0, Path(inputs[0])
        if len(inputs) > 1 or not _is_by_day(folder):
            folder = work / "articles"
            done = build_articles(
                inputs,
                folder,
                extraction=extraction or Extraction(any_form=True),
                running=running,
                overwrite=True,
            )
            read, rejected = done.tally, done.rejected
        files = article_files(folder)
        digests = Digests(work / "digests.json")
        names = [file.key(digests) for file in files]
        digests.save()
        clustered = cluster_files(
            files, DayCache(work / "days"), names=names, settings=settings, report=running.report
        )
        if outputs.explain:
            with atomic(outputs.explain, overwrite=overwrite) as stream:
                stream.writelines(explained(clustered))
        records.write(outputs.clusters, gathered(clustered, files, settings), overwrite=overwrite)
    articles, events = clustered.tallies(settings)
    return ClusterRun(read, articles, events, clustered.signature, rejected)


def _is_by_day(path: Path) -> bool:
    """Return whether a folder has Parquet by day, as `corpus articles` and `corpus from` write it."""
    return path.is_dir() and any(path.glob("date=*/*.parquet"))
