"""When a commenter should say nothing: an article unlike its training articles, or suggestions that lend their reader somebody's life.

How near an article is to the training articles is the cosine with the nearest one in words weighted by log((1 + N) / (1 + df)): words of all articles count nothing, and words that
no training article has count in full, so that an article about something else is far from all. The threshold is what the training articles themselves reach, each against the
others: their lower tenth, and never below .12 (.15 where titles alone are read). So about a tenth of the articles like them get no suggestion. Generators have no articles to
compare with: they know the share of an article's words that is in their vocabulary, and the probability of what they wrote.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.commenters.commenter import Commenter
from newsdesk.commenters.generated import Generated
from newsdesk.commenters.nearest import Nearest
from newsdesk.commenters.suggestion import Suggestion
from newsdesk.languages import settings_of
from newsdesk.packaged import sections
from newsdesk.settings import at_least
from newsdesk.streams import stream
from newsdesk.text import language
from newsdesk.types import Article

_LOWER_SHARE = 0.1
_LEAST_OF_TITLES, _LEAST = 0.15, 0.12  # the few words of titles meet more often by chance
_SAMPLE = 200
_NEIGHBOURS = 10
_KNOWN_WORDS = 0.6  # of a generator
_DECIMALS = 4
_POOL = 5  # candidates for each suggestion, where personal ones are passed over
PERSONAL = "every comment near it tells of its writer's own life; --allow-personal lets such comments through"


@dataclass(frozen=True, slots=True)
class Abstention:
    """No suggestion for an article, because of a reason; the similarity and threshold where they are the reason."""

    article: str
    reason: str
    similarity: float | None = None
    threshold: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as a row of `comment suggest --json`."""
        return {
            "article": self.article,
            "reason": self.reason,
            "similarity": self.similarity,
            "threshold": self.threshold,
        }

    def __str__(self) -> str:
        return f"no suggestion, because {self.reason}"


class Restrained:
    """A commenter that says nothing where it has nothing to say; its threshold is calibrated once.

    `threshold` replaces the calibrated one; 0 always suggests. `personal` lets through comments that tell of their writer's own life.
    """

    def __init__(
        self, commenter: Commenter, *, threshold: float | None = None, personal: bool = False
    ) -> None:
        if threshold is not None:
            at_least("threshold", threshold, 0)
        self.commenter = commenter
        self._personal = personal
        self._nearness = _nearness_of(commenter)
        self.threshold = self._nearness.usual() if threshold is None else threshold

    def suggest(
        self, article: Article, n: int = 3, *, at: str | None = None
    ) -> list[Suggestion] | Abstention:
        """Return suggestions, or why there is none."""
        if self.threshold and (reason := self._stranger(article)):
            return reason
        more = n if self._personal else n * _POOL
        suggestions = self.commenter.suggest(article, more, at=at)
        if not suggestions:
            return Abstention(article.id, "there is no comment to suggest")
        kept = [each for each in suggestions if self._personal or not is_personal(each.text)]
        return kept[:n] or Abstention(article.id, PERSONAL)

    def _stranger(self, article: Article) -> Abstention | None:
        """Return why an article is unlike the training articles, if it is."""
        own, text = self._nearness.lang, f"{article.title or ''} {article.text}".strip()
        if not text:
            return Abstention(article.id, "nothing is known of the article")
        lang = settings_of(article.lang).code if article.lang else language(text)
        if own and settings_of(own).code != lang:
            return Abstention(
                article.id, f"the article is in {lang}, and the training articles are in {own}"
            )
        similarity = round(self._nearness.of(article), _DECIMALS)
        if similarity >= self.threshold:
            return None
        threshold = round(self.threshold, _DECIMALS)
        reason = f"{self._nearness.what} is {similarity}, below {threshold}"
        return Abstention(article.id, reason, similarity, threshold)


class _Nearness(Protocol):
    """How near an article is to what a commenter was fitted on, and what is usual."""

    lang: str
    what: str

    def of(self, article: Article) -> float: ...

    def usual(self) -> float: ...


def _nearness_of(commenter: Commenter) -> _Nearness:
    if isinstance(commenter, Nearest):
        return ArticleNearness(commenter)
    if isinstance(commenter, Generated):
        return KnownWords(commenter)
    return Anywhere()


class Anywhere:
    """The nearness of a commenter that was fitted on nothing: every article is near."""

    lang = ""
    what = "its nearness"

    def of(self, article: Article) -> float:
        """Return 1."""
        return 1.0

    def usual(self) -> float:
        """Return 0: it always suggests."""
        return 0.0


class KnownWords:
    """The share of an article's words that a generator knows."""

    what = "the share of its words that the generator knows"

    def __init__(self, commenter: Generated) -> None:
        commenter.check_fitted()
        self._commenter = commenter
        self.lang = commenter.reading_.lang
        self._known = frozenset(word.lower() for word in commenter.network_.vocabulary.words)

    def of(self, article: Article) -> float:
        """Return the share of known words."""
        words = self._commenter.reading_.terms(self._commenter.text_of(article))
        return sum(word in self._known for word in words) / len(words) if words else 0.0

    def usual(self) -> float:
        """Return the least share that makes sense of an article."""
        return _KNOWN_WORDS


class ArticleNearness:
    """The similarity of an article with the nearest training article, in words that not all of them have."""

    what = "its similarity with the nearest training article"

    def __init__(self, commenter: Nearest) -> None:
        commenter.check_fitted()
        self._commenter = commenter
        self.lang = commenter.reading_.lang
        index = commenter.corpus_.index
        self._word_of: Ints = np.argsort(index.rank)  # by the number that the index gives a word
        self._weights: Floats = np.maximum(commenter.terms_.idf - 1, 0.0)
        self._unknown = float(np.log(1 + len(index)))  # the weight of a word that no article has

    def of(self, article: Article) -> float:
        """Return the cosine with the nearest other training article."""
        commenter = self._commenter
        terms, ids = commenter.terms_, commenter.corpus_.article_ids
        counts = Counter(commenter.reading_.terms(commenter.text_of(article)))
        numbers = terms.vocabulary.ids(list(counts))
        known = numbers > 0
        times = np.array(list(counts.values()), dtype=np.float64)
        words = numbers[known].astype(np.int64)
        weights = times[known] * self._weights[words]
        missing = (times[~known] * self._unknown) @ (times[~known] * self._unknown)
        norm = float(np.sqrt(weights @ weights + missing))
        query = times[known] * terms.idf[words]
        length = float(np.linalg.norm(query))
        if not norm or not length:
            return 0.0
        order = np.argsort(words)
        nearest = commenter.corpus_.index.nearest(words, query / length, _NEIGHBOURS + 1)
        others = [place for place in nearest.places.tolist() if ids[place] != article.id]
        return self._best(words[order], weights[order] / norm, others)

    def usual(self) -> float:
        """Return the lower tenth of what training articles reach, each against the others."""
        index = self._commenter.corpus_.index
        chosen = np.sort(stream("nearness", 0).permutation(len(index))[:_SAMPLE])
        reached = [self._of_row(number) for number in chosen.tolist()]
        least = _LEAST if self._commenter.content else _LEAST_OF_TITLES
        return max(least, round(float(np.quantile(reached, _LOWER_SHARE)), _DECIMALS))

    def _of_row(self, number: int) -> float:
        index = self._commenter.corpus_.index
        begin, end = index.indptr[number : number + 2].tolist()
        ranks = index.indices[begin:end]
        if begin == end:
            return 0.0
        query = index.data[begin:end].astype(np.float64)
        nearest = index.nearest(self._word_of[ranks].astype(np.int64), query, _NEIGHBOURS + 1)
        others = [place for place in nearest.places.tolist() if place != number]
        return self._best(*self._row(number), others)

    def _row(self, number: int) -> tuple[Ints, Floats]:
        """Return the words of a training article in order, and their weights on the scale used here."""
        index = self._commenter.corpus_.index
        begin, end = index.indptr[number : number + 2].tolist()
        words = self._word_of[index.indices[begin:end]].astype(np.int64)
        weights = index.data[begin:end] / self._commenter.terms_.idf[words] * self._weights[words]
        norm = float(np.linalg.norm(weights))
        order = np.argsort(words)
        return words[order], (weights / norm if norm else weights)[order]

    def _best(self, words: Ints, weights: Floats, others: Sequence[int]) -> float:
        best = 0.0
        for other in others[:_NEIGHBOURS]:
            theirs, values = self._row(other)
            _, ours, places = np.intersect1d(words, theirs, assume_unique=True, return_indices=True)
            best = max(best, float(weights[ours] @ values[places]))
        return best


def is_personal(text: str) -> bool:
    """Return whether a comment tells of its writer's own life.

    >>> is_personal("I worked there for years."), is_personal("My twins go there."), is_personal("I think it is wrong.")
    (True, True, False)
    """
    lang = settings_of(language(text)).code
    opinion, personal = _phrases(lang if lang in ("zh", "ja") else "en")
    return bool(personal.search(opinion.sub(" ", text.replace("’", "'"))))


@cache
def _phrases(lang: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    lists: Mapping[str, Sequence[str]] = sections("commenters", "personal.txt")
    opinion, personal = ("|".join(lists[f"{kind} {lang}"]) for kind in ("opinion", "personal"))
    # "I" and "me" are capital and small as they are written; at the start of a sentence "My" and "As" are capital.
    return re.compile(opinion, re.IGNORECASE), re.compile(personal, re.IGNORECASE)
