"""Exact nearest documents by cosine of TF-IDF vectors, from an inverted index that is built once, saved and memory-mapped.

Terms are ordered from the rarest to the most frequent. A document that scores at least θ against a query is found in the posting list of its rarest query term t, and there its `tail`, the
length of its vector from t on, is at least θ / |q from t on|: the Cauchy–Schwarz inequality, with which Anastasiu and Karypis (2014, L2AP) prune joins. Posting lists are sorted by tail, so a
query reads the ends of its lists alone: hardly anything of those of frequent words, because a text consists of frequent words only if it has no rare ones.

θ is the k-th best score among the documents of the rarest lists. Where these are many, their scores from the rarest terms and the bound on what is missing tell which of them have to be scored.
Final scores are sums in double precision over a document's terms, so a result does not depend on what was skipped; ties are broken by rounding to 1e-9 and then by position.

What retrieval keeps of the training threads, and the candidates it draws from them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints, best_first
from newsdesk.commenters.texts import TextColumn
from newsdesk.errors import ArgumentError

_LEVELS = 2**16 - 1  # a tail of one; tails are rounded up to levels
_MOST_FIRST = 8_192  # postings of the rarest lists to begin with, at most
_ENOUGH = 8  # times k: fewer postings are filled up from the next list
_FIRST_ENTRIES = 4_096  # entries of the documents that give θ
_CHUNK_ENTRIES = 16_384  # entries scored at once: larger temporary arrays cost more than the sums
_SLACK = 1e-6  # more than ties and rounding can hide

_PARTS = (
    "rank", "indptr", "indices", "data", "post_indptr", "post_docs", "post_data", "post_tails"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest documents of a query, best first, with their cosines.

    Documents without a common term are left out.
    """

    places: Ints
    scores: Floats


class _Scratch(threading.local):
    """An array with a place for each term that one thread uses again for every query."""

    query: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Query:
    """A query: its terms from the rarest on, their weights, and their posting lists.

    `starts` and `ends` are those of the lists, `tails` the length of the query from each term on.
    """

    terms: NDArray[np.int32]
    weights: Floats
    starts: list[int]
    ends: list[int]
    tails: list[float]  # one more than terms: nothing is left after the last


@dataclass(frozen=True, slots=True, eq=False)
class InvertedIndex:
    """Documents as unit vectors, by document (`indptr`, `indices`, `data`) and by term (`post_…`).

    `rank` numbers terms from the rarest to the most frequent.
    """

    rank: NDArray[np.int32]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float32]
    post_indptr: NDArray[np.int64]
    post_docs: NDArray[np.int32]
    post_data: NDArray[np.float32]
    post_tails: NDArray[np.uint16]
    _scratch: _Scratch = field(default_factory=_Scratch, repr=False)

    @classmethod
    def of(cls, matrix: sparse.csr_array) -> InvertedIndex:
        """Index the rows of a sparse matrix with weights of zero or more.

        Time and memory are linear in its entries.
        """
        rows = sparse.csr_array(matrix, dtype=np.float32, copy=True)
        if rows.nnz and (rows.data.min() < 0 or rows.multiply(rows).sum(axis=1).max() > 1 + 1e-5):
            raise ArgumentError(
                "an index takes rows of length one (or zero), without weights below zero"
            )
        rows.eliminate_zeros()
        rank = np.empty(rows.shape[1], dtype=np.int32)
        counts = np.bincount(rows.indices, minlength=len(rank))
        rank[np.argsort(counts, kind="stable")] = np.arange(len(rank))
        rows = sparse.csr_array((rows.data, rank[rows.indices], rows.indptr), shape=rows.shape)
        rows.sort_indices()
        tails = _tails(rows)
        order, post_indptr = _by_term_and_tail(rows, tails)
        documents = np.repeat(np.arange(rows.shape[0], dtype=np.int32), np.diff(rows.indptr))
        return cls(
            rank,
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int32),
            rows.data,
            post_indptr,
            documents[order],
            rows.data[order],
            tails[order],
        )

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> InvertedIndex:
        """Return the index that `arrays` returned; the arrays may be memory-mapped."""
        parts: dict[str, Any] = {name: arrays[name] for name in _PARTS}
        return cls(**parts)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the index by name, to be saved."""
        return {name: getattr(self, name) for name in _PARTS}

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def terms(self) -> int:
        """The number of terms, seen or not."""
        return len(self.rank)

    @property
    def nbytes(self) -> int:
        """The size of all arrays in bytes, in memory or on disk."""
        return sum(array.nbytes for array in self.arrays.values())

    def nearest(self, terms: Ints, weights: Floats, k: int) -> Neighbours:
        """Return the k documents with the largest product with a query.

        It is given as distinct terms and weights above zero.
        """
        query = self._query(terms, weights)
        if k < 1 or not query.starts:
            return Neighbours(np.zeros(0, dtype=np.int64), np.zeros(0))
        dense = self._dense()
        dense[query.terms] = query.weights
        try:
            documents, scores = self._best(query, dense, k)
        finally:
            dense[query.terms] = 0.0
        order = best_first(scores)[:k]
        return Neighbours(documents[order].astype(np.int64), scores[order])

    def _query(self, terms: Ints, weights: Floats) -> _Query:
        ranks = self.rank[terms]
        order = ranks.argsort()
        ranks, weights = ranks[order], weights[order]
        starts, ends = self.post_indptr[ranks], self.post_indptr[ranks + 1]
        used = (ends > starts) & (weights > 0)
        if not used.all():
            ranks, weights, starts, ends = ranks[used], weights[used], starts[used], ends[used]
        tails = np.sqrt(np.cumsum((weights * weights)[::-1])[::-1])
        return _Query(ranks, weights, starts.tolist(), ends.tolist(), [*tails.tolist(), 0.0])

    def _best(self, query: _Query, dense: Floats, k: int) -> tuple[NDArray[np.int32], Floats]:
        """Return documents among which the k best are, in order of their places, and their scores.

        `dense` has the query's weight of each term.
        """
        rarest, postings = _rarest_lists(query)
        most = max(4 * k, _FIRST_ENTRIES * len(self) // len(self.data))
        if postings <= most:
            lists = self._lists(self.post_docs, query, rarest)
            if postings < _ENOUGH * k and rarest < len(query.starts):
                start, end = query.starts[rarest], query.ends[rarest]
                lists.append(self.post_docs[max(start, end - _ENOUGH * k) : end])
            documents = _distinct(np.concatenate(lists))
            scores = self._scores(documents, dense)
            floor = _kth_largest(scores, k) - _SLACK
        else:
            documents, floor = self._pruned(query, rarest, dense, k, most)
            scores = self._scores(documents, dense)
        tail_ends = self._tail_ends(query, rarest, floor)
        if tail_ends:
            others = _distinct(np.concatenate(tail_ends))
            documents = np.concatenate([documents, others])
            scores = np.concatenate([scores, self._scores(others, dense)])
        kept = np.flatnonzero(scores >= floor)
        documents, first_uses = np.unique(documents[kept], return_index=True)
        return documents, scores[kept][first_uses]

    def _pruned(
        self, query: _Query, rarest: int, dense: Floats, k: int, most: int
    ) -> tuple[NDArray[np.int32], float]:
        """Return the documents of the first lists that can be among the k best, and the score they must reach.

        `rarest` is the number of these lists; at most `most` documents are scored for the k-th best score.
        """
        docs, data, tails = (
            np.concatenate(self._lists(part, query, rarest))
            for part in (self.post_docs, self.post_data, self.post_tails)
        )
        # One entry for each posting, list by list.
        lengths = [query.ends[term] - query.starts[term] for term in range(rarest)]
        products = data * np.repeat(query.weights[:rarest], lengths)
        # By document, and within one still from its rarest term on.
        order = np.sort((docs.astype(np.int64) << 32) | np.arange(len(docs))) & 0xFFFFFFFF
        docs = docs[order]
        breaks = np.flatnonzero(docs[1:] != docs[:-1]) + 1
        begin = np.concatenate([[0], breaks])
        last = order[np.concatenate([breaks, [len(docs)]]) - 1]  # each document's last posting
        # From here on one entry for each document: its score so far, and what it can still gain.
        docs = docs[begin]
        seen = np.add.reduceat(products[order], begin)
        left = (tails[last] / _LEVELS) ** 2 - data[last].astype(np.float64) ** 2
        bound = seen + query.tails[rarest] * np.sqrt(np.maximum(left, 0.0))
        leading = docs
        if len(docs) > most:
            leading = docs[np.argpartition(seen, len(docs) - most)[len(docs) - most :]]
        floor = _kth_largest(self._scores(leading, dense), k) - _SLACK
        return docs[bound >= floor - _SLACK], floor

    def _lists(self, part: NDArray[Any], query: _Query, rarest: int) -> list[NDArray[Any]]:
        """Return what an array of postings holds for each of the rarest terms of a query."""
        spans = zip(query.starts[:rarest], query.ends[:rarest], strict=True)
        return [part[start:end] for start, end in spans]

    def _tail_ends(self, query: _Query, rarest: int, floor: float) -> list[NDArray[np.int32]]:
        """Return the documents of the other lists that reach a score without one of the rarer terms."""
        parts = []
        for start, end, tail in zip(
            query.starts[rarest:], query.ends[rarest:], query.tails[rarest:-1], strict=True
        ):
            if tail < floor:
                break
            level = np.uint16(max(0.0, floor) / tail * _LEVELS)
            begin = start + int(self.post_tails[start:end].searchsorted(level))
            if begin < end:
                parts.append(self.post_docs[begin:end])
        return parts

    def _scores(self, documents: NDArray[np.int32], dense: Floats) -> Floats:
        """Return the products of documents with a query, from their own vectors, in double precision."""
        chunk = max(1, _CHUNK_ENTRIES * len(self) // len(self.data))
        if len(documents) > chunk:
            starts = range(0, len(documents), chunk)
            return np.concatenate(
                [self._scores(documents[start : start + chunk], dense) for start in starts]
            )
        if not len(documents):
            return np.zeros(0)
        begin = self.indptr[documents]
        lengths = self.indptr[documents + 1] - begin
        offsets = np.cumsum(lengths) - lengths
        # The places of the entries of all these documents, one document after the other.
        places = np.arange(int(offsets[-1] + lengths[-1])) + np.repeat(begin - offsets, lengths)
        # No document is empty, as each was found by one of its terms.
        return np.add.reduceat(self.data[places] * dense[self.indices[places]], offsets)

    def _dense(self) -> Floats:
        """Return zeros for each term: an array that every query leaves as it found it."""
        dense = self._scratch.query
        if dense is None or len(dense) != self.terms:
            dense = self._scratch.query = np.zeros(self.terms)
        return dense


def _tails(rows: sparse.csr_array) -> NDArray[np.uint16]:
    """Return for each entry the length of its row from there on, in levels and rounded up."""
    squares = rows.data.astype(np.float64) ** 2
    sums = np.concatenate([[0.0], np.cumsum(squares)])
    left = np.repeat(sums[rows.indptr[1:]], np.diff(rows.indptr)) - sums[:-1]
    levels = np.ceil(np.sqrt(np.clip(left, 0.0, 1.0)) * _LEVELS + _SLACK)
    return np.minimum(levels, _LEVELS).astype(np.uint16)


def _by_term_and_tail(
    rows: sparse.csr_array, tails: NDArray[np.uint16]
) -> tuple[Ints, NDArray[np.int64]]:
    """Return the numbers of all entries sorted by term and then by tail, and where each term begins.

    Two conversions by columns, each a stable counting sort: first by tail, then by term.
    """
    entries, (documents, terms) = np.arange(rows.nnz), rows.shape
    by_tail = sparse.csr_array(
        (entries, tails.astype(np.int64), rows.indptr), shape=(documents, _LEVELS + 1)
    ).tocsc()
    by_term = sparse.csr_array(
        (by_tail.data, rows.indices[by_tail.data], by_tail.indptr), shape=(_LEVELS + 1, terms)
    ).tocsc()
    return by_term.data, by_term.indptr.astype(np.int64)


def _rarest_lists(query: _Query) -> tuple[int, int]:
    """Return how many of the rarest terms to begin with, at least one, and how many postings they have."""
    most = min(len(query.starts) ** 2, _MOST_FIRST)
    terms = postings = 0
    for start, end in zip(query.starts, query.ends, strict=True):
        if terms and postings + end - start > most:
            break
        terms, postings = terms + 1, postings + end - start
    return terms, postings


def _distinct(documents: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return documents in order, each once, and sort the array in place.

    For so few of them it takes half the time of `np.unique`.
    """
    documents.sort()
    changes = documents[1:] != documents[:-1]
    return documents[np.concatenate([[True], changes])]


def _kth_largest(scores: Floats, k: int) -> float:
    """Return the k-th largest score; zero if there are fewer."""
    index = len(scores) - k
    return float(np.partition(scores, index)[index]) if index >= 0 else 0.0


@dataclass(frozen=True, slots=True)
class ReadThreads:
    """Words of articles and comments, texts and ids of comments, and the number of each comment's article."""

    articles: list[Sequence[str]]
    comments: list[Sequence[str]]
    texts: list[str]
    ids: list[str]
    article_of: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class CommentCandidates:
    """Comments of the nearest articles: places, neighbours' cosines and relevance scores.

    `missing` holds the particulars of each that the article lacks, where they are checked.
    """

    places: Ints
    cosines: Floats
    relevance: Floats
    missing: tuple[tuple[int, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.places)

    def part(self, chosen: Ints) -> CommentCandidates:
        """Return the candidates of these numbers."""
        missing = tuple(self.missing[number] for number in chosen.tolist()) if self.missing else ()
        return CommentCandidates(
            self.places[chosen], self.cosines[chosen], self.relevance[chosen], missing
        )


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The training articles and comments as they are kept: texts, ids, vectors."""

    article_ids: TextColumn
    titles: TextColumn
    comment_ids: TextColumn
    texts: TextColumn
    article_of: Ints  # of each comment
    first_comment: Ints  # of each article, and the number of comments
    index: InvertedIndex
    comment_words: sparse.csr_array  # comments × vocabulary, unit TF-IDF vectors
    comment_vectors: Any  # comments × units, sixteen bits

    def comments_of(self, articles: Iterable[int]) -> Ints:
        """Return the places of the comments of articles, article by article."""
        spans = [
            np.arange(self.first_comment[article], self.first_comment[article + 1])
            for article in articles
        ]
        return np.concatenate([np.zeros(0, dtype=np.int64), *spans]).astype(np.int64)
