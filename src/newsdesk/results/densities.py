"""Scatter plots of many points, shaded by density, with a regression line.

Dots of one shade are one path, so that thousands stay small, sharp, and in the colours of the page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.results.plots import _COLOURS, _WIDTH, _grid

_CELLS = 40  # of the grid that dots are counted in, to either side
_SHADES = 5
_FAINTEST, _DARKEST = 0.18, 0.85  # opacity of dots
_POINTS_PER_INCH = 72  # the unit of an SVG that matplotlib writes
_DOT = 2.4  # diameter in points


def density_scatter(
    panels: Mapping[str, Sequence[tuple[float, float]]], across: str, up: str
) -> str:
    """Return the SVG of points in panels on common axes, darker where dense, with the regression line.

    `panels` are points by the title of their panel; `across` and `up` name the axes.
    """
    columns = min(len(panels), 3)
    rows = math.ceil(len(panels) / columns)
    points = [np.array(panel, dtype=np.float64).reshape(-1, 2) for panel in panels.values()]
    with _grid(_WIDTH, 2.3 * rows + 0.4, rows, columns) as (grid, drawn):
        for index, (axes, name) in enumerate(zip(grid, panels, strict=False)):
            axes.update_datalim(points[index])
            axes.plot(*_line(points[index]), color=_COLOURS[0], linewidth=1.5, gid=f"line{index}")
            axes.set_title(name, fontsize=9)
            axes.set_xlabel(across)
        for axes in grid[::columns]:
            axes.set_ylabel(up)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        figure = grid[0].figure
        figure.dpi = _POINTS_PER_INCH
        grid[0].autoscale_view()
        figure.draw_without_rendering()  # lays the panels out: only now is it known where a point lies
        dots = [_dots(axes, panel) for axes, panel in zip(grid, points, strict=False)]
    (svg,) = drawn
    for index, paths in enumerate(dots):
        line = f'<g id="line{index}">'
        svg = svg.replace(line, paths + line, 1)
    return svg


def _line(points: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the least-squares line; no line where x does not vary."""
    x, y = points.T
    if len(points) < 2 or np.ptp(x) == 0:
        return np.array([]), np.array([])
    slope, height = np.polyfit(x, y, 1)
    ends = np.array([x.min(), x.max()])
    return ends, height + slope * ends


def _dots(axes: Any, points: Floats) -> str:
    """Return the points as one SVG path per shade, faint ones first."""
    if not len(points):
        return ""
    _, height_inches = axes.figure.get_size_inches()
    height = height_inches * _POINTS_PER_INCH
    places = axes.transData.transform(points)
    shade = np.minimum((_density(points) * _SHADES).astype(np.int64), _SHADES - 1)
    paths = []
    for level in range(_SHADES):
        marks = "".join(f"M{x:.1f} {height - y:.1f}h0" for x, y in places[shade == level])
        strength = _FAINTEST + (_DARKEST - _FAINTEST) * level / (_SHADES - 1)
        if marks:
            paths.append(
                f'<path d="{marks}" style="fill: none; stroke: var(--mark4, {_COLOURS[3]}); stroke-width: {_DOT};'
                f' stroke-linecap: round; stroke-opacity: {strength:.2f}"/>'
            )
    return "".join(paths)


def _density(points: Floats) -> Floats:
    """Return how crowded each point's cell in a grid is, as the root of its count, from 0 to 1."""
    x, y = points.T
    counts, x_edges, y_edges = np.histogram2d(x, y, bins=_CELLS)
    row = np.clip(np.searchsorted(x_edges, x, side="right") - 1, 0, _CELLS - 1)
    column = np.clip(np.searchsorted(y_edges, y, side="right") - 1, 0, _CELLS - 1)
    crowd: Floats = np.sqrt(counts[row, column])
    return crowd / crowd.max()
