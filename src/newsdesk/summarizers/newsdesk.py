"""Our own method: the sentences whose words are most likely to be the editor's.

Each word of the cluster has odds of standing in a summary (`word_odds`: how many articles tell it, in titles and leads, in how many distinct
sentences). A set of sentences is worth the ROUGE-1 F that these odds let one expect,

    2 · Σ_words Σ_{k ≤ uses in the set} P(the summary uses the word k times) / (words of the set + words expected of a summary),

so that a word told again brings less or nothing: redundancy is measured by content and needs no threshold. The set is grown sentence by
sentence, with a few of the best sets kept at a time, until expected F falls or nothing fits.
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
class Newsdesk(Summarizer):
    """Expected overlap with what an editor would write; `summary_share` of the limit is what that is expected to fill."""

    summary_share: float = 0.75
    beam: int = 6

    name = "newsdesk"

    def __post_init__(self) -> None:
        Summarizer.__post_init__(self)
        at_least("summary_share", self.summary_share, 0)
        at_least("beam", self.beam, 1)

    @property
    def signature(self) -> str:
        """The settings, and which odds."""
        return f"{super().signature}|odds:{shipped().digest}"

    def steps(self, prepared: Prepared) -> list[Step]:
        """The best set in the order it grew, and what would have been added next."""
        search = Search(prepared, self)
        best = search.start
        states = [best]
        while states := search.grown(states):
            if states[0].f <= best.f:
                break
            best = states[0]
        return [*search.told(best), *search.behind(best)] if best.taken else []


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Sentences taken so far, how often they use each word, and what they are worth."""

    taken: tuple[int, ...]
    uses: Ints
    left: int
    length: int
    worth: float
    f: float
    before: State | None = field(default=None, repr=False)


class Search:
    """The distinct sentences of a cluster, and the sets that can be made of them."""

    def __init__(self, prepared: Prepared, method: Newsdesk) -> None:
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
        """The best sets of one sentence more than these, best first."""
        found: dict[frozenset[int], State] = {}
        for state in states:
            for grown in self._following(state):
                found.setdefault(frozenset(grown.taken), grown)
        ranking = best_first(np.array([state.f for state in found.values()]))
        return [list(found.values())[place] for place in ranking[: self._method.beam].tolist()]

    def told(self, state: State) -> list[Step]:
        """How a set came about: each sentence with the F expected up to there."""
        story: list[State] = []
        at: State | None = state
        while at and at.taken:
            story.append(at)
            at = at.before
        return [Step(self._number(each.taken[-1]), each.f, "taken") for each in reversed(story)]

    def behind(self, state: State) -> Iterator[Step]:
        """The next candidates that are long enough, and why they were left out."""
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
        """The best ways to go on from a state; only sentences of high value are asked for their exact size."""
        open_ = self._at_least <= state.left
        open_[list(state.taken)] = False
        places = np.flatnonzero(open_)
        f = self._f(state, places)
        found = 0
        for at in best_first(f).tolist():
            if found == self._method.beam:
                return
            place = int(places[at])
            number = self._number(place)
            size = self._room.size(number)
            if size > state.left or self._prepared.too_short(number, self._method.min_tokens):
                continue
            found += 1
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
        """The F to expect with each of these sentences added."""
        counts = self._counts if len(places) == len(self._numbers) else self._counts[places]
        at = counts.indices
        now = state.uses[at]
        then = np.minimum(now + counts.data.astype(np.int64), TIMES)
        added = self._worth[at, then] - self._worth[at, now]
        rows = np.repeat(np.arange(len(places)), np.diff(counts.indptr))
        worth = state.worth + np.bincount(rows, weights=added, minlength=len(places))
        return np.round(2 * worth / (state.length + self._lengths[places] + self._expected), 9)
