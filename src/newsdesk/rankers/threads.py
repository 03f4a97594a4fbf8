"""What rankers ask of threads: the language of the model, the target that each comment has, and enough of both.

A model of one language warns where it ranks another. Script alone cannot tell languages in Latin letters apart, so an undeclared thread in
Latin letters agrees with every model of such a language.

The target that rankers learn and rankings are evaluated by: one number per comment, or None for an unjudged one.

Training threads are sorted by id, so that a model does not depend on file order.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator
from typing import Literal

from newsdesk.errors import ArgumentError
from newsdesk.languages import has_latin_letters
from newsdesk.text.language import language_of, opening
from newsdesk.types import Comment, Thread
from newsdesk.wording import plural

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


def in_id_order(threads: Iterable[Thread]) -> list[Thread]:
    """Threads and comments sorted by id, so that nothing drawn or summed depends on file order."""
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
    lang = language_of(thread)
    if lang == fitted:
        return True
    if thread.article.lang or lang != "en":
        return False
    # Undeclared English may be any language in Latin letters, or text without letters.
    return has_latin_letters(fitted) or not any(map(str.isalpha, opening(thread)))
