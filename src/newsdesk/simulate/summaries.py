"""Systems that summarize events, and the people who rank them with ties on informativeness, coherence and overall.

A summary of informativeness i holds each key fact with probability i, else a minor fact or one of another event; with probability
1 - c, where c is its coherence, its sentences stand in the wrong order.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.simulate.articles import Newsroom, joined, sentence
from newsdesk.simulate.draws import whole_numbers, world_stream
from newsdesk.simulate.graded import spread
from newsdesk.simulate.people import Panel, assign, panel
from newsdesk.simulate.plans import KEY_FACTS, Fact, event_id
from newsdesk.simulate.presets import WorldSettings
from newsdesk.types import Judgment, Output

CAMPAIGN = "sim-rank"
QUESTIONS = ("informative", "coherent", "overall")
PEOPLE_EACH = 2

# Two summaries seen in the same step of this width get the same rank.
_TIE_WIDTH = 0.1


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
        return panel(settings, self._seed, CAMPAIGN, settings.rankers, settings.rank_noise, scale)

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
                        CAMPAIGN,
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
