"""Heavy work of the API, as functions for worker processes: rows come back as encoded JSON. A worker loads a model once.

What only a worker needs is imported in its function: the server starts without it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from newsdesk.service.api.answers import encoded
from newsdesk.service.api.places import Place
from newsdesk.types import Article, Cluster, Comment, Output, References, Thread

if TYPE_CHECKING:
    from newsdesk.commenters import Commenter
    from newsdesk.metrics.comparisons import Test
    from newsdesk.rankers.ready import Models
    from newsdesk.stats.significance import Correction
    from newsdesk.summarizers import Summarizer

Rows = list[bytes]


def score(
    outputs: Sequence[Output],
    references: Sequence[References],
    metrics: Sequence[str],
    *,
    lang: str | None,
    samples: int | None,
    seed: int,
    per_item: bool,
) -> tuple[Rows, Rows]:
    """Scores of systems, and on request the value of every item."""

    from newsdesk.metrics.systems import join, score_systems
    from newsdesk.results.scores import item_rows, score_rows

    results = score_systems(
        join(outputs, references, lang=lang), metrics, samples=samples, seed=seed
    )
    return encoded(score_rows(results)), encoded(item_rows(results)) if per_item else []


def compare(
    outputs: Sequence[Output],
    references: Sequence[References],
    metrics: Sequence[str],
    *,
    lang: str | None,
    test: Test,
    correction: Correction,
    samples: int,
    seed: int,
) -> Rows:
    """Paired tests between every two systems."""

    from newsdesk.metrics.comparisons import compare_systems
    from newsdesk.metrics.systems import join

    systems = join(outputs, references, lang=lang)
    compared = compare_systems(
        systems, metrics, test=test, correction=correction, samples=samples, seed=seed
    )
    return encoded(each.as_json() for each in compared)


def rank(
    place: Place,
    threads: Sequence[Thread],
    *,
    top: int | None,
    diversity: float,
    half_life_h: float | None,
    reasons: bool,
) -> Rows:
    """The comments of threads, best first within each."""

    from newsdesk.rankers.ordering import Ordering
    from newsdesk.rankers.ranked import Ranking
    from newsdesk.rankers.ranked_files import first_of_each, row

    ordering = Ordering(diversity, half_life_h)
    ranking = Ranking(_models(place), ordering, explained=reasons)
    ranked = first_of_each(ranking.of(threads), top)
    return encoded(row(thread, comment) for thread in ranked for comment in thread.comments)


def explain(place: Place, threads: Sequence[Thread], most: int) -> Rows:
    """What each comment's score is made of."""

    from newsdesk.rankers.ranked import explanations

    return encoded(
        asdict(explanation) for explanation in explanations(_models(place), threads, most)
    )


def probabilities(place: Place, texts: Sequence[str], lang: str) -> list[float]:
    """The probability of each text by itself, as a comment of an article without text.

    A model without probabilities gives the logistic function of its score, which is not calibrated.
    """
    from scipy.special import expit

    from newsdesk.rankers.ranked import Ranking

    values = []
    for text in texts:
        thread = Thread(Article("article", "", lang=lang), (Comment("comment", text),))
        [placed] = next(iter(Ranking(_models(place), explained=False).of([thread]))).comments
        known = placed.probability
        values.append(float(expit(placed.score)) if known is None else known)
    return [min(max(value, 0.0), 1.0) for value in values]


def summarize(
    method: str,
    seed: int,
    settings: Mapping[str, Any],
    cluster: Cluster | None,
    *,
    clean: bool,
    trace: bool,
) -> bytes:
    """The summary of a cluster; without one the method is built alone, and nothing comes back."""

    from newsdesk.summarizers.outputs import outputs_of, trace_row

    summarizer = _summarizer(method, seed, tuple(sorted(settings.items())))
    if cluster is None:
        return b""
    [(output, summary)] = outputs_of(summarizer, [cluster], clean=clean)
    row = {**asdict(output), "signature": summary.signature}
    if trace:
        row["trace"] = trace_row(output, summary)["trace"]
    return encoded([row])[0]


def suggest(place: Place, articles: Sequence[Article], n: int, *, at: str, key_folder: str) -> Rows:
    """Comments suggested for articles, sealed with the key of the installation."""

    from newsdesk.commenters.suggestion import open_key, sealed

    commenter = _commenter(place)
    key = open_key(key_folder)
    return encoded(
        sealed(each, key).as_json()
        for article in articles
        for each in commenter.suggest(article, n, at=at)
    )


@functools.lru_cache(maxsize=16)
def _summarizer(method: str, seed: int, settings: tuple[tuple[str, Any], ...]) -> Summarizer:
    from newsdesk.summarizers import seeded_summarizer

    return seeded_summarizer(method, seed, **dict(settings))


@functools.lru_cache(maxsize=4)
def _commenter(place: Place) -> Commenter:
    from newsdesk.commenters import Commenter

    return Commenter.load(place.name)


@functools.lru_cache(maxsize=16)
def _models(place: Place) -> Models:
    from newsdesk.rankers.ready import Models

    return Models(place.name)
