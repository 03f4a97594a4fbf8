"""LexRank (Erkan and Radev 2004): PageRank on the graph that joins sentences whose TF-IDF cosine is above a threshold.

The graph has an edge or none, where TextRank weighs every pair by its cosine. It is kept sparse and built a block of rows at a time; of a cluster with more than
`max_candidates` sentences only the most central ones take part, the others have rank 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats, best_first
from newsdesk.errors import ArgumentError
from newsdesk.settings import at_least
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Scored
from newsdesk.summarizers.textrank import pagerank

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
    """A sparse matrix with 1 where the cosine of two rows is above the threshold."""
    by_term = vectors.T.tocsr()
    blocks = []
    for start in range(0, vectors.shape[0], _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ by_term
        cosines.data = (cosines.data > threshold).astype(np.float64)
        cosines.eliminate_zeros()
        blocks.append(cosines)
    return sparse.vstack(blocks, format="csr")
