"""KL (Haghighi and Vanderwende 2009, KLSum): the set whose distribution of words is nearest to that of the cluster.

The sentence that lowers KL(cluster ‖ summary) most is added until no other fits. Words are content words by the evaluation's tokenizer; the summary's distribution is smoothed
by `smoothing` uses of every word, since a word that it lacks would make the divergence infinite. The score is minus the divergence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.summarizers.expectations import Units
from newsdesk.summarizers.greedy import Step, add_best
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Summarizer


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
        """The sentences in the order taken, and those of higher score that did not fit."""
        divergence = Divergence(prepared.once("units", lambda: Units.of(prepared)), self.smoothing)
        return add_best(
            prepared,
            self.room(prepared),
            self.min_tokens,
            scores=divergence.scores,
            take=divergence.take,
        )


class Divergence:
    """KL(cluster ‖ summary) while sentences are added."""

    def __init__(self, units: Units, smoothing: float) -> None:
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
