"""What is compared of an article: its rarest words, which of them are names, and a digest for near-duplicates.

Only the beginning of a text counts (title and first 250 words), as news says first what happened. A word weighs (1 + ln tf) · idf², so that a few rare words decide, and
the 160 heaviest words are kept. Document frequencies are those of the shipped aligner's background and of
the articles of the same day, so that they also fit languages that the background does not know; vectors of a day follow from that day's articles alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.corpus.align.background import Background, words
from newsdesk.corpus.minhash import Minima, minima_of

FIRST_WORDS = 250
MOST_TERMS = 160
NAME_SHARE = 0.03
_READ_CHARACTERS = 3_000  # holds 250 words of any language
# Capitalised within a sentence, or an acronym.
_NAME = re.compile(r"(?<=[a-z,;:] )[^\W\d_a-z][\w’'-]+|\b[A-Z]{2,}\b")


@dataclass(frozen=True, slots=True, eq=False)
class DayTerms:
    """The articles of one day: ids in order, and per article its words (articles × words).

    `weights` are unit vectors; `names` hold the idf of words that are names.
    """

    ids: tuple[str, ...]
    weights: sparse.csr_array
    names: sparse.csr_array
    minima: Minima

    def __len__(self) -> int:
        return len(self.ids)


class TermNumbers:
    """Numbers words for one run, those of the background first, and says how common they are."""

    def __init__(self, background: Background) -> None:
        self._numbers = dict(background.numbers)
        self._background = background
        self._list = list(background.vocabulary)

    def __len__(self) -> int:
        return len(self._list)

    def word(self, number: int) -> str:
        """Return the word of a number."""
        return self._list[number]

    def number(self, tokens: Sequence[Sequence[str]]) -> Ints:
        """Return the numbers of the words of all texts, one after the other; new words get new ones."""
        flat = list(chain.from_iterable(tokens))
        ids = np.fromiter(map(self._numbers.get, flat, repeat(-1)), np.int64, len(flat))
        for place in np.flatnonzero(ids < 0).tolist():
            word = flat[place]
            number = self._numbers.get(word)
            if number is None:
                number = self._numbers[word] = len(self._list)
                self._list.append(word)
            ids[place] = number
        return ids

    def frequencies(self, own: Ints) -> tuple[int, Ints]:
        """Return the number of documents and those that hold each word; `own` are counts of the day by number."""
        known = np.zeros(len(self._list), np.int64)
        known[: len(self._background.frequencies)] = self._background.frequencies
        known[: len(own)] += own
        return self._background.documents, known


def day_terms(
    numbers: TermNumbers, ids: Sequence[str], titles: Sequence[str], texts: Sequence[str]
) -> DayTerms:
    """Return the terms of the articles of a day."""
    beginnings = [
        f"{title}\n{text[:_READ_CHARACTERS]}" if title else text[:_READ_CHARACTERS]
        for title, text in zip(titles, texts, strict=True)
    ]
    tokens = [words(text)[:FIRST_WORDS] for text in beginnings]
    rows = np.repeat(np.arange(len(ids)), [len(each) for each in tokens])
    columns = numbers.number(tokens)
    name_tokens = [words(" ".join(_NAME.findall(text))) for text in beginnings]
    name_rows = np.repeat(np.arange(len(ids)), [len(each) for each in name_tokens])
    name_columns = numbers.number(name_tokens)
    width = len(numbers)
    counts = _counts(rows, columns, len(ids), width)
    documents, frequencies = numbers.frequencies(np.bincount(counts.indices, minlength=width))
    documents += len(ids)
    idf = np.log((1 + documents) / (1 + np.minimum(frequencies, documents))) + 1
    weights = _heaviest(counts, idf)
    rarely = np.where(frequencies <= NAME_SHARE * documents, idf, 0)
    names = _flags(name_rows, name_columns, len(ids), rarely)
    return DayTerms(tuple(ids), weights, names, minima_of(beginnings))


def _counts(rows: Ints, columns: Ints, height: int, width: int) -> sparse.csr_array:
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=height))])
    matrix = sparse.csr_array((np.ones(len(rows)), columns, ends), shape=(height, width))
    matrix.sum_duplicates()
    return matrix


def _flags(rows: Ints, columns: Ints, height: int, values: Floats) -> sparse.csr_array:
    """Return articles × words with the value of each word that an article holds, without zeros."""
    matrix = _counts(rows, columns, height, len(values))
    matrix.data = values[matrix.indices]
    matrix.eliminate_zeros()
    return matrix


def _heaviest(counts: sparse.csr_array, idf: Floats) -> sparse.csr_array:
    """Return unit vectors of the heaviest words of each article; ties go to the lower number."""
    values = (1 + np.log(counts.data)) * idf[counts.indices] ** 2
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    order = np.lexsort((counts.indices, -np.round(values, 9), rows))
    place = np.arange(len(order)) - counts.indptr[rows]  # place of each entry in its row
    kept = np.sort(order[place < MOST_TERMS])
    rows, values = rows[kept], values[kept]
    norms = np.sqrt(np.bincount(rows, weights=values**2, minlength=counts.shape[0]))
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=counts.shape[0]))])
    unit = values / norms[rows]
    return sparse.csr_array((unit, counts.indices[kept], ends), shape=counts.shape)
