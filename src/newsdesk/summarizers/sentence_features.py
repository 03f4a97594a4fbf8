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
        tokens = Ragged.number(
            [prepared.words(number) for number in prepared.distinct.tolist()],
            _Numbers(frozenset(table("summarizers", "stop_words_en.txt")), lexicon),
        )
        is_word, is_content = tokens.ids != _NO_WORD, tokens.ids >= 0
        words, content_words = (
            np.bincount(tokens.rows[kept], minlength=len(tokens)) for kept in (is_word, is_content)
        )  # by sentence
        rows = Ragged(tokens.ids[is_content], offsets_of(content_words))
        matrix = count_matrix(rows, max(len(lexicon), 1))
        stop_share = np.where(words > 0, 1 - content_words / np.maximum(words, 1), 0.0)
        surface = np.column_stack([tokens.lengths, 1 / (1.0 + _places(prepared)), stop_share])
        counts, articles = (each[: len(lexicon)] for each in _spread(prepared, matrix))
        lengths = np.maximum(rows.lengths, 1)
        shares = sparse.csr_array(matrix.multiply(1 / lengths[:, None]))
        size = len(prepared.cluster.articles)
        return cls(
            surface=surface,
            shares=shares,
            terms=tuple(lexicon),
            counts=counts,
            articles=articles,
            size=size,
        )

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
            surface=arrays["surface"],
            shares=shares,
            terms=terms,
            counts=arrays["counts"],
            articles=arrays["articles"],
            size=int(arrays["size"]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:
    """Document and cluster frequencies of the words of the training data."""

    words: tuple[str, ...]
    documents: Ints  # that hold each word
    clusters: Ints  # that hold each word
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
        document_count = cluster_count = 0
        for cluster in facts:
            documents.update(dict(zip(cluster.terms, cluster.articles.tolist(), strict=True)))
            clusters.update(cluster.terms)
            document_count += cluster.size
            cluster_count += 1
        words = tuple(word for word, count in documents.items() if count >= _FEWEST_ARTICLES)
        return cls(
            words,
            documents=_counts(documents, words),
            clusters=_counts(clusters, words),
            document_count=document_count,
            cluster_count=cluster_count,
        )

    def features(self, facts: SentenceFacts) -> Floats:
        """Return the seven features of every sentence (sentences × 7)."""
        places = np.array([self._places.get(term, -1) for term in facts.terms], dtype=np.int64)
        tf = facts.counts / max(int(facts.counts.sum()), 1)
        idf = _inverse(self.documents, places, self.document_count)
        icf = _inverse(self.clusters, places, self.cluster_count)
        # terms × 4
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
    set_before = np.concatenate([[0], np.cumsum(flags)])
    sums = set_before[offsets[1:]] - set_before[offsets[:-1]]
    return sums / np.maximum(np.diff(offsets), 1)


def rouge_targets(overlap: Overlap, taken: Sequence[int] = ()) -> Floats:
    """Return sentences × (precision, recall, F) of ROUGE-1 against the cluster's summary.

    Words of the summary that the sentences taken (by place) hold already count no more.
    """
    covered = np.minimum(overlap.counts[list(taken)].sum(axis=0), overlap.reference)
    hits = np.minimum(overlap.counts, overlap.reference - covered).sum(axis=1)
    recall = hits / max(int(overlap.reference.sum()), 1)
    precision = hits / np.maximum(overlap.lengths, 1)
    return np.column_stack([precision, recall, overlap.f(hits, overlap.lengths)])


def first_choice(targets: Floats, usable: NDArray[np.bool_]) -> int | None:
    """Return the place of the usable sentence of highest F, which a greedy oracle takes first.

    The last column of `targets` is F. None if no sentence is usable.
    """
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
    """Return the occurrences of each term in the cluster and the number of articles that hold it.

    `matrix` is distinct sentences × terms; repeated sentences are counted each time.
    """
    rows = np.searchsorted(prepared.distinct, prepared.first)
    everywhere = matrix[rows]  # all sentences × terms
    counts = np.asarray(everywhere.sum(axis=0)).ravel().astype(np.int64)
    starts = prepared.offsets
    holds = sparse.csr_array(
        (np.ones(len(rows)), np.arange(len(rows)), starts), shape=(len(starts) - 1, len(rows))
    )  # articles × all sentences
    in_articles = sparse.csr_array(holds @ everywhere)
    return counts, np.bincount(in_articles.indices, minlength=matrix.shape[1]).astype(np.int64)


def _counts(counter: Mapping[str, int], words: Sequence[str]) -> Ints:
    return np.array([counter[word] for word in words], dtype=np.int64)


def _inverse(df: Ints, places: Ints, size: int) -> Floats:
    """Return ln((1 + size) / (1 + df)) + 1 of the words at these places; -1 is an unseen word."""
    frequencies = np.append(df, 0)[places]
    return np.log((1 + size) / (1 + frequencies)) + 1
