"""What files of threads are like: Table 2 of Qin et al. (2018) and of Fujita et al. (2019), lengths, up-votes, categories, languages, and the page of them.

Nothing is dropped: comments that are empty, or repeat an earlier one of their thread, are part of every number and counted beside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from newsdesk.corpus.comments.cleaning import cleaned
from newsdesk.corpus.comments.page import Rows, length_rows, size_rows, tail_rows
from newsdesk.corpus.comments.stats import UNKNOWN, PartCounts, PartStats
from newsdesk.corpus.stats import by_count
from newsdesk.corpus.stats_page import count_rows
from newsdesk.results.page import Section, page
from newsdesk.types import Thread


@dataclass(frozen=True, slots=True)
class ThreadStats:
    """The statistics of one file of threads; categories and languages are counted by article."""

    name: str
    part: PartStats
    empty_comments: int
    repeated_comments: int
    vocabulary: int
    categories: Mapping[str, int]
    languages: Mapping[str, int]


def thread_stats(name: str, threads: Iterable[Thread]) -> ThreadStats:
    """Return the statistics of threads."""
    counts = PartCounts(name, votes=0)
    vocabulary: set[str] = set()
    categories: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    empty = repeated = 0
    for thread in threads:
        clean = cleaned(thread, duplicates=False)
        counts.add(clean, thread.comments, vocabulary)
        categories[thread.article.category or UNKNOWN] += 1
        languages[clean.lang] += 1
        empty += clean.empty
        repeated += clean.repeated
    return ThreadStats(
        name,
        counts.stats(),
        empty,
        repeated,
        len(vocabulary),
        by_count(categories),
        by_count(languages),
    )


def thread_tables(stats: Sequence[ThreadStats]) -> dict[str, Rows]:
    """Return the tables by the title of their section, a column a file."""
    parts = [each.part for each in stats]
    header, rows = size_rows(parts)
    rows += [
        ["empty comments", *(each.empty_comments for each in stats)],
        ["repeat an earlier comment", *(each.repeated_comments for each in stats)],
        ["words in the vocabulary", *(each.vocabulary for each in stats)],
    ]
    tables = {"Size": (header, rows), "Lengths": length_rows(parts)}
    if any(part.tail for part in parts):
        tables["Up-votes"] = tail_rows(parts)
    return tables | {
        "Categories": count_rows(stats, "categories"),
        "Languages": count_rows(stats, "languages"),
    }


def threads_page(stats: Sequence[ThreadStats]) -> str:
    """Return the HTML page of statistics of files of threads."""
    sections = [
        Section(title).table(header, rows, by_row=title in ("Size", "Lengths"))
        for title, (header, rows) in thread_tables(stats).items()
    ]
    names = ", ".join(each.name for each in stats)
    return page("Data set statistics", f"Articles with their comments: {names}.", sections)
