"""The entry point of the aligners: a value that selects a matching rule and caches its counts per batch.

NLTK's alignment, for many pairs at once.

NLTK takes candidate words from the right, each to the last free equal word of the reference. So the r-th equal word from the right on
one side goes with the r-th from the right on the other, and no search is needed. Words left over are matched by stem in the
same way. Chunks are whatever comes out.

The alignment of METEOR 2005 (Banerjee and Lavie, section 2.1): stage by stage the most matches, and of those the fewest crossings.

Two matches cross if their order differs in the two texts. Each stage (exact, then stem) matches what the stage before left over; crossings
are counted with everything matched so far. Which of several words to leave out is a search, pair by pair and in plain Python, some
twenty times as slow as `chunks`. It follows the best 256 partial alignments and is exact while there are
no more; between equals the leftmost wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Ints
from newsdesk.metrics.alignment.chunks import FULL, JAR, fewest_chunks
from newsdesk.metrics.alignment.pairs import EXACT, STEM, Groups, Matched, PairCounts, Pairs
from newsdesk.metrics.alignment.synonyms import with_synonyms, wordnet
from newsdesk.packaged import table
from newsdesk.text.encode import Analyzer, Encoded
from newsdesk.text.ragged import WordNumbers
from newsdesk.text.stem import stemmer


def from_the_right(pairs: Pairs) -> PairCounts:
    """Match each reference with its candidate as NLTK does, and count."""
    partner = np.full(len(pairs.references.ids), -1)  # reference tokens: their candidate token
    stage = np.full(len(partner), EXACT)
    _match(pairs, np.arange(len(pairs.stem_of)), partner)
    stage[partner < 0] = STEM
    _match(pairs, pairs.stem_of, partner)
    token = np.flatnonzero(partner >= 0)  # matches
    pair = pairs.references.rows[token]
    matched = Matched.tally(pairs, pair, token, partner[token], stage[token])
    return PairCounts.of(pairs, matched)


def _match(pairs: Pairs, key_of: Ints, partner: Ints) -> None:
    """Give free reference tokens a free candidate token of the same key, and write it into `partner`.

    `key_of` has the key (word or stem) of each word; `partner` is -1 for free reference tokens.
    """
    groups = Groups.of(pairs.candidates, key_of)
    # Free reference tokens whose key the candidate has, and their slot: one for each pair and key.
    free = np.flatnonzero(partner < 0)
    pair = pairs.references.rows[free]
    group = groups.find(pairs.item[pair] * len(key_of) + key_of[pairs.references.ids[free]])
    free, pair, group = (column[group >= 0] for column in (free, pair, group))
    slots = groups.slots(pairs.item)
    slot = slots[pair] + groups.local[group]

    # The r-th free token from the right of a slot goes with the r-th of the other side.
    token, other_slot = _free_candidates(pairs, groups, partner, slots, slot)
    longest = max(
        int(pairs.candidates.lengths.max(initial=0)), int(pairs.references.lengths.max(initial=0))
    )
    left, right = (_from_right(slots_of_side, longest + 1) for slots_of_side in (other_slot, slot))
    _, at_left, at_right = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    partner[free[at_right]] = token[at_left]


def _free_candidates(
    pairs: Pairs, groups: Groups, partner: Ints, slots: Ints, wanted: Ints
) -> tuple[Ints, Ints]:
    """Return the free candidate tokens of every pair that stand in a wanted slot, and that slot.

    `slots` has where the slots of each pair begin.
    """
    places, owners = pairs.places(), pairs.references.rows
    first = pairs.candidates.offsets[pairs.item]
    taken = np.zeros(int(places[-1]), dtype=np.bool_)  # candidate tokens, a copy for each pair
    matched = np.flatnonzero(partner >= 0)
    pair = owners[matched]
    taken[places[pair] + partner[matched] - first[pair]] = True
    is_wanted = np.zeros(int(slots[-1]), dtype=np.bool_)  # slots
    is_wanted[wanted] = True
    # Candidate tokens: the number of their group within the item.
    local = np.empty(len(groups.tokens), dtype=np.int64)
    local[groups.tokens] = np.repeat(groups.local, groups.size)
    position = np.flatnonzero(~taken)
    pair = np.repeat(np.arange(len(pairs)), np.diff(places))[position]
    token = position - places[pair] + first[pair]
    slot = slots[pair] + local[token]
    matching = is_wanted[slot]
    return token[matching], slot[matching]


def _from_right(slot: Ints, width: int) -> Ints:
    """Return a key of the slot and the token's number among the slot's tokens, counted from the right."""
    order = np.argsort(slot, kind="stable")[::-1]  # by slot, the last token first
    ordered = slot[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    number = np.empty(len(slot), dtype=np.int64)
    number[order] = np.arange(len(slot)) - np.repeat(first, np.diff(first, append=len(slot)))
    return slot * width + number


WIDTH = 256  # partial alignments that are followed

Link = tuple[int, int]  # (reference position, candidate position)


def fewest_crossings(pairs: Pairs) -> PairCounts:
    """Match each reference with its candidate as METEOR 2005 does, and count."""
    stems = pairs.stem_of.tolist()
    # (pair, reference token, candidate token, stage) of each match
    rows = [
        (pair, pairs.references.offsets[pair] + j, pairs.candidates.offsets[item] + i, stage)
        for pair, item in enumerate(pairs.item)
        for j, i, stage in align(
            pairs.candidates[item].tolist(), pairs.references[pair].tolist(), stems
        )
    ]
    pair, token, partner, stage = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return PairCounts.of(pairs, Matched.tally(pairs, pair, token, partner, stage))


def align(
    candidate: Sequence[int], reference: Sequence[int], stem_of: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Return the (reference position, candidate position, stage) of all matches, by reference position.

    The texts are word numbers, and `stem_of` has the stem of each word number.

    >>> align([0, 1, 0, 2], [0, 2, 1], [0, 1, 2])
    [(0, 0, 0), (1, 3, 0), (2, 1, 0)]
    """
    links: list[Link] = []
    stages: list[int] = []
    for stage, key_of in ((EXACT, range(len(stem_of))), (STEM, stem_of)):
        left = {i: key_of[word] for i, word in enumerate(candidate)}
        right = {j: key_of[word] for j, word in enumerate(reference)}
        for j, i in links:
            del left[i], right[j]
        new = _stage(left, right, links)
        links, stages = links + new, stages + [stage] * len(new)
    return sorted((j, i, stage) for (j, i), stage in zip(links, stages, strict=True))


@dataclass(frozen=True, slots=True)
class _Path:
    """A partial alignment: how many crossings it has, and its links."""

    crossings: int
    links: tuple[Link, ...]


def _stage(left: dict[int, int], right: dict[int, int], fixed: Sequence[Link]) -> list[Link]:
    """Return the most links between free positions of equal key, with the fewest crossings.

    `left` and `right` have the key of each free position of candidate and reference; `fixed` are the links
    of the stages before, which are crossed too.
    """
    places: dict[int, list[int]] = {}  # the candidate positions of each key
    for i, key in left.items():
        places.setdefault(key, []).append(i)
    remaining = Counter(right.values())  # reference positions still to come, by key
    need = {key: min(len(positions), remaining[key]) for key, positions in places.items()}
    paths = {0: _Path(0, ())}  # by the candidate positions in use, as bits
    for j, key in right.items():
        remaining[key] -= 1
        if not need.get(key):
            continue
        grown: dict[int, _Path] = {}
        for used, path in paths.items():
            for place in _ways(used, places[key], need[key], remaining[key]):
                now, new = used, path  # left out
                if place is not None:
                    now, new = _with_link(used, path, (j, place), fixed)
                if now not in grown or new.crossings < grown[now].crossings:
                    grown[now] = new
        fewest_first = sorted(grown, key=lambda positions: grown[positions].crossings)
        paths = {positions: grown[positions] for positions in fewest_first[:WIDTH]}
    return list(min(paths.values(), key=lambda path: path.crossings).links)


def _ways(used: int, places: Sequence[int], need: int, remaining: int) -> Iterator[int | None]:
    """Yield the candidate positions a reference word may take, and None if it may be left out.

    `used` are the positions in use, as bits; `need` words of this key must be matched, and `remaining`
    more are to come. Equal words keep their order: swapping two that cross never adds a crossing.
    """
    taken = [n for n, i in enumerate(places) if used >> i & 1]
    missing = need - len(taken)
    if missing:
        following = taken[-1] + 1 if taken else 0
        yield from places[following : len(places) - missing + 1]
    if remaining >= missing:
        yield None


def _with_link(used: int, path: _Path, link: Link, fixed: Sequence[Link]) -> tuple[int, _Path]:
    """Return the positions in use and the path with one link more."""
    j, i = link
    crossed = (used >> (i + 1)).bit_count() + sum((j - b) * (i - a) < 0 for b, a in fixed)
    return used | 1 << i, _Path(path.crossings + crossed, (*path.links, link))


@dataclass(frozen=True, slots=True)
class Aligner:
    """How the words of a candidate and a reference are matched.

    `method` is `jar` or `full` (fewest chunks, by the jar's credit or with every stage counted), `nltk` or `crossings`.
    """

    analyzer: Analyzer
    method: str
    stem: str | None
    function_words: str
    synonyms: str | None = None

    def counts(self, batch: Encoded) -> PairCounts:
        """Return the counts of every reference of the batch, computed once."""
        return batch.once(self, lambda: self._align(batch))

    def _align(self, batch: Encoded) -> PairCounts:
        """Match every reference of the batch with its candidate by the method."""
        units = batch.units(self.analyzer)
        pairs = Pairs(
            units.candidates,
            units.references,
            item=batch.item_of_reference,
            stem_of=self._stems(units.words),
            is_function=self._is_function(units.words),
        )
        if self.method == "nltk":
            return from_the_right(pairs)
        if self.method == "crossings":
            return fewest_crossings(pairs)
        rules = JAR if self.method == "jar" else FULL
        if self.synonyms is None:
            return fewest_chunks(pairs, rules)
        return with_synonyms(pairs, wordnet(self.synonyms).rows(units.words), rules)

    def _stems(self, words: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the number of each word's stem; without a stemmer every word is its own."""
        if self.stem is None:
            return np.arange(len(words), dtype=np.int64)
        numbers = WordNumbers()
        stems = stemmer(self.stem)(words)
        return np.fromiter((numbers[stem] for stem in stems), dtype=np.int64, count=len(words))

    def _is_function(self, words: tuple[str, ...]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        listed: frozenset[str] = frozenset()
        if self.function_words != "none":
            listed = frozenset(table("metrics", f"function_words_{self.function_words}.txt"))
        return np.fromiter((word in listed for word in words), dtype=np.bool_, count=len(words))
