"""Figures: the same values give the same bytes, and what is named stands in them as text."""

from __future__ import annotations

from newsdesk.pages.plots import heat_map, unit_curve

POINTS = [(0.2, 1.0), (0.6, 0.9), (1.0, 0.4)]


def test_a_curve_is_deterministic_and_names_its_axes_and_its_mark() -> None:
    draw = lambda: unit_curve(POINTS, "recall", "precision", mark=("at 0.9", 0.6, 0.9))  # noqa: E731
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
