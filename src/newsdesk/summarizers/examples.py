"""Training data of the trained summarizers: sentences of clusters with their features and ROUGE, each cluster looked at once."""

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
from newsdesk.text.encoders import Encoder, Lsa, Vectors, encoder
from newsdesk.types import Cluster


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """The sentences of clusters, cluster by cluster; only those that are long enough are learned from."""

    facts: tuple[SentenceFacts, ...]
    texts: tuple[tuple[str, ...], ...]
    usable: tuple[NDArray[np.bool_], ...]
    targets: Floats  # usable sentences × precision, recall, F
    keys: tuple[str, ...]

    @classmethod
    def of(
        cls, clusters: Iterable[Cluster], min_tokens: int, cache: Cache, *, titles: bool
    ) -> Examples:
        """Look at clusters, or remember them."""
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
        """How many clusters there are."""
        return len(self.facts)

    def rows(self, frequencies: Frequencies, encoder: Encoder, cache: Cache) -> Floats:
        """The features of the usable sentences: figures, then the vector."""
        parts = []
        for facts, texts, usable, key in zip(
            self.facts, self.texts, self.usable, self.keys, strict=True
        ):
            vectors = _vectors(encoder, texts, key, cache)
            parts.append(np.hstack([frequencies.features(facts), vectors])[usable])
        return np.concatenate(parts) if parts else np.zeros((0, 0))


def encoder_for(spec: str, examples: Examples) -> Encoder:
    """The encoder a spec names; one that must be fitted is fitted on the sentences of the examples."""
    found = _encoder(spec)
    if not isinstance(found, Lsa):
        return found
    fitted: Lsa = encoder(spec)
    return fitted.fit([text for texts in examples.texts for text in texts])


def save_encoder(found: Encoder, folder: Path) -> None:
    """Keep an encoder that was fitted beside the model; others are known by name."""
    if isinstance(found, Lsa):
        found.save(folder / "encoder")


def load_encoder(spec: str, folder: Path) -> Encoder:
    """The encoder that `save_encoder` kept, or the one a spec names."""
    found = _encoder(spec)
    return Lsa.load(folder / "encoder") if isinstance(found, Lsa) else found


@functools.lru_cache(maxsize=4)
def _encoder(spec: str) -> Encoder:
    return encoder(spec)


def _vectors(encoder: Encoder, texts: tuple[str, ...], key: str, cache: Cache) -> Vectors:
    if isinstance(encoder, Lsa):  # fitted on these very clusters: worth nothing to others
        return encoder.encode(texts)
    key = f"{key[:40]}-{_digest(encoder.signature)}"
    return cache.get(key, lambda: {"vectors": encoder.encode(texts)})["vectors"]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
