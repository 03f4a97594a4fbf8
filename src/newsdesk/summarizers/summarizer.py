"""The base class of all summarizers: a frozen value with settings, a spec that parses back to it, and a signature.

A method implements `steps`: the sentences it considers, in order, each with its outcome. The summary consists of the sentences taken,
and the steps are its trace.

Greedy selection of whole sentences from a ranking, up to the length limit, is shared by all ranked methods. Zopf et al. (2018) as used by Gholipour Ghalandari et al. (2020, A.2): a sentence is passed over if it is shorter than `min_tokens`, if it
does not fit any more, or if too large a share of its bigrams stands in one sentence taken before. Selection then goes on with the
next one. Bigrams are compared in lower case, as the evaluation does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from newsdesk.arrays import Floats, Ints, best_first, rounded
from newsdesk.errors import ArgumentError
from newsdesk.model import Configured
from newsdesk.registry import SUMMARIZERS
from newsdesk.settings import at_least, one_of
from newsdesk.signatures import signature
from newsdesk.streams import stream
from newsdesk.summarizers.documents import important
from newsdesk.summarizers.prepare import (
    Candidate,
    Outcome,
    Prepared,
    Summary,
    holds_letter_or_digit,
    prepare,
)
from newsdesk.text import language, tokenizer_for
from newsdesk.types import Cluster
from newsdesk.wording import plural

SHOWN_BEHIND = 10  # candidates that a trace shows after the last one taken
Unit = Literal["words", "tokens", "characters", "sentences"]
WORDS_PER_TOKEN = (
    0.88  # of editors' summaries: .90 in WCEP, .86 in Multi-News; the rest is punctuation
)


class Step(NamedTuple):
    """One sentence considered, by its number in the prepared cluster, with its score and outcome."""

    sentence: int
    score: float | None
    outcome: Outcome
    detail: str = ""


class Room:
    """The remaining budget of words, tokens, characters or sentences."""

    def __init__(self, prepared: Prepared, limit: int, unit: Unit) -> None:
        self._prepared = prepared
        self._unit = unit
        # Every sentence brings the space before it; the first one's costs nothing.
        self._space = len(prepared.glue) if unit == "characters" else 0
        self.left = limit + self._space

    def __str__(self) -> str:
        return f"{plural(max(self.left - self._space, 0), self._unit[:-1])} left"

    def at_least(self, numbers: Ints) -> Ints:
        """Return a lower bound on the size of each of these sentences, computed without tokenizing."""
        if self._unit in ("words", "tokens"):
            return self._prepared.fewest_words[numbers]
        sizes = map(self.size, numbers.tolist())
        return np.fromiter(sizes, dtype=np.int64, count=len(numbers))

    def size(self, number: int) -> int:
        """Return the size of a sentence in the unit of the limit."""
        if self._unit == "words":
            return self._prepared.word_count(number)
        if self._unit == "tokens":
            return len(self._prepared.words(number))
        if self._unit == "sentences":
            return 1
        return len(self._prepared.texts[number]) + self._space

    def size_of(self, text: str) -> int:
        """Return the size of any text in the unit of the limit."""
        if self._unit in ("words", "tokens"):
            tokens = tokenizer_for(language(text)).words(text)
            return sum(counted(token, self._unit) for token in tokens)
        return 1 if self._unit == "sentences" else len(text) + self._space

    def take(self, number: int) -> None:
        """Subtract the size of a sentence that was taken."""
        self.left -= self.size(number)


def counted(token: str, unit: Unit) -> bool:
    """Return whether a limit in words or tokens counts this token: words hold a letter or digit.

    >>> counted(",", "words"), counted(",", "tokens")
    (False, True)
    """
    return unit == "tokens" or holds_letter_or_digit(token)


class Redundancy:
    """Redundancy by bigram overlap with each sentence taken before."""

    def __init__(self, prepared: Prepared, threshold: float) -> None:
        self._prepared = prepared
        self._threshold = threshold
        self._taken: list[set[tuple[str, str]]] = []

    def reason(self, number: int) -> str:
        """Return why a sentence is redundant; empty if it is not."""
        bigrams = self._bigrams(number)
        for place, known in enumerate(self._taken, 1):
            hits = sum(map(known.__contains__, bigrams))
            if hits and hits / len(bigrams) >= self._threshold:
                verb = "is" if hits == 1 else "are"
                return f"{hits} of its {plural(len(bigrams), 'bigram')} {verb} in sentence {place} taken before"
        return ""

    def take(self, number: int) -> None:
        """Record the bigrams of a sentence that was taken."""
        self._taken.append(set(self._bigrams(number)))

    def _bigrams(self, number: int) -> list[tuple[str, str]]:
        return list(pairwise(word.lower() for word in self._prepared.words(number)))


def select(
    prepared: Prepared,
    ranking: Ints,
    scores: Floats | None,
    room: Room,
    *,
    min_tokens: int,
    redundancy: Redundancy | None = None,
) -> list[Step]:
    """Take sentences in ranked order while they fit; `scores` are in that order too, None for none.

    The trace ends a few candidates after the last one taken. `room` and `redundancy` are updated.
    """
    numbers: Sequence[int] = ranking.tolist()
    at_least = room.at_least(ranking)
    judged: dict[int, tuple[Outcome, str]] = {}  # place in the ranking → outcome, detail
    lefts: list[tuple[int, str]] = [(0, str(room))]  # from which place on so much room was left
    places = iter(np.flatnonzero(at_least <= room.left).tolist())
    while (place := next(places, None)) is not None:
        number = numbers[place]
        outcome, detail = judge(prepared, number, room, min_tokens, redundancy)
        judged[place] = outcome, detail
        if outcome == "taken":
            room.take(number)
            if redundancy:
                redundancy.take(number)
            lefts.append((place + 1, str(room)))
            places = iter((place + 1 + np.flatnonzero(at_least[place + 1 :] <= room.left)).tolist())
    after_last_taken, _ = lefts[-1]
    end = min(after_last_taken + SHOWN_BEHIND, len(numbers))
    shown = [None] * end if scores is None else scores[:end].tolist()
    steps: list[Step] = []
    for (start, left), stop in zip(lefts, [*(start for start, _ in lefts[1:]), end], strict=True):
        too_long: tuple[Outcome, str] = ("does not fit", left)  # ruled out by `at_least`
        for place in range(start, stop):
            outcome, detail = judged.get(place, too_long)
            steps.append(Step(numbers[place], shown[place], outcome, detail))
    return steps


def add_best(
    prepared: Prepared,
    room: Room,
    min_tokens: int,
    *,
    scores: Callable[[], Floats],
    take: Callable[[int], None],
    redundancy: Redundancy | None = None,
) -> list[Step]:
    """Add the distinct sentence of highest score that is not redundant until none fits.

    `scores` is called anew after each one taken, and `take` is told its place among the distinct sentences.
    """
    numbers = prepared.distinct
    untried = prepared.long_enough(numbers, min_tokens)
    at_least = room.at_least(numbers)
    steps: list[Step] = []
    while len(places := np.flatnonzero(untried & (at_least <= room.left))):
        values = rounded(scores())[places]
        for at in best_first(values).tolist():
            place = int(places[at])
            number = int(numbers[place])
            untried[place] = False
            outcome, detail = judge(prepared, number, room, min_tokens, redundancy)
            steps.append(Step(number, float(values[at]), outcome, detail))
            if outcome == "taken":
                room.take(number)
                if redundancy:
                    redundancy.take(number)
                take(place)
                break
    return steps


def judge(
    prepared: Prepared,
    number: int,
    room: Room,
    min_tokens: int,
    redundancy: Redundancy | None = None,
) -> tuple[Outcome, str]:
    """Return the outcome for one sentence (taken or the reason for rejection) and its detail."""
    if prepared.too_short(number, min_tokens):
        return "too short", plural(len(prepared.words(number)), "token")
    if room.size(number) > room.left:
        return "does not fit", str(room)
    if redundancy and (why := redundancy.reason(number)):
        return "redundant", why
    return "taken", ""


Order = Literal["selection", "chronological"]


@dataclass(frozen=True)
class Summarizer(Configured):
    """A method with its settings.

    A summary holds whole sentences of at least `min_tokens` tokens, up to `max_words` words (or as many tokens, characters or sentences,
    if `unit` says so), in the order of selection or of date and position. With `titles` an article's title is its first sentence. With `documents`
    only so many articles of a cluster are read, the important ones.
    """

    max_words: int = 40
    unit: Unit = "words"
    min_tokens: int = 7
    order: Order = "selection"
    titles: bool = False
    documents: int | None = None

    def __post_init__(self) -> None:
        one_of("unit", self.unit, get_args(Unit))
        one_of("order", self.order, get_args(Order))
        at_least("max_words", self.max_words, 1)
        at_least("min_tokens", self.min_tokens, 0)
        at_least("documents", 1 if self.documents is None else self.documents, 1)

    @property
    def seeded(self) -> bool:
        """True if the method uses random numbers, and so has a `seed`."""
        return hasattr(self, "seed")

    @property
    def signature(self) -> str:
        """The name and all settings: what is needed to reproduce the summaries."""
        return signature(self.name, said(self.settings))

    def summarize(self, cluster: Cluster | Prepared) -> Summary:
        """Summarize a cluster.

        When several methods summarize the same one, prepare it once and pass the result.
        """
        prepared = self.prepared(cluster)
        steps = (self.steps(prepared) or self._why_not(prepared)) if len(prepared) else []
        taken = [step.sentence for step in steps if step.outcome == "taken"]
        if self.order == "chronological":
            taken = prepared.chronological(taken)
        sentences = tuple(map(prepared.sentence, taken))
        tokenizers = sorted({tokenizer_for(lang).signature for lang in prepared.languages})
        return Summary(
            text=prepared.glue.join(sentence.text for sentence in sentences),
            sentences=sentences,
            trace=tuple(
                Candidate(prepared.sentence(step.sentence), step.score, step.outcome, step.detail)
                for step in steps
            ),
            signature=f"{self.signature}|tok:{'+'.join(tokenizers) or 'none'}",
        )

    def prepared(self, cluster: Cluster | Prepared) -> Prepared:
        """Return the cluster prepared with this method's settings of `titles` and `documents`."""
        if not isinstance(cluster, Prepared) or cluster.titles != self.titles:
            source = cluster.cluster if isinstance(cluster, Prepared) else cluster
            cluster = prepare(source, titles=self.titles)
        return cluster if self.documents is None else important(cluster, self.documents)

    def _why_not(self, prepared: Prepared) -> list[Step]:
        """Return the trace of a method that had no candidates: why the first sentences were rejected."""
        room = self.room(prepared)
        return [
            Step(number, None, *judge(prepared, number, room, self.min_tokens))
            for number in prepared.distinct[:SHOWN_BEHIND].tolist()
        ]

    @abstractmethod
    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the sentences considered, in order, with their outcomes.

        The cluster has at least one sentence.
        """

    def room(self, prepared: Prepared) -> Room:
        """Return the length budget before any sentence is taken."""
        return Room(prepared, self.max_words, self.unit)

    def rng(self, prepared: Prepared, seed: int) -> np.random.Generator:
        """Return the random generator of this method for this cluster.

        It does not depend on other clusters and their order.
        """
        return stream(f"summarizers {self.name} {prepared.cluster.id}", seed)


@dataclass(frozen=True)
class Scored(Summarizer):
    """A method that scores sentences and takes the best that do not repeat those taken before."""

    redundancy: float = 0.5

    def __post_init__(self) -> None:
        Summarizer.__post_init__(self)
        if not 0 <= self.redundancy <= 1:
            raise ArgumentError(f"redundancy is {self.redundancy}, not a share from 0 to 1")

    @abstractmethod
    def scores(self, prepared: Prepared) -> Floats:
        """Return a score for each distinct sentence."""

    def steps(self, prepared: Prepared) -> list[Step]:
        """Greedy selection by descending score, ties broken by position."""
        scores = np.round(self.scores(prepared), 9)
        ranking = best_first(scores)
        return select(
            prepared,
            prepared.distinct[ranking],
            scores[ranking],
            self.room(prepared),
            min_tokens=self.min_tokens,
            redundancy=Redundancy(prepared, self.redundancy),
        )


def said(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a signature names: all, but `documents` only where it is set."""
    return {name: value for name, value in settings.items() if (name, value) != ("documents", None)}


def summarizer(spec: str, **settings: Any) -> Summarizer:
    """Build the summarizer that a spec names, such as `centroid` or `submodular(diversity=4)`.

    The spec overrides `settings`.

    >>> str(summarizer("centroid(redundancy=0.3)", max_words=60).spec)
    'centroid(max_words=60, redundancy=0.3)'
    """
    return SUMMARIZERS.make(spec, **settings)


def seeded_summarizer(spec: str, seed: int, **settings: Any) -> Summarizer:
    """Build the summarizer that a spec names, with the seed if the method uses random numbers."""
    plain = summarizer(spec, **settings)
    return summarizer(spec, **settings, seed=seed) if plain.seeded else plain
