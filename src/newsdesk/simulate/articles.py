"""Events and their clusters: the editor's summary, the cited articles, and the articles found for the event.

A cluster holds reports (the same facts in other words), near-duplicates of reports, follow-ups (which mention the event and tell
something else) and articles about another event of the same day. Of what was found, 52 % is on topic, 30 % related and 18 % not, as
Gholipour Ghalandari et al. (2020, section 4.2) counted.

A fact is said in many ways, by pattern and by word. Articles begin with the key facts, unless the preset scatters them (`Telling`): then an article opens with an angle of its own, a
report tells the key facts at any later place, mostly in the words of the agency with a clause of its own, and what matters shows only in what many articles tell. Simulated annotators label found articles as on topic, related or unrelated.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.simulate.lexicon import Forms, WorldLexicon, whole_numbers, world_stream
from newsdesk.simulate.people import Panel, assign, expected_pairs, panel
from newsdesk.simulate.plans import KEY_FACTS, NO_STORY, EventPlan, Fact, Planner, event_id
from newsdesk.simulate.presets import Telling
from newsdesk.types import Cluster, ClusterArticle, Entity, Event, Judgment, Source

Kind = Literal["report", "duplicate", "follow-up", "unrelated"]
HOST = "simulated.invalid"
LABELS = ("on-topic", "related", "unrelated")

_FOUND_SHARES = {"report": 0.36, "duplicate": 0.16, "follow-up": 0.30, "unrelated": 0.18}
_CITED_SHARES = (0.85, 0.12, 0.03)  # of events with one, two and three cited articles
_FILLER_SHARE = 0.3
_REACH = 12  # events before and after one, for digressions

CAMPAIGN = "sim-relate"
QUESTION = "relate"
PEOPLE_EACH = 2


def sentence(lexicon: WorldLexicon, kind: str, fact: Fact, numbers: Iterator[int]) -> str:
    """Return one way to say a fact: a pattern of this kind, filled with one word of each set."""
    patterns = lexicon.patterns[kind]
    singular, plural = _one(lexicon.nouns[fact.noun], numbers)
    base, present, past, ing = _one(lexicon.verbs[fact.verb], numbers)
    text = patterns[next(numbers) % len(patterns)].format(
        A=fact.actor,
        P=fact.place,
        noun=singular,
        nouns=plural,
        noun2=_one(lexicon.nouns[fact.other], numbers)[0],
        adj=_one(lexicon.adjectives[fact.adjective], numbers)[0],
        base=base,
        pres=present,
        past=past,
        ing=ing,
        num=fact.number,
        day=lexicon.patterns["days"][fact.day],
    )
    return text[0].upper() + text[1:]


def words_of(lexicon: WorldLexicon, facts: Sequence[Fact]) -> list[str]:
    """Return the content words of facts, most important facts first, as a reader would repeat them."""
    forms = []
    for fact in facts:
        forms += [
            lexicon.nouns[fact.noun][0][0],
            lexicon.verbs[fact.verb][0][0],
            lexicon.nouns[fact.other][0][0],
            lexicon.adjectives[fact.adjective][0][0],
        ]
    return forms


def joined(lexicon: WorldLexicon, sentences: Sequence[str]) -> str:
    """Join sentences into one text."""
    return lexicon.space.join(sentences)


def _one(synonyms: tuple[Forms, ...], numbers: Iterator[int]) -> Forms:
    return synonyms[next(numbers) % len(synonyms)]


@dataclass(frozen=True, slots=True)
class Piece:
    """The truth about one article of a cluster: the `event` it tells of, the `original` it repeats."""

    position: int
    kind: Kind
    event: int
    original: int | None = None
    cited: bool = False

    @property
    def label(self) -> str:
        """What a careful reader answers who is asked how the article relates to the event."""
        return {"follow-up": LABELS[1], "unrelated": LABELS[2]}.get(self.kind, LABELS[0])


@dataclass(frozen=True)
class Newsroom:
    """Writes the events and articles of a world."""

    planner: Planner

    def event(self, number: int) -> Event:
        """Return an event as its editor told it."""
        plan = self.planner.plan(number)
        summary = self.summary(plan)
        title = () if plan.story == NO_STORY else (self.planner.story_title(plan.story),)
        return Event(
            plan.id,
            plan.date,
            summary,
            category=plan.category,
            story=title,
            entities=_entities(summary, plan),
            sources=tuple(
                Source(
                    _url(article_id(plan.id, piece.position)), self._outlet(number, piece.position)
                )
                for piece in self.pieces(number)
                if piece.cited
            ),
        )

    def cluster(self, number: int) -> Cluster:
        """Return the articles of an event, the cited ones first."""
        plan = self.planner.plan(number)
        articles = tuple(self.article(plan, piece) for piece in self.pieces(number))
        return Cluster(plan.id, articles, plan.date, plan.category, self.summary(plan))

    def summary(self, plan: EventPlan) -> str:
        """Return the key facts in present tense, at most forty words."""
        numbers = whole_numbers(world_stream("summary", self.planner.seed, plan.number))
        said = [self._say("summaries", fact, numbers) for fact in plan.facts[:KEY_FACTS]]
        return joined(self.planner.lexicon, said)

    def pieces(self, number: int) -> tuple[Piece, ...]:
        """Return the kind and origin of each article of a cluster."""
        settings = self.planner.settings
        rng = world_stream("pieces", self.planner.seed, number)
        cited = 1 + int(rng.choice(len(_CITED_SHARES), p=_CITED_SHARES))
        count = int(settings.found_median * np.exp(rng.normal(0, settings.found_spread)))
        count = min(count, settings.articles_max - cited)
        kinds = rng.choice(list(_FOUND_SHARES), count, p=list(_FOUND_SHARES.values())).tolist()
        others = self.planner.calendar.same_day(number)
        numbers = whole_numbers(rng)
        pieces = [Piece(position, "report", number, cited=True) for position in range(cited)]
        for kind in kinds:
            position = len(pieces)
            reports = [piece.position for piece in pieces if piece.kind == "report"]
            if kind == "duplicate":
                piece = Piece(position, kind, number, reports[next(numbers) % len(reports)])
            elif kind == "unrelated" and len(others):
                piece = Piece(position, kind, int(others[next(numbers) % len(others)]))
            else:
                # A day with one event has nothing unrelated to offer but what is told of it later.
                piece = Piece(position, "report" if kind == "report" else "follow-up", number)
            pieces.append(piece)
        return tuple(pieces)

    def article(self, plan: EventPlan, piece: Piece) -> ClusterArticle:
        """Return one article of an event's cluster."""
        rng = world_stream("frame", self.planner.seed, plan.number, piece.position)
        title, sentences = self._write(plan, piece)
        shift = 0 if piece.cited else 1 if piece.kind == "follow-up" else int(rng.integers(-1, 2))
        day = date.fromisoformat(plan.date) + timedelta(days=shift)
        name = article_id(plan.id, piece.position)
        outlet = self._outlet(plan.number, piece.position)
        return ClusterArticle(
            name,
            joined(self.planner.lexicon, sentences),
            title=title,
            url=_url(name),
            date=day.isoformat(),
            lang=self.planner.lexicon.lang,
            source=f"{outlet.lower().replace(' ', '-')}.{HOST}",
            category=plan.category,
            origin="cited" if piece.cited else "found",
            probability=None if piece.cited else round(0.9 + 0.1 * float(rng.beta(2, 1)), 4),
        )

    def _write(self, plan: EventPlan, piece: Piece) -> tuple[str, list[str]]:
        """Return the title and the sentences of an article of an event's cluster."""
        if piece.original is not None:
            title, sentences = self._write(plan, Piece(piece.original, "report", plan.number))
            return title, self._edited(plan, piece, sentences)
        rng = world_stream("article", self.planner.seed, plan.number, piece.position)
        event_plan = plan if piece.event == plan.number else self.planner.plan(piece.event)
        if (telling := self.planner.settings.telling) is not None:
            return self._scattered(event_plan, telling, rng, report=piece.kind != "follow-up")
        if piece.kind == "follow-up":
            return self._follow_up(plan, rng)
        numbers = whole_numbers(rng)
        length = self._sentences(rng)
        minor = [
            event_plan.facts[number]
            for number in rng.permutation(len(event_plan.facts))
            if number >= KEY_FACTS
        ]
        facts = [*event_plan.facts[:KEY_FACTS], *minor][:length]
        fillers = rng.random(length) < _FILLER_SHARE
        headline = event_plan.facts[0]
        settings = self.planner.settings
        if settings.digressions:
            facts = self._wandering(event_plan, facts, rng)
        if settings.loose_titles:
            headline = facts[int(rng.integers(len(facts)))]
        said = [
            self._say("fillers" if filler and position >= KEY_FACTS else "facts", fact, numbers)
            for position, (fact, filler) in enumerate(zip(facts, fillers.tolist(), strict=False))
        ]
        return self._say("titles", headline, numbers), said

    def _wandering(
        self, plan: EventPlan, facts: list[Fact], rng: np.random.Generator
    ) -> list[Fact]:
        """Replace some facts after the key ones by minor facts of other events.

        Of the same story, or of any event near in number if none there carries it on.
        """
        others = self.planner.calendar.same_story(plan.number, _REACH)
        away = rng.random(len(facts)) < self.planner.settings.digressions
        wandering = list(facts)
        for position in range(KEY_FACTS, len(facts)):
            if away[position] and len(others):
                other = self.planner.plan(int(rng.choice(others)))
                wandering[position] = other.facts[int(rng.integers(KEY_FACTS, len(other.facts)))]
        return wandering

    def _follow_up(self, plan: EventPlan, rng: np.random.Generator) -> tuple[str, list[str]]:
        """Return title and sentences of new facts; the second sentence mentions the event."""
        numbers = whole_numbers(rng)
        facts = self.planner.more_facts(plan, rng, self._sentences(rng))
        said = [self._say("facts", fact, numbers) for fact in facts]
        said[min(1, len(said) - 1)] = self._say("follows", plan.facts[0], numbers)
        return self._say("titles", facts[0], numbers), said

    def _scattered(
        self, plan: EventPlan, telling: Telling, rng: np.random.Generator, *, report: bool
    ) -> tuple[str, list[str]]:
        """Return title and sentences that open with hooks and tell the key facts at any later place.

        Hooks are about the people and the place of the event.
        A follow-up mentions one key fact and tells facts of its own.
        """
        numbers = whole_numbers(rng)
        own = self.planner.own_facts(plan, rng, self._sentences(rng))
        hooks = [
            replace(fact, actor=plan.facts[key].actor, place=plan.facts[key].place)
            for key, fact in zip(rng.integers(0, KEY_FACTS, telling.hooks), own, strict=False)
        ]
        said = [self._say("facts", fact, numbers) for fact in hooks]
        asides = own[telling.hooks :]
        # Which key fact stands in which place behind the hooks.
        keys = dict(zip(rng.permutation(len(asides)).tolist(), range(KEY_FACTS), strict=False))
        chances = (telling.key, telling.agency, telling.shared, _FILLER_SHARE, telling.clauses)
        for place, fact in enumerate(asides):
            told, agency, shared, filler, clause = (rng.random(5) < chances).tolist()
            if report and told and place in keys:
                text, filler = self._key_fact(plan, keys[place], numbers, agency=agency), False
            else:
                minor = plan.facts[int(rng.integers(KEY_FACTS, len(plan.facts)))]
                subject = minor if report and shared else fact
                text = self._say("fillers" if filler else "facts", subject, numbers)
            said.append(self._extended(text, fact, numbers) if clause and not filler else text)
        if not report:
            mentioned = plan.facts[int(rng.integers(KEY_FACTS))]
            said[telling.hooks] = self._say("follows", mentioned, numbers)
        return self._say("titles", hooks[0], numbers), said

    def _key_fact(self, plan: EventPlan, key: int, numbers: Iterator[int], *, agency: bool) -> str:
        """Return a key fact, in the words of the agency that all outlets read or in new ones."""
        if agency:
            numbers = whole_numbers(world_stream("agency", self.planner.seed, plan.number, key))
        return self._say("facts", plan.facts[key], numbers)

    def _extended(self, text: str, fact: Fact, numbers: Iterator[int]) -> str:
        """Add a clause about another fact before the end of a sentence."""
        stop = self.planner.lexicon.stop
        return text.removesuffix(stop) + self._say("clauses", fact, numbers) + stop

    def _edited(self, plan: EventPlan, piece: Piece, sentences: list[str]) -> list[str]:
        """Copy an article as another outlet does: one sentence dropped or said anew, an agency line added."""
        rng = world_stream("duplicate", self.planner.seed, plan.number, piece.position)
        numbers = whole_numbers(rng)
        position = int(rng.integers(KEY_FACTS, len(sentences)))
        fact = plan.facts[position % len(plan.facts)]
        reworded = [] if rng.random() < 0.5 else [self._say("facts", fact, numbers)]
        update = self._say("updates", fact, numbers)
        return [*sentences[:position], *reworded, *sentences[position + 1 :], update]

    def _sentences(self, rng: np.random.Generator) -> int:
        """Draw how many sentences an article has."""
        fewest, most = self.planner.sentences
        return int(rng.integers(fewest, most + 1))

    def _say(self, kind: str, fact: Fact, numbers: Iterator[int]) -> str:
        return sentence(self.planner.lexicon, kind, fact, numbers)

    def _outlet(self, number: int, position: int) -> str:
        outlets = self.planner.lexicon.patterns["outlets"]
        return outlets[(number * 7 + position * 3) % len(outlets)]


def article_id(event: str, position: int) -> str:
    """Return the id of an article of an event's cluster.

    >>> article_id("sim-e000012", 0)
    'sim-e000012/a0'
    """
    return f"{event}/a{position}"


def _url(article: str) -> str:
    return f"https://{HOST}/{article}"


def _entities(summary: str, plan: EventPlan) -> tuple[Entity, ...]:
    """Return where the names of an event stand in its summary, each linked once."""
    entities = []
    for name in dict.fromkeys((*plan.actors, *plan.places)):
        start = summary.find(name)
        if start >= 0:
            entities.append(Entity(name, name.replace(" ", "_"), start, start + len(name)))
    return tuple(sorted(entities, key=lambda entity: entity.start))


@dataclass(frozen=True)
class Sorting:
    """Labels a sample of the found articles of a world."""

    newsroom: Newsroom

    @functools.cached_property
    def panel(self) -> Panel:
        """The people who label; the scale goes from on topic (0) to unrelated (2)."""
        planner = self.newsroom.planner
        settings = planner.settings
        return panel(
            settings,
            planner.seed,
            CAMPAIGN,
            size=settings.labellers,
            noise=settings.label_noise,
            scale=(0, 2),
        )

    @functools.cached_property
    def _sample(self) -> tuple[list[tuple[int, int]], Floats]:
        """The articles (event, position) and where each stands on the scale from 0 to 1."""
        planner = self.newsroom.planner
        rng = world_stream("label sample", planner.seed)
        candidates = [
            (event, piece)
            for event in rng.permutation(planner.settings.events)[: planner.settings.labels]
            for piece in self.newsroom.pieces(int(event))
            if not piece.cited
        ]
        chosen = [
            candidates[number]
            for number in rng.permutation(len(candidates))[: planner.settings.labels]
        ]
        latent = [LABELS.index(piece.label) / 2 for _, piece in chosen]
        return [(int(event), piece.position) for event, piece in chosen], np.array(latent)

    @functools.cached_property
    def _answers(self) -> tuple[Ints, Ints]:
        """The people who label each article, and their labels (both articles × people)."""
        rng = world_stream("labels", self.newsroom.planner.seed)
        _, latent = self._sample
        who = assign(rng, len(latent), len(self.panel.bias), PEOPLE_EACH)
        return who, self.panel.answers(rng, latent, who)

    def judgments(self) -> Iterator[Judgment]:
        """Yield all labels of the sample, as judgments."""
        who, answers = self._answers
        articles, _ = self._sample
        for (event, position), people, labels in zip(
            articles, who.tolist(), answers.tolist(), strict=True
        ):
            item = event_id(event)
            target = article_id(item, position)
            for person, label in zip(people, labels, strict=True):
                name = self.panel.name(person)
                task = f"{item}|{target}"
                yield Judgment(
                    CAMPAIGN, task, item, target, QUESTION, LABELS[label], name, via="model"
                )

    def expected_pairs(self, *, careful: bool) -> Floats:
        """Return the pairs of labels that the sample is expected to get."""
        _, latent = self._sample
        who, _ = self._answers
        return expected_pairs(self.panel, latent, who, careful=careful)
