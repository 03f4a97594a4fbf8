"""Our own commenter: retrieval with the quality of the comment in mind.

Candidates are comments of the nearest articles, as in IR-TC. Their order is by a product, each factor with an exponent of its own (0 leaves it out):

- `relevance`: P(c | x) of the relevance model, and the similarity of the article that the comment is from (`nearness`);
- `quality`: the share of all training comments that a ranker puts below this one. The ranker is the caller's (`with_ranker`); it rates every comment once, under its own article, when the commenter is
  fitted, so that a saved model needs no ranker. Without one the scores that the comments bring along (`score`, the share of yes votes) are used, and without those all are equal;
- `specificity`: how seldom the comment would be suggested for other articles, so that what fits many of them gives way (such hubs are known from nearest-neighbour search: Radovanović et al. 2010). It is counted over a sample of
  the training articles, each with its own thread left out.

A candidate with names, places or numbers that the article does not mention is dropped (`fitting`, see `particulars`); if no candidate is left, those with the fewest are taken, and their source says what does not fit. Comments that are rated below `least_quality` of all are not suggested unless nothing else is left: short ones that repeat a word of the article are the most relevant by count and say nothing.
Suggestions vary: after each choice, the others lose by their similarity to it (`diversity`; maximal marginal relevance, Carbonell and Goldstein 1998).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints, best_first, rounded
from newsdesk.commenters.arrays import part, prefixed
from newsdesk.commenters.commenter import Rater
from newsdesk.commenters.corpus import Candidates
from newsdesk.commenters.nearest import Nearest
from newsdesk.commenters.particulars import Particulars
from newsdesk.commenters.reading import content_of
from newsdesk.commenters.relevance import probabilities
from newsdesk.commenters.suggestion import Suggestion
from newsdesk.errors import ArgumentError
from newsdesk.model.contract import learned_field
from newsdesk.model.folder import Arrays, Saved
from newsdesk.settings import at_least
from newsdesk.streams import stream
from newsdesk.types import Article, Thread

_PARTICULARS = "particulars."
_SAMPLE_ARTICLES = 500
# Candidates among which variety is sought: more of them cost time and are never chosen.
_POOL = 100
_LEAST_COSINE = 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class QualityFactors:
    """The settings that `ir-quality` has beside those of `Nearest`, before which they stand in specs and saved models."""

    neighbours: int = 20
    relevance: float = 0.5
    quality: float = 2.0
    specificity: float = 1.0
    nearness: float = 1.0
    diversity: float = 0.5
    fitting: bool = True
    least_quality: float = 0.25


@dataclass(frozen=True, eq=False, kw_only=True)
class IrQuality(Nearest, QualityFactors):
    """Retrieval by relevance, predicted quality and specificity, with particulars checked and suggestions varied."""

    name = "ir-quality"
    content = True
    takes_ranker = True

    neighbours: int = 20  # Nearest has a default of its own

    _rater: Rater | None = field(default=None, init=False, repr=False)
    rated_by_: str = learned_field()
    quality_: NDArray[np.float32] = learned_field()  # of each comment
    particulars_: Particulars = learned_field()
    common_: NDArray[np.float32] = learned_field()  # of each comment

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("relevance", "quality", "specificity", "nearness"):
            at_least(name, getattr(self, name), 0)
            self.hold(**{name: float(getattr(self, name))})
        for name in ("diversity", "least_quality"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(f"{name} is {getattr(self, name)}, not from 0 to 1")

    def with_ranker(self, ranker: Rater) -> Self:
        """Let a fitted ranker rate the comments when this commenter is fitted."""
        return self.hold(_rater=ranker)

    def after_fit(self, threads: Sequence[Thread]) -> None:
        """Rate all comments, find their particulars, and count how often each would be suggested."""
        terms, corpus = self.terms_, self.corpus_
        rows = terms.rows([self.reading_.terms(content_of(thread.article)) for thread in threads])
        rated_by, ratings = self._ratings(threads)
        texts = chain((thread.article.text for thread in threads), corpus.texts)
        particulars = Particulars.of(
            terms.vocabulary,
            self.reading_.lang,
            texts,
            rows,
            corpus.comment_words,
            corpus.article_of,
        )
        self.hold(
            rated_by_=rated_by,
            quality_=_shares_below(ratings).astype(np.float32),
            particulars_=particulars,
            common_=np.zeros(len(corpus.texts), dtype=np.float32),
        )
        self.hold(common_=self._common(threads))

    def suggest(self, article: Article, n: int = 3, *, at: str | None = None) -> list[Suggestion]:
        """The best candidates that fit and differ; the score is the share of the product among all candidates, less what repeats those above."""
        at_least("n", n, 1)
        candidates = self._fitting(article, self.candidates(article))
        scores = probabilities(self._merit(candidates))
        order, varied = self._varied(candidates, scores, max(_POOL, 2 * n))
        return self._suggestions(article, candidates, varied, order, n, at)

    def _fitting(self, article: Article, candidates: Candidates) -> Candidates:
        """The candidates with the fewest particulars that the article lacks (none, as a rule) and, if there are any, those of sufficient quality."""
        rows = self.terms_.rows([self.reading_.terms(content_of(article))])
        missing = self.particulars_.missing(candidates.places, rows.ids.astype(np.int64))
        candidates = replace(candidates, missing=tuple(map(tuple, missing)))
        if self.fitting and len(candidates):
            counts = np.array(list(map(len, missing)))
            candidates = candidates.part(np.flatnonzero(counts == counts.min()))
        good = np.flatnonzero(self.quality_[candidates.places] >= self.least_quality)
        return candidates.part(good) if len(good) else candidates

    def _merit(self, candidates: Candidates) -> Floats:
        """The logarithm of relevance × nearness × quality × specificity."""
        places = candidates.places
        cosines = np.maximum(candidates.cosines, _LEAST_COSINE)
        merit = self.relevance * candidates.relevance + self.nearness * np.log(cosines)
        merit += self.quality * np.log(self.quality_[places].astype(np.float64))
        return merit - self.specificity * self.common_[places].astype(np.float64)

    def _varied(self, candidates: Candidates, scores: Floats, size: int) -> tuple[Ints, Floats]:
        """The best candidates in an order in which each loses by its largest similarity to those before it, and all scores after that loss."""
        pool = best_first(scores)[:size]
        words = self.corpus_.comment_words[candidates.places[pool]]
        alike = np.asarray((words @ words.T).toarray(), dtype=np.float64)
        taken, loss = np.zeros(len(pool), dtype=bool), np.zeros(len(pool))
        order, varied = [], scores.copy()
        for _ in range(len(pool)):
            current = np.where(taken, -1.0, rounded(scores[pool] * (1 - self.diversity * loss)))
            best = int(np.argmax(current))
            order.append(int(pool[best]))
            varied[pool[best]] = current[best]
            taken[best] = True
            loss = np.maximum(loss, np.minimum(alike[best], 1.0))
        return np.array(order, dtype=np.int64), varied

    def _source(self, candidates: Candidates, place: int) -> dict[str, Any]:
        source = super()._source(candidates, place)
        words = self.terms_.vocabulary.words
        quality = float(self.quality_[candidates.places[place]])
        unfitting = [words[each] for each in candidates.missing[place]]
        return {**source, "quality": round(quality, 4), "unfitting": unfitting}

    def _ratings(self, threads: Sequence[Thread]) -> tuple[str, Floats]:
        """What rated the comments, and the rating of each; NaN where there is none."""
        rated: dict[tuple[int, str], float] = {}
        for number, thread in enumerate(threads):
            if self._rater is not None:
                values = self._rater.scores(thread).tolist() if thread.comments else []
            else:
                values = [np.nan if c.score is None else c.score for c in thread.comments]
            for comment, value in zip(thread.comments, values, strict=True):
                rated[number, comment.id] = value
        keys = zip(self.corpus_.article_of.tolist(), self.corpus_.comment_ids, strict=True)
        ratings = np.array([rated[key] for key in keys], dtype=np.float64)
        if self._rater is not None:
            return self._rater.name, ratings
        return ("none" if np.isnan(ratings).all() else "scores"), ratings

    def _common(self, threads: Sequence[Thread]) -> NDArray[np.float32]:
        """For each comment the logarithm of one plus how often it would be suggested for other training articles, by its share of the product under a sample of them."""
        rng = stream("random articles", self.seed)
        count = min(len(threads), _SAMPLE_ARTICLES)
        often = np.zeros(len(self.corpus_.texts))
        for place in np.sort(rng.permutation(len(threads))[:count]).tolist():
            article = threads[place].article
            candidates = self._fitting(article, self.candidates(article))
            often[candidates.places] += probabilities(self._merit(candidates))
        return np.round(np.log1p(often), 5).astype(np.float32)

    @property
    def facts(self) -> dict[str, object]:
        """The facts of retrieval, what rated the comments, and the exponents."""
        return {
            **super().facts,
            "rated": self.rated_by_,
            "relevance": self.relevance,
            "quality": self.quality,
            "specificity": self.specificity,
            "nearness": self.nearness,
            "diversity": self.diversity,
            "fitting": self.fitting,
            "least": self.least_quality,
        }

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Beside what retrieval learned: who rated, ratings, how common comments are, and particulars."""
        state, arrays = super().learned()
        particulars = prefixed(_PARTICULARS, self.particulars_.arrays)
        own = {"quality": self.quality_, "common": self.common_, **particulars}
        return {**state, "rated_by": self.rated_by_}, {**arrays, **own}

    def restore(self, saved: Saved) -> None:
        """Set the state that `learned` returned."""
        learned, arrays = saved.learned, saved.arrays
        super().restore(saved)
        self.hold(
            rated_by_=str(learned["rated_by"]),
            quality_=arrays["quality"],
            common_=arrays["common"],
            particulars_=Particulars.of_arrays(part(arrays, _PARTICULARS)),
        )


def _shares_below(ratings: Floats) -> Floats:
    """For each rating the share of ratings below it, ties counted half; one half where there is none.

    >>> _shares_below(np.array([0.1, 0.9, np.nan, 0.9])).round(3).tolist()
    [0.167, 0.667, 0.5, 0.667]
    """
    shares = np.full(len(ratings), 0.5)
    rated = ~np.isnan(ratings)
    if rated.any():
        _, place, counts = np.unique(
            rounded(ratings[rated]), return_inverse=True, return_counts=True
        )
        below = np.cumsum(counts) - counts
        shares[rated] = (below + counts / 2)[place] / counts.sum()
    return shares
