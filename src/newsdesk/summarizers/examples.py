"""Training data of the trained summarizers: sentences with their features and ROUGE targets, computed once per cluster."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats
from newsdesk.errors import DataError
from newsdesk.summarizers.cache import Cache, key_of
from newsdesk.summarizers.prepare import prepare
from newsdesk.summarizers.sentence_features import (
    TARGETS,
    Frequencies,
    SentenceFacts,
    rouge_targets,
)
from newsdesk.text.encoders import Encoder, Lsa, Vectors, sentence_encoder
from newsdesk.types import Cluster


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """The sentences of the training clusters, cluster by cluster; only those that are long enough (`usable`) are examples."""

    facts: tuple[SentenceFacts, ...]
    texts: tuple[tuple[str, ...], ...]
    usable: tuple[NDArray[np.bool_], ...]
    targets: Floats  # usable sentences × precision, recall, F
    keys: tuple[str, ...]

    @classmethod
    def of(
        cls, clusters: Iterable[Cluster], min_tokens: int, cache: Cache, *, titles: bool
    ) -> Examples:
        """Compute the examples of clusters, or read them from the cache."""
        facts, texts, usable, targets, keys = [], [], [], [], []
        for cluster in clusters:
            if cluster.summary is None:
                raise DataError(f"cluster {cluster.id!r} has no `summary` to learn from")
            prepared = prepare(cluster, titles=titles)
            distinct = prepared.distinct
            key = key_of(cluster, "facts", titles)
            facts.append(
                SentenceFacts.from_arrays(
                    cache.get(key, lambda p=prepared: SentenceFacts.of(p).arrays())  # type: ignore[misc]
                )
            )
            rouge = cache.get(
                key_of(cluster, "rouge", titles),
                lambda p=prepared: {"rouge": rouge_targets(p)},  # type: ignore[misc]
            )["rouge"]
            long_enough = prepared.long_enough(distinct, min_tokens)
            texts.append(tuple(prepared.texts[number] for number in distinct.tolist()))
            usable.append(long_enough)
            targets.append(rouge[long_enough])
            keys.append(key)
        joined = np.concatenate(targets) if targets else np.zeros((0, len(TARGETS)))
        return cls(tuple(facts), tuple(texts), tuple(usable), joined, tuple(keys))

    @property
    def count(self) -> int:
        """The number of training clusters."""
        return len(self.facts)

    def rows(self, frequencies: Frequencies, encoder: Encoder, cache: Cache) -> Floats:
        """The feature matrix of the usable sentences: the seven features, then the vector."""
        parts = []
        for facts, texts, usable, key in zip(
            self.facts, self.texts, self.usable, self.keys, strict=True
        ):
            vectors = _vectors(encoder, texts, key, cache)
            parts.append(np.hstack([frequencies.features(facts), vectors])[usable])
        return np.concatenate(parts) if parts else np.zeros((0, 0))


def encoder_for(spec: str, examples: Examples) -> Encoder:
    """The encoder a spec names; `lsa` is fitted on the sentences of the examples."""
    named = _encoder(spec)
    if not isinstance(named, Lsa):
        return named
    unfitted: Lsa = sentence_encoder(spec)
    return unfitted.fit([text for texts in examples.texts for text in texts])


def save_encoder(encoder: Encoder, folder: Path) -> None:
    """Save a fitted encoder beside the model; other encoders are loaded by name."""
    if isinstance(encoder, Lsa):
        encoder.save(folder / "encoder")


def load_encoder(spec: str, folder: Path) -> Encoder:
    """The encoder that `save_encoder` saved, or the one a spec names."""
    named = _encoder(spec)
    return Lsa.load(folder / "encoder") if isinstance(named, Lsa) else named


@functools.lru_cache(maxsize=4)
def _encoder(spec: str) -> Encoder:
    return sentence_encoder(spec)


def _vectors(encoder: Encoder, texts: tuple[str, ...], key: str, cache: Cache) -> Vectors:
    if isinstance(encoder, Lsa):  # fitted on these clusters: of no use to other fits
        return encoder.encode(texts)
    key = f"{key[:40]}-{_digest(encoder.signature)}"
    return cache.get(key, lambda: {"vectors": encoder.encode(texts)})["vectors"]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
