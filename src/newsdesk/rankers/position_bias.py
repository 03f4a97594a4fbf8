"""Likes corrected for position bias: comments shown further up are seen, and so liked, by more readers.

The chance that a comment at place k is seen is taken as k^−η (Joachims et al. 2017 use η = 1), and its likes are divided by it: inverse propensity weighting. η is
estimated from the threads: given the likes of a thread as a whole, they fall on its places in proportion to k^−η (a multinomial model, which popular threads do not
distort). It is kept between 0 and 1, and no comment counts more than `MOST_WEIGHT` times, as the likes of comments that hardly anybody saw are few and noisy.

The estimate holds where positions do not follow quality: comments shown by time, at random, or by a ranking that changes often. Where a site sorts by likes, position
is a result of likes, η takes quality for bias, and the correction should not be used. Dislikes are seen as likes are and get the same weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.types import Comment, Thread

MOST_WEIGHT = 10.0
_LEAST_COMMENTS = 20
_STEPS = 50


@dataclass(frozen=True, slots=True)
class PositionBias:
    """The power η of the chance k^−η that a comment at place k is seen."""

    power: float

    @classmethod
    def of(cls, threads: Iterable[Thread]) -> PositionBias:
        """Estimate the power from comments with likes and positions."""
        observed = [pair for thread in threads if (pair := _observed(thread.comments)) is not None]
        count = sum(len(likes) for likes, _ in observed)
        if count < _LEAST_COMMENTS:
            raise ArgumentError(
                f"position bias needs at least {_LEAST_COMMENTS} comments with `likes` and `position` in threads of two or more; there are {count}"
            )
        return cls(_fitted(observed))

    def weight(self, place: int) -> float:
        """Return how many times a like at a place counts, counted from 1.

        >>> PositionBias(1.0).weight(4), PositionBias(1.0).weight(500)
        (4.0, 10.0)
        """
        return float(min(MOST_WEIGHT, place**self.power))

    def corrected(self, thread: Thread) -> Thread:
        """Return the thread with likes and dislikes as if every comment had been seen alike.

        Those without a position stay.
        """
        first = _first_position(thread.comments)
        return Thread(
            thread.article, tuple(self._corrected(comment, first) for comment in thread.comments)
        )

    def _corrected(self, comment: Comment, first: int) -> Comment:
        if comment.position is None:
            return comment
        weight = self.weight(comment.position - first + 1)
        return replace(
            comment,
            likes=_times(comment.likes, weight),
            dislikes=_times(comment.dislikes, weight),
        )


def _times(count: int | None, weight: float) -> int | None:
    return None if count is None else round(count * weight)


def _first_position(comments: Iterable[Comment]) -> int:
    return min(
        (comment.position for comment in comments if comment.position is not None), default=1
    )


def _observed(comments: Sequence[Comment]) -> tuple[Floats, Floats] | None:
    """Return the likes and the logarithms of places of a thread's comments; None where they say nothing."""
    first = _first_position(comments)
    rows = [
        (comment.likes, comment.position - first + 1)
        for comment in comments
        if comment.likes is not None and comment.position is not None
    ]
    if len(rows) < 2 or not any(likes for likes, _ in rows):
        return None
    likes, places = np.array(rows, dtype=np.float64).T
    return likes, np.log(places)


def _fitted(observed: Sequence[tuple[Floats, Floats]]) -> float:
    """Return the power of highest likelihood, by bisection of its derivative.

    The derivative falls as the power rises.
    """
    low, high = 0.0, 1.0
    if _slope(observed, low) <= 0:
        return low
    if _slope(observed, high) >= 0:
        return high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _slope(observed, middle) > 0 else (low, middle)
    return round((low + high) / 2, 4)


def _slope(observed: Sequence[tuple[Floats, Floats]], power: float) -> float:
    """Return the derivative of the log-likelihood.

    It is the likes' mean log place as expected, minus as observed, summed over threads.
    """
    slope = 0.0
    for likes, logs in observed:
        shares = np.exp(-power * logs)
        expected = float((shares * logs).sum() / shares.sum())
        slope += float(likes.sum() * expected - (likes * logs).sum())
    return slope
