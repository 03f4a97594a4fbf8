"""Fitting an aligner on cited sources: each against its own event and all other events of that date.

The background (document frequencies) comes from the same summaries and sources. Held-out measures are chronological: fitted on earlier dates, measured on
later ones; the aligner that is returned is then fitted on all dates. The measures are precision and recall over all thresholds, and calibration.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from newsdesk.arrays import Floats, Ints
from newsdesk.corpus.align.background import Background
from newsdesk.corpus.align.calendar import EventCalendar
from newsdesk.corpus.align.features import FeatureSet, Window
from newsdesk.corpus.align.model import EventAligner, fit_logistic
from newsdesk.errors import ArgumentError
from newsdesk.stats.intervals import wilson_ends
from newsdesk.types import Article, Event

TRAIN_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Precision and recall of the pairs whose probability reaches a threshold."""

    threshold: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs whose probabilities lie between two bounds.

    Their mean probability, and the share that is positive.
    """

    low: float
    high: float
    pairs: int
    mean_probability: float
    share_positive: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share, as if pairs were independent."""
        return wilson_ends(self.share_positive, self.pairs)


@dataclass(frozen=True, slots=True)
class Quality:
    """The measures of a classifier on pairs that it was not fitted on."""

    pairs: int
    positives: int
    average_precision: float
    at_threshold: CurvePoint
    curve: tuple[CurvePoint, ...]
    calibration: tuple[Bin, ...]


def quality(probabilities: ArrayLike, labels: ArrayLike, *, threshold: float = 0.9) -> Quality:
    """Return all measures at once; pairs of equal probability stand or fall together."""
    scores, truth = _pairs(probabilities, labels)
    curve = precision_recall(scores, truth)
    reached = truth[scores >= threshold]
    at = CurvePoint(
        threshold,
        float(reached.mean()) if len(reached) else 0.0,
        float(reached.sum() / truth.sum()),
    )
    return Quality(
        len(truth),
        int(truth.sum()),
        average_precision(scores, truth),
        at,
        curve,
        calibration(scores, truth),
    )


def precision_recall(probabilities: ArrayLike, labels: ArrayLike) -> tuple[CurvePoint, ...]:
    """Return one point for each distinct probability, from the highest down.

    >>> [(each.precision, each.recall) for each in precision_recall([0.9, 0.8, 0.8], [1, 0, 1])]
    [(1.0, 0.5), (0.6666666666666666, 1.0)]
    """
    scores, truth = _pairs(probabilities, labels)
    thresholds, hits, reached = _cumulated(scores, truth)
    total = int(truth.sum())
    rows = zip(thresholds.tolist(), hits.tolist(), reached.tolist(), strict=True)
    return tuple(CurvePoint(each, hit / count, hit / total) for each, hit, count in rows)


def average_precision(probabilities: ArrayLike, labels: ArrayLike) -> float:
    """Σ (recall step) · precision over the curve, without interpolation.

    >>> average_precision([0.9, 0.8, 0.7], [1, 0, 1])
    0.8333333333333333
    """
    scores, truth = _pairs(probabilities, labels)
    _, hits, reached = _cumulated(scores, truth)
    steps = np.diff(hits, prepend=0) / truth.sum()
    return float((steps * hits / reached).sum())


def precision_at(curve: Sequence[CurvePoint], recall: float) -> float:
    """Return the highest precision among the points that reach a recall."""
    return max((point.precision for point in curve if point.recall >= recall), default=0.0)


def calibration(probabilities: ArrayLike, labels: ArrayLike, *, bins: int = 10) -> tuple[Bin, ...]:
    """Bins of equal width that hold a pair at all."""
    scores, truth = _pairs(probabilities, labels)
    place = np.minimum((scores * bins).astype(np.int64), bins - 1)
    table = []
    for number in np.unique(place).tolist():
        inside = place == number
        table.append(
            Bin(
                number / bins,
                (number + 1) / bins,
                int(inside.sum()),
                float(scores[inside].mean()),
                float(truth[inside].mean()),
            )
        )
    return tuple(table)


def _pairs(probabilities: ArrayLike, labels: ArrayLike) -> tuple[Floats, Ints]:
    scores = np.asarray(probabilities, dtype=np.float64)
    truth = np.asarray(labels, dtype=np.int64)
    if scores.shape != truth.shape or scores.ndim != 1:
        raise ArgumentError(f"{scores.shape} probabilities and {truth.shape} labels are not paired")
    if not truth.sum():
        raise ArgumentError("no pair is positive: precision and recall are not defined")
    return scores, truth


def _cumulated(scores: Floats, truth: Ints) -> tuple[Floats, Ints, Ints]:
    """Return the distinct scores from the highest, with how many positives and how many pairs reach each."""
    order = np.argsort(-scores, kind="stable")
    ordered, hits = scores[order], np.cumsum(truth[order])
    last = np.append(np.diff(ordered) != 0, True)
    return ordered[last], hits[last], np.flatnonzero(last) + 1


@dataclass(frozen=True, slots=True)
class CitedArticle:
    """An article and the events that cite it, by their places in a calendar."""

    article: Article
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPairs:
    """Features of pairs, and whether the event cites the article."""

    matrix: Floats
    labels: Ints


@dataclass(frozen=True, slots=True, eq=False)
class FittedAligner:
    """An aligner, and what one fitted on earlier dates reached on later ones.

    No measures where there are too few dates.
    """

    aligner: EventAligner
    train_pairs: int
    held_out: Quality | None
    first_held_out_day: str | None


def cited_articles(calendar: EventCalendar, articles: Iterable[Article]) -> list[CitedArticle]:
    """Return the articles that some event cites, in the order given."""
    cited = ((article, calendar.citing(article.url)) for article in articles)
    return [CitedArticle(article, events) for article, events in cited if events]


def background_of(
    calendar: EventCalendar, sources: Sequence[CitedArticle], *, engine: str = "inline"
) -> Background:
    """Document frequencies over the summaries of all events and the articles they cite."""
    return Background.fit(
        (event.summary for event in calendar.events),
        (f"{source.article.title or ''}\n{source.article.text}" for source in sources),
        engine=engine,
    )


def labelled_pairs(
    calendar: EventCalendar,
    sources: Sequence[CitedArticle],
    background: Background,
    features: FeatureSet,
) -> LabelledPairs:
    """Return every source of a date's events against every event of that date.

    Positive where the event cites it.
    """
    by_day: dict[str, list[CitedArticle]] = defaultdict(list)
    for source in sources:
        for day in dict.fromkeys(calendar.events[place].date for place in source.events):
            by_day[day].append(source)
    if not by_day:
        raise ArgumentError(
            "no article has an address that an event cites; an aligner is fitted on cited sources"
        )
    days = [
        day_pairs(calendar, day, cited, background, features)
        for day, cited in sorted(by_day.items())
    ]
    return LabelledPairs(
        np.concatenate([each.matrix for each in days]),
        np.concatenate([each.labels for each in days]),
    )


def day_pairs(
    calendar: EventCalendar,
    day: str,
    sources: Sequence[CitedArticle],
    background: Background,
    features: FeatureSet,
) -> LabelledPairs:
    """Return the sources of a day's events against every event of that day."""
    places = calendar.on(day)
    window = Window([calendar.events[place] for place in places], background, features)
    labels = [place in source.events for source in sources for place in places]
    matrix = all_pairs(window, [source.article for source in sources])
    return LabelledPairs(matrix, np.array(labels, dtype=np.int64))


def all_pairs(window: Window, articles: Sequence[Article]) -> Floats:
    """Return the features of every article with every event of a window, article by article."""
    titles, texts = (
        [article.title or "" for article in articles],
        [article.text for article in articles],
    )
    count = len(window.events)
    rows = np.repeat(np.arange(len(articles)), count)
    events = np.tile(np.arange(count), len(articles))
    return window.matrix(window.measure(titles, texts), titles, texts, rows, events)


def fit_aligner(
    events: Sequence[Event],
    articles: Iterable[Article],
    *,
    features: FeatureSet = "rich",
    threshold: float = 0.9,
    data: str = "cited sources",
    engine: str = "inline",
) -> FittedAligner:
    """Fit an aligner on the articles that events cite.

    The later dates, a fifth of the sources, are measured as held-out.
    """
    calendar = EventCalendar(events)
    sources = cited_articles(calendar, articles)
    cut = _first_held_out_day(calendar, sources)
    held_out = None
    if cut is not None:
        earlier, later = (
            [source for source in sources if (_day(calendar, source) >= cut) == late]
            for late in (False, True)
        )
        past = EventCalendar([event for event in calendar.events if event.date < cut])
        trial = _fit(
            past, cited_articles(past, [e.article for e in earlier]), features, data, engine
        )
        pairs = labelled_pairs(calendar, later, trial.background, features)
        held_out = quality(trial.probabilities(pairs.matrix), pairs.labels, threshold=threshold)
    aligner = _fit(calendar, sources, features, data, engine)
    return FittedAligner(aligner, len(sources), held_out, cut)


def _fit(
    calendar: EventCalendar,
    sources: Sequence[CitedArticle],
    features: FeatureSet,
    data: str,
    engine: str,
) -> EventAligner:
    background = background_of(calendar, sources, engine=engine)
    pairs = labelled_pairs(calendar, sources, background, features)
    weights, bias = fit_logistic(pairs.matrix, pairs.labels)
    return EventAligner(features, weights, bias, background, data)


def _day(calendar: EventCalendar, source: CitedArticle) -> str:
    """Return the date of the first event that cites an article."""
    return calendar.events[source.events[0]].date


def _first_held_out_day(calendar: EventCalendar, sources: Sequence[CitedArticle]) -> str | None:
    """Return the day from which on sources are held out.

    None where either side would be without several events on a date.
    """
    days = sorted(_day(calendar, source) for source in sources)
    if not days:
        return None
    cut = days[int(TRAIN_SHARE * len(days))]
    several = [day for day in dict.fromkeys(days) if len(calendar.on(day)) > 1]
    both = any(day < cut for day in several) and any(day >= cut for day in several)
    return cut if both else None
