"""How common words are in news: document frequencies learned once and stored with an aligner.

They are not taken from the corpus at hand: the probability of a pair must depend on the pair alone, so that a new day of events or
articles leaves all other pairs as they are, and a build that resumes gives the same bytes. Words are cut here, once for alignment and for near-duplicates.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import DataError
from newsdesk.text.normalize import lined
from newsdesk.work import map_items

# Longer bodies are cut: what a page has beyond this is an archive or a live ticker.
MAX_CHARACTERS = 20_000

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_PARTS = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")
# Marks that make most English texts non-ASCII.
_MARKS = "“”‘’–—…\u00a0"
_ASCII_SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum()}
_CAPITALISED = re.compile(r"[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*")
# Words that are capitalised because a sentence begins with them.
_OPENERS = frozenset(
    "a after an and as at by for from he her his in it its of on over she that the they this to two three four with".split()
)

_MIN_DOCUMENTS = 2
_SUMMARIES, _ARTICLES = 0, 1
_STRETCH_TEXTS = 500


def words(text: str) -> list[str]:
    """Return the words of a text, lower-cased; pairs of characters where no spaces are written.

    >>> words("Emperor Akihito's throne, 30 years")
    ['emperor', 'akihito', 's', 'throne', '30', 'years']
    >>> words("東京の朝 2019")
    ['東京', '京の', 'の朝', '2019']
    """
    lowered = lined(text[:MAX_CHARACTERS]).lower()
    if not lowered.isascii():
        for mark in _MARKS:
            lowered = lowered.replace(mark, " ")
    if lowered.isascii():  # five times as fast as the pattern, with the same words
        return lowered.translate(_ASCII_SEPARATORS).split()
    if not _HAS_UNSPACED.search(lowered):
        return _WORD.findall(lowered)
    tokens: list[str] = []
    for part in _PARTS.findall(lowered):
        if len(part) > 1 and _HAS_UNSPACED.match(part):
            tokens += [part[start : start + 2] for start in range(len(part) - 1)]
        else:
            tokens.append(part)
    return tokens


def capitalised_runs(summary: str) -> tuple[str, ...]:
    """Return runs of capitalised words: what stands in for linked entities where a summary has no links.

    >>> capitalised_runs("The Democratic Party takes over the House.")
    ('Democratic Party', 'House')
    """
    runs = []
    for match in _CAPITALISED.finditer(summary):
        names = match.group().split()
        while names and names[0].lower() in _OPENERS:
            names = names[1:]
        if names:
            runs.append(" ".join(names))
    return tuple(dict.fromkeys(runs))


@dataclass(frozen=True, slots=True, eq=False)
class Numbered:
    """Texts as numbers of words, one after the other; -1 is a word that has no number."""

    ids: Ints  # of the words of all texts
    lengths: Ints  # words of each text

    @classmethod
    def of(cls, texts: Iterable[str], number: Callable[[str, int], int]) -> Numbered:
        """Cut and number texts; `number(word, default)` is the `get` of a dictionary."""
        tokens = [words(text) for text in texts]
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        ids = map(number, chain.from_iterable(tokens), repeat(-1))
        return cls(np.fromiter(ids, np.int64, int(lengths.sum())), lengths)

    def first(self, count: int) -> Numbered:
        """Return the first words of every text."""
        ends = np.cumsum(self.lengths)
        position = np.arange(len(self.ids)) - np.repeat(ends - self.lengths, self.lengths)
        return Numbered(self.ids[position < count], np.minimum(self.lengths, count))

    def counts(self, columns: int) -> sparse.csr_array:
        """Return how often each text holds each word that has a number: texts × columns."""
        numbered = self.ids >= 0
        rows = np.repeat(np.arange(len(self.lengths)), self.lengths)[numbered]
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(self.lengths)))])
        ones = np.ones(int(indptr[-1]))
        matrix = sparse.csr_array(
            (ones, self.ids[numbered], indptr), shape=(len(self.lengths), columns)
        )
        matrix.sum_duplicates()
        return matrix


def _stretches(
    summaries: Iterable[str], articles: Iterable[str]
) -> Iterator[tuple[int, list[str]]]:
    """Yield runs of texts, each with its kind: `_SUMMARIES` or `_ARTICLES`."""
    for kind, texts in ((_SUMMARIES, summaries), (_ARTICLES, articles)):
        rest = iter(texts)
        while stretch := list(islice(rest, _STRETCH_TEXTS)):
            yield kind, stretch


def _counted(_: None, stretch: tuple[int, list[str]]) -> tuple[int, tuple[int, Counter[str]]]:
    """Return the kind of a stretch, its number of texts, and how many of them hold each word."""
    kind, texts = stretch
    frequencies: Counter[str] = Counter()
    for text in texts:
        frequencies.update(set(words(text)))
    return kind, (len(texts), frequencies)


@dataclass(frozen=True, eq=False)  # no slots: the dictionaries below are made once
class Background:
    """Words with the number of documents that hold them; the first `summary_words` are of summaries."""

    documents: int
    vocabulary: tuple[str, ...]
    frequencies: Ints
    summary_words: int

    @classmethod
    def fit(
        cls, summaries: Iterable[str], articles: Iterable[str], *, engine: str = "inline"
    ) -> Background:
        """Count words over summaries and articles.

        A word of one article alone is left out, as if it had not been seen.

        Counts are taken of stretches of texts (on a cluster, if `engine` names one) and added up.
        """
        in_summaries, everywhere, documents = Counter[str](), Counter[str](), 0
        for kind, (count, frequencies) in map_items(
            engine, _counted, None, _stretches(summaries, articles)
        ):
            documents += count
            everywhere.update(frequencies)
            if kind == _SUMMARIES:
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
        """Return the number of documents that hold each word; 0 for words that were never seen."""
        places = (self.numbers.get(word) for word in words)
        counts = [0 if place is None else self.frequencies[place] for place in places]
        return np.array(counts, dtype=np.int64)

    def idf(self, frequencies: Ints | Floats) -> Floats:
        """Inverse document frequency as scikit-learn smooths it: ln((1 + n) / (1 + df)) + 1."""
        weights: Floats = np.log((1 + self.documents) / (1 + frequencies)) + 1
        return weights

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to store: frequencies, and words as UTF-8 bytes, a quarter of a text array."""
        joined = "\n".join(self.vocabulary).encode("utf-8")
        return {
            "words": np.frombuffer(joined, dtype=np.uint8),
            "frequencies": self.frequencies.astype(np.int32),
        }

    @classmethod
    def from_arrays(
        cls, documents: int, summary_words: int, arrays: Mapping[str, NDArray[Any]]
    ) -> Background:
        """Return the background counts from the arrays that `arrays` returned."""
        text = arrays["words"].tobytes().decode("utf-8")
        vocabulary = tuple(text.split("\n")) if text else ()
        frequencies = arrays["frequencies"].astype(np.int64)
        if len(vocabulary) != len(frequencies) or not 0 <= summary_words <= len(vocabulary):
            raise DataError(
                f"an aligner with {len(vocabulary)} words, {len(frequencies)} frequencies and {summary_words} summary words is broken; fit it again"
            )
        return cls(documents, vocabulary, frequencies, summary_words)
