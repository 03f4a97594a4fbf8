"""Fit the aligners that ship with the package; `python -m training.fit_aligner --write` replaces them, without it the shipped ones are compared.

Pairs: the shared WCEP articles, each with its own summary, three of the most similar others and eleven random others, about the paper's ratio; and the cited sources of
two simulated worlds (`base` and `stories`), each against all events of its date. Background frequencies: all of these texts and the
references of the WCEP test split.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench._data import ABSENT, SHARED, rows, wcep_clusters
from newsdesk.corpus.align.background import Background
from newsdesk.corpus.align.features import EventCalendar, FeatureSet, Window
from newsdesk.corpus.align.model import (
    ALIGNERS,
    EventAligner,
    LabelledPairs,
    cited_articles,
    labelled_pairs,
    ready_aligner,
)
from newsdesk.simulate import World, world
from newsdesk.types import Article, Cluster, Event

TARGET = Path(__file__).resolve().parents[1] / "src/newsdesk/corpus/data/aligner"
FEATURES: tuple[FeatureSet, ...] = ("paper", "rich")
SIMILAR, RANDOM, EVENTS = 3, 11, 300
DATA = (
    "1,000 real WCEP pairs (shared with the project, no links: capitalised runs as entities) and the cited sources of two "
    f"simulated worlds of {EVENTS} events (presets base and stories, seed 100)"
)


@dataclass(frozen=True)
class Reported:
    """Events, the articles on them, and the number of each article's own event."""

    events: list[Event]
    articles: list[Article]
    own: list[int]

    @property
    def texts(self) -> tuple[list[str], list[str]]:
        """The titles and the bodies."""
        return [each.title or "" for each in self.articles], [each.text for each in self.articles]


def reported(clusters: Sequence[Cluster]) -> Reported:
    events = [Event(each.id, "2019-01-01", each.summary or "") for each in clusters]
    both = [(article, event) for event, each in enumerate(clusters) for article in each.articles]
    return Reported(events, [article for article, _ in both], [event for _, event in both])


def worlds() -> list[World]:
    return [world(seed=100, preset=each, events=EVENTS, comments=0) for each in ("base", "stories")]


def real_pairs(background: Background, features: FeatureSet) -> LabelledPairs:
    half = reported(wcep_clusters())
    window = Window(half.events, background, features)
    titles, texts = half.texts
    measures = window.measure(titles, texts)
    rng = np.random.default_rng(0)
    rows, events = [], []
    for row, own in enumerate(half.own):
        others = np.delete(np.arange(len(half.events)), own)
        order = others[np.argsort(-measures.body_cosine[row, others], kind="stable")]
        drawn = rng.choice(order[SIMILAR:], RANDOM, replace=False)
        events += [own, *order[:SIMILAR].tolist(), *drawn.tolist()]
        rows += [row] * (1 + SIMILAR + RANDOM)
    labels = (np.arange(len(rows)) % (1 + SIMILAR + RANDOM) == 0).astype(np.int64)
    matrix = window.matrix(measures, titles, texts, np.array(rows), np.array(events))
    return LabelledPairs(matrix, labels)


def background() -> Background:
    clusters = wcep_clusters()
    summaries = [each.summary or "" for each in clusters]
    summaries += [row["reference"] for row in rows("wcep_real/test_refs_and_dyne_bart.jsonl")]
    articles = [each for cluster in clusters for each in cluster.articles]
    for each in worlds():
        made = list(each.clusters())
        summaries += [cluster.summary or "" for cluster in made]
        articles += [cluster.articles[0] for cluster in made]
    return Background.fit(summaries, (f"{each.title or ''}\n{each.text}" for each in articles))


def fit(features: FeatureSet, frequencies: Background) -> EventAligner:
    parts = [real_pairs(frequencies, features)]
    for each in worlds():
        calendar = EventCalendar(list(each.events()))
        articles = [article for cluster in each.clusters() for article in cluster.articles]
        sources = cited_articles(calendar, articles)
        parts.append(labelled_pairs(calendar, sources, frequencies, features))
    pairs = LabelledPairs(
        np.concatenate([part.matrix for part in parts]),
        np.concatenate([part.labels for part in parts]),
    )
    aligner: EventAligner = ALIGNERS.make(features)
    return aligner.fit_pairs(pairs, frequencies, DATA)


def main(*, write: bool = False) -> None:
    if not SHARED.is_dir():
        raise SystemExit(ABSENT)
    frequencies = background()
    for features in FEATURES:
        aligner = fit(features, frequencies)
        print(aligner.signature)
        if write:
            aligner.save(TARGET / features, overwrite=True)
        elif not np.allclose(aligner.weights_, ready_aligner(features).weights_, rtol=1e-4):
            raise SystemExit(f"the shipped aligner {features!r} is not what its data give")


if __name__ == "__main__":
    main(write="--write" in sys.argv)
