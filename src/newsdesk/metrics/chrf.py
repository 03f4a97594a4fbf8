"""chrF (Popović 2015) as sacrebleu computes it: character n-grams up to 6, β = 2, white space left out, the best reference by F.

A modern plain companion to the word metrics: it needs no tokenizer and no stemmer, and is kind to inflected languages. The value is
sacrebleu's divided by 100.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats
from newsdesk.metrics.grams import hits
from newsdesk.metrics.metric import Metric
from newsdesk.metrics.rouge import first_best
from newsdesk.text.encode import Analyzer, Encoded


@dataclass(frozen=True)
class Chrf(Metric):
    """Character n-gram F. Rows: (candidate, reference, matches) for each order."""

    char_order: int = 6
    beta: float = 2.0
    lower: bool = False

    @property
    def analyzer(self) -> Analyzer:
        """The character tokenizer, lower-cased if asked for."""
        return Analyzer("char", lower=self.lower)

    @property
    def readings(self) -> Mapping[str, str]:
        """The highest character order, β, and the rule for several references."""
        return {"nc": str(self.char_order), "beta": f"{self.beta:g}", "combine": "best-f"}

    def statistics(self, batch: Encoded) -> Floats:
        """Return the counts of each item's best reference."""
        columns: list[NDArray[np.float64]] = []
        for overlap in hits(batch, self.analyzer, self.char_order):
            candidate = overlap.candidate_totals[batch.item_of_reference]
            # sacrebleu does not count a candidate's n-grams where the reference has none of that order.
            columns += [
                np.where(overlap.reference_totals > 0, candidate, 0).astype(np.float64),
                overlap.reference_totals.astype(np.float64),
                overlap.of_reference,
            ]
        rows = np.column_stack(columns)
        return rows[first_best(self.values(rows), batch)]

    def values(self, rows: Floats) -> Floats:
        """Return F over the mean precision and recall of the orders that both texts have."""
        candidate, reference, hits = rows[:, 0::3], rows[:, 1::3], rows[:, 2::3]
        counted = (candidate > 0) & (reference > 0)
        orders = np.maximum(counted.sum(axis=1), 1)
        precision = np.where(counted, hits / np.maximum(candidate, 1), 0).sum(axis=1) / orders
        recall = np.where(counted, hits / np.maximum(reference, 1), 0).sum(axis=1) / orders
        denominator = self.beta**2 * precision + recall
        numerator = (1 + self.beta**2) * precision * recall
        zeros = np.zeros_like(numerator)
        return np.divide(numerator, denominator, out=zeros, where=denominator > 0)
