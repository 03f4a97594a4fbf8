"""Near-duplicates among articles of neighbouring days: MinHash over word shingles (Broder 1997) by rensa, bands for candidates.

Two articles at most `days` apart are near-duplicates if the Jaccard similarity of their sets of five-word shingles, estimated from 128 hash
minima, reaches the threshold; groups are what such pairs connect. Of each group the copies that an event cites are kept, or else the earliest one (by
date, then in the order given). Articles without a date are compared among themselves. An article is held as its digest, half a kilobyte.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from newsdesk.corpus.align.words import words
from newsdesk.corpus.tally import Accounts, Tally
from newsdesk.errors import ArgumentError, DataError
from newsdesk.registry import require
from newsdesk.types import Cluster

Digests = NDArray[np.uint32]

MINIMA = 128
BANDS = 32  # of four minima each: a pair of similarity .7 is missed once in 5,000
SHINGLE_WORDS = 5
_SEED = 13  # of the hash functions, not of a draw: groups must not depend on --seed


@dataclass(frozen=True, slots=True)
class Text:
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
class Group:
    """Near-duplicates of each other, in order of dates; at least one is kept."""

    articles: tuple[Copy, ...]

    @property
    def dropped(self) -> tuple[str, ...]:
        """The ids of the copies that are not kept."""
        return tuple(each.id for each in self.articles if not each.kept)


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """The groups in order of their first article, and the accounts of the articles."""

    groups: tuple[Group, ...]
    tally: Tally


def near_duplicates(
    texts: Iterable[Text], *, days: int = 3, threshold: float = 0.7
) -> Deduplicated:
    """Group near-duplicates; texts may come in any order of days, and groups do not depend on it but for ties of dates."""
    if days < 0:
        raise ArgumentError(f"days is {days}, below zero")
    if not 0 < threshold <= 1:
        raise ArgumentError(f"threshold is {threshold}, not above 0 and at most 1")
    accounts = Accounts("dedup")
    index = _Index(days, threshold)
    entries = sorted(_compact(texts), key=lambda each: each.day)
    ids = Counter(entry.text.id for entry in entries)
    if len(ids) < len(entries):
        twice = ids.most_common(1)[0][0]
        raise DataError(f"duplicate article id {twice!r}; near-duplicates are dropped by id")
    for place, entry in enumerate(entries):
        if entry.digest is None:
            accounts.note("articles without words")
        else:
            index.add(place, entry.day, entry.digest)
    groups = tuple(_group([entries[place] for place in places]) for places in index.groups())
    dropped = sum(len(group.dropped) for group in groups)
    accounts.keep(len(entries) - dropped)
    accounts.drop("near-duplicate", dropped)
    accounts.note("groups of near-duplicates", len(groups))
    return Deduplicated(groups, accounts.tally())


def deduplicate_cluster(
    cluster: Cluster, *, days: int = 3, threshold: float = 0.7
) -> tuple[Cluster, Deduplicated]:
    """A cluster without near-duplicates among its articles, and the groups that were found."""
    result = near_duplicates(
        (
            Text(each.id, each.text, each.date, each.origin == "cited", each.source)
            for each in cluster.articles
        ),
        days=days,
        threshold=threshold,
    )
    dropped = {each for group in result.groups for each in group.dropped}
    articles = tuple(each for each in cluster.articles if each.id not in dropped)
    return replace(cluster, articles=articles), result


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """A text as its digest; `day` is its ordinal, 0 for an unknown one."""

    text: Text
    day: int
    digest: Digests | None


def _compact(texts: Iterable[Text]) -> Iterator[_Entry]:
    """Digests instead of texts: half a kilobyte an article."""
    for each in texts:
        minima = each.minima if each.minima is not None else digested(each).minima
        digest = np.frombuffer(minima, dtype=np.uint32) if minima else None
        day = date.fromisoformat(each.date).toordinal() if each.date else 0
        yield _Entry(Text(each.id, "", each.date, each.cited, each.source), day, digest)


def digested(text: Text) -> Text:
    """The digest of a text in place of its words; empty for a text without words."""
    rensa = require("rensa", extra="corpus", what="finding near-duplicates")
    tokens = words(text.text)
    if not tokens:
        return replace(text, text="", minima=b"")
    minima = rensa.RMinHash(num_perm=MINIMA, seed=_SEED)
    minima.update(shingles(tokens))
    return replace(text, text="", minima=np.array(minima.digest(), dtype=np.uint32).tobytes())


def shingles(tokens: Sequence[str]) -> list[str]:
    """The distinct runs of five words, in order; a shorter text is one run.

    >>> shingles("a b c d e f".split())
    ['a b c d e', 'b c d e f']
    """
    last = max(len(tokens) - SHINGLE_WORDS + 1, 1)
    runs = (" ".join(tokens[place : place + SHINGLE_WORDS]) for place in range(last))
    return list(dict.fromkeys(runs))


def similarity(first: Digests, second: Digests) -> float:
    """The estimated Jaccard similarity: the share of equal minima."""
    return float((first == second).mean())


class _Index:
    """Buckets of bands by day, and which entries are connected; days come in order."""

    def __init__(self, days: int, threshold: float) -> None:
        self._days = days
        self._threshold = threshold
        self._buckets: dict[int, dict[tuple[int, bytes], list[int]]] = {}
        self._digests: dict[int, Digests] = {}
        self._parents: dict[int, int] = {}

    def add(self, place: int, day: int, digest: Digests) -> None:
        """Connect an entry with the earlier ones that are like it, and remember it."""
        if day not in self._buckets:
            self._forget(day)
            self._buckets[day] = defaultdict(list)
        rows = digest.reshape(BANDS, -1)
        keys = [(band, row.tobytes()) for band, row in enumerate(rows)]
        candidates = {
            other
            for bucket in self._buckets.values()
            for key in keys
            if key in bucket
            for other in bucket[key]
        }
        for other in sorted(candidates):
            if similarity(self._digests[other], digest) >= self._threshold - 1e-9:
                self._connect(other, place)
        for key in keys:
            self._buckets[day][key].append(place)
        self._digests[place] = digest

    def groups(self) -> list[list[int]]:
        """The connected entries, two or more, in order."""
        members: dict[int, list[int]] = defaultdict(list)
        for place in sorted(self._parents):
            members[self._root(place)].append(place)
        return sorted(each for each in members.values() if len(each) > 1)

    def _forget(self, day: int) -> None:
        for past in [each for each in self._buckets if day - each > self._days]:
            for place in {each for bucket in self._buckets.pop(past).values() for each in bucket}:
                del self._digests[place]

    def _connect(self, first: int, second: int) -> None:
        roots = sorted((self._root(first), self._root(second)))
        self._parents[roots[1]] = roots[0]

    def _root(self, place: int) -> int:
        self._parents.setdefault(place, place)
        while self._parents[place] != place:
            self._parents[place] = self._parents[self._parents[place]]
            place = self._parents[place]
        return place


def _group(entries: Sequence[_Entry]) -> Group:
    """Cited copies are kept, or else the first with a date, or else the first."""
    cited = any(each.text.cited for each in entries)
    first = entries[0]
    return Group(
        tuple(
            Copy(
                each.text.id,
                each.text.date,
                each.text.source,
                each.text.cited if cited else each is first,
                round(_alike(first, each), 4),
            )
            for each in entries
        )
    )


def _alike(first: _Entry, other: _Entry) -> float:
    if first.digest is None or other.digest is None:
        return 0.0
    return similarity(first.digest, other.digest)
