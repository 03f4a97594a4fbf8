"""Input and output of every aligner: pairs of texts as word numbers, and counts of matches and chunks per pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Bools, Ints
from newsdesk.text.ragged import Ragged, offsets_of

EXACT, STEM, SYNONYM = 0, 1, 2
STAGES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Every reference with the candidate of its item.

    Reference r belongs to candidate `item[r]`. `stem_of` and `is_function` are looked up by word number; where every word is its own
    stem there are exact matches only.
    """

    candidates: Ragged
    references: Ragged
    item: Ints
    stem_of: Ints
    is_function: Bools

    def __len__(self) -> int:
        return len(self.item)

    def places(self) -> Ints:
        """Return where the candidate tokens of each pair begin, if every pair had its own copy of them."""
        return offsets_of(self.candidates.lengths[self.item])


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Matches per pair and stage, the function words among them (of both sides), and links.

    A link is a pair of neighbours matched with a pair of neighbours: matches minus links are chunks.
    """

    matches: Ints  # pairs × stages
    function: Ints  # pairs × stages × 2
    links: Ints  # pairs

    @classmethod
    def nothing(cls, pairs: int) -> Matched:
        """Zero counts: no matches for any of so many pairs."""
        shapes = ((pairs, STAGES), (pairs, STAGES, 2), (pairs,))
        return cls(*(np.zeros(shape, dtype=np.int64) for shape in shapes))

    @classmethod
    def tally(cls, pairs: Pairs, pair: Ints, token: Ints, partner: Ints, stage: Ints) -> Matched:
        """Count matches: reference tokens in text order, their pairs, their candidate tokens, their stages."""
        kind = pair * STAGES + stage  # matches: one number for each pair and stage
        size = len(pairs) * STAGES
        sides = (pairs.candidates.ids[partner], pairs.references.ids[token])
        # Function words among the matches, of each side: 2 × (pairs · stages).
        functions = [np.bincount(kind[pairs.is_function[words]], minlength=size) for words in sides]
        # A match is linked to the one before if both tokens follow: matches − 1.
        linked = (np.diff(token) == 1) & (np.diff(partner) == 1) & (np.diff(pair) == 0)
        return cls(
            np.bincount(kind, minlength=size).reshape(-1, STAGES),
            np.stack(functions, axis=1).reshape(-1, STAGES, 2),
            np.bincount(pair[1:][linked], minlength=len(pairs)),
        )

    def plus(self, other: Matched) -> Matched:
        """Return both together, where they are about different tokens."""
        return Matched(
            self.matches + other.matches,
            self.function + other.function,
            self.links + other.links,
        )


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """The sufficient statistics of METEOR for each (candidate, reference) pair.

    Sides are candidate, reference.
    """

    lengths: Ints  # pairs × 2
    function_words: Ints  # pairs × 2
    matches: Ints  # pairs × stages
    matched_function: Ints  # pairs × stages × 2
    chunks: Ints  # pairs

    @classmethod
    def of(cls, pairs: Pairs, matched: Matched) -> PairCounts:
        """Add the lengths of the texts to what was matched."""
        texts = (pairs.candidates, pairs.references)
        lengths = [text.lengths for text in texts]  # 2 × texts
        functions = [_function_words(text, pairs.is_function) for text in texts]
        return cls(
            np.stack((lengths[0][pairs.item], lengths[1]), axis=1),
            np.stack((functions[0][pairs.item], functions[1]), axis=1),
            matched.matches,
            matched.function,
            matched.matches.sum(axis=1) - matched.links,
        )

    @property
    def total(self) -> Ints:
        """The number of matches of each pair over all stages."""
        return self.matches.sum(axis=1)

    @property
    def whole(self) -> Bools:
        """Whether one chunk covers both texts."""
        covered = (self.lengths == self.total[:, None]).all(axis=1)
        return covered & (self.chunks == 1)


def _function_words(texts: Ragged, is_function: Bools) -> Ints:
    sums = offsets_of(
        is_function[texts.ids].astype(np.int64)
    )  # tokens + 1: function words before each token
    return sums[texts.offsets[1:]] - sums[texts.offsets[:-1]]
