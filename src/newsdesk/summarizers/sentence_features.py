"""The seven sentence features of the trained summarizers besides the vector (Gholipour Ghalandari et al. 2020, Table 6).

    length         in tokens
    position       1 / (1 + its place in the article), which separates the lead and makes late places alike
    stop words     their share of the sentence's words
    mean tf        over its content words: the word's count in the cluster as a share of all content words there
    mean tf-idf    tf times idf, from the articles of the training clusters
    mean tf-icf    tf times icf, where a whole training cluster is one document
    mean cluster-df  the share of the cluster's articles that hold the word

Content words are all words but (English) stop words, in lower case. `SentenceFacts` depends on the cluster alone, so it is
computed once however often a model is fitted; `Frequencies` holds the document frequencies of the training clusters. idf and icf are scikit-learn's smooth
form, ln((1 + n) / (1 + df)) + 1. Words of a single training article count as unseen: they would be most of the model and carry little information.

`Relations` has what a sentence shares with those taken before it, the redundancy-aware features of Ren et al. (2016): the shares of its words and bigrams
that they hold, and its highest TF-IDF cosine with one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.model import Arrays
from newsdesk.packaged import table
from newsdesk.summarizers.baselines import Overlap
from newsdesk.summarizers.prepare import Prepared, holds_letter_or_digit
from newsdesk.text.ragged import Ragged, WordNumbers, count_matrix, ngrams, offsets_of

FEATURES = (
    "length",
    "position",
    "stop-words",
    "mean-tf",
    "mean-tf-idf",
    "mean-tf-icf",
    "mean-cluster-df",
)
TARGETS = ("p", "r", "f")
RELATIONS = ("word-overlap", "bigram-overlap", "tf-idf-cosine", "vector-cosine")
_FEWEST_ARTICLES = 2
_STOP_WORD, _NO_WORD = -1, -2


@dataclass(frozen=True, slots=True, eq=False)
class SentenceFacts:
    """Features and term counts of a cluster's distinct sentences that do not depend on the training data."""

    surface: Floats  # sentences × 3: length, position, stop words
    shares: Any  # sentences × terms, sparse: each term's share of the sentence's content words
    terms: tuple[str, ...]
    counts: Ints  # occurrences of each term in the cluster
    articles: Ints  # articles of the cluster that hold each term
    size: int  # articles of the cluster

    @classmethod
    def of(cls, prepared: Prepared) -> SentenceFacts:
        """Compute the facts of a prepared cluster."""
        lexicon = WordNumbers()
        read = Ragged.number(
            [prepared.words(number) for number in prepared.distinct.tolist()],
            _Numbers(frozenset(table("summarizers", "stop_words_en.txt")), lexicon),
        )
        known, content = read.ids != _NO_WORD, read.ids >= 0
        words, content_words = (
            np.bincount(read.rows[each], minlength=len(read)) for each in (known, content)
        )
        rows = Ragged(read.ids[content], offsets_of(content_words))
        matrix = count_matrix(rows, max(len(lexicon), 1))
        stop_share = np.where(words > 0, 1 - content_words / np.maximum(words, 1), 0.0)
        surface = np.column_stack([read.lengths, 1 / (1.0 + _places(prepared)), stop_share])
        counts, articles = (each[: len(lexicon)] for each in _spread(prepared, matrix))
        lengths = np.maximum(rows.lengths, 1)
        shares = sparse.csr_array(matrix.multiply(1 / lengths[:, None]))
        size = len(prepared.cluster.articles)
        return cls(surface, shares, tuple(lexicon), counts, articles, size)

    def arrays(self) -> Arrays:
        """Return all fields as plain arrays, for the cache."""
        return {
            "surface": self.surface,
            "data": self.shares.data,
            "indices": self.shares.indices,
            "indptr": self.shares.indptr,
            "terms": np.array(self.terms, dtype=np.str_),
            "counts": self.counts,
            "articles": self.articles,
            "size": np.array(self.size),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> SentenceFacts:
        """Rebuild the facts from the result of `arrays`."""
        terms = tuple(arrays["terms"].tolist())
        shape = (len(arrays["surface"]), max(len(terms), 1))
        shares = sparse.csr_array(
            (arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape
        )
        return cls(
            arrays["surface"],
            shares,
            terms,
            arrays["counts"],
            arrays["articles"],
            int(arrays["size"]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:
    """Document and cluster frequencies of the words of the training data."""

    words: tuple[str, ...]
    documents: Ints
    clusters: Ints
    document_count: int
    cluster_count: int
    _places: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        places = {word: place for place, word in enumerate(self.words)}
        object.__setattr__(self, "_places", places)

    @classmethod
    def of(cls, facts: Iterable[SentenceFacts]) -> Frequencies:
        """Count document and cluster frequencies over training clusters."""
        documents: Counter[str] = Counter()
        clusters: Counter[str] = Counter()
        size = number = 0
        for fact in facts:
            documents.update(dict(zip(fact.terms, fact.articles.tolist(), strict=True)))
            clusters.update(fact.terms)
            size += fact.size
            number += 1
        words = tuple(word for word, count in documents.items() if count >= _FEWEST_ARTICLES)
        return cls(words, _counts(documents, words), _counts(clusters, words), size, number)

    def features(self, facts: SentenceFacts) -> Floats:
        """Return the seven features of every sentence."""
        at = np.array([self._places.get(term, -1) for term in facts.terms], dtype=np.int64)
        tf = facts.counts / max(int(facts.counts.sum()), 1)
        idf = _inverse(self.documents, at, self.document_count)
        icf = _inverse(self.clusters, at, self.cluster_count)
        terms = np.column_stack([tf, tf * idf, tf * icf, facts.articles / max(facts.size, 1)])
        means = facts.shares @ terms if len(facts.terms) else np.zeros((len(facts.surface), 4))
        return np.hstack([facts.surface, means])


class Relations:
    """What each distinct sentence of a cluster shares with those taken before it."""

    def __init__(self, prepared: Prepared) -> None:
        numbers = prepared.distinct.tolist()
        lexicon = WordNumbers()
        self._words = Ragged.number(
            [[word.lower() for word in prepared.words(number)] for number in numbers], lexicon
        )
        self._bigrams, self._ends = ngrams(self._words, 2, len(lexicon))
        self._vectors = prepared.vectors
        self._word_taken = np.zeros(len(lexicon), dtype=np.bool_)
        self._bigram_taken = np.zeros(len(self._bigrams), dtype=np.bool_)
        self._cosines = np.zeros(len(numbers))

    def take(self, place: int) -> None:
        """Record that the sentence at this place among the distinct ones was taken."""
        self._word_taken[self._words[place]] = True
        own = self._bigrams[self._ends[place] : self._ends[place + 1]]
        self._bigram_taken |= np.isin(self._bigrams, own)
        cosines = (self._vectors @ self._vectors[[place]].T).toarray().ravel()
        self._cosines = np.maximum(self._cosines, cosines)

    def features(self) -> Floats:
        """Return sentences × 3: shares of words and bigrams taken, and the highest cosine."""
        words = _shares(self._word_taken[self._words.ids], self._words.offsets)
        bigrams = _shares(self._bigram_taken, self._ends)
        return np.column_stack([words, bigrams, self._cosines])


def _shares(flags: NDArray[np.bool_], offsets: Ints) -> Floats:
    """Return the share of flags that are set in each row; 0 for an empty row."""
    before = np.concatenate([[0], np.cumsum(flags)])
    sums = before[offsets[1:]] - before[offsets[:-1]]
    return sums / np.maximum(np.diff(offsets), 1)


def rouge_targets(overlap: Overlap, taken: Sequence[int] = ()) -> Floats:
    """ROUGE-1 precision, recall and F of each sentence against the cluster's summary.

    Words of the summary that the sentences taken (by place) hold already count no more.
    """
    covered = np.minimum(overlap.counts[list(taken)].sum(axis=0), overlap.reference)
    hits = np.minimum(overlap.counts, overlap.reference - covered).sum(axis=1)
    recall = hits / max(int(overlap.reference.sum()), 1)
    precision = hits / np.maximum(overlap.lengths, 1)
    return np.column_stack([precision, recall, overlap.f(hits, overlap.lengths)])


def first_choice(targets: Floats, usable: NDArray[np.bool_]) -> int | None:
    """Return the place of the usable sentence of highest F, which a greedy oracle takes first."""
    if not usable.any():
        return None
    return int(np.argmax(np.where(usable, targets[:, -1].round(9), -1.0)))


class _Numbers(WordNumbers):
    """The id of each token's content word, computed once per token.

    Negative for stop words and for tokens that are no word.
    """

    def __init__(self, stop: frozenset[str], content: WordNumbers) -> None:
        self._stop = stop
        self._content = content

    def __missing__(self, token: str) -> int:
        word = token.lower()
        if not holds_letter_or_digit(token):
            number = _NO_WORD
        else:
            number = _STOP_WORD if word in self._stop else self._content[word]
        self[token] = number
        return number


def _places(prepared: Prepared) -> Ints:
    """Return the position of each distinct sentence in its article, from 0."""
    return prepared.distinct - prepared.offsets[prepared.article[prepared.distinct]]


def _spread(prepared: Prepared, matrix: Any) -> tuple[Ints, Ints]:
    """Occurrences of each term in the cluster and the number of articles that hold it.

    Repeated sentences are counted each time.
    """
    row = np.searchsorted(prepared.distinct, prepared.first)
    everywhere = matrix[row]
    counts = np.asarray(everywhere.sum(axis=0)).ravel().astype(np.int64)
    ones = np.ones(len(row))
    starts = prepared.offsets
    article = sparse.csr_array(
        (ones, np.arange(len(row)), starts), shape=(len(starts) - 1, len(row))
    )
    in_articles = sparse.csr_array(article @ everywhere)
    return counts, np.bincount(in_articles.indices, minlength=matrix.shape[1]).astype(np.int64)


def _counts(counter: Mapping[str, int], words: Sequence[str]) -> Ints:
    return np.array([counter[word] for word in words], dtype=np.int64)


def _inverse(df: Ints, at: Ints, size: int) -> Floats:
    """ln((1 + n) / (1 + df)) + 1 of the words at these places; place -1 is an unseen word."""
    known = np.append(df, 0)[at]
    return np.log((1 + size) / (1 + known)) + 1
