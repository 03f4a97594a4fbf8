"""Input and output of every aligner: pairs of texts as word numbers, shared tokens, and counts of matches and chunks per pair.

The tokens of one stem in one candidate are a group. A reference token belongs to the group of its item and stem, if there is one, found by one look-up
per token; nearly all have none and drop out here. Tokens that can be matched in more than one way, with their choices, are the entries that the
searches work on.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

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
    function: Ints  # pairs × stages × 2 (candidate, reference)
    links: Ints  # pairs

    @classmethod
    def nothing(cls, pairs: int) -> Matched:
        """Return zero counts: no matches for any of so many pairs."""
        shapes = ((pairs, STAGES), (pairs, STAGES, 2), (pairs,))
        return cls(*(np.zeros(shape, dtype=np.int64) for shape in shapes))

    @classmethod
    def tally(cls, pairs: Pairs, pair: Ints, token: Ints, partner: Ints, stage: Ints) -> Matched:
        """Count matches in text order: the pair, reference token, candidate token and stage of each."""
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
        candidates, references = pairs.candidates, pairs.references
        candidate_functions = _function_words(candidates, pairs.is_function)
        reference_functions = _function_words(references, pairs.is_function)
        return cls(
            lengths=np.stack((candidates.lengths[pairs.item], references.lengths), axis=1),
            function_words=np.stack((candidate_functions[pairs.item], reference_functions), axis=1),
            matches=matched.matches,
            matched_function=matched.function,
            chunks=matched.matches.sum(axis=1) - matched.links,
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
    """Return how many function words each text has."""
    # Tokens + 1: function words before each token.
    sums = offsets_of(is_function[texts.ids].astype(np.int64))
    return sums[texts.offsets[1:]] - sums[texts.offsets[:-1]]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The candidate tokens of one item and stem: `tokens[start:start + size]`, in text order."""

    keys: Ints  # item · number of stems + stem, ascending
    start: Ints
    size: Ints
    tokens: Ints  # all candidate tokens, group by group
    word: Ints  # of the first token
    uniform: Bools  # all tokens are the same word
    local: Ints  # number of the group within its item
    per_item: Ints  # how many groups each item has

    @classmethod
    def of(cls, candidates: Ragged, stem_of: Ints) -> Groups:
        """Sort the candidate tokens by item and stem."""
        owners = candidates.rows  # candidate tokens: the item of each
        keys = owners * len(stem_of) + stem_of[candidates.ids]
        tokens = np.argsort(keys, kind="stable")  # candidate tokens by item and stem
        ordered = keys[tokens]
        first = np.flatnonzero(np.diff(ordered, prepend=-1))  # groups: where each begins
        size = np.diff(first, append=len(tokens))
        words = candidates.ids[tokens].astype(np.int64)
        # Words that differ from the one before, counted: equal at both ends of a group of one word.
        changes = np.cumsum(np.diff(words, prepend=words[:1]) != 0)
        item = owners[tokens[first]]
        per_item = np.bincount(item, minlength=len(candidates))  # items
        return cls(
            keys=ordered[first],
            start=first,
            size=size,
            tokens=tokens,
            word=words[first],
            uniform=changes[first] == changes[first + size - 1],
            local=np.arange(len(first)) - offsets_of(per_item)[item],
            per_item=per_item,
        )

    def find(self, keys: Ints) -> Ints:
        """Return the group of each key, or -1: a hash table, and binary search where two keys share a slot."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        bits = max(10, int(16 * len(self.keys)).bit_length())
        table = np.full(1 << bits, -1, dtype=np.int32)  # slots of the hash table
        table[_slot(self.keys, bits)] = np.arange(len(self.keys))
        group = table[_slot(keys, bits)].astype(np.int64)  # keys
        # Two keys may share a slot: what was found under another key is looked up in order.
        doubtful = np.flatnonzero(group >= 0)
        doubtful = doubtful[self.keys[group[doubtful]] != keys[doubtful]]
        sought = keys[doubtful]
        index = np.minimum(np.searchsorted(self.keys, sought), len(self.keys) - 1)
        group[doubtful] = np.where(self.keys[index] == sought, index, -1)
        return group

    def slots(self, item: Ints) -> Ints:
        """Return where the slots of each pair begin, and their end: a slot for each group of its candidate.

        `item` has the item of each pair.
        """
        return offsets_of(self.per_item[item])


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """The reference tokens whose stem occurs in the candidate, in text order."""

    token: Ints
    pair: Ints
    group: Ints
    times: Ints  # how often the stem occurs in the reference
    single: Bools  # once on both sides: there is one way to match it
    mixed: Bools  # the stem stands for several words in this pair

    @classmethod
    def of(cls, groups: Groups, pairs: Pairs) -> Shared:
        """Look every reference token up."""
        owners = pairs.references.rows  # reference tokens: the pair of each
        stems = pairs.stem_of[pairs.references.ids]
        group = groups.find(pairs.item[owners] * len(pairs.stem_of) + stems)
        token = np.flatnonzero(group >= 0)  # shared tokens, as all arrays from here on
        group, pair, word = group[token], owners[token], pairs.references.ids[token]
        slots = groups.slots(pairs.item)
        slot = slots[pair] + groups.local[group]
        # Slots, one for each group of each pair: how often the reference has its stem.
        times = np.bincount(slot, minlength=int(slots[-1]))
        differs = ~groups.uniform[group] | (groups.word[group] != word)
        mixed = np.zeros(int(slots[-1]), dtype=np.bool_)
        mixed[slot[differs]] = True
        single = (times[slot] == 1) & (groups.size[group] == 1)
        return cls(token, pair, group, times[slot], single, mixed[slot])


def _slot(keys: Ints, bits: int) -> NDArray[np.uint64]:
    return (keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - bits)


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """The candidate tokens an entry can be matched with, entry by entry: by stage, then in text order."""

    start: Ints  # position in the candidate
    stage: Ints
    function: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Open reference tokens in text order, pair by pair."""

    pair: Ints
    position: Ints
    function: Bools
    before: Ints  # the candidate position that continues a forced match of the token before, or -1
    after: Ints  # the candidate position of a forced match of the token after, or -1
    size: Ints  # how many choices it has
    first: Ints  # where they begin
    choices: Choices

    @classmethod
    def of(
        cls,
        pairs: Pairs,
        pair: Ints,
        token: Ints,
        size: Ints,
        choice: Ints,
        stage: Ints,
        forced: Ints,
    ) -> Entries:
        """Make an entry of each reference token `token` of `pair`, with `size` choices.

        `choice` has the candidate tokens of all choices, entry by entry, and `stage` their stages. `forced` gives for every reference token its one possible candidate position, or -1.
        """
        base = pairs.candidates.offsets[pairs.item[pair]]  # entries: where the candidate begins
        position = token - pairs.references.offsets[pair]
        last = token + 1 == pairs.references.offsets[pair + 1]
        # The forced matches of the neighbours, which a chunk may be continued from.
        before = forced[np.maximum(token - 1, 0)]
        after = forced[np.minimum(token + 1, len(forced) - 1)]
        return cls(
            pair=pair,
            position=position,
            function=pairs.is_function[pairs.references.ids[token]],
            before=np.where((position > 0) & (before >= 0), before + 1, -1),
            after=np.where(last, -1, after),
            size=size,
            first=offsets_of(size)[:-1],
            choices=Choices(
                start=choice - np.repeat(base, size),
                stage=stage,
                function=pairs.is_function[pairs.candidates.ids[choice]],
            ),
        )

    def only(self, chosen: Ints) -> Entries:
        """Return the chosen entries; their choices stay where they are."""
        columns = (field.name for field in fields(self) if field.name != "choices")
        return replace(self, **{name: getattr(self, name)[chosen] for name in columns})


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """For each entry, how its stem is repeated."""

    stem: Ints  # a number for the stem within the pair
    times: Ints  # how often the reference has it
    mixed: Bools  # it stands for several words in this pair
    left: Ints  # how many tokens of it the reference still has, from the entry on

    @classmethod
    def of(cls, pair: Ints, stem: Ints, times: Ints, mixed: Bools) -> Repeats:
        """Count what is left by one stable sort."""
        # Entries: one number for each stem of a pair.
        key = pair * (int(stem.max(initial=0)) + 1) + stem
        order = np.argsort(key, kind="stable")
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        # Entries by stem: how many stand before it.
        seen = np.arange(len(key)) - np.repeat(first, np.diff(first, append=len(key)))
        left = np.empty_like(seen)
        left[order] = times[order] - seen
        return cls(stem, times, mixed, left)


def open_entries(
    pairs: Pairs, groups: Groups, shared: Shared, is_open: Bools, forced: Ints
) -> tuple[Entries, Repeats]:
    """Return the shared tokens that are open as entries, and how their stems are repeated.

    Each may go with every token of its group, equal words first. `forced` is that of `Entries.of`.
    """
    at = np.flatnonzero(is_open)  # entries: places in `shared`
    pair, token, group = shared.pair[at], shared.token[at], shared.group[at]
    size = groups.size[group]
    entry = np.repeat(np.arange(len(at)), size)  # choices: the entry of each
    number = np.arange(len(entry)) - offsets_of(size)[entry]
    choice = groups.tokens[groups.start[group][entry] + number]
    word = pairs.references.ids[token]
    stage = np.where(pairs.candidates.ids[choice] == word[entry], EXACT, STEM)
    # Equal words first, each stage in text order.
    if stage.any():
        order = np.argsort(entry * 2 + stage, kind="stable")
        choice, stage = choice[order], stage[order]
    return (
        Entries.of(pairs, pair, token, size, choice, stage, forced),
        Repeats.of(pair, group, shared.times[at], shared.mixed[at]),
    )
