"""N-gram overlap of candidates with each of their references, for a whole batch at once.

The join is the heart of BLEU, ROUGE-N, METEOR, CIDEr and chrF. Codes of n-grams are mixed with their item, so that one sorted
array of candidate keys serves all items. Nearly all n-grams of references match nothing: a table of one byte per hash drops
them before the exact search, which is what makes this ten times as fast as sorting everything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.text.encode import Analyzer, Encoded
from newsdesk.text.ragged import Codes, mix, ngrams

_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The distinct n-grams of every candidate (groups), and the references with them (rows by group).

    Row k says: reference `reference[k]` holds the n-gram of group `group[k]` `in_reference[k]` times. A group is one n-gram of
    one item: `group_item` and `group_count` say which item, and how often the candidate holds it.
    """

    group: Ints
    reference: Ints
    in_reference: Ints
    group_item: Ints
    group_count: Ints
    group_code: Codes
    candidate_totals: Ints
    reference_totals: Ints

    @property
    def clipped(self) -> Ints:
        """How many occurrences each row shares: the lesser of the two counts."""
        return np.minimum(self.group_count[self.group], self.in_reference)

    def per_reference(self, weights: Floats | Ints) -> Floats:
        """Sum row weights over each reference."""
        size = len(self.reference_totals)
        return np.bincount(self.reference, weights=weights, minlength=size).astype(np.float64)

    def best_per_group(self, row_values: Floats | Ints) -> Floats:
        """Return the largest row value of each group, 0 where no reference holds the n-gram."""
        best = np.zeros(len(self.group_item))
        if len(self.group):
            starts = np.flatnonzero(np.diff(self.group, prepend=-1))
            best[self.group[starts]] = np.maximum.reduceat(row_values, starts)
        return best

    def per_item(self, group_values: Floats, items: int) -> Floats:
        """Sum group values over each item."""
        sums = np.bincount(self.group_item, weights=group_values, minlength=items)
        return sums.astype(np.float64)


def matches(batch: Encoded, analyzer: Analyzer, n: int) -> Matches:
    """Return the shared n-grams of a batch, computed once per analyzer and n."""
    return batch.once(("matches", analyzer, n), lambda: _join(batch, analyzer, n))


def _join(batch: Encoded, analyzer: Analyzer, n: int) -> Matches:
    units = batch.units(analyzer)
    size = len(units.words)
    codes_c, offsets_c = ngrams(units.candidates, n, size)
    codes_r, offsets_r = ngrams(units.references, n, size)
    totals_c, totals_r = np.diff(offsets_c), np.diff(offsets_r)

    item_c = np.repeat(np.arange(len(batch)), totals_c)
    keys_c = _with_item(codes_c, item_c)
    order = np.argsort(keys_c, kind="stable")
    sorted_keys = keys_c[order]
    first = np.flatnonzero(
        np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])[: len(order)]
    )
    distinct = sorted_keys[first]

    reference_r = np.repeat(np.arange(len(totals_r)), totals_r)
    keys_r = _with_item(codes_r, batch.item_of_reference[reference_r])
    possible = _possible(distinct, keys_r)
    place = np.searchsorted(distinct, keys_r[possible])
    hit = (
        distinct[np.minimum(place, len(distinct) - 1)] == keys_r[possible]
        if len(distinct)
        else place < 0
    )
    rows, counts = _runs(place[hit] * len(totals_r) + reference_r[possible[hit]])
    return Matches(
        group=rows // max(len(totals_r), 1),
        reference=rows % max(len(totals_r), 1),
        in_reference=counts,
        group_item=item_c[order[first]],
        group_count=np.diff(np.append(first, len(order))),
        group_code=codes_c[order[first]],
        candidate_totals=totals_c,
        reference_totals=totals_r,
    )


def _with_item(codes: Codes, items: Ints) -> Codes:
    """Codes that are equal only for the same n-gram in the same item."""
    return mix(codes + _ODD * (items.astype(np.uint64) + np.uint64(1)))


def _possible(distinct: Codes, keys: Codes) -> Ints:
    """Return the places of keys that may be among the distinct ones: none is missed, few are wrong."""
    bits = int(np.clip(len(distinct) * 32, 2**12, 2**25)).bit_length()
    mask = np.uint64(2**bits - 1)
    table = np.zeros(2**bits, dtype=np.bool_)
    table[distinct & mask] = True
    return np.flatnonzero(table[keys & mask])


def _runs(values: Ints) -> tuple[Ints, Ints]:
    """Return the distinct values in order, and how often each came."""
    values = np.sort(values)
    first = np.flatnonzero(np.diff(values, prepend=-1))
    return values[first], np.diff(np.append(first, len(values)))
