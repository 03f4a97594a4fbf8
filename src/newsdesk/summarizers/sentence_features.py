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

Training data of the trained summarizers: sentences with their features and ROUGE targets, computed once per cluster.
"""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import DataError
from newsdesk.model import Arrays
from newsdesk.packaged import table
from newsdesk.summarizers.baselines import Overlap
from newsdesk.summarizers.prepare import Prepared, holds_letter_or_digit, prepare
from newsdesk.summarizers.trained import Cache, key_of
from newsdesk.text.encoders import Encoder, Lsa, Vectors, sentence_encoder
from newsdesk.text.ragged import Ragged, WordNumbers, count_matrix, offsets_of
from newsdesk.types import Cluster

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


def rouge_targets(prepared: Prepared) -> Floats:
    """ROUGE-1 precision, recall and F of each distinct sentence against the cluster's summary."""
    overlap = Overlap.of(prepared, prepared.distinct.tolist())
    hits = np.minimum(overlap.counts, overlap.reference).sum(axis=1)
    recall = hits / max(int(overlap.reference.sum()), 1)
    precision = hits / np.maximum(overlap.lengths, 1)
    return np.column_stack([precision, recall, overlap.f(hits, overlap.lengths)])


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


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """The sentences of the training clusters, cluster by cluster.

    Only those that are long enough (`usable`) are examples.
    """

    facts: tuple[SentenceFacts, ...]
    texts: tuple[tuple[str, ...], ...]
    usable: tuple[NDArray[np.bool_], ...]
    targets: Floats  # usable sentences × precision, recall, F
    keys: tuple[str, ...]

    @classmethod
    def of(
        cls, clusters: Iterable[Cluster], min_tokens: int, cache: Cache, *, titles: bool
    ) -> Examples:
        """Compute the examples of clusters, or read them from the cache."""
        facts, texts, usable, targets, keys = [], [], [], [], []
        for cluster in clusters:
            if cluster.summary is None:
                raise DataError(f"cluster {cluster.id!r} has no `summary` to learn from")
            prepared = prepare(cluster, titles=titles)
            distinct = prepared.distinct
            key = key_of(cluster, "facts", titles)
            facts.append(
                SentenceFacts.from_arrays(
                    cache.get(key, lambda p=prepared: SentenceFacts.of(p).arrays())  # type: ignore[misc]
                )
            )
            rouge = cache.get(
                key_of(cluster, "rouge", titles),
                lambda p=prepared: {"rouge": rouge_targets(p)},  # type: ignore[misc]
            )["rouge"]
            long_enough = prepared.long_enough(distinct, min_tokens)
            texts.append(tuple(prepared.texts[number] for number in distinct.tolist()))
            usable.append(long_enough)
            targets.append(rouge[long_enough])
            keys.append(key)
        joined = np.concatenate(targets) if targets else np.zeros((0, len(TARGETS)))
        return cls(tuple(facts), tuple(texts), tuple(usable), joined, tuple(keys))

    @property
    def count(self) -> int:
        """The number of training clusters."""
        return len(self.facts)

    def rows(self, frequencies: Frequencies, encoder: Encoder, cache: Cache) -> Floats:
        """Return the feature matrix of the usable sentences: the seven features, then the vector."""
        parts = []
        for facts, texts, usable, key in zip(
            self.facts, self.texts, self.usable, self.keys, strict=True
        ):
            vectors = _vectors(encoder, texts, key, cache)
            parts.append(np.hstack([frequencies.features(facts), vectors])[usable])
        return np.concatenate(parts) if parts else np.zeros((0, 0))


def encoder_for(spec: str, examples: Examples) -> Encoder:
    """Return the encoder a spec names; `lsa` is fitted on the sentences of the examples."""
    named = _encoder(spec)
    if not isinstance(named, Lsa):
        return named
    unfitted: Lsa = sentence_encoder(spec)
    return unfitted.fit([text for texts in examples.texts for text in texts])


def save_encoder(encoder: Encoder, folder: Path) -> None:
    """Save a fitted encoder beside the model; other encoders are loaded by name."""
    if isinstance(encoder, Lsa):
        encoder.save(folder / "encoder")


def load_encoder(spec: str, folder: Path) -> Encoder:
    """Return the encoder that `save_encoder` saved, or the one a spec names."""
    named = _encoder(spec)
    return Lsa.load(folder / "encoder") if isinstance(named, Lsa) else named


@functools.lru_cache(maxsize=4)
def _encoder(spec: str) -> Encoder:
    return sentence_encoder(spec)


def _vectors(encoder: Encoder, texts: tuple[str, ...], key: str, cache: Cache) -> Vectors:
    if isinstance(encoder, Lsa):  # fitted on these clusters: of no use to other fits
        return encoder.encode(texts)
    key = f"{key[:40]}-{_digest(encoder.signature)}"
    return cache.get(key, lambda: {"vectors": encoder.encode(texts)})["vectors"]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
