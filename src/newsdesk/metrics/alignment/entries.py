"""Reference tokens that can be matched in more than one way, with their choices: what the searches work on."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from newsdesk.arrays import Bools, Ints
from newsdesk.metrics.alignment.groups import Groups, Shared
from newsdesk.metrics.alignment.pairs import EXACT, STEM, Pairs
from newsdesk.text.ragged import offsets_of


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
        """Entries from reference tokens, how many candidate tokens each can have, and those with their stages.

        `forced` gives for every reference token its one possible candidate position, or -1.
        """
        base = pairs.candidates.offsets[pairs.item[pair]]
        position = token - pairs.references.offsets[pair]
        last = token + 1 == pairs.references.offsets[pair + 1]
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
                choice - np.repeat(base, size),
                stage,
                pairs.is_function[pairs.candidates.ids[choice]],
            ),
        )

    def only(self, chosen: Ints) -> Entries:
        """The chosen entries; their choices stay where they are."""
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
        key = pair * (int(stem.max(initial=0)) + 1) + stem
        order = np.argsort(key, kind="stable")
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        seen = np.arange(len(key)) - np.repeat(first, np.diff(first, append=len(key)))
        left = np.empty_like(seen)
        left[order] = times[order] - seen
        return cls(stem, times, mixed, left)


def open_entries(
    pairs: Pairs, groups: Groups, shared: Shared, is_open: Bools, forced: Ints
) -> tuple[Entries, Repeats]:
    """The open ones of the shared tokens: each may go with every token of its group, equal words first."""
    at = np.flatnonzero(is_open)
    pair, token, group = shared.pair[at], shared.token[at], shared.group[at]
    size = groups.size[group]
    entry = np.repeat(np.arange(len(at)), size)
    number = np.arange(len(entry)) - offsets_of(size)[entry]
    choice = groups.tokens[groups.start[group][entry] + number]
    word = pairs.references.ids[token]
    stage = np.where(pairs.candidates.ids[choice] == word[entry], EXACT, STEM)
    if stage.any():
        order = np.argsort(entry * 2 + stage, kind="stable")
        choice, stage = choice[order], stage[order]
    return (
        Entries.of(pairs, pair, token, size, choice, stage, forced),
        Repeats.of(pair, group, shared.times[at], shared.mixed[at]),
    )
