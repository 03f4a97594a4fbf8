"""Expected ROUGE, our own method: the set of sentences with the highest expected ROUGE-1 F against an editor's summary.

Each word of the cluster has a probability of occurring in a summary (`word_odds`, from the articles, titles, leads and distinct sentences
that hold it). The value of a set of sentences is the expected ROUGE-1 F,

    2 · Σ_words Σ_{k ≤ uses in the set} P(the summary uses the word k times) / (words of the set + words expected of a summary),

so that a repeated word adds little or nothing: redundancy is measured by content and needs no threshold. The set is found by beam search,
one sentence at a time, until expected F falls or nothing fits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints, best_first
from newsdesk.settings import at_least
from newsdesk.summarizers.greedy import SHOWN_BEHIND, Step, Unit, judge
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.summarizers.word_odds import TIMES, Words, shipped

_FITTED = (
    30.0  # words: the default, which is about what the summaries had that the odds were fitted on
)
_WORDS: dict[Unit, float] = {"words": 1.0, "characters": 1 / 6, "sentences": 20.0}


@dataclass(frozen=True)
class ExpectedRouge(Summarizer):
    """Beam search for the set of sentences of highest expected ROUGE-1 F; the editor's summary is expected to fill `summary_share` of the limit."""

    summary_share: float = 0.75
    beam: int = 6

    name = "expected-rouge"

    def __post_init__(self) -> None:
        Summarizer.__post_init__(self)
        at_least("summary_share", self.summary_share, 0)
        at_least("beam", self.beam, 1)

    @property
    def signature(self) -> str:
        """The settings and the digest of the word odds."""
        return f"{super().signature}|odds:{shipped().digest}"

    def steps(self, prepared: Prepared) -> list[Step]:
        """The best set in the order of selection, then the next candidates with the reason for their rejection."""
        search = Search(prepared, self)
        best = search.start
        states = [best]
        while states := search.grown(states):
            if states[0].f <= best.f:
                break
            best = states[0]
        return [*search.history(best), *search.runners_up(best)] if best.taken else []


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A partial solution of the beam search: sentences taken, uses of each word, expected overlap and F."""

    taken: tuple[int, ...]
    uses: Ints
    left: int
    length: int
    worth: float
    f: float
    before: State | None = field(default=None, repr=False)


class Search:
    """The beam search over sets of distinct sentences of one cluster."""

    def __init__(self, prepared: Prepared, method: ExpectedRouge) -> None:
        self._prepared = prepared
        self._method = method
        self._room = method.room(prepared)
        self._numbers = prepared.distinct
        self._at_least = self._room.at_least(self._numbers)
        words: Words = prepared.once("words", lambda: Words.of(prepared))
        self._counts: Any = words.counts[self._numbers]
        self._lengths = np.asarray(self._counts.sum(axis=1)).ravel()
        self._expected = method.summary_share * method.max_words * _WORDS[method.unit] or 1.0
        # A summary of twice the length uses each word at about twice the odds.
        gains = shipped().gains(words, math.log(self._expected / _FITTED))
        # worth[w, k]: what k uses of word w are worth together; more than the last are worth no more.
        self._worth = np.column_stack([np.zeros(len(gains)), np.cumsum(gains, axis=1)])
        self.start = State((), np.zeros(len(gains), np.int64), self._room.left, 0, 0.0, 0.0)

    def grown(self, states: list[State]) -> list[State]:
        """The next beam: the best extensions of these states by one sentence, best first."""
        extensions: dict[frozenset[int], State] = {}
        for state in states:
            for grown in self._following(state):
                extensions.setdefault(frozenset(grown.taken), grown)
        ranking = best_first(np.array([state.f for state in extensions.values()]))
        return [list(extensions.values())[place] for place in ranking[: self._method.beam].tolist()]

    def history(self, state: State) -> list[Step]:
        """The sentences of a state in the order taken, each with the expected F up to there."""
        path: list[State] = []
        at: State | None = state
        while at and at.taken:
            path.append(at)
            at = at.before
        return [Step(self._number(each.taken[-1]), each.f, "taken") for each in reversed(path)]

    def runners_up(self, state: State) -> Iterator[Step]:
        """The best remaining candidates that are long enough, and why each was rejected."""
        free = np.setdiff1d(np.arange(len(self._numbers)), state.taken)
        f = self._f(state, free)
        room = self._method.room(self._prepared)
        room.left = state.left
        shown = 0
        for at in best_first(f).tolist():
            number = self._number(int(free[at]))
            outcome, why = judge(self._prepared, number, room, self._method.min_tokens)
            if outcome == "too short":
                continue
            if outcome == "taken":
                outcome, why = "no gain", f"expected F is {state.f:.4f} without"
            yield Step(number, float(f[at]), outcome, why)
            shown += 1
            if shown == SHOWN_BEHIND:
                return

    def _number(self, place: int) -> int:
        return int(self._numbers[place])

    def _following(self, state: State) -> Iterator[State]:
        """The best extensions of a state, at most one beam width; only promising sentences are tokenized for their exact size."""
        open_ = self._at_least <= state.left
        open_[list(state.taken)] = False
        places = np.flatnonzero(open_)
        f = self._f(state, places)
        count = 0
        for at in best_first(f).tolist():
            if count == self._method.beam:
                return
            place = int(places[at])
            number = self._number(place)
            size = self._room.size(number)
            if size > state.left or self._prepared.too_short(number, self._method.min_tokens):
                continue
            count += 1
            yield self._with(state, place, size, float(f[at]))

    def _with(self, state: State, place: int, size: int, f: float) -> State:
        row = slice(self._counts.indptr[place], self._counts.indptr[place + 1])
        uses = state.uses.copy()
        uses[self._counts.indices[row]] += self._counts.data[row].astype(np.int64)
        np.minimum(uses, TIMES, out=uses)
        length = state.length + int(self._lengths[place])
        worth = f * (length + self._expected) / 2
        return State((*state.taken, place), uses, state.left - size, length, worth, f, state)

    def _f(self, state: State, places: Ints) -> Floats:
        """The expected F with each of these sentences added."""
        counts = self._counts if len(places) == len(self._numbers) else self._counts[places]
        at = counts.indices
        now = state.uses[at]
        then = np.minimum(now + counts.data.astype(np.int64), TIMES)
        added = self._worth[at, then] - self._worth[at, now]
        rows = np.repeat(np.arange(len(places)), np.diff(counts.indptr))
        worth = state.worth + np.bincount(rows, weights=added, minlength=len(places))
        return np.round(2 * worth / (state.length + self._lengths[places] + self._expected), 9)
