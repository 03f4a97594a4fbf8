"""The target that rankers learn and rankings are evaluated by: one number per comment, or None for an unjudged one.

Training threads are sorted by id, so that a model does not depend on file order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from newsdesk.types import Comment, Thread

Target = Literal["score", "likes"]


def target_of(comment: Comment, target: Target) -> float | None:
    """The score of a comment, or the logarithm of 1 + its likes.

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


def in_id_order(threads: Iterable[Thread]) -> list[Thread]:
    """Threads and comments sorted by id, so that nothing drawn or summed depends on file order."""
    return [
        Thread(thread.article, tuple(sorted(thread.comments, key=lambda comment: comment.id)))
        for thread in sorted(threads, key=lambda thread: thread.article.id)
    ]
