"""Relevance of a comment to an article, P(c | x) of Qin et al. 2018 (supplement, C.1): a convolutional network trained with negative sampling.

Words are numbered by frequency over articles and comments. The network sees the most frequent ones; all of them count for the words that an article and a comment share.
The probability is the softmax of the network's scores over the candidates at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.nn.convolution import ConvolutionScorer, RelevanceExamples
from newsdesk.streams import stream
from newsdesk.text.ragged import Ragged, Tfidf, Vocabulary, offsets_of

MAX_COMMENT_WORDS = 50
MAX_ARTICLE_WORDS = 80
_REDRAWS = 20


@dataclass(frozen=True, slots=True, eq=False)
class RelevanceTerms:
    """The words of a corpus with their inverse document frequencies.

    The first `known` of them have a vector in the network.
    """

    vocabulary: Vocabulary
    idf: Floats
    known: int

    def rows(self, texts: Sequence[Sequence[str]]) -> Ragged:
        """Return texts as numbers of words; unknown words are left out."""
        ids = [row[row > 0].tolist() for row in map(self.vocabulary.ids, texts)]
        return Ragged.of_rows(ids)

    def vectors(self, rows: Ragged) -> sparse.csr_array:
        """Return texts as unit TF-IDF vectors."""
        return Tfidf(self.idf).transform(rows)

    @property
    def importance(self) -> Floats:
        """The importance of the words with a vector: their inverse document frequencies, one on average.

        0 for words without.
        """
        idf = self.idf[: self.known] / self.idf[: self.known].mean()
        return np.where(np.arange(self.known) > 0, idf, 0.0)

    def network_rows(self, rows: Ragged, longest: int) -> Ragged:
        """Return the first words of each text as the network numbers them: 0 for words without a vector."""
        words = rows.ids[rows.columns < longest]
        ids = np.where(words < self.known, words, 0).astype(np.int32)
        return Ragged(ids, offsets_of(np.minimum(rows.lengths, longest)))


def examples_of(
    terms: RelevanceTerms, articles: Ragged, comments: Ragged, article_of: Ints, chosen: Ints
) -> RelevanceExamples:
    """Return training examples: articles as contexts, the chosen comments as texts.

    `article_of` has the number of each comment's article.
    """
    texts = comments.take(chosen)
    return RelevanceExamples(
        contexts=terms.network_rows(articles, MAX_ARTICLE_WORDS),
        texts=terms.network_rows(texts, MAX_COMMENT_WORDS),
        context_of=article_of[chosen],
        context_words=terms.vectors(articles),
        text_words=terms.vectors(texts),
    )


def one_each(article_of: Ints, seed: int) -> Ints:
    """Return the number of one random comment of every article, in order."""
    rng = stream("one comment of each article", seed)
    shuffled = rng.permutation(len(article_of))
    _, first = np.unique(article_of[shuffled], return_index=True)
    return np.sort(shuffled[first])


def pair_accuracy(network: ConvolutionScorer, examples: RelevanceExamples, others: Ints) -> float:
    """Return the share of comments that score above another comment under their own article.

    `others` has the number of that comment for each; ties count half.
    """
    contexts, texts = network.contexts(examples.contexts), network.texts(examples.texts)
    own = np.arange(len(others))
    margins = _scores(network, examples, contexts, texts, own)
    margins -= _scores(network, examples, contexts, texts, others)
    return float(np.mean((margins > 0) + 0.5 * (margins == 0)))


def _scores(
    network: ConvolutionScorer,
    examples: RelevanceExamples,
    contexts: NDArray[np.float32],
    texts: NDArray[np.float32],
    chosen: Ints,
) -> Floats:
    """Return the score of each chosen text under the context of the example in the same place.

    `contexts` and `texts` are their vectors (× units).
    """
    left, right = contexts[examples.context_of].astype(np.float64), texts[chosen]
    shared = examples.context_words[examples.context_of].multiply(examples.text_words[chosen])
    products = np.einsum("ij,ij->i", left, right.astype(np.float64))
    return np.round(products + network.overlap * np.asarray(shared.sum(axis=1)).ravel(), 5)


def random_others(examples: RelevanceExamples, seed: int) -> Ints:
    """Return the number of a random comment of another article for each comment.

    It is the comment itself where no other article was drawn.
    """
    rng = stream("random other comments", seed)
    count = len(examples.context_of)
    others = rng.integers(0, count, count)
    for _ in range(_REDRAWS):
        same = examples.context_of[others] == examples.context_of
        others[same] = rng.integers(0, count, int(same.sum()))
    same = examples.context_of[others] == examples.context_of
    others[same] = np.flatnonzero(same)
    return others.astype(np.int64)


def probabilities(scores: Floats) -> Floats:
    """Return the scores as probabilities (softmax); an empty array stays empty."""
    exponentials = np.exp(scores - scores.max(initial=-np.inf))
    return exponentials / exponentials.sum() if len(scores) else exponentials
