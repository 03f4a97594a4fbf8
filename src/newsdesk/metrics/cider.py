"""CIDEr and CIDEr-D (Vedantam et al. 2015), plain and quality-weighted (Qin et al. 2018, B.5).

CIDEr is the mean cosine, over n = 1…4 and over references, of TF-IDF vectors of n-grams: tf is the raw count, df the number of items
whose references hold the n-gram, idf = ln(items) − ln(max(1, df)). It is not scaled here, as in B.5; the tools multiply by 10.
CIDEr-D clips counts and punishes differences in length (σ = 6, counted in bigrams, as pycocoevalcap does). The idf comes from the
references of the call, or from a saved file, and stays fixed when items are resampled. One item alone has no idf: every n-gram then
weighs nothing, and the score is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats
from newsdesk.metrics.idf import GramWeights, gram_weights
from newsdesk.metrics.metric import MeanMetric
from newsdesk.metrics.overlap import Matches, matches
from newsdesk.registry import Spec
from newsdesk.settings import one_of
from newsdesk.text.encode import Analyzer, Encoded

ORDERS = (1, 2, 3, 4)
_SIGMA = 6.0


@dataclass(frozen=True)
class Cider(MeanMetric):
    """CIDEr: consensus with the references by TF-IDF cosine."""

    scale: float = 1.0
    idf: str | None = None
    profile: str | None = None
    tokenizer: str | None = None

    def __post_init__(self) -> None:
        one_of("profile", self.profile, (None, "coco"))

    @property
    def analyzer(self) -> Analyzer:
        """The language's words in lower case, or what stands between spaces for the coco profile."""
        if self.profile == "coco":
            return Analyzer("space", lower=False)
        return Analyzer(self.tokenizer)

    @property
    def readings(self) -> Mapping[str, str]:
        """The scale, and where the idf comes from."""
        return {"scale": f"{self.scale:g}", "idf": self.idf or "references"}

    def item_values(self, batch: Encoded) -> Floats:
        """The CIDEr value of each item, items × 1."""
        similarity = np.zeros(len(batch.references))
        for n in ORDERS:
            overlap = matches(batch, self.analyzer, n)
            weights = gram_weights(batch, self.analyzer, n, self.idf)
            similarity += self._similarity(batch, overlap, weights) / len(ORDERS)
        return self._over_references(batch, similarity)[:, None] * self.scale

    def _similarity(self, batch: Encoded, overlap: Matches, weights: GramWeights) -> Floats:
        """The cosine of every reference with its candidate."""
        products = overlap.per_reference(
            self._counts(overlap) * weights.idf_of_group[overlap.group] ** 2 * overlap.in_reference
        )
        norms = weights.candidate_norms[batch.item_of_reference] * weights.reference_norms
        return np.divide(products, norms, out=np.zeros_like(products), where=norms > 0)

    def _counts(self, overlap: Matches) -> NDArray[np.int64]:
        return overlap.group_count[overlap.group]

    def _over_references(self, batch: Encoded, similarity: Floats) -> Floats:
        total = np.add.reduceat(similarity, batch.reference_offsets[:-1])
        return total / np.diff(batch.reference_offsets)


@dataclass(frozen=True)
class CiderD(Cider):
    """CIDEr-D: clipped counts, a penalty for length, times ten."""

    scale: float = 10.0

    def _counts(self, overlap: Matches) -> NDArray[np.int64]:
        return overlap.clipped

    def _over_references(self, batch: Encoded, similarity: Floats) -> Floats:
        bigrams = matches(batch, self.analyzer, 2)
        delta = bigrams.candidate_totals[batch.item_of_reference] - bigrams.reference_totals
        return super()._over_references(batch, similarity * np.exp(-(delta**2) / (2 * _SIGMA**2)))


@dataclass(frozen=True)
class WeightedCider(Cider):
    """Quality-weighted CIDEr (Qin et al. 2018, B.5): the cosine with a poor reference counts less."""

    weighted = True
    norm: bool = False
    reading: str | None = None

    def __post_init__(self) -> None:
        Cider.__post_init__(self)
        one_of("reading", self.reading, (None, "paper"))

    @property
    def plain(self) -> Spec:
        """CIDEr with the same settings."""
        return self._unweighted("reading", "norm")

    @property
    def readings(self) -> Mapping[str, str]:
        """Whether the sum is divided by the weights instead of the number of references."""
        return {**super().readings, "norm": "weights" if self.norm else "references"}

    def _over_references(self, batch: Encoded, similarity: Floats) -> Floats:
        starts = batch.reference_offsets[:-1]
        total = np.add.reduceat(batch.weights * similarity, starts)
        if not self.norm:
            return total / np.diff(batch.reference_offsets)
        weight = np.add.reduceat(batch.weights, starts)
        return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
