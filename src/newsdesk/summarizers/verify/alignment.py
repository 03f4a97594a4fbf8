"""A sentence aligned with a source sentence: which word comes from where, how well the source's order is kept, and what was changed.

The alignment is the cheapest path through the source: the next word costs nothing, a leap forward 1, a leap back 2, a word that is not there 1.5 (a mark
.3). What the source says in another order, with other participants or other figures, needs leaps, so their cost measures distortion where
counts of shared n-grams see nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from newsdesk.summarizers.verify.claims import ClaimWord

_FORWARD, _BACK, _ABSENT, _MARK = 1.0, 2.0, 1.5, 0.3
_BEAM = 16
_NEAR = 3  # words of a sentence that are held together
_NEAR_IN_SOURCE = 5
_COST_WEIGHT = 0.5
_FEW_LEAPS = 2


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """For each word its place in the source or None, the cost of the path, and the support from 0 to 1."""

    places: tuple[int | None, ...]
    cost: float
    support: float


def only_shortened(claim: Sequence[ClaimWord], places: Sequence[int | None]) -> bool:
    """Return whether a sentence is its source with little left out: its content words in their order, with at most two leaps."""
    if any(
        word.kind == "word" and place is None for word, place in zip(claim, places, strict=True)
    ):
        return False
    kept = [place for place in places if place is not None]
    steps = [second - first for first, second in itertools.pairwise(kept)]
    return len(kept) > 1 and min(steps) > 0 and sum(step > 1 for step in steps) <= _FEW_LEAPS


def align(claim: Sequence[ClaimWord], source: Sequence[ClaimWord]) -> WordAlignment:
    """Return the cheapest alignment of a sentence with a source sentence."""
    places, cost = _cheapest(claim, source)
    count = sum(word.kind != "mark" for word in claim)
    if not count:
        return WordAlignment(places, cost, 0.0)
    support = together(claim, source) - _COST_WEIGHT * cost / count
    return WordAlignment(places, cost, min(1.0, max(0.0, support)))


def together(claim: Sequence[ClaimWord], source: Sequence[ClaimWord]) -> float:
    """Return the share of ordered pairs of near words that stand near each other in the source, in the same order."""
    ours = _pairs(claim, _NEAR)
    theirs = set(_pairs(source, _NEAR_IN_SOURCE))
    if not ours:
        keys = {word.key for word in source}
        return float(all(word.key in keys for word in claim))
    return sum(pair in theirs for pair in ours) / len(ours)


def _pairs(words: Sequence[ClaimWord], near: int) -> list[tuple[str, str]]:
    keys = [word.key for word in words if word.kind != "mark"]
    return [(key, other) for at, key in enumerate(keys) for other in keys[at + 1 : at + 1 + near]]


def _cheapest(
    claim: Sequence[ClaimWord], source: Sequence[ClaimWord]
) -> tuple[tuple[int | None, ...], float]:
    where: dict[str, list[int]] = {}
    for at, word in enumerate(source):
        where.setdefault(word.key, []).append(at)
    # A state is where the path is in the source: (place, cost, state before, whether the word is there).
    states: list[tuple[int, float, int, bool]] = [(-1, 0.0, 0, False)]
    steps: list[list[tuple[int, float, int, bool]]] = []
    for word in claim:
        following = [(place, *_entered(states, place), True) for place in where.get(word.key, ())]
        absent = _MARK if word.kind == "mark" else _ABSENT
        following += [
            (place, cost + absent, before, False)
            for before, (place, cost, _, _) in enumerate(states)
        ]
        following.sort(key=lambda state: state[1])
        states = following[:_BEAM]
        steps.append(states)
    best = min(range(len(states)), key=lambda at: states[at][1])
    total = states[best][1]
    places: list[int | None] = []
    for step in reversed(steps):
        place, _, before, present = step[best]
        places.append(place if present else None)
        best = before
    return tuple(reversed(places)), total


def _entered(states: Sequence[tuple[int, float, int, bool]], place: int) -> tuple[float, int]:
    """Return the least cost of reaching a place in the source, and the state it is reached from."""
    return min(
        (
            cost + (0.0 if place == at + 1 else _FORWARD if place > at else _BACK),
            before,
        )
        for before, (at, cost, _, _) in enumerate(states)
    )
