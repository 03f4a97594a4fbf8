"""Threads under articles: comments of latent quality, with lengths tied to it or not, and likes that ignore it.

Votes are collected as Fujita et al. (2019) did. A task shows five comments of one article, as they stand, and after it comes a control question with an obvious answer; each
person says of each comment whether it is constructive. Tasks are called as a campaign calls them, `{article}+{number}`, and control questions `control-{number}` by their
line among `controls`, so that a campaign of the same files takes the votes in. The votes in `threads.jsonl` count everybody, the careless too: to leave them out is the reader's work.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv, ndtr, ndtri

from newsdesk.arrays import Floats, Ints
from newsdesk.simulate.articles import Newsroom, Piece, article_id, words_of
from newsdesk.simulate.lexicon import world_stream
from newsdesk.simulate.people import Panel, assign, expected_pairs, panel
from newsdesk.simulate.plans import EventPlan, event_id
from newsdesk.simulate.presets import ThreadGroup, WorldSettings
from newsdesk.simulate.texts import (
    TALK,
    Habits,
    Style,
    Topic,
    comment_texts,
    habits,
    lengths,
    topic,
    write_texts,
)
from newsdesk.types import Article, Comment, Judgment

_READERS = 5000
_MINUTES_A_DAY = 24 * 60
# Articles after an event's first are written for their thread alone; no cluster reaches this place.
_BEYOND_CLUSTERS = 1_000_000

CAMPAIGN = "sim-constructive"
QUESTION = "constructive"
BUNDLE = 5  # comments of a task
_CONTROL_QUALITY = np.array([0.02, 0.98])  # of a control whose right answer is no, and yes


@dataclass(frozen=True, slots=True)
class Discussion:
    """One thread of a world: the `turn`-th of its event, with so many comments and votes on each."""

    number: int
    event: int
    turn: int
    count: int
    votes: int
    group: str = ""


@dataclass(frozen=True)
class Forum:
    """Writes the threads of a world."""

    newsroom: Newsroom

    @property
    def settings(self) -> WorldSettings:
        """The settings of the simulated world."""
        return self.newsroom.planner.settings

    @property
    def seed(self) -> int:
        """The seed of the simulated world."""
        return self.newsroom.planner.seed

    @functools.cached_property
    def discussions(self) -> tuple[Discussion, ...]:
        """The threads that have comments, in order."""
        discussions = []
        for number, (count, votes, group) in enumerate(self._sizes()):
            turn, event = divmod(number, self.settings.events)
            if count:
                discussions.append(Discussion(number, event, turn, count, votes, group))
        return tuple(discussions)

    def _sizes(self) -> Iterator[tuple[int, int, str]]:
        """Yield the number of comments, the votes on each, and the group of every thread."""
        settings = self.settings
        if settings.raw:  # its threads are drawn elsewhere, and have no votes
            return
        if settings.groups:
            for group in scaled(settings.groups, settings.comments):
                yield from [(group.comments, group.votes, group.name)] * group.threads
            return
        rng = world_stream("thread sizes", self.seed)
        weights = rng.lognormal(0, 0.5, settings.events)
        counts = rng.multinomial(settings.comments, weights / weights.sum())
        yield from ((count, settings.votes, "") for count in counts.tolist())

    def article_id(self, discussion: Discussion) -> str:
        """Return the id of the article of a thread."""
        return article_id(event_id(discussion.event), _place(discussion))

    def article(self, discussion: Discussion) -> Article:
        """Return the article of a thread: the first cited one of its event, or one of its own."""
        plan = self.newsroom.planner.plan(discussion.event)
        article = self.newsroom.article(
            plan, Piece(_place(discussion), "report", plan.number, cited=True)
        )
        names = ("id", "text", "title", "url", "date", "lang", "source", "category")
        return Article(*(getattr(article, name) for name in names))

    def quality(self, discussion: Discussion) -> Floats:
        """Return the latent quality of each comment of a thread; the comments of one article may be alike."""
        rng = world_stream("comment quality", self.seed, discussion.number)
        shape, alike = self.settings.quality_shape, self.settings.likeness
        if not alike:
            return rng.beta(*shape, discussion.count)
        shared = np.sqrt(alike) * rng.normal()
        normal = shared + np.sqrt(1 - alike) * rng.normal(size=discussion.count)
        return betaincinv(*shape, ndtr(normal))

    def judged(self, discussion: Discussion) -> Floats:
        """Return the quality that people see: all comments of an article may be judged more or less strictly."""
        quality = self.quality(discussion)
        if not self.settings.thread_effect:
            return quality
        shift = world_stream("thread effect", self.seed, discussion.number).normal()
        return quality + self.settings.thread_effect * shift

    def characters(self, discussion: Discussion) -> Floats:
        """Return how long each comment of a thread means to be.

        Lengths are lognormal; `length_tie` is the correlation of their logarithm with quality.
        """
        settings = self.settings
        # Quality as a standard normal variable: its quantile in the beta distribution, mapped.
        quantile = betainc(*settings.quality_shape, self.quality(discussion))
        normal = ndtri(np.clip(quantile, 1e-9, 1 - 1e-9))
        rng = world_stream("comment length", self.seed, discussion.number)
        free = rng.normal(0, 1, len(normal))
        tie = settings.length_tie
        spread = settings.characters_spread * (tie * normal + np.sqrt(1 - tie**2) * free)
        density = float(self.newsroom.planner.lexicon.patterns["density"][0])
        low, high = settings.characters_range
        return np.clip(settings.characters_median * density * np.exp(spread), low, high)

    def topic(self, plan: EventPlan, style: Style) -> Topic:
        """Return what there is to say about an event: its own words and some that only insight brings."""
        lexicon = self.newsroom.planner.lexicon
        rng = world_stream("topic", self.seed, plan.number)
        style = replace(style, topic=self.settings.topic_share)
        about = topic(lexicon, rng, style, words_of(lexicon, plan.facts))
        if not self.settings.subjects:
            return about
        number = plan.facts[0].noun % self.settings.subjects
        subject = topic(lexicon, world_stream("subject", self.seed, number), style)
        return replace(about, insights=subject.insights)

    def habits(self, discussion: Discussion) -> Habits | None:
        """Return the words that the readers of an article use, where quality shows in words that lean."""
        leaning = self.settings.leaning_words
        rng = world_stream("habits", self.seed, discussion.number)
        return habits(self.newsroom.planner.lexicon, rng, leaning) if leaning else None

    def comments(self, discussion: Discussion, article: Article, yes: Ints) -> tuple[Comment, ...]:
        """Return the comments of a thread in the order they came.

        `yes` counts the votes for each (the C-score), `score` is their share.
        """
        about = self.topic(self.newsroom.planner.plan(discussion.event), TALK)
        rng = world_stream("comment texts", self.seed, discussion.number)
        noise = rng.normal(0, self.settings.wording_noise, discussion.count)
        worded = np.clip(self.quality(discussion) + noise, 0, 1)
        characters = self.characters(discussion)
        lexicon, said = self.newsroom.planner.lexicon, self.habits(discussion)
        texts = comment_texts(lexicon, about, rng, worded, characters, said)
        likes, dislikes = self._reactions(discussion)
        minutes = np.sort(rng.integers(0, _MINUTES_A_DAY, discussion.count)).tolist()
        readers = rng.integers(0, _READERS, discussion.count).tolist()
        votes = discussion.votes
        return tuple(
            Comment(
                comment_id(article.id, number),
                text,
                likes[number],
                dislikes[number],
                score=yes_count / votes if votes else None,
                yes=yes_count if votes else None,
                votes=votes or None,
                at=f"{article.date}T{minutes[number] // 60:02d}:{minutes[number] % 60:02d}:00Z",
                position=number + 1,
                author=f"sim-reader-{readers[number]:04d}",
            )
            for number, (text, yes_count) in enumerate(zip(texts, yes.tolist(), strict=True))
        )

    def _reactions(self, discussion: Discussion) -> tuple[list[int], list[int]]:
        """Return likes and dislikes of each comment: early comments get more, good ones do not."""
        rng = world_stream("likes", self.seed, discussion.number)
        early = np.log1p(10 / (1 + np.arange(discussion.count)))
        likes = np.exp(rng.normal(0.6, 1.1, discussion.count) + 0.3 * early)
        dislikes = likes * rng.beta(1, 5, discussion.count)
        return likes.astype(int).tolist(), dislikes.astype(int).tolist()


def _place(discussion: Discussion) -> int:
    return _BEYOND_CLUSTERS + discussion.turn if discussion.turn else 0


def comment_id(article: str, number: int) -> str:
    """Return the id of a comment in a thread.

    >>> comment_id("sim-e000012/a0", 3)
    'sim-e000012/a0/c3'
    """
    return f"{article}/c{number}"


def scaled(groups: Sequence[ThreadGroup], comments: int) -> Iterator[ThreadGroup]:
    """Yield the groups with fewer or more threads, so that there are about so many comments in all.

    A group keeps at least one thread.
    """
    total = sum(group.threads * group.comments for group in groups)
    for group in groups:
        threads = max(1, round(group.threads * comments / total))
        yield ThreadGroup(group.name, threads, group.comments, group.votes)


@dataclass(frozen=True, slots=True)
class Ballots:
    """The votes of one thread: the people of each task, and their answers on comments and controls."""

    who: Ints  # tasks × voters: numbers of people in the panel
    answers: Ints  # comments × voters: 1 is yes
    controls: Ints  # tasks: the right answers
    control_answers: Ints  # tasks × voters


@dataclass(frozen=True)
class Crowd:
    """The people who vote on the comments of a forum."""

    forum: Forum

    @functools.cached_property
    def panel(self) -> Panel:
        """The panel of voters, some of them careless."""
        settings = self.forum.settings
        return panel(
            settings,
            self.forum.seed,
            CAMPAIGN,
            size=settings.voters,
            noise=settings.vote_noise,
            scale=(0, 1),
        )

    def ballots(self, discussion: Discussion) -> Ballots:
        """Draw the votes of one thread: each task is a bundle of comments and one control question."""
        rng = world_stream("votes", self.forum.seed, discussion.number)
        tasks = math.ceil(discussion.count / BUNDLE)
        who = assign(rng, tasks, len(self.panel.bias), discussion.votes)
        voters = who[_task_of(discussion)]  # comments × voters
        answers = self.panel.answers(rng, self.forum.judged(discussion), voters)
        controls = rng.integers(0, 2, tasks)
        control_answers = self.panel.answers(rng, _CONTROL_QUALITY[controls], who)
        return Ballots(who, answers, controls, control_answers)

    def judgments(self) -> Iterator[Judgment]:
        """Yield every vote, task by task and person by person, each task followed by its control question."""
        controls = itertools.count(1)
        for discussion in self._voted:
            article = self.forum.article_id(discussion)
            ballots = self.ballots(discussion)
            for task, people in enumerate(ballots.who.tolist()):
                bundle = slice(task * BUNDLE, (task + 1) * BUNDLE)
                numbers = range(discussion.count)[bundle]
                targets = [comment_id(article, number) for number in numbers]
                control = f"control-{next(controls)}"
                for voter, person in enumerate(people):
                    say = functools.partial(self._vote, article=article, person=person)
                    answers = ballots.answers[bundle, voter].tolist()
                    for shown, (target, answer) in enumerate(zip(targets, answers, strict=True), 1):
                        yield say(f"{article}+{task + 1}", target, answer, shown=str(shown))
                    answer = ballots.control_answers[task, voter]
                    yield say(control, control, answer, control=True)

    def controls(self) -> Iterator[dict[str, Any]]:
        """Yield the control question of each task: a plainly good or poor comment, and the right answer."""
        lexicon = self.forum.newsroom.planner.lexicon
        for discussion in self._voted:
            right = self.ballots(discussion).controls
            about = self.forum.topic(self.forum.newsroom.planner.plan(discussion.event), TALK)
            rng = world_stream("control texts", self.forum.seed, discussion.number)
            quality = _CONTROL_QUALITY[right]
            texts = write_texts(lexicon, about, rng, quality, lengths(rng, quality))
            article = self.forum.article_id(discussion)
            for text, answer in zip(texts, right.tolist(), strict=True):
                yield {
                    "text": lexicon.space.join(text),
                    "article": article,
                    "answer": bool(answer),
                }

    @property
    def _voted(self) -> list[Discussion]:
        return [
            discussion
            for discussion in self.forum.discussions
            if discussion.votes and discussion.count
        ]

    def _vote(
        self,
        task: str,
        target: str,
        answer: int,
        *,
        article: str,
        person: int,
        shown: str | None = None,
        control: bool | None = None,
    ) -> Judgment:
        return Judgment(
            CAMPAIGN,
            task,
            article,
            target,
            QUESTION,
            bool(answer),
            self.panel.name(person),
            shown,
            control=control,
            via="model",
        )

    def expected_pairs(self, discussion: Discussion, *, careful: bool) -> Floats:
        """Return the pairs of answers that a thread's comments are expected to get."""
        who = self.ballots(discussion).who[_task_of(discussion)]
        return expected_pairs(self.panel, self.forum.judged(discussion), who, careful=careful)


def _task_of(discussion: Discussion) -> Ints:
    """Return the number of the task that each comment is in."""
    return np.arange(discussion.count) // BUNDLE
