"""Exact nearest documents by cosine of TF-IDF vectors, from an inverted index that is built once, saved and memory-mapped.

The terms of a query are processed from the rarest to the most frequent, and each adds its postings to the scores of all documents. As soon as the
k-th best score exceeds what the terms that are left can add at most, no document without one of the rarer terms can be among the best: the few candidates that are
left are scored from their own vectors, and the longest posting lists are not read (MaxScore, Turtle and Flood 1995). That bound is the smaller of
the sum of weight in the query × largest weight in any document, and the length of the rest of the query's vector (Cauchy and Schwarz). Final scores are sums in double precision in the order of a document's terms, so a result does not depend on what was
skipped; ties are broken by rounding to 1e-9 and then by position.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints, best_first
from newsdesk.errors import ArgumentError

# Compiled and in place: the public product of scipy copies what it multiplies, which takes longer than the product.
from scipy.sparse._sparsetools import csc_matvec  # isort: skip

_BLOCKS = 64
_FIRST_CHECK = 500  # postings read before the first test whether the rest can be skipped
_SPARSE_SHARE = 8
_CHECK_GROWTH = 3
_MOST_CANDIDATES = 4_000
_SLACK = 1e-5  # more than single precision can lose

_PARTS = ("indptr", "indices", "data", "post_indptr", "post_docs", "post_data", "largest")


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest documents of a query, best first, with their cosines; documents without a common term are left out."""

    places: Ints
    scores: Floats


class _Scratch(threading.local):
    """Arrays that one thread uses again for every query."""

    scores: NDArray[np.float32] | None = None
    query: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class InvertedIndex:
    """Documents as unit vectors, by document (`indptr`, `indices`, `data`) and by term (`post_…`), and each term's largest weight."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float32]
    post_indptr: NDArray[np.int64]
    post_docs: NDArray[np.int32]
    post_data: NDArray[np.float32]
    largest: NDArray[np.float32]
    _scratch: _Scratch = field(default_factory=_Scratch, repr=False)

    @classmethod
    def of(cls, matrix: sparse.csr_array) -> InvertedIndex:
        """Index the rows of a sparse matrix with weights of zero or more; time and memory are linear in its entries."""
        rows = sparse.csr_array(matrix, dtype=np.float32)
        if rows.nnz and (rows.data.min() < 0 or rows.multiply(rows).sum(axis=1).max() > 1 + _SLACK):
            raise ArgumentError(
                "an index takes rows of length one (or zero), without weights below zero"
            )
        rows.sort_indices()
        columns = rows.tocsc()
        terms = matrix.shape[1]
        largest = np.zeros(terms, dtype=np.float32)
        filled = np.flatnonzero(np.diff(columns.indptr))
        if len(filled):
            largest[filled] = np.maximum.reduceat(columns.data, columns.indptr[filled])
        return cls(
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int32),
            rows.data,
            columns.indptr.astype(np.int64),
            columns.indices.astype(np.int32),
            columns.data,
            largest,
        )

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> InvertedIndex:
        """The index that `arrays` returned; the arrays may be memory-mapped."""
        indptr, indices, data, post_indptr, post_docs, post_data, largest = (
            arrays[name] for name in _PARTS
        )
        return cls(indptr, indices, data, post_indptr, post_docs, post_data, largest)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the index by name, to be saved."""
        return {name: getattr(self, name) for name in _PARTS}

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def terms(self) -> int:
        """The number of terms, seen or not."""
        return len(self.largest)

    @property
    def nbytes(self) -> int:
        """The size of all arrays in bytes, in memory or on disk."""
        return sum(array.nbytes for array in self.arrays.values())

    def nearest(self, terms: Ints, weights: Floats, k: int) -> Neighbours:
        """The k documents with the largest product with a query, given as distinct terms and weights above zero."""
        wanted = min(k, len(self))
        starts = self.post_indptr[terms]
        counts = self.post_indptr[terms + 1] - starts
        used = np.flatnonzero((counts > 0) & (weights > 0))
        if wanted < 1 or not len(used):
            return Neighbours(np.zeros(0, dtype=np.int64), np.zeros(0))
        used = used[np.argsort(counts[used], kind="stable")]
        rare_first, query = terms[used], weights[used]
        bounds = _Bounds.of(query, self.largest[rare_first])
        spans = (starts[used].tolist(), counts[used].tolist())
        candidates = self._candidates(spans, query.astype(np.float32), bounds, wanted)
        scores = self._exact(candidates, rare_first, query)
        best = best_first(scores)[:wanted]
        best = best[scores[best] > 0]
        return Neighbours(candidates[best], scores[best])

    def _candidates(
        self,
        spans: tuple[list[int], list[int]],
        weights: NDArray[np.float32],
        bounds: _Bounds,
        k: int,
    ) -> Ints:
        """Documents among which the k best are, in order of their places; the scores are left at zero for the next query."""
        scores = self._scores()
        few = (
            len(scores) // _SPARSE_SHARE
        )  # with fewer postings, only the documents in them are looked at
        read, check = 0, _FIRST_CHECK
        lists: list[NDArray[np.int32]] = []
        span = np.zeros(2, dtype=np.int32)
        try:
            for place, (start, count) in enumerate(zip(*spans, strict=True)):
                if place and read + count > check:
                    check = _CHECK_GROWTH * (read + count)
                    docs = np.concatenate(lists) if read <= few else None
                    candidates = _left(scores, docs, bounds, place, k)
                    if candidates is not None:
                        return candidates
                postings = slice(start, start + count)
                docs_of_term, data = self.post_docs[postings], self.post_data[postings]
                span[1] = count
                weight = weights[place : place + 1]
                csc_matvec(len(scores), 1, span, docs_of_term, data, weight, scores)
                lists.append(docs_of_term)
                read += count
            met: Any = np.concatenate(lists) if read <= few else np.flatnonzero(scores)
            values = scores[met]
            floor = _kth_largest(values, met, k, len(lists)) - _SLACK
            return np.unique(met[values >= np.float32(floor)]).astype(np.int64)
        finally:
            if read <= few:
                for each in lists:
                    scores[each] = 0
            else:
                scores.fill(0)

    def _exact(self, documents: Ints, terms: Ints, weights: Floats) -> Floats:
        """The products of documents with a query, from their own vectors, in double precision."""
        query = self._scratch.query
        if query is None or len(query) != self.terms:
            query = self._scratch.query = np.zeros(self.terms)
        query[terms] = weights
        starts = self.indptr[documents]
        lengths = self.indptr[documents + 1] - starts
        offsets = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum())) + np.repeat(starts - offsets, lengths)
        products = self.data[places].astype(np.float64) * query[self.indices[places]]
        query[terms] = 0.0
        # Candidates share a term with the query, so none of them is empty.
        return np.add.reduceat(products, offsets) if len(documents) else np.zeros(0)

    def _scores(self) -> NDArray[np.float32]:
        """Zero for each document: an array that every query leaves as it found it."""
        scores = self._scratch.scores
        if scores is None or len(scores) != len(self):
            scores = self._scratch.scores = np.zeros(len(self), dtype=np.float32)
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class _Bounds:
    """What the terms from a place on can add to a score at most; terms from the rarest to the most frequent.

    `sums`: the sum of weight × largest weight in a document. `tails` and `heads`: the length of the query's vector from a place on and before it; by
    Cauchy and Schwarz a document, whose length is at most one, gets no more than `tails` from them, and less the more of its length is in the terms before.
    """

    sums: list[float]
    tails: list[float]
    heads: list[float]

    @classmethod
    def of(cls, weights: Floats, largest: NDArray[np.float32]) -> _Bounds:
        squares = np.cumsum(np.concatenate([weights**2, [0.0]])[::-1])[::-1]
        sums = np.cumsum((weights * largest)[::-1])[::-1]
        total = float(squares[0])
        heads = np.sqrt(np.maximum(total - squares, 0.0))
        return cls(sums.tolist(), np.sqrt(squares).tolist(), heads.tolist())

    def most(self, place: int) -> float:
        """What the terms from a place on add at most to any document."""
        return min(self.sums[place], self.tails[place])

    def reachable(self, values: NDArray[np.float32], place: int) -> Floats:
        """The largest score that documents with these scores before a place can reach."""
        share = np.minimum(values / max(self.heads[place], 1e-12), 1.0).astype(np.float64)
        rest = self.tails[place] * np.sqrt(1.0 - share * share)
        return values + np.minimum(rest, self.sums[place])


def _left(
    scores: NDArray[np.float32], docs: NDArray[np.int32] | None, bounds: _Bounds, place: int, k: int
) -> Ints | None:
    """The candidates that are left if the terms from a place on need not be read; None if they must be.

    `docs` are the documents met so far, some of them repeatedly; None stands for all.
    """
    most = bounds.most(place) + _SLACK
    if docs is None:
        floor = _kth_of_groups(scores, k)
        if floor <= most:
            return None
        places = np.flatnonzero(scores >= np.float32(floor - most))
    else:
        values = scores[docs]
        floor = _kth_largest(values, docs, k, place)
        if floor <= most:
            return None
        places = np.unique(docs[values >= np.float32(floor - most)]).astype(np.int64)
    places = places[bounds.reachable(scores[places], place) >= floor - _SLACK]
    return places if len(places) <= _MOST_CANDIDATES else None


def _kth_largest(values: NDArray[np.float32], docs: Any, k: int, repeats: int) -> float:
    """The k-th largest score of the documents met, each of them at most `repeats` times; below all if there are fewer."""
    count = k * repeats
    if len(docs) > count:
        chosen = np.argpartition(values, len(values) - count)[len(values) - count :]
        values, docs = values[chosen], docs[chosen]
    distinct = np.unique(docs, return_index=True)[1]
    if len(distinct) < k:
        return -np.inf
    return float(np.partition(values[distinct], len(distinct) - k)[len(distinct) - k])


def _kth_of_groups(scores: NDArray[np.float32], k: int) -> float:
    """A lower bound of the k-th largest score: the k-th largest of the maxima of groups of documents."""
    groups = len(scores) // _BLOCKS
    if groups < 2 * k:
        return float(np.partition(scores, len(scores) - k)[len(scores) - k])
    largest = scores[: groups * _BLOCKS].reshape(_BLOCKS, groups).max(axis=0)
    return float(np.partition(largest, groups - k)[groups - k])
