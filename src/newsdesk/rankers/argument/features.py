"""The features of the ranker `argument`: fitted on training threads, they map the comments of a thread to rows of numbers.

Each sentence counts as much as its discount leaves of it (`discount`); the weighted sentences have a length, a wording (`counts`), a mean vector, and neighbours
in their thread. A row has the columns of wording and neighbours first (`signs`), then the vector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.models import Arrays
from newsdesk.rankers.argument.copies import are_copies
from newsdesk.rankers.argument.counts import names_of, rates
from newsdesk.rankers.argument.discount import Discount
from newsdesk.rankers.argument.rarity import Rarity
from newsdesk.rankers.argument.reading import BLOCK, Reader, Sentences, Talk, group_means, unit_rows
from newsdesk.rankers.argument.signs import NEIGHBOURS, columns
from newsdesk.rankers.argument.vectors import SentenceVectors, chosen
from newsdesk.rankers.language import main_language
from newsdesk.types import Comment, Thread

# In a larger thread neighbours are looked for among this many groups of copies.
_MOST_GROUPS = 500
# A comment of this many words is half as sure a sample of its writer's wording as a very long one.
_HALF_SURE = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class CommentRows:
    """The features of comments, the logarithm of their length and of the length before the discount, and how much their wording is trusted."""

    rows: Floats
    logs: Floats
    whole_logs: Floats
    trust: Floats

    @property
    def vectors(self) -> Floats:
        """The vector of each comment."""
        return self.rows[:, len(columns()) :]

    def part(self, chosen: Ints) -> CommentRows:
        """Some of the comments."""
        logs, whole_logs = self.logs[chosen], self.whole_logs[chosen]
        return CommentRows(self.rows[chosen], logs, whole_logs, self.trust[chosen])

    @classmethod
    def joined(cls, parts: Sequence[CommentRows]) -> CommentRows:
        """The comments of all parts in one."""
        return cls(
            np.vstack([each.rows for each in parts]),
            np.concatenate([each.logs for each in parts]),
            np.concatenate([each.whole_logs for each in parts]),
            np.concatenate([each.trust for each in parts]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Maps comments to feature rows by a reader of texts and a discount of sentences."""

    reader: Reader
    discount: Discount

    @classmethod
    def of(
        cls,
        threads: Sequence[Thread],
        *,
        vectors: str = "auto",
        lang: str | None = None,
        padding: bool = True,
        seed: int = 0,
    ) -> tuple[Features, list[Talk]]:
        """Fit the features on threads and return them with the threads as read."""
        texts = [comment.text for thread in threads for comment in thread.comments]
        language = main_language(threads, lang) or "en"
        encoder = SentenceVectors.of(chosen(vectors, language), language, texts)
        reader = Reader(language, Rarity.of(texts, language), encoder)
        talks = [Talk.of(each, reader) for each in threads]
        discount = Discount.of(reader, talks, seed) if padding else Discount.nothing(reader)
        return cls(reader, discount), talks

    @classmethod
    def restored(cls, learned: Mapping[str, Any], arrays: Arrays) -> Features:
        """Rebuild the features from the saved state of reader, vectors and discount."""
        reader = Reader.restored(learned, arrays)
        return cls(reader, Discount.restored(reader, arrays))

    @property
    def lang(self) -> str:
        """The language that the features were fitted for."""
        return self.reader.lang

    @property
    def width(self) -> int:
        """The number of columns of a row, vectors included."""
        return len(columns()) + self.reader.vectors.dimensions

    def of_thread(self, thread: Thread) -> CommentRows:
        """The feature rows of all comments of a thread."""
        return self.of_talk(Talk.of(thread, self.reader))

    def of_talk(self, talk: Talk) -> CommentRows:
        """The feature rows of all comments of a thread already read."""
        hosts = np.arange(len(talk.groups))
        weights = self.discount.weights(talk.read, talk, hosts)
        return self._rows(talk.read, weights, talk, hosts)

    def replaced(
        self, thread: Thread, places: Sequence[int], comments: Sequence[Comment]
    ) -> CommentRows | None:
        """The rows that comments would have in the places of others, one at a time; the thread is read once.

        None where a comment would be, or would have been, a copy of another one: then the groups of copies change, and the thread must be read anew.
        """
        talk = Talk.of(thread, self.reader)
        hosts = np.asarray(places)
        read = self.reader.read([comment.text for comment in comments], talk.terms)
        alone = np.bincount(talk.groups)[talk.groups[hosts]] == 1
        if not alone.all() or _any_copies(read, talk, places):
            return None
        around = self.of_talk(talk).vectors
        weights = self.discount.weights(read, talk, hosts)
        return self._rows(read, weights, talk, hosts, around)

    def _rows(
        self,
        read: Sentences,
        weights: Floats,
        talk: Talk,
        hosts: Ints,
        around: Floats | None = None,
    ) -> CommentRows:
        """The rows of comments in the places `hosts`; `around` are the vectors of the thread, by default those of the comments."""
        place = {name: number for number, name in enumerate(names_of(self.lang))}
        count, wording = len(read.starts) - 1, len(columns())
        rows = np.zeros((count, self.width))
        sizes, whole, units = np.zeros((3, count))
        for first in range(0, count, BLOCK):
            block = slice(first, min(first + BLOCK, count))
            some = read.part(block.start, block.stop)
            own = weights[read.starts[first] :][: len(some.texts), None]
            sums = some.sums(some.counts * own)
            rows[block, : wording - len(NEIGHBOURS)] = rates(sums, self.lang)
            rows[block, wording:] = unit_rows(some.sums(some.vectors * own))
            sizes[block], units[block] = sums[:, place["characters"]], sums[:, place["units"]]
            whole[block] = some.sums(some.counts[:, place["characters"]])
        vectors = rows[:, wording:]
        means, groups = _groups(vectors if around is None else around, talk.groups)
        near = neighbours(vectors, means, groups, talk.groups[hosts], talk.title)
        rows[:, wording - len(NEIGHBOURS) : wording] = near
        logs, whole_logs = (np.log(np.maximum(each - 1, 1)) for each in (sizes, whole))
        return CommentRows(rows, logs, whole_logs, units / (units + _HALF_SURE))


def _groups(vectors: Floats, groups: Ints) -> tuple[Floats, Ints]:
    """The mean vector of each group of copies, and its number; of many groups a sample that is the same however the thread is sorted."""
    count = int(groups.max()) + 1 if len(groups) else 0
    chosen = np.arange(count)
    if count > _MOST_GROUPS:
        first = np.unique(groups, return_index=True)[1]
        order = np.lexsort(np.round(vectors[first][:, :4], 5).T)
        chosen = np.sort(order[np.linspace(0, count - 1, _MOST_GROUPS).astype(np.int64)])
    inside = np.isin(groups, chosen)
    means = group_means(vectors[inside], np.searchsorted(chosen, groups[inside]), len(chosen))
    return unit_rows(means), chosen


def _any_copies(read: Sentences, talk: Talk, places: Sequence[int]) -> bool:
    """True if a comment would be a copy of a comment in another place of the thread."""
    terms, starts = read.distinct_terms()
    return any(
        are_copies(terms[start:end], talk.distinct[first:last])
        for place, (start, end) in zip(places, pairwise(starts.tolist()), strict=True)
        for number, (first, last) in enumerate(pairwise(talk.distinct_starts.tolist()))
        if number != place
    )


def neighbours(vectors: Floats, around: Floats, groups: Ints, own: Ints, title: Floats) -> Floats:
    """How near each comment is to the nearest other group of copies, to all others, to the three nearest and to the title.

    `groups` are the numbers of the groups whose means are `around`, and `own` is the group of each comment. NaN where there is no other group or no title.
    """
    columns = np.zeros((len(vectors), len(NEIGHBOURS)))
    for start in range(0, len(vectors), BLOCK):
        block = slice(start, start + BLOCK)
        near = vectors[block] @ around.T
        same = own[block, None] == groups[None, :]
        others = len(groups) - same.sum(axis=1)
        near[same] = 0.0
        columns[block, 1] = near.sum(axis=1) / np.maximum(others, 1)
        near[same] = -np.inf
        most = min(3, near.shape[1])
        best = np.sort(np.partition(near, -most)[:, -most:], axis=1) if most else near
        real = np.isfinite(best)
        columns[block, 0] = best.max(axis=1, initial=-np.inf)
        columns[block, 2] = np.where(real, best, 0.0).sum(axis=1) / np.maximum(real.sum(axis=1), 1)
        columns[block, :3][others == 0] = np.nan
    columns[:, 3] = vectors @ title if title.any() else np.nan
    return columns
