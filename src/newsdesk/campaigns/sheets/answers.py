"""Parse a cell that an annotator filled in: a value of the protocol, or the reason why it is invalid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from newsdesk.campaigns.protocols import Protocol
from newsdesk.types import CANNOT_JUDGE, Value

_NUMBER = re.compile(r"[+-]?\d{1,9}(?:[.,]\d{1,9})?")
_ORDINAL = re.compile(r"\d{1,9}\.")  # "1.", as many write a rank
_YES = frozenset(("yes", "y", "x", "true", "1", "✓", "✔"))
_NO = frozenset(("no", "n", "false", "0"))


@dataclass(frozen=True, slots=True)
class Refused:
    """The reason why a cell is not a valid answer."""

    reason: str


def parse(protocol: Protocol, cell: object, targets: int) -> Value | Refused:
    """Parse a cell of an answered task; `targets` is the number of targets to rank."""
    if isinstance(cell, str) and "-".join(cell.casefold().split()) == CANNOT_JUDGE:
        return CANNOT_JUDGE
    if protocol.kind == "select":
        return _choice(cell)
    if blank(cell):
        return Refused("no answer here, though the task has others")
    if protocol.kind == "rank":
        return _rank(cell, targets)
    return _level(cell, protocol.values)


def written(value: Value | None) -> int | float | str | None:
    """Format an answer for its cell; `parse` reads it back."""
    return ("no", "yes")[value] if isinstance(value, bool) else value


def blank(cell: object) -> bool:
    """True if a cell is empty or has only white space."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def quoted(cell: object) -> str:
    """A cell for a fault message: quoted, on one line, shortened."""
    text = str(cell)
    return repr(text if len(text) <= 40 else f"{text[:39]}…")


def _choice(cell: object) -> bool | Refused:
    """Yes or no; an empty cell of a task that was answered is an explicit no."""
    text = _spelled(cell)
    if text in _YES:
        return True
    if text in _NO or blank(cell):
        return False
    return Refused(f"{quoted(cell)} is not yes or no")


def _rank(cell: object, targets: int) -> int | float | Refused:
    """Dense, competition and fractional ranks are all accepted as written."""
    text = _spelled(cell)
    if isinstance(cell, bool) or not _NUMBER.fullmatch(text):
        return Refused(f"{quoted(cell)} is not a number; a rank from 1 to {targets} is wanted")
    rank = float(text)
    if not 1 <= rank <= targets or rank * 2 != int(rank * 2):
        return Refused(f"{text} is not a rank from 1 to {targets}")
    return int(rank) if rank == int(rank) else rank


def _level(cell: object, values: Sequence[int | str]) -> int | str | Refused:
    text = _spelled(cell)
    level = next((value for value in values if _spelled(value) == text), None)
    options = ", ".join(str(each) for each in values)
    return Refused(f"{quoted(cell)} is not one of {options}") if level is None else level


def _spelled(cell: object) -> str:
    """Normalise a cell's spelling: 2, 2.0, "2", "2." and " 2,0 " are the same, and so are Yes and yes."""
    text = "" if cell is None else str(cell).strip().removeprefix("'")
    if isinstance(cell, str) and _ORDINAL.fullmatch(text):
        text = text[:-1]
    if isinstance(cell, bool) or not _NUMBER.fullmatch(text):
        return text.casefold()
    number = float(text.replace(",", "."))
    return str(int(number)) if number == int(number) else str(number)
