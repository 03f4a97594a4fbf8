"""What systems write about the events of a world, and the people who grade or rank it.

Commenting: references and one text of each system for an article, of known quality (see `texts`); the topic of an article is its event. As in Qin et al. (2018) each text is
graded by two people, and the mean grade, from 1 to 5, becomes the weight of a reference. The same people grade both, each text alone, in two campaigns: what is graded in the
one may serve as a reference, what is graded in the other may not.

`Grader` lets the same people grade any other comment. The quality they see is computed from its words: insights of the article's subject count fully, words of its topic half,
other content words not at all, and a text that repeats itself or has hardly any words is worth less. Such grades say how systems compare in this world, not what real people think.

Summarizing: a summary of informativeness i holds each key fact with probability i, else a minor fact or one of another event; with probability
1 - c, where c is its coherence, its sentences stand in the wrong order. People rank summaries with ties on informativeness, coherence and overall.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import DataError
from newsdesk.metrics.weights import to_weights
from newsdesk.simulate.articles import Newsroom, article_id, joined, sentence
from newsdesk.simulate.lexicon import whole_numbers, world_stream
from newsdesk.simulate.people import Panel, assign, expected_pairs, panel
from newsdesk.simulate.plans import KEY_FACTS, Fact, event_id
from newsdesk.simulate.presets import WorldSettings
from newsdesk.simulate.texts import GRADED, SCALE, TALK, draw_quality, lengths, write_texts
from newsdesk.simulate.threads import Discussion, Forum
from newsdesk.types import Article, Comment, Judgment, Output, Reference, References, Thread

GRADES = "sim-grade"
GRADES_OF_OUTPUTS = "sim-grade-outputs"
GRADES_OF_SUGGESTIONS = "sim-grade-suggestions"
RANKS = "sim-rank"
QUESTION = "grade"
QUESTIONS = ("informative", "coherent", "overall")
PEOPLE_EACH = 2

_ARTICLE = re.compile(r"sim-e(\d{6,})/a\d+")
_WORD = re.compile(r"[^\W_]+")
_FEW_WORDS = 4
_PRIOR_WORDS = 2.0
_TOPIC_WORTH = 0.5
_BASE, _SLOPE = 0.1, 1.1
# Two summaries seen in the same step of this width get the same rank.
_TIE_WIDTH = 0.1


@dataclass(frozen=True, slots=True)
class GradedTexts:
    """The truth and the grades of one article: first its references, then one text of each system."""

    event: int
    quality: Floats  # of each text
    seen: Floats  # of each text, with the effect of the article
    who: Ints  # texts × people: numbers in the panel
    grades: Ints  # texts × people


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
            settings,
            self.forum.seed,
            GRADES,
            size=settings.graders,
            noise=settings.grade_noise,
            scale=SCALE,
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
        topic = self.forum.topic(planner.plan(event), GRADED)
        quality = self.graded(event).quality
        rng = world_stream("graded texts", self.forum.seed, event)
        texts = write_texts(planner.lexicon, topic, rng, quality, lengths(rng, quality))
        return [planner.lexicon.space.join(text) for text in texts]

    def article(self, event: int) -> Article:
        """Return the article that is commented on."""
        return self.forum.article(Discussion(number=0, event=event, turn=0, count=0, votes=0))

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
        campaign = GRADES_OF_OUTPUTS if outputs else GRADES
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


def spread(events: int, wanted: int) -> list[int]:
    """Return so many of the events, or all there are, evenly spread.

    >>> spread(10, 3)
    [0, 3, 6]
    """
    count = min(events, wanted)
    return [number * events // count for number in range(count)]


def _item(event: int) -> str:
    return article_id(event_id(event), 0)


@dataclass(frozen=True)
class Grader:
    """Grades any text about the articles of a world, by the people of its desk."""

    desk: GradingDesk

    def quality(self, article: str, text: str) -> float:
        """Return the quality of a text under an article, from 0 to 1."""
        forum = self.desk.forum
        about = forum.topic(forum.newsroom.planner.plan(self._event(article)), TALK)
        insights = {word.lower() for word in about.insights.tolist()}
        topic = {word.lower() for word in about.words.tolist()} - insights
        words = self._words(text, insights | topic)
        if not words:
            return 0.0
        lexicon = forum.newsroom.planner.lexicon
        plain = {word.lower() for word in lexicon.function.tolist()}
        plain |= {word.lower() for marks in lexicon.marks.values() for word in marks.tolist()}
        distinct = set(words)
        content = len(distinct - plain)
        worth = len(distinct & insights) + _TOPIC_WORTH * len(distinct & topic)
        readable = min(1.0, len(words) / _FEW_WORDS) * min(1.0, 2 * len(distinct) / len(words))
        return float(np.clip(readable * (_BASE + _SLOPE * worth / (content + _PRIOR_WORDS)), 0, 1))

    def judgments(self, outputs: Iterable[Output]) -> Iterator[Judgment]:
        """Yield two grades for each output, by two people of the panel."""
        panel, seed = self.desk.panel, self.desk.forum.seed
        for output in outputs:
            latent = np.array([self.quality(output.id, output.text)])
            name = f"grades of suggestions {output.id} {output.system}"
            rng = world_stream(name, seed)
            who = assign(rng, 1, len(panel.bias), PEOPLE_EACH)  # 1 × people
            (people,), (grades,) = who.tolist(), panel.answers(rng, latent, who).tolist()
            task = f"{output.id}|{output.system}"
            for person, grade in zip(people, grades, strict=True):
                yield Judgment(
                    GRADES_OF_SUGGESTIONS, task, output.id, output.system, QUESTION, grade, panel.name(person), via="model"
                )  # fmt: skip

    def _event(self, article: str) -> int:
        match = _ARTICLE.fullmatch(article)
        if not match or int(match[1]) >= self.desk.forum.settings.events:
            raise DataError(f"article {article!r} is not of this simulated world")
        return int(match[1])

    def _words(self, text: str, terms: set[str]) -> list[str]:
        """Return the words of a text.

        Where the language has no spaces, these are the terms it holds, and one for every two other characters.
        """
        lowered = text.lower()
        if self.desk.forum.newsroom.planner.lexicon.space:
            return _WORD.findall(lowered)
        present = [word for word in sorted(terms) if word in lowered]
        rest = "".join(filter(str.isalnum, lowered))
        for word in present:
            rest = rest.replace(word, "")
        return [*present, *(rest[start : start + 2] for start in range(0, len(rest), 2))]


@dataclass(frozen=True)
class Contest:
    """Writes and ranks the summaries of a world."""

    newsroom: Newsroom

    @property
    def _settings(self) -> WorldSettings:
        return self.newsroom.planner.settings

    @property
    def _seed(self) -> int:
        return self.newsroom.planner.seed

    @functools.cached_property
    def events(self) -> list[int]:
        """The events that are summarized and ranked, spread over the whole time."""
        return spread(self._settings.events, self._settings.ranked)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the simulated summarizers."""
        return tuple(self._settings.summary_systems)

    @functools.cached_property
    def panel(self) -> Panel:
        """The panel of annotators who rank summaries."""
        settings = self._settings
        scale = (1, len(self.systems))
        return panel(settings, self._seed, RANKS, settings.rankers, settings.rank_noise, scale)

    def quality(self, event: int) -> Floats:
        """Return the quality of each system's summary (systems × questions).

        Overall is the mean of the other two.
        """
        means = np.array(list(self._settings.summary_systems.values()))
        rng = world_stream("summary quality", self._seed, event)
        drawn = np.clip(rng.normal(means, self._settings.summary_spread), 0, 1)
        return np.column_stack([drawn, drawn.mean(axis=1)])

    def outputs(self, event: int) -> Iterator[Output]:
        """Yield the summary of an event by each system."""
        rng = world_stream("summaries", self._seed, event)
        for system, (informative, coherent, _) in zip(
            self.systems, self.quality(event).tolist(), strict=True
        ):
            yield Output(event_id(event), system, self._text(event, rng, informative, coherent))

    def _text(
        self, event: int, rng: np.random.Generator, informative: float, coherent: float
    ) -> str:
        """Return a summary of this informativeness and coherence (see the module)."""
        planner = self.newsroom.planner
        plan = planner.plan(event)
        facts: list[Fact] = []
        for key in range(KEY_FACTS):
            if rng.random() < informative:
                facts.append(plan.facts[key])
            elif rng.random() < 0.5:
                facts.append(plan.facts[int(rng.integers(KEY_FACTS, len(plan.facts)))])
            else:
                facts.append(planner.plan(int(rng.integers(self._settings.events))).facts[key])
        if rng.random() > coherent:
            facts.reverse()
        numbers = whole_numbers(rng)
        said = [sentence(planner.lexicon, "summaries", fact, numbers) for fact in facts]
        return joined(planner.lexicon, said)

    def judgments(self, event: int) -> Iterator[Judgment]:
        """Yield every rank of an event's summaries: 1 is best, equal ones share a rank."""
        rng = world_stream("ranks", self._seed, event)
        (people,) = assign(rng, 1, len(self.panel.bias), PEOPLE_EACH).tolist()
        quality = self.quality(event)
        name = event_id(event)
        for person in people:
            letters = rng.permutation(len(self.systems)).tolist()
            ranks = self._ranks(rng, quality, person)
            for number, system in enumerate(self.systems):
                for question, rank in zip(QUESTIONS, ranks[number].tolist(), strict=True):
                    yield Judgment(
                        RANKS,
                        name,
                        name,
                        system,
                        question,
                        rank,
                        self.panel.name(person),
                        "ABCDEFGH"[letters[number]],
                        via="model",
                    )

    def _ranks(self, rng: np.random.Generator, quality: Floats, person: int) -> Ints:
        """Return the ranks that a person gives (systems × questions); careless people rank at random."""
        seen = np.rint((quality + rng.normal(0, self.panel.noise, quality.shape)) / _TIE_WIDTH)
        if self.panel.careless[person]:
            seen = rng.permuted(np.tile(np.arange(len(quality)), (quality.shape[1], 1)), axis=1).T
        return np.stack([dense_ranks(column) for column in seen.T], axis=1)

    def truth(self, event: int) -> Iterator[dict[str, Any]]:
        """Yield the quality of every summary of an event."""
        for system, row in zip(self.systems, self.quality(event).tolist(), strict=True):
            yield {
                "id": event_id(event),
                "system": system,
                **{name: round(value, 6) for name, value in zip(QUESTIONS, row, strict=True)},
            }


def dense_ranks(values: Floats) -> Ints:
    """Ranks from 1 for the highest; equal values share a rank, and the next follows at once.

    >>> dense_ranks(np.array([3.0, 9.0, 9.0, 5.0])).tolist()
    [3, 1, 1, 2]
    """
    _, ranks = np.unique(-values, return_inverse=True)
    return ranks + 1
