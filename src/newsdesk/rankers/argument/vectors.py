"""Sentence vectors for the ranker: those of wordllama, of LSA fitted on the training comments, of a transformers encoder (`hf:PATH`), or none.

`auto` takes wordllama for English where it is installed, and LSA elsewhere; the model keeps the name of what it was fitted with.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.models import Arrays
from newsdesk.text.encoders import Encoder, Lsa, WordLlama, encoder
from newsdesk.text.tfidf import Tfidf
from newsdesk.text.vocabulary import Vocabulary

KINDS = ("auto", "wordllama", "lsa", "none")

LSA_DIMENSIONS = 50
# Texts of like length share a batch: an encoder pads to the longest.
_BATCH = 128
# A sentence is known by its beginning; a batch that is padded to a mile of text would fill the memory.
_MOST_CHARACTERS = 2_000
# LSA learns no more from further texts, and its decomposition takes time.
_ENOUGH_TEXTS = 20_000


def chosen(kind: str, lang: str) -> str:
    """The kind of vectors that a setting means for a language."""
    if kind not in KINDS and not _is_local(kind):
        raise ArgumentError(f"vectors is {kind!r}, not one of {', '.join(KINDS)} or hf:PATH")
    if kind != "auto":
        return kind
    return "wordllama" if lang == "en" and _installed() else "lsa"


def _installed() -> bool:
    try:
        return find_spec("wordllama") is not None
    except ModuleNotFoundError:  # so say importers that hide a module
        return False


def _is_local(kind: str) -> bool:
    return kind.startswith("hf:") and kind != "hf:"


@functools.lru_cache(maxsize=2)
def _loaded(kind: str) -> Encoder:
    """Loaded once: it learns nothing, and takes as long as a thousand comments."""
    return encoder(kind)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceVectors:
    """One kind of vectors, ready to encode; vectors have no dimensions where there is no encoder."""

    kind: str
    dimensions: int
    _encoder: Encoder | None

    @classmethod
    def of(cls, kind: str, lang: str, texts: Iterable[str] = ()) -> SentenceVectors:
        """Vectors of a kind, learned from texts where there is anything to learn; the order of texts changes nothing."""
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
        """What `learned` gave, made into vectors again."""
        if kind != "lsa":
            return cls.of(kind, lang)
        lsa = Lsa(LSA_DIMENSIONS, lang=lang)
        lsa.vocabulary_ = Vocabulary(tuple(learned["lsa"]))
        lsa.tfidf_ = Tfidf(arrays["lsa_idf"])
        lsa.axes_ = arrays["lsa_axes"]
        return cls(kind, int(lsa.axes_.shape[0]), lsa)

    def encode(self, texts: Sequence[str]) -> Floats:
        """One unit vector per text."""
        vectors = np.zeros((len(texts), self.dimensions))
        if self._encoder is None or not self.dimensions:
            return vectors
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            vectors[places] = self._encoder.encode(
                [texts[place][:_MOST_CHARACTERS] for place in places]
            )
        return vectors

    def pieces(self, words: Sequence[str]) -> Floats:
        """Pieces of each word, and their log ranks and lengths of vectors, summed; zeros where vectors have no pieces."""
        sums = np.zeros((len(words), 3))
        if isinstance(self._encoder, WordLlama) and words:
            sums[:] = self._encoder.pieces(words)
        return sums

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """What was learned from texts: words for JSON, and arrays."""
        if not isinstance(self._encoder, Lsa):
            return {}, {}
        words = self._encoder.vocabulary_.words
        return {"lsa": words}, {
            "lsa_idf": self._encoder.tfidf_.idf,
            "lsa_axes": self._encoder.axes_,
        }
