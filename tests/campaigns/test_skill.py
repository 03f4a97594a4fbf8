"""Dawid–Skene: planted skill found again, better than plain shares where annotators are uneven, level where they are not."""

from __future__ import annotations

import numpy as np
import pytest

from newsdesk.arrays import Floats, Ints
from newsdesk.campaigns.aggregate import skill_of
from newsdesk.errors import ArgumentError
from newsdesk.stats.annotators import dawid_skene
from newsdesk.types import Judgment

UNEVEN = np.array([0.95, 0.9, 0.85, 0.55, 0.52, 0.5, 0.5])
EVEN = np.full(7, 0.75)


def world(seed: int, accuracy: Floats, items: int = 150, voted: float = 0.7) -> tuple[Ints, Floats]:
    """Simulated votes: the true labels, and annotators × items, nan where one did not vote."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(items) < 0.4).astype(int)
    right = rng.random((len(accuracy), items)) < accuracy[:, None]
    votes = np.where(right, truth, 1 - truth).astype(float)
    votes[rng.random(votes.shape) > voted] = np.nan
    votes[0, np.isnan(votes).all(axis=0)] = 0.0
    return truth, votes


def errors(truth: Ints, shares: Floats) -> float:
    """The mean squared error of estimated shares."""
    return float(((shares - truth) ** 2).mean())


def gains(accuracy: Floats, runs: int = 40) -> Floats:
    """How much smaller the error is than that of plain shares, in simulated campaigns."""
    differences = []
    for seed in range(runs):
        truth, votes = world(seed, accuracy)
        modelled = dawid_skene(votes).probabilities[:, 1]
        # Plain shares are scored as decisions, too: a share of .6 is not meant as a probability.
        plain, decided = np.nanmean(votes, axis=0), modelled > 0.5
        wrong = ((plain > 0.5) != truth) * (plain != 0.5) + 0.5 * (plain == 0.5)
        differences.append(float(wrong.mean() - (decided != truth).mean()))
    return np.array(differences)


def interval(differences: Floats) -> tuple[float, float]:
    mean, error = differences.mean(), differences.std(ddof=1) / np.sqrt(len(differences))
    return float(mean - 2 * error), float(mean + 2 * error)


def test_planted_skill_is_found_again() -> None:
    estimates = np.mean(
        [dawid_skene(world(seed, UNEVEN, items=400)[1]).accuracy for seed in range(5)], axis=0
    )
    assert np.abs(estimates - UNEVEN).max() < 0.05


def test_uneven_annotators_are_weighed_better_than_by_plain_shares() -> None:
    low, _ = interval(gains(UNEVEN))
    assert low > 0.02  # fewer wrong items, as a share of all


def test_with_equal_annotators_it_is_level_with_plain_shares() -> None:
    low, high = interval(gains(EVEN))
    assert low > -0.01
    assert high < 0.02


def test_three_labels_and_their_tables() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=300)
    votes = np.array([truth, truth, rng.integers(3, size=300)], dtype=float)
    skill = dawid_skene(votes)
    assert (skill.probabilities.argmax(axis=1) == truth).mean() > 0.98
    assert skill.accuracy[2] < 0.45 < 0.9 < skill.accuracy[0]
    assert skill.tables.sum(axis=2) == pytest.approx(np.ones((3, 3)))
    assert skill.probabilities.sum(axis=1) == pytest.approx(np.ones(300))


def test_an_annotator_without_votes_on_a_label_is_taken_to_be_right_in_seven_of_ten() -> None:
    truth = [1, 0] * 10
    newcomer = [1, *[None] * 19]
    skill = dawid_skene([truth, truth, truth, newcomer])
    assert skill.tables[3, 0] == pytest.approx([0.7, 0.3], abs=1e-3)
    assert skill.tables[3, 1] == pytest.approx([0.2, 0.8], abs=1e-3)


def test_one_label_is_certain_and_nothing_is_refused() -> None:
    assert dawid_skene([[1, 1], [1, 1]]).probabilities.tolist() == [[1.0], [1.0]]
    with pytest.raises(ArgumentError, match="every item needs a vote"):
        dawid_skene([[1.0, np.nan]])


def test_votes_of_a_campaign_are_modelled_without_those_withdrawn() -> None:
    rows = [
        Judgment("c", "t", "i", target, "q", value, name)
        for name, value in (("ann", True), ("ben", True), ("cy", "cannot-judge"))
        for target in ("x", "y")
    ]
    annotators, targets, skill = skill_of(rows)
    assert (annotators, targets) == (["ann", "ben"], [("i", "x"), ("i", "y")])
    assert skill.labels == (1.0,)
