"""Fitting, saving, the shipped aligners, and the measures of a classifier against scikit-learn's."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from newsdesk.corpus.align.features import NAMES, EventCalendar, FeatureSet
from newsdesk.corpus.align.measured import (
    CurvePoint,
    average_precision,
    calibration,
    fit_aligner,
    measured_section,
    precision_recall,
    quality,
    thinned,
)
from newsdesk.corpus.align.model import (
    ALIGNERS,
    NEGATIVES_PER_POSITIVE,
    EventAligner,
    LabelledPairs,
    background_of,
    cited_articles,
    fit_logistic,
    labelled_pairs,
    ready_aligner,
)
from newsdesk.errors import ArgumentError, DataError
from newsdesk.simulate import world
from newsdesk.types import Article, Event
from tests.corpus.align.conftest import Corpus


def test_pairs_are_the_sources_of_a_date_against_all_its_events(corpus: Corpus) -> None:
    calendar = EventCalendar(corpus.events)
    sources = cited_articles(calendar, corpus.articles)
    pairs = labelled_pairs(calendar, sources, background_of(calendar, sources), "paper")
    expected = sum(
        len(calendar.on(day))
        for each in sources
        for day in {calendar.events[place].date for place in each.events}
    )
    assert len(pairs.labels) == len(pairs.matrix) == expected
    assert pairs.labels.sum() == sum(len(each.events) for each in sources)


def test_held_out_dates_come_after_those_fitted_on(corpus: Corpus) -> None:
    fitted = fit_aligner(corpus.events, corpus.articles)
    assert fitted.held_out is not None and fitted.held_out.first_day is not None
    sources = cited_articles(EventCalendar(corpus.events), corpus.articles)
    assert fitted.train_pairs == len(sources)
    assert 0 < fitted.held_out.quality.positives < len(sources) / 2
    assert fitted.held_out.quality.average_precision > 0.9
    assert fitted.held_out.first_day > min(each.date for each in corpus.events)


def test_negatives_weigh_a_hundred_to_seven_whatever_their_number() -> None:
    rng = np.random.default_rng(0)
    positives, negatives = rng.normal(1, 1, (200, 1)), rng.normal(-1, 1, (400, 1))
    labels = np.repeat([1, 0, 0, 0], [200, 400, 400, 400])
    thrice = fit_logistic(np.concatenate([positives, *[negatives] * 3]), labels)
    once = fit_logistic(np.concatenate([positives, negatives]), labels[:600])
    assert thrice[0][0] == pytest.approx(once[0][0], rel=0.02)
    assert thrice[1] == pytest.approx(once[1], rel=0.02)
    assert pytest.approx(14.2857, abs=1e-4) == NEGATIVES_PER_POSITIVE


def test_without_cited_sources_nothing_can_be_fitted(corpus: Corpus) -> None:
    events = [replace(each, sources=()) for each in corpus.events]
    with pytest.raises(ArgumentError, match="cites"):
        fit_aligner(events, corpus.articles)


def test_events_with_the_articles_they_cite_are_examples(corpus: Corpus) -> None:
    calendar = EventCalendar(corpus.events)
    sources = cited_articles(calendar, corpus.articles)
    examples = [
        (event, [each.article for each in sources if place in each.events])
        for place, event in enumerate(calendar.events)
    ]
    fitted = ALIGNERS.make("rich").fit(examples)
    whole = fit_aligner(corpus.events, corpus.articles).aligner
    assert fitted.weights_ == pytest.approx(whole.weights_, rel=1e-6)
    assert fitted.background_.vocabulary == whole.background_.vocabulary
    with pytest.raises(ArgumentError, match="not fitted yet"):
        fitted.forget().probabilities(np.zeros((1, 9)))


def test_one_event_a_date_gives_no_negatives(corpus: Corpus) -> None:
    with pytest.raises(ArgumentError, match="cannot be fitted"):
        fit_aligner(corpus.events[:1], corpus.articles)


def test_too_few_dates_fit_without_held_out_measures(corpus: Corpus) -> None:
    first = [each for each in corpus.events if each.date == corpus.events[0].date]
    assert fit_aligner(first, corpus.articles).held_out is None


def test_a_saved_aligner_gives_the_same_probabilities(
    aligner: EventAligner, tmp_path: Path
) -> None:
    aligner.save(tmp_path / "model")
    again = EventAligner.load(tmp_path / "model")
    matrix = np.random.default_rng(0).random((20, len(aligner.weights_)))
    assert again.signature == aligner.signature
    assert again.background_.vocabulary == aligner.background_.vocabulary
    assert (again.probabilities(matrix) == aligner.probabilities(matrix)).all()


def test_a_saved_aligner_that_lacks_a_weight_is_refused(
    aligner: EventAligner, tmp_path: Path
) -> None:
    aligner.save(tmp_path)
    header = json.loads((tmp_path / "model.json").read_text("utf-8"))
    del header["learned"]["weights"]["body cosine"]
    (tmp_path / "model.json").write_text(json.dumps(header), "utf-8")
    with pytest.raises(DataError, match="body cosine"):
        EventAligner.load(tmp_path)


@pytest.mark.parametrize("features", list(NAMES))
def test_the_shipped_aligner_finds_reports_and_says_what_it_was_fitted_on(features: str) -> None:
    aligner = ready_aligner(features)  # type: ignore[arg-type]
    assert "simulated" in aligner.data_ and "WCEP" in aligner.data_
    held_out = world(seed=9, events=30, comments=0)
    calendar = EventCalendar(list(held_out.events()))
    articles: list[Article] = [a for cluster in held_out.clusters() for a in cluster.articles]
    sources = cited_articles(calendar, articles)
    pairs = labelled_pairs(calendar, sources, aligner.background_, aligner.features)
    assert quality(aligner.probabilities(pairs.matrix), pairs.labels).average_precision > 0.98


def test_unknown_features_are_refused() -> None:
    with pytest.raises(ArgumentError, match="'paper', 'rich'"):
        ready_aligner("poor")  # type: ignore[arg-type]


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), st.integers(0, 1)), min_size=1
    ).filter(lambda pairs: any(label for _, label in pairs))
)
def test_average_precision_equals_scikit_learn(pairs: list[tuple[float, int]]) -> None:
    from sklearn.metrics import average_precision_score

    scores, labels = (list(column) for column in zip(*pairs, strict=True))
    assert average_precision(scores, labels) == pytest.approx(
        average_precision_score(labels, scores)
    )
    curve = precision_recall(scores, labels)
    assert curve[-1].recall == 1.0
    assert [each.recall for each in curve] == sorted(each.recall for each in curve)
    assert sum(each.pairs for each in calibration(scores, labels)) == len(pairs)


def test_measures_without_a_positive_pair_are_refused() -> None:
    with pytest.raises(ArgumentError, match="no pair is positive"):
        quality([0.1, 0.2], [0, 0])


def test_the_threshold_counts_what_reaches_it() -> None:
    at = quality([0.9, 0.9, 0.8, 0.1], [1, 0, 1, 0], threshold=0.9).at_threshold
    assert (at.precision, at.recall) == (0.5, 0.5)


def test_in_crowded_stories_ours_is_above_the_papers_features() -> None:
    stories = world(seed=1, preset="stories", events=400, comments=0)
    events: list[Event] = list(stories.events())
    articles: list[Article] = [a for cluster in stories.clusters() for a in cluster.articles]
    calendar = EventCalendar(events)
    sources = cited_articles(calendar, articles)
    background = background_of(calendar, sources)
    measured = {}
    both: tuple[FeatureSet, ...] = ("paper", "rich")
    for features in both:
        pairs = labelled_pairs(calendar, sources, background, features)
        early = np.arange(len(pairs.labels)) < len(pairs.labels) // 2
        seen = LabelledPairs(pairs.matrix[early], pairs.labels[early])
        aligner = ALIGNERS.make(features).fit_pairs(seen, background)
        scores = aligner.probabilities(pairs.matrix[~early])
        measured[features] = quality(scores, pairs.labels[~early])
    assert measured["rich"].average_precision > measured["paper"].average_precision + 0.005
    assert next(p.precision for p in measured["rich"].curve if p.recall >= 0.85) >= 0.95


def test_a_thinned_curve_keeps_its_ends_and_loses_no_stretch_of_recall() -> None:
    curve = [CurvePoint(1 - n / 10_000, 1 - n / 20_000, n / 10_000) for n in range(10_001)]
    thin = thinned(curve, most=50)
    assert len(thin) <= 51 and (thin[0], thin[-1]) == (curve[0], curve[-1])
    steps = [second.recall - first.recall for first, second in pairwise(thin)]
    assert min(steps) > 0 and max(steps) < 0.05
    assert thinned(curve[:10]) == curve[:10]


def test_an_aligner_without_labelled_pairs_says_so_on_its_page() -> None:
    html = measured_section(None, "aligner.rich").html(1)
    assert "Not measured" in html and "<svg" not in html
