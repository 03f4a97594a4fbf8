"""Fleiss' kappa and ICC: the published examples, their relations to other measures, missing judgments."""

from __future__ import annotations

import numpy as np
import pytest

from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement import ICC, FleissKappa, rotating_kappa, with_interval

# Shrout and Fleiss (1979), Table 2: six targets by four judges; Table 4 has .17, .29 and .71.
SHROUT = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
).T
# The worked example of ten subjects and fourteen raters that is often given for Fleiss (1971): kappa = .210.
COUNTS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


@pytest.mark.parametrize(("form", "value"), [("1,1", 0.166), ("2,1", 0.290), ("3,1", 0.715)])
def test_the_example_of_shrout_and_fleiss(form: str, value: float) -> None:
    result = with_interval(ICC(form), SHROUT, samples=50)  # type: ignore[arg-type]
    assert result.name == f"ICC({form})"
    assert result.value == pytest.approx(value, abs=5e-4)
    assert (result.items, result.annotators, result.judgments) == (6, 4, 24)


def test_the_example_of_fleiss() -> None:
    values = np.array([np.repeat(np.arange(5), row) for row in COUNTS]).T
    result = with_interval(FleissKappa(), values, samples=50)
    assert result.value == pytest.approx(0.210, abs=5e-4)
    assert result.value == pytest.approx(rotating_kappa(values))


def test_icc_1_of_an_unbalanced_design_is_that_of_its_analysis_of_variance() -> None:
    nan = np.nan
    values = np.array([[1, 5, 3, 8, 2], [2, 4, nan, 9, nan], [nan, 6, 2, nan, 1.0]])
    groups = [column[~np.isnan(column)] for column in values.T]
    sizes = np.array([len(group) for group in groups])
    everything = np.concatenate(groups)
    between = sum(len(g) * (g.mean() - everything.mean()) ** 2 for g in groups) / 4
    error = sum(((g - g.mean()) ** 2).sum() for g in groups) / (len(everything) - 5)
    n0 = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / 4
    expected = (between - error) / (between + (n0 - 1) * error)
    assert with_interval(ICC(), values, samples=20).value == pytest.approx(expected)


def test_only_items_of_all_annotators_count_for_two_way_forms() -> None:
    with_gap = np.column_stack([SHROUT.astype(float), [5, np.nan, 3, 2]])
    result = with_interval(ICC("3,1"), with_gap, samples=20)
    assert (result.items, round(result.value or 0, 3)) == (6, 0.715)
    nobody = with_interval(ICC("2,1"), [[1, np.nan], [np.nan, 2]])
    assert (nobody.value, nobody.note) == (None, "no item was judged by all annotators")


def test_perfect_and_constant_judgments() -> None:
    assert with_interval(ICC(), [[1, 2, 3], [1, 2, 3]], samples=20).value == pytest.approx(1)
    assert with_interval(
        FleissKappa(), [["a", "b"], ["a", "b"]], samples=20
    ).value == pytest.approx(1)
    assert with_interval(FleissKappa(), [[1, 1], [1, 1]]).value is None
    assert with_interval(ICC(), [[4, 4], [4, 4]]).value is None
    with pytest.raises(ArgumentError, match="needs numbers"):
        ICC().units([["a", "b"], ["a", "b"]])
