"""Ragged arrays: many numbered texts of different lengths as one array of ids and one of offsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints


class Lexicon(dict[str, int]):
    """Words numbered in the order they are met: looking up a new word gives it the next number."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Rows of numbers: row i is `ids[offsets[i]:offsets[i + 1]]`.

    >>> rows = Ragged.number([["a", "b"], [], ["b"]], Lexicon())
    >>> rows.ids.tolist(), rows.offsets.tolist()
    ([0, 1, 1], [0, 2, 2, 3])
    """

    ids: NDArray[np.int32]
    offsets: Ints

    @classmethod
    def number(cls, texts: Sequence[Sequence[str]], lexicon: Lexicon) -> Ragged:
        """Number the words of texts; the lexicon learns the new ones."""
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        words = map(lexicon.__getitem__, chain.from_iterable(texts))
        ids = np.fromiter(words, dtype=np.int32, count=int(lengths.sum()))
        return cls(ids, offsets_of(lengths))

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[int]]) -> Ragged:
        """Build a ragged array from rows of ids."""
        listed = list(rows)
        lengths = np.fromiter(map(len, listed), dtype=np.int64, count=len(listed))
        ids = np.fromiter(chain.from_iterable(listed), dtype=np.int32, count=int(lengths.sum()))
        return cls(ids, offsets_of(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.int32]:
        return self.ids[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        return (self[row] for row in range(len(self)))

    @property
    def lengths(self) -> Ints:
        """How many numbers each row has."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> Ints:
        """The row that each number stands in."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    def take(self, rows: Ints) -> Ragged:
        """These rows, in this order; a row may come more than once."""
        lengths = self.lengths[rows]
        offsets = offsets_of(lengths)
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return Ragged(self.ids[places], offsets)

    def map(self, table: NDArray[np.int32]) -> Ragged:
        """The same rows with every number looked up in a table."""
        return Ragged(table[self.ids], self.offsets)


def offsets_of(lengths: Ints) -> Ints:
    """Where rows of these lengths begin, and where the last one ends."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
