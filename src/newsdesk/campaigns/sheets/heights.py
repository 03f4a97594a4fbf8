"""Heights of rows and widths of columns, computed from the text.

LibreOffice shows a row without an explicit height as one line, and Excel computes heights only when a cell is edited. A row cannot exceed 409
points, so a column of long texts is made wider until they fit. Characters are counted in columns of a terminal: an ideograph takes two.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence

HIGHEST = 409.0  # points; Excel's limit
_LINE = 15.0  # points of a line of 11-point text
_MARGIN = 4.0
# Lines break between words, so that they hold fewer characters than the width.
_WASTE = 1.12


def units(text: str) -> int:
    """The width of a line of text in characters; wide characters count twice.

    >>> units("news"), units("新闻")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(1 + (unicodedata.east_asian_width(each) in "WF") for each in text)


def line_count(text: str, width: int) -> int:
    """How many lines a text takes in a column of this width."""
    lines = (math.ceil(units(each) * _WASTE / width) for each in text.split("\n"))
    return sum(max(1, line) for line in lines)


def height(cells: Iterable[tuple[str, int]]) -> float:
    """The height of a row in points, from the texts of its cells and the widths of their columns.

    >>> height([("short", 40), ("x" * 100, 40)])
    49.0
    """
    most = max((line_count(text, width) for text, width in cells if text), default=1)
    return min(HIGHEST, most * _LINE + _MARGIN)


def fitting_width(texts: Iterable[str], widths: Sequence[int]) -> int:
    """The smallest of these widths in which every text fits into a row, or the largest."""
    listed = [text for text in texts if text]
    for width in widths:
        if all(line_count(text, width) * _LINE + _MARGIN <= HIGHEST for text in listed):
            return width
    return widths[-1]


def points(width: int) -> float:
    """The width of a column in points, at most, from its width in characters.

    A character is as wide as a digit of the font that is there: 5.3 points of Calibri, 6.8 of what stands in for it on Linux.
    """
    return 7.0 * width + 5.0
