"""A cache of arrays computed from clusters: in memory, and on disk if a folder is named.

The key is a digest of the cluster's texts and of everything else the numbers depend on; another text or another encoder has another key, so
an entry is never stale. A file that cannot be read is computed again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from newsdesk.files import atomic
from newsdesk.model.folder import Arrays
from newsdesk.types import Cluster

_FORMAT = 1


class Cache:
    """Arrays by key, computed on first use; `computed` counts the cache misses."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._arrays: dict[str, Arrays] = {}
        self.computed = 0

    def get(self, key: str, make: Callable[[], Arrays]) -> Arrays:
        """The arrays of a key; on a cache miss they are computed by `make` and stored."""
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
    """The cache key: a digest of all texts of a cluster and of the other arguments."""
    articles = [(article.text, article.title, article.lang) for article in cluster.articles]
    text = json.dumps([_FORMAT, articles, cluster.summary, *map(str, rest)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
