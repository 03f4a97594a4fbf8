"""Comments that serve as references, systems that comment on the same articles, and the people who grade both.

The texts are those of `texts`; the topic of an article is its event. As in Qin et al. (2018) each text is graded by two people, and the
mean grade, from 1 to 5, becomes the weight of a reference. The same people grade both, each text alone, in two campaigns: what is graded in the
one may serve as a reference, what is graded in the other may not.

Scenarios are the same texts without a world around them, to see when weights help a metric; by default as many articles as Qin et al. (2018) graded. Expected of W-METEOR
over METEOR, in Spearman correlation with the grades and on the mean of four seeds: `base` gains .02 to .08, and less than .03 with weights shuffled among the references of
an article; `equal` gains less than .01; `wide` more than .12; `k4` less than .03; `article-effect` gains more than .05 even when shuffled, since the mean grade of an
article's references then predicts its candidates' grades.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.metrics.weights import to_weights
from newsdesk.simulate.articles import article_id
from newsdesk.simulate.draws import world_stream
from newsdesk.simulate.lexicon import lexicon
from newsdesk.simulate.people import Panel, assign, expected_pairs, panel
from newsdesk.simulate.plans import event_id
from newsdesk.simulate.presets import PRESETS, WorldSettings
from newsdesk.simulate.texts import GRADED, lengths, topic, write_texts
from newsdesk.simulate.threads import Discussion, Forum
from newsdesk.types import Article, Comment, Judgment, Output, Reference, References, Thread

CAMPAIGN = "sim-grade"
OUTPUTS_CAMPAIGN = "sim-grade-outputs"
QUESTION = "grade"
SCALE = (1, 5)
PEOPLE_EACH = 2

SCENARIOS = ("base", "equal", "wide", "k4", "article-effect")
ARTICLES = 1610
Row = tuple[str, str, str, tuple[Reference, ...], float, float]


@dataclass(frozen=True, slots=True)
class GradedTexts:
    """The truth and the grades of one article: first its references, then one text of each system."""

    event: int
    quality: Floats
    seen: Floats
    who: Ints
    grades: Ints


@dataclass(frozen=True)
class GradingDesk:
    """Writes and grades the references and outputs of a world."""

    forum: Forum

    @property
    def _settings(self) -> WorldSettings:
        return self.forum.settings

    @functools.cached_property
    def events(self) -> list[int]:
        """The events whose first article is graded, spread over the whole time."""
        return spread(self._settings.events, self._settings.graded)

    @functools.cached_property
    def panel(self) -> Panel:
        """The panel of annotators who grade."""
        settings = self._settings
        return panel(
            settings, self.forum.seed, CAMPAIGN, settings.graders, settings.grade_noise, SCALE
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the simulated commenting systems."""
        return tuple(self._settings.comment_systems)

    def graded(self, event: int) -> GradedTexts:
        """Return the truth and the grades of an article."""
        rng = world_stream("graded", self.forum.seed, event)
        quality = draw_quality(rng, self._settings)
        seen = quality + rng.normal(0, 1) * self._settings.article_effect
        who = assign(rng, len(quality), len(self.panel.bias), PEOPLE_EACH)
        return GradedTexts(event, quality, seen, who, self.panel.answers(rng, seen, who))

    def texts(self, event: int) -> list[str]:
        """Return the texts of an article: first its references, then one of each system."""
        planner = self.forum.newsroom.planner
        about = self.forum.topic(planner.plan(event), GRADED)
        quality = self.graded(event).quality
        rng = world_stream("graded texts", self.forum.seed, event)
        texts = write_texts(planner.lexicon, about, rng, quality, lengths(rng, quality))
        return [planner.lexicon.space.join(text) for text in texts]

    def article(self, event: int) -> Article:
        """Return the article that is commented on."""
        return self.forum.article(Discussion(0, event, 0, 0, 0))

    def thread(self, event: int) -> Thread:
        """Return the graded comments of an article as a thread; the score is the mean grade."""
        article = self.article(event)
        means = self.graded(event).grades.mean(axis=1).tolist()
        return Thread(
            article,
            tuple(
                Comment(self.target(event, number), text, score=means[number], position=number + 1)
                for number, text in enumerate(self.texts(event)[: self._settings.references])
            ),
        )

    def references(self, event: int) -> References:
        """Return the same comments as references, weighted by their mean grades."""
        count = self._settings.references
        means = self.graded(event).grades[:count].mean(axis=1)
        weights = to_weights(means, "minmax", *SCALE).tolist()
        texts = self.texts(event)[:count]
        lang = self.forum.newsroom.planner.lexicon.lang
        return References(_item(event), tuple(map(Reference, texts, weights)), lang)

    def outputs(self, event: int) -> Iterator[Output]:
        """Yield the comment of each system on an article."""
        texts = self.texts(event)[self._settings.references :]
        for system, text in zip(self.systems, texts, strict=True):
            yield Output(_item(event), system, text)

    def judgments(self, event: int, *, outputs: bool) -> Iterator[Judgment]:
        """Yield every grade of an article's references, or of what the systems wrote."""
        graded = self.graded(event)
        item, count = _item(event), self._settings.references
        campaign = OUTPUTS_CAMPAIGN if outputs else CAMPAIGN
        for number in range(count, len(graded.who)) if outputs else range(count):
            target = self.target(event, number)
            task = f"{item}|{target}" if outputs else target
            people, grades = graded.who[number].tolist(), graded.grades[number].tolist()
            for person, grade in zip(people, grades, strict=True):
                name = self.panel.name(person)
                yield Judgment(campaign, task, item, target, QUESTION, grade, name, via="model")

    def target(self, event: int, number: int) -> str:
        """Name a text of an article in judgments: by a comment's id or a system's name."""
        count = self._settings.references
        return f"{_item(event)}/g{number}" if number < count else self.systems[number - count]

    def expected_pairs(self, event: int, *, careful: bool) -> Floats:
        """Return the pairs of grades that an article's references are expected to get."""
        graded = self.graded(event)
        count = self._settings.references
        return expected_pairs(self.panel, graded.seen[:count], graded.who[:count], careful=careful)

    def truth(self, event: int) -> Iterator[dict[str, Any]]:
        """Yield the quality of every text of an article."""
        for number, quality in enumerate(self.graded(event).quality.tolist()):
            target = self.target(event, number)
            yield {"article": _item(event), "target": target, "quality": round(quality, 6)}


def draw_quality(rng: np.random.Generator, settings: WorldSettings) -> Floats:
    """Return the quality of an article's references and of one text of each system."""
    count = settings.references
    means = [settings.reference_mean] * count + list(settings.comment_systems.values())
    spreads = np.full(len(means), settings.system_spread)
    spreads[:count] = settings.reference_spread
    return np.clip(rng.normal(means, spreads), 0, 1)


def spread(events: int, wanted: int) -> list[int]:
    """So many of the events, or all there are, evenly spread.

    >>> spread(10, 3)
    [0, 3, 6]
    """
    count = min(events, wanted)
    return [number * events // count for number in range(count)]


def _item(event: int) -> str:
    return article_id(event_id(event), 0)


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
        """Shuffle the weights among the references of each article: what a gain must beat."""
        rng = world_stream("scenario shuffle", self.seed)
        mixed: dict[str, tuple[Reference, ...]] = {}
        for article, references in zip(self.articles, self.references, strict=True):
            if article not in mixed:
                order = rng.permutation(len(references))
                mixed[article] = tuple(
                    replace(reference, weight=references[other].weight)
                    for reference, other in zip(references, order, strict=True)
                )
        return replace(self, references=tuple(mixed[article] for article in self.articles))


def scenario(name: str, seed: int, *, articles: int = ARTICLES, lang: str = "en") -> Scenario:
    """Return the scenario of a preset: every system's text for every article, graded by two people."""
    settings: WorldSettings = PRESETS.load(name)
    if articles < 1:
        raise ArgumentError(f"a scenario needs at least one article, not {articles}")
    rows = [
        row for number in range(articles) for row in _article_rows(settings, seed, number, lang)
    ]
    ids, systems, candidates, references, grades, quality = zip(*rows, strict=True)
    return Scenario(name, seed, ids, systems, candidates, references, grades, quality)


def _article_rows(settings: WorldSettings, seed: int, number: int, lang: str) -> Iterator[Row]:
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
    for index, system in enumerate(settings.comment_systems, count):
        yield (
            f"sim-{number:05d}",
            system,
            texts[index],
            references,
            float(grades[index]),
            float(quality[index]),
        )


def mean_grades(rng: np.random.Generator, perceived: Floats, noise: float) -> Floats:
    """Return the mean grade of two people who see a quality with some noise."""
    seen = perceived + rng.normal(0, noise, (2, len(perceived)))
    return np.clip(np.rint(1 + 4 * seen), *SCALE).mean(axis=0)
