"""Baseline rankers, as in Fujita et al. (2019), section 3.1: by likes, at random and by length.

Length counts characters of the raw text. The random ranker derives a number for each comment from its ids and the seed, independent of the order
of comments in a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import DataError
from newsdesk.feedback import DISLIKE_WEIGHT, dislike_ratio, feedback
from newsdesk.model import Arrays, Saved, learned_field
from newsdesk.rankers.ranker import Ranker
from newsdesk.types import Thread
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress


@dataclass(frozen=True, eq=False)
class Like(Ranker):
    """Ranks by the feedback of users: likes minus `dislike_weight` times the dislikes.

    None takes the ratio of the training threads.
    """

    name = "like"

    dislike_weight: float | None = DISLIKE_WEIGHT
    dislike_weight_: float = learned_field()

    def __post_init__(self) -> None:
        if self.dislike_weight is not None:
            self.hold(dislike_weight_=self.dislike_weight)

    @classmethod
    def learns(cls, settings: Mapping[str, Any]) -> bool:
        """Return True if the weight of dislikes is to be learned."""
        return settings.get("dislike_weight", DISLIKE_WEIGHT) is None

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Learn the ratio of likes to dislikes, unless the weight is set."""
        if self.dislike_weight is not None:
            return self
        ratio = dislike_ratio(comment for thread in threads for comment in thread.comments)
        return self.hold(dislike_weight_=ratio)

    def checked(self, threads: Iterable[Thread]) -> Iterator[Thread]:
        """Yield the same threads.

        Raises DataError at the end if nobody liked or disliked a comment of theirs: the order would
        be that of the file.
        """
        comments = liked = 0
        for thread in super().checked(threads):
            comments += len(thread.comments)
            liked += sum(bool(comment.likes or comment.dislikes) for comment in thread.comments)
            yield thread
        if comments and not liked:
            raise DataError(
                f"'like' has nothing to rank by: none of the {plural(comments, 'comment')} has a like; give threads with `likes`, or leave 'like' out"
            )

    def scores(self, thread: Thread) -> Floats:
        """Return likes minus weighted dislikes of each comment; 0 where likes are unknown."""
        self.check_fitted()
        weight = self.dislike_weight_
        return np.array(
            [feedback(comment, weight) or 0.0 for comment in thread.comments], dtype=float
        )

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the weight of dislikes, if it was learned."""
        is_set = self.dislike_weight is not None or not hasattr(self, "dislike_weight_")
        return {} if is_set else {"dislike_weight": self.dislike_weight_}, {}

    def restore(self, saved: Saved) -> None:
        """Set the state that `learned` returned."""
        if "dislike_weight" in saved.learned:
            self.hold(dislike_weight_=float(saved.learned["dislike_weight"]))


@dataclass(frozen=True, eq=False)
class RandomRanker(Ranker):
    """Ranks at random; evaluation takes the mean of ten trials, as Fujita et al. (2019) do."""

    name = "random"

    seed: int = 0

    def scores(self, thread: Thread) -> Floats:
        """Return a pseudo-random number in [0, 1) for each comment, from its ids and the seed."""
        article = thread.article.id
        return np.array(
            [self._draw(article, comment.id) for comment in thread.comments], dtype=float
        )

    def _draw(self, article: str, comment: str) -> float:
        digest = hashlib.sha256(f"random\0{self.seed}\0{article}\0{comment}".encode()).digest()
        return (int.from_bytes(digest[:8], "big") >> 11) / (1 << 53)


class LengthRanker(Ranker):
    """Ranks by length, the longest comment first."""

    name = "length"

    def scores(self, thread: Thread) -> Floats:
        """Return the number of characters of each comment's raw text."""
        return np.array([len(comment.text) for comment in thread.comments], dtype=np.float64)
