"""The rankers that learn nothing, as in Fujita et al. (2019), section 3.1: likes, chance and length.

Length counts characters of the raw text. Chance draws a number for each comment from its ids and the seed alone, so that the order of
comments in a file changes nothing.
"""

from __future__ import annotations

import hashlib

import numpy as np

from newsdesk.rankers.ranker import Floats, Ranker
from newsdesk.types import Comment, Thread

DISLIKE_WEIGHT = 5


def feedback(comment: Comment) -> int:
    """The user feedback score of section 2.4: likes minus five times dislikes; what is not counted is 0."""
    return (comment.likes or 0) - DISLIKE_WEIGHT * (comment.dislikes or 0)


class Like(Ranker):
    """Ranks by the feedback of users."""

    name = "like"

    def scores(self, thread: Thread) -> Floats:
        """Likes minus five times dislikes."""
        return np.array([feedback(comment) for comment in thread.comments], dtype=np.float64)


class Random(Ranker):
    """Ranks by chance; the paper takes the mean figure of ten trials, and so does `evaluate`."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def scores(self, thread: Thread) -> Floats:
        """A number in [0, 1) for each comment."""
        article = thread.article.id
        return np.array([self._draw(article, each.id) for each in thread.comments], dtype=float)

    def _draw(self, article: str, comment: str) -> float:
        digest = hashlib.sha256(f"random\0{self.seed}\0{article}\0{comment}".encode()).digest()
        return (int.from_bytes(digest[:8], "big") >> 11) / (1 << 53)


class Length(Ranker):
    """Ranks the longest first."""

    name = "length"

    def scores(self, thread: Thread) -> Floats:
        """The number of characters."""
        return np.array([len(comment.text) for comment in thread.comments], dtype=np.float64)
