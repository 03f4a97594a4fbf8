"""What trained summarizers share: fitting, saving, and a cache of what is computed from clusters.

The interface of trained summarizers: fit, save, digest.

A cache of arrays computed from clusters: in memory, and on disk if a folder is named.

The key is a digest of the cluster's texts and of everything else the numbers depend on; another text or another encoder has another key, so
an entry is never stale. A file that cannot be read is computed again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Self

import numpy as np

from newsdesk.errors import ArgumentError
from newsdesk.files import atomic
from newsdesk.model import Arrays, Model, check_free, write_article_list
from newsdesk.registry import SUMMARIZERS
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.types import Article, Cluster

_FORMAT = 1


class Cache:
    """Arrays by key, computed on first use; `computed` counts the cache misses."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._arrays: dict[str, Arrays] = {}
        self.computed = 0

    def get(self, key: str, make: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of a key; on a cache miss they are computed by `make` and stored."""
        if key not in self._arrays:
            self._arrays[key] = self._read(key) or self._compute(key, make)
        return self._arrays[key]

    def _compute(self, key: str, make: Callable[[], Arrays]) -> Arrays:
        self.computed += 1
        arrays = make()
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            with atomic(self._folder / f"{key}.npz") as stream:
                np.savez(stream, allow_pickle=False, **dict(arrays))
        return arrays

    def _read(self, key: str) -> Arrays | None:
        if self._folder is None:
            return None
        try:
            packed = (self._folder / f"{key}.npz").read_bytes()
            with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            return None


def key_of(cluster: Cluster, *rest: object) -> str:
    """Return the cache key: a digest of all texts of a cluster and of the other arguments."""
    articles = [(article.text, article.title, article.lang) for article in cluster.articles]
    text = json.dumps([_FORMAT, articles, cluster.summary, *map(str, rest)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


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
    fitted.save(folder, overwrite=overwrite)
    write_article_list(folder, seen.values())
    return fitted


def _remembered(clusters: Iterable[Cluster], seen: dict[str, Article]) -> Iterator[Cluster]:
    """Yield the same clusters.

    Ids and addresses of their articles are collected on the way, without their texts.
    """
    for cluster in clusters:
        for article in cluster.articles:
            seen[article.id] = Article(article.id, "", url=article.url)
        yield cluster
