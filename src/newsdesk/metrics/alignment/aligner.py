"""The entry point of the aligners: a value that selects a matching rule and caches its counts per batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.metrics.alignment.chunks import FULL, JAR, fewest_chunks
from newsdesk.metrics.alignment.crossings import fewest_crossings
from newsdesk.metrics.alignment.nltk import from_the_right
from newsdesk.metrics.alignment.pairs import PairCounts, Pairs
from newsdesk.metrics.alignment.synonyms import with_synonyms
from newsdesk.metrics.alignment.wordnet import wordnet
from newsdesk.packaged import table
from newsdesk.text.encode import Analyzer, Encoded
from newsdesk.text.ragged import Lexicon
from newsdesk.text.stem import stemmer


@dataclass(frozen=True, slots=True)
class Aligner:
    """How the words of a candidate and a reference are matched.

    `method` is `jar` or `full` (fewest chunks, by the jar's credit or with every stage counted), `nltk` or `crossings`.
    """

    analyzer: Analyzer
    method: str
    stem: str | None
    function_words: str
    synonyms: str | None = None

    def counts(self, batch: Encoded) -> PairCounts:
        """The counts of every reference of the batch, computed once."""
        return batch.once(self, lambda: self._align(batch))

    def _align(self, batch: Encoded) -> PairCounts:
        units = batch.units(self.analyzer)
        pairs = Pairs(
            units.candidates,
            units.references,
            batch.item_of_reference,
            self._stems(units.words),
            self._functions(units.words),
        )
        if self.method == "nltk":
            return from_the_right(pairs)
        if self.method == "crossings":
            return fewest_crossings(pairs)
        rules = JAR if self.method == "jar" else FULL
        if self.synonyms is None:
            return fewest_chunks(pairs, rules)
        return with_synonyms(pairs, wordnet(self.synonyms).rows(units.words), rules)

    def _stems(self, words: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        if self.stem is None:
            return np.arange(len(words), dtype=np.int64)
        numbers = Lexicon()
        stems = stemmer(self.stem)(words)
        return np.fromiter((numbers[stem] for stem in stems), dtype=np.int64, count=len(words))

    def _functions(self, words: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        listed: frozenset[str] = frozenset()
        if self.function_words != "none":
            listed = frozenset(table("metrics", f"function_words_{self.function_words}.txt"))
        return np.fromiter((word in listed for word in words), dtype=np.bool_, count=len(words))
