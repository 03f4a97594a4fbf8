"""TF-IDF over numbered texts, as scikit-learn defines it: tf · (ln((1 + n) / (1 + df)) + 1), rows of length one.

SciPy is imported when a matrix is made: it takes longer to load than the rest of `text`, and the web app starts without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.text.ragged import Ragged

if TYPE_CHECKING:
    from scipy import sparse


def count_matrix(texts: Ragged, columns: int) -> sparse.csr_array:
    """How often each text holds each number: texts × columns, sparse."""
    from scipy import sparse

    ones = np.ones(len(texts.ids), dtype=np.float64)
    # Copies: summing duplicates sorts the arrays in place.
    parts = (ones, texts.ids.copy(), texts.offsets.copy())
    matrix = sparse.csr_array(parts, shape=(len(texts), columns))
    matrix.sum_duplicates()
    return matrix


def unit_rows(matrix: sparse.csr_array) -> sparse.csr_array:
    """The matrix with every row scaled to length one; empty rows stay empty."""
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scaled = matrix.copy()
    scaled.data /= np.repeat(np.where(norms > 0, norms, 1.0), np.diff(matrix.indptr))
    return scaled


@dataclass(frozen=True, slots=True, eq=False)
class Tfidf:
    """A TF-IDF model: the inverse document frequencies of its training texts."""

    idf: Floats

    @classmethod
    def fit(cls, texts: Ragged, columns: int) -> Tfidf:
        """Learn from numbered texts whose numbers are below `columns`."""
        counts = count_matrix(texts, columns)
        df = np.bincount(counts.indices, minlength=columns)
        return cls(np.log((1 + len(texts)) / (1 + df)) + 1)

    def transform(self, texts: Ragged) -> sparse.csr_array:
        """The vectors of texts, one a row."""
        counts = count_matrix(texts, len(self.idf))
        counts.data *= self.idf[counts.indices]
        return unit_rows(counts)
