"""Summarizers from the literature that learn nothing: Centroid, MMR, LexRank, TextRank, KL and Submodular.

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

Submodular (Lin and Bilmes 2011): the set of sentences that covers the cluster and is spread over many of its groups.

    f(S) = Σ_i min(Σ_{j∈S} sim_ij, (a/n) Σ_j sim_ij) + w · Σ_groups √(Σ_{i∈S∩group} mean_j sim_ij)

is maximized greedily. It has diminishing returns, so a gain computed earlier bounds the gain now: only sentences whose bound is high
enough are computed again (Minoux 1978), and the first bounds come from row sums. The choice is that of the plain greedy rule.

Groups are k-means on the TF-IDF vectors, seeded per cluster. The released code used mini-batches, which on 2,000 real
sentences threw 1,640 into one group of 400; Lloyd's algorithm from randomly chosen sentences is four times as fast and ends at a lower sum of squares.
K-means needs a dense row per group, so of a cluster with more than `max_candidates` sentences only the most central ones take part.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints, best_first
from newsdesk.errors import ArgumentError
from newsdesk.settings import at_least
from newsdesk.summarizers.expectations import ClusterUnits
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Scored, Step, Summarizer, add_best

_GAINS_AT_ONCE = 64  # gains computed at a time
_SLACK = 1e-9  # scores this close are equal; position breaks the tie


@dataclass(frozen=True)
class Submodular(Summarizer):
    """Greedy maximization of coverage plus diversity."""

    coverage: float = 5.0
    diversity: float = 6.0
    group_share: float = 0.2
    max_candidates: int = 5_000
    seed: int = 0

    name = "submodular"

    def __post_init__(self) -> None:
        Summarizer.__post_init__(self)
        at_least("coverage", self.coverage, 0)
        at_least("diversity", self.diversity, 0)
        at_least("max_candidates", self.max_candidates, 1)
        if not 0 <= self.group_share <= 1:
            raise ArgumentError(f"group_share is {self.group_share}, not a share from 0 to 1")

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the sentences in order of gain, and those of higher gain that did not fit."""
        candidates = self._candidates(prepared)
        objective = self.objective(prepared, candidates)
        numbers = prepared.distinct[candidates]
        room = self.room(prepared)
        at_least = room.at_least(numbers)
        untried = prepared.long_enough(numbers, self.min_tokens)
        steps: list[Step] = []
        while len(places := np.flatnonzero(untried & (at_least <= room.left))):
            best, gain = objective.best(places)
            number = int(numbers[best])
            untried[best] = False
            if room.size(number) > room.left:
                steps.append(Step(number, gain, "does not fit", str(room)))
                continue
            steps.append(Step(number, gain, "taken"))
            room.take(number)
            objective.take(best)
        return steps

    def objective(self, prepared: Prepared, places: Ints) -> Objective:
        """Return the submodular function over these distinct sentences, with nothing selected yet."""
        vectors = prepared.vectors[places]
        wanted = round(self.group_share * len(places))
        # Neither weight changes the groups, so a sweep over weights computes them once.
        groups = prepared.once(
            f"submodular {wanted} of {len(places)}, seed {self.seed}",
            lambda: kmeans(vectors, wanted, self.rng(prepared, self.seed)),
        )
        return Objective(vectors, groups, self.coverage, self.diversity)

    def _candidates(self, prepared: Prepared) -> Ints:
        """Return the places of the most central of the distinct sentences."""
        central = best_first(prepared.similarity_sums)[: self.max_candidates]
        return np.sort(central)


@dataclass(eq=False)
class Objective:
    """The submodular function of Lin and Bilmes, and the state of its lazy greedy maximization.

    Its value is Σ min(covered, cap) over all sentences + diversity · Σ √(reward) over groups. Gains only fall as sentences are selected, so one
    computed earlier bounds the gain now, and is computed again only where the bound could win.
    """

    vectors: Any  # sentences × terms, sparse
    groups: Ints  # of each sentence
    coverage: float
    diversity: float

    _by_term: Any = field(init=False)  # terms × sentences, to multiply by
    _caps: Floats = field(init=False)  # up to which similarity each sentence can be covered
    _means: Floats = field(init=False)  # of each sentence's similarities: what it adds to a reward
    _covered: Floats = field(init=False)  # sum of each sentence's similarities to those selected
    _in_group: Floats = field(init=False)  # reward of each group: the means of those selected in it
    _bounds: Floats = field(init=False)  # upper bounds on each sentence's gain
    # Sentences whose bound is the gain itself, computed since the last one was selected: none before the first search and after a selection.
    _fresh: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.groups)
        self._by_term = self.vectors.T.tocsr()
        sums = self.vectors @ self._by_term.sum(axis=1)  # of each sentence's similarities to all
        self._means = sums / n
        self._caps = self.coverage / n * sums
        self._covered = np.zeros(n)
        self._in_group = np.zeros(int(self.groups.max()) + 1)
        # The gain of one sentence alone is at most all its similarities, and at most all there is to cover.
        self._bounds = np.minimum(sums, self._caps.sum()) + self.diversity * np.sqrt(self._means)
        self._fresh = np.zeros(n, dtype=np.bool_)

    @property
    def value(self) -> float:
        """The function's value for the sentences selected so far."""
        covered = np.minimum(self._covered, self._caps).sum()
        return float(covered + self.diversity * np.sqrt(self._in_group).sum())

    def best(self, places: Ints) -> tuple[int, float]:
        """Return the sentence of highest gain among these, the first of equals, and its gain."""
        while True:
            fresh = self._fresh[places]
            known, stale = places[fresh], places[~fresh]
            highest = self._bounds[known].max(initial=-1.0)
            rivals = stale[self._bounds[stale] > highest - _SLACK]
            if not len(rivals):
                best = int(known[best_first(self._bounds[known])[0]])
                return best, round(float(self._bounds[best]), 9)
            block = rivals[best_first(self._bounds[rivals])[:_GAINS_AT_ONCE]]
            self._bounds[block] = self.gains(block)
            self._fresh[block] = True

    def gains(self, places: Ints) -> Floats:
        """Return by how much each of these sentences would raise the value."""
        similar = self.vectors[places] @ self._by_term  # places × sentences, sparse
        covered = np.minimum(self._covered, self._caps)
        others = similar.indices
        raised = np.minimum(self._covered[others] + similar.data, self._caps[others])
        added = raised - covered[others]
        rows = np.repeat(np.arange(len(places)), np.diff(similar.indptr))
        covering = np.bincount(rows, weights=added, minlength=len(places))
        before = self._in_group[self.groups[places]]
        diverse = np.sqrt(before + self._means[places]) - np.sqrt(before)
        return covering + self.diversity * diverse

    def take(self, place: int) -> None:
        """Select a sentence and update the state."""
        similar = self.vectors[[place]] @ self._by_term
        self._covered[similar.indices] += similar.data
        self._in_group[self.groups[place]] += self._means[place]
        self._fresh[:] = False


def kmeans(vectors: Any, groups: int, rng: np.random.Generator) -> Ints:
    """Return the k-means group of each row; one group if there are too few rows to split."""
    rows = vectors.shape[0]
    if groups <= 1 or rows <= 2:
        return np.zeros(rows, dtype=np.int64)
    from sklearn.cluster import KMeans  # takes a second to import
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    state = int(rng.integers(2**31))
    fitted = KMeans(groups, init="random", n_init=1, random_state=state)
    # Threads add up in the order they finish. Equal sentences make fewer groups than asked for, which is no news.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels: Ints = fitted.fit(vectors).labels_.astype(np.int64)
    return labels


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
    """Return PageRank of the matrix `vectors @ by_term` with row sums `sums`, scaled to a mean of 1."""
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
        self._share = total / (total.sum() or 1.0)  # of each word in the cluster
        self._lengths = np.asarray(self._counts.sum(axis=1)).ravel()  # of each sentence
        self._rows = np.repeat(np.arange(len(self._lengths)), np.diff(self._counts.indptr))
        self._used = np.full(len(content), smoothing)  # uses of each word in the summary
        present = self._share > 0
        self._entropy = float((self._share[present] * np.log(self._share[present])).sum())

    def scores(self) -> Floats:
        """Return minus the divergence with each sentence added; those without content words come last."""
        words = self._counts.indices
        gained = self._share[words] * np.log1p(self._counts.data / self._used[words])
        now = float((self._share * np.log(self._used)).sum())
        sums = now + np.bincount(self._rows, gained, len(self._lengths))
        size = np.log(np.maximum(self._used.sum() + self._lengths, 1e-9))
        scores: Floats = sums - size * self._share.sum() - self._entropy
        return np.where(self._lengths > 0, scores, scores.min(initial=0.0) - 1)

    def take(self, place: int) -> None:
        """Add a sentence to the summary."""
        row = slice(self._counts.indptr[place], self._counts.indptr[place + 1])
        self._used[self._counts.indices[row]] += self._counts.data[row]
