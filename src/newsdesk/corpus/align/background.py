"""How common words are in news: document frequencies learned once and stored with an aligner.

They are not taken from the corpus at hand: the probability of a pair must depend on the pair alone, so that a new day of events or
articles leaves all other pairs as they are, and a build that resumes gives the same bytes.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.corpus.align.words import words
from newsdesk.errors import DataError
from newsdesk.work import map_items

_MIN_DOCUMENTS = 2
_SUMMARIES, _ARTICLES = 0, 1
_STRETCH_TEXTS = 500


def _stretches(
    summaries: Iterable[str], articles: Iterable[str]
) -> Iterator[tuple[int, list[str]]]:
    for number, texts in ((_SUMMARIES, summaries), (_ARTICLES, articles)):
        rest = iter(texts)
        while stretch := list(islice(rest, _STRETCH_TEXTS)):
            yield number, stretch


def _counted(_: None, numbered: tuple[int, list[str]]) -> tuple[int, tuple[int, Counter[str]]]:
    """The number of texts of a stretch, and of how many of them each word is part."""
    number, texts = numbered
    frequencies: Counter[str] = Counter()
    for text in texts:
        frequencies.update(set(words(text)))
    return number, (len(texts), frequencies)


@dataclass(frozen=True, eq=False)  # no slots: the dictionaries below are made once
class Background:
    """Words with the number of documents that hold them; the first `summary_words` of them occur in summaries."""

    documents: int
    vocabulary: tuple[str, ...]
    frequencies: Ints
    summary_words: int

    @classmethod
    def fit(
        cls, summaries: Iterable[str], articles: Iterable[str], *, engine: str = "inline"
    ) -> Background:
        """Count words over summaries and articles; a word of one article alone is left out, as if it had not been seen.

        Counts are taken of stretches of texts (on a cluster, if `engine` names one) and added up.
        """
        in_summaries, everywhere, documents = Counter[str](), Counter[str](), 0
        for number, (count, frequencies) in map_items(
            engine, _counted, None, _stretches(summaries, articles)
        ):
            documents += count
            everywhere.update(frequencies)
            if number == _SUMMARIES:
                in_summaries.update(frequencies)
        rest = [
            word
            for word, count in everywhere.items()
            if count >= _MIN_DOCUMENTS and word not in in_summaries
        ]
        vocabulary = (*sorted(in_summaries), *sorted(rest))
        frequencies = np.array([everywhere[word] for word in vocabulary], dtype=np.int64)
        return cls(documents, vocabulary, frequencies, len(in_summaries))

    @functools.cached_property
    def numbers(self) -> Mapping[str, int]:
        """The column of every word of the vocabulary."""
        return {word: place for place, word in enumerate(self.vocabulary)}

    @functools.cached_property
    def summary_numbers(self) -> Mapping[str, int]:
        """The places of the words that occur in summaries."""
        return {word: place for place, word in enumerate(self.vocabulary[: self.summary_words])}

    def frequencies_of(self, words: Iterable[str]) -> Ints:
        """The number of documents that hold each word; 0 for words that were never seen."""
        places = (self.numbers.get(word) for word in words)
        counts = [0 if place is None else self.frequencies[place] for place in places]
        return np.array(counts, dtype=np.int64)

    def idf(self, frequencies: Ints | Floats) -> Floats:
        """Inverse document frequency as scikit-learn smooths it: ln((1 + n) / (1 + df)) + 1."""
        weights: Floats = np.log((1 + self.documents) / (1 + frequencies)) + 1
        return weights

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays to store; words as UTF-8 bytes between line ends, since text arrays would need four bytes a letter."""
        joined = "\n".join(self.vocabulary).encode("utf-8")
        return {
            "words": np.frombuffer(joined, dtype=np.uint8),
            "frequencies": self.frequencies.astype(np.int32),
        }

    @classmethod
    def from_arrays(
        cls, documents: int, summary_words: int, arrays: Mapping[str, NDArray[Any]]
    ) -> Background:
        """The background counts from the arrays that `arrays` returned."""
        text = arrays["words"].tobytes().decode("utf-8")
        vocabulary = tuple(text.split("\n")) if text else ()
        frequencies = arrays["frequencies"].astype(np.int64)
        if len(vocabulary) != len(frequencies) or not 0 <= summary_words <= len(vocabulary):
            raise DataError(
                f"an aligner with {len(vocabulary)} words, {len(frequencies)} frequencies and {summary_words} summary words is broken; fit it again"
            )
        return cls(documents, vocabulary, frequencies, summary_words)
