"""The interface of rankers: fitted on threads, they score the comments of a thread, and they are saved as JSON and npz.

Settings, spec, saving and loading are those of `newsdesk.model`.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from newsdesk.arrays import Floats, best_first
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.model.contract import Model
from newsdesk.model.folder import Arrays, Saved
from newsdesk.rankers.threads import warn_of_other_language
from newsdesk.registry import RANKERS
from newsdesk.types import Comment, Ranked, Thread
from newsdesk.work.progress import OnProgress


class RankedComment(NamedTuple):
    """A comment and the score it was ranked by; higher is better."""

    comment: Comment
    score: float


@dataclass(frozen=True, slots=True)
class Reason:
    """A part of a score: what the comment does, the words that show it, and its effect on the log-odds."""

    part: str
    text: str
    words: tuple[str, ...]
    effect: float


@dataclass(frozen=True, slots=True)
class Explained:
    """A comment's score and probability, and the parts that sum to the score.

    Beside them the sentences taken for padding, and the sentence of the article that the comment is nearest to.
    """

    article: str
    comment: str
    score: float
    probability: float
    reasons: tuple[Reason, ...]
    padding: tuple[str, ...]
    point: str = ""

    @property
    def signs(self) -> tuple[Reason, ...]:
        """The reasons that say something about this comment: all but the base, length and the pooled rest."""
        return tuple(
            reason for reason in self.reasons if reason.part not in ("base", "length", "rest")
        )


@dataclass(frozen=True, eq=False)
class Ranker(Model):
    """A way to put the comments of an article in order, best first."""

    kind = "ranker"
    table = RANKERS
    # True if the score of a comment depends on the other comments of its thread.
    reads_thread: ClassVar[bool] = False

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Learn from threads.

        Hyper-parameters that are not set are tuned on the `dev` threads, if there are any.

        `progress` is called with each step of a long fit.
        """
        return self

    @classmethod
    def learns(cls, settings: Mapping[str, Any]) -> bool:
        """Return True if a ranker with these settings learns anything from threads."""
        return cls.fit is not Ranker.fit

    @abstractmethod
    def scores(self, thread: Thread) -> Floats:
        """Return the score of each comment, in the thread's order."""

    def replaced(
        self, thread: Thread, places: Sequence[int], comments: Sequence[Comment]
    ) -> Floats:
        """Return the score that each comment would get in place of the one at its place, one at a time."""
        if not places:
            return np.zeros(0)
        changes = list(zip(places, comments, strict=True))
        if self.reads_thread:
            return np.array([self.scores(_with(thread, [change]))[change[0]] for change in changes])
        # A score does not depend on the other comments, so all are replaced at once.
        return self.scores(_with(thread, changes))[list(places)]

    def rank(self, thread: Thread) -> list[RankedComment]:
        """Return the comments with their scores, best first.

        Equal scores (to 1e-9) stay in the thread's order.
        """
        scores = self.scores(thread)
        return [
            RankedComment(thread.comments[place], float(scores[place]))
            for place in best_first(scores).tolist()
        ]

    def checked(self, threads: Iterable[Thread]) -> Iterator[Thread]:
        """Return the same threads; the first in another language than the model's is logged as a warning.

        A ranker that needs more than texts raises DataError at the end if no thread had it.
        """
        return warn_of_other_language(threads, self.language)

    def run(self, threads: Iterable[Thread]) -> Iterator[Ranked]:
        """Yield the lines of a run over threads, one thread at a time.

        A thread in another language than the model's is logged as a warning.
        """
        for thread in warn_of_other_language(threads, self.language):
            for rank, (comment, score) in enumerate(self.rank(thread), 1):
                yield Ranked(thread.article.id, comment.id, score, rank)

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
        """Return the state that `fit` learned: a part for JSON, and arrays."""
        return {}, {}

    def restore(self, saved: Saved) -> None:
        """Set the state that `learned` returned."""
        if saved.learned or saved.arrays:
            raise ValueError(f"{self.name} learns nothing")


def ranker(spec: str, **settings: Any) -> Ranker:
    """Return the ranker that a spec names, such as `length` or `ranksvm(cost=0.01)`.

    >>> ranker("length").name
    'length'
    """
    return RANKERS.make(spec, **settings)


def _with(thread: Thread, changes: Iterable[tuple[int, Comment]]) -> Thread:
    comments = list(thread.comments)
    for place, comment in changes:
        comments[place] = comment
    return Thread(thread.article, tuple(comments))


def write_reasons(
    path: str | os.PathLike[str], explained: Iterable[Explained], *, overwrite: bool = False
) -> None:
    """Write a line of JSON per comment, atomically; `-` is standard output."""
    with atomic(path, overwrite=overwrite) as stream:
        for each in explained:
            stream.write(json_line(asdict(each)))
