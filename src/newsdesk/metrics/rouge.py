"""ROUGE-1, -2, -L and -Lsum (Lin 2004), plain and quality-weighted (Qin et al. 2018, B.4).

Three tools call different numbers by these names. `rouge_score` lower-cases, keeps a–z and 0–9 and takes the best reference by F;
`perl` (ROUGE-1.5.5) sums matches and totals over the references; `coco` (pycocoevalcap, ROUGE-L only) takes the best precision and
the best recall independently and joins them with β = 1.2.

Plain names equal rouge_score in languages with spaces, because that is the number people compare with: F1 of the best reference by F
over rouge_score's tokens. That tokenizer keeps nothing of Chinese, Japanese, Russian or Arabic text, so languages without Latin letters
use their own tokenizer, with the same combination. `rouge-l(combine='coco')` is the coco formula over the language's tokenizer.

Weighted ROUGE-L is F_β of max_j s_j P_j and max_j s_j R_j over the language's tokenizer; with all weights at 1 it is `rouge-l(combine='coco')`. The union over references as printed in B.4 falls back to no published
ROUGE-L when there are several references and needs clipping; it is here by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.kernel import has_kernel
from newsdesk.languages import has_latin_letters
from newsdesk.metrics.bleu import closest_length
from newsdesk.metrics.grams import hits, sides
from newsdesk.metrics.metric import MeanMetric
from newsdesk.metrics.overlap import lcs_lengths, lcs_members, summary_level_hits
from newsdesk.registry import Spec
from newsdesk.settings import one_of
from newsdesk.text.encode import Analyzer, Encoded

_BETA = 1.2  # pycocoevalcap's, and so the papers'
_TOKENIZERS = {"rouge_score": "rouge", "perl": "rouge", "coco": "space"}  # of each profile


def f_score(precision: Floats, recall: Floats, beta: float = 1.0) -> Floats:
    """Return F_β, and 0 where both are 0."""
    denominator = recall + beta**2 * precision
    numerator = (1 + beta**2) * precision * recall
    zeros = np.zeros_like(numerator)
    return np.divide(numerator, denominator, out=zeros, where=denominator > 0)


def _share(part: Floats, whole: Floats | Ints) -> Floats:
    return part / np.maximum(whole, 1)


@dataclass(frozen=True)
class Rouge(MeanMetric):
    """Base of the ROUGE metrics: profile, stemming, and how references are combined.

    `report` is the part that is the value; `models` is how `perl` combines references, which it calls models.
    """

    profile: str | None = None
    stem: bool = False
    tokenizer: str | None = None
    report: str = "f"
    models: str = "average"

    part_names = ("p", "r", "f")
    profiles: ClassVar[tuple[str | None, ...]] = (None, "rouge_score", "perl")

    def __post_init__(self) -> None:
        one_of("profile", self.profile, self.profiles)
        one_of("report", self.report, ("f", "p", "r"))
        one_of("models", self.models, ("average", "best"))
        if self.models == "best" and self.profile != "perl":
            raise ArgumentError("models='best' is ROUGE-1.5.5's -f B: it needs profile='perl'")

    @property
    def analyzer(self) -> Analyzer:
        """The analyzer on languages with Latin letters."""
        return self.analyzer_for("en")

    def analyzer_for(self, lang: str) -> Analyzer:
        """Return the profile's tokenizer and stemmer.

        Without a profile rouge_score's tokenizer where it can read the language.
        """
        tokenizer = _TOKENIZERS.get(self.profile or "")
        if self.profile is None and self._equals_rouge_score and has_latin_letters(lang):
            tokenizer = "rouge"
        # Both tools leave words of up to three letters alone; rouge_score's Porter is NLTK's, which departs from Porter's own.
        stem = ("porter-long" if self.profile == "perl" else "rouge") if self.stem else None
        return Analyzer(self.tokenizer or tokenizer, lower=self.profile != "coco", stem=stem)

    @property
    def readings(self) -> Mapping[str, str]:
        """How several references are combined, and which part is the value."""
        combined = "best-f"
        if self.profile == "perl":
            combined = "best-r" if self.models == "best" else "sum"
        return {"combine": combined, "report": self.report}

    @property
    def _equals_rouge_score(self) -> bool:
        """True if the metric without a profile is rouge_score's, False if it has a formula of its own."""
        return True

    def _reported(self, precision: Floats, recall: Floats, f: Floats) -> Floats:
        value = {"f": f, "p": precision, "r": recall}[self.report]
        return np.column_stack([value, precision, recall, f])

    def _combined(
        self, batch: Encoded, hits: Floats, candidate: Floats, reference: Floats
    ) -> Floats:
        """Return items × (value, p, r, f) from hits and the lengths of both texts, per reference."""
        starts = batch.reference_offsets[:-1]
        if self.profile == "perl" and self.models == "average":
            hits, candidate, reference = (
                np.add.reduceat(counts, starts) for counts in (hits, candidate, reference)
            )
            precision, recall = _share(hits, candidate), _share(hits, reference)
            return self._reported(precision, recall, f_score(precision, recall))
        precision, recall = _share(hits, candidate), _share(hits, reference)
        f = f_score(precision, recall)
        # Perl's "best model" is the one with the highest recall.
        best = first_best(recall if self.profile == "perl" else f, batch)
        return self._reported(precision[best], recall[best], f[best])


def first_best(values: Floats, batch: Encoded) -> Ints:
    """Return the place of each item's largest value among those of all references, the first of equals."""
    highest = np.maximum.reduceat(values, batch.reference_offsets[:-1])
    places = np.where(
        values == highest[batch.item_of_reference], np.arange(len(values)), len(values)
    )
    return np.minimum.reduceat(places, batch.reference_offsets[:-1])


@dataclass(frozen=True)
class RougeN(Rouge):
    """ROUGE-N: n-gram overlap of candidate and reference."""

    order: int = 1

    def item_values(self, batch: Encoded) -> Floats:
        """Return value, precision, recall and F of each item."""
        overlap = hits(batch, self.analyzer_for(batch.lang), self.order)[-1]
        candidate = overlap.candidate_totals[batch.item_of_reference].astype(np.float64)
        reference = overlap.reference_totals.astype(np.float64)
        return self._combined(batch, overlap.of_reference, candidate, reference)


@dataclass(frozen=True)
class RougeL(Rouge):
    """ROUGE-L: the longest common subsequence of whole texts.

    With `combine='coco'` or `profile='coco'` it is F_β of the best precision and the best recall over all references.
    """

    beta: float = _BETA
    combine: str | None = None

    profiles: ClassVar[tuple[str | None, ...]] = (None, "rouge_score", "perl", "coco")
    combinations: ClassVar[tuple[str | None, ...]] = (None, "coco")

    def __post_init__(self) -> None:
        Rouge.__post_init__(self)
        one_of("combine", self.combine, self.combinations)
        if self.combine and self.profile not in (None, "coco"):
            raise ArgumentError(
                f"the {self.profile} profile has a combination of its own: leave combine={self.combine!r} out"
            )
        if self.beta != _BETA and not self._best_of_each:
            raise ArgumentError(f"beta={self.beta:g} needs combine='coco' or profile='coco'")

    @property
    def _best_of_each(self) -> bool:
        """True if precision and recall are each taken from their best reference."""
        return self.combine is not None or self.profile == "coco"

    @property
    def _equals_rouge_score(self) -> bool:
        return not self._best_of_each

    @property
    def readings(self) -> Mapping[str, str]:
        """The combination, and β where it counts."""
        if self._best_of_each:
            return {"combine": "max-p-max-r", "beta": f"{self.beta:g}", "report": self.report}
        return super().readings

    def item_values(self, batch: Encoded) -> Floats:
        """Return value, precision, recall and F of each item."""
        hits, candidate, reference = pair_lengths(batch, self.analyzer_for(batch.lang))
        if not self._best_of_each:
            return self._combined(batch, hits, candidate, reference)
        return self._max_p_max_r(batch, _share(hits, candidate), _share(hits, reference))

    def _max_p_max_r(self, batch: Encoded, precision: Floats, recall: Floats) -> Floats:
        starts = batch.reference_offsets[:-1]
        best_p, best_r = (np.maximum.reduceat(side, starts) for side in (precision, recall))
        return self._reported(best_p, best_r, f_score(best_p, best_r, self.beta))


def pair_lengths(batch: Encoded, analyzer: Analyzer) -> tuple[Floats, Floats, Floats]:
    """Return for every reference its LCS with the candidate, the candidate's length, its own length."""

    def make() -> tuple[Floats, Floats, Floats]:
        units, items = batch.units(analyzer), batch.item_of_reference
        if has_kernel():
            lengths = sides(batch, analyzer).lcs()
        else:
            lengths = lcs_lengths(units.candidates.take(items), units.references)
        return (
            lengths.astype(np.float64),
            units.candidates.lengths[items].astype(np.float64),
            units.references.lengths.astype(np.float64),
        )

    return batch.once(("lcs", analyzer), make)


@dataclass(frozen=True)
class RougeLsum(Rouge):
    """ROUGE-Lsum: the union of common subsequences over sentences; each line is a sentence."""

    def item_values(self, batch: Encoded) -> Floats:
        """Return value, precision, recall and F of each item."""
        hits, candidate, reference = summary_level_hits(batch, self.analyzer_for(batch.lang))
        return self._combined(batch, hits, candidate, reference)


@dataclass(frozen=True)
class WeightedRougeL(RougeL):
    """Quality-weighted ROUGE-L (Qin et al. 2018, B.4): matches of poor references earn less."""

    weighted = True
    combine: str | None = "coco"
    recall: str = "closest"
    reading: str | None = None

    profiles: ClassVar[tuple[str | None, ...]] = (None, "coco")
    combinations: ClassVar[tuple[str | None, ...]] = ("coco", "union", "union+max", "bestf", "perl")

    def __post_init__(self) -> None:
        RougeL.__post_init__(self)
        one_of("recall", self.recall, ("closest", "longest", "mean"))
        one_of("reading", self.reading, (None, "paper"))

    @property
    def plain(self) -> Spec | None:
        """ROUGE-L in coco's form with the same settings; none for the other combinations."""
        if self._combine != "coco":
            return None
        return self._unweighted("reading", "recall", combine="coco")

    @property
    def _combine(self) -> str:
        return "union" if self.reading == "paper" else str(self.combine)

    @property
    def readings(self) -> Mapping[str, str]:
        """The combination, β and recall length: which reading of B.4 is computed."""
        length = {"recall": self.recall} if self._combine.startswith("union") else {}
        return {"combine": self._combine, "beta": f"{self.beta:g}", **length}

    def item_values(self, batch: Encoded) -> Floats:
        """Return value, precision, recall and F of each item."""
        if self._combine.startswith("union"):
            return self._union(batch)
        hits, candidate, reference = pair_lengths(batch, self.analyzer_for(batch.lang))
        weights, starts = batch.weights, batch.reference_offsets[:-1]
        if self._combine == "perl":
            hits, candidate, reference = (
                np.add.reduceat(counts, starts) for counts in (weights * hits, candidate, reference)
            )
            precision, recall = _share(hits, candidate), _share(hits, reference)
            return self._reported(precision, recall, f_score(precision, recall))
        precision, recall = _share(hits, candidate), _share(hits, reference)
        if self._combine == "bestf":
            f = weights * f_score(precision, recall)
            best = first_best(f, batch)
            weight = weights[best]
            return self._reported(weight * precision[best], weight * recall[best], f[best])
        return self._max_p_max_r(batch, weights * precision, weights * recall)

    def _union(self, batch: Encoded) -> Floats:
        """Return the values where a token weighs max s_j over the references whose leftmost LCS holds it."""
        units = batch.units(self.analyzer_for(batch.lang))
        items = batch.item_of_reference
        copies = units.candidates.take(items)  # of the candidate, one for each reference
        member = lcs_members(copies, units.references, "leftmost")
        weight = np.where(member, np.repeat(batch.weights, copies.lengths), 0.0)
        tokens = units.candidates
        # Of each token of a copy, the token of the candidate.
        index = np.arange(len(weight)) - np.repeat(copies.offsets[:-1], copies.lengths)
        original = np.repeat(tokens.offsets[items], copies.lengths) + index
        best = np.zeros(len(tokens.ids))
        np.maximum.at(best, original, weight)
        union = np.bincount(tokens.rows, weights=best, minlength=len(batch)).astype(np.float64)
        if self._combine == "union+max":
            return self._union_max(batch, union)
        length = self._recall_length(batch, tokens.lengths, units.references.lengths)
        precision = _share(union, tokens.lengths)
        recall = np.minimum(_share(union, length), 1.0)
        return self._reported(precision, recall, f_score(precision, recall, self.beta))

    def _union_max(self, batch: Encoded, union: Floats) -> Floats:
        """Return the values with precision from the union, recall from the best single reference."""
        analyzer = self.analyzer_for(batch.lang)
        hits, _, reference = pair_lengths(batch, analyzer)
        weighted = batch.weights * _share(hits, reference)
        recall = np.maximum.reduceat(weighted, batch.reference_offsets[:-1])
        lengths = batch.units(analyzer).candidates.lengths
        precision = _share(union, lengths)
        return self._reported(precision, recall, f_score(precision, recall, self.beta))

    def _recall_length(self, batch: Encoded, lengths: Ints, reference_lengths: Ints) -> Floats:
        """Return the length that recall divides by, for each item; `lengths` are the candidates'."""
        starts = batch.reference_offsets[:-1]
        if self.recall == "longest":
            return np.maximum.reduceat(reference_lengths, starts).astype(np.float64)
        if self.recall == "mean":
            total = np.add.reduceat(reference_lengths, starts)
            return total / np.diff(batch.reference_offsets)
        return closest_length(batch, lengths, reference_lengths).astype(np.float64)


rouge_1, rouge_2 = (partial(RougeN, order=n) for n in (1, 2))
