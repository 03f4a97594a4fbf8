"""Near-duplicates among articles of neighbouring days: groups of what is alike by MinHash (`minhash.py`), and the step that drops copies.

Groups are what pairs of near-duplicates connect. Of each group the copies that an event cites are kept, or else the earliest one (by date, then in the order
given). Articles without a date are compared among themselves. `dedup_step` stores digests by file and links by day, so that a new day compares only the
days it is near to, and a run that was killed goes on. The same step serves a build and the command.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from newsdesk import records
from newsdesk.arrays import Ints
from newsdesk.corpus.align.article_files import ArticleFile, article_files
from newsdesk.corpus.align.features import EventCalendar
from newsdesk.corpus.minhash import (
    METHOD,
    DayLinks,
    Minima,
    check_limits,
    day_links,
    day_number,
    minima_of,
    similarity,
    window,
)
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import DataError, FileError
from newsdesk.files import atomic, make_folder
from newsdesk.jsonl import json_line
from newsdesk.registry import require
from newsdesk.types import Article, Cluster, Event
from newsdesk.work import Digests, map_items
from newsdesk.work.ledger import DayCache, resumable


@dataclass(frozen=True, slots=True)
class ComparedText:
    """What is compared of an article; `cited` copies are kept."""

    id: str
    text: str
    date: str | None = None
    cited: bool = False
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Copy:
    """A member of a group, with its similarity to the first one of the group."""

    id: str
    date: str | None
    source: str | None
    kept: bool
    similarity: float


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Near-duplicates of each other, in order of dates; at least one is kept."""

    articles: tuple[Copy, ...]

    @property
    def dropped(self) -> tuple[str, ...]:
        """The ids of the copies that are not kept."""
        return tuple(article.id for article in self.articles if not article.kept)


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """The groups in order of their first article, and the accounts of the articles."""

    groups: tuple[DuplicateGroup, ...]
    tally: StepTally

    @property
    def dropped(self) -> frozenset[str]:
        """The ids of all copies that are not kept."""
        return frozenset(name for group in self.groups for name in group.dropped)


Entry = tuple[ComparedText, Minima]
Entries = Callable[[int, Sequence[int]], Sequence[Entry]]


def near_duplicates(
    texts: Iterable[ComparedText], *, days: int = 3, threshold: float = 0.7
) -> Deduplicated:
    """Group near-duplicates; the order of the texts matters only for ties of dates."""
    check_limits(days, threshold)
    entries: dict[int, list[Entry]] = defaultdict(list)
    ids: set[str] = set()
    for text in texts:
        _add_id(text.id, ids)
        [minima] = minima_of([text.text])
        entries[day_number(text.date)].append((replace(text, text=""), minima))
    digests = {day: np.stack([minima for _, minima in entries[day]]) for day in sorted(entries)}
    by_day = {
        day: day_links(
            {near: digests[near] for near in window(list(digests), day, days)}, threshold
        )
        for day in digests
    }
    return grouped(by_day, lambda day, rows: [entries[day][row] for row in rows])


def _add_id(name: str, ids: set[str]) -> None:
    if name in ids:
        raise DataError(f"duplicate article id {name!r}; near-duplicates are dropped by id")
    ids.add(name)


def grouped(by_day: Mapping[int, DayLinks], entries: Entries) -> Deduplicated:
    """Return the groups that the links of all days make.

    `entries` returns rows of a day with their digests. A place is a day and a row of it.
    """
    parents: dict[tuple[int, int], tuple[int, int]] = {}

    def root(place: tuple[int, int]) -> tuple[int, int]:
        parents.setdefault(place, place)
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    for today, day_of_links in by_day.items():
        for day, row, row_today in day_of_links.links:
            first, second = sorted((root((day, row)), root((today, row_today))))
            parents[second] = first
    members: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for place in sorted(parents):
        members[root(place)].append(place)
    texts = _texts(parents, entries)
    groups = tuple(_group([texts[place] for place in places]) for places in members.values())
    return Deduplicated(groups, _tally(by_day.values(), groups))


def _texts(places: Iterable[tuple[int, int]], entries: Entries) -> dict[tuple[int, int], Entry]:
    """Return the entry at each place (day and row), with one call of `entries` a day."""
    rows: dict[int, list[int]] = defaultdict(list)
    for day, row in sorted(places):
        rows[day].append(row)
    return {
        (day, row): entry
        for day, wanted in rows.items()
        for row, entry in zip(wanted, entries(day, wanted), strict=True)
    }


def _tally(by_day: Collection[DayLinks], groups: Sequence[DuplicateGroup]) -> StepTally:
    """Count the articles that are kept and dropped, over all days."""
    accounts = Accounts("dedup")
    dropped = sum(len(group.dropped) for group in groups)
    accounts.keep(sum(day.articles for day in by_day) - dropped)
    accounts.note("articles without words", sum(day.wordless for day in by_day))
    accounts.drop("near-duplicate", dropped)
    accounts.note("groups of near-duplicates", len(groups))
    return accounts.tally()


def _group(entries: Sequence[Entry]) -> DuplicateGroup:
    """Keep the cited copies, or else the first one; entries come in order of dates."""
    cited = any(text.cited for text, _ in entries)
    first, minima = entries[0]
    return DuplicateGroup(
        tuple(
            Copy(
                text.id,
                text.date,
                text.source,
                kept=text.cited if cited else text is first,
                similarity=round(similarity(minima, other), 4),
            )
            for text, other in entries
        )
    )


def deduplicate_cluster(
    cluster: Cluster, *, days: int = 3, threshold: float = 0.7
) -> tuple[Cluster, Deduplicated]:
    """Return a cluster without near-duplicates among its articles, and the groups that were found."""
    result = near_duplicates(
        (
            ComparedText(
                article.id,
                article.text,
                article.date,
                cited=article.origin == "cited",
                source=article.source,
            )
            for article in cluster.articles
        ),
        days=days,
        threshold=threshold,
    )
    dropped = result.dropped
    articles = tuple(article for article in cluster.articles if article.id not in dropped)
    return replace(cluster, articles=articles), result


@dataclass(frozen=True, slots=True)
class DedupStores:
    """What the step stores to go on: the digests of each file, and the links of each day."""

    digests: DayCache
    links: DayCache


def dedup_step(
    files: Sequence[ArticleFile],
    events: Sequence[Event],
    stores: DedupStores,
    *,
    names: Sequence[str],
    days: int = 3,
    threshold: float = 0.7,
    engine: str = "inline",
) -> Deduplicated:
    """Group near-duplicates in files of articles; `names` of files change with their content.

    Articles whose address an event cites are kept. Digests are made file by file, on a cluster if `engine` names one.
    """
    check_limits(days, threshold)
    inputs = [[METHOD, name] for name in names]
    missing = stores.digests.missing(inputs, ".npy")
    fresh = map_items(engine, _file_minima, None, [files[number] for number in missing])
    for number, array in zip(missing, fresh, strict=True):
        stores.digests.put_array(files[number].date or "unknown", inputs[number], array)
    calendar = EventCalendar(events)
    texts = _DatedTexts(files, calendar, lambda number: stores.digests.array(inputs[number]), days)
    by_day: dict[int, DayLinks] = {}
    for day in texts.days:
        near = window(texts.days, day, days)
        compared = [[other, [names[number] for number in texts.rows[other]]] for other in near]
        label = date.fromordinal(day).isoformat() if day else "unknown"
        row = stores.links.value(
            label, [threshold, compared], partial(texts.links, near, threshold)
        )
        by_day[day] = DayLinks(row["articles"], row["wordless"], tuple(map(tuple, row["links"])))
    return grouped(by_day, texts.entries)


class _DatedTexts:
    """The articles of files by day; `rows` is {day: {number of a file: its rows of that day}}.

    `minima(number)` returns the digests of all rows of a file. `days` is how far back a day is compared when given, and as an
    attribute the numbers of the days that have articles, in order; articles without a date are day 0.
    """

    def __init__(
        self,
        files: Sequence[ArticleFile],
        calendar: EventCalendar,
        minima: Callable[[int], Minima],
        days: int,
    ) -> None:
        self._files = files
        self._calendar = calendar
        # Files by date are needed one after the other; any others may have articles of every day. A day is compared with at most
        # `days` before it: with a file a day, these, the day's own and a single undated file make `days + 2`. What was given up is read again.
        mixed = sum(file.date is None for file in files) > 1
        remembered = lru_cache(maxsize=None if mixed else days + 2)
        self._file_minima = remembered(minima)
        self._columns = remembered(self._read)
        self._minima = lru_cache(maxsize=days + 2)(self._of_day)
        self.rows: dict[int, dict[int, Ints]] = defaultdict(dict)
        ids: set[str] = set()
        for number in range(len(files)):
            for name, *_ in self._columns(number):
                _add_id(name or "", ids)
            dated = np.array([day_number(day) for _, day, *_ in self._columns(number)], np.int64)
            order = np.argsort(dated, kind="stable")
            # Where each day begins in that order; no day is -1, so the first row begins one.
            firsts = np.flatnonzero(np.diff(dated[order], prepend=-1))
            for rows in np.split(order, firsts[1:]) if len(order) else ():
                self.rows[int(dated[rows[0]])][number] = rows
        self.days = sorted(self.rows)

    def links(self, near: Sequence[int], threshold: float) -> dict[str, Any]:
        """Return what the last of some days adds, as JSON."""
        return asdict(day_links({day: self._minima(day) for day in near}, threshold))

    def entries(self, day: int, places: Sequence[int]) -> list[Entry]:
        """Return the articles at some places of a day, with their digests; without their texts."""
        cells = [
            self._columns(number)[row]
            for number, rows_of_day in self.rows[day].items()
            for row in rows_of_day
        ]
        minima = self._minima(day)
        return [(self._text(*cells[place]), minima[place]) for place in places]

    def _of_day(self, day: int) -> Minima:
        return np.concatenate([self._file_minima(n)[rows] for n, rows in self.rows[day].items()])

    def _read(self, number: int) -> list[tuple[str | None, ...]]:
        file = self._files[number]
        columns = file.columns("id", "date", "url", "source")
        return [(name, day or file.date, url, source) for name, day, url, source in columns]

    def _text(
        self, name: str | None, day: str | None, url: str | None, source: str | None
    ) -> ComparedText:
        return ComparedText(name or "", "", day, bool(self._calendar.citing(url)), source)


def _file_minima(_: None, file: ArticleFile) -> Minima:
    return minima_of(text for batch in file.batches() for text in batch.texts)


def group_lines(groups: Iterable[DuplicateGroup], **about: str) -> Iterator[bytes]:
    """Yield the groups as lines of JSON, each with the fields `about`."""
    for group in groups:
        yield json_line({**about, **asdict(group)})


def dedup_to_files(
    source: str | Path,
    out: str | Path,
    events: Sequence[Event] = (),
    *,
    groups: str | Path | None = None,
    days: int = 3,
    threshold: float = 0.7,
    engine: str = "inline",
    overwrite: bool = False,
) -> Deduplicated:
    """Write a folder or file of articles without near-duplicates, and the groups to a file if one is named.

    A run that was killed goes on.
    """
    files = article_files(source)
    with resumable(out) as work:
        digests = Digests(work / "digests.json")
        names = [file.key(digests) for file in files]
        # Of a folder that the same call began to write, files may be there already.
        began, key = work / "began.json", json_line([names, days, threshold])
        overwrite = overwrite or (began.is_file() and began.read_bytes() == key)
        for path in (out, groups or "-"):
            if Path(path).is_file() and not overwrite:
                raise FileError(f"{path}: exists already; add --force (or overwrite=True)")
        if (
            Path(source).is_dir()
            and Path(out).exists()
            and any(Path(out).iterdir())
            and not overwrite
        ):
            raise FileError(
                f"{out}: is not empty; add --force (or overwrite=True) to replace files"
            )
        digests.save()
        stores = DedupStores(DayCache(work / "digests"), DayCache(work / "links"))
        result = dedup_step(
            files, events, stores, names=names, days=days, threshold=threshold, engine=engine
        )
        with atomic(began) as stream:
            stream.write(key)
        _write_without(files, result.dropped, Path(source), Path(out), overwrite=overwrite)
        if groups is not None:
            with atomic(groups, overwrite=overwrite) as stream:
                stream.writelines(group_lines(result.groups))
    return result


def _write_without(
    files: Sequence[ArticleFile],
    dropped: Collection[str],
    source: Path,
    out: Path,
    *,
    overwrite: bool,
) -> None:
    """Write the same files without the dropped articles, under a new folder or as a new file."""
    if not source.is_dir():
        articles = (row for row in records.read(source, Article) if row.id not in dropped)
        records.write(out, articles, overwrite=overwrite)
        return
    pl = require("polars", extra="corpus", what="writing Parquet")
    for file in files:
        target = out / file.path.relative_to(source)
        make_folder(target.parent)
        frame = pl.read_parquet(file.path, hive_partitioning=False)
        rest = frame.filter(~pl.col("id").is_in(sorted(dropped)))
        with atomic(target, overwrite=overwrite) as stream:
            rest.write_parquet(stream, compression="zstd", compression_level=3)
