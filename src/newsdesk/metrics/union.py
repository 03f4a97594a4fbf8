"""Summary-level LCS (Lin 2004, section 3.2), as rouge_score and ROUGE-1.5.5 compute it.

Every sentence of the reference is matched with every sentence of the candidate; a word of the reference is hit if any of those
common subsequences holds it, and no word is hit more often than the candidate has it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.metrics.lcs import lcs_members
from newsdesk.text.borders import word_passages
from newsdesk.text.encode import Analyzer, Encoded, Text, word_units
from newsdesk.text.ragged import Ragged


def summary_level_hits(batch: Encoded, analyzer: Analyzer) -> tuple[Floats, Floats, Floats]:
    """For every reference: its hits, the candidate's length, its own length; sentences are lines."""
    candidates, of_candidate = _lines(batch.candidates)
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
    own = np.bincount(reference_of_word, minlength=len(batch.references))
    return hits, lengths.astype(np.float64), own.astype(np.float64)


def _lines(texts: tuple[Text, ...]) -> tuple[list[Text], Ints]:
    """All lines of all texts, and the text each belongs to. Ready tokens are one line unless they have marks of borders."""
    split = [
        text.split("\n") if isinstance(text, str) else list(map(tuple, word_passages(text)))
        for text in texts
    ]
    owner = np.repeat(np.arange(len(texts)), [len(lines) for lines in split])
    return [line for lines in split for line in lines], owner


def _sentence_pairs(batch: Encoded, of_candidate: Ints, of_reference: Ints) -> tuple[Ints, Ints]:
    """Every sentence of a reference with every sentence of its candidate."""
    first = np.searchsorted(of_candidate, np.arange(len(batch) + 1))
    item = batch.item_of_reference[of_reference]
    counts = np.diff(first)[item]
    left = np.repeat(np.arange(len(of_reference)), counts)
    step = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
    return left, np.repeat(first[item], counts) + step


def _places(rows: Ragged, chosen: Ints) -> Ints:
    """Where the numbers of the chosen rows stand, in the order `take` returns them."""
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
    """Hits per reference, no word more often than its candidate has it."""
    keys, counts = np.unique(reference_of * size + words, return_counts=True)
    owned, available = np.unique(item_of * size + candidate_words, return_counts=True)
    reference, word = keys // size, keys % size
    wanted = batch.item_of_reference[reference] * size + word
    place = np.minimum(np.searchsorted(owned, wanted), max(len(owned) - 1, 0))
    limit = np.where(owned[place] == wanted, available[place], 0) if len(owned) else np.zeros(0)
    hits = np.minimum(counts, limit)
    sums = np.bincount(reference, weights=hits, minlength=len(batch.references))
    return sums.astype(np.float64)
