"""Training, dev and test threads of a comparison: drawn at random from one corpus, or in the parts in which it was published.

Of each test thread one comment can be set aside, unseen by systems and metrics: the real comment of a blinded grading (Qin et al. 2018, section 5).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from newsdesk.commenters.texts import threads_digest
from newsdesk.errors import ArgumentError
from newsdesk.streams import stream
from newsdesk.types import Article, Comment, Output, Thread
from newsdesk.wording import plural

REAL = "real"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Split:
    """Training, dev and test threads; of each test thread one comment is set aside as `real`."""

    train: tuple[Thread, ...]
    dev: tuple[Thread, ...]
    test: tuple[Thread, ...]
    real: tuple[Thread, ...]  # of the one comment that is set aside

    @classmethod
    def of(cls, threads: Iterable[Thread], *, test: float, dev: float, seed: int) -> Split:
        """Split threads at random by these shares.

        A test thread needs two comments, one of which has a text of its own: a real comment that repeats a reference is no secret to the metrics.
        Threads without one are trained on, with a warning.
        """
        listed = _by_article(threads)
        order = stream("comment compare: split", seed).permutation(len(listed)).tolist()
        n_test, n_dev = max(1, round(test * len(listed))), round(dev * len(listed))
        usable = [index for index in order if _only_ones(listed[index])]
        repeated = sum(len(thread.comments) > 1 for thread in listed) - len(usable)
        if repeated:
            _log.warning(
                "%s left out of the test articles: every comment's text occurs twice under its article",
                plural(repeated, "article"),
            )
        chosen = usable[:n_test]
        rest = [index for index in order if index not in set(chosen)]
        if len(chosen) < 2 or len(rest) <= n_dev:
            raise ArgumentError(
                f"too few threads to split ({len(listed)}); there must be test and training articles"
            )
        rng = stream("comment compare: real comments", seed)
        references, real = [], []
        for index in sorted(chosen):
            thread = listed[index]
            distinct = _only_ones(thread)
            aside = distinct[int(rng.integers(len(distinct)))]
            references.append(_without(thread, aside))
            real.append(Thread(thread.article, (_unnamed(thread.comments[aside]),)))
        return cls(
            train=tuple(listed[index] for index in sorted(rest[n_dev:])),
            dev=tuple(listed[index] for index in sorted(rest[:n_dev])),
            test=tuple(references),
            real=tuple(real),
        )

    @classmethod
    def given(
        cls, train: Iterable[Thread], dev: Iterable[Thread], test: Iterable[Thread], *, seed: int
    ) -> Split:
        """Return a split that was made elsewhere, such as that of published files.

        Every scored comment of a test thread stays a reference. The real comment is drawn among those without a score, which are no references; a thread of scored comments alone has none.
        An article on both sides is an error; test threads without comments are left out, with a warning.
        """
        listed = _by_article(test)
        tested = [thread for thread in listed if thread.comments]
        if left := len(listed) - len(tested):
            _log.warning("%s without comments left out of the test part", plural(left, "article"))
        if len(tested) < 2:
            raise ArgumentError(
                f"too few test threads with comments ({len(tested)}); there must be two"
            )
        test_ids = {thread.article.id for thread in listed}
        rng = stream("comment compare: real comments", seed)
        references, real = [], []
        for thread in tested:
            unscored = _unscored_only_ones(thread)
            aside = unscored[int(rng.integers(len(unscored)))] if unscored else None
            references.append(_without(thread, aside))
            if aside is not None:
                real.append(Thread(thread.article, (_unnamed(thread.comments[aside]),)))
        training, held_out = tuple(_by_article(train)), tuple(_by_article(dev))
        for thread in (*training, *held_out):
            if thread.article.id in test_ids:
                raise ArgumentError(
                    f"article {thread.article.id!r} is tested on and learned from; take it out of one side"
                )
        if not training:
            raise ArgumentError("there are no training threads to learn from")
        return cls(train=training, dev=held_out, test=tuple(references), real=tuple(real))

    @property
    def articles(self) -> tuple[Article, ...]:
        """The articles of the test threads, in order."""
        return tuple(thread.article for thread in self.test)

    @property
    def real_outputs(self) -> list[Output]:
        """The real comments of the test articles as outputs, for graders."""
        return [
            Output(thread.article.id, f"{REAL}:{comment.id}", comment.text)
            for thread in self.real
            for comment in thread.comments
        ]

    @property
    def digest(self) -> str:
        """A hash of the training, dev and test threads, in twelve digits."""
        return threads_digest(self.train, self.dev, self.test)


def _only_ones(thread: Thread) -> list[int]:
    """Return the places of the comments whose text no other comment of the thread has.

    None in a thread of one comment.
    """
    uses = Counter(comment.text for comment in thread.comments)
    alone = [number for number, comment in enumerate(thread.comments) if uses[comment.text] == 1]
    return alone if len(thread.comments) > 1 else []


def _unscored_only_ones(thread: Thread) -> list[int]:
    """Return those of `_only_ones` that have no score; none if no comment of the thread has one."""
    if all(comment.score is None for comment in thread.comments):
        return []
    return [number for number in _only_ones(thread) if thread.comments[number].score is None]


def _without(thread: Thread, aside: int | None) -> Thread:
    """Return a thread without the comment in this place; all of it if that is None."""
    kept = (comment for number, comment in enumerate(thread.comments) if number != aside)
    return Thread(thread.article, tuple(kept))


def _by_article(threads: Iterable[Thread]) -> list[Thread]:
    return sorted(threads, key=lambda thread: thread.article.id)


def _unnamed(comment: Comment) -> Comment:
    """Return a comment without its author, score and other fields."""
    return Comment(comment.id, comment.text)
