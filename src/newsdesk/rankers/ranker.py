"""What every ranker is: fitted on threads, it scores the comments of a thread, and it is saved as JSON and npz.

A ranker keeps scikit-learn's contract: settings are stored untouched under their names, `fit` returns self, and what it learned ends in
`_`. A saved ranker is a folder with `model.json` (format, name, settings, what it learned) and, where there are arrays, `model.npz`;
the JSON holds the digest of the arrays, so that halves of two models never pass for one.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import os
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import atomic, reason
from newsdesk.registry import RANKERS
from newsdesk.types import Comment, Ranked, Thread

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Arrays = Mapping[str, NDArray[Any]]

FORMAT = 1


class RankedComment(NamedTuple):
    """A comment and the score it was ranked by; higher is better."""

    comment: Comment
    score: float


class Ranker(ABC):
    """A way to put the comments of an article in order, best first."""

    name: ClassVar[str]

    def fit(self, threads: Iterable[Thread], dev: Iterable[Thread] | None = None) -> Self:
        """Learn from threads; settings that are left open are chosen on the `dev` threads, if there are any."""
        return self

    @abstractmethod
    def scores(self, thread: Thread) -> Floats:
        """The score of each comment, in the thread's order."""

    def rank(self, thread: Thread) -> list[RankedComment]:
        """The comments with their scores, best first; equal scores (to 1e-9) stay in the thread's order."""
        scores = self.scores(thread)
        return [
            RankedComment(thread.comments[place], float(scores[place]))
            for place in best_first(scores).tolist()
        ]

    def run(self, threads: Iterable[Thread]) -> Iterator[Ranked]:
        """The lines of a run over threads, one thread at a time."""
        for thread in threads:
            for rank, (comment, score) in enumerate(self.rank(thread), 1):
                yield Ranked(thread.article.id, comment.id, score, rank)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by name, as the constructor takes them."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names}

    @property
    def summary(self) -> str:
        """The name, and what was learned in a few words."""
        return self.name

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """What `fit` learned: what goes into JSON, and arrays."""
        return {}, {}

    def restore(self, learned: Mapping[str, Any], arrays: Arrays) -> None:
        """Take back what `learned` gave."""
        if learned or arrays:
            raise ValueError(f"{self.name} learns nothing")

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the ranker into a folder."""
        from newsdesk import __version__

        learned, arrays = self.learned()
        path = Path(folder)
        check_free(path, overwrite=overwrite)
        path.mkdir(parents=True, exist_ok=True)
        model = {
            "format": FORMAT,
            "ranker": self.name,
            "version": __version__,
            "settings": self.settings,
            "learned": learned,
        }
        if arrays:
            packed = io.BytesIO()
            np.savez_compressed(packed, allow_pickle=False, **dict(arrays))
            model["arrays"] = hashlib.sha256(packed.getvalue()).hexdigest()
            with atomic(path / "model.npz") as stream:
                stream.write(packed.getvalue())
        with atomic(path / "model.json") as stream:
            text = json.dumps(model, ensure_ascii=False, allow_nan=False)
            stream.write(text.encode("utf-8") + b"\n")

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Ranker:
        """Read what `save` wrote: any ranker from `Ranker.load`, only its own kind from a class of one kind."""
        path = Path(folder)
        model = _read_model(path)
        kind = RANKERS.load(str(model["ranker"]))
        if not issubclass(kind, cls):
            raise DataError(f"a saved {model['ranker']!r}, not {cls.name!r}", file=str(path))
        arrays = _read_arrays(path, str(model["arrays"])) if "arrays" in model else {}
        try:
            found: Ranker = kind(**model["settings"])
            found.restore(model["learned"], arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"not a whole saved ranker ({error})", file=str(path)) from error
        return found


def ranker(spec: str, **settings: Any) -> Ranker:
    """The ranker that a spec names, such as `length` or `ranksvm(cost=0.01)`.

    >>> ranker("length").name
    'length'
    """
    found: Ranker = RANKERS.make(spec, **settings)
    return found


def best_first(scores: Floats) -> Ints:
    """The places of scores, best first; those that agree after rounding to 1e-9 stay in order.

    >>> best_first(np.array([1.0, 2.0, 1.0 + 1e-12])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-rounded(scores), kind="stable").astype(np.int64)


def rounded(values: Floats) -> Floats:
    """Values as ties see them: to 1e-9; what is too large to be rounded so finely stays."""
    with np.errstate(over="ignore"):
        fine = np.round(values, 9)
    return np.where(np.isfinite(fine), fine, values)


def check_free(folder: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Refuse to save where something is already, unless it is to be replaced."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise FileError(f"{path}: is a file, not a folder")
    if (path / "model.json").exists() and not overwrite:
        raise FileError(f"{path}: holds a model already; add --force (or overwrite=True)")


def fitted(model: Ranker, attribute: str) -> None:
    """Refuse to use a ranker that has not learned anything yet."""
    if not hasattr(model, attribute):
        raise ArgumentError(f"this {model.name} ranker is not fitted yet; call fit(threads) first")


def _read_model(path: Path) -> dict[str, Any]:
    try:
        model = json.loads((path / "model.json").read_text("utf-8"))
    except OSError as error:
        raise FileError(f"{path}: no saved ranker there ({reason(error)})") from error
    except ValueError as error:
        raise DataError(f"not JSON: {error}", file=str(path / "model.json")) from error
    if not isinstance(model, dict) or model.get("format") != FORMAT:
        found = model.get("format") if isinstance(model, dict) else None
        raise DataError(f"`format` is {found!r}; this version reads {FORMAT}", file=str(path))
    if not {"ranker", "settings", "learned"} <= model.keys():
        raise DataError("not a whole saved ranker", file=str(path))
    return model


def _read_arrays(path: Path, digest: str) -> Arrays:
    file = path / "model.npz"
    try:
        packed = file.read_bytes()
    except OSError as error:
        raise FileError(f"{file}: {reason(error)}") from error
    if hashlib.sha256(packed).hexdigest() != digest:
        raise DataError("not the arrays that model.json was saved with", file=str(file))
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"not a file of plain arrays ({error})", file=str(file)) from error
