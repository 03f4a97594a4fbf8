"""The order of a whole thread, beyond scores one by one: age, diversity, and likes corrected for position bias.

Older comments count less, and comments that say the same do not stand together. Both work on a value from 0 to 1, the logistic function of the score standardized within its thread: it serves models of every scale, with probabilities or without, and
is never all but 1 for a whole thread. A half-life multiplies it by
½ for every so many hours that the comment is older than the newest of its thread; a comment without a time is not discounted. Diversity is maximal marginal
relevance (Carbonell and Goldstein 1998): the next comment is the one of highest (1 − d) · value − d · cosine with the nearest comment already placed. The values of the
comments placed never rise, so they are scores of a run. We depart from the paper after `DEPTH` places: the rest follow by their last values, as
nobody reads on so far and each place costs a pass over the thread.

Comments shown further up are seen, and so liked, by more readers: position bias. The chance that a comment at place k is seen is taken as k^−η (Joachims et al. 2017 use η = 1), and its likes are divided by it: inverse propensity weighting. η is
estimated from the threads: given the likes of a thread as a whole, they fall on its places in proportion to k^−η (a multinomial model, which popular threads do not
distort). It is kept between 0 and 1, and no comment counts more than `MOST_WEIGHT` times, as the likes of comments that hardly anybody saw are few and noisy.

The estimate holds where positions do not follow quality: comments shown by time, at random, or by a ranking that changes often. Where a site sorts by likes, position
is a result of likes, η takes quality for bias, and the correction should not be used. Dislikes are seen as likes are and get the same weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from scipy import sparse
from scipy.special import expit

from newsdesk.arrays import Floats, rounded
from newsdesk.errors import ArgumentError
from newsdesk.rankers.features import Bags
from newsdesk.rankers.ranker import Ranker
from newsdesk.records.comments.cells import parse_moment
from newsdesk.text.ragged import Ragged, Tfidf, WordNumbers
from newsdesk.types import Comment, Thread

MOST_WEIGHT = 10.0
_LEAST_COMMENTS = 20
_BISECTIONS = 50


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

    def weight(self, position: int) -> float:
        """Return how many times a like at a place counts, counted from 1.

        >>> PositionBias(1.0).weight(4), PositionBias(1.0).weight(500)
        (4.0, 10.0)
        """
        return float(min(MOST_WEIGHT, position**self.power))

    def corrected(self, thread: Thread) -> Thread:
        """Return the thread with likes and dislikes as if every comment had been seen alike.

        Those without a position stay.
        """
        first = _first_position(thread.comments)
        return Thread(
            thread.article, tuple(self._corrected(comment, first) for comment in thread.comments)
        )

    def _corrected(self, comment: Comment, first: int) -> Comment:
        """Return a comment with corrected likes; `first` is the position of the thread's first place."""
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
    """Return the power of highest likelihood from 0 to 1, by bisection of its derivative.

    `observed` has likes and logarithms of places of each thread's comments. The derivative falls as the power rises.
    """
    low, high = 0.0, 1.0
    if _slope(observed, low) <= 0:
        return low
    if _slope(observed, high) >= 0:
        return high
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _slope(observed, middle) > 0 else (low, middle)
    return round((low + high) / 2, 4)


def _slope(observed: Sequence[tuple[Floats, Floats]], power: float) -> float:
    """Return the derivative of the log-likelihood.

    It is the likes' mean log place as expected, minus as observed, summed over threads.
    """
    slope = 0.0
    for likes, log_places in observed:
        shares = np.exp(-power * log_places)
        expected = float((shares * log_places).sum() / shares.sum())
        slope += float(likes.sum() * expected - (likes * log_places).sum())
    return slope


DEPTH = 200  # places that diversity is worked out for
_SECONDS_AN_HOUR = 3600.0
_LEAST_SPREAD = 1e-9  # standard deviation below which scores are equal


@runtime_checkable
class Embedding(Protocol):
    """A ranker that has a vector of length one (or zero) for each comment."""

    def vectors_of(self, thread: Thread) -> Floats:
        """Return the vectors, one a row; no columns where the model has none."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """How a thread is put in order from scores.

    `diversity` goes from 0 (none) to 1, `half_life_h` is in hours, or None.
    """

    diversity: float = 0.0
    half_life_h: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.diversity <= 1:
            raise ArgumentError(f"diversity is {self.diversity}, not a number from 0 to 1")
        if self.half_life_h is not None and not self.half_life_h > 0:
            raise ArgumentError(f"half_life_h is {self.half_life_h}, not above zero hours")

    @property
    def by_score(self) -> bool:
        """True if the order is that of the scores alone."""
        return not self.diversity and self.half_life_h is None

    @property
    def fields(self) -> dict[str, object]:
        """The settings for a signature; those that are off are left out."""
        settings = {"diversity": self.diversity or None, "half-life": self.half_life_h}
        return {name: value for name, value in settings.items() if value is not None}

    def values(self, model: Ranker, thread: Thread, scores: Floats) -> Floats:
        """Return the values that comments are ranked by, in the thread's order: the scores, if nothing is set."""
        if self.by_score or not len(scores):
            return scores
        values = scaled(scores)
        if self.half_life_h is not None:
            values = values * age_weights(
                [comment.at for comment in thread.comments], self.half_life_h
            )
        if self.diversity:
            values = diversified(values, comment_vectors_of(model, thread), self.diversity)
        return values


def scaled(scores: Floats) -> Floats:
    """Return scores as values from 0 to 1 around ½: the logistic function of standardized scores.

    >>> scaled(np.array([7.0, 8.0, 9.0])).round(2).tolist(), scaled(np.array([3.0])).tolist()
    ([0.23, 0.5, 0.77], [0.5])
    """
    spread = float(scores.std())
    if spread < _LEAST_SPREAD:
        return np.full(len(scores), 0.5)
    standardized: Floats = expit((scores - scores.mean()) / spread)
    return standardized


def age_weights(moments: Sequence[str | None], half_life_h: float) -> Floats:
    """Return ½ to the power of each age in half-lives, where the newest comment has age 0.

    1 for a comment without a time that can be read.

    >>> age_weights(["2026-11-16T10:00:00Z", "2026-11-16T04:00:00Z", None], 6).tolist()
    [1.0, 0.5, 1.0]
    """
    times = [parse_moment(moment) if moment else None for moment in moments]
    newest = max(filter(None, times), default=None)
    ages = [(newest - time).total_seconds() if newest and time else 0.0 for time in times]
    return np.array([0.5 ** (age / _SECONDS_AN_HOUR / half_life_h) for age in ages])


def diversified(values: Floats, vectors: Floats | sparse.csr_array, diversity: float) -> Floats:
    """Return the values by which comments are placed by maximal marginal relevance, in the given order.

    Sorting by them gives the ranking. `vectors` has one of length one (or zero) for each comment.

    >>> same, other = [1.0, 0.0], [0.0, 1.0]
    >>> placed = diversified(np.array([0.9, 0.8, 0.7]), np.array([same, same, other]), 0.3)
    >>> np.argsort(-placed).tolist()
    [0, 2, 1]
    """
    relevance = (1 - diversity) * values
    nearest = np.zeros(len(values))  # cosine with the nearest comment already placed
    placed = np.full(len(values), np.nan)  # values of those already placed
    for _ in range(min(DEPTH, len(values))):
        gains = np.where(np.isnan(placed), relevance - diversity * nearest, -np.inf)
        best = int(np.argmax(rounded(gains)))
        placed[best] = gains[best]
        nearest = np.maximum(nearest, _cosines(vectors, best))
    return np.where(np.isnan(placed), relevance - diversity * nearest, placed)


def comment_vectors_of(model: Ranker, thread: Thread) -> Floats | sparse.csr_array:
    """Return the model's own vectors of comments.

    TF-IDF of their words within the thread for a model that has none.
    """
    if isinstance(model, Embedding):
        vectors = model.vectors_of(thread)
        if vectors.shape[1]:
            return vectors
    _, words = Bags().sequences(thread)
    lexicon = WordNumbers()
    texts = Ragged.number(words, lexicon)
    return Tfidf.fit(texts, len(lexicon)).transform(texts)


def _cosines(vectors: Floats | sparse.csr_array, comment: int) -> Floats:
    """Return the cosine of each comment with one of them, and 0 where it is below."""
    if isinstance(vectors, np.ndarray):
        return np.maximum(vectors @ vectors[comment], 0.0)
    row = vectors[[comment]].toarray().ravel()
    return np.asarray(vectors @ row)
