"""What trained summarizers share: fitting and saving, training examples, and a cache of what is computed from clusters.

The examples of a fit (`Examples`) are read twice: once to count words, once to build rows. In between they are in the cache, never all in memory: it holds some megabytes
and puts the rest into files, in its folder or in a temporary one.

The key of a cache entry is a digest of the cluster's texts and of everything else the numbers depend on; another text or another encoder has another key, so
an entry is never stale. A file that cannot be read is computed again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import tempfile
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, unpacked_arrays
from newsdesk.errors import ArgumentError, DataError
from newsdesk.files import atomic
from newsdesk.jsonl import json_value
from newsdesk.model import Arrays, Model, check_free
from newsdesk.registry import SUMMARIZERS
from newsdesk.summarizers.baselines import Overlap
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.sentence_features import (
    Frequencies,
    Relations,
    SentenceFacts,
    first_choice,
    rouge_targets,
)
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.text.encoders import Encoder, Lsa, Vectors, sentence_encoder
from newsdesk.types import Article, Cluster

_FORMAT = 2
_LSA_SENTENCES = 100_000  # that an lsa encoder is fitted on


class Cache:
    """Arrays by key, computed on first use; `computed` counts the cache misses.

    The first `held_bytes` stay in memory. What comes later is in files only: of the folder named, or of a temporary one.
    """

    held_bytes: ClassVar = 1 << 26

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._arrays: dict[str, Arrays] = {}
        self._left = self.held_bytes  # that may still be held in memory
        self.computed = 0

    def get(self, key: str, make: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of a key; on a cache miss they are computed by `make` and stored."""
        if key in self._arrays:
            return self._arrays[key]
        arrays = self._read(key)
        if arrays is None:
            self.computed += 1
            arrays = make()
            if self._folder is not None:
                self._write(key, arrays)
        size = sum(array.nbytes for array in arrays.values())
        if size <= self._left:
            self._left -= size
            self._arrays[key] = arrays
        elif self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="newsdesk-cache-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            self._write(key, arrays)
        return arrays

    def __getitem__(self, key: str) -> Arrays:
        """Return the arrays of a key that was stored before."""
        arrays = self._arrays.get(key) or self._read(key)
        if arrays is None:
            raise DataError(
                f"the cached features {key} were removed or damaged during the fit; start again"
            )
        return arrays

    def _write(self, key: str, arrays: Arrays) -> None:
        assert self._folder is not None
        self._folder.mkdir(parents=True, exist_ok=True)
        with atomic(self._folder / f"{key}.npz") as stream:
            np.savez(stream, allow_pickle=False, **dict(arrays))

    def _read(self, key: str) -> Arrays | None:
        if self._folder is None:
            return None
        try:
            return unpacked_arrays((self._folder / f"{key}.npz").read_bytes())
        except (OSError, ValueError):
            return None


def key_of(cluster: Cluster, *rest: object) -> str:
    """Return the cache key: a digest of all texts of a cluster and of the other arguments."""
    articles = [(article.text, article.title, article.lang) for article in cluster.articles]
    text = json.dumps([_FORMAT, articles, cluster.summary, *map(str, rest)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class ClusterExamples:
    """The examples of one cluster: its sentences that are long enough.

    `relations` and `gains` are those beside the first choice of a greedy oracle; they have no rows where nobody asked for them.
    """

    features: Floats  # sentences × 7
    vectors: Vectors  # sentences × dimensions
    targets: Floats  # sentences × precision, recall, F
    relations: Floats  # sentences × 4
    gains: Floats  # sentences × precision, recall, F


class Examples:
    """The sentences of training clusters with their features and targets, as a stream of blocks."""

    def __init__(
        self,
        clusters: Iterable[Cluster],
        method: Summarizer,
        cache: Cache | None,
        *,
        gains: bool = False,
    ) -> None:
        """Compute what depends on each cluster alone, or read it from the cache."""
        # Vectors are kept only in a cache that the caller holds, for other fits.
        self._vectors, self._cache = cache, cache or Cache()
        self._keys: list[str] = []  # by cluster
        self._usable: list[NDArray[np.bool_]] = []  # by cluster, which sentences are long enough
        self._gains = gains
        for cluster in clusters:
            if cluster.summary is None:
                raise DataError(f"cluster {cluster.id!r} has no `summary` to learn from")
            prepared = method.prepared(cluster)
            usable = prepared.long_enough(prepared.distinct, method.min_tokens)
            key = key_of(prepared.cluster, "examples", method.titles, method.min_tokens, gains)
            self._cache.get(key, functools.partial(_entry, prepared, usable, gains=gains))
            self._keys.append(key)
            self._usable.append(usable)

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        return len(self._keys)

    @property
    def sentences(self) -> int:
        """The number of sentences that are long enough."""
        return sum(int(usable.sum()) for usable in self._usable)

    def texts(self) -> Iterator[list[str]]:
        """Yield the sentences of each cluster."""
        return (_texts(self._cache[key]) for key in self._keys)

    def frequencies(self) -> Frequencies:
        """Count the words of all clusters."""
        return Frequencies.of(SentenceFacts.from_arrays(self._cache[key]) for key in self._keys)

    def blocks(self, frequencies: Frequencies, encoder: Encoder) -> Iterator[ClusterExamples]:
        """Yield the examples of each cluster: of its sentences that are long enough."""
        for key, usable in zip(self._keys, self._usable, strict=True):
            entry = self._cache[key]
            vectors = self._encoded(encoder, key, entry)
            features = frequencies.features(SentenceFacts.from_arrays(entry))
            relations, gains = np.zeros((0, 4)), np.zeros((0, 3))
            if self._gains and usable.any():
                cosines = vectors @ vectors[int(entry["taken"])]
                relations = np.column_stack([entry["relations"], cosines])[usable]
                gains = entry["gains"][usable]
            targets = entry["rouge"][usable]
            yield ClusterExamples(
                features=features[usable],
                vectors=vectors[usable],
                targets=targets,
                relations=relations,
                gains=gains,
            )

    def _encoded(self, encoder: Encoder, key: str, entry: Arrays) -> Vectors:
        """Return the vectors of a cluster's sentences; a cache that serves several fits keeps them."""
        # An lsa encoder is fitted on these clusters, so its vectors are of no use to other fits.
        if self._vectors is None or isinstance(encoder, Lsa):
            return encoder.encode(_texts(entry))
        digest = hashlib.sha256(encoder.signature.encode()).hexdigest()[:16]
        return self._vectors.get(
            f"{key[:40]}-{digest}", lambda: {"vectors": encoder.encode(_texts(entry))}
        )["vectors"]


def _entry(prepared: Prepared, usable: NDArray[np.bool_], *, gains: bool) -> Arrays:
    """Return what the examples of a cluster need that depends on the cluster alone.

    The facts of its sentences, `rouge` (their targets) and `texts` (as JSON); with `gains` also the sentence that an oracle takes first, and relations and gains beside it.
    """
    overlap = Overlap.of(prepared, prepared.distinct.tolist())
    texts = [prepared.texts[number] for number in prepared.distinct.tolist()]
    packed = json.dumps(texts).encode("ascii")
    targets = rouge_targets(overlap)
    entry = {
        **SentenceFacts.of(prepared).arrays(),
        "rouge": targets,
        "texts": np.frombuffer(packed, dtype=np.uint8),
    }
    if gains and (taken := first_choice(targets, usable)) is not None:
        relations = Relations(prepared)
        relations.take(taken)
        entry |= {
            "taken": np.array(taken),
            "relations": relations.features(),
            "gains": rouge_targets(overlap, [taken]),
        }
    return entry


def _texts(entry: Arrays) -> list[str]:
    texts: list[str] = json_value(entry["texts"].tobytes())
    return texts


def encoder_for(spec: str, examples: Examples) -> Encoder:
    """Return the encoder a spec names; `lsa` is fitted on the first sentences of the examples."""
    named = _encoder(spec)
    if not isinstance(named, Lsa):
        return named
    texts: list[str] = []
    for sentences in examples.texts():
        texts += sentences
        if len(texts) >= _LSA_SENTENCES:
            break
    unfitted: Lsa = sentence_encoder(spec)
    return unfitted.fit(texts[:_LSA_SENTENCES])


def save_encoder(encoder: Encoder, folder: Path) -> None:
    """Save a fitted encoder beside the model; other encoders are loaded by name."""
    if isinstance(encoder, Lsa):
        encoder.save(folder / "encoder")


def load_encoder(spec: str, folder: Path) -> Encoder:
    """Return the encoder that `save_encoder` saved, or the one a spec names."""
    named = _encoder(spec)
    return Lsa.load(folder / "encoder") if isinstance(named, Lsa) else named


@functools.lru_cache(maxsize=4)
def _encoder(spec: str) -> Encoder:
    return sentence_encoder(spec)


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The fitted state: encoder, document frequencies, standardization and weights."""

    settings: Mapping[str, Any]
    encoder: Encoder
    frequencies: Frequencies
    mean: Floats  # of each feature in the training data
    scale: Floats
    weights: Arrays
    note: str
    digest: str = field(init=False)  # identifies this model

    def __post_init__(self) -> None:
        plain, arrays = self.learned()
        digest = hashlib.sha256(json.dumps([dict(self.settings), plain]).encode())
        for name in sorted(arrays):
            digest.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
        object.__setattr__(self, "digest", digest.hexdigest()[:12])

    def rows(self, prepared: Prepared) -> Floats:
        """Return the feature matrix of distinct sentences: standardized features, then the vector.

        The vector is left at unit length. Vectors standardized by column as well would outweigh the features: on the shared WCEP clusters
        the network's error on held-out clusters was then .0073 instead of .0062.
        """
        texts = [prepared.texts[number] for number in prepared.distinct.tolist()]
        features = self.frequencies.features(SentenceFacts.of(prepared))
        return np.hstack([(features - self.mean) / self.scale, self.encoder.encode(texts)])

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the fitted state as JSON values and as arrays, for saving."""
        frequencies = self.frequencies
        plain = {
            "encoder": self.encoder.signature,
            "words": list(frequencies.words),
            "documents": frequencies.document_count,
            "clusters": frequencies.cluster_count,
            "note": self.note,
        }
        arrays = {"df": frequencies.documents, "cf": frequencies.clusters}
        return plain, {**arrays, "mean": self.mean, "scale": self.scale, **self.weights}


class TrainedSummarizer(Model):
    """A summarizer that is fitted on clusters with summaries, and named again by `model='FOLDER'`.

    A summarizer is a value, so here `fit` returns a new one and leaves the one it was called on as it was, and the folder is read on first
    use. A summarizer that was just fitted has an empty `model`.
    """

    kind = "summarizer"
    table = SUMMARIZERS
    model: str

    @property
    @abstractmethod
    def trained(self) -> bool:
        """Return True if there is a fitted model to summarize with."""

    @abstractmethod
    def fit(
        self,
        clusters: Iterable[Cluster],
        dev: Iterable[Cluster] | None = None,
        *,
        cache: Cache | None = None,
    ) -> Self:
        """Return a new summarizer fitted on clusters with summaries.

        Open hyper-parameters are chosen by the error on `dev` clusters.
        """


def fit_and_save(
    method: Summarizer,
    clusters: Iterable[Cluster],
    folder: str | os.PathLike[str],
    *,
    dev: Iterable[Cluster] | None = None,
    cache: Cache | None = None,
    overwrite: bool = True,
) -> TrainedSummarizer:
    """Fit a method on clusters, save it into a folder and return it.

    A method that cannot be fitted or a folder in use is refused before any work.
    """
    if not isinstance(method, TrainedSummarizer):
        trained = [
            name for name in SUMMARIZERS if issubclass(SUMMARIZERS.load(name), TrainedSummarizer)
        ]
        raise ArgumentError(f"{method.name} learns nothing; --fit is for {', '.join(trained)}")
    check_free(folder, overwrite=overwrite)
    seen: dict[str, Article] = {}
    held_out = None if dev is None else _remembered(dev, seen)
    fitted = method.fit(_remembered(clusters, seen), held_out, cache=cache)
    fitted.save(folder, articles=seen.values(), overwrite=overwrite)
    return fitted


def _remembered(clusters: Iterable[Cluster], seen: dict[str, Article]) -> Iterator[Cluster]:
    """Yield the same clusters.

    Their articles are added to `seen` by id on the way, with their addresses and without their texts.
    """
    for cluster in clusters:
        for article in cluster.articles:
            seen[article.id] = Article(article.id, "", url=article.url)
        yield cluster
