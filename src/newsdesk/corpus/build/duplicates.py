"""The near-duplicates step of a build: groups of copies, found day by day.

Digests of texts are stored by partition, links by the partitions of a window of days: a new partition digests its own articles and compares the days
within the window. The articles that are not kept are not taken out of the partitions; alignment passes over them.
"""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from newsdesk.corpus.align.article_files import ArticleFile, article_files
from newsdesk.corpus.align.calendar import EventCalendar
from newsdesk.corpus.build.settings import DedupTable
from newsdesk.corpus.dedup import (
    METHOD,
    ComparedText,
    DayLinks,
    Deduplicated,
    Entry,
    Minima,
    check_limits,
    day_links,
    day_number,
    grouped,
    minima_of,
    window,
)
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.types import Event
from newsdesk.work.ledger import DayCache

DUPLICATES = "duplicates.jsonl"


def write_duplicates(
    articles: Path,
    out: Path,
    events: Sequence[Event],
    table: DedupTable,
    digests: DayCache,
    links: DayCache,
) -> Deduplicated:
    """Write the groups of near-duplicates.

    Digests of texts and links of days that are stored are not computed again.
    """
    check_limits(table.days, table.threshold)
    days: dict[int, list[ArticleFile]] = defaultdict(list)
    for file in article_files(articles):
        days[day_number(file.date)].append(file)
    ordered = sorted(days)

    @functools.lru_cache(maxsize=table.days + 2)
    def minima(day: int) -> Minima:
        files = days[day]
        return digests.array(_label(files), _text_inputs(files), lambda: _minima(files))

    by_day: dict[int, DayLinks] = {}
    for day in ordered:
        digests.keep_array(_text_inputs(days[day]))
        near = window(ordered, day, table.days)
        inputs = [table.threshold, [[each, _text_inputs(days[each])] for each in near]]
        compute = functools.partial(_links, near, minima, table.threshold)
        row = links.value(_label(days[day]), inputs, compute)
        by_day[day] = DayLinks(row["articles"], row["wordless"], tuple(map(tuple, row["links"])))
    calendar = EventCalendar(events)

    def entries(day: int, rows: Sequence[int]) -> list[Entry]:
        texts, digest = _texts(days[day], calendar), minima(day)
        return [(texts[row], digest[row]) for row in rows]

    result = grouped(by_day, entries)
    with atomic(out) as stream:
        for group in result.groups:
            stream.write(json_line(asdict(group)))
    return result


def dropped_ids(path: Path) -> dict[str | None, frozenset[str]]:
    """Return the ids of the copies that are not kept, by day; `path` is the file of groups."""
    dropped: dict[str | None, set[str]] = defaultdict(set)
    for line in path.read_bytes().splitlines():
        for copy in json.loads(line)["articles"]:
            if not copy["kept"]:
                dropped[copy["date"]].add(copy["id"])
    return {day: frozenset(ids) for day, ids in dropped.items()}


def _links(
    days: Sequence[int], minima: Callable[[int], Minima], threshold: float
) -> dict[str, Any]:
    return asdict(day_links({day: minima(day) for day in days}, threshold))


def _minima(files: Sequence[ArticleFile]) -> Minima:
    return minima_of(text for file in files for batch in file.batches() for text in batch.texts)


def _texts(files: Sequence[ArticleFile], calendar: EventCalendar) -> list[ComparedText]:
    """Return what a group says of the articles of a day; without their texts, of which there are digests."""
    return [
        ComparedText(name or "", "", file.date, bool(calendar.citing(url)), source)
        for file in files
        for name, url, source in file.columns("id", "url", "source")
    ]


def _text_inputs(files: Sequence[ArticleFile]) -> list[str]:
    """Return what the digests of a day follow from.

    The names of its partitions hold the digest of what they were made from.
    """
    return [METHOD, *(file.path.name for file in files)]


def _label(files: Sequence[ArticleFile]) -> str:
    return files[0].date or "unknown"
