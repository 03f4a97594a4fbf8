"""The shapes of rankings and explanations of comments."""

from __future__ import annotations

from pydantic import Field

from newsdesk.service.api.shapes.common import Name, Shape, ThreadRecord


class RankRequest(Shape):
    """Threads to rank, by a ready model or one of the data folder."""

    threads: list[ThreadRecord]
    model: Name = "ready"
    top: int | None = Field(default=None, ge=1)
    diversity: float = Field(default=0.0, ge=0, le=1)
    half_life_h: float | None = Field(default=None, gt=0, le=1e6)
    reasons: bool = False


class Label(Shape):
    """A reason for a score in a few words, the words that show it, and its effect on the score."""

    text: str
    words: list[str]
    effect: float


class RankedRow(Shape):
    """A comment at its rank in its thread, from 1; `value` is what it is ranked by, where that is not the score."""

    article: str
    rank: int
    comment: str
    text: str
    score: float
    value: float | None = None
    probability: float | None = None
    reasons: list[Label] | None = None
    signature: str


class Rankings(Shape):
    """The comments of all threads, best first within each thread."""

    comments: list[RankedRow]


class ExplainRequest(Shape):
    """Threads whose scores are to be explained, at most so many reasons per comment."""

    threads: list[ThreadRecord]
    model: Name = "ready"
    most: int = Field(default=6, ge=1, le=100)


class Reason(Shape):
    """A part of a score: which part, what the comment does, the words that show it, and its effect on the log-odds."""

    part: str
    text: str
    words: list[str]
    effect: float


class ExplainedRow(Shape):
    """A comment's score and probability, the parts that sum to the score, sentences taken for padding, and the point it replies to."""

    article: str
    comment: str
    score: float
    probability: float
    reasons: list[Reason]
    padding: list[str]
    point: str = ""


class Explanations(Shape):
    """What each comment's score is made of, in the order of the threads."""

    explanations: list[ExplainedRow]
