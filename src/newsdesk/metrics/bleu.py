"""BLEU (Papineni et al. 2002) and quality-weighted BLEU (Qin et al. 2018, B.2).

Two published tools differ in everything but the idea. `coco` (pycocoevalcap) splits on spaces and adds 1e-15 to matches and 1e-9 to
guesses; `sacrebleu` tokenizes as 13a and smooths as told. Without a profile there is no smoothing: a missing order makes the score 0.

Weighted: an n-gram earns max_j s_j · min(count in c, count in r_j) (`inner`). The formula as printed, min(count in c, max_j s_j ·
count in r_j) (`outer`), gives full credit at s = .5 when the reference repeats the word, against the paper's own prose. `delta` is
ΔBLEU's denominator (Galley et al. 2015).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.metrics.grams import Matches, gram_totals, hits, matches
from newsdesk.metrics.metric import Metric
from newsdesk.registry import Spec
from newsdesk.settings import one_of
from newsdesk.text.encode import Analyzer, Encoded

_PROFILES = (None, "coco", "sacrebleu")
_SMOOTHING = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}  # method → default value
_TINY, _SMALL = 1e-15, 1e-9  # pycocoevalcap's
_TOO_LONG = 1 << 40  # more words than any text has


@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU with n-grams up to `order`.

    Rows of statistics: matches 1…N, guesses 1…N, candidate length, closest reference length.
    """

    order: int = 4
    profile: str | None = None
    smooth: str | None = None
    smooth_value: float | None = None
    effective_order: bool = False
    tokenizer: str | None = None
    lower: bool | None = None

    def __post_init__(self) -> None:
        one_of("profile", self.profile, _PROFILES)
        one_of("smooth", self.smooth, (None, *_SMOOTHING))
        if self.profile == "coco" and (self.smooth or self.effective_order):
            raise ArgumentError(
                "the coco profile has a formula of its own: no smooth or effective_order"
            )

    @property
    def analyzer(self) -> Analyzer:
        """The profile's tokenizer, or the language's own in lower case."""
        fixed = {"coco": ("space", False), "sacrebleu": ("13a", False), None: (None, True)}
        tokenizer, lower = fixed[self.profile]
        return Analyzer(
            self.tokenizer or tokenizer, lower=lower if self.lower is None else self.lower
        )

    @property
    def readings(self) -> Mapping[str, str]:
        """The smoothing and the rule for lengths."""
        return {"smooth": self._smoothing_name, "length": "closest"}

    @property
    def _smooth(self) -> str:
        return self.smooth or ("exp" if self.profile == "sacrebleu" else "none")

    @property
    def _value(self) -> float:
        return _SMOOTHING[self._smooth] if self.smooth_value is None else self.smooth_value

    @property
    def _smoothing_name(self) -> str:
        if self.profile == "coco":
            return "coco"
        valued = self._smooth in ("floor", "add-k")
        name = f"{self._smooth}[{self._value:g}]" if valued else self._smooth
        return f"{name}+effective" if self.effective_order else name

    def statistics(self, batch: Encoded) -> Floats:
        """Return matches, guesses and lengths of each item."""
        units = batch.units(self.analyzer)
        lengths, of_references = units.candidates.lengths, units.references.lengths
        guesses = [
            self._guesses(gram_totals(units.candidates, n), batch) for n in range(1, self.order + 1)
        ]
        closest = self._reference_length(batch, lengths, of_references)
        columns = [*self._correct(batch), *guesses, lengths, closest]
        return np.column_stack(columns).astype(np.float64)

    def _correct(self, batch: Encoded) -> list[Floats]:
        """Return the matches of each item, for each n."""
        return [each.of_item for each in hits(batch, self.analyzer, self.order)]

    def _guesses(self, totals: Ints, batch: Encoded) -> Floats:
        return totals.astype(np.float64)

    def _reference_length(self, batch: Encoded, lengths: Ints, reference_lengths: Ints) -> Ints:
        return closest_length(batch, lengths, reference_lengths)

    def values(self, rows: Floats) -> Floats:
        """Return the BLEU score of each row of summed statistics."""
        n = self.order
        correct, guesses = rows[:, :n], rows[:, n : 2 * n]
        lengths, closest = rows[:, -2], rows[:, -1]
        if self.profile == "coco":
            return _coco_values(correct, guesses, lengths, closest)
        precisions, orders = self._precisions(correct, guesses)
        with np.errstate(divide="ignore"):
            logs = np.where(np.arange(n) < orders[:, None], np.log(precisions), 0.0)
            ratio = np.where(lengths > 0, closest / np.maximum(lengths, 1), np.inf)
        penalty = np.where(lengths < closest, np.exp(1 - ratio), 1.0)
        scores: Floats = penalty * np.exp(logs.sum(axis=1) / orders)
        return np.where(correct.any(axis=1), scores, 0.0)

    def _precisions(self, correct: Floats, guesses: Floats) -> tuple[Floats, Floats]:
        """Return smoothed precisions (rows × orders), and how many orders of each row count."""
        if self._smooth == "add-k":
            added = np.where(np.arange(self.order) > 0, self._value, 0.0)
            correct, guesses = correct + added, guesses + added
        # From the first order without a guess on, nothing is counted.
        counted = np.logical_and.accumulate(guesses > 0, axis=1)
        missing = counted & (correct == 0)
        precisions = np.where(counted, correct, 0.0) / np.maximum(guesses, 1e-300)
        if self._smooth == "floor":
            precisions = np.where(missing, self._value / np.maximum(guesses, 1e-300), precisions)
        elif self._smooth == "exp":
            halved = 2.0 ** -np.cumsum(missing, axis=1)
            precisions = np.where(missing, halved / np.maximum(guesses, 1e-300), precisions)
        orders = counted.sum(axis=1) if self.effective_order else np.full(len(correct), self.order)
        return precisions, np.maximum(orders, 1).astype(np.float64)


@dataclass(frozen=True)
class WeightedBleu(Bleu):
    """Quality-weighted BLEU (Qin et al. 2018, B.2): n-grams of poor references earn less."""

    weighted = True
    reading: str = "inner"
    bp: str = "all"

    def __post_init__(self) -> None:
        Bleu.__post_init__(self)
        one_of("reading", self.reading, ("inner", "outer", "delta", "paper"))
        one_of("bp", self.bp, ("all", "positive"))

    @property
    def plain(self) -> Spec:
        """BLEU with the same settings: every reading falls back to it."""
        return self._unweighted("reading", "bp")

    @property
    def readings(self) -> Mapping[str, str]:
        """The reading of B.2 and of the brevity penalty too."""
        return {**super().readings, "reading": self.reading, "bp": self.bp}

    def _correct(self, batch: Encoded) -> list[Floats]:
        overlaps = matches(batch, self.analyzer, self.order)
        return [self._weighted(overlap, batch) for overlap in overlaps]

    def _weighted(self, overlap: Matches, batch: Encoded) -> Floats:
        weights = batch.weights[overlap.reference]
        if self.reading in ("outer", "paper"):
            best = overlap.best_per_group(weights * overlap.in_reference)
            return overlap.per_item(np.minimum(overlap.group_count, best), len(batch))
        return overlap.per_item(overlap.best_per_group(weights * overlap.clipped), len(batch))

    def _guesses(self, totals: Ints, batch: Encoded) -> Floats:
        if self.reading != "delta":
            return super()._guesses(totals, batch)
        best: Floats = np.maximum.reduceat(batch.weights, batch.reference_offsets[:-1])
        return totals * best

    def _reference_length(self, batch: Encoded, lengths: Ints, reference_lengths: Ints) -> Ints:
        if self.bp == "all":
            return super()._reference_length(batch, lengths, reference_lengths)
        return closest_length(batch, lengths, reference_lengths, batch.weights > 0)


def closest_length(
    batch: Encoded,
    lengths: Ints,
    reference_lengths: Ints,
    allowed: NDArray[np.bool_] | None = None,
) -> Ints:
    """Return the length of the reference nearest in length to each candidate, the shorter on ties.

    References that are not allowed only count where an item has no other.
    """
    distance = np.abs(reference_lengths - lengths[batch.item_of_reference])
    if allowed is not None:
        distance = np.where(allowed, distance, distance + _TOO_LONG // 2)
    # One number that orders by distance, then by length.
    keys = distance * _TOO_LONG + reference_lengths
    smallest: Ints = np.minimum.reduceat(keys, batch.reference_offsets[:-1])
    return smallest % _TOO_LONG


def _coco_values(correct: Floats, guesses: Floats, lengths: Floats, closest: Floats) -> Floats:
    """Return pycocoevalcap's BLEU from matches and guesses (rows × orders) and the two lengths."""
    order = correct.shape[1]
    product = ((correct + _TINY) / (guesses + _SMALL)).prod(axis=1)
    ratio = (lengths + _TINY) / (closest + _SMALL)
    with np.errstate(over="ignore"):
        penalty = np.where(ratio < 1, np.exp(1 - 1 / ratio), 1.0)
    return product ** (1 / order) * penalty


bleu_1, bleu_2, bleu_3, bleu_4 = (partial(Bleu, order=n) for n in (1, 2, 3, 4))
w_bleu_1, w_bleu_2, w_bleu_3, w_bleu_4 = (partial(WeightedBleu, order=n) for n in (1, 2, 3, 4))
