"""A fixed set of words with their numbers, cut by frequency. Number 0 is `<unk>`, which every other word becomes.

TF-IDF over numbered texts, as scikit-learn defines it: tf · (ln((1 + n) / (1 + df)) + 1), rows of length one.

SciPy is imported when a matrix is made: it takes longer to load than the rest of `text`, and the web app starts without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.text.ragged import Ragged

if TYPE_CHECKING:
    from scipy import sparse


def count_matrix(texts: Ragged, columns: int) -> sparse.csr_array:
    """Return how often each text holds each number: texts × columns, sparse."""
    from scipy import sparse

    ones = np.ones(len(texts.ids), dtype=np.float64)
    # Copies: summing duplicates sorts the arrays in place.
    parts = (ones, texts.ids.copy(), texts.offsets.copy())
    matrix = sparse.csr_array(parts, shape=(len(texts), columns))
    matrix.sum_duplicates()
    return matrix


def sparse_unit_rows(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the matrix with every row scaled to length one; empty rows stay empty."""
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
        """Return the vectors of texts, one a row."""
        counts = count_matrix(texts, len(self.idf))
        counts.data *= self.idf[counts.indices]
        return sparse_unit_rows(counts)


UNKNOWN = "<unk>"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A fixed vocabulary: words in the order of their ids."""

    words: tuple[str, ...]
    _numbers: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.words or self.words[0] != UNKNOWN:
            raise ArgumentError(f"the first word of a vocabulary is {UNKNOWN!r}")
        numbers = {word: number for number, word in enumerate(self.words)}
        if len(numbers) != len(self.words):
            raise ArgumentError("a vocabulary holds each word once")
        object.__setattr__(self, "_numbers", numbers)

    @classmethod
    def build(
        cls, texts: Iterable[Iterable[str]], *, min_count: int = 1, max_size: int | None = None
    ) -> Vocabulary:
        """Return the words seen at least `min_count` times, at most `max_size`, most frequent first.

        Words of equal frequency stand in the order of their first appearance.

        >>> Vocabulary.build([["a", "b", "a"], ["c", "b", "a"]], min_count=2).words
        ('<unk>', 'a', 'b')
        """
        counts = Counter(word for words in texts for word in words)
        counts.pop(UNKNOWN, None)
        frequent = [word for word, count in counts.most_common() if count >= min_count]
        return cls((UNKNOWN, *frequent[:max_size]))

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def ids(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Return the ids of words; 0 for words outside the vocabulary."""
        find = self._numbers.get
        return np.fromiter((find(word, 0) for word in words), dtype=np.int32)
