"""The features of the ranker `argument`: fitted on training threads, they map the comments of a thread to rows of numbers.

Each sentence counts as much as its discount leaves of it (`discount`); the weighted sentences have a length, a wording (`counts`), a mean vector, and neighbours
in their thread. A row has the columns of wording and neighbours first (`counts`), then the vector.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints, unit_rows
from newsdesk.languages import has_spaces
from newsdesk.model import Arrays
from newsdesk.rankers.argument.counts import NEIGHBOURS, columns, names_of, rates
from newsdesk.rankers.argument.discount import Discount
from newsdesk.rankers.argument.linked import Linked
from newsdesk.rankers.argument.reading import CommentReader, Sentences, Talk
from newsdesk.rankers.argument.repetition import Rarity, are_copies
from newsdesk.rankers.argument.substance import substance
from newsdesk.rankers.argument.vectors import SentenceVectors, chosen
from newsdesk.text.language import main_language
from newsdesk.types import Comment, Thread

# A comment of this many words is half as sure a sample of its writer's wording as a very long one.
_HALF_SURE = 20.0

# With no weight on length its curve is flat beyond this many words; a word has so many letters, or characters in a language without spaces.
_SHORTEST_FLAT, _LETTERS, _CHARACTERS = 20.0, 5.84, 2.3
# How sharply the curve bends there.
_BEND = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class CommentRows:
    """The features of comments, their log lengths, and how much their wording is trusted.

    `whole_logs` is the log length before the discount.
    """

    rows: Floats  # comments × (signs + neighbours + vector)
    logs: Floats  # comments
    whole_logs: Floats  # comments
    trust: Floats  # comments, from 0 to 1

    @property
    def vectors(self) -> Floats:
        """The vector of each comment."""
        return self.rows[:, len(columns()) :]

    def part(self, chosen: Ints) -> CommentRows:
        """Return the rows of some comments, by position."""
        logs, whole_logs = self.logs[chosen], self.whole_logs[chosen]
        return CommentRows(self.rows[chosen], logs, whole_logs, self.trust[chosen])

    @classmethod
    def joined(cls, parts: Sequence[CommentRows]) -> CommentRows:
        """Return the comments of all parts in one."""
        return cls(
            rows=np.vstack([part.rows for part in parts]),
            logs=np.concatenate([part.logs for part in parts]),
            whole_logs=np.concatenate([part.whole_logs for part in parts]),
            trust=np.concatenate([part.trust for part in parts]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ArgumentFeatures:
    """Maps comments to feature rows by a reader of texts, a discount of sentences, and a detector of those that belong here.

    `length` is how much length counts, from 0 to 1: with 1, or without a detector, every sentence that the discount leaves, however long the comment.
    """

    reader: CommentReader
    discount: Discount
    linked: Linked | None = None
    length: float = 1.0

    @classmethod
    def of(
        cls,
        threads: Sequence[Thread],
        *,
        vectors: str = "auto",
        lang: str | None = None,
        padding: bool = True,
        seed: int = 0,
    ) -> tuple[ArgumentFeatures, list[Talk]]:
        """Fit the features on threads, without a detector, and return them with the threads as read."""
        texts = [comment.text for thread in threads for comment in thread.comments]
        language = main_language(threads, lang) or "en"
        encoder = SentenceVectors.of(chosen(vectors, language), language, texts)
        reader = CommentReader(language, Rarity.of(texts, language), encoder)
        talks = [Talk.of(thread, reader) for thread in threads]
        discount = Discount.of(reader, talks, seed) if padding else Discount.nothing(reader)
        return cls(reader, discount), talks

    @classmethod
    def restored(cls, learned: Mapping[str, Any], arrays: Arrays) -> ArgumentFeatures:
        """Rebuild the features from the saved state of reader, vectors and discount."""
        reader = CommentReader.restored(learned, arrays)
        return cls(reader, Discount.restored(reader, arrays), Linked.restored(arrays))

    def relinked(self, talks: Sequence[Talk], seed: int = 0) -> ArgumentFeatures:
        """Return the features with a detector learned from these threads, or as they are where these are too few."""
        if not Linked.are_enough([len(talk.texts) for talk in talks]):
            return self
        linked = Linked.of(talks, self.reader, seed)
        return replace(self, linked=replace(linked, at_hand=True))

    @property
    def lang(self) -> str:
        """The language that the features were fitted for."""
        return self.reader.lang

    @property
    def width(self) -> int:
        """The number of columns of a row, vectors included."""
        return len(columns()) + self.reader.vectors.dimensions

    def of_thread(self, thread: Thread) -> CommentRows:
        """Return the feature rows of all comments of a thread."""
        return self.of_talk(Talk.of(thread, self.reader))

    def of_talk(self, talk: Talk) -> CommentRows:
        """Return the feature rows of all comments of a thread already read."""
        return CommentRows.joined([self._none(), *self.blocks(talk)])

    def blocks(self, talk: Talk) -> Iterator[CommentRows]:
        """Yield the feature rows of a thread, a block of comments at a time."""
        return (rows for _, _, rows in self.weighed_blocks(talk))

    def weighed_blocks(self, talk: Talk) -> Iterator[tuple[Sentences, Floats, CommentRows]]:
        """Yield the sentences of each block, how much each counts, and the rows of the comments."""
        for hosts, read in talk.blocks():
            weights = self._weights(read, talk, hosts)
            yield read, weights, self._rows(read, weights, talk, hosts)

    def replaced(
        self, thread: Thread, places: Sequence[int], comments: Sequence[Comment]
    ) -> CommentRows | None:
        """Return the rows that comments would have in the places of others, one at a time.

        None where a comment would be, or would have been, a copy of another one: then the groups of copies change, and the thread must be read anew.
        """
        talk = Talk.of(thread, self.reader)
        hosts = np.asarray(places)  # comments
        read = self.reader.read([comment.text for comment in comments], talk.terms)
        alone = np.bincount(talk.groups)[talk.groups[hosts]] == 1  # comments: no copy elsewhere
        if not alone.all() or _any_copies(read, talk, places):
            return None
        return self._rows(read, self._weights(read, talk, hosts), talk, hosts)

    def _weights(self, read: Sentences, talk: Talk, hosts: Ints) -> Floats:
        """Return how much each sentence counts: what is foreign or without substance less, the less length counts."""
        weights = self.discount.weights(read, talk, hosts)
        if self.length == 1 or self.linked is None:
            return weights
        belongs = self.linked.weights(read, talk, hosts) * substance(read, talk, hosts)
        return weights * belongs ** (2 * (1 - self.length))

    def _none(self) -> CommentRows:
        nothing = np.zeros(0)
        return CommentRows(np.zeros((0, self.width)), nothing, nothing, nothing)

    def _rows(
        self, read: Sentences, sentence_weights: Floats, talk: Talk, hosts: Ints
    ) -> CommentRows:
        """Return the rows of comments in the places `hosts` of a thread."""
        column_of = {name: number for number, name in enumerate(names_of(self.lang))}
        weights = sentence_weights[:, None]  # sentences × 1
        # What is counted in a comment, each sentence as far as it counts.
        sums = read.sums(read.counts * weights)  # comments × counts
        vectors = unit_rows(read.sums(read.vectors * weights))  # comments × dimensions
        near = neighbours(vectors, talk, talk.groups[hosts])  # comments × 4
        # Length after and before the discount; a sentence counts the space behind it, the last has none.
        sizes = sums[:, column_of["characters"]], read.sums(read.counts[:, column_of["characters"]])
        # Logarithms of both lengths, for each comment.
        logs, whole_logs = (self._saturated(np.log(np.maximum(size - 1, 1))) for size in sizes)
        units = sums[:, column_of["units"]]  # comments
        rows = np.hstack([rates(sums, self.lang), near, vectors])  # comments × columns
        return CommentRows(rows, logs, whole_logs, trust=units / (units + _HALF_SURE))

    def _saturated(self, logs: Floats) -> Floats:
        """Return log lengths on a curve that is flat beyond some words, the fewer the less length counts.

        Half as much as at most (0.5) that is 80 words; 1 leaves them as they are.
        """
        if self.length == 1 or self.linked is None:
            return logs
        words = _SHORTEST_FLAT / (1 - self.length) ** 2
        most = np.log(words * (_LETTERS if has_spaces(self.lang) else _CHARACTERS))
        return most - np.logaddexp(0, _BEND * (most - logs)) / _BEND


def _any_copies(read: Sentences, talk: Talk, places: Sequence[int]) -> bool:
    """Return True if a comment would be a copy of a comment in another place of the thread."""
    terms, starts = read.distinct_terms()
    return any(
        are_copies(terms[start:end], talk.distinct[first:last])
        for host, (start, end) in zip(places, pairwise(starts.tolist()), strict=True)
        for number, (first, last) in enumerate(pairwise(talk.distinct_starts.tolist()))
        if number != host
    )


def neighbours(vectors: Floats, talk: Talk, own: Ints) -> Floats:
    """Return comments × `NEIGHBOURS`: how near each is to its neighbours in the thread and to the title.

    Neighbours are the nearest group of copies other than its `own`, all others, and the three nearest.
    NaN where there is no other group or no title.
    """
    columns = np.full((len(vectors), len(NEIGHBOURS)), np.nan)  # comments × 4
    nearest, others_mean, three_nearest, title = range(len(NEIGHBOURS))
    columns[:, others_mean], best = talk.nearest.compare(vectors, own)  # best: comments × 3
    real = np.isfinite(best)  # there may be fewer than three others
    sizes = real.sum(axis=1)  # comments
    some = sizes > 0
    columns[some, nearest] = best.max(axis=1)[some]
    columns[some, three_nearest] = np.where(real, best, 0.0).sum(axis=1)[some] / sizes[some]
    if talk.title.any():
        # The cosine of each comment with the title.
        columns[:, title] = vectors @ talk.title
    return columns
