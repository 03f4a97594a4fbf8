"""A table as text, HTML, Markdown, LaTeX and CSV, and numbers as readers want them.

Numbers have three digits and one number of decimals per column (or per row), intervals and p-values one form. Only what people read is rounded: CSV keeps
every digit and has the ends of intervals in columns of their own.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

_MOST_PLACES = 6  # decimals
_LEAST_P = 0.001  # smaller ones are not told apart


def decimals(values: Iterable[float]) -> int:
    """Return how many decimals show three digits of the largest of these values.

    >>> [decimals([value]) for value in (0.3412, 1.0, 2.859, 23.45, 195.5, 0.0067)]
    [3, 3, 2, 1, 0, 5]
    """
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if largest == 0.0 or 0.1 <= largest <= 1.0:
        return 3  # a share or a correlation, up to 1 itself
    return min(max(2 - math.floor(math.log10(largest)), 0), _MOST_PLACES)


def number_text(value: float, places: int | None = None) -> str:
    """Return a number with a fixed number of decimals; without one, with three digits.

    >>> number_text(195.5), number_text(0.34125), number_text(-0.00001, 3)
    ('196', '0.341', '0.000')
    """
    places = decimals([value]) if places is None else places
    text = f"{value:,.{places}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text


def interval_text(value: float, low: float, high: float, places: int | None = None) -> str:
    """Return a number with the ends of its interval.

    >>> interval_text(0.34125, 0.3, 0.4)
    '0.341 [0.300, 0.400]'
    """
    places = decimals([value, low, high]) if places is None else places
    ends = f"[{number_text(low, places)}, {number_text(high, places)}]"
    return f"{number_text(value, places)} {ends}"


def p_text(p: float) -> str:
    """Return a p-value with its sign: `= 0.012`, or `< 0.001` where it is smaller.

    >>> p_text(0.0123), p_text(0.00002)
    ('= 0.012', '< 0.001')
    """
    return f"< {_LEAST_P}" if p < _LEAST_P else f"= {p:.3f}"


_LONG_BYTES = 60  # text that needs a minimal width; a Chinese character is three bytes, and wider
_SHORT_LETTERS = 12  # text that must not wrap
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


@dataclass(frozen=True, slots=True)
class Ranged:
    """A number with the ends of its interval, as one cell of a table."""

    value: float
    low: float
    high: float


class PValue(float):
    """A p-value as a cell: shown as `< 0.001` where it is smaller; CSV has every digit."""


Plain: TypeAlias = str | int | float | None
Cell: TypeAlias = Plain | Ranged


def ranged(value: float | None, ends: Sequence[float] | None) -> Cell:
    """Return a number with its interval where both are known, else what there is."""
    return value if value is None or not ends else Ranged(value, ends[0], ends[1])


def with_ends(value: float | None, ends: Sequence[float] | None, places: int = 4) -> str:
    """Return a number with the ends of its interval as text; a dash where it is not finite.

    >>> with_ends(0.5, (0.25, 0.75)), with_ends(0.49751, None, 3), with_ends(None, None)
    ('0.5000 [0.2500, 0.7500]', '0.498', '-')
    """
    if value is None or not math.isfinite(value):
        return "-"
    text = f"{value:.{places}f}"
    if not ends:
        return text
    low, high = ends
    return f"{text} [{low:.{places}f}, {high:.{places}f}]"


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table for the terminal: text to the left, numbers to the right, as wide as needed.

    >>> print(table(["system", "rouge-1"], [["centroid", 0.3412], ["lead", None]]))
    system    rouge-1
    centroid   0.3412
    lead            -
    """
    texts = [[_plain_text(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *texts, strict=True)]
    numeric = [
        any(isinstance(cell, int | float) for cell in column) for column in zip(*rows, strict=True)
    ] or [False] * len(header)  # without rows
    lines = []
    for row in (header, *texts):
        cells = [
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, numeric, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _plain_text(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, Ranged):
        return with_ends(cell.value, (cell.low, cell.high))
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


@dataclass(frozen=True, slots=True)
class Table:
    """A header, rows of cells and a caption; numbers are right-aligned, None is a dash.

    A column has one number of decimals, as its cells are values of one quantity; with `by_row` a row has.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    by_row: bool = False

    @classmethod
    def of(
        cls,
        header: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        caption: str = "",
        *,
        by_row: bool = False,
    ) -> Table:
        """Return a table from any sequences of header and rows."""
        return cls(tuple(header), tuple(map(tuple, rows)), caption, by_row)

    def html(self, *, exports: bool = False) -> str:
        """Return the table as HTML that scrolls sideways where it is too wide.

        With `exports` its other forms follow, folded.
        """
        numeric = self._numeric()
        head = "".join(
            f'<th class="number">{escape(name)}</th>' if flush else f"<th>{escape(name)}</th>"
            for name, flush in zip(self.header, numeric, strict=True)
        )
        body = "".join(
            f"<tr>{''.join(map(_html_cell, row, places))}</tr>"
            for row, places in zip(self.rows, self._places(), strict=True)
        )
        title = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        table = (
            f'<div class="wide" tabindex="0"><table>{title}<thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )
        return table + self._exports() if exports else table

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = ["| " + " | ".join(self.header) + " |"]
        lines.append("|" + "|".join("--:" if flush else "---" for flush in self._numeric()) + "|")
        for row in self._texts(lambda text: text.replace("|", "\\|").replace("\n", " ")):
            lines.append("| " + " | ".join(row) + " |")
        return "\n".join(lines)

    def latex(self) -> str:
        """Return the table in LaTeX, with the rules of booktabs."""
        columns = "".join("r" if flush else "l" for flush in self._numeric())
        rows = [[_latex(name) for name in self.header], *self._texts(_latex)]
        head, *body = (" & ".join(row) + r" \\" for row in rows)
        return "\n".join(
            [
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                head,
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
            ]
        )

    def csv(self) -> str:
        """Return the table as CSV with every digit; a column with intervals is followed by their ends."""
        has_ends = [any(isinstance(cell, Ranged) for cell in column) for column in self._columns()]
        has_ends = has_ends or [False] * len(self.header)  # without rows
        header: list[str] = []
        for name, with_interval in zip(self.header, has_ends, strict=True):
            header += [name, f"{name} low", f"{name} high"] if with_interval else [name]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(header)
        for row in self.rows:
            fields: list[object] = []
            for cell, with_interval in zip(row, has_ends, strict=True):
                if isinstance(cell, Ranged):
                    fields += [cell.value, cell.low, cell.high]
                else:
                    fields += [cell, None, None] if with_interval else [cell]
            writer.writerow(fields)
        return text.getvalue()

    def _columns(self) -> list[tuple[Cell, ...]]:
        return list(zip(*self.rows, strict=True))

    def _numeric(self) -> list[bool]:
        """Return for each column whether it holds numbers."""
        columns = [
            any(isinstance(cell, int | float | Ranged) for cell in column)
            for column in self._columns()
        ]
        return columns or [False] * len(self.header)

    def _places(self) -> list[list[int]]:
        """Return the number of decimals of each cell, row by row."""
        if self.by_row:
            return [[decimals(_numbers(row))] * len(row) for row in self.rows]
        return [[decimals(_numbers(column)) for column in self._columns()]] * len(self.rows)

    def _texts(self, quote: Callable[[str], str]) -> list[list[str]]:
        return [
            [quote(_text(cell, digits)) for cell, digits in zip(row, places, strict=True)]
            for row, places in zip(self.rows, self._places(), strict=True)
        ]

    def _exports(self) -> str:
        forms = (("Markdown", self.markdown()), ("LaTeX", self.latex()), ("CSV", self.csv()))
        blocks = "".join(
            f"<h4>{name}</h4><pre><code>{escape(text)}</code></pre>" for name, text in forms
        )
        return f'<details class="exports"><summary>Markdown, LaTeX, CSV</summary>{blocks}</details>'


def _numbers(column: Sequence[Cell]) -> list[float]:
    """Return the fractional numbers of cells, with the ends of intervals; whole ones have no decimals."""
    values: list[float] = []
    for cell in column:
        if isinstance(cell, Ranged):
            values += [cell.value, cell.low, cell.high]
        elif isinstance(cell, float):
            values.append(cell)
    return values


def _text(cell: Cell, places: int) -> str:
    """Return a cell as readers see it, a fractional number with so many decimals."""
    if cell is None:
        return "–"
    if isinstance(cell, Ranged):
        return interval_text(cell.value, cell.low, cell.high, places)
    if isinstance(cell, PValue):
        return p_text(cell).removeprefix("= ")
    if isinstance(cell, float):
        return number_text(cell, places)
    return f"{cell:,}" if isinstance(cell, int) else cell


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text).replace("\n", " ")


def _html_cell(cell: Cell, places: int) -> str:
    """Return a cell with the style class of its content; a number has so many decimals."""
    text = escape(_text(cell, places))
    if isinstance(cell, Ranged):
        value, _, ends = text.partition(" ")
        return f'<td class="number">{value} <span class="ends">{ends}</span></td>'
    if not isinstance(cell, str):
        return f'<td class="number">{text}</td>'
    # On a phone, long text needs a minimal width, and a date or a value with its interval must not wrap.
    if len(cell.encode("utf-8", "replace")) > _LONG_BYTES:
        return f'<td class="long">{text}</td>'
    if len(cell) <= _SHORT_LETTERS or cell.endswith("]"):
        return f'<td class="short">{text}</td>'
    return f"<td>{text}</td>"
