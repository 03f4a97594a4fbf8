"""What happens in a world: days, categories, stories that go on, the people and places in them, and the facts of each event.

A plan is computed from the seed and the event's number alone, so any article about any event can be written at any time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from newsdesk.arrays import Ints
from newsdesk.simulate.lexicon import WorldLexicon, ranks, whole_numbers, world_stream, zipf_shares
from newsdesk.simulate.presets import WorldSettings

FIRST_DAY = date(2016, 8, 25)
KEY_FACTS = 3
NO_STORY = -1

_ACTORS, _PLACES, _NOUNS = 4, 2, 12
_STORY_ACTORS, _STORY_NOUNS = 2, 4
_GAP_DAYS = 6
_WORDS_A_SENTENCE = 15
_OWN_EXPONENT = (
    0.4  # an article's own facts are about anything, not about what is often in the news
)


@dataclass(frozen=True, slots=True)
class Fact:
    """Who did what where.

    Words are numbers of sets in the lexicon, so that they can be said in several ways.
    """

    actor: str
    place: str
    verb: int
    noun: int
    other: int  # a second noun
    adjective: int
    number: int
    day: int  # of the week


@dataclass(frozen=True, slots=True)
class EventPlan:
    """One event: its key facts come first."""

    number: int
    id: str
    date: str
    category: str
    story: int
    actors: tuple[str, ...]
    places: tuple[str, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class WorldCalendar:
    """The day, category and story of each event, in order of days."""

    day: Ints
    category: Ints
    story: Ints

    def same_day(self, number: int) -> Ints:
        """Return the other events of an event's day."""
        first, last = np.searchsorted(self.day, [self.day[number], self.day[number] + 1])
        numbers: Ints = np.arange(first, last, dtype=np.int64)
        return numbers[numbers != number]

    def same_story(self, number: int, reach: int) -> Ints:
        """Return the other events of its story among those close in number.

        Where there are none, or it has no story, all that are close.
        """
        near: Ints = np.arange(max(0, number - reach), min(len(self.day), number + reach + 1))
        near = near[near != number]
        same: Ints = near[self.story[near] == self.story[number]]
        return same if self.story[number] != NO_STORY and len(same) else near


def calendar(settings: WorldSettings, seed: int, categories: int) -> WorldCalendar:
    """Lay out the events of a world over days, categories and stories."""
    rng = world_stream("calendar", seed)
    days: list[int] = []
    day = 0
    while len(days) < settings.events:
        days += [day] * int(rng.poisson(settings.events_a_day))
        day += 1
    days = days[: settings.events]
    # The category of each event, unless it carries on a story.
    own = rng.integers(0, categories, settings.events).tolist()
    category, story = _stories(days, own, whole_numbers(rng), settings)
    return WorldCalendar(np.array(days), np.array(category), np.array(story))


def _stories(
    days: list[int], own: list[int], numbers: Iterator[int], settings: WorldSettings
) -> tuple[list[int], list[int]]:
    """Return the category and story of each event: some carry on a story of the last days.

    Those have its category, all others their `own`; `numbers` are random.
    """
    running: dict[int, tuple[int, int]] = {}  # story → last day, category
    category, story = list(own), [NO_STORY] * len(days)
    stories = 0
    for event, today in enumerate(days):
        running = {
            number: (last, kind)
            for number, (last, kind) in running.items()
            if today - last <= _GAP_DAYS
        }
        waiting = [
            number
            for number, (last, _) in running.items()
            if last < today or settings.stories_share_days
        ]
        draw = next(numbers) % 1000 / 1000
        if waiting and draw < settings.story_continues:
            story[event] = waiting[next(numbers) % len(waiting)]
            _, category[event] = running[story[event]]
        elif draw > 1 - settings.story_opens:
            story[event] = stories
            stories += 1
        if story[event] != NO_STORY:
            running[story[event]] = (today, category[event])
    return category, story


@dataclass(frozen=True)
class Planner:
    """Makes the plan of any event of a world."""

    settings: WorldSettings
    seed: int
    lexicon: WorldLexicon

    @functools.cached_property
    def calendar(self) -> WorldCalendar:
        """The days, categories and stories, laid out once."""
        return calendar(self.settings, self.seed, len(self.lexicon.categories))

    @property
    def sentences(self) -> tuple[int, int]:
        """The fewest and the most sentences of an article; there are as many facts as the most."""
        mean = max(8, self.settings.article_words / _WORDS_A_SENTENCE)
        return round(0.7 * mean), round(1.3 * mean)

    def plan(self, number: int) -> EventPlan:
        """Return the plan of one event, cached."""
        return self._remembered(number)

    @functools.cached_property
    def _remembered(self) -> Callable[[int], EventPlan]:
        return functools.lru_cache(maxsize=256)(self._plan)

    def _plan(self, number: int) -> EventPlan:
        """Draw the plan of one event; an event of a story shares part of the story's cast."""
        rng = world_stream("event", self.seed, number)
        story = int(self.calendar.story[number])
        category = self.lexicon.categories[int(self.calendar.category[number])]
        actors, places, nouns = self._cast(rng, category)
        if story != NO_STORY:
            story_rng = world_stream("story", self.seed, story)
            story_actors, story_places, story_nouns = self._cast(story_rng, category)
            actors = story_actors[:_STORY_ACTORS] + actors[_STORY_ACTORS:]
            places = story_places[:1] + places[1:]
            nouns = story_nouns[:_STORY_NOUNS] + nouns[_STORY_NOUNS:]
        day = FIRST_DAY + timedelta(days=int(self.calendar.day[number]))
        _, most_sentences = self.sentences
        facts = self.facts(rng, most_sentences, actors, places, nouns, day.weekday())
        return EventPlan(
            number, event_id(number), day.isoformat(), category, story, actors, places, facts
        )

    def more_facts(self, plan: EventPlan, rng: np.random.Generator, count: int) -> tuple[Fact, ...]:
        """Return new facts about the people of an event: what a follow-up tells."""
        _, _, nouns = self._cast(rng, plan.category)
        weekday = (date.fromisoformat(plan.date).weekday() + 1) % 7
        return self.facts(rng, count, plan.actors, plan.places, nouns, weekday)

    def own_facts(self, plan: EventPlan, rng: np.random.Generator, count: int) -> tuple[Fact, ...]:
        """Return facts that one article alone tells, about people, places and things of its own."""
        cast = self._cast(rng, plan.category, names=_OWN_EXPONENT, things=_OWN_EXPONENT)
        weekday = date.fromisoformat(plan.date).weekday()
        return self.facts(rng, count, *cast, weekday, exponents=(_OWN_EXPONENT,) * 3)

    def story_title(self, story: int) -> str:
        """Return the name of a story, which says that it is simulated."""
        numbers = whole_numbers(world_stream("story title", self.seed, story))
        event = int(np.argmax(self.calendar.story == story))
        plan = self.plan(event)
        patterns = self.lexicon.patterns["stories"]
        (singular, _), *_ = self.lexicon.nouns[plan.facts[0].noun]
        title = patterns[next(numbers) % len(patterns)].format(
            A=plan.actors[0], P=plan.places[0], noun=singular
        )
        return f"{title} (simulated story {story})"

    def _cast(
        self, rng: np.random.Generator, category: str, names: float = 0.7, things: float = 0.8
    ) -> tuple[tuple[str, ...], tuple[str, ...], list[int]]:
        """Return people, places and nouns of an event; some are in the news far more often than others.

        `names` and `things` are the exponents of Zipf's law for names and for nouns.
        """
        pool = 20 + self.settings.events // 2
        drawn = ranks(zipf_shares(pool, names), rng.random(_ACTORS + _PLACES)).tolist()
        actors = tuple(
            self._name(("person", "organization")[number % 2], number) for number in drawn[:_ACTORS]
        )
        places = tuple(self._name("place", number) for number in drawn[_ACTORS:])
        of_category = self.lexicon.nouns_of[category]
        nouns = of_category[
            ranks(zipf_shares(len(of_category), things), rng.random(_NOUNS))
        ].tolist()
        return actors, places, nouns

    @functools.cached_property
    def _name(self) -> Callable[[str, int], str]:
        """The name of a kind and number; asked for so often that it is remembered."""

        def name(kind: str, number: int) -> str:
            numbers = whole_numbers(world_stream(f"name of a {kind}", self.seed, number))
            return self.lexicon.name(kind, numbers)

        return functools.lru_cache(maxsize=100_000)(name)

    def facts(
        self,
        rng: np.random.Generator,
        count: int,
        actors: tuple[str, ...],
        places: tuple[str, ...],
        nouns: list[int],
        weekday: int,
        exponents: tuple[float, float, float] = (0.9, 0.9, 1.0),
    ) -> tuple[Fact, ...]:
        """Return facts about a cast; the first concern its first actor and place.

        The exponents are those of Zipf's law for verbs, adjectives and other nouns.
        """
        sets = (self.lexicon.verbs, self.lexicon.adjectives, self.lexicon.nouns)
        verbs, adjectives, others = (
            ranks(zipf_shares(len(words), exponent), rng.random(count)).tolist()
            for words, exponent in zip(sets, exponents, strict=True)
        )
        sizes = np.exp(rng.normal(4.0, 1.5, count)).astype(int).tolist()
        numbers = whole_numbers(rng)
        facts = []
        for number in range(count):
            key = number < KEY_FACTS
            facts.append(
                Fact(
                    actor=actors[number if key else next(numbers) % len(actors)],
                    place=places[0 if key else next(numbers) % len(places)],
                    verb=verbs[number],
                    noun=nouns[number if key else next(numbers) % len(nouns)],
                    other=nouns[(number + KEY_FACTS) % len(nouns)] if key else others[number],
                    adjective=adjectives[number],
                    number=2 + sizes[number],
                    day=(weekday - next(numbers) % 2) % 7,
                )
            )
        return tuple(facts)


def event_id(number: int) -> str:
    """Return the id of an event, which says that it is simulated.

    >>> event_id(12)
    'sim-e000012'
    """
    return f"sim-e{number:06d}"
