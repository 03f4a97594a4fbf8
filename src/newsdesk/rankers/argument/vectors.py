"""Sentence vectors for the ranker: those of wordllama, of LSA fitted on the training comments, of a transformers encoder (`hf:PATH`), or none.

`auto` takes wordllama for English where it is installed, and LSA elsewhere; the model stores the name of those it was fitted with.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays
from newsdesk.text.encoders import Encoder, Lsa, WordLlama, has_wordllama, sentence_encoder

KINDS = ("auto", "wordllama", "lsa", "none")

LSA_DIMENSIONS = 50
# Longer sentences are truncated: padding a batch to them would exhaust the memory.
_MOST_CHARACTERS = 2_000
# LSA gains nothing from further texts, and its decomposition is slow.
_ENOUGH_TEXTS = 20_000


def chosen(kind: str, lang: str) -> str:
    """Return the kind of vectors that a setting selects for a language."""
    if kind not in KINDS and not _is_local(kind):
        raise ArgumentError(f"vectors is {kind!r}, not one of {', '.join(KINDS)} or hf:PATH")
    if kind != "auto":
        return kind
    return "wordllama" if lang == "en" and has_wordllama() else "lsa"


def _is_local(kind: str) -> bool:
    return kind.startswith("hf:") and kind != "hf:"


@functools.lru_cache(maxsize=2)
def _loaded(kind: str) -> Encoder:
    """Load an encoder once and cache it: loading takes as long as a thousand comments."""
    return sentence_encoder(kind)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceVectors:
    """An encoder of one kind; without an encoder (`none`) vectors have no dimensions."""

    kind: str
    dimensions: int
    _encoder: Encoder | None

    @classmethod
    def of(cls, kind: str, lang: str, texts: Iterable[str] = ()) -> SentenceVectors:
        """Vectors of a kind; LSA is fitted on the texts, independent of their order."""
        if kind == "none":
            return cls(kind, 0, None)
        if kind == "lsa":
            lsa = Lsa(LSA_DIMENSIONS, lang=lang)
            lsa.fit(sorted(set(texts))[:_ENOUGH_TEXTS])
            return cls(kind, int(lsa.axes_.shape[0]), lsa)
        loaded = _loaded(kind)
        return cls(kind, int(loaded.encode([""]).shape[1]), loaded)

    @classmethod
    def restored(
        cls, kind: str, lang: str, learned: Mapping[str, Any], arrays: Arrays
    ) -> SentenceVectors:
        """Rebuild the vectors from the state that `learned` returned."""
        if kind != "lsa":
            return cls.of(kind, lang)
        lsa = Lsa(LSA_DIMENSIONS, lang=lang)
        lsa.restore(learned["lsa"], arrays["lsa_idf"], arrays["lsa_axes"])
        return cls(kind, int(lsa.axes_.shape[0]), lsa)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one unit vector per text."""
        if self._encoder is None or not self.dimensions or not texts:
            return np.zeros((len(texts), self.dimensions))
        return self._encoder.encode([text[:_MOST_CHARACTERS] for text in texts]).astype(np.float64)

    def pieces(self, words: Sequence[str]) -> Floats:
        """Return the number of subword pieces of each word, and sums of their log ranks and vector norms.

        Zeros without pieces.
        """
        sums = np.zeros((len(words), 3))  # words × 3
        if isinstance(self._encoder, WordLlama) and words:
            sums[:] = self._encoder.pieces(words)
        return sums

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the state fitted on texts: the vocabulary for JSON, and arrays."""
        if not isinstance(self._encoder, Lsa):
            return {}, {}
        words = self._encoder.vocabulary_.words
        return {"lsa": words}, {
            "lsa_idf": self._encoder.tfidf_.idf,
            "lsa_axes": self._encoder.axes_,
        }
