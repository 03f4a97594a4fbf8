"""Pairs of articles that may be about one event, and how probable that is.

An article of a day meets the articles before it that share some of its sixteen heaviest words, which an inverted index finds; words of very many articles of the window do
not find any. The twenty that share most are measured: the cosine of their vectors, and how much idf the names have that both hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import sparse

from newsdesk import packaged
from newsdesk.arrays import Floats, Ints
from newsdesk.corpus.cluster.terms import DayTerms
from newsdesk.jsonl import json_value

FEATURES = ("cosine", "names")
KEY_TERMS = 16
MOST_ARTICLES = 400  # a word that more articles of the window hold finds none
MOST_NEIGHBOURS = 20
LEAST_SHARED = 0.02  # of the cosine, by key terms
_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class PairModel:
    """A logistic regression over the features of a pair, and the probability from which an article joins."""

    weights: tuple[float, ...]
    bias: float
    threshold: float
    data: str

    def probabilities(self, matrix: Floats) -> Floats:
        """Return the probability of each pair (pairs × features), rounded to nine digits."""
        odds = (matrix * np.array(self.weights)).sum(axis=1) + self.bias
        rounded: Floats = np.round(1 / (1 + np.exp(-odds)), 9)
        return rounded

    @property
    def signature(self) -> str:
        """What decides, in one line."""
        numbers = ",".join(f"{number:g}" for number in (*self.weights, self.bias))
        return f"clusterer|weights:{numbers}|threshold:{self.threshold:g}"

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the stored model."""
        return {"format": 1, **asdict(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> PairModel:
        """Return a stored model."""
        return cls(tuple(value["weights"]), value["bias"], value["threshold"], value["data"])


def ready_pair_model() -> PairModel:
    """Return the model that ships with the package; `data` says what it was fitted on."""
    path = packaged.path("corpus", "data", "clusterer", "model.json")
    return PairModel.from_json(json_value(path.read_bytes()))


@dataclass(frozen=True, slots=True, eq=False)
class CandidatePairs:
    """Pairs of an article of the day (`later`, its place there) with one before it (`earlier`, a place in all days in a row)."""

    later: Ints
    earlier: Ints
    matrix: Floats  # pairs × features


def candidate_pairs(days: Sequence[DayTerms]) -> CandidatePairs:
    """Return the measured pairs of the last of some days, article by article, those that share most first.

    Places of earlier articles count over all days in a row.
    """
    today, width = days[-1], days[-1].weights.shape[1]
    weights = _stacked([day.weights for day in days], width)
    names = _stacked([day.names for day in days], width)
    first_today = sum(map(len, days[:-1]))
    keys = _heaviest_terms(weights, KEY_TERMS)
    spread = np.bincount(keys.indices, minlength=width)
    keys.data[spread[keys.indices] > MOST_ARTICLES] = 0
    keys.eliminate_zeros()
    by_term = sparse.csc_array(keys).T.tocsr()  # words × articles
    later, earlier = [], []
    for first in range(0, len(today), _ROWS):
        rows = keys[first_today + first : first_today + min(first + _ROWS, len(today))]
        found = sparse.csr_array(rows @ by_term)
        row, column = _nearest(found, first_today + first)
        later.append(row + first)
        earlier.append(column)
    both = (np.concatenate(later), np.concatenate(earlier)) if later else (np.zeros(0, np.int64),) * 2  # fmt: skip
    return CandidatePairs(*both, _features(weights, names, first_today + both[0], both[1]))


def _stacked(parts: Sequence[sparse.csr_array], width: int) -> sparse.csr_array:
    """Return the rows of all days; those of earlier days have no columns for words that came later."""
    wide = [
        sparse.csr_array((part.data, part.indices, part.indptr), shape=(part.shape[0], width))
        for part in parts
    ]
    return sparse.csr_array(sparse.vstack(wide, format="csr"))


def _heaviest_terms(weights: sparse.csr_array, most: int) -> sparse.csr_array:
    rows = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    order = np.lexsort((weights.indices, -np.round(weights.data, 9), rows))
    kept = np.sort(order[np.arange(len(order)) - weights.indptr[rows] < most])
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=weights.shape[0]))])
    return sparse.csr_array((weights.data[kept], weights.indices[kept], ends), shape=weights.shape)


def _nearest(found: sparse.csr_array, first: int) -> tuple[Ints, Ints]:
    """Return rows and columns of the greatest entries of each row, among the columns before its own."""
    rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
    columns, values = found.indices.astype(np.int64), np.round(found.data, 9)
    kept = (columns < first + rows) & (values >= LEAST_SHARED)
    rows, columns, values = rows[kept], columns[kept], values[kept]
    order = np.lexsort((-columns, -values, rows))  # of equals the latest article
    rows, columns = rows[order], columns[order]
    starts = np.searchsorted(rows, np.arange(found.shape[0]))
    best = np.arange(len(rows)) - starts[rows] < MOST_NEIGHBOURS
    return rows[best], columns[best]


def _features(
    weights: sparse.csr_array, names: sparse.csr_array, left: Ints, right: Ints
) -> Floats:
    cosine = _products(weights, weights, left, right)
    # The idf of the names that both hold: of each that of the earlier article's day.
    shared = _products(_ones(names), names, left, right)
    return np.column_stack([cosine, np.log1p(shared)])


def _ones(matrix: sparse.csr_array) -> sparse.csr_array:
    return sparse.csr_array(
        (np.ones(len(matrix.data)), matrix.indices, matrix.indptr), shape=matrix.shape
    )


def _products(first: sparse.csr_array, second: sparse.csr_array, left: Ints, right: Ints) -> Floats:
    """Return the product of a row of each matrix, for many pairs, some at a time."""
    parts: list[Floats] = [np.zeros(0)]
    for start in range(0, len(left), 50_000):
        some = slice(start, start + 50_000)
        rows = first[left[some]].multiply(second[right[some]])
        parts.append(np.asarray(rows.sum(axis=1), dtype=np.float64).ravel())
    return np.concatenate(parts)
