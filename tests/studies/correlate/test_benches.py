"""The long measurements of intervals and tests run, and the truth that they compare with is that of their simulated world."""

from __future__ import annotations

import numpy as np
import pytest

from research._metric_worlds import World, truth_of_systems, truth_over_systems
from research.coverage import over_items
from research.metric_tests import false_positives


@pytest.mark.parametrize("ties", [True, False])
def test_expected_means_are_those_of_very_many_items(ties: bool) -> None:
    world = World(5, 60, ties)
    rng = np.random.default_rng(0)
    quality = world.qualities(rng)
    human, metrics = world.draw(rng, quality, items=40_000)
    people, metric = world.expected(quality)
    assert human.mean(axis=0) == pytest.approx(people, abs=0.02)
    assert metrics[0].mean(axis=0) == pytest.approx(metric, abs=0.02)
    assert set(truth_over_systems(world, quality)) == {
        ("system", name) for name in ("pearson", "spearman", "kendall")
    }
    pooled = truth_of_systems(world, rng, quality)["pooled", "pearson"]
    assert 0.3 < pooled < 0.8


def test_shares_are_counted_for_every_level_and_test() -> None:
    assert len(over_items(World(4, 20, True), 2)) == 9
    shares = false_positives(World(4, 10, True), 2, favourites=False)
    assert len(shares) == 10 and all(0 <= share <= 1 for share in shares.values())
