"""The order of a whole thread, beyond scores one by one: older comments count less, and comments that say the same do not stand together.

Both work on a value from 0 to 1, the logistic function of the score standardized within its thread: it serves models of every scale, with probabilities or without, and
is never all but 1 for a whole thread. A half-life multiplies it by
½ for every so many hours that the comment is older than the newest of its thread; a comment without a time is not discounted. Diversity is maximal marginal
relevance (Carbonell and Goldstein 1998): the next comment is the one of highest (1 − d) · value − d · cosine with the nearest comment already placed. The values of the
comments placed never rise, so they are scores of a run. We depart from the paper after `DEPTH` places: the rest follow by their last values, as
nobody reads on so far and each place costs a pass over the thread.

Skip-gram word vectors trained on unlabelled comments, the initial embeddings of the neural rankers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

import numpy as np
from scipy import sparse
from scipy.special import expit

from newsdesk.arrays import Floats, rounded
from newsdesk.errors import ArgumentError
from newsdesk.nn.lstm import Array
from newsdesk.nn.vectors import SkipGram, word_vectors
from newsdesk.rankers.features import Bags, known_words
from newsdesk.rankers.ranker import Ranker
from newsdesk.records.comments.cells import parse_moment
from newsdesk.text.ragged import Ragged, WordNumbers
from newsdesk.text.vocabulary import Tfidf, Vocabulary
from newsdesk.types import Thread
from newsdesk.work.progress import OnProgress, silent


@dataclass(frozen=True, slots=True, eq=False)
class CommentVectors:
    """A vocabulary, a vector for each of its words, and the number of comments they were trained on."""

    vocabulary: Vocabulary
    vectors: Array
    comments: int


def comment_vectors(
    threads: Iterable[Thread],
    settings: SkipGram | None = None,
    *,
    min_count: int = 4,
    lang: str | None = None,
    progress: OnProgress = silent,
) -> CommentVectors:
    """Train on the comments of threads; words rarer than `min_count` become `<unk>`.

    Titles count towards `min_count` and are not trained on.
    """
    read = [Bags(lang=lang).sequences(thread) for thread in threads]
    vocabulary = known_words(read, min_count)
    if len(vocabulary) == 1:
        raise ArgumentError(f"no word comes {min_count} times; lower --min-count")
    texts = [words for _, comments in read for words in comments]
    vectors = word_vectors(texts, vocabulary, settings, progress)
    return CommentVectors(vocabulary, vectors, len(texts))


DEPTH = 200
_SECONDS_AN_HOUR = 3600.0
_LEAST_SPREAD = 1e-9


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
        """Return the values that the comments are ranked by, in the thread's order: the scores, unless something else is asked for."""
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
    """Scores as values from 0 to 1 with the mean at ½: the logistic function of standardized scores.

    >>> scaled(np.array([7.0, 8.0, 9.0])).round(2).tolist(), scaled(np.array([3.0])).tolist()
    ([0.23, 0.5, 0.77], [0.5])
    """
    spread = float(scores.std())
    if spread < _LEAST_SPREAD:
        return np.full(len(scores), 0.5)
    standardized: Floats = expit((scores - scores.mean()) / spread)
    return standardized


def age_weights(moments: Sequence[str | None], half_life_h: float) -> Floats:
    """½ to the power of the age in half-lives, where the newest comment has age 0.

    1 for a comment without a time that can be read.

    >>> age_weights(["2026-11-16T10:00:00Z", "2026-11-16T04:00:00Z", None], 6).tolist()
    [1.0, 0.5, 1.0]
    """
    times = [parse_moment(moment) if moment else None for moment in moments]
    known = [each for each in times if each is not None]
    newest = max(known, default=None)
    return np.array([_weight(each, newest, half_life_h) for each in times])


def _weight(moment: datetime | None, newest: datetime | None, half_life_h: float) -> float:
    if moment is None or newest is None:
        return 1.0
    hours = (newest - moment).total_seconds() / _SECONDS_AN_HOUR
    return float(0.5 ** (hours / half_life_h))


def diversified(values: Floats, vectors: Floats | sparse.csr_array, diversity: float) -> Floats:
    """Return the values by which comments are placed by maximal marginal relevance, in the given order.

    Sorting by them gives the ranking.

    >>> same, other = [1.0, 0.0], [0.0, 1.0]
    >>> placed = diversified(np.array([0.9, 0.8, 0.7]), np.array([same, same, other]), 0.3)
    >>> np.argsort(-placed).tolist()
    [0, 2, 1]
    """
    relevance = (1 - diversity) * values
    nearest = np.zeros(len(values))
    placed = np.full(len(values), np.nan)
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


def _cosines(vectors: Floats | sparse.csr_array, place: int) -> Floats:
    """Return the cosine of each comment with one of them, and 0 where it is below."""
    if isinstance(vectors, np.ndarray):
        return np.maximum(vectors @ vectors[place], 0.0)
    row = vectors[[place]].toarray().ravel()
    return np.asarray(vectors @ row)
