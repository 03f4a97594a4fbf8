"""Submodular (Lin and Bilmes 2011): the set of sentences that covers the cluster and is spread over many of its groups.

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

from newsdesk.arrays import Floats, Ints, best_first
from newsdesk.errors import ArgumentError
from newsdesk.settings import at_least
from newsdesk.summarizers.greedy import Step
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Summarizer

_BLOCK = 64  # gains computed at a time
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
        places = self._candidates(prepared)
        objective = self.objective(prepared, places)
        numbers = prepared.distinct[places]
        room = self.room(prepared)
        at_least = room.at_least(numbers)
        open_ = prepared.long_enough(numbers, self.min_tokens)
        steps: list[Step] = []
        while len(left := np.flatnonzero(open_ & (at_least <= room.left))):
            best, gain = objective.best(left)
            number = int(numbers[best])
            open_[best] = False
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
        central = best_first(prepared.similarity_sums)[: self.max_candidates]
        return np.sort(central)


@dataclass(eq=False)
class Objective:
    """The submodular function and the state of its greedy maximization."""

    vectors: Any
    groups: Ints
    coverage: float
    diversity: float

    _by_term: Any = field(init=False)
    _caps: Floats = field(init=False)
    _means: Floats = field(init=False)
    _covered: Floats = field(init=False)
    _in_group: Floats = field(init=False)
    _bounds: Floats = field(init=False)
    _fresh: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.groups)
        self._by_term = self.vectors.T.tocsr()
        sums = self.vectors @ self._by_term.sum(axis=1)
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
            block = rivals[best_first(self._bounds[rivals])[:_BLOCK]]
            self._bounds[block] = self.gains(block)
            self._fresh[block] = True

    def gains(self, places: Ints) -> Floats:
        """By how much each of these sentences would raise the value."""
        similar = self.vectors[places] @ self._by_term
        covered = np.minimum(self._covered, self._caps)
        at = similar.indices
        added = np.minimum(self._covered[at] + similar.data, self._caps[at]) - covered[at]
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
