"""Do the heavy work of the API in worker processes: rows come back as encoded JSON, models are loaded once.

What only a worker needs is imported in its function: the server starts without it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from newsdesk.errors import ArgumentError
from newsdesk.jsonl import json_text
from newsdesk.languages import check_language
from newsdesk.rankers.ready import READY, ready_name, ready_names
from newsdesk.registry import RANKERS, offer
from newsdesk.service.settings import DataFolder
from newsdesk.types import Article, Cluster, Comment, Output, References, Thread

if TYPE_CHECKING:
    from newsdesk.commenters import Commenter
    from newsdesk.metrics.systems import Test
    from newsdesk.rankers.ready import Models
    from newsdesk.stats.significance import Correction
    from newsdesk.summarizers import Summarizer
    from newsdesk.summarizers.evaluate import Counted

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
MOST_COMMENT_BYTES = 20 * 1024  # of a comment that a platform sends


def encoded(rows: Iterable[Any]) -> list[bytes]:
    """Return rows as JSON, each on its own: what workers return, so that the server need not encode."""
    return [json_text(row).encode("utf-8") for row in rows]


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model to load: a name that ships, or a path with its last change, so that a new one is loaded."""

    name: str
    changed_ns: int = 0


def ranker_source(folder: DataFolder, name: str) -> ModelSource:
    """Return where a ranker is: a ready model, one that learns nothing, or a folder of `models/`."""
    if name in ready_names():
        return ModelSource(name)
    if name in RANKERS and not RANKERS.load(name).learns({}):
        return ModelSource(name)
    return _saved(folder, name, [*ready_names(), *_learning_nothing()])


def scores_language(model: str, lang: str) -> bool:
    """Return True if a ranker scores a language: `ready` has some, others take what can be cut into words."""
    try:
        check_language(lang)
    except ArgumentError:
        return False
    return model != READY or ready_name(lang) is not None


def model_source(folder: DataFolder, name: str) -> ModelSource:
    """Return where a saved model is of any kind in `models/`."""
    return _saved(folder, name, [])


def saved_models(folder: DataFolder) -> list[str]:
    """Return the names of the folders in `models/`, in order."""
    if not folder.models.is_dir():
        return []
    return sorted(
        path.name
        for path in folder.models.iterdir()
        if path.is_dir() and _PLAIN.fullmatch(path.name)
    )


def _saved(folder: DataFolder, name: str, others: list[str]) -> ModelSource:
    """Return a saved model of `models/`; `others` are names that an error also offers."""
    saved = saved_models(folder)
    if name not in saved:
        raise ArgumentError(f"no model is called {name!r}; {offer(name, [*others, *saved])}")
    path = folder.models / name
    return ModelSource(str(path), path.stat().st_mtime_ns)


def _learning_nothing() -> list[str]:
    return [name for name in RANKERS if not RANKERS.load(name).learns({})]


def lengths(clusters: Sequence[Cluster], **settings: Any) -> dict[str, Any]:
    """Return the best length of a summary."""
    from newsdesk.studies.tuning import study_lengths

    return study_lengths(clusters, **settings).as_json()


def curve(clusters: Sequence[Cluster], methods: Sequence[str], **settings: Any) -> dict[str, Any]:
    """Return scores against the number of articles added."""
    from newsdesk.studies import curve as study

    return study.curve(clusters, methods, **settings).as_json()


def table5(
    clusters: Sequence[Cluster],
    methods: Sequence[str],
    against: str | None,
    max_words: int,
    unit: Counted,
    seed: int,
    **settings: Any,
) -> dict[str, Any]:
    """Compare methods on the same clusters."""
    from newsdesk.studies import table5 as study
    from newsdesk.studies.table5_result import table5_json
    from newsdesk.summarizers.evaluate import configured

    limit: dict[str, Any] = {"max_words": max_words, "unit": unit, "seed": seed}
    summarizers = [configured(method, **limit) for method in methods]
    baseline = study.baseline_of(summarizers, against, **limit) if against else None
    evaluation = study.table5(clusters, summarizers, **limit, **settings)
    return table5_json(evaluation, baseline)


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
    """Return scores of systems, and on request the value of every item (else none)."""

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
    """Return paired tests between every two systems."""

    from newsdesk.metrics.systems import compare_systems, join

    systems = join(outputs, references, lang=lang)
    compared = compare_systems(
        systems, metrics, test=test, correction=correction, samples=samples, seed=seed
    )
    return encoded(comparison.as_json() for comparison in compared)


def rank(
    model: ModelSource,
    threads: Sequence[Thread],
    *,
    top: int | None,
    diversity: float,
    half_life_h: float | None,
    reasons: bool,
    gate: bool,
    hold_back: float,
) -> Rows:
    """Return the comments of threads, best first within each; those that a gate holds back are last."""

    from newsdesk.rankers.gate.gate import Gate
    from newsdesk.rankers.ordering import Ordering
    from newsdesk.rankers.ranked import Ranking
    from newsdesk.rankers.ranked_files import first_of_each, row

    ordering = Ordering(diversity=diversity, half_life_h=half_life_h)
    before = Gate(hold_back) if gate else None
    ranking = Ranking(_models(model), ordering, explained=reasons, gate=before)
    ranked = first_of_each(ranking.of(threads), top)
    return encoded(row(thread, comment) for thread in ranked for comment in thread.everything)


def order(model: ModelSource, threads: Sequence[Thread]) -> list[list[str]]:
    """Return the ids of the comments of each thread, best first."""

    from newsdesk.rankers.ranked import Ranking

    ranking = Ranking(_models(model), explained=False)
    return [[placed.comment.id for placed in thread.comments] for thread in ranking.of(threads)]


def explain(model: ModelSource, threads: Sequence[Thread], most: int) -> Rows:
    """Return what each comment's score is made of."""

    from newsdesk.rankers.ranked import explanations

    return encoded(
        asdict(explanation) for explanation in explanations(_models(model), threads, most)
    )


def probabilities(model: ModelSource, texts: Sequence[str], lang: str) -> list[float]:
    """Return the probability of each text by itself, as a comment of an article without text.

    A model without votes gives the sigmoid that it was fitted with, and one without probabilities the logistic function of its score: neither is calibrated.
    """
    from scipy.special import expit

    from newsdesk.rankers.ranked import Calibrated

    models = _models(model)
    threads = [Thread(Article("article", "", lang=lang), (Comment("comment", text),)) for text in texts]  # fmt: skip
    values = []
    for thread in models.checked(threads):
        ranker = models.of(thread)
        scores = ranker.scores(thread)
        chances = ranker.calibrate(scores) if isinstance(ranker, Calibrated) else expit(scores)
        values.append(float(chances[0]))
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
    """Return the summary of a cluster; without one the method is built alone, and nothing comes back."""

    from newsdesk.summarizers.outputs import outputs_of, trace_row

    summarizer = _summarizer(method, seed, tuple(sorted(settings.items())))
    if cluster is None:
        return b""
    [(output, summary)] = outputs_of(summarizer, [cluster], clean=clean)
    row = {**asdict(output), "signature": summary.signature}
    if trace:
        row["trace"] = trace_row(output, summary)["trace"]
    [line] = encoded([row])
    return line


def suggest(
    model: ModelSource, articles: Sequence[Article], n: int, *, at: str, key_folder: str
) -> Rows:
    """Return comments suggested for articles, sealed with the key of the installation."""

    from newsdesk.commenters.suggestion import open_key, sealed

    commenter = _commenter(model)
    key = open_key(key_folder)
    return encoded(
        sealed(suggestion, key).as_json()
        for article in articles
        for suggestion in commenter.suggest(article, n, at=at)
    )


@functools.lru_cache(maxsize=16)
def _summarizer(method: str, seed: int, settings: tuple[tuple[str, Any], ...]) -> Summarizer:
    from newsdesk.summarizers import seeded_summarizer

    return seeded_summarizer(method, seed, **dict(settings))


@functools.lru_cache(maxsize=4)
def _commenter(model: ModelSource) -> Commenter:
    from newsdesk.commenters import Commenter

    return Commenter.load(model.name)


@functools.lru_cache(maxsize=16)
def _models(model: ModelSource) -> Models:
    from newsdesk.rankers.ready import Models

    return Models(model.name)
