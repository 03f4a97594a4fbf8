"""Several measures resampled together: each to the last bit as it is alone."""

from __future__ import annotations

import numpy as np
import pytest

from newsdesk.arrays import Floats
from newsdesk.stats.bootstrap import intervals, paired_bootstraps, randomizations
from newsdesk.stats.significance import interval, paired_bootstrap, randomization

pytestmark = pytest.mark.usefixtures("both_ways")


def mean(rows: Floats) -> Floats:
    return rows[:, 0] / rows[:, -1]


def ratio_of_sums(rows: Floats) -> Floats:
    return np.asarray(rows[:, :-1].sum(axis=1) / rows[:, -1])


def tables(seed: int, items: int = 57) -> list[Floats]:
    """Values with a count of ones, counts that share a column with them, and a column that is the same throughout."""
    rng = np.random.default_rng(seed)
    values, ones = rng.random(items), np.ones(items)
    whole = rng.integers(0, 9, (items, 2)).astype(np.float64)
    return [
        np.column_stack([values, ones]),
        np.column_stack([values, whole, ones]),
        np.column_stack([np.full(items, 0.1), np.full(items, 3.0)]),
    ]


MEASURES = (mean, ratio_of_sums, mean)


def test_measures_together_have_the_intervals_that_each_has_alone() -> None:
    together = intervals(list(zip(tables(0), MEASURES, strict=True)), samples=300, seed=3)
    alone = [
        interval(rows, values, samples=300, seed=3)
        for rows, values in zip(tables(0), MEASURES, strict=True)
    ]
    assert together == alone
    assert together[0] != together[1]


def test_measures_together_have_the_tests_that_each_has_alone() -> None:
    measures = list(zip(tables(0), tables(1), MEASURES, strict=True))
    assert paired_bootstraps(measures, samples=300, seed=3) == [
        paired_bootstrap(*measure, samples=300, seed=3) for measure in measures
    ]
    assert randomizations(measures, samples=300, seed=3) == [
        randomization(*measure, samples=300, seed=3) for measure in measures
    ]


def test_no_measures_have_no_intervals_and_no_tests() -> None:
    assert not (intervals([]) or paired_bootstraps([]) or randomizations([]))
