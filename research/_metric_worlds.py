"""Simulated scores of systems by people and metrics, with correlations that are known.

People grade outputs by the quality of item, system and output; a metric sees part of each. With `ties` grades are whole numbers from 1 to 5 and
metric values multiples of ¼.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from newsdesk.arrays import Floats
from newsdesk.stats.coefficients import (
    Coefficient,
    Level,
    flat_correlations,
    mean_correlations,
    row_correlations,
    system_means,
)
from newsdesk.studies.correlate.tables import HumanScores, MetricScores

SHOWN: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
ITEM_SD, OUTPUT_SD = 0.5, 0.8


@dataclass(frozen=True, slots=True)
class World:
    """How outputs are graded and scored: the spread of systems, of items and of single outputs."""

    systems: int
    items: int
    ties: bool

    def qualities(
        self, rng: np.random.Generator, metrics: int = 1, count: int | None = None
    ) -> Floats:
        """Systems × (people, metrics): the quality of each system as people and metrics see it."""
        shared = rng.normal(0, np.sqrt(0.2), (count or self.systems, 1))
        return shared + rng.normal(0, np.sqrt(0.1), (count or self.systems, 1 + metrics))

    def draw(
        self, rng: np.random.Generator, quality: Floats, items: int | None = None
    ) -> tuple[Floats, Floats]:
        """Items × systems of human grades, and metrics × items × systems of scores."""
        return self.scores(rng, np.broadcast_to(quality, (items or self.items, *quality.shape)))

    def scores(self, rng: np.random.Generator, quality: Floats) -> tuple[Floats, Floats]:
        """Grades and scores where the systems of each item (first axis of `quality`) have qualities of their own."""
        size = quality.shape[:2]
        item, output = rng.normal(0, ITEM_SD, (size[0], 1)), rng.normal(0, OUTPUT_SD, size)
        human = quality[..., 0] + item + output
        metrics = np.stack(
            [
                quality[..., place]
                + 0.6 * item
                + rng.normal(0, 0.4, (size[0], 1))
                + 0.6 * output
                + rng.normal(0, 0.6, size)
                for place in range(1, quality.shape[2])
            ]
        )
        if self.ties:
            return np.clip(np.rint(3 + human), 1, 5), np.round(metrics * 4) / 4
        return human, metrics

    def expected(self, quality: Floats) -> tuple[Floats, Floats]:
        """The mean grade and the mean score (of the first metric) of each system over all items there could be; rounding to ¼ does not move a mean."""
        if not self.ties:
            return quality[:, 0], quality[:, 1]
        steps = np.array([1.5, 2.5, 3.5, 4.5])
        spread = np.hypot(ITEM_SD, OUTPUT_SD)
        above = special.ndtr((3 + quality[:, :1] - steps) / spread)
        return 1 + above.sum(axis=1), quality[:, 1]


def tables(human: Floats, metrics: Floats) -> tuple[HumanScores, list[MetricScores]]:
    """Arrays as tables of scores."""
    keys = [(str(i), str(s)) for i in range(human.shape[0]) for s in range(human.shape[1])]
    scores = [
        MetricScores(f"m{place}", dict(zip(keys, metric.ravel().tolist(), strict=True)), "")
        for place, metric in enumerate(metrics)
    ]
    return HumanScores(
        "q", {key: (v,) for key, v in zip(keys, human.ravel().tolist(), strict=True)}
    ), scores


Values = dict[tuple[Level, Coefficient], float]


def truth_of_systems(world: World, rng: np.random.Generator, quality: Floats) -> Values:
    """Pooled and within items, the correlations of these systems over very many items."""
    human, metrics = world.draw(rng, quality, items=40_000)
    pooled = flat_correlations(metrics[0].ravel(), human.ravel())
    within = mean_correlations(row_correlations(metrics[0], human))
    return {
        **{("pooled", name): pooled[name].value for name in SHOWN},
        **{("item", name): within[name].value for name in SHOWN},
    }


def truth_over_systems(world: World, quality: Floats) -> Values:
    """The correlations of these systems' expected means."""
    people, metric = world.expected(quality)
    found = row_correlations(metric[None], people[None])
    return {("system", name): float(found[name][0]) for name in SHOWN}


def truth_of_all_systems(world: World, rng: np.random.Generator) -> Values:
    """The correlations of all systems and items there could be; over systems, of means of as many items as a study has."""
    human, metrics = world.scores(rng, world.qualities(rng, count=400_000)[:, None])
    pooled = flat_correlations(metrics[0].ravel(), human.ravel())
    rows = 60_000
    grouped = world.qualities(rng, count=rows * world.systems).reshape(rows, world.systems, 2)
    human, metrics = world.scores(rng, grouped)
    within = row_correlations(metrics[0], human)
    many = world.qualities(rng, count=20_000)
    runs = [world.draw(rng, many[low : low + 500]) for low in range(0, len(many), 500)]
    # Means less those of the run: the items of a run are shared by its systems, as in a study.
    people, metric = (
        np.concatenate([mean - mean.mean() for mean in map(system_means, side)])
        for side in ([h for h, _ in runs], [m[0] for _, m in runs])
    )
    over = flat_correlations(metric, people)
    return {
        **{("pooled", name): pooled[name].value for name in SHOWN},
        **{("item", name): float(np.nanmean(within[name])) for name in SHOWN},
        **{("system", name): over[name].value for name in SHOWN},
    }
