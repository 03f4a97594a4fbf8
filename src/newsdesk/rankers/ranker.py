"""The interface of rankers: fitted on threads, they score the comments of a thread, and they are saved as JSON and npz.

A ranker keeps scikit-learn's contract: settings are stored untouched under their names, `fit` returns self, and what it learned ends in
`_`. A saved ranker is a folder as `newsdesk.models` writes it.
"""

from __future__ import annotations

import inspect
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from newsdesk.arrays import Floats, best_first
from newsdesk.errors import ArgumentError, DataError
from newsdesk.models import Arrays, Saved, load_model, save_model
from newsdesk.rankers.language import warn_of_other_language
from newsdesk.registry import RANKERS
from newsdesk.types import Comment, Ranked, Thread
from newsdesk.work.progress import OnProgress


class RankedComment(NamedTuple):
    """A comment and the score it was ranked by; higher is better."""

    comment: Comment
    score: float


class Ranker(ABC):
    """A way to put the comments of an article in order, best first."""

    name: ClassVar[str]
    # True if the score of a comment depends on the other comments of its thread.
    reads_thread: ClassVar[bool] = False

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Learn from threads; hyper-parameters that are not set are tuned on the `dev` threads, if there are any.

        `progress` is called with each step of a long fit.
        """
        return self

    @classmethod
    def learns(cls, settings: Mapping[str, Any]) -> bool:
        """True if a ranker with these settings learns anything from threads."""
        return cls.fit is not Ranker.fit

    @abstractmethod
    def scores(self, thread: Thread) -> Floats:
        """The score of each comment, in the thread's order."""

    def replaced(
        self, thread: Thread, places: Sequence[int], comments: Sequence[Comment]
    ) -> Floats:
        """The score that each comment would get in place of the one at its place, one at a time."""
        if not places:
            return np.zeros(0)
        changes = list(zip(places, comments, strict=True))
        if self.reads_thread:
            return np.array([self.scores(_with(thread, [change]))[change[0]] for change in changes])
        # A score does not depend on the other comments, so all are replaced at once.
        return self.scores(_with(thread, changes))[list(places)]

    def rank(self, thread: Thread) -> list[RankedComment]:
        """The comments with their scores, best first; equal scores (to 1e-9) stay in the thread's order."""
        scores = self.scores(thread)
        return [
            RankedComment(thread.comments[place], float(scores[place]))
            for place in best_first(scores).tolist()
        ]

    def checked(self, threads: Iterable[Thread]) -> Iterator[Thread]:
        """The same threads; the first in another language than the model's is logged as a warning.

        A ranker that needs more than texts raises DataError at the end if no thread had it.
        """
        return warn_of_other_language(threads, self.language)

    def run(self, threads: Iterable[Thread]) -> Iterator[Ranked]:
        """The lines of a run over threads, one thread at a time; a thread in another language than the model's is logged as a warning."""
        for thread in warn_of_other_language(threads, self.language):
            for rank, (comment, score) in enumerate(self.rank(thread), 1):
                yield Ranked(thread.article.id, comment.id, score, rank)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by name, as the constructor takes them."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names}

    @property
    def language(self) -> str | None:
        """The language of the training comments; None for a ranker that depends on none."""
        return None

    @property
    def wants_dev(self) -> bool:
        """True if `fit` tunes on dev threads; otherwise add them to the training set."""
        return False

    @property
    def summary(self) -> str:
        """One line about the fitted model: the name, and what was learned."""
        return self.name

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """The state that `fit` learned: a part for JSON, and arrays."""
        return {}, {}

    def restore(self, learned: Mapping[str, Any], arrays: Arrays) -> None:
        """Set the state that `learned` returned."""
        if learned or arrays:
            raise ValueError(f"{self.name} learns nothing")

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the ranker to a folder that `load` reads."""
        learned, arrays = self.learned()
        saved = Saved(name=self.name, settings=self.settings, learned=learned, arrays=arrays)
        save_model(folder, "ranker", saved, overwrite=overwrite)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Ranker:
        """Read a saved ranker: `Ranker.load` reads any, a subclass only its own kind."""
        saved = load_model(folder, "ranker")
        kind = RANKERS.load(saved.name)
        if not issubclass(kind, cls):
            raise DataError(f"a saved {saved.name!r}, not {cls.name!r}", file=str(folder))
        try:
            model: Ranker = kind(**saved.settings)
            model.restore(saved.learned, saved.arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"not a whole saved ranker ({error})", file=str(folder)) from error
        return model


def ranker(spec: str, **settings: Any) -> Ranker:
    """The ranker that a spec names, such as `length` or `ranksvm(cost=0.01)`.

    >>> ranker("length").name
    'length'
    """
    return RANKERS.make(spec, **settings)


def _with(thread: Thread, changes: Iterable[tuple[int, Comment]]) -> Thread:
    comments = list(thread.comments)
    for place, comment in changes:
        comments[place] = comment
    return Thread(thread.article, tuple(comments))


def fitted(model: Ranker, attribute: str) -> None:
    """Raise an error if the ranker lacks this learned attribute."""
    if not hasattr(model, attribute):
        raise ArgumentError(f"this {model.name} ranker is not fitted yet; call fit(threads) first")
