"""How good clusters are where the events are known: B³ (Bagga and Baldwin 1998) and the adjusted Rand index, with intervals over events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class BCubed:
    """Precision, recall and F1 of B³."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def b_cubed_parts(
    events: Sequence[Hashable], clusters: Sequence[Hashable]
) -> tuple[Floats, Floats]:
    """Return precision and recall of each article: which share of its cluster is of its event, and of its event in its cluster."""
    if len(events) != len(clusters) or not events:
        raise ArgumentError(f"{len(events)} events and {len(clusters)} clusters are not paired")
    of_event, of_cluster = Counter(events), Counter(clusters)
    both = Counter(zip(events, clusters, strict=True))
    pairs = list(zip(events, clusters, strict=True))
    precision = np.array([both[pair] / of_cluster[pair[1]] for pair in pairs])
    recall = np.array([both[pair] / of_event[pair[0]] for pair in pairs])
    return precision, recall


def b_cubed(events: Sequence[Hashable], clusters: Sequence[Hashable]) -> BCubed:
    """Return B³ of a clustering.

    >>> round(b_cubed(["a", "a", "b"], [1, 1, 1]).f1, 3)
    0.714
    """
    precision, recall = b_cubed_parts(events, clusters)
    return BCubed(float(precision.mean()), float(recall.mean()))


def adjusted_rand(events: Sequence[Hashable], clusters: Sequence[Hashable]) -> float:
    """Return the adjusted Rand index (Hubert and Arabie 1985).

    >>> adjusted_rand(["a", "a", "b"], [1, 1, 2])
    1.0
    """
    pairs = Counter(zip(events, clusters, strict=True))
    together, of_events, of_clusters = (
        sum(count * (count - 1) / 2 for count in counts.values())
        for counts in (pairs, Counter(events), Counter(clusters))
    )
    expected = of_events * of_clusters / (len(events) * (len(events) - 1) / 2)
    most = (of_events + of_clusters) / 2
    return 1.0 if most == expected else float((together - expected) / (most - expected))
