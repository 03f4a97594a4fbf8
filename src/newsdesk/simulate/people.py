"""Simulated annotators on a scale: each has a bias, all have noise, and a few answer at random.

A grade, a vote and a label are the same thing here: a latent value from 0 to 1 is seen with the person's bias and some noise, and is
rounded to the nearest step of the scale. So the agreement that such a panel must show can be computed as well as drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from newsdesk.arrays import Floats, Ints
from newsdesk.simulate.lexicon import world_stream
from newsdesk.simulate.presets import WorldSettings


@dataclass(frozen=True, slots=True)
class Panel:
    """The people of one campaign and the ends of their scale."""

    campaign: str
    bias: Floats  # of each person
    careless: NDArray[np.bool_]  # by person
    noise: float
    low: int
    high: int

    def name(self, person: int) -> str:
        """Return the name of an annotator, with the campaign and a number."""
        return f"{self.campaign}-{person:03d}"

    def answers(self, rng: np.random.Generator, latent: Floats, who: Ints) -> Ints:
        """Return what each of `who` (targets × people) answers about each target."""
        seen = latent[:, None] + self.bias[who] + rng.normal(0, self.noise, who.shape)
        careful = np.clip(np.rint(self.low + (self.high - self.low) * seen), self.low, self.high)
        blind = rng.integers(self.low, self.high + 1, who.shape)
        return np.where(self.careless[who], blind, careful.astype(np.int64))

    def chances(self, latent: Floats, who: Ints) -> Floats:
        """Return the probability of every step of the scale: targets × people × steps."""
        steps = self.high - self.low
        edges = (np.arange(steps) + 0.5) / steps  # between two steps, on the scale from 0 to 1
        seen = latent[:, None] + self.bias[who]
        below = ndtr((edges - seen[..., None]) / self.noise)
        ends = np.zeros((*below.shape[:-1], 1))
        careful = np.diff(below, prepend=ends, append=ends + 1)
        blind = np.full(steps + 1, 1 / (steps + 1))
        return np.where(self.careless[who][..., None], blind, careful)

    def rows(self) -> list[dict[str, Any]]:
        """Return the truth about each person."""
        return [
            {
                "campaign": self.campaign,
                "annotator": self.name(person),
                "bias": round(float(bias), 6),
                "noise": self.noise,
                "careless": bool(careless),
            }
            for person, (bias, careless) in enumerate(zip(self.bias, self.careless, strict=True))
        ]


def panel(
    settings: WorldSettings,
    seed: int,
    campaign: str,
    size: int,
    noise: float,
    scale: tuple[int, int],
) -> Panel:
    """Draw a panel of annotators, a share of them careless."""
    rng = world_stream(f"panel {campaign}", seed)
    careless = np.zeros(size, dtype=bool)
    careless[rng.permutation(size)[: round(settings.careless * size)]] = True
    return Panel(campaign, rng.normal(0, settings.bias, size), careless, noise, *scale)


def assign(rng: np.random.Generator, tasks: int, size: int, per_task: int) -> Ints:
    """Assign annotators to tasks at random (tasks × each), all different within a task."""
    # Walking round a circle in steps that share no factor with its size meets nobody twice.
    steps = [step for step in range(1, size + 1) if gcd(step, size) == 1]
    step = rng.choice(np.array(steps, dtype=np.int64), (tasks, 1))
    start = rng.integers(0, size, (tasks, 1))
    return np.mod(start + step * np.arange(per_task, dtype=np.int64), size)


def expected_pairs(panel: Panel, latent: Floats, who: Ints, *, careful: bool) -> Floats:
    """Return how often two people of one target are expected to give each pair of answers (step × step).

    With `careful` only pairs without a careless person count.
    """
    probabilities = panel.chances(latent, who)
    if careful:
        probabilities[panel.careless[who]] = 0
    expected = probabilities.sum(axis=1)  # targets × steps: how many people give each answer
    # All pairs of people less everybody with themselves.
    return expected.T @ expected - np.einsum("tps,tpr->sr", probabilities, probabilities)


def kappas(pairs: Floats) -> dict[str, float]:
    """Return Cohen's kappa of a table of pairs of answers, plain and with quadratic weights."""
    joint = pairs / pairs.sum()
    steps = np.arange(len(joint))
    distance = np.subtract.outer(steps, steps) ** 2
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return {
        name: round(float(1 - (weight * joint).sum() / (weight * expected).sum()), 6)
        for name, weight in (("kappa", distance > 0), ("quadratic_kappa", distance))
    }
