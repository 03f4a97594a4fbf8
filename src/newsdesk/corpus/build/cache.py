"""What a build computed day by day, stored under the digest of all that it was computed from.

A stored result is complete (it is written atomically) and never changes; one whose inputs have changed has another key. At the end of a step what nobody
asked for is removed, so that the folder depends on the present inputs alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from newsdesk import __version__
from newsdesk.corpus.minhash import Minima
from newsdesk.files import atomic, make_folder
from newsdesk.jsonl import json_line
from newsdesk.work import digest_of


class DayCache:
    """Results of one kind in a folder; `computed` lists the days that had to be computed now."""

    def __init__(self, folder: Path) -> None:
        self._folder = make_folder(folder)
        self._used: set[Path] = set()
        self.computed: list[str] = []

    def value(self, day: str, inputs: Any, compute: Callable[[], Any]) -> Any:
        """A JSON value that follows from the inputs, which are JSON too, and the version."""
        path = self._path(inputs, ".json")
        if path.is_file():
            return json.loads(path.read_bytes())
        value = compute()
        with atomic(path) as stream:
            stream.write(json_line(value))
        self.computed.append(day)
        return value

    def minima(self, day: str, inputs: Any, compute: Callable[[], Minima]) -> Minima:
        """Digests of texts that follow from the inputs and the version."""
        path = self._path(inputs, ".npy")
        if path.is_file():
            stored: Minima = np.load(path)
            return stored
        minima = compute()
        with atomic(path) as stream:
            np.save(stream, minima)
        self.computed.append(day)
        return minima

    def keep_minima(self, inputs: Any) -> None:
        """Spare digests that may not be asked for, because what follows from it is stored too."""
        self._path(inputs, ".npy")

    def sweep(self) -> None:
        """Remove what was neither asked for nor kept since this cache was opened."""
        for path in set(self._folder.iterdir()) - self._used:
            path.unlink()

    def _path(self, inputs: Any, ending: str) -> Path:
        path = self._folder / f"{digest_of([__version__, inputs])[:32]}{ending}"
        self._used.add(path)
        return path
