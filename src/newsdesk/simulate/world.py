"""A simulated world: every record is a function of preset and seed, computed on demand, so that memory stays flat."""

from __future__ import annotations

import difflib
import functools
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from newsdesk.errors import ArgumentError
from newsdesk.registry import Spec
from newsdesk.simulate.articles import Newsroom, Sorting, article_id
from newsdesk.simulate.lexicon import lexicon
from newsdesk.simulate.outputs import QUESTIONS, Contest, GradingDesk
from newsdesk.simulate.people import kappas
from newsdesk.simulate.plans import NO_STORY, Planner, event_id
from newsdesk.simulate.presets import PRESETS, WorldSettings
from newsdesk.simulate.raw import RawThreads
from newsdesk.simulate.threads import Crowd, Forum, comment_id
from newsdesk.types import Article, Cluster, Event, Judgment, Output, References, Thread

SPEC_NAME = "simulated-world"

Row = dict[str, Any]


@dataclass(frozen=True)
class World:
    """Simulated events, articles, comments, outputs and judgments, and the truth behind them."""

    preset: str
    settings: WorldSettings
    seed: int
    lang: str

    @property
    def spec(self) -> str:
        """The spec that reproduces this world, together with the seed."""
        settings = self.settings
        arguments = (
            ("preset", self.preset),
            ("events", settings.events),
            ("comments", settings.comments),
            ("lang", self.lang),
        )
        return str(Spec(SPEC_NAME, arguments))

    @functools.cached_property
    def newsroom(self) -> Newsroom:
        """The generator of events and articles."""
        return Newsroom(Planner(self.settings, self.seed, lexicon(self.lang)))

    @functools.cached_property
    def forum(self) -> Forum:
        """The generator of threads and comments."""
        return Forum(self.newsroom)

    @functools.cached_property
    def raw(self) -> RawThreads:
        """The generator of unfiltered threads; one for each event, and none unless the preset is unfiltered."""
        settings = self.settings
        count, comments = (settings.events, settings.comments) if settings.raw else (0, 0)
        return RawThreads(lexicon(self.lang), self.seed, count, comments)

    @functools.cached_property
    def crowd(self) -> Crowd:
        """The simulated voters on comments."""
        return Crowd(self.forum)

    @functools.cached_property
    def desk(self) -> GradingDesk:
        """The generator of references and outputs, with their graders."""
        return GradingDesk(self.forum)

    @functools.cached_property
    def contest(self) -> Contest:
        """The generator of summaries, with the annotators who rank them."""
        return Contest(self.newsroom)

    @functools.cached_property
    def sorting(self) -> Sorting:
        """The annotators who label articles of clusters."""
        return Sorting(self.newsroom)

    def events(self) -> Iterator[Event]:
        """Return the events in order of days."""
        return map(self.newsroom.event, range(self.settings.events))

    def clusters(self) -> Iterator[Cluster]:
        """Return the cluster of articles of each event."""
        return map(self.newsroom.cluster, range(self.settings.events))

    def threads(self, group: str | None = None) -> Iterator[Thread]:
        """Yield the articles with comments that people voted on; all of them, or those of one group.

        Unfiltered ones have no votes.
        """
        # Threads of an unfiltered corpus have no group. Where there are any, the forum has no discussions, so the order of the two does not matter.
        yield from self.raw
        for discussion in self.forum.discussions:
            if group not in (None, discussion.group):
                continue
            article = self.forum.article(discussion)
            if discussion.votes:
                yes = self.crowd.ballots(discussion).answers.sum(axis=1)
            else:
                yes = np.zeros(discussion.count, dtype=np.int64)
            yield Thread(article, self.forum.comments(discussion, article, yes))

    def articles(self) -> Iterator[Article]:
        """Return the articles that references and outputs comment on."""
        return map(self.desk.article, self.desk.events)

    def graded(self) -> Iterator[Thread]:
        """Return the articles with comments that people graded: the references before they are weighted."""
        return map(self.desk.thread, self.desk.events)

    def references(self) -> Iterator[References]:
        """Return the graded comments as references, weighted by their grades."""
        return map(self.desk.references, self.desk.events)

    def outputs(self) -> Iterator[Output]:
        """Yield what systems that comment wrote for the same articles."""
        for event in self.desk.events:
            yield from self.desk.outputs(event)

    def summaries(self) -> Iterator[Output]:
        """Yield what systems that summarize wrote for events."""
        for event in self.contest.events:
            yield from self.contest.outputs(event)

    def judgments(self, protocol: str) -> Iterator[Judgment]:
        """Return the judgments of a campaign: grade, grade-outputs, constructive, rank or relate."""
        if protocol not in PROTOCOLS:
            protocols = ", ".join(PROTOCOLS)
            raise ArgumentError(f"no judgments are called {protocol!r}; there are: {protocols}")
        return PROTOCOLS[protocol](self)

    def truth(self, name: str) -> Iterator[Row]:
        """Return the ground truth: rows of one of the tables that `TRUTH` names."""
        if name not in TRUTH:
            close = difflib.get_close_matches(name, TRUTH, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise ArgumentError(f"no truth is called {name!r}; {hint}there are: {', '.join(TRUTH)}")
        return TRUTH[name](self)


def world(
    *,
    seed: int = 0,
    preset: str = "base",
    events: int | None = None,
    comments: int | None = None,
    lang: str = "en",
) -> World:
    """Return a world of a preset, with its own number of events and comments or with the preset's."""
    settings: WorldSettings = PRESETS.load(preset)
    lexicon(lang)
    if seed < 0:
        raise ArgumentError(f"the seed is {seed}; it must be 0 or more")
    if events is not None and events < 1:
        raise ArgumentError(f"a world needs at least one event, not {events}")
    if comments is not None and comments < 0:
        raise ArgumentError(f"there cannot be {comments} comments")
    sizes = {"events": events, "comments": comments}
    chosen = {name: size for name, size in sizes.items() if size is not None}
    return World(preset, replace(settings, **chosen), seed, lang)  # type: ignore[arg-type]


def _true_comments(world: World) -> Iterator[Row]:
    for discussion in world.forum.discussions:
        article = world.forum.article_id(discussion)
        for number, quality in enumerate(world.forum.quality(discussion).tolist()):
            target = comment_id(article, number)
            yield {"article": article, "comment": target, "quality": round(quality, 6)}


def _true_articles(world: World) -> Iterator[Row]:
    for number in range(world.settings.events):
        cluster = event_id(number)
        for piece in world.newsroom.pieces(number):
            row = {
                "article": article_id(cluster, piece.position),
                "cluster": cluster,
                "kind": piece.kind,
                "label": piece.label,
                "event": event_id(piece.event),
            }
            original = piece.original
            yield row if original is None else {**row, "of": article_id(cluster, original)}


def _true_stories(world: World) -> Iterator[Row]:
    events: dict[int, list[str]] = defaultdict(list)  # by story
    for number, story in enumerate(world.newsroom.planner.calendar.story.tolist()):
        if story != NO_STORY:
            events[story].append(event_id(number))
    for story, ids in sorted(events.items()):
        yield {"story": world.newsroom.planner.story_title(story), "events": ids}


def _true_systems(world: World) -> Iterator[Row]:
    for system, quality in world.settings.comment_systems.items():
        yield {"system": system, "question": "grade", "mean_quality": quality}
    for system, (informative, coherent) in world.settings.summary_systems.items():
        overall = (informative + coherent) / 2
        for question, quality in zip(QUESTIONS, (informative, coherent, overall), strict=True):
            yield {"system": system, "question": question, "mean_quality": round(quality, 6)}


def _true_annotators(world: World) -> Iterator[Row]:
    for part in (world.desk, world.crowd, world.contest, world.sorting):
        yield from part.panel.rows()


def _true_agreement(world: World) -> Iterator[Row]:
    """Yield the expected kappa between two annotators of one target: of all, and of the careful ones."""
    voted = [discussion for discussion in world.forum.discussions if discussion.votes]
    for careful in (False, True):
        tables = {
            "sim-grade": [
                world.desk.expected_pairs(event, careful=careful) for event in world.desk.events
            ],
            "sim-constructive": [
                world.crowd.expected_pairs(discussion, careful=careful) for discussion in voted
            ],
            "sim-relate": [world.sorting.expected_pairs(careful=careful)],
        }
        for campaign, counts in tables.items():
            pairs = np.sum(counts, axis=0)  # answers × answers
            if pairs.sum():
                people = "careful" if careful else "all"
                yield {"campaign": campaign, "people": people, **kappas(pairs)}


PROTOCOLS: dict[str, Callable[[World], Iterator[Judgment]]] = {
    "grade": lambda world: chain.from_iterable(
        world.desk.judgments(event, outputs=False) for event in world.desk.events
    ),
    "grade-outputs": lambda world: chain.from_iterable(
        world.desk.judgments(event, outputs=True) for event in world.desk.events
    ),
    "constructive": lambda world: world.crowd.judgments(),
    "rank": lambda world: chain.from_iterable(
        world.contest.judgments(event) for event in world.contest.events
    ),
    "relate": lambda world: world.sorting.judgments(),
}
TRUTH: dict[str, Callable[[World], Iterator[Row]]] = {
    "comments": _true_comments,
    "controls": lambda world: world.crowd.controls(),
    "graded": lambda world: chain.from_iterable(
        world.desk.truth(event) for event in world.desk.events
    ),
    "summaries": lambda world: chain.from_iterable(
        world.contest.truth(event) for event in world.contest.events
    ),
    "articles": _true_articles,
    "stories": _true_stories,
    "systems": _true_systems,
    "annotators": _true_annotators,
    "agreement": _true_agreement,
}
