"""The values that newsdesk passes around: what a line of each file format holds.

Every type is frozen and slotted. Its fields are the keys of the JSON object, a field without a default is a required key,
and the constructor refuses what the format refuses, so that a value built in Python is as good as one read from a file.
`records` turns them into lines and back.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, TypeAlias

from newsdesk.errors import DataError

Origin = Literal["cited", "found"]
Via = Literal["sheet", "web", "import", "model"]
Value: TypeAlias = str | int | float | bool

CANNOT_JUDGE = "cannot-judge"  # the value of an answer that was withdrawn, in every protocol

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_CLOCK = re.compile(r"T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?Z\Z")


def _check_id(value: str, name: str = "id") -> None:
    if not value:
        raise DataError(f"`{name}` is empty")


def _is_day(value: str) -> bool:
    if not _DAY.match(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _check_day(value: str | None) -> None:
    if value is not None and not _is_day(value):
        raise DataError(f"`date` is {value!r}, not a day like 2019-05-01")


def _check_moment(value: str | None) -> None:
    if value is not None and not (_is_day(value[:10]) and _CLOCK.match(value[10:])):
        raise DataError(f"`at` is {value!r}, not a UTC moment like 2019-05-01T09:30:00Z")


def _check_share(value: float | None, name: str) -> None:
    if value is not None and not 0 <= value <= 1:
        raise DataError(f"`{name}` is {value}, not a number from 0 to 1")


def _check_count(value: int | None, name: str) -> None:
    if value is not None and value < 0:
        raise DataError(f"`{name}` is {value}, below zero")


def _check_finite(value: float | None, name: str) -> None:
    if value is None:
        return
    try:
        finite = math.isfinite(value)
    except OverflowError:
        raise DataError(f"`{name}` is too large for a number") from None
    if not finite:
        raise DataError(f"`{name}` is {value}, not a finite number")


def _check_unique(ids: list[str], what: str) -> None:
    if len(set(ids)) != len(ids):
        twice = next(name for position, name in enumerate(ids) if name in ids[:position])
        raise DataError(f"duplicate {what} {twice!r}")


@dataclass(frozen=True, slots=True)
class Article:
    """A news article: id and text, and metadata where known."""

    id: str
    text: str
    title: str | None = None
    url: str | None = None
    date: str | None = None
    lang: str | None = None
    source: str | None = None
    category: str | None = None
    author: str | None = None
    date_source: str | None = None
    date_confidence: float | None = None

    def __post_init__(self) -> None:
        _check_id(self.id)
        _check_day(self.date)
        _check_share(self.date_confidence, "date_confidence")


@dataclass(frozen=True, slots=True)
class ClusterArticle(Article):
    """An article of a cluster: cited by the event's editors, or found later with some probability."""

    origin: Origin | None = None
    probability: float | None = None

    def __post_init__(self) -> None:
        # Named outright: in a slotted class `super()` would look for the class that slots replaced.
        Article.__post_init__(self)
        _check_share(self.probability, "probability")


@dataclass(frozen=True, slots=True)
class Entity:
    """A linked phrase of an event's summary; `start` and `end` count characters of the summary."""

    phrase: str
    target: str
    start: int
    end: int

    def __post_init__(self) -> None:
        _check_count(self.start, "start")
        if self.end < self.start:
            raise DataError(f"`end` {self.end} stands before `start` {self.start}")


@dataclass(frozen=True, slots=True)
class Source:
    """A page that an event's editors cite."""

    url: str
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A news event as one editor told it."""

    id: str
    date: str
    summary: str
    summary_with_labels: str | None = None
    category: str | None = None
    story: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    sources: tuple[Source, ...] = ()

    def __post_init__(self) -> None:
        _check_id(self.id)
        _check_day(self.date)


@dataclass(frozen=True, slots=True)
class Cluster:
    """The articles of one event, with its summary if there is one.

    `title` and `lead` are those of its most central article, whose id is `central`: no summary, and written by nobody for the event.
    """

    id: str
    articles: tuple[ClusterArticle, ...]
    date: str | None = None
    category: str | None = None
    summary: str | None = None
    story: tuple[str, ...] = ()
    title: str | None = None
    lead: str | None = None
    central: str | None = None

    def __post_init__(self) -> None:
        _check_id(self.id)
        _check_day(self.date)
        _check_unique([article.id for article in self.articles], "article id")


@dataclass(frozen=True, slots=True)
class Comment:
    """A reader's comment. `score` is its gain (C-score, share, …); `yes` of `votes` said so when counted."""

    id: str
    text: str
    likes: int | None = None
    dislikes: int | None = None
    score: float | None = None
    yes: int | None = None
    votes: int | None = None
    at: str | None = None
    position: int | None = None
    author: str | None = None
    parent: str | None = None
    toxicity: float | None = None

    def __post_init__(self) -> None:
        _check_id(self.id)
        _check_finite(self.score, "score")
        _check_share(self.toxicity, "toxicity")
        for name in ("likes", "dislikes", "yes", "votes", "position"):
            _check_count(getattr(self, name), name)
        if self.yes is not None and self.votes is not None and self.yes > self.votes:
            raise DataError(f"`yes` is {self.yes} of only {self.votes} `votes`")


@dataclass(frozen=True, slots=True)
class Thread:
    """An article and the comments under it."""

    article: Article
    comments: tuple[Comment, ...]

    def __post_init__(self) -> None:
        _check_unique([comment.id for comment in self.comments], "comment id")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference text with its quality weight, from 0 to 1."""

    text: str
    weight: float = 1.0

    def __post_init__(self) -> None:
        _check_share(self.weight, "weight")


@dataclass(frozen=True, slots=True)
class References:
    """The weighted reference texts of one item."""

    id: str
    references: tuple[Reference, ...]
    lang: str | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        _check_id(self.id)


@dataclass(frozen=True, slots=True)
class Output:
    """What one system wrote for one item."""

    id: str
    system: str
    text: str

    def __post_init__(self) -> None:
        _check_id(self.id)
        _check_id(self.system, "system")


@dataclass(frozen=True, slots=True)
class Judgment:
    """A grade, vote, rank or label that one person gave one target.

    The key is (campaign, task, item, target, question, annotator). A later row with the same key corrects an earlier one.
    """

    campaign: str
    task: str
    item: str
    target: str
    question: str
    value: Value
    annotator: str
    shown: str | None = None
    at: str | None = None
    seconds: float | None = None
    control: bool | None = None
    via: Via | None = None

    def __post_init__(self) -> None:
        for name in ("campaign", "task", "item", "target", "question", "annotator"):
            _check_id(getattr(self, name), name)
        if not isinstance(self.value, str):
            _check_finite(self.value, "value")
        _check_moment(self.at)
        _check_finite(self.seconds, "seconds")
        if self.seconds is not None and self.seconds < 0:
            raise DataError(f"`seconds` is {self.seconds}, below zero")

    @property
    def withdrawn(self) -> bool:
        """True if the person says that they cannot judge.

        Distinct from no answer, and missing in all statistics.
        """
        return self.value == CANNOT_JUDGE

    @property
    def key(self) -> tuple[str, str, str, str, str, str]:
        """What a correction shares with the row it corrects."""
        return (self.campaign, self.task, self.item, self.target, self.question, self.annotator)


@dataclass(frozen=True, slots=True)
class ControlQuestion:
    """A text whose right answer is known beforehand, about an article if one is named.

    `why` explains the answer to people.

    With `up_to` every answer from `answer` to `up_to` is right. `title` is for an article that is not judged otherwise.
    """

    text: str
    answer: Value
    article: str | None = None
    why: str | None = None
    title: str | None = None
    up_to: float | None = None

    def __post_init__(self) -> None:
        _check_finite(self.up_to, "up_to")
        if not isinstance(self.answer, str):
            _check_finite(self.answer, "answer")
        if self.article is not None:
            _check_id(self.article, "article")


@dataclass(frozen=True, slots=True)
class Ranked:
    """One line of a run: a comment of an article with its score and its rank from 1."""

    article: str
    comment: str
    score: float
    rank: int

    def __post_init__(self) -> None:
        _check_id(self.article, "article")
        _check_id(self.comment, "comment")
        _check_finite(self.score, "score")
        if self.rank < 1:
            raise DataError(f"`rank` is {self.rank}; ranks start at 1")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two comments of one article of which one is better, by a margin if one was measured."""

    article: str
    better: str
    worse: str
    margin: float | None = None

    def __post_init__(self) -> None:
        for name in ("article", "better", "worse"):
            _check_id(getattr(self, name), name)
        _check_finite(self.margin, "margin")
        if self.better == self.worse:
            raise DataError(f"{self.better!r} cannot be better than itself")


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a metric: value, signature, number of items, and parts.

    `parts` holds p, r and f where a metric has them; `ci` the interval and `items` the value of each item when asked for.
    """

    value: float
    signature: str
    n: int
    parts: Mapping[str, float] = field(default_factory=dict)
    ci: tuple[float, float] | None = None
    items: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its confidence interval, nan where undefined, and the number of units behind it."""

    value: float
    low: float = math.nan
    high: float = math.nan
    n: int = 0

    @property
    def ci(self) -> tuple[float, float] | None:
        """The interval, None where there is none."""
        return None if math.isnan(self.low) else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference first minus second, and its p-value as it is and corrected.

    Of a single test the two are equal.
    """

    first: str
    second: str
    estimate: Estimate
    p: float
    p_corrected: float

    @property
    def difference(self) -> float:
        """The estimated difference."""
        return self.estimate.value

    @property
    def low(self) -> float:
        """The lower end of the interval of the difference."""
        return self.estimate.low

    @property
    def high(self) -> float:
        """The upper end of the interval of the difference."""
        return self.estimate.high

    @property
    def ci(self) -> tuple[float, float] | None:
        """The interval of the difference, None where there is none."""
        return self.estimate.ci

    @property
    def n(self) -> int:
        """The number of units that both sides have."""
        return self.estimate.n


Record: TypeAlias = (
    Article
    | Event
    | Cluster
    | Thread
    | References
    | Output
    | Judgment
    | ControlQuestion
    | Ranked
    | Pair
)
