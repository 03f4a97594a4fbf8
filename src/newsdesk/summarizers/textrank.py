"""TextRank (Mihalcea and Tarau 2004) over sentences: PageRank on the full matrix of TF-IDF cosines, self-loops included.

The matrix S = X Xᵀ is never formed: a step of the power iteration is X (Xᵀ v), linear in the number of sentences. As in networkx, the
walk jumps with probability 0.15, and from a sentence without terms it jumps anywhere. Scores are scaled to a mean of 1, so that
their digits mean the same in small and large clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Scored

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
