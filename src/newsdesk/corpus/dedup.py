"""Near-duplicates among articles of neighbouring days: MinHash over word shingles (Broder 1997), and groups of what is alike.

Two articles at most `days` apart are near-duplicates if the Jaccard similarity of their sets of five-word shingles, estimated from 128 hash
minima, reaches the threshold; groups are what such pairs connect. Of each group the copies that an event cites are kept, or else the earliest one (by
date, then in the order given). Articles without a date are compared among themselves. An article is held as its digest, half a kilobyte.

The work is divided by days: `day_links` compares one day with those before it in the window, and `grouped` joins what the days say, so that a
new day compares only the days it is near to.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from newsdesk import records
from newsdesk.arrays import Bools, Ints
from newsdesk.corpus.align.article_files import ArticleFile
from newsdesk.corpus.align.background import words
from newsdesk.corpus.align.calendar import EventCalendar
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import atomic, make_folder
from newsdesk.registry import require
from newsdesk.types import Article, Cluster, Event
from newsdesk.work import map_items

Minima = NDArray[np.uint32]  # texts × MINIMA

MINIMA = 128
BANDS = 32  # of four minima each: a pair of similarity .7 is missed once in 5,000
SHINGLE_WORDS = 5
METHOD = f"minhash {MINIMA}/{BANDS}/{SHINGLE_WORDS}"
_SEED = 13  # of the hash functions, not of a draw: groups must not depend on --seed
_EMPTY = np.iinfo(np.uint32).max
# Odd multipliers that turn a band into one number; where two bands collide, one more pair is compared.
_MIX = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5],
    dtype=np.uint64,
)

UNDATED = 0  # the number of the day of articles without a date


def minima_of(texts: Iterable[str]) -> Minima:
    """Return the digests of texts, one row each."""
    rensa = require("rensa", extra="corpus", what="finding near-duplicates")
    rows = []
    for text in texts:
        tokens = words(text)
        row = np.full(MINIMA, _EMPTY, dtype=np.uint32)
        if tokens:
            minima = rensa.RMinHash(num_perm=MINIMA, seed=_SEED)
            minima.update(shingles(tokens))
            row = np.array(minima.digest(), dtype=np.uint32)
        rows.append(row)
    return np.array(rows, dtype=np.uint32).reshape(-1, MINIMA)


def shingles(tokens: Sequence[str]) -> list[str]:
    """Return the distinct runs of five words, in order; a shorter text is one run.

    >>> shingles("a b c d e f".split())
    ['a b c d e', 'b c d e f']
    """
    last = max(len(tokens) - SHINGLE_WORDS + 1, 1)
    runs = (" ".join(tokens[place : place + SHINGLE_WORDS]) for place in range(last))
    return list(dict.fromkeys(runs))


def wordless(minima: Minima) -> Bools:
    """Mask of the texts that have no words."""
    empty: Bools = (minima == _EMPTY).all(axis=1)
    return empty


def similarity(first: Minima, second: Minima) -> float:
    """Return the estimated Jaccard similarity of two texts: the share of equal minima."""
    return float((first == second).mean())


def links(days: Sequence[Minima], threshold: float) -> list[tuple[int, int]]:
    """Return pairs that connect the texts of the last day with those that they are like, perhaps by others.

    Places count over all days in a row, the earlier one first. What other pairs connect already is left out, so that a text printed a
    thousand times costs a thousand pairs and not half a million.
    """
    stacked = np.concatenate(days)
    today = len(stacked) - len(days[-1])
    labels = np.arange(len(stacked))  # texts that are connected so far have the same label
    pairs: list[tuple[int, int]] = []
    for run in _runs(stacked):
        for place in run[run >= today].tolist():
            others = run[run < place]
            apart = others[labels[others] != labels[place]]
            if not len(apart):
                continue
            alike = (stacked[apart] == stacked[place]).mean(axis=1) >= threshold - 1e-9
            for other in apart[alike].tolist():
                if labels[other] != labels[place]:
                    pairs.append((other, place))
                    labels[labels == labels[place]] = labels[other]
    return pairs


def _runs(stacked: Minima) -> Iterator[Ints]:
    """Yield the places of texts that share a band, in order, two or more at a time."""
    places = np.flatnonzero(~wordless(stacked))
    bands = stacked[places].reshape(len(places), BANDS, MINIMA // BANDS).astype(np.uint64)
    keys = (bands * _MIX).sum(axis=2, dtype=np.uint64)
    for band in range(BANDS):
        order = np.argsort(keys[:, band], kind="stable")
        ends = np.flatnonzero(np.diff(keys[order, band])) + 1
        for first, last in zip([0, *ends.tolist()], [*ends.tolist(), len(order)], strict=True):
            if last - first > 1:
                yield places[order[first:last]]


@dataclass(frozen=True, slots=True)
class ComparedText:
    """What is compared of an article; `cited` copies are kept.

    `minima` stands for the text where it was digested elsewhere.
    """

    id: str
    text: str
    date: str | None = None
    cited: bool = False
    source: str | None = None
    minima: bytes | None = None


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


@dataclass(frozen=True, slots=True)
class DayLinks:
    """What one day adds: its articles, those without words, and links as (day, row, row of this day)."""

    articles: int
    wordless: int
    links: tuple[tuple[int, int, int], ...]


Entry = tuple[ComparedText, Minima]
Entries = Callable[[int, Sequence[int]], Sequence[Entry]]


def near_duplicates(
    texts: Iterable[ComparedText], *, days: int = 3, threshold: float = 0.7
) -> Deduplicated:
    """Group near-duplicates.

    Texts may come in any order of days, and groups do not depend on it but for ties of dates.
    """
    check_limits(days, threshold)
    entries: dict[int, list[Entry]] = defaultdict(list)
    ids: Counter[str] = Counter()
    for text in texts:
        ids[text.id] += 1
        if ids[text.id] > 1:
            raise DataError(f"duplicate article id {text.id!r}; near-duplicates are dropped by id")
        entries[day_number(text.date)].append((replace(text, text="", minima=None), _minima(text)))
    digests = {day: np.stack([minima for _, minima in entries[day]]) for day in sorted(entries)}
    by_day = {
        day: day_links(
            {each: digests[each] for each in window(list(digests), day, days)}, threshold
        )
        for day in digests
    }
    return grouped(by_day, lambda day, rows: [entries[day][row] for row in rows])


def digested(text: ComparedText) -> ComparedText:
    """Return the digest of a text in place of its words."""
    return replace(text, text="", minima=_minima(text).tobytes())


def _minima(text: ComparedText) -> Minima:
    if text.minima is None:
        return minima_of([text.text])[0]
    return np.frombuffer(text.minima, dtype=np.uint32)


def check_limits(days: int, threshold: float) -> None:
    """Refuse a window or a similarity that cannot be."""
    if days < 0:
        raise ArgumentError(f"days is {days}, below zero")
    if not 0 < threshold <= 1:
        raise ArgumentError(f"threshold is {threshold}, not above 0 and at most 1")


def day_number(day: str | None) -> int:
    """Return the number of a day; articles without a date share one."""
    return date.fromisoformat(day).toordinal() if day else UNDATED


def window(ordered: Sequence[int], day: int, days: int) -> Sequence[int]:
    """Return the days, of those in order, that lie at most so many days before a day, and the day itself.

    >>> window([0, 1, 2, 5, 6], 5, 3)
    [2, 5]
    """
    if day == UNDATED:
        return [UNDATED]
    first = bisect_left(ordered, max(day - days, UNDATED + 1))
    return ordered[first : bisect_right(ordered, day)]


def day_links(digests: Mapping[int, Minima], threshold: float) -> DayLinks:
    """Compare the last of some days with itself and with the others.

    Its articles are places in a group or alone.
    """
    places = [(day, row) for day, minima in digests.items() for row in range(len(minima))]
    *_, today = digests
    pairs = links(list(digests.values()), threshold)
    return DayLinks(
        len(digests[today]),
        int(wordless(digests[today]).sum()),
        tuple((*places[one], places[other][1]) for one, other in pairs),
    )


def grouped(by_day: Mapping[int, DayLinks], entries: Entries) -> Deduplicated:
    """Return the groups that the links of all days make together.

    `entries` gives texts and digests of rows of a day.
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
    rows: dict[int, list[int]] = defaultdict(list)
    for day, row in sorted(places):
        rows[day].append(row)
    return {
        (day, row): entry
        for day, wanted in rows.items()
        for row, entry in zip(wanted, entries(day, wanted), strict=True)
    }


def _tally(by_day: Collection[DayLinks], groups: Sequence[DuplicateGroup]) -> StepTally:
    accounts = Accounts("dedup")
    dropped = sum(len(group.dropped) for group in groups)
    accounts.keep(sum(each.articles for each in by_day) - dropped)
    accounts.note("articles without words", sum(each.wordless for each in by_day))
    accounts.drop("near-duplicate", dropped)
    accounts.note("groups of near-duplicates", len(groups))
    return accounts.tally()


def _group(entries: Sequence[Entry]) -> DuplicateGroup:
    """Cited copies are kept, or else the first one; entries come in order of dates."""
    cited = any(text.cited for text, _ in entries)
    first, minima = entries[0]
    return DuplicateGroup(
        tuple(
            Copy(
                text.id,
                text.date,
                text.source,
                text.cited if cited else text is first,
                round(similarity(minima, other), 4),
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
                article.id, article.text, article.date, article.origin == "cited", article.source
            )
            for article in cluster.articles
        ),
        days=days,
        threshold=threshold,
    )
    dropped = {each for group in result.groups for each in group.dropped}
    articles = tuple(article for article in cluster.articles if article.id not in dropped)
    return replace(cluster, articles=articles), result


def texts_of(
    files: Sequence[ArticleFile], events: Sequence[Event], *, engine: str = "inline"
) -> Iterator[ComparedText]:
    """Yield what is compared of every article, digested file by file.

    Those whose address an event cites are cited.
    """
    for texts in map_items(engine, _digested_file, EventCalendar(events), files):
        yield from texts


def _digested_file(calendar: EventCalendar, file: ArticleFile) -> list[ComparedText]:
    texts = []
    for batch in file.batches():
        columns = (batch.ids, batch.texts, batch.dates, batch.urls, batch.sources)
        for name, text, day, url, source in zip(*columns, strict=True):
            texts.append(
                digested(ComparedText(name, text, day, bool(calendar.citing(url)), source))
            )
    return texts


def write_without(
    files: Sequence[ArticleFile],
    dropped: Collection[str],
    source: Path,
    out: Path,
    *,
    overwrite: bool,
) -> None:
    """Write the same files without some articles, under a new folder, or as a new file."""
    if not source.is_dir():
        articles = (each for each in records.read(source, Article) if each.id not in dropped)
        records.write(out, articles, overwrite=overwrite)
        return
    if out.exists() and any(out.iterdir()) and not overwrite:
        raise FileError(f"{out}: is not empty; add --force (or overwrite=True) to replace files")
    pl = require("polars", extra="corpus", what="writing Parquet")
    for file in files:
        target = out / file.path.relative_to(source)
        make_folder(target.parent)
        frame = pl.read_parquet(file.path, hive_partitioning=False)
        rest = frame.filter(~pl.col("id").is_in(sorted(dropped)))
        with atomic(target, overwrite=overwrite) as stream:
            rest.write_parquet(stream, compression="zstd", compression_level=3)
