"""Plain tables for the terminal: text to the left, numbers to the right, as wide as they need to be."""

from __future__ import annotations

from collections.abc import Sequence

Cell = str | int | float | None


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table with a header, as text.

    >>> print(table(["system", "rouge-1"], [["centroid", 0.3412], ["lead", None]]))
    system    rouge-1
    centroid   0.3412
    lead            -
    """
    texts = [[_text(cell) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(header, *texts, strict=True)]
    right = [
        any(isinstance(cell, int | float) for cell in column) for column in zip(*rows, strict=True)
    ] or [False] * len(header)
    lines = []
    for row in (header, *texts):
        cells = [
            cell.rjust(width) if flush else cell.ljust(width)
            for cell, width, flush in zip(row, widths, right, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def with_ends(value: float, ends: tuple[float, float]) -> str:
    """Return a number with the ends of its interval.

    >>> with_ends(0.5, (0.25, 0.75))
    '0.5000 [0.2500, 0.7500]'
    """
    return f"{value:.4f} [{ends[0]:.4f}, {ends[1]:.4f}]"


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)
