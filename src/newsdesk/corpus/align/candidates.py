"""Candidate pairs of a batch of articles, and what becomes of each article.

An article meets the events of its own day and of one day to either side. A pair whose body cosine is at least 0.05 is a candidate and gets a probability
(on WCEP pairs that floor loses one positive in a hundred, and leaves about three candidates an article). An article joins the event of its
highest probability if that reaches 0.9; among equal ones the event that comes first. An article that an event cites joins that event,
whatever its date and probability, and no other but those that cite it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.corpus.align.features import EventCalendar, Window
from newsdesk.corpus.align.model import EventAligner
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import ArgumentError
from newsdesk.types import Article, Origin

NO_DATE = "no date"
NO_EVENT = "no event within the window of days"
NO_CANDIDATE = "like no event"
BELOW = "below the probability"
OTHER_EVENT = "another event is more probable"
JOINED = "joined"


@dataclass(frozen=True, slots=True)
class AlignSettings:
    """How many days apart, how probable a pair must be, and from which probability losers are listed."""

    probability: float = 0.9
    days: int = 1
    cosine_floor: float = 0.05
    audit_floor: float = 0.1

    def __post_init__(self) -> None:
        for name in ("probability", "cosine_floor", "audit_floor"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(f"{name} is {getattr(self, name)}, not a number from 0 to 1")
        if self.days < 0:
            raise ArgumentError(f"days is {self.days}, below zero")


@dataclass(frozen=True, slots=True)
class ArticleBatch:
    """The columns of articles that alignment and the search for near-duplicates read."""

    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    urls: Sequence[str | None]
    dates: Sequence[str | None]
    sources: Sequence[str | None]

    @classmethod
    def of(cls, articles: Iterable[Article]) -> ArticleBatch:
        """Return the columns of article values."""
        rows = list(articles)
        return cls(
            [row.id for row in rows],
            [row.title or "" for row in rows],
            [row.text for row in rows],
            [row.url for row in rows],
            [row.date for row in rows],
            [row.source for row in rows],
        )

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Member:
    """An article of a cluster by the number of its file, its row there and its id."""

    file: int
    row: int
    id: str
    origin: Origin
    probability: float | None


@dataclass(frozen=True, slots=True)
class AlignCandidate:
    """A pair for audit: `joined` if the article joined the event, otherwise why it did not."""

    article: str
    event: str
    probability: float
    outcome: str


@dataclass(frozen=True, slots=True)
class Decisions:
    """What was decided on a batch: members by the place of their event, candidates, articles lost."""

    members: tuple[tuple[int, Member], ...]
    candidates: tuple[AlignCandidate, ...]
    lost: StepTally


@dataclass(frozen=True, slots=True, eq=False)
class _ScoredRows:
    """Candidate pairs, the best one of each row first: row, place of the event, probability."""

    rows: Ints
    events: Ints
    probabilities: Floats


def decide(
    file: int,
    first_row: int,
    batch: ArticleBatch,
    calendar: EventCalendar,
    aligner: EventAligner,
    window: Callable[[str], Window],
    settings: AlignSettings,
) -> Decisions:
    """Find the event of every article of a batch, which begins at `first_row` of a file.

    `file` is the number of that file; `window(day)` returns the window of events around a day.
    """
    accounts = Accounts("align")
    joined: list[tuple[int, int, Origin, float | None]] = []  # row, event, origin, probability
    candidates: list[tuple[int, AlignCandidate]] = []  # row, candidate
    by_day: dict[str, list[int]] = {}
    for row, (url, day) in enumerate(zip(batch.urls, batch.dates, strict=True)):
        if citing := calendar.citing(url):
            joined += [(row, event, "cited", None) for event in citing]
            accounts.note("articles cited by several events", int(len(citing) > 1))
        elif day is None:
            accounts.drop(NO_DATE)
        else:
            by_day.setdefault(day, []).append(row)
    for day, rows in by_day.items():
        places = calendar.near(day, settings.days)
        if not places:
            accounts.drop(NO_EVENT, len(rows))
            continue
        scored = _score(batch, rows, places, window(day), aligner, settings)
        # Pairs are sorted by row, best first: the first pair of a row is its best.
        best = np.append(True, np.diff(scored.rows) != 0)[: len(scored.rows)]
        joins = best & (scored.probabilities >= settings.probability)
        accounts.drop(NO_CANDIDATE, len(rows) - int(best.sum()))
        accounts.drop(BELOW, int(best.sum() - joins.sum()))
        columns = (scored.rows[joins], scored.events[joins], scored.probabilities[joins])
        for row, event, probability in zip(*map(np.ndarray.tolist, columns), strict=True):
            joined.append((row, event, "found", probability))
        candidates += _audited(batch, calendar, scored, joins, settings)
    candidates.sort(key=itemgetter(0))
    members = (
        (event, Member(file, first_row + row, batch.ids[row], origin, probability))
        for row, event, origin, probability in sorted(joined, key=itemgetter(0, 1))
    )
    return Decisions(
        tuple(members), tuple(candidate for _, candidate in candidates), accounts.tally()
    )


def _score(
    batch: ArticleBatch,
    rows: Sequence[int],
    places: Sequence[int],
    window: Window,
    aligner: EventAligner,
    settings: AlignSettings,
) -> _ScoredRows:
    """Return the candidates among articles of one day and events near it, with their probabilities."""
    titles, texts = [batch.titles[row] for row in rows], [batch.texts[row] for row in rows]
    measures = window.measure(titles, texts)
    article_places, event_places = np.nonzero(measures.body_cosine >= settings.cosine_floor)
    features = window.matrix(measures, titles, texts, article_places, event_places)
    probabilities = aligner.probabilities(features)
    order = np.lexsort((event_places, -probabilities, article_places))
    row_numbers = np.array(rows, dtype=np.int64)[article_places[order]]
    return _ScoredRows(row_numbers, np.array(places)[event_places[order]], probabilities[order])


def _audited(
    batch: ArticleBatch,
    calendar: EventCalendar,
    scored: _ScoredRows,
    joins: NDArray[np.bool_],
    settings: AlignSettings,
) -> Iterator[tuple[int, AlignCandidate]]:
    """Yield the pairs that reach the audit floor, each after its row, with what became of it."""
    reached = scored.probabilities >= min(settings.audit_floor, settings.probability)
    columns = (scored.rows, scored.events, scored.probabilities, joins)
    for row, event, probability, join in zip(
        *(column[reached].tolist() for column in columns), strict=True
    ):
        lost = OTHER_EVENT if probability >= settings.probability else BELOW
        outcome = JOINED if join else lost
        yield row, AlignCandidate(batch.ids[row], calendar.events[event].id, probability, outcome)
