"""BERTScore (Zhang et al. 2020): each token of one text looks for the nearest token of the other; precision, recall and F1 of the cosines.

Tokens have the vectors of an encoder. With `hf:PATH` they are the hidden states of a layer in the context of their text, and the numbers equal those of bert-score 0.3.13
(no idf, no baseline): the marks at the ends of a text can be found but seek nothing. With `wordllama` a token has one fixed vector in every text. Negative cosines count as 0. Of several references the best counts, for
precision, recall and F1 each, as in bert-score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from newsdesk.arrays import Floats, unit_rows
from newsdesk.errors import ArgumentError
from newsdesk.metrics.metric import MeanMetric
from newsdesk.metrics.soft_recall import encoder_named, plain_text
from newsdesk.settings import at_least
from newsdesk.text.encode import Analyzer, Encoded, Text as EncodedText
from newsdesk.text.encoders import TokenEncoder, TokenVectors

_TEXTS = 256  # whose vectors are in memory at a time


@dataclass(frozen=True)
class BertScore(MeanMetric):
    """Greedy matching of token vectors; `layer` counts the hidden states of `hf:PATH`, None for the last."""

    part_names: ClassVar[tuple[str, ...]] = ("p", "r", "f")

    encoder: str = "wordllama"
    layer: int | None = None

    def __post_init__(self) -> None:
        if self.layer is not None:
            at_least("layer", self.layer, 0)
            if not self.encoder.startswith("hf:"):
                raise ArgumentError(f"layer is a setting of hf:PATH; {self.encoder!r} has none")

    @property
    def analyzer(self) -> Analyzer:
        """The texts as they are: the encoder cuts them itself."""
        return Analyzer("space", lower=False)

    @property
    def readings(self) -> Mapping[str, str]:
        """The encoder, its layer, and that neither idf nor a baseline is used."""
        layer = "last" if self.layer is None else str(self.layer)
        named = encoder_named(self.encoder).signature.partition("|")[0]
        return {"enc": named, "layer": layer, "idf": "no", "baseline": "no"}

    def item_values(self, batch: Encoded) -> Floats:
        """Return F1, precision, recall and F1 of each item, items × 4."""
        pairs = np.column_stack([batch.item_of_reference, np.arange(len(batch.references))])
        matched = np.empty((len(pairs), 3))  # references × (p, r, f)
        for start in range(0, len(pairs), _TEXTS):
            part = pairs[start : start + _TEXTS].tolist()
            items = sorted({item for item, _ in part})
            vectors = self._vectors([batch.candidates[item] for item in items])
            sought = self._vectors([batch.references[reference] for _, reference in part])
            for (item, reference), theirs in zip(part, sought, strict=True):
                matched[reference] = greedy_match(vectors[items.index(item)], theirs)
        best = np.maximum.reduceat(matched, batch.reference_offsets[:-1], axis=0)
        return np.column_stack([best[:, 2], best])

    def _vectors(self, texts: Sequence[EncodedText]) -> list[TokenVectors]:
        encoder = encoder_named(self.encoder)
        if not isinstance(encoder, TokenEncoder):
            raise ArgumentError(f"bertscore needs an encoder of tokens, hf:PATH or wordllama, not {self.encoder!r}")  # fmt: skip
        return encoder.token_vectors([plain_text(text) for text in texts], self.layer)


def greedy_match(candidate: TokenVectors, reference: TokenVectors) -> tuple[float, float, float]:
    """Return precision, recall and F1 of the tokens that seek; zeros where one side has none.

    >>> one, two = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> sides = [TokenVectors(vectors, np.ones(len(vectors), bool)) for vectors in (one, two)]
    >>> [round(value, 3) for value in greedy_match(*sides)]
    [1.0, 0.5, 0.667]
    """
    if not candidate.seeks.any() or not reference.seeks.any():
        return 0.0, 0.0, 0.0
    # Unit vectors in double precision, so that no cosine exceeds 1.
    ours, theirs = (unit_rows(side.vectors.astype(np.float64)) for side in (candidate, reference))
    cosines = np.clip(ours @ theirs.T, 0, 1)  # tokens × tokens
    precision = float(cosines.max(axis=1)[candidate.seeks].mean())
    recall = float(cosines.max(axis=0)[reference.seeks].mean())
    total = precision + recall
    return precision, recall, 2 * precision * recall / total if total else 0.0
