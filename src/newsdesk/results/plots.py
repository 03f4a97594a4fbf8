"""Figures as SVG: histograms, bars, values with intervals, lines, curves, scatter plots, heat maps. The output is deterministic.

All have one width. Text stays text, and colours are variables of the page's style sheet, so that a figure is readable on light, dark and
printed pages.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from newsdesk.registry import require

if TYPE_CHECKING:
    from collections.abc import Iterator

_INK = "#7d858d"
_DARK = "#1d2126"  # numbers on a coloured ground
_COLOURS = ("#8a1c1c", "#2a7f6f", "#a87508", "#3f6398")
# Colour → the variable of the style sheet that holds it; the colour itself is used where there is no style sheet.
_VARIABLES = {
    _INK: "--soft",
    _DARK: "--ink",
    **{colour: f"--mark{n}" for n, colour in enumerate(_COLOURS, 1)},
}
_WIDTH = 5.2  # inches, as all sizes here; narrow enough for letters that can be read on a phone
_DOTS_PER_INCH = 200  # of the parts of a figure that are pixels
_MOST_NUMBERS = 10  # rows of a heat map whose cells have room for numbers
_MOST_NAMED = 24  # rows that have room for a name each
_MOST_LETTERS = 28  # of a name beside a row; the middle of longer ones is left out
_MOST_KEYS = 8  # entries of the legend of stacked bars
_SHARE_PLACES = 2  # decimals in the cells of a heat map
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_DASHES = ("-", "--", ":")
_DOTS = ("o", "D", "s", "^")  # series differ in shape too, for readers who do not see colours
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "newsdesk",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "text.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@contextmanager
def _axes(width: float, height: float) -> Iterator[tuple[Any, list[str]]]:
    """Open a plain pair of axes; the list holds the SVG when the block has ended."""
    with _grid(width, height, 1, 1) as (grid, drawn):
        yield grid[0], drawn


@contextmanager
def _grid(
    width: float, height: float, rows: int, columns: int
) -> Iterator[tuple[list[Any], list[str]]]:
    """Open axes in rows and columns that share their scales, as a flat list by rows.

    The other list holds the SVG when the block has ended.
    """
    matplotlib = require("matplotlib", extra="report", what="drawing a picture")
    figures = require("matplotlib.figure", extra="report", what="drawing a picture")
    drawn: list[str] = []
    with matplotlib.rc_context(_STYLE):
        figure = figures.Figure(figsize=(width, height), layout="constrained")
        shared = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        yield list(shared.flat), drawn
        text = io.StringIO()
        figure.savefig(
            text,
            format="svg",
            transparent=True,
            dpi=_DOTS_PER_INCH,
            metadata={"Date": None, "Creator": None},
        )
    # Inline SVG has no XML declaration, and nobody reads the licence of a drawing's metadata.
    svg = _METADATA.sub("", text.getvalue()[text.getvalue().index("<svg") :])
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, f"var({variable}, {colour})")
    drawn.append(svg)


def _name_rows(axes: Any, names: Sequence[str], label: str) -> None:
    """Name the rows of a plot from the top down, and what is drawn across."""
    axes.set_yticks(range(len(names)), [short_name(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(label)


def _legend_above(axes: Any, columns: int) -> None:
    where = "outside upper left"
    axes.figure.legend(loc=where, ncols=columns, frameon=False, labelcolor=_INK, fontsize=8)


def histograms(samples: Mapping[str, Sequence[float]], bins: Sequence[float], label: str) -> str:
    """Return a histogram of several samples by name, side by side, as shares; `bins` are the edges."""
    with _axes(_WIDTH, 2.8) as (axes, drawn):
        axes.hist(
            list(samples.values()),
            bins=list(bins),
            weights=[[1 / max(len(values), 1)] * len(values) for values in samples.values()],
            label=list(samples),
            color=_COLOURS[: len(samples)],
            rwidth=0.85,
        )
        axes.set_xlabel(label)
        axes.set_ylabel("share")
        if len(samples) > 1:
            axes.legend(frameon=False, labelcolor=_INK)
    return drawn[0]


def intervals(rows: Sequence[tuple[str, float, float, float]], label: str) -> str:
    """Return a figure of rows (name, value, low, high): a dot for the value, a line for the interval."""
    with _axes(_WIDTH, 0.55 + (0.27 if len(rows) <= 12 else 0.19) * len(rows)) as (axes, drawn):
        for index, (_, value, low, high) in enumerate(rows):
            axes.plot([low, high], [index, index], color=_COLOURS[0], linewidth=1.5)
            axes.plot([value], [index], "o", color=_COLOURS[0], markersize=5)
        _name_rows(axes, [name for name, *_ in rows], label)
    return drawn[0]


def short_name(name: str, most: int = _MOST_LETTERS) -> str:
    """Return a name with its middle left out where it is long.

    >>> short_name("pnbert_out_bert_lstm_pn_rl.txt", 15)
    'pnbert_…_rl.txt'
    """
    if len(name) <= most:
        return name
    return f"{name[: most // 2]}…{name[-((most - 1) // 2) :]}"


def grouped_intervals(
    rows: Sequence[tuple[str, Sequence[tuple[float, float, float] | None]]],
    series: Sequence[str],
    label: str,
) -> str:
    """Draw several intervals per row (name, a (value, low, high) or None per series), a colour per series."""
    step = 0.34 / max(len(series) - 1, 1)
    with _axes(_WIDTH, 0.9 + (0.2 + 0.1 * len(series)) * len(rows)) as (axes, drawn):
        for index, name in enumerate(series):
            colour, dot = _COLOURS[index % len(_COLOURS)], _DOTS[index % len(_DOTS)]
            shift = step * (index - (len(series) - 1) / 2)
            placed = [(at + shift, points[index]) for at, (_, points) in enumerate(rows)]
            heights = [height for height, point in placed if point]
            points = [point for _, point in placed if point]
            axes.hlines(
                heights, [low for _, low, _ in points], [high for *_, high in points],
                color=colour, linewidth=1.5,
            )  # fmt: skip
            axes.plot(
                [value for value, *_ in points],
                heights,
                dot,
                color=colour,
                markersize=5,
                label=name,
            )
        low, high = axes.get_xlim()
        if low < 0 < high:
            axes.axvline(0, color=_INK, linewidth=0.8, linestyle=":")
        _name_rows(axes, [name for name, _ in rows], label)
        if len(series) > 1:
            _legend_above(axes, 4)
    return drawn[0]


def lines(
    series: Mapping[str, Sequence[tuple[float, float, float, float]]], across: str, up: str
) -> str:
    """Return one line per series of (x, value, low, high), intervals as bars.

    X values are spaced evenly, as categories.
    """
    places = sorted({x for points in series.values() for x, *_ in points})
    with _axes(_WIDTH, 3.2) as (axes, drawn):
        for index, (name, points) in enumerate(series.items()):
            x, value, low, high = (list(column) for column in zip(*points, strict=True))
            beside = 0.06 * (index - (len(series) - 1) / 2)  # offset, so that bars do not overlap
            x = [places.index(position) + beside for position in x]
            colour = _COLOURS[index % len(_COLOURS)]
            style = _DASHES[index // len(_COLOURS) % len(_DASHES)]
            axes.plot(x, value, style, color=colour, marker="o", markersize=4, label=name)
            axes.vlines(x, low, high, color=colour, linewidth=1, alpha=0.6)
        axes.set_xticks(range(len(places)), [f"{value:g}" for value in places])
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        if len(series) > 1:
            _legend_above(axes, 4)
    return drawn[0]


def unit_curve(
    points: Sequence[tuple[float, float]],
    across: str,
    up: str,
    *,
    mark: tuple[str, float, float] | None = None,
    bars: Sequence[tuple[float, float]] = (),
    diagonal: bool = False,
) -> str:
    """Return a line through points (x, y) from 0 to 1.

    `mark` is one place (name, x, y), `bars` are intervals (low, high) of the points, `diagonal` draws y = x.
    """
    x, y = [x for x, _ in points], [y for _, y in points]
    with _axes(_WIDTH, 3.6) as (axes, drawn):
        if diagonal:
            axes.plot([0, 1], [0, 1], ":", color=_INK, linewidth=1)
        if bars:
            low, high = zip(*bars, strict=True)
            axes.vlines(x, low, high, color=_COLOURS[0], linewidth=1, alpha=0.6)
        dots = "o" if len(points) <= 20 else None
        axes.plot(x, y, color=_COLOURS[0], linewidth=1.5, marker=dots, markersize=4)
        if mark is not None:
            name, mark_x, mark_y = mark
            axes.plot([mark_x], [mark_y], "D", color=_COLOURS[1], markersize=6, label=name)
            axes.legend(frameon=False, labelcolor=_INK, loc="lower left")
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04), xlabel=across, ylabel=up)
    return drawn[0]


def clouds(panels: Mapping[str, Sequence[tuple[float, float]]], across: str, up: str) -> str:
    """Draw one panel per set of points on common axes, with lines at its means."""
    columns = min(len(panels), 3)
    rows = math.ceil(len(panels) / columns)
    with _grid(_WIDTH, 2.2 * rows + 0.3, rows, columns) as (grid, drawn):
        for axes, (name, points) in zip(grid, panels.items(), strict=False):
            x, y = [x for x, _ in points], [y for _, y in points]
            axes.scatter(x, y, s=8, alpha=0.35, color=_COLOURS[0], linewidths=0)
            axes.axvline(sum(x) / len(x), color=_COLOURS[1], linewidth=1)
            axes.axhline(sum(y) / len(y), color=_COLOURS[1], linewidth=1)
            axes.set_title(f"{name} (n = {len(points):,})", fontsize=9)
            axes.set_xlabel(across)
            axes.set_ylabel(up)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
    return drawn[0]


def bars(rows: Sequence[tuple[str, float]], label: str) -> str:
    """Return one horizontal bar per row (name, value), in the order given."""
    with _axes(_WIDTH, 0.6 + 0.24 * len(rows)) as (axes, drawn):
        axes.barh(range(len(rows)), [value for _, value in rows], color=_COLOURS[3], height=0.7)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.invert_yaxis()
        axes.set_xlabel(label)
    return drawn[0]


def stacked(rows: Sequence[tuple[str, Sequence[float]]], parts: Sequence[str], label: str) -> str:
    """Draw a horizontal bar per row (name, a value per part), its parts side by side, with a legend.

    Of many parts the legend names the first, the one in the middle and the last.
    """
    ends = {0, (len(parts) - 1) // 2, len(parts) - 1}
    named = set(range(len(parts))) if len(parts) <= _MOST_KEYS else ends
    with _axes(_WIDTH, 0.9 + (0.3 if len(rows) <= 12 else 0.22) * len(rows)) as (axes, drawn):
        left = [0.0] * len(rows)
        for index, part in enumerate(parts):
            values = [row[index] for _, row in rows]
            shade = 0.95 - 0.75 * index / max(len(parts) - 1, 1)
            axes.barh(
                range(len(rows)),
                values,
                left=left,
                height=0.7,
                color=_COLOURS[3],
                alpha=shade,
                label=part if index in named else None,
            )
            left = [start + value for start, value in zip(left, values, strict=True)]
        _name_rows(axes, [name for name, _ in rows], label)
        _legend_above(axes, 8)
    return drawn[0]


def heat_map(names: Sequence[str], shares: Sequence[Sequence[float | None]], label: str) -> str:
    """Draw a square of shares, row against column, the stronger the further from one half; None is empty.

    Cells have numbers while there is room for them; then columns are numbered as the rows, and beyond two dozen names the cells are pixels of one image.
    """
    size = len(names)
    if size > _MOST_NAMED:
        return _heat_image(names, shares, label)
    roomy = size <= _MOST_NUMBERS
    with _axes(_WIDTH, 1.2 + (0.34 if roomy else 0.22) * size) as (axes, drawn):
        for row, cells in enumerate(shares):
            for column, share in enumerate(cells):
                if share is None:
                    continue
                axes.add_patch(_square((column - 0.5, row - 0.5), share))
                if roomy:
                    axes.text(
                        column,
                        row,
                        f"{share:.{_SHARE_PLACES}f}",
                        ha="center",
                        va="center",
                        fontsize=8,
                        color=_DARK,
                    )
        axes.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), xlabel=label)
        row_names = columns = [short_name(name) for name in names]
        if not roomy:  # columns are numbered, and rows have their number beside their name
            columns = [str(number) for number in range(1, size + 1)]
            row_names = [f"{name} {n}" for n, name in zip(columns, row_names, strict=True)]
        axes.set_yticks(range(size), row_names)
        turned = {"rotation": 30, "ha": "left"} if roomy and size > 3 else {}
        axes.set_xticks(range(size), columns, **turned)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
    return drawn[0]


def win_shares(
    wins: Sequence[Sequence[float]], ties: Sequence[Sequence[float]]
) -> list[list[float | None]]:
    """Return the share of wins of each row against each column, ties counted as half.

    None where two never met.

    >>> win_shares([[0, 3], [1, 0]], [[0, 0], [0, 0]])
    [[None, 0.75], [0.25, None]]
    """
    size = len(wins)
    shares: list[list[float | None]] = []
    for row in range(size):
        cells: list[float | None] = []
        for column in range(size):
            met = wins[row][column] + wins[column][row] + ties[row][column]
            won = wins[row][column] + 0.5 * ties[row][column]
            cells.append(won / met if met and row != column else None)
        shares.append(cells)
    return shares


def _heat_image(names: Sequence[str], shares: Sequence[Sequence[float | None]], label: str) -> str:
    """Draw the shares as pixels of one image, with a name for every few rows."""
    colors = require("matplotlib.colors", extra="report", what="drawing a picture")
    pixels = [
        [
            (0.0, 0.0, 0.0, 0.0) if share is None else colors.to_rgba(*_shade(share))
            for share in cells
        ]
        for cells in shares
    ]
    with _axes(_WIDTH, _WIDTH) as (axes, drawn):
        axes.imshow(pixels, interpolation="nearest", aspect="auto")
        step = math.ceil(len(names) / _MOST_NAMED)
        axes.set_yticks(range(0, len(names), step), names[::step])
        axes.set_xticks([])
        axes.set_xlabel(f"{label}; columns in the order of the rows")
    return drawn[0]


def _shade(share: float) -> tuple[str, float]:
    """Return the colour of a share and its opacity."""
    strength = min(2 * abs(share - 0.5), 1.0)
    return _COLOURS[1] if share >= 0.5 else _COLOURS[0], 0.06 + 0.6 * strength


def _square(corner: tuple[float, float], share: float) -> Any:
    patches = require("matplotlib.patches", extra="report", what="drawing a picture")
    colour, alpha = _shade(share)
    return patches.Rectangle(corner, 1, 1, facecolor=colour, alpha=alpha, edgecolor="none")
