"""Scatter plots of many points, shaded by density, with a regression line; the points are one picture inside the SVG, so thousands stay small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.pages.plots import _COLOURS, _grid

_CELLS = 40


def density_scatter(
    panels: Mapping[str, Sequence[tuple[float, float]]], across: str, up: str
) -> str:
    """One panel per set of points on common axes: darker where points are dense, with the least-squares line."""
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    with _grid(2.4 * columns + 0.4, 2.5 * rows + 0.3, rows, columns) as (grid, drawn):
        for axes, (name, points) in zip(grid, panels.items(), strict=False):
            x, y = np.array(points, dtype=np.float64).T
            shade = _density(x, y)
            order = np.argsort(shade, kind="stable")
            axes.scatter(
                x[order], y[order], s=7, linewidths=0, rasterized=True, color=_COLOURS[3],
                alpha=0.15 + 0.6 * shade[order],
            )  # fmt: skip
            if np.ptp(x) > 0:
                slope, height = np.polyfit(x, y, 1)
                ends = np.array([x.min(), x.max()])
                axes.plot(ends, height + slope * ends, color=_COLOURS[0], linewidth=1.5)
            axes.set_title(f"{name} (n = {len(points):,})", fontsize=9)
            axes.set_xlabel(across)
            axes.set_ylabel(up)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
    return drawn[0]


def _density(x: Floats, y: Floats) -> Floats:
    """How crowded the place of each point is, from 0 to 1: the root of the count of its cell in a grid."""
    counts, x_edges, y_edges = np.histogram2d(x, y, bins=_CELLS)
    row = np.clip(np.searchsorted(x_edges, x, side="right") - 1, 0, _CELLS - 1)
    column = np.clip(np.searchsorted(y_edges, y, side="right") - 1, 0, _CELLS - 1)
    crowd: Floats = np.sqrt(counts[row, column])
    return crowd / crowd.max()
