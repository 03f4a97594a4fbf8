"""What was computed of a cluster's sentences, so that it is computed once: in memory, and on disk if a folder is named.

The key is a digest of the cluster's texts and of whatever else the numbers depend on; another text or another encoder is another key, so
nothing is ever out of date. A file that cannot be read is computed anew.
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
from newsdesk.models import Arrays
from newsdesk.types import Cluster

_FORMAT = 1


class Cache:
    """Arrays by key."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._kept: dict[str, Arrays] = {}
        self.made = 0

    def get(self, key: str, make: Callable[[], Arrays]) -> Arrays:
        """The arrays of a key, made if they are not there."""
        if key not in self._kept:
            self._kept[key] = self._read(key) or self._made(key, make)
        return self._kept[key]

    def _made(self, key: str, make: Callable[[], Arrays]) -> Arrays:
        self.made += 1
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
    """A digest of all texts of a cluster and of what else matters."""
    articles = [(each.text, each.title, each.lang) for each in cluster.articles]
    text = json.dumps([_FORMAT, articles, cluster.summary, *map(str, rest)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
