"""What a summarizer returns: the text, its sentences, and a trace of every candidate considered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal[
    "taken", "too short", "does not fit", "redundant", "no gain", "unreadable", "fallback"
]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an article: `position` counts from 0, and -1 is the title."""

    text: str
    article: str
    position: int
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that a method considered: its score if the method has scores, and whether it was taken or why not.

    `shown` is its text in the summary where that is not the sentence as it stands: shortened, or cleaned for display.
    """

    sentence: Sentence
    score: float | None
    outcome: Outcome
    detail: str = ""
    shown: str = ""

    @property
    def taken(self) -> bool:
        """True if the sentence is part of the summary."""
        return self.outcome in ("taken", "fallback")

    @property
    def text(self) -> str:
        """The text as the summary has it."""
        return self.shown or self.sentence.text


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, the sentences it is made of as their articles have them, the candidates in the order considered, and the signature that reproduces it."""

    text: str
    sentences: tuple[Sentence, ...]
    trace: tuple[Candidate, ...]
    signature: str
