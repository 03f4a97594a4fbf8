"""Baselines: random sentences, and leads, the first sentences of the first article, of a random one, or of each article in turn.

A lead begins with the first sentence that fits and ends before the first that does not. The released code gave up on an article
whose very first sentence is too long, which left single-article clusters without any summary.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from newsdesk.summarizers.greedy import Room, Step, select
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.wording import plural


@dataclass(frozen=True)
class RandomSentences(Summarizer):
    """Sentences in random order up to the limit."""

    seed: int = 0

    name = "random"

    def steps(self, prepared: Prepared) -> list[Step]:
        """Greedy selection from a random ranking, without a redundancy check."""
        ranking = self.rng(prepared, self.seed).permutation(prepared.distinct)
        room = self.room(prepared)
        return select(prepared, ranking, None, room, min_tokens=self.min_tokens)


@dataclass(frozen=True)
class Lead(Summarizer):
    """The first sentences of the first article that has a usable lead."""

    name = "lead"

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the lead of the first article that has one, with the sentences rejected before it."""
        return self.first_lead(prepared, range(len(prepared.languages)))

    def first_lead(self, prepared: Prepared, articles: Iterable[int]) -> list[Step]:
        """Return the steps through these articles up to the first one that has a lead."""
        steps: list[Step] = []
        for article in articles:
            steps += lead(prepared, article, self.room(prepared), self.min_tokens)
            if any(step.outcome == "taken" for step in steps):
                break
        return steps


@dataclass(frozen=True)
class RandomLead(Lead):
    """The first sentences of an article drawn at random."""

    seed: int = 0

    name = "random-lead"

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the lead of the first article, in random order, that has one."""
        articles = self.rng(prepared, self.seed).permutation(len(prepared.languages))
        return self.first_lead(prepared, articles.tolist())


@dataclass(frozen=True)
class LeadInterleaved(Summarizer):
    """The first sentence of each article, then the second of each, and so on."""

    name = "lead-interleaved"

    def steps(self, prepared: Prepared) -> list[Step]:
        """Greedy selection by place in the article, then by article, without a redundancy check."""
        place = prepared.distinct - prepared.offsets[prepared.article[prepared.distinct]]
        ranking = prepared.distinct[np.argsort(place, kind="stable")]
        room = self.room(prepared)
        return select(prepared, ranking, None, room, min_tokens=self.min_tokens)


def lead(prepared: Prepared, article: int, room: Room, min_tokens: int) -> list[Step]:
    """Return the first sentences of an article up to the limit; sentences that are too short are skipped."""
    steps: list[Step] = []
    begun = False
    for number in range(int(prepared.offsets[article]), int(prepared.offsets[article + 1])):
        if prepared.too_short(number, min_tokens):
            steps.append(
                Step(number, None, "too short", plural(len(prepared.words(number)), "token"))
            )
        elif room.size(number) > room.left:
            steps.append(Step(number, None, "does not fit", str(room)))
            if begun:
                break
        else:
            steps.append(Step(number, None, "taken"))
            room.take(number)
            begun = True
    return steps
