"""MMR, maximal marginal relevance (Carbonell and Goldstein 1998): close to the centroid and unlike what was taken before.

Their query is the centroid of the cluster here, as in generic summarization: the next sentence has the highest
`relevance` · cosine with the centroid − (1 − `relevance`) · highest cosine with a sentence taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.errors import ArgumentError
from newsdesk.summarizers.centroid import centroid_cosines
from newsdesk.summarizers.greedy import Step, add_best
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Summarizer


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
        """The sentences in the order taken, and those of higher score that did not fit."""
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
