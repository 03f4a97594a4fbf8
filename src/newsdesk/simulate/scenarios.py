"""Metric scenarios: candidates, weighted references and human grades whose truth is known, to see when weights help.

By default as many articles as Qin et al. (2018) graded. Expected of W-METEOR over METEOR, in Spearman correlation with the grades and on
the mean of four seeds: `base` gains .02 to .08, and less than .03 with weights shuffled among the references of an article; `equal`
gains less than .01; `wide` more than .12; `k4` less than .03; `article-effect` gains more than .05 even when shuffled, since the mean
grade of an article's references then predicts its candidates' grades.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.metrics.weights import to_weights
from newsdesk.simulate.draws import world_stream
from newsdesk.simulate.graded import SCALE, draw_quality
from newsdesk.simulate.lexicon import lexicon
from newsdesk.simulate.presets import PRESETS, Settings
from newsdesk.simulate.texts import lengths, topic, write_texts
from newsdesk.types import Reference

SCENARIOS = ("base", "equal", "wide", "k4", "article-effect")
ARTICLES = 1610


@dataclass(frozen=True, slots=True)
class Scenario:
    """Simulated items, each a candidate of one system for one article: parallel tuples."""

    name: str
    seed: int
    articles: tuple[str, ...]
    systems: tuple[str, ...]
    candidates: tuple[str, ...]
    references: tuple[tuple[Reference, ...], ...]
    grades: tuple[float, ...]
    quality: tuple[float, ...]

    def shuffled(self) -> Scenario:
        """The same with weights shuffled among the references of each article: what a gain must beat to mean anything."""
        rng = world_stream("scenario shuffle", self.seed)
        mixed: dict[str, tuple[Reference, ...]] = {}
        for article, references in zip(self.articles, self.references, strict=True):
            if article not in mixed:
                order = rng.permutation(len(references))
                mixed[article] = tuple(
                    replace(each, weight=references[other].weight)
                    for each, other in zip(references, order, strict=True)
                )
        return replace(self, references=tuple(mixed[article] for article in self.articles))


def scenario(name: str, seed: int, *, articles: int = ARTICLES, lang: str = "en") -> Scenario:
    """The scenario of a preset: every system's text for every article, with the mean grade of two people."""
    settings: Settings = PRESETS.load(name)
    if articles < 1:
        raise ArgumentError(f"a scenario needs at least one article, not {articles}")
    rows = [
        row for number in range(articles) for row in _article_rows(settings, seed, number, lang)
    ]
    ids, systems, candidates, references, grades, quality = zip(*rows, strict=True)
    return Scenario(name, seed, ids, systems, candidates, references, grades, quality)


Row = tuple[str, str, str, tuple[Reference, ...], float, float]


def _article_rows(settings: Settings, seed: int, number: int, lang: str) -> Iterator[Row]:
    rng = world_stream("scenario", seed, number)
    words = lexicon(lang)
    about = topic(words, rng)
    effect = rng.normal(0, 1) * settings.article_effect
    count = settings.references
    quality = draw_quality(rng, settings)
    texts = [
        words.space.join(text)
        for text in write_texts(words, about, rng, quality, lengths(rng, quality))
    ]
    grades = mean_grades(rng, quality + effect, settings.grade_noise)
    weights = to_weights(grades[:count], "minmax", *SCALE)
    references = tuple(map(Reference, texts[:count], weights.tolist()))
    for place, system in enumerate(settings.comment_systems, count):
        yield (
            f"sim-{number:05d}",
            system,
            texts[place],
            references,
            float(grades[place]),
            float(quality[place]),
        )


def mean_grades(rng: np.random.Generator, perceived: Floats, noise: float) -> Floats:
    """The mean grade of two people who see a quality with some noise."""
    seen = perceived + rng.normal(0, noise, (2, len(perceived)))
    return np.clip(np.rint(1 + 4 * seen), *SCALE).mean(axis=0)
