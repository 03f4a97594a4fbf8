"""Soft recall, a metric of our own: how much of the meaning of a reference is found in the candidate, by sentence and word vectors.

A reference about as long as one sentence says one thing, and the cosine of its vector with the candidate's tells whether the
candidate says it too. A longer one says several things, and its vector is a blur of them all; there each of its words looks for
the nearest word of the candidate, as in the recall of BERTScore (Zhang et al. 2020) but with one fixed vector per word, and the
metric is the mean of these cosines. The two are mixed by the length of the reference: the share of the words is
max(0, 1 − 20 / words of the reference), so that references up to 20 words (`sentence_words`) are compared as a whole. An equal word is
found for certain, whatever its vector. Negative cosines count as 0.

Several references: the best one, or (`combine='kernel'`) a mean in which a reference at similarity g weighs
exp((g − best) / width), so that near references share the verdict. Weighted, the similarity is multiplied by the reference's weight:
max s·g, or the same mean of s·g. Any encoder of the `encoders` table computes the vectors; `lsa` is fitted on the references of the batch.
The rule was chosen on few recipes, each judged on sets that had no part in choosing it (`research/soft_metric.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Bools, Floats, unit_rows
from newsdesk.errors import ArgumentError
from newsdesk.metrics.metric import MeanMetric
from newsdesk.registry import Spec
from newsdesk.settings import at_least, one_of
from newsdesk.text.encode import Analyzer, Encoded, Text as EncodedText
from newsdesk.text.encoders import Encoder, Lsa, sentence_encoder
from newsdesk.text.normalize import lined


@dataclass(frozen=True)
class SoftRecall(MeanMetric):
    """Soft recall: cosine of sentence vectors; of long references, the mean cosine of nearest words."""

    encoder: str = "wordllama"
    sentence_words: float = 20.0
    combine: str = "max"
    width: float = 0.1
    tokenizer: str | None = None

    def __post_init__(self) -> None:
        one_of("combine", self.combine, ("max", "kernel"))
        at_least("sentence_words", self.sentence_words, 0)
        if self.width <= 0:
            raise ArgumentError(f"width is {self.width:g}, not above 0")

    @property
    def analyzer(self) -> Analyzer:
        """The language's words in lower case."""
        return Analyzer(self.tokenizer)

    @property
    def readings(self) -> Mapping[str, str]:
        """The encoder, the length compared as a whole, and the rule for several references."""
        width = f"[{self.width:g}]" if self.combine == "kernel" else ""
        return {
            "enc": encoder_named(self.encoder).signature.partition("|")[0],
            "whole": f"{self.sentence_words:g}",
            "combine": self.combine + width,
        }

    def item_values(self, batch: Encoded) -> Floats:
        """Return the soft recall of each item, items × 1."""
        similarity = self.similarities(batch)
        starts = batch.reference_offsets[:-1]
        credits = similarity * self._weights(batch)
        if self.combine == "max":
            return np.maximum.reduceat(credits, starts)[:, None]
        best = np.maximum.reduceat(similarity, starts)[batch.item_of_reference]
        kernel = np.exp((similarity - best) / self.width)
        total = np.add.reduceat(kernel * credits, starts)
        return (total / np.add.reduceat(kernel, starts))[:, None]

    def similarities(self, batch: Encoded) -> Floats:
        """Return the unweighted similarity of each reference with its candidate, in [0, 1]."""
        words = batch.units(self.analyzer).references.lengths
        # The share of the comparison word by word: 0 up to the length of a sentence, then rising.
        by_words = np.clip(1 - self.sentence_words / np.maximum(words, 1), 0, 1)
        whole = batch.once(("soft-whole", self.encoder), lambda: whole_cosines(batch, self.encoder))
        if not by_words.any():
            return whole
        recall = batch.once(
            ("soft-words", self.encoder, self.analyzer, self.sentence_words),
            lambda: word_recalls(batch, self.analyzer, self.encoder, by_words > 0),
        )
        return (1 - by_words) * whole + by_words * recall

    def _weights(self, batch: Encoded) -> Floats:
        return np.ones(len(batch.references))


@dataclass(frozen=True)
class WeightedSoftRecall(SoftRecall):
    """Quality-weighted soft recall: what is found in a poor reference counts less."""

    weighted = True

    @property
    def plain(self) -> Spec:
        """Soft recall with the same settings."""
        return self._unweighted()

    def _weights(self, batch: Encoded) -> Floats:
        return batch.weights


def whole_cosines(batch: Encoded, spec: str) -> Floats:
    """Return the cosine of each reference's vector with its candidate's, negative ones as 0."""
    row_of: dict[EncodedText, int] = {}  # equal texts are encoded once
    texts = (*batch.candidates, *batch.references)
    rows = [row_of.setdefault(text, len(row_of)) for text in texts]
    vectors = _unit_vectors(batch, spec, [plain_text(text) for text in row_of])
    index = np.array(rows, dtype=np.int64)
    candidates = index[: len(batch)][batch.item_of_reference]
    references = index[len(batch) :]
    cosines = np.empty(len(references))
    for start in range(0, len(references), 4096):  # a matrix of all references may not fit
        part = slice(start, start + 4096)
        cosines[part] = np.einsum(
            "ij,ij->i", vectors[candidates[part]], vectors[references[part]], dtype=np.float64
        )
    return np.clip(cosines, 0, 1)


def word_recalls(batch: Encoded, analyzer: Analyzer, spec: str, needed: Bools) -> Floats:
    """Return the mean cosine of each needed reference's words with the candidate's nearest word, else 0."""
    units = batch.units(analyzer)
    vectors = batch.once(
        ("soft-word-vectors", spec, analyzer),
        lambda: _unit_vectors(batch, spec, list(units.words)).astype(np.float32),
    )
    items = batch.item_of_reference
    present = np.zeros(len(units.words), dtype=np.bool_)  # words of the candidate at hand
    recalls = np.zeros(len(batch.references))
    for reference in np.flatnonzero(needed).tolist():
        sought = units.references[reference]
        offered = units.candidates[int(items[reference])]
        if not len(sought) or not len(offered):
            continue
        present[offered] = True
        missing = sought[~present[sought]]
        present[offered] = False
        nearest = (vectors[missing] @ vectors[offered].T).max(axis=1)
        equal = len(sought) - len(missing)
        recalls[reference] = (equal + np.clip(nearest, 0, 1).sum(dtype=np.float64)) / len(sought)
    return recalls


def _unit_vectors(batch: Encoded, spec: str, texts: list[str]) -> Floats:
    """Return the encoder's vectors in double precision, so that a text has cosine 1 with itself."""
    if not texts:
        return np.zeros((0, 1))
    vectors = _fitted(batch, spec).encode(texts).astype(np.float64)
    return unit_rows(vectors)


def _fitted(batch: Encoded, spec: str) -> Encoder:
    """Return the encoder a spec names; `lsa` is fitted on the references of the batch."""
    if not isinstance(encoder_named(spec), Lsa):
        return encoder_named(spec)
    unfitted: Lsa = sentence_encoder(spec)
    return batch.once(
        ("soft-lsa", spec), lambda: unfitted.fit([plain_text(text) for text in batch.references])
    )


@functools.lru_cache(maxsize=4)
def encoder_named(spec: str) -> Encoder:
    """Return the encoder that a spec names, loaded once."""
    return sentence_encoder(spec)


def plain_text(text: EncodedText) -> str:
    """Return a text, or ready words joined by spaces, without borders of sentences."""
    return text if isinstance(text, str) else lined(" ".join(text))
