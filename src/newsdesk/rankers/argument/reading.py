"""Comments and threads as the ranker reads them: pieces with their words and vectors, and statistics of the thread.

A piece is a sentence; a sentence is split again where a capitalized word begins a new one without a full stop before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.languages import has_spaces
from newsdesk.models import Arrays
from newsdesk.rankers.argument.lexicon import Hit, lexicon, units_of
from newsdesk.rankers.argument.rarity import Rarity, terms_of
from newsdesk.rankers.argument.repeats import once
from newsdesk.rankers.argument.vectors import SentenceVectors
from newsdesk.text.sentences import sentences
from newsdesk.types import Thread

_UNMARKED = re.compile(r"(?<=[a-z0-9)\]'\"%])\s+(?=([A-Z][a-z]+)(?:-[a-z]+)?\s+[a-z])")
_LEAST_PIECE = 25


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A sentence with its terms and the phrases of the word lists in it."""

    text: str
    units: list[str]
    terms: list[str]
    hits: list[Hit]


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A comment split into pieces, with a vector for each; `text` is the comment without repetition."""

    text: str
    pieces: tuple[Piece, ...]
    vectors: Floats

    @property
    def centre(self) -> Floats:
        """The mean vector of the pieces."""
        if not len(self.pieces):
            return np.zeros(self.vectors.shape[1])
        return self.vectors.mean(axis=0)

    def only(self, stays: Sequence[bool]) -> Read:
        """The comment reduced to the pieces marked True."""
        if all(stays):
            return self
        places = [place for place, stay in enumerate(stays) if stay]
        pieces = tuple(self.pieces[place] for place in places)
        return Read(" ".join(piece.text for piece in pieces), pieces, self.vectors[places])


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Splits texts of one language into pieces and encodes them."""

    lang: str
    rarity: Rarity
    vectors: SentenceVectors

    @classmethod
    def restored(cls, learned: Mapping[str, Any], arrays: Arrays) -> Reader:
        """Rebuild the reader from the state that `learned`, of the reader and of the vectors, returned."""
        lang = learned["lang"]
        vectors = SentenceVectors.restored(learned["vectors"], lang, learned, arrays)
        counts = dict(zip(learned["terms"], arrays["term_counts"].tolist(), strict=True))
        rarity = Rarity(learned["texts"], counts, frozenset(learned["small"]))
        return cls(lang, rarity, vectors)

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """The language, the kind of vectors, and the terms with their document frequencies: a part for JSON, and arrays."""
        rarity = self.rarity
        learned = {
            "lang": self.lang,
            "vectors": self.vectors.kind,
            "texts": rarity.texts,
            "terms": list(rarity.counts),
            "small": sorted(rarity.small),
        }
        return learned, {"term_counts": np.array(list(rarity.counts.values()), dtype=np.int64)}

    def read(self, texts: Sequence[str]) -> list[Read]:
        """Split and encode comments, all vectors in one call."""
        said = [once(text) for text in texts]
        cut = [[self._piece(piece) for piece in self._cut(text)] for text in said]
        vectors = self.vectors.encode([piece.text for pieces in cut for piece in pieces])
        ends = np.cumsum([len(pieces) for pieces in cut])
        starts = ends - [len(pieces) for pieces in cut]
        return [
            Read(text, tuple(pieces), vectors[start:end])
            for text, pieces, start, end in zip(
                said, cut, starts.tolist(), ends.tolist(), strict=True
            )
        ]

    def _piece(self, text: str) -> Piece:
        units = units_of(text, self.lang)
        return Piece(text, units, terms_of(units, self.lang), lexicon(self.lang).hits(units))

    def _cut(self, text: str) -> list[str]:
        pieces: list[str] = []
        for sentence in sentences(text, self.lang):
            start = 0
            for gap in _UNMARKED.finditer(sentence) if has_spaces(self.lang) else ():
                opens = gap[1].lower() in self.rarity.small
                if opens and len(sentence) - gap.end() >= _LEAST_PIECE:
                    pieces.append(sentence[start : gap.start()])
                    start = gap.end()
            pieces.append(sentence[start:])
        return [each for each in pieces if each]


@dataclass(frozen=True, slots=True, eq=False)
class Talk:
    """A thread as read: its comments, the document frequency of each term in it, and the sum of the comments' mean vectors."""

    reads: tuple[Read, ...]
    terms: tuple[frozenset[str], ...]
    counts: Counter[str]
    centres: Floats
    total: Floats
    title: Floats

    @classmethod
    def of(cls, thread: Thread, reader: Reader) -> Talk:
        """Read the comments and the title of a thread."""
        reads = reader.read([comment.text for comment in thread.comments])
        terms = tuple(
            frozenset(term for piece in read.pieces for term in piece.terms) for read in reads
        )
        counts = Counter(term for each in terms for term in each)
        size = reader.vectors.dimensions
        centres = np.array([read.centre for read in reads]).reshape(len(reads), size)
        title = reader.vectors.encode([thread.article.title or ""])[0]
        return cls(tuple(reads), terms, counts, centres, centres.sum(axis=0), title)

    def others(self, place: int) -> Floats:
        """The sum of the mean vectors of all comments but one."""
        return self.total - self.centres[place]
