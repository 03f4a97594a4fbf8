"""Sentence vectors for the ranker: those of wordllama, of LSA fitted on the training comments, of a transformers encoder (`hf:PATH`), or none.

`auto` takes wordllama for English where it is installed, and LSA elsewhere; the model keeps the name of what it was fitted with.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
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


class SentenceVectors:
    """One kind of vectors, ready to encode."""

    def __init__(self, kind: str, lang: str) -> None:
        self.kind = kind
        self._encoder: Encoder | None = None
        if kind == "lsa":
            self._encoder = Lsa(LSA_DIMENSIONS, lang=lang)
        elif kind != "none":
            self._encoder = _loaded(kind)

    @functools.cached_property
    def dimensions(self) -> int:
        """The length of a vector; of LSA it is known when it is fitted."""
        if isinstance(self._encoder, Lsa):
            return int(self._encoder.axes_.shape[0])
        return int(self._encoder.encode([""]).shape[1]) if self._encoder else 0

    def fit(self, texts: Sequence[str]) -> None:
        """Learn from texts, where there is anything to learn; their order changes nothing."""
        if isinstance(self._encoder, Lsa):
            self._encoder.fit(sorted(set(texts))[:_ENOUGH_TEXTS])

    def encode(self, texts: Sequence[str]) -> Floats:
        """One unit vector per text."""
        found = np.zeros((len(texts), self.dimensions))
        if self._encoder is None or not self.dimensions:
            return found
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            found[places] = self._encoder.encode(
                [texts[place][:_MOST_CHARACTERS] for place in places]
            )
        return found

    def pieces(self, words: Sequence[str]) -> Floats:
        """Pieces of each word, and their log ranks and lengths of vectors, summed; zeros where vectors have no pieces."""
        found = np.zeros((len(words), 3))
        if isinstance(self._encoder, WordLlama) and words:
            found[:] = self._encoder.pieces(words)
        return found

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """What `fit` learned."""
        if not isinstance(self._encoder, Lsa):
            return {}, {}
        words = self._encoder.vocabulary_.words
        return {"lsa": words}, {
            "lsa_idf": self._encoder.tfidf_.idf,
            "lsa_axes": self._encoder.axes_,
        }

    def restore(self, learned: Mapping[str, Any], arrays: Arrays) -> None:
        """Take back what `learned` gave."""
        if isinstance(self._encoder, Lsa):
            self._encoder.vocabulary_ = Vocabulary(tuple(learned["lsa"]))
            self._encoder.tfidf_ = Tfidf(arrays["lsa_idf"])
            self._encoder.axes_ = arrays["lsa_axes"]
