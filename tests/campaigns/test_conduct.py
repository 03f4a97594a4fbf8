"""Drift and straight lines of annotators, planted and found."""

from __future__ import annotations

import numpy as np
import pytest

from newsdesk.campaigns.conduct import conduct_of
from newsdesk.types import Judgment, Value


def graded(n: int, who: str, value: Value, at: str | None) -> Judgment:
    return Judgment("c", f"t{n}", f"i{n}", "x", "grade", value, who, at=at)


def campaign(drift: float, *, timed: bool = True) -> list[Judgment]:
    """Three people grade 60 texts, one of whom grows stricter or milder halfway."""
    rng = np.random.default_rng(1)
    rows = []
    for n, quality in enumerate(rng.normal(0, 1, 60).tolist()):
        at = f"2026-01-02T09:{n:02}:00Z" if timed else "2026-01-02T09:00:00Z"
        for who in ("ann", "ben", "cy"):
            shift = drift if who == "cy" and n >= 30 else 0.0
            rows.append(graded(n, who, round(3 + quality + shift + rng.normal(0, 0.3), 3), at))
    return rows


@pytest.mark.parametrize("drift", [-0.8, 0.8])
def test_who_grows_stricter_or_milder_drifts(drift: float) -> None:
    found = conduct_of(campaign(drift))
    assert found["cy"].drift == pytest.approx(drift, abs=0.25)
    low, high = found["cy"].drift_ci or (0.0, 0.0)
    assert low < drift < high and not low <= 0 <= high


def test_nobody_drifts_where_nothing_changes() -> None:
    ends = [each.drift_ci for each in conduct_of(campaign(0.0)).values()]
    assert all(each is not None and each[0] <= 0 <= each[1] for each in ends)


def test_answers_of_one_moment_have_no_order() -> None:
    assert {each.drift for each in conduct_of(campaign(0.8, timed=False)).values()} == {None}


def test_of_labels_the_drift_is_that_of_agreement() -> None:
    rows = [
        graded(n, who, "related" if who != "cy" or n < 30 else "unrelated", f"2026-01-02T09:{n:02}:00Z")
        for n in range(60)
        for who in ("ann", "ben", "cy")
    ]  # fmt: skip
    assert conduct_of(rows)["cy"].drift == -1


def test_straight_lines_are_tasks_of_three_answers_that_are_alike() -> None:
    rows = [
        Judgment("c", f"t{n}", f"i{n}", "x", question, 3 if n < 4 else place, "ann")
        for n in range(6)
        for place, question in enumerate(("informative", "fluent", "coherent"))
    ]
    [ann] = conduct_of(rows).values()
    assert (ann.straight, ann.lines) == (4, 6)
