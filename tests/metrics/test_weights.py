"""Weights from grades, votes and ranks."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from newsdesk.errors import ArgumentError
from newsdesk.metrics.weights import How, Weighting, mean_grades, to_weights

GRADES = st.lists(st.floats(0, 50), min_size=1, max_size=9)
HOWS = st.sampled_from(["minmax", "max", "itemmax"])


def test_grades_of_one_to_five_become_quarters() -> None:
    assert to_weights([1, 2, 3, 4, 5], "minmax", 1, 5).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert to_weights([3, 4], low=1, high=5).tolist() == [0.5, 0.75]


def test_without_ends_the_values_give_them() -> None:
    assert to_weights([10, 30, 20]).tolist() == [0, 1, 0.5]
    assert to_weights([3, 5], low=1).tolist() == [0.5, 1]
    assert to_weights([1, 3], high=5).tolist() == [0, 0.5]


def test_max_divides_by_the_top_of_the_scale() -> None:
    assert to_weights([1, 4, 5], "max", high=5).tolist() == [0.2, 0.8, 1]
    assert to_weights([2, 8], "max").tolist() == [0.25, 1]


def test_itemmax_divides_by_the_best_of_the_item() -> None:
    weights = to_weights([2, 4, 1, 3], "itemmax", items=[7, 7, 2, 2])
    assert weights.tolist() == [0.5, 1, pytest.approx(1 / 3), 1]


def test_ranks_are_turned_around_first() -> None:
    ranks = [1, 2, 3, 4]
    assert to_weights(ranks, descending=False).tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert to_weights(ranks, "max", descending=False).tolist() == [1, 0.75, 0.5, 0.25]
    assert to_weights([1, 2], "max", 1, 4, descending=False).tolist() == [1, 0.75]
    by_item = to_weights([1, 4, 2, 3], "itemmax", items=[0, 0, 1, 1], descending=False)
    assert by_item.tolist() == pytest.approx([1, 1 / 4, 1, 2 / 3])


def test_values_that_cannot_be_told_apart_weigh_one() -> None:
    assert to_weights([3, 3]).tolist() == [1, 1]
    assert to_weights([0, 0], "max").tolist() == [1, 1]
    assert to_weights([0, 0, 0, 4], "itemmax", items=[0, 0, 1, 1]).tolist() == [1, 1, 0, 1]
    assert to_weights([3, 3], "minmax", 1, 5).tolist() == [0.5, 0.5]
    assert to_weights([0, 0], "max", high=5).tolist() == [0, 0]
    assert to_weights([2, 2], descending=False).tolist() == [1, 1]


def test_no_values_have_no_weights() -> None:
    assert to_weights([]).tolist() == []


@given(GRADES, HOWS, st.booleans(), st.data())
def test_weights_stay_in_the_unit_interval_and_keep_the_order(
    grades: list[float], how: How, descending: bool, data: st.DataObject
) -> None:
    items = data.draw(st.lists(st.integers(0, 2), min_size=len(grades), max_size=len(grades)))
    weights = to_weights(grades, how, items=items, descending=descending)
    assert ((weights >= 0) & (weights <= 1)).all()
    for a, first in enumerate(grades):
        for b, second in enumerate(grades):
            if (how != "itemmax" or items[a] == items[b]) and first >= second:
                one, other = (a, b) if descending else (b, a)
                assert weights[one] >= weights[other]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9))
def test_weights_equal_fractions(grades: list[int]) -> None:
    plain = [float(Fraction(grade - 1, 4)) for grade in grades]
    assert to_weights(grades, "minmax", 1, 5).tolist() == plain
    assert (
        to_weights([6 - grade for grade in grades], "minmax", 1, 5, descending=False).tolist()
        == plain
    )


def test_a_weighting_is_a_value_whose_signature_says_all() -> None:
    assert Weighting("minmax", 1, 5) == Weighting("minmax", 1.0, 5.0)
    assert Weighting().signature == "minmax"
    assert Weighting("minmax", 1, 5).signature == "minmax[1,5]"
    assert Weighting("minmax", 0.5).signature == "minmax[0.5,*]"
    assert Weighting("itemmax").signature == "itemmax"
    assert Weighting("max", 1, 4, descending=False).signature == "max[1,4]-low-is-best"
    assert Weighting("itemmax")([1, 2], [0, 0]).tolist() == [0.5, 1]
    settings = [
        Weighting(how, low, high, descending=descending)
        for how in ("minmax", "max", "itemmax")
        for low in (None, 0, 1)
        for high in (None, 4, 5)
        for descending in (True, False)
    ]
    assert len({each.signature for each in settings}) == len(settings)


def test_several_grades_of_a_reference_become_their_mean() -> None:
    assert mean_grades([5, 4, 1, 3], [1, 1, 0, 1]).tolist() == [1, 4]
    assert mean_grades([], np.array([], dtype=np.int64)).tolist() == []


def test_bad_arguments_are_named() -> None:
    with pytest.raises(
        ArgumentError, match=r"value 1 \(counted from 0\) is 6: the scale goes from 1 to 5"
    ):
        to_weights([5, 6], "minmax", 1, 5)
    with pytest.raises(ArgumentError, match=r"is 0\.5: the scale goes from 1"):
        to_weights([0.5], "max", low=1)
    with pytest.raises(ArgumentError, match="is -2: `max` needs values from 0 up"):
        to_weights([3, -2], "max")
    with pytest.raises(ArgumentError, match="`itemmax` needs a scale from 0 up, not -1"):
        Weighting("itemmax", low=-1)
    with pytest.raises(ArgumentError, match="is nan: a weight needs a finite number"):
        to_weights([1, math.nan])
    with pytest.raises(ArgumentError, match="low 5 is not below high 1"):
        to_weights([1], low=5, high=1)
    with pytest.raises(ArgumentError, match="an end of the scale is inf"):
        Weighting(high=math.inf)
    with pytest.raises(ArgumentError, match="how is 'softmax'"):
        to_weights([1], "softmax")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="`itemmax` needs `items`"):
        to_weights([1], "itemmax")
    with pytest.raises(ArgumentError, match=r"item numbers have shape \(2,\) for 1 values"):
        to_weights([1], "itemmax", items=[0, 1])
    with pytest.raises(ArgumentError, match="item numbers must be whole and count from 0"):
        to_weights([1], "itemmax", items=[-1])
    with pytest.raises(ArgumentError, match=r"shape \(1, 1\)"):
        to_weights([[1]])
    with pytest.raises(ArgumentError, match=r"reference 1 \(counted from 0\) has no grade"):
        mean_grades([5, 4], [0, 2])


@given(HOWS, st.none() | st.integers(0, 3), st.none() | st.floats(4, 9), st.booleans())
def test_the_short_form_of_a_weighting_reads_back(
    how: How, low: int | None, high: float | None, descending: bool
) -> None:
    weighting = Weighting(how, low, high, descending=descending)
    assert Weighting.parse(weighting.signature) == weighting


@pytest.mark.parametrize("text", ["", "mean", "minmax[1]", "minmax[1,5", "max[a,5]", "maxmin"])
def test_a_short_form_that_is_none_says_how_to_write_one(text: str) -> None:
    with pytest.raises(ArgumentError, match=r"minmax\[1,5\]"):
        Weighting.parse(text)
