"""Figures: the same values give the same bytes, and what is named stands in them as text."""

from __future__ import annotations

import re

from newsdesk.results.densities import density_scatter
from newsdesk.results.plots import grouped_intervals, heat_map, stacked, unit_curve

POINTS = [(0.2, 1.0), (0.6, 0.9), (1.0, 0.4)]


def test_a_curve_is_deterministic_and_names_its_axes_and_its_mark() -> None:
    def draw() -> str:
        return unit_curve(POINTS, "recall", "precision", mark=("at 0.9", 0.6, 0.9))

    svg = draw()
    assert svg == draw() and svg.startswith("<svg")
    for text in ("recall", "precision", "at 0.9"):
        assert f">{text}<" in svg


def test_bars_and_a_diagonal_are_drawn_only_where_they_are_asked_for() -> None:
    plain = unit_curve(POINTS, "x", "y")
    bars = unit_curve(POINTS, "x", "y", bars=[(0.8, 1.0), (0.7, 1.0), (0.1, 0.7)])
    both = unit_curve(POINTS, "x", "y", bars=[(0.8, 1.0), (0.7, 1.0), (0.1, 0.7)], diagonal=True)
    assert len(plain) < len(bars) < len(both)
    assert "stroke-dasharray" in both and "stroke-dasharray" not in bars


def test_a_heat_map_of_many_names_is_one_image() -> None:
    size = 60
    shares = [[None if row == column else 0.25 for column in range(size)] for row in range(size)]
    drawn = heat_map([f"s{n}" for n in range(size)], shares, "wins")
    assert drawn.count("<image") == 1
    assert ">0.25<" not in drawn
    assert len(drawn) < 60_000


def test_a_heat_map_whose_cells_have_no_room_for_numbers_numbers_its_columns() -> None:
    size = 14
    shares = [[None if row == column else 0.25 for column in range(size)] for row in range(size)]
    drawn = heat_map([f"system-{n}" for n in range(size)], shares, "wins")
    assert ">0.25<" not in drawn
    assert ">14<" in drawn and ">system-13 14<" in drawn


def test_the_legend_of_many_parts_names_the_first_the_middle_and_the_last() -> None:
    drawn = stacked([("a", [1.0] * 21)], [f"place {n}" for n in range(1, 22)], "rankings")
    assert re.findall(r">(place \d+)<", drawn) == ["place 1", "place 11", "place 21"]


def test_dots_are_darker_where_they_are_dense_and_have_a_regression_line() -> None:
    dense = [(1.0 + n / 1000, 2.0 + n / 1000) for n in range(300)]
    points = [*dense, (5.0, 5.0), (3.0, 1.0)]
    drawn = density_scatter({"meteor": points, "empty": []}, "people", "metric")
    assert drawn == density_scatter({"meteor": points, "empty": []}, "people", "metric")
    strengths = re.findall(r'<path d="([^"]*h0)" style="[^"]*stroke-opacity: ([.\d]+)"', drawn)
    assert sum(marks.count("h0") for marks, _ in strengths) == len(points)
    faint, *_, strong = strengths
    assert float(faint[1]) < float(strong[1]) and faint[0].count("h0") < strong[0].count("h0")
    assert 'id="line0"' in drawn and "var(--mark4" in drawn


def test_series_of_intervals_are_named_and_missing_ones_left_out() -> None:
    drawn = grouped_intervals(
        [("one", [(0.1, 0.0, 0.2), None]), ("two", [(0.3, 0.2, 0.4), (-0.1, -0.2, 0.0)])],
        ["within", "pooled"],
        "Spearman",
    )
    for text in ("one", "two", "within", "pooled", "Spearman"):
        assert f">{text}<" in drawn
