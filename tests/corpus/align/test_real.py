"""Alignment on real WCEP pairs: floors below what `bench/wcep_pairs.py` measures on all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from newsdesk import records
from newsdesk.corpus.align.background import Background
from newsdesk.corpus.align.features import FeatureSet, Window
from newsdesk.corpus.align.model import EventAligner, fit_logistic
from newsdesk.corpus.align.training import all_pairs, average_precision
from newsdesk.types import Article, Cluster, Event

BOTH: tuple[FeatureSet, ...] = ("paper", "rich")


@pytest.mark.real
def test_ours_tells_real_events_apart_better_than_the_papers_features(shared_data: Path) -> None:
    path = shared_data / "wcep_real" / "clusters_train.jsonl"
    clusters = list(records.read(path, Cluster))[:300]
    seen, unseen = clusters[:150], clusters[150:]
    background = Background.fit(
        [each.summary or "" for each in seen],
        [f"{a.title}\n{a.text}" for each in seen for a in each.articles],
    )
    reached = {}
    for features in BOTH:
        weights, bias = fit_logistic(*pairs(seen, background, features))
        matrix, labels = pairs(unseen, background, features)
        scores = EventAligner(features, weights, bias, background).probabilities(matrix)
        reached[features] = average_precision(scores, labels)
    assert reached["rich"] > max(0.95, reached["paper"])


def pairs(
    clusters: list[Cluster], background: Background, features: FeatureSet
) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    """Every article against all summaries."""
    events = [Event(each.id, "2019-01-01", each.summary or "") for each in clusters]
    articles: list[Article] = [a for each in clusters for a in each.articles]
    own = [place for place, each in enumerate(clusters) for _ in each.articles]
    matrix = all_pairs(Window(events, background, features), articles)
    labels = np.zeros((len(articles), len(events)), dtype=np.int64)
    labels[np.arange(len(own)), own] = 1
    return matrix, labels.ravel()
