"""Inverse document frequencies of n-grams for CIDEr: from the references at hand, or saved from others.

A document is an item: an n-gram counts once however many references of the item hold it. One stable sort of the references' n-grams
by their code tells everything: runs of equal code are the n-grams, runs of equal (code, reference) their counts. Most longer n-grams
occur only once in all references and need no sorting: a hash table finds them first, which halves the time.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import DataError
from newsdesk.files import Source, atomic
from newsdesk.jsonl import json_text
from newsdesk.metrics.overlap import matches
from newsdesk.text.encode import Analyzer, Encoded
from newsdesk.text.ngrams import Codes, mix, ngram_places, ngrams, stable_order
from newsdesk.text.ragged import Ragged

_BETWEEN_WORDS = "\t"


@dataclass(frozen=True, slots=True, eq=False)
class GramWeights:
    """The idf of every distinct candidate n-gram, and the length of every TF-IDF vector, for one n."""

    idf_of_group: Floats
    candidate_norms: Floats
    reference_norms: Floats


def gram_weights(batch: Encoded, analyzer: Analyzer, n: int, file: str | None) -> GramWeights:
    """The weights of a batch, computed once per analyzer, n and source of idf."""
    return batch.once(("idf", analyzer, n, file), lambda: _weights(batch, analyzer, n, file))


def _weights(batch: Encoded, analyzer: Analyzer, n: int, file: str | None) -> GramWeights:
    overlap = matches(batch, analyzer, n)
    most = np.log(len(batch))  # the idf of an n-gram that one item holds, or none
    if file is None:
        grams = _ReferenceGrams.of(batch, analyzer, n, repeated_only=True)
        idf_of_gram = most - np.log(np.maximum(grams.df, 1))
        idf_of_group = grams.look_up(overlap.group_code, idf_of_gram, missing=most)
    else:
        units = batch.units(analyzer)
        grams = _ReferenceGrams.of(batch, analyzer, n, repeated_only=False)
        saved = load_idf(file)
        idf_of_gram = saved.idf(_names(units.references, units.words, grams.first, n))
        first = _first_of(overlap.group_code, units.candidates, len(units.words), n)
        idf_of_group = saved.idf(_names(units.candidates, units.words, first, n))
    squared = (overlap.group_count * idf_of_group) ** 2
    own = (grams.run_count * idf_of_gram[grams.run_gram]) ** 2
    norms = np.bincount(grams.run_reference, weights=own, minlength=len(batch.references))
    norms = norms + grams.singles * most**2
    return GramWeights(idf_of_group, np.sqrt(overlap.per_item(squared, len(batch))), np.sqrt(norms))


@dataclass(frozen=True, slots=True, eq=False)
class _ReferenceGrams:
    """The distinct n-grams of all references in the order of their codes, and every (n-gram, reference) with its count.

    With `repeated_only`, n-grams that occur once in all references are only counted, per reference, in `singles`.
    """

    codes: Codes
    df: Ints
    first: Ints
    run_gram: Ints
    run_reference: NDArray[np.int32]
    run_count: Ints
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
        """The value of each code, or `missing` for a code that no reference holds."""
        if not len(self.codes):
            return np.full(len(codes), missing)
        place = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[place] == codes, values[place], missing)


def _first_of(codes: Codes, texts: Ragged, size: int, n: int) -> Ints:
    """Which n-gram of the texts is the first of each of these codes."""
    all_codes, _ = ngrams(texts, n, size)
    order = stable_order(all_codes)
    return order[np.searchsorted(all_codes[order], codes)]


def _perhaps_repeated(codes: Codes) -> Ints:
    """The places of codes that may stand elsewhere too: none is missed, some are wrong."""
    bits = int(np.clip(4 * len(codes), 2**12, 2**25 - 1)).bit_length()
    slots = (mix(codes) & np.uint64(2**bits - 1)).astype(np.int64)
    places = np.arange(len(codes), dtype=np.int32)
    last = np.empty(2**bits, dtype=np.int32)
    last[slots] = places
    shared = np.zeros(2**bits, dtype=np.bool_)
    shared[slots[last[slots] != places]] = True
    return np.flatnonzero(shared[slots])


def _names(texts: Ragged, words: tuple[str, ...], chosen: Ints, n: int) -> list[str]:
    """The chosen n-grams of the texts as text."""
    ids, places = texts.ids, ngram_places(texts, n)[chosen]
    return [_BETWEEN_WORDS.join(words[number] for number in ids[p : p + n]) for p in places]


@dataclass(frozen=True, slots=True)
class Idf:
    """Saved document frequencies: in how many of `items` each n-gram (words joined by tabs) occurs."""

    items: int
    df: Mapping[str, int]

    def idf(self, names: list[str]) -> Floats:
        """The idf of n-grams; an unseen one weighs most."""
        df = np.array([self.df.get(name, 0) for name in names], dtype=np.float64)
        return np.log(self.items) - np.log(np.maximum(df, 1))


def save_idf(path: str | os.PathLike[str], batch: Encoded, *, tokenizer: str | None = None) -> Idf:
    """Count the references of a batch and write the frequencies, for `cider(idf='FILE')` elsewhere."""
    analyzer = Analyzer(tokenizer)
    df: dict[str, int] = {}
    for n in (1, 2, 3, 4):
        grams = _ReferenceGrams.of(batch, analyzer, n, repeated_only=False)
        units = batch.units(analyzer)
        names = _names(units.references, units.words, grams.first, n)
        df.update(zip(names, grams.df.tolist(), strict=True))
    with atomic(path) as stream:
        text = json_text({"format": 1, "items": len(batch), "df": df})
        stream.write(text.encode("utf-8") + b"\n")
    return Idf(len(batch), df)


@functools.cache
def load_idf(path: str) -> Idf:
    """Load document frequencies that `save_idf` wrote."""
    try:
        value = json.loads("\n".join(text for _, text in Source(path).texts()))
        if value["format"] != 1:
            raise DataError(f"`format` is {value['format']!r}; this version reads 1", file=path)
        return Idf(int(value["items"]), value["df"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError("not a saved idf", file=path) from error
