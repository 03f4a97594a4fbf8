"""The n-grams that candidates share with each of their references, for a whole batch at once: the heart of BLEU, ROUGE-N, CIDEr and chrF.

An n-gram of a candidate is a group: the group of its first n − 1 words, and its last word. So one 64-bit key is enough for any n and any vocabulary,
and a place of a reference is looked up for n only if its first n − 1 words were found. Groups are numbered item by item, in the order of their
words' numbers, whichever way they are found.

Keys are sorted with the place they stand at in their low bits: sorting plain numbers is several times as fast as sorting an index.
Where several references of an item hold a group, the counts of each come from one more sort; with one reference per item counting is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.kernel import NumberedSides, has_kernel
from newsdesk.text.encode import Analyzer, Encoded
from newsdesk.text.lookup import GroupedKeys, find
from newsdesk.text.ragged import Codes, Ragged

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The distinct n-grams of every candidate (groups), and the references with them (rows by group).

    Row k says: reference `reference[k]` holds the n-gram of group `group[k]` `in_reference[k]` times. A group is one n-gram of
    one item: `group_item`, `group_count` and `group_place` say which item, how often the candidate holds it, and at which word of
    all candidates it first begins.
    """

    group: Ints  # of each row, ascending
    reference: Ints
    in_reference: Ints
    group_item: Ints
    group_count: Ints
    group_place: Ints
    candidate_totals: Ints  # n-grams of each item's candidate
    reference_totals: Ints  # n-grams of each reference

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


def matches(batch: Encoded, analyzer: Analyzer, orders: int) -> list[Matches]:
    """Return the shared n-grams of a batch for n = 1 … orders, computed once per analyzer."""
    if has_kernel():
        return _up_to(batch, ("matches by kernel", analyzer), orders, _matches_by_kernel)
    return [_matches(batch, analyzer, n) for n in range(1, orders + 1)]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """How many n-grams candidates share with their references, for one n.

    An n-gram counts as often as both texts have it; `of_item` takes for each n-gram the reference that has it most often.
    """

    of_reference: Floats
    of_item: Floats
    candidate_totals: Ints  # n-grams of each item's candidate
    reference_totals: Ints  # n-grams of each reference


def hits(batch: Encoded, analyzer: Analyzer, orders: int) -> list[Hits]:
    """Return the numbers of shared n-grams for n = 1 … orders, computed once per analyzer."""
    if has_kernel():
        return _up_to(batch, ("hits", analyzer), max(orders, _LEAST_ORDERS), _hits_by_kernel)[
            :orders
        ]
    return [
        Hits(
            overlap.per_reference(overlap.clipped),
            overlap.per_item(overlap.best_per_group(overlap.clipped), len(batch)),
            overlap.candidate_totals,
            overlap.reference_totals,
        )
        for overlap in matches(batch, analyzer, orders)
    ]


_LEAST_ORDERS = 2  # are counted at once: who asks for ROUGE-1 mostly asks for ROUGE-2 next


def _up_to(
    batch: Encoded,
    key: tuple[str, Analyzer],
    orders: int,
    make: Callable[[Encoded, Analyzer, int], list[T]],
) -> list[T]:
    """Return what was made for so many orders or more, or make it."""
    made = batch.once(key, dict[str, list[T]])
    if len(made.get("orders", ())) < orders:
        made["orders"] = make(batch, key[1], orders)
    return made["orders"][:orders]


def sides(batch: Encoded, analyzer: Analyzer) -> NumberedSides:
    """Return the numbered texts of a batch as the kernel reads them."""
    units = batch.units(analyzer)
    candidates, references = units.candidates, units.references
    arrays = (candidates.ids, candidates.offsets, references.ids, references.offsets)
    return NumberedSides(*arrays, batch.reference_offsets, len(units.words))


def _hits_by_kernel(batch: Encoded, analyzer: Analyzer, orders: int) -> list[Hits]:
    units = batch.units(analyzer)
    of_reference, of_item = sides(batch, analyzer).hits(orders)
    return [
        Hits(
            of_reference[n - 1].astype(np.float64),
            of_item[n - 1].astype(np.float64),
            gram_totals(units.candidates, n),
            gram_totals(units.references, n),
        )
        for n in range(1, orders + 1)
    ]


def _matches_by_kernel(batch: Encoded, analyzer: Analyzer, orders: int) -> list[Matches]:
    units = batch.units(analyzer)
    return [
        Matches(
            group=group,
            reference=reference,
            in_reference=in_reference,
            group_item=item,
            group_count=count,
            group_place=place,
            candidate_totals=gram_totals(units.candidates, n),
            reference_totals=gram_totals(units.references, n),
        )
        for n, (item, count, place, group, reference, in_reference) in enumerate(
            sides(batch, analyzer).matches(orders), 1
        )
    ]


def _matches(batch: Encoded, analyzer: Analyzer, n: int) -> Matches:
    return batch.once(("matches", analyzer, n), lambda: _joined(batch, analyzer, n))


def _joined(batch: Encoded, analyzer: Analyzer, n: int) -> Matches:
    """Put the rows and groups of all blocks together."""
    units = batch.units(analyzer)
    columns: list[list[Ints]] = [[] for _ in range(6)]
    groups = 0
    for block, chain in zip(_blocks(batch, analyzer), _chains(batch, analyzer, n), strict=True):
        group, reference, in_reference = _rows(block, chain)
        rows = (group + groups, reference + block.first_reference, in_reference)
        described = (chain.item + block.first_item, chain.count, chain.first + block.first_word)
        for column, values in zip(columns, (*rows, *described), strict=True):
            column.append(values)
        groups += len(chain.item)
    group, reference, in_reference, item, count, place = map(np.concatenate, columns)
    return Matches(
        group=group,
        reference=reference,
        in_reference=in_reference,
        group_item=item,
        group_count=count,
        group_place=place,
        candidate_totals=gram_totals(units.candidates, n),
        reference_totals=gram_totals(units.references, n),
    )


def gram_totals(texts: Ragged, n: int) -> Ints:
    """Return how many n-grams each text has."""
    return np.maximum(texts.lengths - n + 1, 0)


def _rows(block: _Block, chain: _Chain) -> tuple[Ints, Ints, Ints]:
    """Return the distinct pairs of group and reference in order, and how often each came."""
    if block.one_each:  # the group says which reference
        counts = np.bincount(chain.hit_group, minlength=len(chain.item))
        group = np.flatnonzero(counts)
        return group, chain.item[group], counts[group]
    references = len(block.references)
    values = np.sort(chain.hit_group * references + chain.hit_reference)
    first = np.flatnonzero(np.diff(values, prepend=-1))
    distinct = values[first]
    group = distinct // references
    return group, distinct - group * references, np.diff(first, append=len(values))


_BLOCK_WORDS = (
    1 << 16
)  # about as many words are matched at a time, so that all arrays stay in the cache


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Some items of a batch that follow each other, counted from 0."""

    candidates: Ragged
    references: Ragged
    owners: Ints  # the item of each reference
    one_each: bool
    first_item: int
    first_word: int  # of the candidates
    first_reference: int


def _blocks(batch: Encoded, analyzer: Analyzer) -> list[_Block]:
    def make() -> list[_Block]:
        units, starts = batch.units(analyzer), batch.reference_offsets
        words = units.candidates.offsets + units.references.offsets[starts]  # before each item
        borders = np.searchsorted(words, np.arange(0, words[-1], _BLOCK_WORDS)).tolist()
        borders = sorted({0, *borders, len(batch)})
        blocks = []
        for first, end in pairwise(borders):
            counts = np.diff(starts[first : end + 1])
            block = _Block(
                units.candidates.between(first, end),
                units.references.between(int(starts[first]), int(starts[end])),
                owners=np.repeat(np.arange(end - first), counts),
                one_each=bool((counts == 1).all()),
                first_item=first,
                first_word=int(units.candidates.offsets[first]),
                first_reference=int(starts[first]),
            )
            blocks.append(block)
        return blocks

    return batch.once(("blocks", analyzer), make)


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    """The groups of all candidates for one n, and the places where one of them begins."""

    first: Ints  # of each group: the first word of all candidates where it begins
    item: Ints
    count: Ints
    place: Ints  # of each n-gram of the candidates: where it begins
    group: NDArray[np.int32]
    hit_place: Ints  # of each n-gram of the references that is one of their item's groups
    hit_group: Ints
    hit_reference: NDArray[np.int32]


def _chains(batch: Encoded, analyzer: Analyzer, n: int) -> list[_Chain]:
    def make() -> list[_Chain]:
        blocks = _blocks(batch, analyzer)
        bits = np.uint64(max(1, len(batch.units(analyzer).words).bit_length()))
        before = map(_start, blocks) if n == 1 else _chains(batch, analyzer, n - 1)
        return [_extended(*pair, n, bits) for pair in zip(blocks, before, strict=True)]

    return batch.once(("chains", analyzer, n), make)


def _start(block: _Block) -> _Chain:
    """Return the groups of no words: one for each item, at every word of its texts."""
    items = np.arange(len(block.candidates))
    numbers = np.arange(len(block.references), dtype=np.int32)
    reference = np.repeat(numbers, block.references.lengths)
    return _Chain(
        first=items,
        item=items,
        count=items,
        place=np.arange(len(block.candidates.ids)),
        group=np.repeat(items.astype(np.int32), block.candidates.lengths),
        hit_place=np.arange(len(block.references.ids)),
        hit_group=block.owners[reference],
        hit_reference=reference,
    )


def _extended(block: _Block, before: _Chain, n: int, bits: np.uint64) -> _Chain:
    """Find the groups of n words among the places of those of n − 1; `bits` hold a word."""

    def keys(texts: Ragged, places: Ints, groups: Ints | NDArray[np.int32]) -> Codes:
        codes = groups.astype(np.uint64)
        codes <<= bits
        codes |= texts.ids[places + (n - 1)].astype(np.uint64)
        return codes

    kept = _long_enough(block.candidates, before.place, n)
    place = before.place[kept]
    grouped = GroupedKeys.of(keys(block.candidates, place, before.group[kept]))
    kept = _long_enough(block.references, before.hit_place, n)
    hit_place = before.hit_place[kept]
    hits, groups = find(grouped.keys, keys(block.references, hit_place, before.hit_group[kept]))
    return _Chain(
        first=place[grouped.first],
        item=before.item[(grouped.keys >> bits).astype(np.int64)],
        count=grouped.counts,
        place=place,
        group=grouped.group_of,
        hit_place=hit_place[hits],
        hit_group=groups,
        hit_reference=before.hit_reference[kept][hits],
    )


def _long_enough(texts: Ragged, places: Ints, n: int) -> Ints | slice:
    """Return which places have n words before the end of their text, of places that have n − 1."""
    if n == 1:
        return slice(None)
    inside = np.ones(len(texts.ids), dtype=np.bool_)
    # Of a text that is shorter it is a place that was left out before.
    last = texts.offsets[1:] - (n - 1)
    inside[last[last >= 0]] = False
    return np.flatnonzero(inside[places])
