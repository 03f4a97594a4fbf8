"""The interface of rankers, and what they ask of threads: a language that the model knows, a target for each comment, enough of both.

Rankers are fitted on threads, score the comments of a thread, and are saved as JSON and npz; settings, spec, saving and loading are those of `newsdesk.model`. Training threads are sorted by id, so that a model does not depend on file order.

A warning says where a model of one language ranks another. Script alone cannot tell languages in Latin letters apart, so an undeclared thread in Latin letters agrees with every model of such a language.
"""

from __future__ import annotations

import logging
import math
import os
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from newsdesk.arrays import Floats, Ints, best_first
from newsdesk.errors import ArgumentError
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.languages import has_latin_letters
from newsdesk.model import Arrays, Model, Saved
from newsdesk.registry import RANKERS
from newsdesk.text.language import language_of, opening
from newsdesk.types import Comment, Ranked, Thread
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress

Target = Literal["score", "likes"]

# Fewer than this is called little data in a warning.
LITTLE_COMMENTS, LITTLE_ARTICLES = 200, 10


def target_of(comment: Comment, target: Target) -> float | None:
    """Return the score of a comment, or the logarithm of 1 + its likes.

    A comment without a score that was voted on has its share of yes votes. The logarithm keeps the order of likes and limits the leverage of
    their few huge values in a regression.

    >>> target_of(Comment("c", "", yes=3, votes=5), "score"), target_of(Comment("c", "", likes=0), "likes")
    (0.6, 0.0)
    """
    if target == "likes":
        return None if comment.likes is None else math.log1p(comment.likes)
    if comment.score is not None:
        return float(comment.score)
    if comment.yes is not None and comment.votes:
        return comment.yes / comment.votes
    return None


def check_enough(threads: Iterable[Thread], target: Target, name: str) -> None:
    """Refuse training threads that have no target or that of one article alone.

    Log a warning where data is little.
    """
    counts = [
        sum(target_of(comment, target) is not None for comment in thread.comments)
        for thread in threads
    ]
    comments, articles = sum(counts), sum(count > 0 for count in counts)
    if not comments:
        remedy = "add likes" if target == "likes" else "add scores or votes, or predict likes"
        raise ArgumentError(f"no comment has a {target!r} to learn from; {remedy}")
    if articles == 1:
        judged = plural(comments, "comment")
        raise ArgumentError(f"too little to fit {name} on: {judged} of one article; add articles")
    if comments < LITTLE_COMMENTS or articles < LITTLE_ARTICLES:
        _log.warning(
            "%s is fitted on little data (%s of %s): evaluate it on held-out threads before you use it",
            name,
            plural(comments, "comment"),
            plural(articles, "article"),
        )


@dataclass(frozen=True, slots=True, eq=False)
class LabelledComments:
    """The comments that have a target: row among all comments, target, and number of the article."""

    rows: Ints
    targets: Floats
    articles: Ints

    @classmethod
    def of(cls, threads: Sequence[Thread], target: Target) -> LabelledComments:
        """Collect the comments that have a target."""
        targeted = (
            (article, target_of(comment, target))
            for article, thread in enumerate(threads)
            for comment in thread.comments
        )
        labelled = [
            (row, value, article)
            for row, (article, value) in enumerate(targeted)
            if value is not None
        ]
        if not labelled:
            raise ArgumentError(f"no comment has a {target!r} to learn from")
        rows, targets, articles = zip(*labelled, strict=True)
        return cls(np.array(rows), np.array(targets, dtype=np.float64), np.array(articles))


def in_id_order(threads: Iterable[Thread]) -> list[Thread]:
    """Return threads and comments sorted by id, so that nothing drawn or summed depends on file order."""
    return [
        Thread(thread.article, tuple(sorted(thread.comments, key=lambda comment: comment.id)))
        for thread in sorted(threads, key=lambda thread: thread.article.id)
    ]


_log = logging.getLogger(__name__)


def warn_of_other_language(threads: Iterable[Thread], fitted: str | None) -> Iterator[Thread]:
    """Yield the same threads.

    The first that is not in the language a model was fitted on is logged as a warning.
    """
    warned = fitted is None
    for thread in threads:
        if not warned and fitted and not _agrees(thread, fitted):
            warned = True
            _log.warning(
                "the model was fitted on comments in %r, but article %r is in %r; fit a model for each language",
                fitted,
                thread.article.id,
                language_of(thread),
            )
        yield thread


def _agrees(thread: Thread, fitted: str) -> bool:
    """Return whether a thread may be in the language that a model was fitted on."""
    lang = language_of(thread)
    if lang == fitted:
        return True
    if thread.article.lang or lang != "en":
        return False
    # Undeclared English may be any language in Latin letters, or text without letters.
    return has_latin_letters(fitted) or not any(map(str.isalpha, opening(thread)))


class RankedComment(NamedTuple):
    """A comment and the score it was ranked by; higher is better."""

    comment: Comment
    score: float


# A reader is told at most so many reasons, each with at least this share of what sets a comment apart.
MOST_REASONS, LEAST_SHARE = 3, 0.1
# Without votes a score is told in three words: the first fifth of a thread stands out, the last 30 % is thin (on C3 a mean share of yes of .96 and .08).
_OUTSTANDING, _THIN = 0.2, 0.3


def standings(scores: Floats) -> list[str]:
    """Return for each comment of a thread one of three words: `stands out`, `solid` or `thin`.

    Equal scores have the same word.

    >>> standings(np.array([3.0, 1.0, 2.0, 2.0, 0.0]))
    ['stands out', 'solid', 'solid', 'solid', 'thin']
    """
    ordered = np.sort(scores)
    below = np.searchsorted(ordered, scores, side="left")  # comments: how many have less
    not_above = np.searchsorted(ordered, scores, side="right")  # comments: so much or less
    count = len(scores)
    return [
        "stands out"
        if count - fewer <= _OUTSTANDING * count
        else "thin"
        if some <= _THIN * count
        else "solid"
        for fewer, some in zip(below.tolist(), not_above.tolist(), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Reason:
    """A part of a score: what the comment does, the words that show it, and its effect on the log-odds.

    `share` is that of all that sets the comment apart from the usual one of its thread; `quote` is a place that shows it.
    """

    part: str
    text: str
    words: tuple[str, ...]
    effect: float
    share: float = 0.0
    quote: str = ""

    @property
    def label(self) -> str:
        """What a reader is told: the text, and the quotation if there is one."""
        return f"{self.text}: “{self.quote}”" if self.quote else self.text


@dataclass(frozen=True, slots=True)
class Explained:
    """A comment's score, and the parts that sum to it: base, reasons and rest.

    `probability` is None where the model is not calibrated on votes, else its expected error is `probability_error`. Beside them the sentences taken for padding, the sentence of the article that the comment is nearest to,
    and its standing in the thread.
    """

    article: str
    comment: str
    score: float
    probability: float | None
    reasons: tuple[Reason, ...]
    padding: tuple[str, ...]
    point: str = ""
    standing: str = ""
    probability_error: float | None = None

    @property
    def signs(self) -> tuple[Reason, ...]:
        """The reasons that a reader is told, the largest first: all but the base and the rest."""
        return tuple(reason for reason in self.reasons if reason.part not in ("base", "rest"))


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

        Hyper-parameters that are not set are tuned on the `dev` threads, if there are any. `progress` is called with each step of a long fit.
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
        """Return the score of each of these comments if it stood in its place of the thread alone.

        `places` are indices of the thread's comments, any of them as often as one likes; one comment is replaced at a time.
        """
        if not places:
            return np.zeros(0)
        changes = list(zip(places, comments, strict=True))
        if self.reads_thread:
            return np.array(
                [
                    self.scores(_with(thread, [(place, comment)]))[place]
                    for place, comment in changes
                ]
            )
        # A score does not depend on the other comments, so one in every place is replaced at once.
        scores, turns = np.zeros(len(changes)), Counter[int]()
        rows_of_turn: dict[int, list[int]] = {}
        for row, place in enumerate(places):
            rows_of_turn.setdefault(turns[place], []).append(row)
            turns[place] += 1
        for rows in rows_of_turn.values():
            replaced = self.scores(_with(thread, [changes[row] for row in rows]))
            scores[rows] = replaced[[places[row] for row in rows]]
        return scores

    def at_hand(self, threads: Sequence[Thread]) -> Self:
        """Return the ranker with what it learns from threads that are to be ranked, without their votes."""
        return self

    @property
    def signed(self) -> dict[str, object]:
        """What a signature says of the ranker beside its name and language."""
        return {}

    @property
    def links(self) -> str:
        """A sentence that says where it was learned which sentences belong to a thread; empty if nothing was."""
        return ""

    def rank(self, thread: Thread) -> list[RankedComment]:
        """Return the comments with their scores, best first.

        Equal scores (to 1e-9) stay in the thread's order.
        """
        scores = self.scores(thread)
        return [
            RankedComment(thread.comments[row], float(scores[row]))
            for row in best_first(scores).tolist()
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
        """The language of the training comments; None where it is not known or nothing depends on it."""
        return getattr(self, "language_", None)

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
    """Return the thread with other comments in some places."""
    comments = list(thread.comments)
    for place, comment in changes:
        comments[place] = comment
    return Thread(thread.article, tuple(comments))


def write_reasons(
    path: str | os.PathLike[str], explained: Iterable[Explained], *, overwrite: bool = False
) -> None:
    """Write a line of JSON per comment, atomically; `-` is standard output."""
    with atomic(path, overwrite=overwrite) as stream:
        for comment in explained:
            stream.write(json_line(asdict(comment)))
