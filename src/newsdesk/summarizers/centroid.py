"""Centroid (Radev et al. 2004): the cosine of a sentence's TF-IDF vector with the mean vector of the cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Scored


@dataclass(frozen=True)
class Centroid(Scored):
    """Sentences ranked by their cosine with the centroid of the cluster."""

    name = "centroid"

    def scores(self, prepared: Prepared) -> Floats:
        """Cosine with the mean vector."""
        return centroid_cosines(prepared)


def centroid_cosines(prepared: Prepared) -> Floats:
    """The cosine of each distinct sentence with the mean vector of the cluster; 0 for a sentence without terms."""
    # Rows have unit length, so the similarity sums only need to be scaled.
    total = prepared.vectors_by_term.sum(axis=1)
    length = np.sqrt(np.square(total).sum())
    return prepared.similarity_sums / (length or 1.0)
