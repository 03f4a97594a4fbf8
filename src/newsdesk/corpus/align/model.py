"""The aligner: a logistic regression over the features of a pair, with the background that the features need.

It is fitted on cited sources, each against its own event and all other events of that date. Gholipour Ghalandari et al. (2020) ended at seven positives
to a hundred negatives. Here negatives are weighted to that ratio, so that a probability of 0.9 means the same for a portal of five events a
day and for one of fifty. The background (document frequencies) comes from the same summaries and sources.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast, get_args

import numpy as np

from newsdesk import packaged
from newsdesk.arrays import Floats, Ints
from newsdesk.corpus.align.background import Background
from newsdesk.corpus.align.features import NAMES, EventCalendar, FeatureSet, Window
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays, Model, Saved, learned_field
from newsdesk.registry import Registry
from newsdesk.settings import one_of
from newsdesk.types import Article, Event

ALIGNERS = Registry(
    "aligner",
    {
        "rich": "newsdesk.corpus.align.model:RichAligner",
        "paper": "newsdesk.corpus.align.model:PaperAligner",
    },
)
NEGATIVES_PER_POSITIVE = 100 / 7
_DIGITS = 9
_FITTED_ON = "cited sources"


@dataclass(frozen=True, slots=True)
class CitedArticle:
    """An article and the events that cite it, by their places in a calendar."""

    article: Article
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPairs:
    """Features of pairs (pairs × features), and whether the event cites the article."""

    matrix: Floats
    labels: Ints


@dataclass(frozen=True, eq=False)
class EventAligner(Model):
    """A classifier of pairs, named after its features: a weight for each of them, and a bias."""

    kind: ClassVar[str] = "aligner"
    table: ClassVar[Registry] = ALIGNERS

    weights_: tuple[float, ...] = learned_field()
    bias_: float = learned_field()
    background_: Background = learned_field()
    data_: str = learned_field()

    @property
    def features(self) -> FeatureSet:
        """The set of features that the weights are of."""
        return cast(FeatureSet, self.name)

    @property
    def signature(self) -> str:
        """What decides a probability, in one line."""
        self.check_fitted()
        numbers = ",".join(f"{number:g}" for number in (*self.weights_, self.bias_))
        return f"aligner.{self.name}|documents:{self.background_.documents}|weights:{numbers}"

    @property
    def summary(self) -> str:
        """The signature, and what the aligner was fitted on."""
        return f"{self.signature}\nfitted on {self.data_}"

    def fit(
        self,
        examples: Iterable[tuple[Event, Sequence[Article]]],
        dev: Iterable[Any] | None = None,
        *,
        engine: str = "inline",
    ) -> Self:
        """Learn from events, each with the articles that it cites; nothing is chosen on held-out data."""
        rows = list(examples)
        calendar = EventCalendar([event for event, _ in rows])
        articles = dict.fromkeys(article for _, cited in rows for article in cited)
        return self.fit_sources(calendar, cited_articles(calendar, articles), engine)

    def fit_sources(
        self, calendar: EventCalendar, sources: Sequence[CitedArticle], engine: str = "inline"
    ) -> Self:
        """Learn from cited articles; an engine may count their words."""
        background = background_of(calendar, sources, engine=engine)
        return self.fit_pairs(
            labelled_pairs(calendar, sources, background, self.features), background
        )

    def fit_pairs(
        self, pairs: LabelledPairs, background: Background, data: str = _FITTED_ON
    ) -> Self:
        """Learn from labelled pairs; `data` says what they are."""
        weights, bias = fit_logistic(pairs.matrix, pairs.labels)
        return self.hold(weights_=weights, bias_=bias, background_=background, data_=data)

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the weights by the names of features, and the background."""
        self.check_fitted()
        learned = {
            "weights": dict(zip(NAMES[self.name], self.weights_, strict=True)),
            "bias": self.bias_,
            "documents": self.background_.documents,
            "summary_words": self.background_.summary_words,
            "data": self.data_,
        }
        return learned, self.background_.arrays()

    def restore(self, saved: Saved) -> None:
        """Set what `learned` returned."""
        learned = saved.learned
        self.hold(
            weights_=tuple(float(learned["weights"][name]) for name in NAMES[self.name]),
            bias_=learned["bias"],
            background_=Background.from_arrays(
                int(learned["documents"]), int(learned["summary_words"]), saved.arrays
            ),
            data_=learned["data"],
        )

    def probabilities(self, matrix: Floats) -> Floats:
        """Return the probability of each pair, rounded, without BLAS: threads change nothing."""
        self.check_fitted()
        odds = (matrix * np.array(self.weights_)).sum(axis=1) + self.bias_
        rounded: Floats = np.round(1 / (1 + np.exp(-odds)), _DIGITS)
        return rounded

    def windows(self, calendar: EventCalendar, days: int) -> Callable[[str], Window]:
        """Return a function that makes the window of events around a day, and remembers the latest ones."""
        if days < 0:
            raise ArgumentError(f"days is {days}; a window reaches 0 or more days to either side")

        @functools.lru_cache(maxsize=8)
        def window(day: str) -> Window:
            events = [calendar.events[place] for place in calendar.near(day, days)]
            return Window(events, self.background_, self.features)

        return window


@dataclass(frozen=True, eq=False)
class RichAligner(EventAligner):
    """An aligner with our features."""

    name: ClassVar[str] = "rich"


@dataclass(frozen=True, eq=False)
class PaperAligner(EventAligner):
    """An aligner with the four features of Gholipour Ghalandari et al. (2020)."""

    name: ClassVar[str] = "paper"


def ready_aligner(features: FeatureSet = "rich") -> EventAligner:
    """Return the aligner that ships with the package; `data_` says what it was fitted on."""
    one_of("features", features, get_args(FeatureSet))
    return EventAligner.load(packaged.path("corpus", "data", "aligner", features))


def fit_logistic(matrix: Floats, labels: Ints) -> tuple[tuple[float, ...], float]:
    """Return weights and bias of a logistic regression (ridge 1, negatives weighted to 100 : 7).

    Features (pairs × features) are standardised. Numbers are rounded to nine digits, so that the last bits of a solver do not reach a file.
    """
    positives = int(labels.sum())
    negatives = len(labels) - positives
    if not positives or not negatives:
        raise ArgumentError(
            f"an aligner cannot be fitted on {positives} cited pairs and {negatives} others; it needs dates with several events whose sources were obtained"
        )
    from sklearn.linear_model import LogisticRegression

    means, spreads = matrix.mean(axis=0), matrix.std(axis=0)
    spreads = np.where(spreads > 0, spreads, 1.0)
    pair_weights = np.where(labels == 1, 1.0, NEGATIVES_PER_POSITIVE * positives / negatives)
    model = LogisticRegression(solver="newton-cholesky", tol=1e-8, max_iter=200)
    model.fit((matrix - means) / spreads, labels, sample_weight=pair_weights)
    weights = model.coef_[0] / spreads
    bias = float(model.intercept_[0] - (weights * means).sum())
    return tuple(map(_rounded, weights.tolist())), _rounded(bias)


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def cited_articles(calendar: EventCalendar, articles: Iterable[Article]) -> list[CitedArticle]:
    """Return the articles that some event cites, in the order given."""
    cited = ((article, calendar.citing(article.url)) for article in articles)
    return [CitedArticle(article, events) for article, events in cited if events]


def background_of(
    calendar: EventCalendar, sources: Sequence[CitedArticle], *, engine: str = "inline"
) -> Background:
    """Return document frequencies over the summaries of all events and the articles they cite."""
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
    """Pair every source of a date's events with every event of that date; cited ones are positive."""
    by_day: dict[str, list[CitedArticle]] = defaultdict(list)
    for source in sources:
        for day in dict.fromkeys(calendar.events[place].date for place in source.events):
            by_day[day].append(source)
    if not by_day:
        raise ArgumentError(
            "no article has an address that an event cites; an aligner is fitted on cited sources"
        )
    pairs_by_day = [
        day_pairs(calendar, day, cited, background, features)
        for day, cited in sorted(by_day.items())
    ]
    return LabelledPairs(
        np.concatenate([pairs.matrix for pairs in pairs_by_day]),
        np.concatenate([pairs.labels for pairs in pairs_by_day]),
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
    titles = [article.title or "" for article in articles]
    texts = [article.text for article in articles]
    rows = np.repeat(np.arange(len(articles)), len(window.events))
    events = np.tile(np.arange(len(window.events)), len(articles))
    return window.matrix(window.measure(titles, texts), titles, texts, rows, events)
