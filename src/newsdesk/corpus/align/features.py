"""What is measured of an article and an event: the four features of Gholipour Ghalandari et al. (2020, Table 2), and ours beside them.

`paper`: unigram TF-IDF cosine of title and summary and of body and summary, over all words; how many of the summary's entities stand in the title,
and how many in the body, as exact strings. An entity is a linked phrase; where a summary has no link, its capitalised runs stand in.

`rich` keeps the entities and changes the rest, as trials on WCEP pairs suggested: term frequencies are damped to 1 + ln tf; a body is
normed over words that summaries use, so that a long article is not punished for what no summary would say; and it adds how many rare words of
the summary (in at most 1.25 % of the background's documents) stand in the title, in the first 80 words and in the body, the idf-weighted
share of the summary's words that the body holds, and the share of its entities.

A feature of a pair depends on the article, the event and the background alone, never on other events or articles. `Window` computes it for many
articles against a few events at a time: products of a sparse matrix of articles with dense ones of events. `EventCalendar` says which events these are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.corpus.align.background import Background, Numbered, capitalised_runs
from newsdesk.corpus.pages import url_key
from newsdesk.types import Event

FeatureSet = Literal["paper", "rich"]
PAPER = ("title cosine", "body cosine", "entities in title", "entities in body")
NAMES: dict[str, tuple[str, ...]] = {
    "paper": PAPER,
    "rich": (
        *PAPER,
        "rare words in title",
        "rare words in lead",
        "rare words in body",
        "idf recall in body",
        "share of entities in body",
    ),
}
RARE_SHARE = 0.0125
LEAD_WORDS = 80


class EventCalendar:
    """Events in order of days, those of one day in the order given, and by the addresses that they cite."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = tuple(sorted(events, key=lambda event: event.date))
        by_day: dict[str, list[int]] = defaultdict(list)
        citing: dict[str, list[int]] = defaultdict(list)
        for place, event in enumerate(self.events):
            by_day[event.date].append(place)
            for key in dict.fromkeys(url_key(source.url) for source in event.sources):
                citing[key].append(place)
        self._by_day = {day: tuple(places) for day, places in by_day.items()}
        self._citing = {key: tuple(places) for key, places in citing.items()}

    @property
    def days(self) -> tuple[str, ...]:
        """The days on which there are events."""
        return tuple(self._by_day)

    def on(self, day: str) -> tuple[int, ...]:
        """Return the numbers of the events of one day."""
        return self._by_day.get(day, ())

    def near(self, day: str, days: int) -> tuple[int, ...]:
        """Return the events at most so many days before or after a day.

        >>> events = [Event("a", "2019-05-01", "A."), Event("b", "2019-05-04", "B.")]
        >>> EventCalendar(events).near("2019-05-02", 1)
        (0,)
        """
        middle = date.fromisoformat(day).toordinal()
        first, last = max(middle - days, 1), min(middle + days, date.max.toordinal())
        nearby = (date.fromordinal(ordinal).isoformat() for ordinal in range(first, last + 1))
        return tuple(place for near_day in nearby for place in self.on(near_day))

    def citing(self, url: str | None) -> tuple[int, ...]:
        """Return the events that cite an address, however it is spelled."""
        return self._citing.get(url_key(url), ()) if url else ()


def phrases(event: Event) -> tuple[str, ...]:
    """Return the strings to look for in titles and bodies."""
    linked = tuple(dict.fromkeys(entity.phrase for entity in event.entities if entity.phrase))
    return linked or capitalised_runs(event.summary)


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """The features that come from words, each articles × events; `body_cosine` decides on candidates."""

    title_cosine: Floats
    body_cosine: Floats
    rest: tuple[Floats, ...]


class Window:
    """A few events, ready to be compared with any number of articles.

    Words are columns: those of the background that count in an article's norm, then others that the events use. The latter count in the norm of
    pairs with events that use them (for `rich`; for `paper` every word counts).
    """

    def __init__(
        self, events: Sequence[Event], background: Background, features: FeatureSet
    ) -> None:
        self.events = tuple(events)
        self._features = features
        self._phrases = [phrases(event) for event in events]
        self._unseen_idf = float(background.idf(np.zeros(1))[0])
        rich = features == "rich"
        # word → column; the words that only the events use are appended below
        numbers = dict(background.summary_numbers if rich else background.numbers)
        # Columns before this one are words of the background, and count in every norm; those from it on only the events brought in.
        self._common = len(numbers)
        summaries = Numbered.of(
            (event.summary for event in events),
            lambda word, _: numbers.setdefault(word, len(numbers)),
        )
        self._numbers = numbers
        extra = background.frequencies_of(list(numbers)[self._common :])
        frequencies = np.append(background.frequencies[: self._common], extra)
        self._idf = background.idf(frequencies)
        used = np.unique(summaries.ids)
        self._place_of = np.full(len(numbers), -1)  # of a column among those that the events use
        self._place_of[used] = np.arange(len(used))
        rare = frequencies[used] <= RARE_SHARE * background.documents
        self._fit_events(summaries.counts(len(numbers)), used, rare)

    def _fit_events(self, counts: sparse.csr_array, used: Ints, rare: NDArray[np.bool_]) -> None:
        """Set the matrices of the events, words used × events; `counts` is events × words."""
        # events × words used
        weights = self._of_events(self._weights(counts, self._idf), len(used)).toarray()
        present = (weights > 0).astype(np.float64)
        # for both cosines: the events as vectors of length 1
        self._units = _columns(_divided(weights, np.sqrt((weights**2).sum(axis=1))))
        # for the rare words in title, lead and body: 1 where an event uses a rare word
        self._rare = _columns(present * rare)
        # for idf recall in body: each word's share of the idf of all words of the event
        shares = present * self._idf[used]
        self._shares = _columns(_divided(shares, shares.sum(axis=1)))
        # No feature, but a part of the cosines' norms: words from `_common` on, which count with events that use them.
        outside = (used >= self._common) & (self._features == "rich")
        self._outside = _columns(present * outside)

    def measure(self, titles: Sequence[str], texts: Sequence[str]) -> Measures:
        """Compare all articles with all events of the window."""
        numbers, number = self._numbers, self._numbers.get
        if self._features == "paper":
            numbers = dict(numbers)  # new words get new numbers, for this call only
            number = lambda word, _: numbers.setdefault(word, len(numbers))  # type: ignore[assignment] # noqa: E731
        title, body = Numbered.of(titles, number), Numbered.of(texts, number)
        in_title, in_body = title.counts(len(numbers)), body.counts(len(numbers))
        cosines = (self._cosine(in_title), self._cosine(in_body))
        if self._features == "paper":
            return Measures(*cosines, ())
        in_lead = body.first(LEAD_WORDS).counts(len(numbers))
        # articles × words used, 1 where an article holds a word
        present = [_present(self._of_events(part)) for part in (in_title, in_lead, in_body)]
        *_, present_in_body = present
        rest = (*(part @ self._rare for part in present), present_in_body @ self._shares)
        return Measures(*cosines, rest)

    def matrix(
        self,
        measures: Measures,
        titles: Sequence[str],
        texts: Sequence[str],
        rows: Ints,
        events: Ints,
    ) -> Floats:
        """Return the features of pairs, pairs × `NAMES`; entities are searched for these pairs only.

        Pair i is the article at `rows[i]` of the titles and texts with the event at `events[i]`.
        """
        in_title, in_body = np.zeros(len(rows)), np.zeros(len(rows))
        for place, (row, event) in enumerate(zip(rows.tolist(), events.tolist(), strict=True)):
            title, text = titles[row], texts[row]
            for phrase in self._phrases[event]:
                in_title[place] += phrase in title
                in_body[place] += phrase in text
        values = [measures.title_cosine, measures.body_cosine, *measures.rest]
        title_cosine, body_cosine, *rest = (value[rows, events] for value in values)
        columns = [title_cosine, body_cosine, in_title, in_body, *rest]
        if self._features == "rich":
            entities = np.array([max(len(names), 1) for names in self._phrases])
            columns.append(in_body / entities[events])
        return np.column_stack(columns)

    def _weights(self, counts: sparse.csr_array, idf: Floats) -> sparse.csr_array:
        """Return TF-IDF weights before norming, of the shape of `counts`; `rich` damps the term frequency."""
        weighted = counts.copy()
        if self._features == "rich":
            weighted.data = 1 + np.log(weighted.data)
        weighted.data *= idf[weighted.indices]
        return weighted

    def _cosine(self, counts: sparse.csr_array) -> Floats:
        """Return the cosine of each text with each event (texts × events); `counts` is texts × words."""
        unseen = counts.shape[1] - len(self._idf)
        weights = self._weights(counts, np.append(self._idf, np.full(unseen, self._unseen_idf)))
        squares = weights.copy()
        squares.data **= 2
        in_norm = np.ones(counts.shape[1])
        if self._features == "rich":
            in_norm[self._common :] = 0
        norms = (squares @ in_norm)[:, None]
        if self._outside.any():
            norms = norms + self._of_events(squares) @ self._outside
        return _divided(self._of_events(weights) @ self._units, np.sqrt(norms))

    def _of_events(self, matrix: sparse.csr_array, columns: int | None = None) -> sparse.csr_array:
        """Return the columns of words that the events use: most words of an article are in none of them."""
        unseen = matrix.shape[1] - len(self._place_of)
        places = np.append(self._place_of, np.full(unseen, -1))[matrix.indices]
        used = places >= 0
        row_ends = np.concatenate([[0], np.cumsum(used)])[matrix.indptr]
        width = len(self._units) if columns is None else columns
        return sparse.csr_array(
            (matrix.data[used], places[used], row_ends), shape=(matrix.shape[0], width)
        )


def _present(counts: sparse.csr_array) -> sparse.csr_array:
    """Set all counts to 1, in place."""
    counts.data[:] = 1.0
    return counts


def _columns(rows: Floats) -> Floats:
    return np.ascontiguousarray(rows.T)


def _divided(values: Floats, by: Floats) -> Floats:
    """Values over norms, a column of them or one each; 0 where the norm is 0."""
    norms = by[:, None] if by.ndim == 1 else by
    quotients: Floats = values / np.where(norms > 0, norms, 1.0)
    return quotients
