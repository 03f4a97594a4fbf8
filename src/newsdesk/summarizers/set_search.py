"""Search for the set of sentences of highest expected ROUGE F: beam search, then swaps.

The value of a set S is the expected F over words and bigrams,

    J(S) = 2 · Σ_units Σ_{k ≤ uses in S} P(the summary uses the unit at least k times) / (words of S + words expected of a summary),

so that a repeated word adds little: redundancy is measured by content. A beam of sets grows by one sentence at a time until J falls; then the best single
addition or exchange is made as long as one raises J. Only a shortlist takes part, the sentences of highest value alone, which bounds the
time of large clusters; on Multi-News a list of 150 gives the sets that one of 400 gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Bools, Floats, Ints, best_first, rounded
from newsdesk.summarizers.expectations import TIMES, worths

_RAISED = 1e-9  # less than this is a tie


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The sentences of the shortlist: their counts of units, words, sizes in the unit of the limit, which pairs repeat each other, and which may be taken."""

    counts: Any
    lengths: Ints
    sizes: Ints
    repeats: Bools
    allowed: Bools


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A set of candidates with the uses of each unit, the words, the size, the expected matches, and J."""

    taken: tuple[int, ...]
    uses: Ints
    length: int
    size: int
    matches: float
    value: float


class Search:
    """The search over sets of candidates within a limit; `expected` are the expected uses of each unit in a summary of `length` words.

    Uses that a reader knows already (`known`, by unit) are worth nothing.
    """

    def __init__(
        self,
        candidates: Candidates,
        expected: Floats,
        length: float,
        limit: int,
        known: Ints | None = None,
    ) -> None:
        self._candidates = candidates
        self._length = length
        self._limit = limit
        counts = candidates.counts
        units, self._unit = np.unique(counts.indices, return_inverse=True)
        self._times = counts.data.astype(np.int64)
        self._ends = counts.indptr
        self._row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        self._worth = worths(expected[units])
        if known is not None:
            self._worth = _beyond(self._worth, np.minimum(known[units], TIMES))
        self._flat = self._worth.ravel()
        self._start = self._unit * (TIMES + 1)
        self.empty = State((), np.zeros(len(units), np.int64), 0, 0, 0.0, 0.0)

    def best(self, beam: int, rounds: int) -> State:
        """The best set of sentences by beam search and exchange of single sentences."""
        return self._exchanged(self._grown(beam), rounds)

    def values(self, state: State) -> Floats:
        """J of the state with each candidate added."""
        matches = state.matches + self._gains(state.uses)
        return 2 * matches / (state.length + self._candidates.lengths + self._length)

    def following(self, state: State, place: int) -> State:
        """The state with one more candidate."""
        return self._state((*state.taken, place))

    def open(self, state: State) -> Bools:
        """Which candidates fit and repeat nothing that is taken."""
        fits = self._candidates.allowed & (state.size + self._candidates.sizes <= self._limit)
        if state.taken:
            taken = list(state.taken)
            fits &= ~self._candidates.repeats[taken].any(axis=0)
            fits[taken] = False
        return fits

    def repeated(self, state: State, place: int) -> int:
        """The place in the summary, from 1, of the sentence that a candidate repeats; 0 if it repeats none."""
        flags = self._candidates.repeats[place, list(state.taken)]
        return int(flags.argmax()) + 1 if flags.any() else 0

    def _grown(self, beam: int) -> State:
        best = self.empty
        states = [best]
        while states:
            sets: dict[frozenset[int], tuple[float, tuple[int, ...]]] = {}
            for state in states:
                places = np.flatnonzero(self.open(state))
                values = self.values(state)[places]
                for at in best_first(values)[:beam].tolist():
                    taken = (*state.taken, int(places[at]))
                    sets.setdefault(frozenset(taken), (float(values[at]), taken))
            ranked = sorted(sets.values(), key=lambda each: -round(each[0], 9))
            states = [self._state(taken) for _, taken in ranked[:beam]]
            if not states or states[0].value <= best.value + _RAISED:
                break
            best = states[0]
        return best

    def _exchanged(self, state: State, rounds: int) -> State:
        for _ in range(rounds):
            best = state
            for out in (None, *state.taken):
                rest = state if out is None else self._state(_without(state.taken, out))
                fits = self.open(rest)
                fits[list(state.taken)] = False
                places = np.flatnonzero(fits)
                if not len(places):
                    continue
                values = rounded(self.values(rest)[places])
                at = int(best_first(values)[0])
                if values[at] > best.value + _RAISED:
                    best = self._state((*rest.taken, int(places[at])))
            if best is state:
                break
            state = best
        return state

    def _state(self, taken: tuple[int, ...]) -> State:
        uses = np.zeros(len(self._worth), np.int64)
        for place in taken:
            row = slice(self._ends[place], self._ends[place + 1])
            uses[self._unit[row]] += self._times[row]
        used = np.flatnonzero(uses)
        matches = float(self._worth[used, np.minimum(uses[used], TIMES)].sum())
        at = list(taken)
        length = int(self._candidates.lengths[at].sum())
        size = int(self._candidates.sizes[at].sum())
        value = 2 * matches / (length + self._length)
        return State(taken, uses, length, size, matches, value)

    def _gains(self, uses: Ints) -> Floats:
        """The expected matches that each candidate adds."""
        before = uses[self._unit]
        now = np.minimum(before, TIMES)
        then = np.minimum(before + self._times, TIMES)
        added = self._flat[self._start + then] - self._flat[self._start + now]
        sums = np.bincount(self._row, added, len(self._candidates.lengths))
        return sums.astype(np.float64)


def _beyond(worth: Floats, known: Ints) -> Floats:
    """What so many more uses are worth where some are known."""
    rows = np.arange(len(worth))[:, None]
    then = np.minimum(known[:, None] + np.arange(TIMES + 1), TIMES)
    return worth[rows, then] - worth[rows, known[:, None]]


def repeats(counts: Any, words: int, function: Bools, *, share: float, fewest: int) -> Bools:
    """Candidates × candidates: True where the shorter of two repeats the other.

    Two sentences repeat each other if at least `share` of the bigrams, or of the content words, of one stand in the other; sentences
    with fewer than `fewest` content words are compared by bigrams alone.
    """
    binary = counts.copy()
    binary.data = np.ones_like(binary.data)
    flags = np.zeros((counts.shape[0],) * 2, np.bool_)
    content = np.flatnonzero(~function)
    for part, least in ((binary[:, words:], 1), (binary[:, content], fewest)):
        common = (part @ part.T).toarray()
        sizes = common.diagonal().copy()
        smaller = np.minimum(sizes[:, None], sizes[None, :])
        flags |= (common >= share * smaller) & (smaller >= least)
    np.fill_diagonal(flags, val=False)
    return flags


def _without(taken: tuple[int, ...], out: int) -> tuple[int, ...]:
    return tuple(each for each in taken if each != out)
