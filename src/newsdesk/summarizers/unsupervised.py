"""Summarizers from the literature that learn nothing: Centroid, MMR, LexRank, TextRank and KL.

Centroid (Radev et al. 2004): the cosine of a sentence's TF-IDF vector with the mean vector of the cluster.

MMR, maximal marginal relevance (Carbonell and Goldstein 1998): close to the centroid and unlike what was taken before.

Their query is the centroid of the cluster here, as in generic summarization: the next sentence has the highest
`relevance` · cosine with the centroid − (1 − `relevance`) · highest cosine with a sentence taken.

LexRank (Erkan and Radev 2004): PageRank on the graph that joins sentences whose TF-IDF cosine is above a threshold.

The graph has an edge or none, where TextRank weighs every pair by its cosine. It is kept sparse and built a block of rows at a time; of a cluster with more than
`max_candidates` sentences only the most central ones take part, the others have rank 0.

TextRank (Mihalcea and Tarau 2004) over sentences: PageRank on the full matrix of TF-IDF cosines, self-loops included.

The matrix S = X Xᵀ is never formed: a step of the power iteration is X (Xᵀ v), linear in the number of sentences. As in networkx, the
walk jumps with probability 0.15, and from a sentence without terms it jumps anywhere. Scores are scaled to a mean of 1, so that
their digits mean the same in small and large clusters.

KL (Haghighi and Vanderwende 2009, KLSum): the set whose distribution of words is nearest to that of the cluster.

The sentence that lowers KL(cluster ‖ summary) most is added until no other fits. Words are content words by the evaluation's tokenizer; the summary's distribution is smoothed
by `smoothing` uses of every word, since a word that it lacks would make the divergence infinite. The score is minus the divergence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats, best_first
from newsdesk.errors import ArgumentError
from newsdesk.settings import at_least
from newsdesk.summarizers.expectations import ClusterUnits
from newsdesk.summarizers.greedy import Step, add_best
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Scored, Summarizer


@dataclass(frozen=True)
class Centroid(Scored):
    """Sentences ranked by their cosine with the centroid of the cluster."""

    name = "centroid"

    def scores(self, prepared: Prepared) -> Floats:
        """Cosine with the mean vector."""
        return centroid_cosines(prepared)


def centroid_cosines(prepared: Prepared) -> Floats:
    """Return the cosine of each distinct sentence with the mean vector of the cluster.

    0 for a sentence without terms.
    """
    # Rows have unit length, so the similarity sums only need to be scaled.
    total = prepared.vectors_by_term.sum(axis=1)
    length = np.sqrt(np.square(total).sum())
    return prepared.similarity_sums / (length or 1.0)


@dataclass(frozen=True)
class Mmr(Summarizer):
    """Greedy selection by relevance less similarity to what was taken."""

    relevance: float = 0.7

    name = "mmr"

    def __post_init__(self) -> None:
        Summarizer.__post_init__(self)
        if not 0 <= self.relevance <= 1:
            raise ArgumentError(f"relevance is {self.relevance}, not a share from 0 to 1")

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the sentences in the order taken, and those of higher score that did not fit."""
        relevant = self.relevance * centroid_cosines(prepared)
        nearest = np.zeros(len(relevant))

        def take(place: int) -> None:
            row = prepared.vectors[[place]] @ prepared.vectors_by_term
            nearest[row.indices] = np.maximum(nearest[row.indices], row.data)

        return add_best(
            prepared,
            self.room(prepared),
            self.min_tokens,
            scores=lambda: relevant - (1 - self.relevance) * nearest,
            take=take,
        )


# Ties are decided at 1e-9; with damping 0.85 the error left is at most six times the last change.
_CHANGE = 1e-11
_MOST_STEPS = 1_000


@dataclass(frozen=True)
class TextRank(Scored):
    """Sentences ranked by PageRank on the graph of cosine similarities."""

    damping: float = 0.85

    name = "textrank"

    def __post_init__(self) -> None:
        Scored.__post_init__(self)
        if not 0 <= self.damping < 1:
            raise ArgumentError(f"damping is {self.damping}, not a share below 1")

    def scores(self, prepared: Prepared) -> Floats:
        """PageRank times the number of sentences."""
        sums = prepared.similarity_sums
        return pagerank(prepared.vectors, prepared.vectors_by_term, sums, self.damping)


def pagerank(vectors: Any, by_term: Any, sums: Floats, damping: float) -> Floats:
    """PageRank of the similarity matrix `vectors @ by_term` with row sums `sums`, scaled to a mean of 1."""
    rank = np.ones(len(sums))
    dangling = sums <= 0
    share = np.divide(1.0, sums, out=np.zeros_like(sums), where=~dangling)
    for _ in range(_MOST_STEPS):
        jumps = 1 - damping + damping * rank[dangling].sum() / len(rank)
        following = damping * (vectors @ (by_term @ (rank * share))) + jumps
        change = np.abs(following - rank).max()
        rank = following
        if change < _CHANGE:
            break
    return rank


_BLOCK = 256  # rows of the similarity matrix computed at a time


@dataclass(frozen=True)
class LexRank(Scored):
    """Sentences ranked by PageRank on the graph of similar sentences."""

    threshold: float = 0.1
    damping: float = 0.85
    max_candidates: int = 2_000

    name = "lexrank"

    def __post_init__(self) -> None:
        Scored.__post_init__(self)
        at_least("max_candidates", self.max_candidates, 1)
        for name in ("threshold", "damping"):
            if not 0 <= getattr(self, name) < 1:
                raise ArgumentError(f"{name} is {getattr(self, name)}, not a share below 1")

    def scores(self, prepared: Prepared) -> Floats:
        """PageRank times the number of sentences."""
        central = np.sort(best_first(prepared.similarity_sums)[: self.max_candidates])
        edges = similar_pairs(prepared.vectors[central], self.threshold)
        degrees = np.asarray(edges.sum(axis=1)).ravel()
        unit = sparse.eye_array(len(central), format="csr")
        scores = np.zeros(len(prepared.distinct))
        scores[central] = pagerank(edges, unit, degrees, self.damping)
        return scores


def similar_pairs(vectors: Any, threshold: float) -> Any:
    """Return a sparse matrix with 1 where the cosine of two rows is above the threshold."""
    by_term = vectors.T.tocsr()
    blocks = []
    for start in range(0, vectors.shape[0], _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ by_term
        cosines.data = (cosines.data > threshold).astype(np.float64)
        cosines.eliminate_zeros()
        blocks.append(cosines)
    return sparse.vstack(blocks, format="csr")


@dataclass(frozen=True)
class Kl(Summarizer):
    """Greedy minimization of the divergence of the summary from the cluster."""

    smoothing: float = 0.01

    name = "kl"

    def __post_init__(self) -> None:
        Summarizer.__post_init__(self)
        if not self.smoothing > 0:
            raise ArgumentError(f"smoothing is {self.smoothing}, not above zero")

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the sentences in the order taken, and those of higher score that did not fit."""
        divergence = Divergence(
            prepared.once("units", lambda: ClusterUnits.of(prepared)), self.smoothing
        )
        return add_best(
            prepared,
            self.room(prepared),
            self.min_tokens,
            scores=divergence.scores,
            take=divergence.take,
        )


class Divergence:
    """KL(cluster ‖ summary) while sentences are added."""

    def __init__(self, units: ClusterUnits, smoothing: float) -> None:
        # Words of titles alone are in no sentence.
        content = np.flatnonzero(~units.function & (units.uses[: units.words] > 0))
        self._counts = units.counts[:, content]
        total = np.asarray(self._counts.sum(axis=0)).ravel()
        self._share = total / (total.sum() or 1.0)
        self._lengths = np.asarray(self._counts.sum(axis=1)).ravel()
        self._rows = np.repeat(np.arange(len(self._lengths)), np.diff(self._counts.indptr))
        self._used = np.full(len(content), smoothing)
        present = self._share > 0
        self._entropy = float((self._share[present] * np.log(self._share[present])).sum())

    def scores(self) -> Floats:
        """Minus the divergence with each sentence added; a sentence without a content word adds nothing."""
        at = self._counts.indices
        gained = self._share[at] * np.log1p(self._counts.data / self._used[at])
        now = float((self._share * np.log(self._used)).sum())
        sums = now + np.bincount(self._rows, gained, len(self._lengths))
        size = np.log(np.maximum(self._used.sum() + self._lengths, 1e-9))
        scores: Floats = sums - size * self._share.sum() - self._entropy
        return np.where(self._lengths > 0, scores, scores.min(initial=0.0) - 1)

    def take(self, place: int) -> None:
        """Add a sentence to the summary."""
        row = slice(self._counts.indptr[place], self._counts.indptr[place + 1])
        self._used[self._counts.indices[row]] += self._counts.data[row]
