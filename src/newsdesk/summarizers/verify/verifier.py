"""Sentences checked against the sentences of a cluster, by rules alone or with a model that is asked too.

A sentence is compared with the source sentences that share most words with it. The best one supports it if it says nothing otherwise and most
of its words stand near each other there in the same order; then it supports all of its clauses. A sentence put together from several is checked clause
by clause. A clause without support is contradicted (a sentence says almost the same with another figure, date, name, negation or
role) or not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from newsdesk.summarizers.prepare import Prepared, Sentence
from newsdesk.summarizers.verify.alignment import align, only_shortened
from newsdesk.summarizers.verify.claims import ClaimWord, claim_words, names_in
from newsdesk.summarizers.verify.clauses import clauses
from newsdesk.summarizers.verify.conflicts import conflicts, days_meant
from newsdesk.text import language, sentences

Standing = Literal["supported", "contradicted", "not found"]
THRESHOLD = 0.5
_CLOSE = 0.75  # a source sentence that this much of a clause comes from is where it was taken from
_CANDIDATES = 8
_PER_CONFLICT = 0.25
_REWORDED = 0.1  # the least support of what is said in other words


class Judge(Protocol):
    """A model that says how probable it is that a source supports a sentence; None where it has no opinion."""

    @property
    def name(self) -> str:
        """The model as signatures name it."""

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        """Return the probability for each pair of source and sentence."""


@dataclass(frozen=True, slots=True)
class CheckedClause:
    """A clause, whether its source supports it, the nearest source sentence, how near from 0 to 1, and why not."""

    text: str
    standing: Standing
    source: Sentence | None
    support: float
    reason: str = ""
    conflicting: bool = False  # it says a fact otherwise, or one that no source has

    @property
    def plausible(self) -> bool:
        """True if it is supported, or said in other words without a fact of its own."""
        return self.standing == "supported" or (not self.conflicting and self.support >= _REWORDED)


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence with its clauses."""

    text: str
    clauses: tuple[CheckedClause, ...]

    @property
    def supported(self) -> bool:
        """True if every clause is."""
        return all(clause.standing == "supported" for clause in self.clauses)

    @property
    def plausible(self) -> bool:
        """True if every clause is supported, or said in other words without a fact of its own: as much as rules can tell of free writing."""
        return all(clause.plausible for clause in self.clauses)

    @property
    def source(self) -> Sentence | None:
        """The source of the clause that has the most words."""
        longest = max(self.clauses, key=lambda clause: len(clause.text))
        return longest.source

    @property
    def reason(self) -> str:
        """Why it is not supported; empty if it is."""
        return next((each.reason for each in self.clauses if each.standing != "supported"), "")


@dataclass(frozen=True, slots=True)
class _Support:
    """How one source sentence supports a text."""

    number: int
    support: float
    conflicts: tuple[str, ...]
    shortened: bool = False  # nothing but words left out

    @property
    def value(self) -> float:
        return self.support - _PER_CONFLICT * min(len(self.conflicts), 2)

    @property
    def holds(self) -> bool:
        return not self.conflicts and (self.support >= THRESHOLD or self.shortened)


class SourceCheck:
    """The sentences of a cluster, ready to check others against; with a `judge` a model has to agree."""

    def __init__(self, sources: Sequence[Sentence], *, judge: Judge | None = None) -> None:
        self._sources = sources
        self._judge = judge
        self.lang = language(" ".join(source.text for source in sources[:50]))

    @classmethod
    def of(cls, prepared: Prepared, *, judge: Judge | None = None) -> SourceCheck:
        """Return the check against all sentences of a prepared cluster, titles included where it has them."""
        return cls([prepared.sentence(number) for number in range(len(prepared))], judge=judge)

    def check(self, text: str) -> list[CheckedSentence]:
        """Return the sentences of a text, each with its clauses checked."""
        return [self.check_sentence(sentence) for sentence in sentences(text, self.lang)]

    def check_sentence(self, sentence: str) -> CheckedSentence:
        """Return one sentence with its clauses checked."""
        # A name at the start of a clause has no capital that tells; within the sentence it has.
        inside = claim_words(sentence, self.lang, self._names)
        names = self._names | {word.text.lower() for word in inside if word.kind == "name"}
        best = self._best(sentence, names)
        parts = clauses(sentence, self.lang)
        if best is None or best.holds or len(parts) == 1:
            checked = [self._clause(part, sentence, best) for part in parts]
        else:
            checked = [self._own_clause(part, best, names) for part in parts]
        return CheckedSentence(sentence, tuple(self._judged(sentence, checked)))

    def support_of(self, sentence: str) -> float:
        """Return how well the nearest source sentence supports a sentence; conflicts count against it, and 0 is none."""
        best = self._best(sentence, self._names)
        return best.value if best else 0.0

    def _clause(self, part: str, sentence: str, best: _Support | None) -> CheckedClause:
        """Return a clause as the whole sentence is supported, or not."""
        if best is None:
            return CheckedClause(part, "not found", None, 0.0, "no source sentence shares a word")
        source = self._sources[best.number]
        if best.holds:
            return CheckedClause(part, "supported", source, best.support)
        return self._refused(part, best)

    def _own_clause(self, part: str, whole: _Support, names: frozenset[str]) -> CheckedClause:
        """Return a clause checked on its own: it may come from another sentence than the rest.

        Where the sentence was clearly taken from one source and says something otherwise, only a clause that stands elsewhere almost as it is passes.
        """
        own = self._best(part, names)
        if own is None:
            return CheckedClause(part, "not found", None, 0.0, "no source sentence shares a word")
        altered = bool(whole.conflicts) and whole.support >= THRESHOLD
        if own.holds and (not altered or own.support >= _CLOSE):
            return CheckedClause(part, "supported", self._sources[own.number], own.support)
        return self._refused(part, own)

    def _refused(self, part: str, best: _Support) -> CheckedClause:
        source = self._sources[best.number]
        if best.conflicts and best.support >= THRESHOLD / 2:
            reason = best.conflicts[0]
            return CheckedClause(
                part, "contradicted", source, best.support, reason, conflicting=True
            )
        reason = (
            best.conflicts[0] if best.conflicts else "no source sentence says this in these words"
        )
        conflicting = bool(best.conflicts)
        return CheckedClause(part, "not found", source, best.support, reason, conflicting)

    def _judged(self, sentence: str, checked: Sequence[CheckedClause]) -> list[CheckedClause]:
        """Return clauses as the model sees them: it can turn down what the rules let pass, and pass what they found in no words."""
        if self._judge is None:
            return list(checked)
        asked = [
            clause for clause in checked if clause.source and clause.standing != "contradicted"
        ]
        pairs = [
            (self._context(clause.source), clause.text if len(checked) > 1 else sentence)
            for clause in asked
            if clause.source
        ]
        answers = dict(zip(map(id, asked), self._judge.probabilities(pairs), strict=True))
        return [_with_answer(clause, answers.get(id(clause))) for clause in checked]

    def _context(self, source: Sentence) -> str:
        """Return a source sentence after the one before it, which its pronouns may refer to."""
        at = self._places[source]
        before = self._sources[at - 1] if at else None
        same = before is not None and before.article == source.article
        return f"{before.text} {source.text}" if before is not None and same else source.text

    def _best(self, text: str, names: frozenset[str]) -> _Support | None:
        """Return the source sentence that supports a text best; None if none shares a word with it."""
        words = claim_words(text, self.lang, names)
        supports = [self._support(words, number) for number in self._near(words)]
        return max(supports, key=lambda each: (each.holds, each.value, -each.number), default=None)

    def _support(self, words: Sequence[ClaimWord], number: int) -> _Support:
        source = self._words[number]
        alignment = align(words, source)
        sentence = self._sources[number]
        found = conflicts(
            words,
            source,
            alignment.places,
            known=self._known_before(number),
            dates=days_meant(sentence.text, sentence.date),
        )
        shortened = only_shortened(words, alignment.places)
        return _Support(number, round(alignment.support, 9), tuple(found), shortened)

    def _near(self, words: Sequence[ClaimWord]) -> list[int]:
        """Return the source sentences that share most with a text, rare words counting more."""
        weights: dict[int, float] = {}
        for key in {word.key for word in words if word.kind != "mark"}:
            holders = self._holders.get(key, ())
            for number in holders:
                weights[number] = weights.get(number, 0.0) + 1 / (1 + len(holders)) ** 0.5
        return sorted(weights, key=lambda number: (-round(weights[number], 9), number))[
            :_CANDIDATES
        ]

    def _known_before(self, number: int) -> frozenset[str]:
        """Return the names of the sentences just before in the same article."""
        article = self._sources[number].article
        before = [
            at for at in range(max(0, number - 3), number) if self._sources[at].article == article
        ]
        return frozenset(
            word.key for at in before for word in self._words[at] if word.kind == "name"
        )

    @cached_property
    def _names(self) -> frozenset[str]:
        return names_in((source.text for source in self._sources), self.lang)

    @cached_property
    def _words(self) -> list[list[ClaimWord]]:
        return [claim_words(source.text, self.lang, self._names) for source in self._sources]

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        """The source sentences that hold each key."""
        holders: dict[str, list[int]] = {}
        for number, words in enumerate(self._words):
            for key in {word.key for word in words if word.kind != "mark"}:
                holders.setdefault(key, []).append(number)
        return holders

    @cached_property
    def _places(self) -> dict[Sentence, int]:
        return {source: number for number, source in reversed(list(enumerate(self._sources)))}


def _with_answer(clause: CheckedClause, probability: float | None) -> CheckedClause:
    if probability is None:
        return clause
    if probability >= THRESHOLD:
        return CheckedClause(clause.text, "supported", clause.source, probability)
    reason = clause.reason or f"the model gives it {probability:.2f}"
    return CheckedClause(clause.text, "not found", clause.source, probability, reason, True)


def support(source: str, text: str) -> float:
    """Return how well one source text supports a text, to compare two texts: conflicts count against it.

    >>> source = "The mayor of Eden, Ann Marlow, resigned on Friday."
    >>> support(source, "Ann Marlow resigned on Friday.") > support(source, "Ann Marlow resigned on Monday.")
    True
    """
    lang = language(source)
    check = SourceCheck(
        [Sentence(each, "source", at) for at, each in enumerate(sentences(source, lang))]
    )
    values = [check.support_of(sentence) for sentence in sentences(text, lang)]
    return sum(values) / max(1, len(values))
