"""METEOR 1.5 (Denkowski and Lavie 2014) and 2005 (Banerjee and Lavie), plain and quality-weighted (Qin et al. 2018, B.3).

Words are matched if they are equal, then by stem, then by synset if a WordNet folder is named. With precision P and recall R of the
matched words, score = (1 − γ · (chunks / matches)^β) · F, where F = 1 / ((1 − α) / P + α / R). In 1.5 content words weigh δ and function words
1 − δ, a stem counts .6 and a synonym .8, and one chunk that covers both texts costs nothing; in 2005 every match counts one, and one chunk
is punished too. Without paraphrases, 1.5 is the jar with `-m "exact stem"`.

English has exact and stem stages, its own parameters and function words; other languages have exact matches, the Universal
parameters and no function words, so that all words weigh the same. An empty candidate or reference scores 0, and so does a pair that shares
no word. An item takes its best reference, a corpus the mean of its items; only the profile `jar` scores summed statistics, as the jar does.

Weighted, the penalty stands inside the maximum: max_j s_j · F_j · (1 − Pen_j). It is the only reading that falls back to METEOR when all
weights are 1, rises with each weight and does not depend on the order of references. `argmax` is (1 − Pen of the best s_j F_j) · max_j s_j F_j.
`paper` is what B.3 prints: `argmax` over METEOR 2005, the version it names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.metrics.alignment.aligner import Aligner
from newsdesk.metrics.alignment.chunks import FULL, JAR
from newsdesk.metrics.alignment.pairs import STAGES, PairCounts
from newsdesk.metrics.alignment.synonyms import wordnet
from newsdesk.metrics.metric import MeanMetric
from newsdesk.metrics.rouge import first_best
from newsdesk.registry import Spec
from newsdesk.settings import one_of
from newsdesk.text.encode import Analyzer, Encoded


@dataclass(frozen=True, slots=True)
class Parameters:
    """The numbers of the formulas above."""

    alpha: float  # weight of recall in F
    beta: float  # exponent of the penalty
    gamma: float  # its maximum
    delta: float  # weight of content words
    weights: tuple[float, float, float]  # of exact, stem and synonym matches
    whole_is_free: bool = True  # one chunk that covers both texts costs nothing


PARAMETERS = {
    "en": Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8)),
    "adq": Parameters(0.75, 1.4, 0.45, 0.7, (1.0, 1.0, 0.6)),
    "universal": Parameters(0.7, 1.4, 0.3, 0.7, (1.0, 0.6, 0.8)),
    "li": Parameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.5, 0.5)),
    "2005": Parameters(0.9, 3.0, 0.5, 0.5, (1.0, 1.0, 1.0), whole_is_free=False),
}
_OF_VERSION = {"1.5": ("en", "adq", "universal", "li"), "2005": ("2005",)}
_ALIGNMENTS = {"jar": f"chunks.jar-{JAR.beam}", "full": f"chunks.beam-{FULL.beam}"}
_PROFILES = {
    "nltk": {
        "version": "2005",
        "stages": "exact stem",
        "parameters": "2005",
        "function_words": "none",
        "alignment": "nltk",
        "tokenizer": "space",
    },
    "jar": {
        "version": "1.5",
        "stages": "exact stem",
        "parameters": "en",
        "function_words": "en",
        "alignment": "chunks",
        "tokenizer": "meteor",
    },
}


@dataclass(frozen=True)
class Meteor(MeanMetric):
    """METEOR; what is None follows from the profile, the version and the language of the batch.

    The profile `nltk` equals NLTK's meteor_score with an empty WordNet, `jar` equals pycocoevalcap's jar run with `-m "exact stem"`.
    """

    version: str | None = None
    stages: str | None = None
    parameters: str | None = None
    function_words: str | None = None
    alignment: str | None = None
    tokenizer: str | None = None
    synonyms: str | None = None
    profile: str | None = None

    def __post_init__(self) -> None:
        one_of("profile", self.profile, (None, *_PROFILES))
        one_of("version", self.version, (None, *_OF_VERSION))
        one_of("stages", self.stages, (None, "exact", "exact stem"))
        one_of("alignment", self.alignment, (None, "chunks", "nltk", "crossings"))
        for name, fixed in self._fixed.items():
            if getattr(self, name) not in (None, fixed):
                raise ArgumentError(
                    f"the {self.profile} profile has a {name} of its own, {fixed!r}"
                )
        one_of("parameters", self.parameters, (None, *_OF_VERSION[self._version]))
        words = (None, "none", "en") if self._version == "1.5" else (None, "none")
        one_of("function_words", self.function_words, words)
        if self.synonyms and (self.profile or self.alignment in ("nltk", "crossings")):
            raise ArgumentError("synonyms need alignment 'chunks' and no profile")

    @property
    def _fixed(self) -> Mapping[str, str]:
        return _PROFILES.get(self.profile or "", {})

    @property
    def _version(self) -> str:
        return self._fixed.get("version") or self.version or "1.5"

    @property
    def analyzer(self) -> Analyzer:
        """Lower-cased words: the profile's, or the language's own."""
        return Analyzer(self._fixed.get("tokenizer", self.tokenizer))

    def settled(self, lang: str) -> Self:
        """Return the same metric with every open setting resolved for this language."""
        english = lang.partition("-")[0] == "en"
        version = self._version
        chosen = {
            "version": version,
            "stages": "exact stem" if english else "exact",
            "parameters": "2005" if version == "2005" else "en" if english else "universal",
            "function_words": "en" if english and version == "1.5" else "none",
            "alignment": "chunks",
            **self._fixed,
        }
        still_open: dict[str, Any] = {
            name: value for name, value in chosen.items() if getattr(self, name) is None
        }
        return dataclasses.replace(self, **still_open)

    @property
    def readings(self) -> Mapping[str, str]:
        """Version, parameters, stages and alignment; as for English where the language decides."""
        english = self.settled("en")
        aligner, settings = english._aligner, english._settings
        numbers = (settings.alpha, settings.beta, settings.gamma, settings.delta)
        stages = (
            "exact",
            f"stem.{aligner.stem}" if aligner.stem else "",
            f"synonym.{wordnet(self.synonyms).digest}" if self.synonyms else "",
        )
        weighted = zip(stages, settings.weights, strict=True)
        return {
            "version": str(english.version),
            "parameters": f"{english.parameters}[{','.join(f'{number:g}' for number in numbers)}]",
            "stages": "+".join(f"{stage}[{weight:g}]" for stage, weight in weighted if stage),
            "function-words": str(english.function_words),
            "alignment": _ALIGNMENTS.get(aligner.method, aligner.method),
            "corpus": "sum" if self.profile == "jar" else "mean",
        }

    def signature(self, batch: Encoded) -> str:
        """Return the signature, with the settings resolved for the language of the batch."""
        return MeanMetric.signature(self.settled(batch.lang), batch)

    @property
    def _settings(self) -> Parameters:
        return PARAMETERS[str(self.parameters)]

    @property
    def _aligner(self) -> Aligner:
        """The aligner of a metric whose settings are resolved."""
        stem = "snowball-2010" if self.version == "1.5" else "porter"
        if self.profile == "nltk":
            stem = "porter-nltk"
        by_chunks = "jar" if self.version == "1.5" else "full"
        return Aligner(
            self.analyzer,
            method=by_chunks if self.alignment == "chunks" else str(self.alignment),
            stem=stem if self.stages == "exact stem" else None,
            function_words=str(self.function_words),
            synonyms=self.synonyms,
        )

    def item_values(self, batch: Encoded) -> Floats:
        """Return the METEOR score of each item, items × 1."""
        return self._best(batch, *self.settled(batch.lang)._f_and_penalty(batch))[:, None]

    def _f_and_penalty(self, batch: Encoded) -> tuple[Floats, Floats]:
        """Return F and penalty of each reference, computed once for plain and weighted."""
        aligner, settings = self._aligner, self._settings
        return batch.once(
            (aligner, settings), lambda: f_and_penalty(aligner.counts(batch), settings)
        )

    def _best(self, batch: Encoded, f_mean: Floats, penalty: Floats) -> Floats:
        """Return the score of each item from F and penalty of each reference."""
        return np.maximum.reduceat(f_mean * (1 - penalty), batch.reference_offsets[:-1])

    def statistics(self, batch: Encoded) -> Floats:
        """Return the values and a one to count by.

        For the jar profile, the counts of each item's best reference.
        """
        if self.profile != "jar":
            return super().statistics(batch)
        settled = self.settled(batch.lang)
        f_mean, penalty = settled._f_and_penalty(batch)
        best = first_best(f_mean * (1 - penalty), batch)
        return _as_rows(settled._aligner.counts(batch))[best]

    def values(self, rows: Floats) -> Floats:
        """Return the mean value of each row; for the jar profile, the score of its counts."""
        if self.profile != "jar":
            return super().values(rows)
        f_mean, penalty = f_and_penalty(_from_rows(rows), self.settled("en")._settings)
        return f_mean * (1 - penalty)

    def scored(self, rows: Floats) -> Floats:
        """Return the columns that `values` reads: all of them for the jar profile."""
        return rows if self.profile == "jar" else super().scored(rows)


@dataclass(frozen=True)
class WeightedMeteor(Meteor):
    """Quality-weighted METEOR (Qin et al. 2018, B.3): matches of poor references earn less."""

    weighted = True
    reading: str = "inside"

    def __post_init__(self) -> None:
        Meteor.__post_init__(self)
        one_of("reading", self.reading, ("inside", "argmax", "paper"))
        if self.reading == "paper" and self._version != "2005":
            raise ArgumentError(
                f"reading='paper' is METEOR 2005, not {self._version}; leave version and profile out"
            )
        if self.profile == "jar":
            raise ArgumentError(
                "the jar sums statistics, which weights cannot enter: use tokenizer='meteor' for its words"
            )

    @property
    def plain(self) -> Spec | None:
        """METEOR with the same settings; none for `argmax`, which may take another reference than METEOR does."""
        return self._unweighted("reading") if self.reading == "inside" else None

    @property
    def _version(self) -> str:
        if self.reading == "paper":
            return self._fixed.get("version") or self.version or "2005"
        return super()._version

    @property
    def readings(self) -> Mapping[str, str]:
        """METEOR's settings and the reading of B.3."""
        return {**super().readings, "reading": "inside" if self.reading == "inside" else "argmax"}

    def _best(self, batch: Encoded, f_mean: Floats, penalty: Floats) -> Floats:
        """Return the weighted score of each item from F and penalty of each reference."""
        starts = batch.reference_offsets[:-1]
        if self.reading == "inside":
            return np.maximum.reduceat(batch.weights * (f_mean * (1 - penalty)), starts)
        weighted = batch.weights * f_mean
        highest = np.maximum.reduceat(weighted, starts)
        # Of equally good references the one with the least penalty, so that their order does not matter.
        is_best = weighted == highest[batch.item_of_reference]
        least = np.minimum.reduceat(np.where(is_best, penalty, np.inf), starts)
        return highest * (1 - least)


def f_and_penalty(counts: PairCounts, settings: Parameters) -> tuple[Floats, Floats]:
    """Return F and penalty of each pair; both 0 where nothing matches."""
    # pairs × 2 (candidate, reference), then pairs × stages × 2
    lengths = _weighed(counts.lengths, counts.function_words, settings.delta)
    stages = _weighed(counts.matches[:, :, None], counts.matched_function, settings.delta)
    weights = np.array(settings.weights)
    matched = (weights[:, None] * stages).sum(axis=1)  # pairs × 2
    has_matches = counts.total > 0
    precision, recall = (matched / np.where(lengths > 0, lengths, 1.0)).T
    with np.errstate(divide="ignore"):
        inverse = (1 - settings.alpha) / precision + settings.alpha / recall
    f_mean = np.where(has_matches, 1 / np.where(has_matches, inverse, 1.0), 0.0)
    chunks = np.where(counts.whole, 0, counts.chunks) if settings.whole_is_free else counts.chunks
    fragmentation = chunks / np.maximum(counts.total, 1)
    return f_mean, settings.gamma * fragmentation**settings.beta


def _weighed(words: Ints, functions: Ints, delta: float) -> Floats:
    """Return words weighed δ, but function words 1 − δ."""
    return delta * (words - functions) + (1 - delta) * functions


def _as_rows(counts: PairCounts) -> Floats:
    """Return counts as rows that add up, read by `_from_rows`.

    A pair that matches as a whole adds no chunk, as in the jar.
    """
    return np.column_stack(
        [
            counts.lengths,
            counts.function_words,
            counts.matches,
            counts.matched_function.reshape(-1, STAGES * 2),
            np.where(counts.whole, 0, counts.chunks),
        ]
    ).astype(np.float64)


def _from_rows(rows: Floats) -> PairCounts:
    """Return the counts that `_as_rows` flattened, here those of summed rows."""
    columns = np.split(rows.astype(np.int64), np.cumsum([2, 2, STAGES, STAGES * 2]), axis=1)
    lengths, function_words, matches, functions, chunks = columns
    return PairCounts(
        lengths,
        function_words,
        matches,
        matched_function=functions.reshape(-1, STAGES, 2),
        chunks=chunks[:, 0],
    )
