"""Votes on comments, collected as Fujita et al. (2019) did.

A task shows five comments of one article, as they stand, and after it comes a control question with an obvious answer; each person says of each
comment whether it is constructive. Tasks are called as a campaign calls them, `{article}+{number}`, and control questions `control-{number}` by their
line among `controls`, so that a campaign of the same files takes the votes in. The votes in `threads.jsonl` count everybody, the careless too: to leave them out is the reader's work.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.simulate.draws import world_stream
from newsdesk.simulate.people import Panel, assign, expected_pairs, panel
from newsdesk.simulate.texts import TALK, lengths, write_texts
from newsdesk.simulate.threads import Discussion, Forum, comment_id
from newsdesk.types import Judgment

CAMPAIGN = "sim-constructive"
QUESTION = "constructive"
BUNDLE = 5

_CONTROL_QUALITY = np.array([0.02, 0.98])


@dataclass(frozen=True, slots=True)
class Ballots:
    """The votes of one thread: the people of each task, and their answers about each comment and each task's control."""

    who: Ints
    answers: Ints
    controls: Ints
    control_answers: Ints


@dataclass(frozen=True)
class Crowd:
    """The people who vote on the comments of a forum."""

    forum: Forum

    @functools.cached_property
    def panel(self) -> Panel:
        """The panel of voters, some of them careless."""
        settings = self.forum.settings
        return panel(
            settings, self.forum.seed, CAMPAIGN, settings.voters, settings.vote_noise, (0, 1)
        )

    def ballots(self, discussion: Discussion) -> Ballots:
        """Draw the votes of one thread, comments and control questions."""
        rng = world_stream("votes", self.forum.seed, discussion.number)
        tasks = -(-discussion.count // BUNDLE)
        who = assign(rng, tasks, len(self.panel.bias), discussion.votes)
        answers = self.panel.answers(rng, self.forum.judged(discussion), who[_task_of(discussion)])
        controls = rng.integers(0, 2, tasks)
        control_answers = self.panel.answers(rng, _CONTROL_QUALITY[controls], who)
        return Ballots(who, answers, controls, control_answers)

    def judgments(self) -> Iterator[Judgment]:
        """Every vote, task by task and person by person, each task followed by its control question."""
        controls = itertools.count(1)
        for discussion in self._voted:
            article = self.forum.article_id(discussion)
            ballots = self.ballots(discussion)
            for task, people in enumerate(ballots.who.tolist()):
                own = slice(task * BUNDLE, (task + 1) * BUNDLE)
                targets = [comment_id(article, place) for place in range(discussion.count)[own]]
                control = f"control-{next(controls)}"
                for voter, person in enumerate(people):
                    say = functools.partial(self._vote, article=article, person=person)
                    answers = ballots.answers[own, voter].tolist()
                    for shown, (target, answer) in enumerate(zip(targets, answers, strict=True), 1):
                        yield say(f"{article}+{task + 1}", target, answer, shown=str(shown))
                    answer = ballots.control_answers[task, voter]
                    yield say(control, control, answer, control=True)

    def controls(self) -> Iterator[dict[str, Any]]:
        """The control questions, one for each task: a comment that is plainly good or plainly poor, and the right answer."""
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
        """The pairs of answers that a thread's comments are expected to get."""
        who = self.ballots(discussion).who[_task_of(discussion)]
        return expected_pairs(self.panel, self.forum.judged(discussion), who, careful=careful)


def _task_of(discussion: Discussion) -> Ints:
    return np.arange(discussion.count) // BUNDLE
