"""CIDEr and CIDEr-D (Vedantam et al. 2015), plain and quality-weighted (Qin et al. 2018, B.5).

CIDEr is the mean cosine, over n = 1…4 and over references, of TF-IDF vectors of n-grams: tf is the raw count, df the number of items
whose references hold the n-gram, idf = ln(items) − ln(max(1, df)). It is not scaled here, as in B.5; the tools multiply by 10.
CIDEr-D clips counts and punishes differences in length (σ = 6, counted in bigrams, as pycocoevalcap does). The idf comes from the
references of the call, or from a saved file, and stays fixed when items are resampled. One item alone has no idf: every n-gram then
weighs nothing, and the score is 0.

Inverse document frequencies of n-grams for CIDEr: from the references at hand, or saved from others.

A document is an item: an n-gram counts once however many references of the item hold it. One stable sort of the references' n-grams
by their code tells everything: runs of equal code are the n-grams, runs of equal (code, reference) their counts. Most longer n-grams
occur only once in all references and need no sorting: a hash table finds them first, which halves the time.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import DataError
from newsdesk.files import InputFile, atomic
from newsdesk.jsonl import json_text, json_value
from newsdesk.metrics.grams import Matches, gram_totals, matches
from newsdesk.metrics.metric import MeanMetric
from newsdesk.registry import Spec
from newsdesk.settings import one_of
from newsdesk.text.encode import Analyzer, Encoded
from newsdesk.text.ragged import Codes, Ragged, mix, ngram_places, ngrams, ngrams_at, stable_order

_BETWEEN_WORDS = "\t"


@dataclass(frozen=True, slots=True, eq=False)
class GramWeights:
    """The idf of every distinct candidate n-gram, and the length of every TF-IDF vector, for one n."""

    idf_of_group: Floats  # groups are those of `Matches`
    candidate_norms: Floats
    reference_norms: Floats


def gram_weights(batch: Encoded, analyzer: Analyzer, n: int, file: str | None) -> GramWeights:
    """Return the weights of a batch, computed once per analyzer, n and source of idf."""
    return batch.once(("idf", analyzer, n, file), lambda: _weights(batch, analyzer, n, file))


def _weights(batch: Encoded, analyzer: Analyzer, n: int, file: str | None) -> GramWeights:
    """Compute the weights, with the idf of a saved `file` or, if None, of the batch's references."""
    # A gram is a distinct n-gram of all references, a run one gram in one reference with its count, a group one distinct n-gram of
    # one candidate. Singles are the n-grams of a reference that no run stands for, as they occur once in all references.
    overlap = matches(batch, analyzer, len(ORDERS))[n - 1]
    highest_idf = np.log(len(batch))  # that of an n-gram that one item holds, or none
    if file is None:
        # An n-gram that occurs once has the highest idf: how many there are is enough. A saved idf is looked up for every n-gram.
        grams = _ReferenceGrams.of(batch, analyzer, n, repeated_only=True)
        idf_of_gram = highest_idf - np.log(np.maximum(grams.df, 1))
        units = batch.units(analyzer)
        codes = ngrams_at(units.candidates, overlap.group_place, n, len(units.words))
        idf_of_group = grams.look_up(codes, idf_of_gram, missing=highest_idf)
    else:
        units = batch.units(analyzer)
        grams = _ReferenceGrams.of(batch, analyzer, n, repeated_only=False)
        saved = load_idf(file)
        places = ngram_places(units.references, n)[grams.first]
        idf_of_gram = saved.idf(_names(units.references, units.words, places, n))
        idf_of_group = saved.idf(_names(units.candidates, units.words, overlap.group_place, n))
    candidate_squares = (overlap.group_count * idf_of_group) ** 2
    reference_squares = (grams.run_count * idf_of_gram[grams.run_gram]) ** 2
    squared_norms = np.bincount(
        grams.run_reference, weights=reference_squares, minlength=len(batch.references)
    )
    squared_norms = squared_norms + grams.singles * highest_idf**2  # no singles with a file
    return GramWeights(
        idf_of_group,
        candidate_norms=np.sqrt(overlap.per_item(candidate_squares, len(batch))),
        reference_norms=np.sqrt(squared_norms),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _ReferenceGrams:
    """The distinct n-grams of all references by code, and every (n-gram, reference) with its count.

    With `repeated_only`, n-grams that occur once in all references are only counted, per reference, in `singles`.
    """

    codes: Codes  # of each distinct n-gram, ascending
    df: Ints  # how many items hold it
    first: Ints  # where it stands first among the n-grams of all references
    run_gram: Ints  # of each run: the n-gram,
    run_reference: NDArray[np.int32]  # the reference,
    run_count: Ints  # and how often the reference holds it
    singles: Ints

    @classmethod
    def of(
        cls, batch: Encoded, analyzer: Analyzer, n: int, *, repeated_only: bool
    ) -> _ReferenceGrams:
        """Sort the references' n-grams once."""
        units = batch.units(analyzer)
        codes, offsets = ngrams(units.references, n, len(units.words))
        numbers = np.arange(len(batch.references), dtype=np.int32)
        reference = np.repeat(numbers, np.diff(offsets))
        # Single words nearly all come again: there the table would cost more than it saves.
        filtered = repeated_only and n > 1
        repeated = _perhaps_repeated(codes) if filtered else np.arange(len(codes))
        singles = np.diff(offsets) - np.bincount(
            reference[repeated], minlength=len(batch.references)
        )
        order = repeated[stable_order(codes[repeated])]
        codes, reference = codes[order], reference[order]
        item = batch.item_of_reference.astype(np.int32)[reference]
        # Where a new n-gram, a new (n-gram, reference) and a new (n-gram, item) begin in the sorted codes.
        new_code = np.ones(len(codes), dtype=np.bool_)
        new_code[1:] = codes[1:] != codes[:-1]
        new_run, new_item = new_code.copy(), new_code.copy()
        new_run[1:] |= reference[1:] != reference[:-1]
        new_item[1:] |= item[1:] != item[:-1]
        gram = np.cumsum(new_code) - 1
        runs = np.flatnonzero(new_run)
        first = np.flatnonzero(new_code)
        return cls(
            codes=codes[first],
            df=np.bincount(gram[new_item], minlength=len(first)),
            first=order[first],
            run_gram=gram[runs],
            run_reference=reference[runs],
            run_count=np.diff(np.append(runs, len(codes))),
            singles=singles,
        )

    def look_up(self, codes: Codes, values: Floats, *, missing: float) -> Floats:
        """Return the value of each code, or `missing` for a code that no reference holds."""
        if not len(self.codes):
            return np.full(len(codes), missing)
        index = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[index] == codes, values[index], missing)


def _perhaps_repeated(codes: Codes) -> Ints:
    """Return the places of codes that may stand elsewhere too: none is missed, some are wrong."""
    bits = int(np.clip(4 * len(codes), 2**12, 2**25 - 1)).bit_length()
    slots = (mix(codes) & np.uint64(2**bits - 1)).astype(np.int64)  # of a hash table
    places = np.arange(len(codes), dtype=np.int32)
    # Every slot keeps its last place; a place that its slot did not keep shares the slot.
    last = np.empty(2**bits, dtype=np.int32)
    last[slots] = places
    shared = np.zeros(2**bits, dtype=np.bool_)
    shared[slots[last[slots] != places]] = True
    return np.flatnonzero(shared[slots])


def _names(texts: Ragged, words: tuple[str, ...], places: Ints, n: int) -> list[str]:
    """Return the n-grams that begin at these words of the texts, as text."""
    ids = texts.ids
    return [_BETWEEN_WORDS.join(words[i] for i in ids[place : place + n]) for place in places]


@dataclass(frozen=True, slots=True)
class Idf:
    """Saved document frequencies: in how many of `items` each n-gram (words joined by tabs) occurs."""

    items: int
    df: Mapping[str, int]

    def idf(self, names: list[str]) -> Floats:
        """Return the idf of n-grams; an unseen one weighs most."""
        df = np.array([self.df.get(name, 0) for name in names], dtype=np.float64)
        return np.log(self.items) - np.log(np.maximum(df, 1))


def save_idf(path: str | os.PathLike[str], batch: Encoded, *, tokenizer: str | None = None) -> Idf:
    """Count the references of a batch and write the frequencies, for `cider(idf='FILE')` elsewhere."""
    analyzer = Analyzer(tokenizer)
    df: dict[str, int] = {}
    for n in (1, 2, 3, 4):
        grams = _ReferenceGrams.of(batch, analyzer, n, repeated_only=False)
        units = batch.units(analyzer)
        places = ngram_places(units.references, n)[grams.first]
        names = _names(units.references, units.words, places, n)
        df.update(zip(names, grams.df.tolist(), strict=True))
    with atomic(path) as stream:
        text = json_text({"format": 1, "items": len(batch), "df": df})
        stream.write(text.encode("utf-8") + b"\n")
    return Idf(len(batch), df)


@functools.cache
def load_idf(path: str) -> Idf:
    """Load document frequencies that `save_idf` wrote."""
    try:
        value = json_value("\n".join(text for _, text in InputFile(path).texts()))
        if value["format"] != 1:
            raise DataError(f"`format` is {value['format']!r}; this version reads 1", file=path)
        return Idf(int(value["items"]), value["df"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError("not a saved idf", file=path) from error


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
        """Return the CIDEr value of each item, items × 1."""
        similarity = np.zeros(len(batch.references))
        for n in ORDERS:
            overlap = matches(batch, self.analyzer, len(ORDERS))[n - 1]
            weights = gram_weights(batch, self.analyzer, n, self.idf)
            similarity += self._similarity(batch, overlap, weights) / len(ORDERS)
        return self._over_references(batch, similarity)[:, None] * self.scale

    def _similarity(self, batch: Encoded, overlap: Matches, weights: GramWeights) -> Floats:
        """Return the cosine of every reference with its candidate."""
        products = overlap.per_reference(
            self._counts(overlap) * weights.idf_of_group[overlap.group] ** 2 * overlap.in_reference
        )
        norms = weights.candidate_norms[batch.item_of_reference] * weights.reference_norms
        return np.divide(products, norms, out=np.zeros_like(products), where=norms > 0)

    def _counts(self, overlap: Matches) -> NDArray[np.int64]:
        return overlap.group_count[overlap.group]

    def _over_references(self, batch: Encoded, similarity: Floats) -> Floats:
        """Return the value of each item from the similarity of each reference."""
        total = np.add.reduceat(similarity, batch.reference_offsets[:-1])
        return total / np.diff(batch.reference_offsets)


@dataclass(frozen=True)
class CiderD(Cider):
    """CIDEr-D: clipped counts, a penalty for length, times ten."""

    scale: float = 10.0

    def _counts(self, overlap: Matches) -> NDArray[np.int64]:
        return overlap.clipped

    def _over_references(self, batch: Encoded, similarity: Floats) -> Floats:
        units = batch.units(self.analyzer)
        candidate, reference = (
            gram_totals(side, 2) for side in (units.candidates, units.references)
        )
        delta = candidate[batch.item_of_reference] - reference
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
        """Return the value of each item, the similarity of each reference times its weight."""
        starts = batch.reference_offsets[:-1]
        total = np.add.reduceat(batch.weights * similarity, starts)
        if not self.norm:
            return total / np.diff(batch.reference_offsets)
        weight = np.add.reduceat(batch.weights, starts)
        return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
