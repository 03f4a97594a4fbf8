"""Sentence vectors for the ranker: those of wordllama, of LSA fitted on the training comments, of a transformers encoder (`hf:PATH`), or none.

`auto` takes wordllama for English where it is installed, and LSA elsewhere; the model stores the name of those it was fitted with.

The nearest of many vectors are looked up in cells around centroids (an inverted file: Sivic and Zisserman 2003), so that the cost of a long thread grows with n √n and not with n².
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints, unit_rows
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays
from newsdesk.text.encoders import (
    Encoder,
    Lsa,
    PieceEncoder,
    WordLlama,
    has_wordllama,
    sentence_encoder,
)
from newsdesk.text.ragged import Ragged

# Of any precision: those of a long thread are kept in the smallest one.
Vectors = NDArray[np.floating[Any]]

KINDS = ("auto", "wordllama", "lsa", "none")

LSA_DIMENSIONS = 50
# Longer sentences are truncated: padding a batch to them would exhaust the memory.
_MOST_CHARACTERS = 2_000
# LSA gains nothing from further texts, and its decomposition is slow.
_ENOUGH_TEXTS = 20_000


def chosen(kind: str, lang: str) -> str:
    """Return the kind of vectors that a setting selects for a language."""
    if kind not in KINDS and not _is_local(kind):
        raise ArgumentError(f"vectors is {kind!r}, not one of {', '.join(KINDS)} or hf:PATH")
    if kind != "auto":
        return kind
    return "wordllama" if lang == "en" and has_wordllama() else "lsa"


def _is_local(kind: str) -> bool:
    return kind.startswith("hf:") and kind != "hf:"


@functools.lru_cache(maxsize=2)
def _loaded(kind: str) -> Encoder:
    """Load an encoder once and cache it: loading takes as long as a thousand comments."""
    return sentence_encoder(kind)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceVectors:
    """An encoder of one kind; without an encoder (`none`) vectors have no dimensions."""

    kind: str
    dimensions: int
    _encoder: Encoder | None

    @classmethod
    def of(cls, kind: str, lang: str, texts: Iterable[str] = ()) -> SentenceVectors:
        """Vectors of a kind; LSA is fitted on the texts, independent of their order."""
        if kind == "none":
            return cls(kind, 0, None)
        if kind == "lsa":
            lsa = Lsa(LSA_DIMENSIONS, lang=lang)
            lsa.fit(sorted(set(texts))[:_ENOUGH_TEXTS])
            return cls(kind, int(lsa.axes_.shape[0]), lsa)
        loaded = _loaded(kind)
        return cls(kind, int(loaded.encode([""]).shape[1]), loaded)

    @classmethod
    def restored(
        cls, kind: str, lang: str, learned: Mapping[str, Any], arrays: Arrays
    ) -> SentenceVectors:
        """Rebuild the vectors from the state that `learned` returned."""
        if kind != "lsa":
            return cls.of(kind, lang)
        lsa = Lsa(LSA_DIMENSIONS, lang=lang)
        lsa.restore(learned["lsa"], arrays["lsa_idf"], arrays["lsa_axes"])
        return cls(kind, int(lsa.axes_.shape[0]), lsa)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text."""
        if self._encoder is None or not self.dimensions or not texts:
            return np.zeros((len(texts), self.dimensions), dtype=np.float32)
        return self._encoder.encode(_shortened(texts))

    def cut(self, texts: Sequence[str]) -> Ragged | None:
        """Return the pieces of texts that `embed` makes vectors of; None for an encoder without pieces."""
        if not isinstance(self._encoder, PieceEncoder) or not self.dimensions:
            return None
        return self._encoder.cut(_shortened(texts))

    def embed(self, pieces: Ragged) -> NDArray[np.float32]:
        """Return the unit vectors of texts from their pieces, the same as of the texts."""
        if not isinstance(self._encoder, PieceEncoder):
            raise TypeError(f"{self.kind} vectors are not made of pieces")
        return self._encoder.embed(pieces)

    def pieces(self, words: Sequence[str]) -> Floats:
        """Return the number of subword pieces of each word, and sums of their log ranks and vector norms.

        Zeros without pieces.
        """
        sums = np.zeros((len(words), 3))  # words × 3
        if isinstance(self._encoder, WordLlama) and words:
            sums[:] = self._encoder.pieces(words)
        return sums

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the state fitted on texts: the vocabulary for JSON, and arrays."""
        if not isinstance(self._encoder, Lsa):
            return {}, {}
        words = self._encoder.vocabulary_.words
        return {"lsa": words}, {
            "lsa_idf": self._encoder.tfidf_.idf,
            "lsa_axes": self._encoder.axes_,
        }


def _shortened(texts: Sequence[str]) -> list[str]:
    return [text[:_MOST_CHARACTERS] for text in texts]


# Up to so many vectors are all compared; of more only those in the cells around so many of the centroids.
MOST_COMPARED = 4_096
_PROBED = 16
# Cells for a vector's square root of all, vectors per cell that the centroids are fitted on, and rounds.
_CELLS, _SAMPLE, _ROUNDS = 1.5, 32, 3
# Vectors assigned to cells together.
_TOGETHER = 4_096
NEAREST = 3


@dataclass(frozen=True, slots=True, eq=False)
class NearestVectors:
    """Unit vectors in which the nearest to any other vectors are looked up.

    Up to `MOST_COMPARED` all are compared, and there are no centroids. More stand in the order of their cells: cell i has those from `starts[i]` to before `starts[i + 1]`.
    """

    vectors: Vectors  # vectors × dimensions
    numbers: Ints  # vectors: the number of each before they were put in order
    places: Ints  # vectors: where each number stands
    total: Floats  # dimensions: the sum of all
    centroids: Vectors  # cells × dimensions
    starts: Ints  # cells + 1

    @classmethod
    def of(cls, vectors: Vectors) -> NearestVectors:
        """Arrange vectors, scaled to length one, for looking up; their order does not matter."""
        if not vectors.shape[1]:
            # Without dimensions all are equally near: an own and another one stand for all.
            vectors = vectors[:2]
        count = len(vectors)
        if count <= MOST_COMPARED:
            every = np.arange(count)
            exact = unit_rows(vectors.astype(np.float64))
            return cls(exact, every, every, exact.sum(axis=0), exact[:0], every[:1])
        # In an order of the vectors themselves, so that the cells are the same however they were sorted.
        order = np.lexsort(np.round(vectors[:, :4].astype(np.float64), 5).T)
        cells_wanted = int(_CELLS * math.sqrt(count))
        sample = np.linspace(0, count - 1, min(count, _SAMPLE * cells_wanted)).astype(np.int64)
        centroids = _centroids(unit_rows(vectors[order[sample]].astype(np.float32)), cells_wanted)
        # The nearest centroid of a vector does not depend on its length.
        cells = _cells(vectors, centroids)  # vectors
        numbers = order[np.argsort(cells[order], kind="stable")]
        places = np.empty_like(numbers)
        places[numbers] = np.arange(count)
        starts = np.searchsorted(cells[numbers], np.arange(len(centroids) + 1))
        # In half precision where they came in it: as they are compared, a cell at a time is made single.
        rows = np.empty(vectors.shape, min(vectors.dtype, np.dtype(np.float32)))
        total = np.zeros(vectors.shape[1])
        for first in range(0, count, _TOGETHER):
            own = unit_rows(vectors[numbers[first : first + _TOGETHER]].astype(np.float32))
            rows[first : first + _TOGETHER] = own
            total += own.sum(axis=0, dtype=np.float64)
        return cls(rows, numbers, places, total, centroids, starts)

    def compare(self, queries: Vectors, own: Ints) -> tuple[Floats, Floats]:
        """Return the mean cosine of each query with all vectors, and its `NEAREST` largest cosines.

        The vector whose number is `own` takes no part. NaN where there is no other; the
        largest cosines are in no order, −∞ where there are fewer.
        """
        if len(self.centroids):
            return self._mean(queries, own), self._in_cells(queries.astype(np.float32), own)
        cosines = queries @ self.vectors.T  # queries × vectors
        same = own[:, None] == self.numbers[None, :]  # queries × vectors
        others = len(self.numbers) - same.sum(axis=1)  # queries
        cosines[same] = 0.0
        # Queries: NaN where there is no other vector.
        means = np.where(others > 0, cosines.sum(axis=1) / np.maximum(others, 1), np.nan)
        cosines[same] = -np.inf
        return means, _largest(cosines)

    def _mean(self, queries: Vectors, own: Ints) -> Floats:
        """Return the mean cosine with all vectors but the own: the sum of all has it without a comparison."""
        same = (queries * self.vectors[self.places[own]]).sum(
            axis=1
        )  # queries: cosine with its own
        return (queries @ self.total - same) / (len(self.numbers) - 1)

    def _in_cells(self, queries: Vectors, own: Ints) -> Floats:
        """Return the largest cosines of queries with the vectors of the cells that are nearest to each."""
        near = queries @ self.centroids.T  # queries × cells
        probed = np.argpartition(near, -_PROBED, axis=1)[:, -_PROBED:].ravel()
        # Pairs of a query and a cell, cell by cell: those of one cell are compared together.
        pairs = np.argsort(probed, kind="stable")
        bounds = np.searchsorted(probed[pairs], np.arange(len(self.centroids) + 1)).tolist()
        best = np.full((len(probed), NEAREST), -np.inf)  # pairs × nearest
        starts = self.starts.tolist()
        for cell, (first, last) in enumerate(pairwise(bounds)):
            start, end = starts[cell : cell + 2]
            if first == last or start == end:
                continue
            asking = pairs[first:last] // _PROBED  # queries of this cell
            own_cell = self.vectors[start:end].astype(np.float32)
            cosines = queries[asking] @ own_cell.T  # queries × vectors of this cell
            cosines[own[asking][:, None] == self.numbers[start:end]] = -np.inf
            best[pairs[first:last]] = _largest(cosines)
        return _largest(best.reshape(len(queries), -1))


def _largest(cosines: Vectors) -> Floats:
    """Return the `NEAREST` largest values of each row in no order; −∞ where there are fewer columns."""
    count = min(NEAREST, cosines.shape[1])
    largest = np.full((len(cosines), NEAREST), -np.inf)  # rows × nearest
    if count:
        largest[:, NEAREST - count :] = np.partition(cosines, -count, axis=1)[:, -count:]
    return largest


def _centroids(sample: Vectors, count: int) -> Vectors:
    """Return centroids of unit vectors by spherical k-means; the first ones are evenly spaced among them."""
    centroids = sample[np.linspace(0, len(sample) - 1, count).astype(np.int64)]
    for _ in range(_ROUNDS):
        cells = _cells(sample, centroids)  # vectors of the sample
        order = np.argsort(cells, kind="stable")
        # A cell that lost all its vectors keeps its centroid.
        filled, starts = np.unique(cells[order], return_index=True)
        centroids[filled] = unit_rows(np.add.reduceat(sample[order], starts, axis=0))
    return centroids


def _cells(rows: Vectors, centroids: Vectors) -> Ints:
    """Return the cell of each vector: that of the nearest centroid."""
    return np.concatenate(
        [
            np.argmax(rows[first : first + _TOGETHER].astype(np.float32) @ centroids.T, axis=1)
            for first in range(0, len(rows), _TOGETHER)
        ]
    )
