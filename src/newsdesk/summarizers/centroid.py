"""Centroid (Radev et al. 2004): the cosine of a sentence's TF-IDF vector with the mean vector of the cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Scored


@dataclass(frozen=True)
class Centroid(Scored):
    """Sentences close to the middle of their cluster."""

    name = "centroid"

    def scores(self, prepared: Prepared) -> Floats:
        """Cosine with the mean vector; 0 where there are no terms."""
        # Rows have length one, so their sum with each row is all that is left to scale.
        total = prepared.vectors_by_term.sum(axis=1)
        length = np.sqrt(np.square(total).sum())
        return prepared.similarity_sums / (length or 1.0)
