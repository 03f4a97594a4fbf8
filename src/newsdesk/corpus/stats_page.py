"""The page of a data set: its tables, and coverage against density, one panel a file (Gholipour Ghalandari et al. 2020, Figure 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from newsdesk.corpus.stats import LinkRot, Range, Stats
from newsdesk.results.page import Cell, Section, page
from newsdesk.results.plots import clouds

_RANGES = (
    ("articles per cluster", "articles_per_cluster"),
    ("cited per cluster", "cited_per_cluster"),
    ("words of an article", "article_words"),
    ("words of a summary", "summary_words"),
    ("sentences of a summary", "summary_sentences"),
)


def size_rows(stats: Sequence[Stats]) -> tuple[list[str], list[list[Cell]]]:
    """Sizes of the corpora (Gholipour Ghalandari et al. 2020, Table 3), a column for each file."""
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
    """Table 4: least, greatest, mean and median of each number, a row a number and file."""
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
    """Cited sources by year, and the share that was not obtained."""
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


_EXTRACTIVE = (
    "How much of a summary its articles hold (coverage) and in how long runs (density), by Grusky et al. (2018), "
    "on a seeded sample of clusters."
)


def _cells(values: Range | None, *, whole: bool = True) -> list[Cell]:
    if values is None:
        return [0, None, None, None, None]
    ends: list[Cell] = [values.min, values.max]
    if whole:
        ends = [int(values.min), int(values.max)]
    return [values.n, *ends, round(values.mean, 4), round(values.median, 4)]


def _missing(sources: int, obtained: int) -> float | None:
    return 1 - obtained / sources if sources else None
