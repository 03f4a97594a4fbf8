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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from newsdesk.corpus.minhash import Minima, links, minima_of, similarity, wordless
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import ArgumentError, DataError
from newsdesk.types import Cluster

UNDATED = 0  # the number of the day of articles without a date


@dataclass(frozen=True, slots=True)
class ComparedText:
    """What is compared of an article; `cited` copies are kept. `minima` stands for the text where it was digested elsewhere."""

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
    """What one day adds: its articles, those without words, and links as (day and row of an article, row of one of this day)."""

    articles: int
    wordless: int
    links: tuple[tuple[int, int, int], ...]


Entry = tuple[ComparedText, Minima]
Entries = Callable[[int, Sequence[int]], Sequence[Entry]]


def near_duplicates(
    texts: Iterable[ComparedText], *, days: int = 3, threshold: float = 0.7
) -> Deduplicated:
    """Group near-duplicates; texts may come in any order of days, and groups do not depend on it but for ties of dates."""
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
    """The digest of a text in place of its words."""
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
    """The number of a day; articles without a date share one."""
    return date.fromisoformat(day).toordinal() if day else UNDATED


def window(ordered: Sequence[int], day: int, days: int) -> Sequence[int]:
    """The days, of those in order, that lie at most so many days before a day, and the day itself.

    >>> window([0, 1, 2, 5, 6], 5, 3)
    [2, 5]
    """
    if day == UNDATED:
        return [UNDATED]
    first = bisect_left(ordered, max(day - days, UNDATED + 1))
    return ordered[first : bisect_right(ordered, day)]


def day_links(digests: Mapping[int, Minima], threshold: float) -> DayLinks:
    """Compare the last of some days with itself and with the others; its articles are places in a group or alone."""
    places = [(day, row) for day, minima in digests.items() for row in range(len(minima))]
    *_, today = digests
    pairs = links(list(digests.values()), threshold)
    return DayLinks(
        len(digests[today]),
        int(wordless(digests[today]).sum()),
        tuple((*places[one], places[other][1]) for one, other in pairs),
    )


def grouped(by_day: Mapping[int, DayLinks], entries: Entries) -> Deduplicated:
    """The groups that the links of all days make together; `entries` gives texts and digests of rows of a day."""
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
    """A cluster without near-duplicates among its articles, and the groups that were found."""
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
