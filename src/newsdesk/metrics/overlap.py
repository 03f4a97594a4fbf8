"""Longest common subsequences of candidates with each of their references, for a whole batch at once.

Lengths come from rapidfuzz's bit-parallel code. Positions need the table: it is filled row by row for thousands of pairs at a time, since
a row of LCS lengths is a running maximum of the row above. Which LCS is taken matters when tokens repeat (6 to 27 % of short items), so each rule has a
name. In the summary-level LCS (Lin 2004, section 3.2), as rouge_score and ROUGE-1.5.5 compute it, every sentence of the reference is matched with every
sentence of the candidate; a word of the reference is hit if any of those subsequences holds it, and no word is hit more often than the candidate has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist

from newsdesk.arrays import Floats, Ints
from newsdesk.text.encode import Analyzer, Encoded, Text, word_units
from newsdesk.text.normalize import word_passages
from newsdesk.text.ragged import Ragged

_SURROGATES, _SURROGATE_COUNT = 0xD800, 0x800  # code points that no string may hold
_MOST_CHARACTERS = 0x110000 - _SURROGATE_COUNT
_CHUNK_CELLS = 4_000_000  # of LCS tables held at a time


def lcs_lengths(first: Ragged, second: Ragged) -> Ints:
    """Return the LCS length of row i of `first` with row i of `second`."""
    if not len(first):
        return np.zeros(0, dtype=np.int64)
    largest = max(int(side.ids.max(initial=0)) for side in (first, second))
    texts = _strings if largest < _MOST_CHARACTERS else _lists
    scores = cpdist(texts(first), texts(second), scorer=LCSseq.similarity, dtype=np.int32)
    return scores.astype(np.int64)


def _strings(rows: Ragged) -> list[str]:
    """Return each row as a string with one character per number, which rapidfuzz reads fastest."""
    codes = rows.ids.astype(np.uint32)
    codes[codes >= _SURROGATES] += _SURROGATE_COUNT
    text = codes.tobytes().decode("utf-32-le")
    return [text[begin:end] for begin, end in pairwise(rows.offsets.tolist())]


def _lists(rows: Ragged) -> list[list[int]]:
    return [row.tolist() for row in rows]


Rule = Literal["leftmost", "rouge_score"]


def lcs_members(first: Ragged, second: Ragged, rule: Rule) -> NDArray[np.bool_]:
    """Return for every number of `first` whether it is in the LCS of its row with that row of `second`.

    `leftmost` takes the earliest places in `first`; `rouge_score` goes back from the end as that package does, where `first` is
    its reference.
    """
    member = np.zeros(len(first.ids), dtype=np.bool_)
    for rows in _chunks(first, second):
        a, b = _padded(first, rows, -1), _padded(second, rows, -2)
        if rule == "leftmost":
            # From the front with a table of suffixes: turn both around, fill, and read from the far end.
            table = _table(_reversed(a, first.lengths[rows]), _reversed(b, second.lengths[rows]))
            members = _walk_forward(table, a, b, first.lengths[rows], second.lengths[rows])
        else:
            members = _walk_back(_table(a, b), a, b, first.lengths[rows], second.lengths[rows])
        places = first.offsets[rows][:, None] + np.arange(a.shape[1])
        inside = np.arange(a.shape[1]) < first.lengths[rows][:, None]
        member[places[inside]] = members[inside]
    return member


def _chunks(first: Ragged, second: Ragged) -> Iterator[Ints]:
    """Yield rows of like length together, as many as the memory for their tables allows."""
    cells = (first.lengths + 1) * (second.lengths + 1)
    order = np.argsort(first.lengths * 1_000_000 + second.lengths, kind="stable")
    order = order[cells[order] > 0]
    start = 0
    while start < len(order):
        following = cells[order[start:]][: _CHUNK_CELLS // int(cells[order[start]]) + 1]
        # The first n rows need n tables as large as the largest of them.
        needed = np.maximum.accumulate(following) * np.arange(1, len(following) + 1)
        count = max(int(np.searchsorted(needed, _CHUNK_CELLS, side="right")), 1)
        yield order[start : start + count]
        start += count


def _padded(rows: Ragged, chosen: Ints, filler: int) -> NDArray[np.int32]:
    """Return the chosen rows as one matrix.

    The fillers of the two sides differ, so that padding never matches.
    """
    lengths = rows.lengths[chosen]
    matrix = np.full((len(chosen), int(lengths.max(initial=0))), filler, dtype=np.int32)
    inside = np.arange(matrix.shape[1]) < lengths[:, None]
    matrix[inside] = rows.take(chosen).ids
    return matrix


def _reversed(matrix: NDArray[np.int32], lengths: Ints) -> NDArray[np.int32]:
    """Return each row turned around within its own length."""
    columns = np.arange(matrix.shape[1])
    places = np.where(columns < lengths[:, None], lengths[:, None] - 1 - columns, columns)
    return np.take_along_axis(matrix, places, axis=1)


def _table(a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.int16]:
    """Fill table[i, p, j]: the LCS length of the first i of row p of `a` and the first j of that of `b`."""
    table = np.zeros((a.shape[1] + 1, len(a), b.shape[1] + 1), dtype=np.int16)
    for i in range(a.shape[1]):
        with_match = table[i, :, :-1] + (b == a[:, i, None])
        best = np.maximum(table[i, :, 1:], with_match)
        np.maximum.accumulate(best, axis=1, out=table[i + 1, :, 1:])
    return table


def _walk_back(
    table: NDArray[np.int16], a: NDArray[np.int32], b: NDArray[np.int32], m: Ints, n: Ints
) -> NDArray[np.bool_]:
    """Return which numbers of `a` are in the LCS, by rouge_score's way from the end.

    Take a match, else drop from `b` only if that keeps strictly more. `m` and `n` are the lengths of the
    rows of `a` and `b`.
    """
    member = np.zeros(a.shape, dtype=np.bool_)
    pairs = np.arange(len(a))
    i, j = m.copy(), n.copy()
    while len(pairs):
        alive = (i > 0) & (j > 0)
        pairs, i, j = pairs[alive], i[alive], j[alive]
        equal = a[pairs, i - 1] == b[pairs, j - 1]
        member[pairs[equal], i[equal] - 1] = True
        drop_b = ~equal & (table[i, pairs, j - 1] > table[i - 1, pairs, j])
        i, j = i - ~drop_b, j - (equal | drop_b)
    return member


def _walk_forward(
    table: NDArray[np.int16], a: NDArray[np.int32], b: NDArray[np.int32], m: Ints, n: Ints
) -> NDArray[np.bool_]:
    """Return which numbers of `a` are in the LCS, from the front; `table` is that of the reversed rows.

    Take a match, else drop from `b` while that costs nothing, so that `a` stays as far left as it can.
    `m` and `n` are the lengths of the rows of `a` and `b`.
    """
    member = np.zeros(a.shape, dtype=np.bool_)
    pairs = np.arange(len(a))
    i, j = np.zeros_like(m), np.zeros_like(n)
    while len(pairs):
        alive = (i < m[pairs]) & (j < n[pairs])
        pairs, i, j = pairs[alive], i[alive], j[alive]
        equal = a[pairs, i] == b[pairs, j]
        member[pairs[equal], i[equal]] = True
        left, right = m[pairs] - i, n[pairs] - j
        drop_b = ~equal & (table[left, pairs, right - 1] == table[left, pairs, right])
        i, j = i + ~drop_b, j + (equal | drop_b)
    return member


def summary_level_hits(batch: Encoded, analyzer: Analyzer) -> tuple[Floats, Floats, Floats]:
    """Return for every reference its hits, the candidate's length, its own length; lines are sentences."""
    candidates, of_candidate = _lines(batch.candidates)  # sentences, and the text of each
    references, of_reference = _lines(batch.references)
    rows, size = word_units([*candidates, *references], analyzer, batch.lang)
    split = len(candidates)
    candidate_rows = rows.take(np.arange(split))
    reference_rows = rows.take(np.arange(split, len(rows)))

    left, right = _sentence_pairs(batch, of_candidate, of_reference)
    member = lcs_members(reference_rows.take(left), candidate_rows.take(right), "rouge_score")
    hit = np.zeros(len(reference_rows.ids), dtype=np.bool_)
    hit[_places(reference_rows, left)[member]] = True

    reference_of_word = of_reference[reference_rows.rows]
    item_of_word = of_candidate[candidate_rows.rows]
    hits = _clipped(
        reference_rows.ids[hit],
        reference_of_word[hit],
        candidate_rows.ids,
        item_of_word,
        batch,
        size,
    )
    lengths = np.bincount(item_of_word, minlength=len(batch))[batch.item_of_reference]
    reference_lengths = np.bincount(reference_of_word, minlength=len(batch.references))
    return hits, lengths.astype(np.float64), reference_lengths.astype(np.float64)


def _lines(texts: tuple[Text, ...]) -> tuple[list[Text], Ints]:
    """Return all lines of all texts, and the text each belongs to.

    Ready tokens are one line unless they have marks of borders.
    """
    split = [
        text.split("\n") if isinstance(text, str) else list(map(tuple, word_passages(text)))
        for text in texts
    ]
    owner = np.repeat(np.arange(len(texts)), [len(lines) for lines in split])
    return [line for lines in split for line in lines], owner


def _sentence_pairs(batch: Encoded, of_candidate: Ints, of_reference: Ints) -> tuple[Ints, Ints]:
    """Return every sentence of a reference with every sentence of its candidate, as two index lists."""
    first = np.searchsorted(of_candidate, np.arange(len(batch) + 1))  # sentence of each candidate
    item = batch.item_of_reference[of_reference]  # of each sentence of a reference
    counts = np.diff(first)[item]
    left = np.repeat(np.arange(len(of_reference)), counts)
    number = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
    return left, np.repeat(first[item], counts) + number


def _places(rows: Ragged, chosen: Ints) -> Ints:
    """Return where the numbers of the chosen rows stand, in the order `take` returns them."""
    numbered = Ragged(np.arange(len(rows.ids), dtype=np.int32), rows.offsets)
    return numbered.take(chosen).ids.astype(np.int64)


def _clipped(
    words: NDArray[np.int32],
    reference_of: Ints,
    candidate_words: NDArray[np.int32],
    item_of: Ints,
    batch: Encoded,
    size: int,
) -> Floats:
    """Return the hits of each reference, no word more often than its candidate has it.

    `words` are the words hit, of the references `reference_of`; `candidate_words` are those of the items
    `item_of`. `size` is the number of distinct words.
    """
    # One key for each (reference, word), and one for each (item, word) of candidates.
    keys, counts = np.unique(reference_of * size + words, return_counts=True)
    owned, available = np.unique(item_of * size + candidate_words, return_counts=True)
    reference, word = keys // size, keys % size
    wanted = batch.item_of_reference[reference] * size + word
    index = np.minimum(np.searchsorted(owned, wanted), max(len(owned) - 1, 0))
    limit = np.where(owned[index] == wanted, available[index], 0) if len(owned) else np.zeros(0)
    hits = np.minimum(counts, limit)
    sums = np.bincount(reference, weights=hits, minlength=len(batch.references))
    return sums.astype(np.float64)
