"""The rankers that learn nothing, as in Fujita et al. (2019), section 3.1: likes, chance and length.

Length counts characters of the raw text. Chance draws a number for each comment from its ids and the seed alone, so that the order of
comments in a file changes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.feedback import DISLIKE_WEIGHT, dislike_ratio, feedback
from newsdesk.models import Arrays
from newsdesk.rankers.ranker import Progress, Ranker, fitted
from newsdesk.types import Thread


class Like(Ranker):
    """Ranks by the feedback of users: likes minus `dislike_weight` times the dislikes; None takes the ratio of the training threads."""

    name = "like"

    def __init__(self, dislike_weight: float | None = DISLIKE_WEIGHT) -> None:
        self.dislike_weight = dislike_weight
        if dislike_weight is not None:
            self.dislike_weight_ = dislike_weight

    @classmethod
    def learns(cls, settings: Mapping[str, Any]) -> bool:
        """Only the weight of dislikes, where it is left open."""
        return settings.get("dislike_weight", DISLIKE_WEIGHT) is None

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learn how many likes there are for each dislike, unless the weight is given."""
        if self.dislike_weight is None:
            self.dislike_weight_ = dislike_ratio(each for t in threads for each in t.comments)
        return self

    def scores(self, thread: Thread) -> Floats:
        """The feedback on each comment; 0 where nobody counted likes."""
        fitted(self, "dislike_weight_")
        weight = self.dislike_weight_
        return np.array([feedback(each, weight) or 0.0 for each in thread.comments], dtype=float)

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """The weight, where it was learned."""
        known = self.dislike_weight is not None or not hasattr(self, "dislike_weight_")
        return {} if known else {"dislike_weight": self.dislike_weight_}, {}

    def restore(self, learned: Mapping[str, Any], arrays: Arrays) -> None:
        """Take back what `learned` gave."""
        if "dislike_weight" in learned:
            self.dislike_weight_ = float(learned["dislike_weight"])


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
