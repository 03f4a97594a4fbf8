"""The page of a data set: its tables, and coverage against density, one panel a file (Gholipour Ghalandari et al. 2020, Figure 1)."""

from __future__ import annotations

from collections.abc import Sequence

from newsdesk.corpus.stats import LinkRot, Range, Stats
from newsdesk.pages.page import Cell, Section, page
from newsdesk.pages.plots import clouds

_RANGES = (
    ("articles per cluster", "articles_per_cluster"),
    ("cited per cluster", "cited_per_cluster"),
    ("words of an article", "article_words"),
    ("words of a summary", "summary_words"),
    ("sentences of a summary", "summary_sentences"),
)


def size_rows(stats: Sequence[Stats]) -> tuple[list[str], list[list[Cell]]]:
    """Sizes of the corpora (Gholipour Ghalandari et al. 2020, Table 3), a column for each file."""
    header = ["", *(each.name for each in stats)]
    rows: list[list[Cell]] = [
        ["clusters", *(each.clusters for each in stats)],
        ["articles", *(each.articles for each in stats)],
        ["cited articles", *(each.cited for each in stats)],
        ["period start", *(each.first_day for each in stats)],
        ["period end", *(each.last_day for each in stats)],
        ["stories", *(each.stories for each in stats)],
        ["empty articles", *(each.empty_articles for each in stats)],
        ["duplicates in their cluster", *(each.duplicate_articles for each in stats)],
    ]
    return header, rows


def range_rows(stats: Sequence[Stats]) -> tuple[list[str], list[list[Cell]]]:
    """Table 4: least, greatest, mean and median of each number, a row a number and file."""
    rows: list[list[Cell]] = []
    for label, field in _RANGES:
        rows += [[label, each.name, *_cells(getattr(each, field))] for each in stats]
    for label, field in (("coverage", "coverage"), ("density", "density")):
        rows += [[label, each.name, *_cells(getattr(each, field), whole=False)] for each in stats]
    return ["", "data set", "n", "min", "max", "mean", "median"], rows


def count_rows(stats: Sequence[Stats], field: str) -> tuple[list[str], list[list[Cell]]]:
    """How many clusters (or articles) each category (or language) has."""
    names = dict.fromkeys(name for each in stats for name in getattr(each, field))
    header = [field, *(each.name for each in stats)]
    return header, [
        [name, *(getattr(each, field).get(name, 0) for each in stats)] for name in names
    ]


def rot_rows(rot: Sequence[LinkRot]) -> tuple[list[str], list[list[Cell]]]:
    """Cited sources by year, and the share that was not obtained."""
    rows: list[list[Cell]] = [
        [each.year, each.sources, each.obtained, _missing(each.sources, each.obtained)]
        for each in rot
    ]
    if len(rot) > 1:
        sources, obtained = sum(each.sources for each in rot), sum(each.obtained for each in rot)
        rows.append(["all", sources, obtained, _missing(sources, obtained)])
    return ["year", "sources cited", "obtained", "share missing"], rows


def stats_page(stats: Sequence[Stats], rot: Sequence[LinkRot] = ()) -> str:
    """The HTML page of statistics of clusters files."""
    size = Section("Size", "Clusters, articles and period of each file.").table(*size_rows(stats))
    clusters = Section("Clusters", "Numbers of single clusters and articles.")
    clusters.table(*range_rows(stats), by_row=True)
    panels = {each.name: each.extractive for each in stats if each.extractive}
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
    names = ", ".join(each.name for each in stats)
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
