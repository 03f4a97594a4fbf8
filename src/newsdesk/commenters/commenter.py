"""The interface of commenters: fitted on threads, they suggest comments under an article, and they are saved without pickle.

A commenter keeps scikit-learn's contract: settings are stored untouched under their names, `fit` returns self, and what it learned ends in `_`. A saved
commenter is a folder with `model.json` and its arrays as `arrays/NAME.npy`, which are memory-mapped when it is loaded, or packed as `model.npz`.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from newsdesk.arrays import Floats
from newsdesk.commenters.arrays import hashes_of, load_arrays, save_arrays
from newsdesk.commenters.suggestion import Suggestion
from newsdesk.errors import ArgumentError, DataError
from newsdesk.jsonl import json_text
from newsdesk.models import Arrays, Saved, check_free, load_model, save_model
from newsdesk.registry import COMMENTERS, Spec
from newsdesk.signatures import signature
from newsdesk.types import Article, Thread
from newsdesk.work.progress import OnProgress

_DIGEST_DIGITS = 16


class Rater(Protocol):
    """What rates comments: a fitted ranker of the caller."""

    @property
    def name(self) -> str:
        """The name of the ranker, for signatures."""

    def scores(self, thread: Thread) -> Floats:
        """The score of each comment of a thread, in the thread's order."""


class Commenter(ABC):
    """A way to suggest comments under an article."""

    name: ClassVar[str]
    # True if a ranker can rate the comments of the training threads (`with_ranker`).
    takes_ranker: ClassVar[bool] = False
    # The values that `tuning` tries: of settings of the training, and of settings that need no new training.
    fit_grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    suggest_grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}

    @abstractmethod
    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Learn from threads; what is chosen on held-out data is chosen on the `dev` threads, if there are any."""

    def fit_resumably(
        self,
        folder: Path,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Fit with checkpoints in a folder, if this commenter writes any."""
        return self.fit(threads, dev, progress)

    @abstractmethod
    def dev_measure(self, dev: Iterable[Thread]) -> tuple[str, float]:
        """The name and value of what the training is chosen by, on dev threads; higher is better."""

    def with_ranker(self, ranker: Rater) -> Self:
        """Let a fitted ranker rate the training comments when this commenter is fitted; an error if it uses none."""
        raise ArgumentError(
            f"{self.name} uses no ranker; leave {ranker.name!r} out, or fit ir-quality"
        )

    @abstractmethod
    def suggest(self, article: Article, n: int = 3, *, at: str | None = None) -> list[Suggestion]:
        """Up to n different comments under an article, best first; none of them is from the article's own thread.

        `at` is the time to put on them; nothing here asks the clock.
        """

    @abstractmethod
    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """The state that `fit` learned: a part for JSON, and arrays."""

    @abstractmethod
    def restore(self, learned: Mapping[str, Any], arrays: Arrays) -> None:
        """Set the state that `learned` returned."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """One line about the fitted model."""

    @property
    @abstractmethod
    def facts(self) -> dict[str, object]:
        """What the signature says beside the settings: sizes of the training data, updates done."""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by name, as the constructor takes them."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names}

    @property
    def spec(self) -> Spec:
        """The name and the settings that differ from their defaults."""
        parameters = inspect.signature(type(self)).parameters
        changed = [
            (name, value)
            for name, value in self.settings.items()
            if value != parameters[name].default
        ]
        return Spec(self.name, tuple(changed))

    @property
    def signature(self) -> str:
        """One line that names the system, its settings and what it was fitted on."""
        return signature(str(self.spec), self.facts)

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of a hash of all that was learned."""
        return self._digest

    @functools.cached_property
    def _digest(self) -> str:
        learned, arrays = self.learned()
        return digest_of(self.name, self.settings, learned, hashes_of(arrays))

    def save(
        self, folder: str | os.PathLike[str], *, overwrite: bool = True, packed: bool = False
    ) -> None:
        """Write the commenter to a folder that `load` reads; model.json comes last.

        `packed` puts all arrays into one compressed file, for small models that are passed on.
        """
        path = Path(folder)
        check_free(path, overwrite=overwrite)
        learned, arrays = self.learned()
        (path / "model.json").unlink(missing_ok=True)
        hashes = hashes_of(arrays) if packed else save_arrays(path, arrays)
        state = {"state": learned, "arrays": hashes}
        inside = arrays if packed else {}
        save_model(path, "commenter", Saved(self.name, self.settings, state, inside))

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Commenter:
        """Read a saved commenter: `Commenter.load` reads any, a subclass only its own kind."""
        saved = load_model(folder, "commenter")
        kind = COMMENTERS.load(saved.name)
        if not issubclass(kind, cls):
            raise DataError(f"a saved {saved.name!r}, not {cls.name!r}", file=str(folder))
        try:
            hashes, learned = saved.learned["arrays"], saved.learned["state"]
            model: Commenter = kind(**_untupled(saved.settings))
            model.restore(learned, saved.arrays or load_arrays(Path(folder), hashes))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"not a whole saved commenter ({error})", file=str(folder)) from error
        vars(model)["_digest"] = digest_of(saved.name, model.settings, learned, hashes)
        return model

    def forget_digest(self) -> None:
        """Drop the remembered digest; called by `fit`."""
        vars(self).pop("_digest", None)


def commenter(spec: str, **settings: Any) -> Commenter:
    """The commenter that a spec names, such as `ir-t` or `ir-tc(neighbours=20)`.

    >>> commenter("ir-t").name
    'ir-t'
    """
    return COMMENTERS.make(spec, **settings)


def fitted(model: Commenter, attribute: str) -> None:
    """Raise an error if the commenter lacks this learned attribute."""
    if not hasattr(model, attribute):
        raise ArgumentError(
            f"this {model.name} commenter is not fitted yet; call fit(threads) first"
        )


def digest_of(
    name: str, settings: Mapping[str, Any], learned: Mapping[str, Any], hashes: Mapping[str, str]
) -> str:
    """The digest of a model from its name, settings, learned values and the hashes of its arrays."""
    text = json_text([name, dict(settings), dict(learned), dict(sorted(hashes.items()))])
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_DIGITS]


def _untupled(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they were: JSON turned tuples into lists."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
