"""Choices between texts: what they imply, against an independent fit; preferences; standard scores of a campaign."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import pytest
from scipy import optimize

from newsdesk.campaigns.choices import (
    choice_counts,
    choice_strengths,
    implied_pairs,
    preferences,
    standardised,
)
from newsdesk.campaigns.protocols import protocol
from newsdesk.campaigns.report.evidence import results_of
from newsdesk.types import Judgment, Value

SYSTEMS = ("a", "b", "c", "d")


def judged(
    values: Mapping[str, Value], item: str = "i", annotator: str = "ann", task: str = ""
) -> list[Judgment]:
    """The answers of one annotator to one task."""
    name = task or item
    return [
        Judgment("c", name, item, target, "overall", value, annotator)
        for target, value in values.items()
    ]


def test_best_and_worst_imply_five_of_six_pairs() -> None:
    rows = judged({"a": "best", "b": "neither", "c": "neither", "d": "worst"})
    pairs = {(better, worse) for _, better, worse in implied_pairs(rows)}
    assert pairs == {("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")}
    counts = {row.target: (row.shown, row.best, row.worst) for row in choice_counts(rows)}
    assert counts == {"a": (1, 1, 0), "b": (1, 0, 0), "c": (1, 0, 0), "d": (1, 0, 1)}


def campaign(seed: int, ties: bool) -> list[Judgment]:
    """Choices, or preferences with ties, of annotators who see a noisy quality."""
    rng = np.random.default_rng(seed)
    rows: list[Judgment] = []
    for item in range(30):
        seen = np.array([0.9, 0.3, 0.0, -0.8]) + rng.normal(0, 1, 4)
        if not ties:
            order = np.argsort(-seen)
            values: dict[str, Value] = dict.fromkeys(SYSTEMS, "neither")
            values |= {SYSTEMS[order[0]]: "best", SYSTEMS[order[-1]]: "worst"}
            rows += judged(values, f"i{item}")
            continue
        for one, other in itertools.combinations(range(4), 2):
            apart = float(seen[one] - seen[other])
            ranks = (1, 1) if abs(apart) < 0.4 else (1, 2) if apart > 0 else (2, 1)
            pair = {SYSTEMS[one]: ranks[0], SYSTEMS[other]: ranks[1]}
            rows += judged(pair, f"i{item}", task=f"i{item}|{one}|{other}")
    return rows


def independent(pairs: list[tuple[int, int, float]]) -> np.ndarray:
    """Davidson's strengths by a general solver from the formula alone: (one, other, 1 won, 0 lost, .5 tied)."""

    def slopes(parameters: np.ndarray) -> np.ndarray:
        slope = -0.01 * parameters
        for one, other, outcome in pairs:
            half = (parameters[one] - parameters[other]) / 2
            weights = np.exp([half, -half, parameters[4]])
            won, lost, tied = (
                np.array([outcome == 1, outcome == 0, outcome == 0.5]) - weights / weights.sum()
            )
            slope[one] += (won - lost) / 2
            slope[other] -= (won - lost) / 2
            slope[4] += tied
        return slope

    found = optimize.root(slopes, np.zeros(5), tol=1e-12)
    assert found.success
    return np.asarray(found.x[:4])


@pytest.mark.parametrize("ties", [False, True], ids=["best-worst", "pairwise"])
def test_strengths_are_those_of_an_independent_fit(ties: bool) -> None:
    rows = campaign(3, ties)
    if ties:
        [standing] = results_of(protocol("pairwise"), rows, 0).questions or ()
        ours = {each.system: each.strength for each in standing.systems}
        pairs = []
        for _, group in itertools.groupby(rows, key=lambda row: row.task):
            one, other = group
            outcome = 0.5 if one.value == other.value else float(one.value < other.value)  # type: ignore[operator]
            pairs.append((SYSTEMS.index(one.target), SYSTEMS.index(other.target), outcome))
    else:
        fitted = choice_strengths(rows, SYSTEMS)
        ours = dict(zip(SYSTEMS, fitted.values, strict=True))
        pairs = [(SYSTEMS.index(one), SYSTEMS.index(other), 1.0) for _, one, other in implied_pairs(rows)]  # fmt: skip
    expected = independent(pairs)
    assert [ours[name] for name in SYSTEMS] == pytest.approx(expected.tolist(), abs=1e-6)


def test_a_preference_is_the_better_text_or_a_tie() -> None:
    rows = [*judged({"a": 1, "b": 2}, "i"), *judged({"a": 1, "b": 1}, "j"), *judged({"a": 1}, "k")]
    assert [(row.target, row.value) for row in preferences(rows)] == [
        ("i", "better: a"),
        ("j", "tie"),
    ]


def test_several_preferences_of_one_item_are_told_apart() -> None:
    rows = [
        *judged({"a": 1, "b": 2}, "i", task="i|a|b"),
        *judged({"a": 2, "c": 1}, "i", task="i|a|c"),
    ]
    [standing] = results_of(protocol("pairwise"), rows, 0).questions or ()
    assert {each.system: (each.wins, each.losses) for each in standing.systems} == {
        "a": (1, 1),
        "b": (0, 1),
        "c": (1, 0),
    }


def test_scores_are_standardised_by_question_and_annotator() -> None:
    rows = [
        *(Judgment("c", f"t{n}", f"i{n}", "x", "score", value, "ann") for n, value in enumerate((10, 20, 30))),
        *(Judgment("c", f"t{n}", f"i{n}", "x", "score", 50, "ben") for n in range(3)),
    ]  # fmt: skip
    assert [(row.annotator, row.value) for row in standardised(rows)] == [
        ("ann", -1.0),
        ("ann", 0.0),
        ("ann", 1.0),
    ]
