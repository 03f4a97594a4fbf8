"""The probability that each word of a cluster occurs in an editor's summary of it.

A logistic regression on six features per word, one model for content words and one for function words. Counts are by article and by distinct
sentence: an agency report printed word for word in twenty papers is one sentence. Articles are weighted by their cosine with the sum of all
articles, so that an off-topic one counts little. The second and third use of a word are separate events.

    others   share of the other articles that hold the word (0 in a cluster of one)
    title    share of the titles that hold it
    opening  share of the articles that hold it in their first sentence
    lead     the same for their first three sentences
    often    ln(1 + distinct sentences that hold it, per article that does)
    dense    ln(1 + distinct sentences that hold it, per article of the cluster), as a share of that of all distinct sentences

All are means and shares: sums that grow with the cluster, tried first, gave every word of a hundred articles a probability near one.

The weights in `data/word_odds.tsv` were fitted by `fit` on validation halves only; docs/results.md names the data and the gains.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.packaged import table
from newsdesk.summarizers.oracles import rouge_words
from newsdesk.summarizers.prepare import Prepared, holds_letter_or_digit, number_words
from newsdesk.text import language
from newsdesk.text.ragged import Lexicon
from newsdesk.text.tfidf import count_matrix, unit_rows
from newsdesk.types import Cluster

FEATURES = ("others", "title", "opening", "lead", "often", "dense")
TIMES = 3  # uses of a word that are modelled separately
_LEAD = 3  # sentences
_STEPS = 30
_RIDGE = 1e-4
_CLOSE = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of a cluster's sentences by the evaluation's tokenizer, numbered, with the features of each."""

    lexicon: Lexicon
    counts: Any
    features: Floats
    function: Ints

    @classmethod
    def of(cls, prepared: Prepared) -> Words:
        """Tokenize a prepared cluster and compute the features of its words."""
        lexicon = Lexicon()
        number = partial(map, lexicon.__getitem__)
        cutters = [_cutter(lang) for lang in prepared.languages]
        of_article = zip(prepared.article.tolist(), prepared.texts, strict=True)
        texts = number_words((cutters[at](text) for at, text in of_article), number)
        titled = zip(cutters, prepared.cluster.articles, strict=True)
        titles = number_words((cut(each.title or "") for cut, each in titled), number)
        counts = count_matrix(texts, len(lexicon))
        features = _features(prepared, counts, count_matrix(titles, len(lexicon)))
        stop = function_words()
        function = np.fromiter((word in stop for word in lexicon), np.int64, len(lexicon))
        return cls(lexicon, counts, features, function)


@dataclass(frozen=True, slots=True, eq=False)
class WordOdds:
    """The weights: [content, function] × [constant, each feature, second use, third use]."""

    weights: Floats

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify these weights."""
        return hashlib.sha256(self.weights.tobytes()).hexdigest()[:8]

    def gains(self, words: Words, shift: float = 0.0) -> Floats:
        """For each word the probability that a summary uses it at least once, twice, thrice; `shift` is added to all log odds."""
        own = self.weights[words.function]
        base = shift + own[:, 0] + (own[:, 1 : 1 + len(FEATURES)] * words.features).sum(axis=1)
        later = np.column_stack([np.zeros(len(own)), own[:, 1 + len(FEATURES) :]])
        return 1 / (1 + np.exp(-(base[:, None] + later)))


@cache
def shipped() -> WordOdds:
    """The fitted weights that ship with the package."""
    rows = [line.split("\t")[1:] for line in table("summarizers", "word_odds.tsv")]
    return WordOdds(np.ascontiguousarray(np.array(rows, dtype=np.float64).T))


def fit(examples: Iterable[tuple[Cluster, float]]) -> WordOdds:
    """Fit the weights on clusters with summaries; each cluster has the total weight that its number says, whatever its size."""
    designs: list[list[Floats]] = [[], []]
    for cluster, weight in examples:
        words = Words.of(Prepared(cluster))
        used = _uses(words, cluster.summary or "")
        for kind in (0, 1):
            here = words.function == kind
            # A word's uses share the cluster's weight evenly with all others.
            share = weight / max(len(here) * TIMES, 1)
            for time in range(TIMES):
                later = np.zeros((int(here.sum()), TIMES - 1))
                later[:, time - 1 : time] = 1.0
                designs[kind].append(
                    np.column_stack(
                        [
                            np.full(len(later), share),
                            used[here] > time,
                            np.ones(len(later)),
                            words.features[here],
                            later,
                        ]
                    )
                )
    return WordOdds(np.stack([_logistic(np.concatenate(each)) for each in designs]))


@cache
def function_words() -> frozenset[str]:
    """The English function words, and the clitics that tokenizing at apostrophes leaves."""
    return frozenset((*table("summarizers", "stop_words_en.txt"), "s", "t", "ll", "d", "m", "ve"))


def _cutter(lang: str) -> Callable[[str], list[str]]:
    """The evaluation's tokenizer, without the punctuation that some languages' tokenizers keep."""
    cut = rouge_words(lang)
    if lang == "en":
        return cut
    return lambda text: list(filter(holds_letter_or_digit, cut(text)))


def _features(prepared: Prepared, counts: Any, titles: Any) -> Floats:
    articles = len(prepared.languages)
    position = np.arange(len(prepared)) - prepared.offsets[prepared.article]
    everywhere = _holds(counts, prepared.article, articles)
    importance = _importance(everywhere)
    opening, lead = (
        _holds(counts[position < first], prepared.article[position < first], articles)
        for first in (1, _LEAD)
    )
    article_share = everywhere.T @ importance
    others = np.maximum(article_share - 1 / articles, 0) / max(1 - 1 / articles, 0.5)
    named = np.diff(titles.indptr) > 0
    titled = _ones(titles).T @ (named * importance) / max(float(importance[named].sum()), 1e-9)
    sentences = np.bincount(counts[prepared.distinct].indices, minlength=counts.shape[1])
    holders = np.bincount(everywhere.indices, minlength=counts.shape[1])
    often = np.log1p(sentences / np.maximum(holders, 1))
    dense = np.log1p(sentences / articles) / np.log1p(len(prepared.distinct) / articles)
    return np.column_stack(
        [others, titled, opening.T @ importance, lead.T @ importance, often, dense]
    )


def _holds(counts: Any, article: Ints, articles: int) -> Any:
    """Articles × words: 1 where one of these sentences of the article holds the word."""
    rows = sparse.csr_array(
        (np.ones(len(article)), (article, np.arange(len(article)))), shape=(articles, len(article))
    )
    return _ones(rows @ counts)


def _ones(matrix: Any) -> Any:
    binary = matrix.copy()
    binary.data[:] = 1.0
    return binary


def _importance(occurrence: Any) -> Floats:
    """The weight of each article, summing to 1: its cosine with the sum of all articles, with idf weights."""
    articles = occurrence.shape[0]
    df = np.bincount(occurrence.indices, minlength=occurrence.shape[1])
    rows = occurrence.copy()
    rows.data = np.log((1 + articles) / (1 + df))[occurrence.indices] + 1e-9
    rows = unit_rows(rows)
    close = rows @ np.asarray(rows.sum(axis=0)).ravel()
    total = float(close.sum())
    return close / total if total > 0 else np.full(articles, 1 / articles)


def _uses(words: Words, summary: str) -> Ints:
    """How often the summary uses each word of the cluster."""
    known = (words.lexicon.get(word) for word in rouge_words(language(summary))(summary))
    return np.bincount([each for each in known if each is not None], minlength=len(words.lexicon))


def _logistic(design: Floats) -> Floats:
    """Ridge logistic regression by Newton's method; columns are weight, label, then the features."""
    weight, label, x = design[:, 0], design[:, 1], design[:, 2:]
    weight = weight / weight.sum() * len(weight)
    penalty = _RIDGE * len(weight) * np.diag(np.r_[0.0, np.ones(x.shape[1] - 1)])
    weights = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-(x @ weights)))
        slope = x.T @ (weight * (label - p)) - penalty @ weights
        curve = (x.T * (weight * p * (1 - p))) @ x + penalty
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < _CLOSE:
            break
    return weights
