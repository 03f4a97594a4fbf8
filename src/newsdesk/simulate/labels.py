"""Simulated annotators who label found articles as on topic, related or unrelated."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.simulate.articles import LABELS, Newsroom, article_id
from newsdesk.simulate.draws import world_stream
from newsdesk.simulate.people import Panel, assign, expected_pairs, panel
from newsdesk.simulate.plans import event_id
from newsdesk.types import Judgment

CAMPAIGN = "sim-relate"
QUESTION = "relate"
PEOPLE_EACH = 2


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
            settings, planner.seed, CAMPAIGN, settings.labellers, settings.label_noise, (0, 2)
        )

    @functools.cached_property
    def _sample(self) -> tuple[list[tuple[int, int]], Floats]:
        """The articles (event, place) and where each stands on the scale from 0 to 1."""
        planner = self.newsroom.planner
        rng = world_stream("label sample", planner.seed)
        candidates = [
            (event, piece)
            for event in rng.permutation(planner.settings.events)[: planner.settings.labels]
            for piece in self.newsroom.pieces(int(event))
            if not piece.cited
        ]
        chosen = [
            candidates[place]
            for place in rng.permutation(len(candidates))[: planner.settings.labels]
        ]
        latent = [LABELS.index(piece.label) / 2 for _, piece in chosen]
        return [(int(event), piece.place) for event, piece in chosen], np.array(latent)

    @functools.cached_property
    def _answers(self) -> tuple[Ints, Ints]:
        rng = world_stream("labels", self.newsroom.planner.seed)
        latent = self._sample[1]
        who = assign(rng, len(latent), len(self.panel.bias), PEOPLE_EACH)
        return who, self.panel.answers(rng, latent, who)

    def __len__(self) -> int:
        return PEOPLE_EACH * len(self._sample[0])

    def judgments(self) -> Iterator[Judgment]:
        """All labels of the sample, as judgments."""
        who, answers = self._answers
        for (event, place), people, labels in zip(
            self._sample[0], who.tolist(), answers.tolist(), strict=True
        ):
            item = event_id(event)
            target = article_id(item, place)
            for person, label in zip(people, labels, strict=True):
                name = self.panel.name(person)
                task = f"{item}|{target}"
                yield Judgment(
                    CAMPAIGN, task, item, target, QUESTION, LABELS[label], name, via="model"
                )

    def expected_pairs(self, *, careful: bool) -> Floats:
        """The pairs of labels that the sample is expected to get."""
        return expected_pairs(self.panel, self._sample[1], self._answers[0], careful=careful)
