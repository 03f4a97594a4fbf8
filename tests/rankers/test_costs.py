"""The choice of a cost: the paper's grid, and on from an end of it that is the best."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

import numpy as np
import pytest
from hypothesis import given, strategies as st

import newsdesk as nd
from newsdesk.arrays import Floats
from newsdesk.rankers.linear import LinearRanker
from newsdesk.rankers.solver import BEYOND, COSTS, Tried, search


def tried_with(measure: Callable[[float], float]) -> tuple[float, list[float]]:
    """The power of two that is chosen, and those that were tried, for figures by power."""

    def fit(cost: float, start: Floats | None) -> Tried:
        return Tried(cost, np.zeros(1), measure(math.log2(cost)))

    best, tried = search(fit)
    return math.log2(best.cost), [math.log2(each.cost) for each in tried]


def test_a_best_cost_inside_the_grid_ends_the_search() -> None:
    assert tried_with(lambda power: -abs(power + 6)) == (-6, list(range(-13, 1)))


@pytest.mark.parametrize(
    ("top", "first", "last"), [(-16, -17, 0), (-13, -14, 0), (3, -13, 4), (0, -13, 1)]
)
def test_at_an_end_of_the_grid_it_goes_on_until_the_figure_falls(
    top: int, first: int, last: int
) -> None:
    assert tried_with(lambda power: -abs(power - top)) == (top, list(range(first, last + 1)))


def test_the_search_can_be_kept_within_the_grid() -> None:
    tried: list[float] = []

    def fit(cost: float, start: Floats | None) -> Tried:
        tried.append(cost)
        return Tried(cost, np.zeros(1), -cost)

    best, _ = search(fit, beyond_grid=False)
    assert best.cost == min(tried) == 2.0**-13 and len(tried) == 14


@pytest.mark.parametrize("way", [-1, 1])
def test_it_does_not_go_on_for_ever(way: int) -> None:
    chosen, tried = tried_with(lambda power: way * power)
    assert chosen == (-13 - BEYOND if way < 0 else BEYOND)
    assert len(tried) == len(COSTS) + BEYOND


def test_of_equal_costs_the_smallest_of_the_grid_is_taken() -> None:
    assert tried_with(lambda power: 1.0) == (-13, list(range(-14, 1)))


@given(st.lists(st.integers(0, 3), min_size=len(COSTS), max_size=len(COSTS)))
def test_nothing_in_the_grid_is_better_than_what_is_chosen(values: list[int]) -> None:
    def measure(power: float) -> float:
        return values[int(power) + 13] if -13 <= power <= 0 else -1

    assert measure(tried_with(measure)[0]) == max(values)


def test_each_cost_starts_from_the_weights_of_its_neighbour() -> None:
    starts: dict[float, float | None] = {}

    def fit(cost: float, start: Floats | None) -> Tried:
        starts[math.log2(cost)] = None if start is None else math.log2(start[0])
        return Tried(cost, np.array([cost]), -cost)

    search(fit)
    assert starts.pop(-13) is None
    assert starts == {power: power - 1 if power > -13 else power + 1 for power in starts}


def test_a_ranker_names_the_cost_it_took_beyond_the_grid() -> None:
    # A dev set that says the opposite of what is learned: the less of it the better.
    def thread(name: str, scores: tuple[float, float]) -> nd.Thread:
        said = ("right right right wrong", "wrong wrong wrong right right")
        comments = tuple(
            nd.Comment(f"{name}-{place}", text, score=score)
            for place, (text, score) in enumerate(zip(said, scores, strict=True))
        )
        return nd.Thread(nd.Article(name, "", lang="en"), comments)

    learned = [thread(f"t{number}", (1.0, 0.0)) for number in range(50)]
    model = cast(LinearRanker, nd.ranker("ranksvm").fit(learned, [thread("dev", (0.0, 1.0))]))
    costs = [cost for cost, _ in model.dev_]
    assert min(costs) == 2.0**-14
    assert f"cost {model.cost_:g}" in model.summary
