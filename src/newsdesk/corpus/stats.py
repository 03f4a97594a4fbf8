"""What a data set of clusters is like: Tables 3 and 4 of Gholipour Ghalandari et al. (2020), coverage and density, duplicates, languages, link rot.

Words are runs of letters and digits. Sentences are those of `newsdesk.text`. Coverage and density (Grusky et al. 2018) compare a summary with all
articles of its cluster and cost far more than the rest, so they are taken from a seeded sample of clusters whose size is printed. Duplicates within
a cluster are articles whose words are the same as an earlier one's. The page has the tables, and coverage against density (Figure 1 there).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Protocol

import numpy as np

from newsdesk import records
from newsdesk.corpus.align.background import words
from newsdesk.corpus.pages import url_key
from newsdesk.corpus.splits import By, selected, variant_name
from newsdesk.corpus.tally import by_count
from newsdesk.errors import ArgumentError
from newsdesk.files import write_text
from newsdesk.metrics.extractive import extractiveness
from newsdesk.results.page import Cell, Section, page
from newsdesk.results.plots import clouds
from newsdesk.streams import stream
from newsdesk.text import language, sentences
from newsdesk.types import Cluster, Event
from newsdesk.work import map_items

UNKNOWN = "unknown"
_STRETCH_CLUSTERS = 50


@dataclass(frozen=True, slots=True)
class Range:
    """The least, the greatest, the mean and the median of a number that every cluster or article has."""

    n: int
    min: float
    max: float
    mean: float
    median: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Range | None:
        """Return the range of some values; None where there are none."""
        if not len(values):
            return None
        numbers = np.asarray(values, dtype=np.float64)
        return cls(
            n=len(numbers),
            min=float(numbers.min()),
            max=float(numbers.max()),
            mean=float(numbers.mean()),
            median=float(np.median(numbers)),
        )


@dataclass(frozen=True, slots=True)
class Stats:
    """The statistics of one clusters file; `extractive` holds (coverage, density) of the sampled clusters."""

    name: str
    clusters: int
    articles: int
    cited: int
    first_day: str | None
    last_day: str | None
    articles_per_cluster: Range | None
    cited_per_cluster: Range | None
    article_words: Range | None
    summary_words: Range | None
    summary_sentences: Range | None
    categories: Mapping[str, int]
    languages: Mapping[str, int]
    stories: int
    empty_articles: int
    duplicate_articles: int
    coverage: Range | None
    density: Range | None
    extractive: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class LinkRot:
    """Of the sources that events cite in a year, how many are in a cluster."""

    year: str
    sources: int
    obtained: int


def cluster_stats(
    name: str,
    clusters: Iterable[Cluster],
    *,
    sample: int = 500,
    seed: int = 0,
    engine: str = "inline",
) -> Stats:
    """Return the statistics of clusters; `sample` of them are drawn for coverage and density."""
    if sample < 0:
        raise ArgumentError(f"sample is {sample}, below zero")
    columns = _Columns()
    reservoir = _Reservoir(sample, seed)
    for part in map_items(engine, _columns_of, None, _stretches(clusters, reservoir)):
        columns.extend(part)
    extractive = tuple(map_items(engine, _extractive, None, reservoir.clusters()))
    return columns.stats(name, extractive)


def _stretches(clusters: Iterable[Cluster], reservoir: _Reservoir) -> Iterator[list[Cluster]]:
    """Yield the clusters in lists that are counted at a time; each is offered to the sample on the way."""
    rest = iter(clusters)
    while stretch := list(islice(rest, _STRETCH_CLUSTERS)):
        for cluster in stretch:
            if cluster.summary:
                reservoir.offer(cluster)
        yield stretch


def _columns_of(_: None, clusters: Sequence[Cluster]) -> _Columns:
    columns = _Columns()
    for cluster in clusters:
        columns.add(cluster)
    return columns


def link_rot(events: Iterable[Event], clusters: Iterable[Cluster]) -> list[LinkRot]:
    """Return how many cited sources were obtained, by the year of their event."""
    obtained: dict[str, set[str]] = {}
    for cluster in clusters:
        cited = {
            url_key(article.url)
            for article in cluster.articles
            if article.origin == "cited" and article.url
        }
        obtained[cluster.id] = cited
    cited_in, obtained_in = Counter[str](), Counter[str]()
    for event in events:
        year = event.date[:4]
        keys = {url_key(source.url) for source in event.sources}
        cited_in[year] += len(keys)
        obtained_in[year] += len(keys & obtained.get(event.id, set()))
    return [LinkRot(year, cited_in[year], obtained_in[year]) for year in sorted(cited_in)]


class _Columns:
    """The numbers of clusters as they come."""

    def __init__(self) -> None:
        self.articles: list[int] = []
        self.cited: list[int] = []
        self.article_words: list[int] = []
        self.summary_words: list[int] = []
        self.summary_sentences: list[int] = []
        self.days: list[str] = []
        self.categories: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self.stories: set[tuple[str, ...]] = set()
        self.empty = self.duplicates = 0

    def add(self, cluster: Cluster) -> None:
        """Append the numbers of one cluster."""
        self.articles.append(len(cluster.articles))
        self.cited.append(sum(article.origin == "cited" for article in cluster.articles))
        self.categories[cluster.category or UNKNOWN] += 1
        if cluster.date:
            self.days.append(cluster.date)
        if cluster.story:
            self.stories.add(cluster.story)
        if cluster.summary is not None:
            self.summary_words.append(len(words(cluster.summary)))
            self.summary_sentences.append(len(sentences(cluster.summary)))
        seen: set[str] = set()
        for article in cluster.articles:
            tokens = words(article.text)
            self.article_words.append(len(tokens))
            self.languages[article.lang or language(article.text)] += 1
            key = " ".join(tokens)
            self.empty += not key
            self.duplicates += bool(key) and key in seen
            seen.add(key)

    def extend(self, other: _Columns) -> None:
        """Add the numbers of later clusters."""
        for name in ("articles", "cited", "article_words", "summary_words", "summary_sentences"):
            getattr(self, name).extend(getattr(other, name))
        self.days += other.days
        self.categories.update(other.categories)
        self.languages.update(other.languages)
        self.stories |= other.stories
        self.empty += other.empty
        self.duplicates += other.duplicates

    def stats(self, name: str, extractive: tuple[tuple[float, float], ...]) -> Stats:
        """Return the statistics; `extractive` holds (coverage, density) of the sampled clusters."""
        return Stats(
            name,
            clusters=len(self.articles),
            articles=sum(self.articles),
            cited=sum(self.cited),
            first_day=min(self.days, default=None),
            last_day=max(self.days, default=None),
            articles_per_cluster=Range.of(self.articles),
            cited_per_cluster=Range.of(self.cited),
            article_words=Range.of(self.article_words),
            summary_words=Range.of(self.summary_words),
            summary_sentences=Range.of(self.summary_sentences),
            categories=by_count(self.categories),
            languages=by_count(self.languages),
            stories=len(self.stories),
            empty_articles=self.empty,
            duplicate_articles=self.duplicates,
            coverage=Range.of([coverage for coverage, _ in extractive]),
            density=Range.of([density for _, density in extractive]),
            extractive=extractive,
        )


class _Reservoir:
    """A uniform sample of clusters of unknown number (Vitter 1985, algorithm R)."""

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._rng = stream("extractive sample", seed)
        self._chosen: list[tuple[int, Cluster]] = []  # place in the file, cluster
        self._offered = 0

    def offer(self, cluster: Cluster) -> None:
        """Draw the next cluster of the file into the sample, or not."""
        place = self._offered
        self._offered += 1
        if place < self._size:
            self._chosen.append((place, cluster))
        elif self._size:
            slot = int(self._rng.integers(place + 1))
            if slot < self._size:
                self._chosen[slot] = (place, cluster)

    def clusters(self) -> Iterator[Cluster]:
        """Yield what was drawn, in the order of the file."""
        for _, cluster in sorted(self._chosen, key=itemgetter(0)):
            yield cluster


def _extractive(_: None, cluster: Cluster) -> tuple[float, float]:
    copied = extractiveness(
        words(cluster.summary or ""), [words(article.text) for article in cluster.articles]
    )
    return round(copied.coverage, 6), round(copied.density, 6)


_RANGES = (
    ("articles per cluster", "articles_per_cluster"),
    ("cited per cluster", "cited_per_cluster"),
    ("words of an article", "article_words"),
    ("words of a summary", "summary_words"),
    ("sentences of a summary", "summary_sentences"),
)


def size_rows(stats: Sequence[Stats]) -> tuple[list[str], list[list[Cell]]]:
    """Return the sizes of the corpora (their Table 3): a header and rows, a column for each file."""
    header = ["", *(data_set.name for data_set in stats)]
    rows: list[list[Cell]] = [
        ["clusters", *(data_set.clusters for data_set in stats)],
        ["articles", *(data_set.articles for data_set in stats)],
        ["cited articles", *(data_set.cited for data_set in stats)],
        ["period start", *(data_set.first_day for data_set in stats)],
        ["period end", *(data_set.last_day for data_set in stats)],
        ["stories", *(data_set.stories for data_set in stats)],
        ["empty articles", *(data_set.empty_articles for data_set in stats)],
        ["duplicates in their cluster", *(data_set.duplicate_articles for data_set in stats)],
    ]
    return header, rows


def range_rows(stats: Sequence[Stats]) -> tuple[list[str], list[list[Cell]]]:
    """Return Table 4: least, greatest, mean and median of each number, a row for each number and file."""
    rows: list[list[Cell]] = []
    for label, field in _RANGES:
        rows += [[label, data_set.name, *_cells(getattr(data_set, field))] for data_set in stats]
    for label, field in (("coverage", "coverage"), ("density", "density")):
        rows += [
            [label, data_set.name, *_cells(getattr(data_set, field), whole=False)]
            for data_set in stats
        ]
    return ["", "data set", "n", "min", "max", "mean", "median"], rows


class DataSet(Protocol):
    """The statistics of a data set of any kind."""

    @property
    def name(self) -> str:
        """The name of the data set."""


def count_rows(stats: Sequence[DataSet], field: str) -> tuple[list[str], list[list[Cell]]]:
    """Return how many clusters (or articles) each category (or language) has."""
    names = dict.fromkeys(name for data_set in stats for name in getattr(data_set, field))
    header = [field, *(data_set.name for data_set in stats)]
    return header, [
        [name, *(getattr(data_set, field).get(name, 0) for data_set in stats)] for name in names
    ]


def rot_rows(rot: Sequence[LinkRot]) -> tuple[list[str], list[list[Cell]]]:
    """Return the cited sources by year, and the share that was not obtained."""
    rows: list[list[Cell]] = [
        [year.year, year.sources, year.obtained, _missing(year.sources, year.obtained)]
        for year in rot
    ]
    if len(rot) > 1:
        sources, obtained = sum(year.sources for year in rot), sum(year.obtained for year in rot)
        rows.append(["all", sources, obtained, _missing(sources, obtained)])
    return ["year", "sources cited", "obtained", "share missing"], rows


def stats_page(stats: Sequence[Stats], rot: Sequence[LinkRot] = ()) -> str:
    """Return the HTML page of statistics of clusters files."""
    size = Section("Size", "Clusters, articles and period of each file.").table(*size_rows(stats))
    clusters = Section("Clusters", "Numbers of single clusters and articles.")
    clusters.table(*range_rows(stats), by_row=True)
    panels = {data_set.name: data_set.extractive for data_set in stats if data_set.extractive}
    sections = [size, clusters]
    if panels:
        copied = Section("Extractiveness", _EXTRACTIVE)
        picture = clouds(panels, "coverage", "density")
        copied.figure(picture, "A dot a sampled cluster; lines at the means.")
        sections.append(copied)
    for title, field in (("Categories", "categories"), ("Languages", "languages")):
        sections.append(Section(title).table(*count_rows(stats, field)))
    if rot:
        lead = "Sources that events cite, and how many of them are in a cluster."
        sections.append(Section("Link rot", lead).table(*rot_rows(rot)))
    names = ", ".join(data_set.name for data_set in stats)
    return page("Data set statistics", f"Event clusters: {names}.", sections)


def write_statistics(
    outputs: tuple[Path, Path],
    clusters: Path,
    events: Path,
    sizes: Sequence[int],
    by: By,
    seed: int,
) -> None:
    """Write the statistics of clusters, whole and cut to sizes: JSON and page, the two `outputs`."""
    stats = [
        cluster_stats(
            "total" if size is None else variant_name("clusters", size, by),
            selected(records.read(clusters, Cluster), size=size, by=by, seed=seed),
            seed=seed,
        )
        for size in (None, *sizes)
    ]
    rot = link_rot(records.read(events, Event), records.read(clusters, Cluster))
    values = {"stats": list(map(asdict, stats)), "link_rot": list(map(asdict, rot))}
    json_path, page_path = outputs
    write_text(json_path, json.dumps(values, ensure_ascii=False) + "\n")
    write_text(page_path, stats_page(stats, rot))


_EXTRACTIVE = (
    "How much of a summary its articles hold (coverage) and in how long runs (density), by Grusky et al. (2018), "
    "on a seeded sample of clusters."
)


def _cells(values: Range | None, *, whole: bool = True) -> list[Cell]:
    """Return the cells of a row of a range; `whole` numbers have whole ends."""
    if values is None:
        return [0, None, None, None, None]
    ends: list[Cell] = [values.min, values.max]
    if whole:
        ends = [int(values.min), int(values.max)]
    return [values.n, *ends, round(values.mean, 4), round(values.median, 4)]


def _missing(sources: int, obtained: int) -> float | None:
    return 1 - obtained / sources if sources else None
