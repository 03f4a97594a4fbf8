"""Our own commenter: retrieval with the quality of the comment in mind.

Candidates are comments of the nearest articles, as in IR-TC. Their order is by a product, each factor with an exponent of its own (0 leaves it out):

- `relevance`: P(c | x) of the relevance model, and the similarity of the article that the comment is from (`nearness`);
- `quality`: the share of all training comments that a ranker puts below this one. The ranker is the caller's (`with_ranker`); it rates every comment once, under its own article, when the commenter is
  fitted, so that a saved model needs no ranker. Without one the scores that the comments bring along (`score`, the share of yes votes) are used, and without those all are equal;
- `specificity`: how seldom the comment would be suggested for other articles, so that what fits many of them gives way (such hubs are known from nearest-neighbour search: Radovanović et al. 2010). It is counted over a sample of
  the training articles, each with its own thread left out.

A candidate with names, places or numbers that the article does not mention is dropped (`fitting`); if no candidate is left, those with the fewest are taken, and their source says what does not fit. Comments that are rated below `least_quality` of all are not suggested unless nothing else is left: short ones that repeat a word of the article are the most relevant by count and say nothing.
Suggestions vary: after each choice, the others lose by their similarity to it (`diversity`; maximal marginal relevance, Carbonell and Goldstein 1998).

Particulars of comments: the names and numbers that tie a comment to the article it was written under.

A comment that names the captain, the town or the sum of another article does not fit a new one that mentions none of them. Particular is a name or number that the comment took from its article, and a name, address or long
number that occurs under this one article alone. What else a comment names ("God", "Congress", "thirty years ago") was brought in by its writer and fits anywhere. Words fit if their first five letters agree, so that "Calverran" fits "Calverra".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Bools, Floats, Ints, best_first, rounded
from newsdesk.commenters.commenter import Rater
from newsdesk.commenters.nearest import Nearest
from newsdesk.commenters.relevance import probabilities
from newsdesk.commenters.retrieval import CommentCandidates
from newsdesk.commenters.suggestion import Suggestion
from newsdesk.commenters.texts import content_of
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays, Saved, learned_field, prefixed, without_prefix
from newsdesk.settings import at_least
from newsdesk.streams import stream
from newsdesk.text.names import name_words
from newsdesk.text.ragged import Ragged, Vocabulary, offsets_of
from newsdesk.types import Article, Thread

_STEM_LETTERS = 5
_LONG_NUMBER = 5  # digits
_HANDLES = ("@", "#", "http", "www.")


@dataclass(frozen=True, slots=True, eq=False)
class Particulars:
    """The words that an article must mention for each comment, and the stem of each word."""

    words: NDArray[np.int32]  # of all comments, one after the other
    offsets: Ints  # where each comment's words begin, and the end
    stem_of: NDArray[np.int32]  # vocabulary

    @classmethod
    def of(
        cls,
        vocabulary: Vocabulary,
        lang: str,
        texts: Iterable[str],
        articles: Ragged,
        comment_words: sparse.csr_array,
        article_of: Ints,
    ) -> Particulars:
        """Find the particulars of comments from the words of their articles (as rows of ids) and their own.

        `texts` show which words are names; `comment_words` is comments × vocabulary, and `article_of` has the row of each comment's article.
        """
        words = vocabulary.words
        names = _marked(vocabulary, name_words(words, texts, lang))
        numbers = _marked(vocabulary, filter(_is_number, words))
        matrix = sparse.csr_array(comment_words)
        matrix.sort_indices()
        # One entry for each comment and word of it: the comment, the word, the comment's article.
        comment_of = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        terms, origin = matrix.indices.astype(np.int64), article_of[comment_of]
        # A pair of article and word as one number.
        in_article = np.isin(
            origin * len(words) + terms, articles.rows.astype(np.int64) * len(words) + articles.ids
        )
        under_one_article = _articles_with(terms, origin, len(words)) == 1  # vocabulary
        handles = _marked(vocabulary, filter(_is_handle, words))
        chosen = ((names | numbers)[terms] & in_article) | ((names | handles) & under_one_article)[
            terms
        ]
        counts = np.bincount(comment_of[chosen], minlength=matrix.shape[0])
        return cls(terms[chosen].astype(np.int32), offsets_of(counts), _stems(words))

    def missing(self, comments: Ints, mentioned: Ints) -> list[list[int]]:
        """Return for each of these comments its particulars (ids of words) that an article lacks.

        `mentioned` holds the ids of the article's words.
        """
        is_mentioned = np.zeros(int(self.stem_of.max(initial=0)) + 1, dtype=bool)  # stems
        is_mentioned[self.stem_of[mentioned]] = True
        return [
            [word for word in self._of(comment).tolist() if not is_mentioned[self.stem_of[word]]]
            for comment in comments.tolist()
        ]

    def _of(self, comment: int) -> NDArray[np.int32]:
        return self.words[self.offsets[comment] : self.offsets[comment + 1]]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays to save."""
        return {"words": self.words, "offsets": self.offsets, "stem_of": self.stem_of}

    @classmethod
    def of_arrays(cls, arrays: Arrays) -> Particulars:
        """Return the particulars whose arrays were saved."""
        return cls(arrays["words"], arrays["offsets"], np.asarray(arrays["stem_of"]))


def _is_number(word: str) -> bool:
    """Return True for a number of two or more digits; a hundred per cent is a figure of speech.

    >>> [word for word in ("214", "5", "100", "6:52", "1,200", "covid19") if _is_number(word)]
    ['214', '6:52', '1,200', 'covid19']
    """
    digits = sum(map(str.isdigit, word))
    return digits > 1 and word.rstrip("%") != "100"


def _is_handle(word: str) -> bool:
    """Return True for a link, the handle of a user, a tag, or a number that is too long for a year.

    >>> [word for word in ("@ann", "www.x.com", "av25386207", "2031", "a-b") if _is_handle(word)]
    ['@ann', 'www.x.com', 'av25386207']
    """
    return word.startswith(_HANDLES) or sum(map(str.isdigit, word)) >= _LONG_NUMBER


def _marked(vocabulary: Vocabulary, words: Iterable[str]) -> Bools:
    """Return which words of a vocabulary are among these; words that it lacks are ignored."""
    marked = np.zeros(len(vocabulary), dtype=bool)
    marked[vocabulary.ids(words)] = True
    marked[0] = False  # the id of all unknown words
    return marked


def _articles_with(terms: Ints, articles: Ints, vocabulary_size: int) -> Ints:
    """Return for each term of the vocabulary the number of articles that occur with it.

    `terms` and `articles` are parallel.
    """
    pairs = np.unique(articles * vocabulary_size + terms)
    return np.bincount(pairs % vocabulary_size, minlength=vocabulary_size).astype(np.int64)


def _stems(words: Sequence[str]) -> NDArray[np.int32]:
    """Return the number of each word's stem: its first letters, or the whole word if it has a digit."""
    stems = [word if any(map(str.isdigit, word)) else word[:_STEM_LETTERS] for word in words]
    numbers = {stem: number for number, stem in enumerate(dict.fromkeys(stems))}
    return np.array([numbers[stem] for stem in stems], dtype=np.int32)


_PARTICULARS = "particulars."
_EXPONENTS = ("relevance", "quality", "specificity", "nearness")
_SAMPLE_ARTICLES = 500
# Candidates among which variety is sought: more of them cost time and are never chosen.
_POOL = 100
_LEAST_COSINE = 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class QualityFactors:
    """The settings of `ir-quality` that `Nearest` lacks; in specs they stand before its own."""

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
    """Retrieval by relevance, quality and specificity, with particulars checked and varied suggestions."""

    name = "ir-quality"
    content = True
    takes_ranker = True

    neighbours: int = 20  # Nearest has a default of its own

    _rater: Rater | None = field(default=None, init=False, repr=False)
    rated_by_: str = learned_field()
    quality_: NDArray[np.float32] = learned_field()  # of each comment
    particulars_: Particulars = learned_field()
    common_: NDArray[np.float32] = learned_field()  # of each comment: see `_common`

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in _EXPONENTS:
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
            # Zeros while `_common` counts, because the product that it sums reads them.
            common_=np.zeros(len(corpus.texts), dtype=np.float32),
        )
        self.hold(common_=self._common(threads))

    def suggest(self, article: Article, n: int = 3, *, at: str | None = None) -> list[Suggestion]:
        """Return the best candidates that fit and differ.

        The score is the share of the product among all candidates, less what repeats those above.
        """
        at_least("n", n, 1)
        candidates = self._fitting(article, self.candidates(article))
        scores = probabilities(self._merit(candidates))
        order, varied = self._varied(candidates, scores, max(_POOL, 2 * n))
        return self._suggestions(article, candidates, varied, order, n, at)

    def _fitting(self, article: Article, candidates: CommentCandidates) -> CommentCandidates:
        """Return the candidates with the fewest particulars that the article lacks: none, as a rule.

        Of these only those of sufficient quality, if there are any.
        """
        rows = self.terms_.rows([self.reading_.terms(content_of(article))])
        missing = self.particulars_.missing(candidates.places, rows.ids.astype(np.int64))
        candidates = replace(candidates, missing=tuple(map(tuple, missing)))
        if self.fitting and len(candidates):
            counts = np.array(list(map(len, missing)))
            candidates = candidates.part(np.flatnonzero(counts == counts.min()))
        good = np.flatnonzero(self.quality_[candidates.places] >= self.least_quality)
        return candidates.part(good) if len(good) else candidates

    def _merit(self, candidates: CommentCandidates) -> Floats:
        """Return the logarithm of relevance × nearness × quality × specificity."""
        places = candidates.places
        cosines = np.maximum(candidates.cosines, _LEAST_COSINE)
        merit = self.relevance * candidates.relevance + self.nearness * np.log(cosines)
        merit += self.quality * np.log(self.quality_[places].astype(np.float64))
        return merit - self.specificity * self.common_[places].astype(np.float64)

    def _varied(
        self, candidates: CommentCandidates, scores: Floats, size: int
    ) -> tuple[Ints, Floats]:
        """Return the numbers of the `size` best candidates in varied order, and all scores after the loss.

        Each loses by its largest similarity to those before it; candidates beyond `size` keep their scores.
        """
        pool = best_first(scores)[:size]
        words = self.corpus_.comment_words[candidates.places[pool]]
        similarities = np.asarray((words @ words.T).toarray(), dtype=np.float64)  # pool × pool
        taken, loss = np.zeros(len(pool), dtype=bool), np.zeros(len(pool))
        order, varied = [], scores.copy()
        for _ in range(len(pool)):
            current = np.where(taken, -1.0, rounded(scores[pool] * (1 - self.diversity * loss)))
            best = int(np.argmax(current))
            order.append(int(pool[best]))
            varied[pool[best]] = current[best]
            taken[best] = True
            loss = np.maximum(loss, np.minimum(similarities[best], 1.0))
        return np.array(order, dtype=np.int64), varied

    def _source(self, candidates: CommentCandidates, number: int) -> dict[str, Any]:
        source = super()._source(candidates, number)
        words = self.terms_.vocabulary.words
        quality = float(self.quality_[candidates.places[number]])
        unfitting = [words[word] for word in candidates.missing[number]]
        return {**source, "quality": round(quality, 4), "unfitting": unfitting}

    def _ratings(self, threads: Sequence[Thread]) -> tuple[str, Floats]:
        """Return what rated the comments, and the rating of each; NaN where there is none."""
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
        """Return the logarithm of one plus how often each comment would be suggested elsewhere.

        It is counted by its share of the product under a sample of the other training articles.
        """
        rng = stream("random articles", self.seed)
        count = min(len(threads), _SAMPLE_ARTICLES)
        often = np.zeros(len(self.corpus_.texts))
        for number in np.sort(rng.permutation(len(threads))[:count]).tolist():
            article = threads[number].article
            candidates = self._fitting(article, self.candidates(article))
            often[candidates.places] += probabilities(self._merit(candidates))
        return np.round(np.log1p(often), 5).astype(np.float32)

    @property
    def facts(self) -> dict[str, object]:
        """The facts of retrieval, what rated the comments, and the exponents."""
        return {
            **super().facts,
            "rated": self.rated_by_,
            **{name: getattr(self, name) for name in (*_EXPONENTS, "diversity", "fitting")},
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
            particulars_=Particulars.of_arrays(without_prefix(_PARTICULARS, arrays)),
        )


def _shares_below(ratings: Floats) -> Floats:
    """Return the share of ratings below each one, ties counted half; one half where it is NaN.

    >>> _shares_below(np.array([0.1, 0.9, np.nan, 0.9])).round(3).tolist()
    [0.167, 0.667, 0.5, 0.667]
    """
    shares = np.full(len(ratings), 0.5)
    rated = ~np.isnan(ratings)
    if rated.any():
        _, value_of, counts = np.unique(
            rounded(ratings[rated]), return_inverse=True, return_counts=True
        )
        below = np.cumsum(counts) - counts
        shares[rated] = (below + counts / 2)[value_of] / counts.sum()
    return shares
