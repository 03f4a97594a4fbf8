"""Votes on comments, collected as Fujita et al. (2019) did.

A task shows five comments of one article and a control question with an obvious answer; each person says of each comment whether it is
constructive. The votes in `threads.jsonl` count everybody, the careless too: to leave them out is the reader's work.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from newsdesk.simulate.people import Panel, assign, expected_pairs, panel
from newsdesk.simulate.streams import Floats, Ints, stream
from newsdesk.simulate.threads import Discussion, Forum, comment_id
from newsdesk.types import Judgment

CAMPAIGN = "sim-constructive"
QUESTION = "constructive"
BUNDLE = 5
CONTROLS = ("control-no", "control-yes")

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
        """Who they are."""
        settings = self.forum.settings
        return panel(
            settings, self.forum.seed, CAMPAIGN, settings.voters, settings.vote_noise, (0, 1)
        )

    def ballots(self, discussion: Discussion) -> Ballots:
        """The votes of a thread."""
        rng = stream(self.forum.seed, "votes", discussion.number)
        tasks = -(-discussion.count // BUNDLE)
        who = assign(rng, tasks, len(self.panel.bias), discussion.votes)
        answers = self.panel.answers(rng, self.forum.judged(discussion), who[_task_of(discussion)])
        controls = rng.integers(0, 2, tasks)
        control_answers = self.panel.answers(rng, _CONTROL_QUALITY[controls], who)
        return Ballots(who, answers, controls, control_answers)

    def judgments(self, discussion: Discussion, article: str) -> Iterator[Judgment]:
        """Every vote of a thread, task by task and person by person."""
        ballots = self.ballots(discussion)
        for task in range(len(ballots.who)):
            comments = range(task * BUNDLE, min((task + 1) * BUNDLE, discussion.count))
            targets = [comment_id(article, place) for place in comments]
            for voter, person in enumerate(ballots.who[task].tolist()):
                answers = ballots.answers[comments.start : comments.stop, voter].tolist()
                name = self.panel.name(person)
                where = (CAMPAIGN, f"{article}/t{task}", article)
                for shown, (target, answer) in enumerate(zip(targets, answers, strict=True), 1):
                    yield Judgment(
                        *where, target, QUESTION, bool(answer), name, str(shown), via="model"
                    )
                yield Judgment(
                    *where,
                    CONTROLS[ballots.controls[task]],
                    QUESTION,
                    bool(ballots.control_answers[task, voter]),
                    name,
                    control=True,
                    via="model",
                )

    def expected_pairs(self, discussion: Discussion, *, careful: bool) -> Floats:
        """The pairs of answers that a thread's comments are expected to get."""
        who = self.ballots(discussion).who[_task_of(discussion)]
        return expected_pairs(self.panel, self.forum.judged(discussion), who, careful=careful)


def _task_of(discussion: Discussion) -> Ints:
    return np.arange(discussion.count) // BUNDLE
