"""User feedback on a comment: likes minus a multiple of the dislikes (Fujita et al. 2019, section 2.4)."""

from __future__ import annotations

from collections.abc import Iterable

from newsdesk.types import Comment

# The paper's weight, chosen there by the ratio of likes to dislikes in its comments.
DISLIKE_WEIGHT = 5.0


def feedback(comment: Comment, dislike_weight: float = DISLIKE_WEIGHT) -> float | None:
    """Likes minus weighted dislikes.

    Without dislikes they count as 0, and without likes there is no feedback.

    >>> feedback(Comment("1", "text", likes=7, dislikes=1)), feedback(Comment("2", "text"))
    (2.0, None)
    """
    if comment.likes is None:
        return None
    return comment.likes - dislike_weight * (comment.dislikes or 0)


def dislike_ratio(comments: Iterable[Comment]) -> float:
    """Return how many likes these comments have for each dislike: their own weight of a dislike.

    The paper's where nobody disliked.
    """
    likes = dislikes = 0
    for comment in comments:
        likes += comment.likes or 0
        dislikes += comment.dislikes or 0
    return likes / dislikes if dislikes else DISLIKE_WEIGHT
