"""What a ranker learns to predict, and what a ranking is judged by: one number per comment, or none where nobody judged."""

from __future__ import annotations

import math
from typing import Literal

from newsdesk.types import Comment

Target = Literal["score", "likes"]


def target_of(comment: Comment, target: Target) -> float | None:
    """The score of a comment, or the logarithm of 1 + its likes.

    A comment without a score that was voted on has its share of yes. The logarithm keeps the order of likes and their few huge values in
    reach of a regression.

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
