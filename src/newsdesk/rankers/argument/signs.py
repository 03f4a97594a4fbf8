"""The columns of the ranker `argument` with the sign that each weight may have, and the labels that explain its effect.

A column whose weight may go either way would explain nothing to a reader and carries over badly to other comments, so every column has a sign
(`signs.txt`): fitting decides how much a column counts, never in which direction.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from newsdesk.packaged import table

NEIGHBOURS = ("nearest comment", "other comments", "three nearest", "title")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the ranker: its name, the sign of its weight, and labels of a positive and a negative effect; a rate has one label, of its presence."""

    name: str
    sign: int
    labels: tuple[str, ...]

    @property
    def is_rate(self) -> bool:
        """True if the column counts something that a comment may lack altogether."""
        return len(self.labels) == 1

    def label(self, effect: float) -> str:
        """What a reader is told of an effect of this column."""
        return self.labels[0] if self.is_rate or effect > 0 else self.labels[1]


@functools.cache
def columns() -> tuple[Column, ...]:
    """All columns, in the order of the weights."""
    rows = [[cell.strip() for cell in line.split("|")] for line in table("rankers", "signs.txt")]
    return tuple(
        Column(name, 1 if sign == "+" else -1, tuple(labels)) for name, sign, *labels in rows
    )
