"""The features of the ranker `argument`: fitted on training threads, they map the comments of a thread to rows of numbers.

Padding and repetition are removed first (`padding`); the rest has a length, a wording (`lexicon`, `wording`, `care`), vectors of the whole
and of its first sentence, and neighbours in its thread. A row has the columns of wording and neighbours first, then both vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.models import Arrays
from newsdesk.rankers.argument.care import CARE, care_rates
from newsdesk.rankers.argument.lexicon import lexicon
from newsdesk.rankers.argument.padding import PaddingFilter
from newsdesk.rankers.argument.rarity import Rarity
from newsdesk.rankers.argument.reading import Read, Reader, Talk
from newsdesk.rankers.argument.vectors import SentenceVectors, chosen
from newsdesk.rankers.argument.wording import MARKS, mark_rates, phrase_rates
from newsdesk.rankers.language import main_language
from newsdesk.types import Comment, Thread

NEIGHBOURS = ("nearest comment", "other comments", "three nearest", "title")

_BLOCK = 512


@dataclass(frozen=True, slots=True, eq=False)
class CommentRows:
    """Comments without padding: their features, the logarithm of their length, and the vector of the whole."""

    reads: tuple[Read, ...]
    rows: Floats
    logs: Floats
    vectors: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Maps comments to feature rows by a reader of texts and a padding filter."""

    reader: Reader
    padding: PaddingFilter

    @classmethod
    def of(
        cls,
        threads: Sequence[Thread],
        *,
        vectors: str = "auto",
        lang: str | None = None,
        padding: bool = True,
        seed: int = 0,
    ) -> tuple[Features, list[CommentRows]]:
        """Fit the features on threads and return them with the rows of these threads, which are read only once."""
        texts = [comment.text for thread in threads for comment in thread.comments]
        language = main_language(threads, lang) or "en"
        encoder = SentenceVectors.of(chosen(vectors, language), language, texts)
        reader = Reader(language, Rarity.of(texts, language), encoder)
        talks = [Talk.of(thread, reader) for thread in threads]
        features = cls(reader, PaddingFilter.of(reader, talks if padding else (), seed))
        return features, [features.of_talk(talk) for talk in talks]

    @classmethod
    def restored(cls, learned: Mapping[str, Any], arrays: Arrays) -> Features:
        """Rebuild the features from the saved state of reader, vectors and padding filter."""
        reader = Reader.restored(learned, arrays)
        return cls(reader, PaddingFilter.restored(reader, arrays))

    @property
    def lang(self) -> str:
        """The language that the features were fitted for."""
        return self.reader.lang

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns other than vectors."""
        return (*lexicon(self.lang).kinds, *MARKS, *CARE, *NEIGHBOURS)

    @property
    def width(self) -> int:
        """The number of columns of a row, vectors included."""
        return len(self.columns) + 2 * self.reader.vectors.dimensions

    def of_thread(self, thread: Thread) -> CommentRows:
        """The feature rows of all comments of a thread."""
        return self.of_talk(Talk.of(thread, self.reader))

    def of_talk(self, talk: Talk) -> CommentRows:
        """The feature rows of all comments of a thread already read."""
        return self._rows(talk.reads, talk, range(len(talk.reads)))

    def replaced(
        self, thread: Thread, places: Sequence[int], comments: Sequence[Comment]
    ) -> CommentRows:
        """The rows that comments would have in the places of others, one at a time; the thread is read once."""
        talk = Talk.of(thread, self.reader)
        around = self.of_talk(talk).vectors
        reads = self.reader.read([comment.text for comment in comments])
        return self._rows(reads, talk, places, around)

    def _rows(
        self,
        reads: Sequence[Read],
        talk: Talk,
        hosts: Sequence[int],
        around: Floats | None = None,
    ) -> CommentRows:
        """The rows of comments in the places `hosts`; `around` are the vectors of the thread, by default those of the comments."""
        stays = self.padding.stays(reads, talk, hosts)
        cleaned = tuple(read.only(stay) for read, stay in zip(reads, stays, strict=True))
        width = self.reader.vectors.dimensions
        vectors = _unit(np.array([read.centre for read in cleaned]).reshape(len(cleaned), width))
        near = neighbours(vectors, vectors if around is None else around, hosts, talk.title)
        kinds = len(lexicon(self.lang).kinds)
        worded, logs = [], []
        for read in cleaned:
            texts = [piece.text for piece in read.pieces]
            units = [unit for piece in read.pieces for unit in piece.units]
            hits = [hit for piece in read.pieces for hit in piece.hits]
            rates = phrase_rates(hits, len(units), kinds)
            worded.append([*rates, *mark_rates(read.text, texts, units)])
            logs.append(np.log(max(len(read.text), 1)))
        opening = [read.vectors[0] if read.pieces else np.zeros(width) for read in cleaned]
        first = np.array(opening).reshape(len(cleaned), width)
        words = np.array(worded).reshape(len(cleaned), kinds + len(MARKS))
        care = care_rates([read.text for read in cleaned], self.reader.vectors, self.lang)
        rows = np.hstack([words, care, near, first, vectors])
        return CommentRows(cleaned, rows, np.array(logs), vectors)


def neighbours(vectors: Floats, around: Floats, hosts: Sequence[int], title: Floats) -> Floats:
    """How near each comment is to the nearest other, to all others, to the three nearest and to the title."""
    columns = np.zeros((len(vectors), len(NEIGHBOURS)))
    places, others = np.asarray(hosts), len(around) - 1
    for start in range(0, len(vectors), _BLOCK):
        block = slice(start, start + _BLOCK)
        near = vectors[block] @ around.T
        own = (np.arange(len(near)), places[block])
        near[own] = 0.0
        if others:
            columns[block, 1] = near.sum(axis=1) / others
            near[own] = -np.inf
            best = np.sort(np.partition(near, -min(3, others))[:, -min(3, others) :], axis=1)
            columns[block, 0] = best[:, -1]
            columns[block, 2] = best.mean(axis=1)
    columns[:, 3] = vectors @ title
    return columns


def _unit(vectors: Floats) -> Floats:
    norms = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return vectors / np.where(norms > 0, norms, 1.0)
