"""The guidance sheet of a workbook: the protocol's form, and how to fill in the answers.

Parse a cell that an annotator filled in: a value of the protocol, or the reason why it is invalid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from newsdesk.campaigns.protocols import CHOICES, Kind, Protocol
from newsdesk.campaigns.sheets.layout import SENTENCE_MARK, URL, Sheet
from newsdesk.campaigns.spans import NOTHING, quotations, quoted_spans
from newsdesk.errors import DataError
from newsdesk.types import CANNOT_JUDGE, Value

_NUMBER = re.compile(r"[+-]?\d{1,9}(?:[.,]\d{1,9})?")
_ORDINAL = re.compile(r"\d{1,9}\.")  # "1.", as many write a rank
_YES = frozenset(("yes", "y", "x", "true", "1", "✓", "✔"))
_NO = frozenset(("no", "n", "false", "0"))


@dataclass(frozen=True, slots=True)
class Refused:
    """The reason why a cell is not a valid answer."""

    reason: str


def parse(protocol: Protocol, cell: object, targets: int, text: str = "") -> Value | Refused:
    """Parse a cell of a task that has answers; `targets` is the number of targets to rank.

    Ranks, levels, scores, passages of the `text`, and yes or no are returned as values, an invalid cell as Refused.
    """
    if isinstance(cell, str) and "-".join(cell.casefold().split()) == CANNOT_JUDGE:
        return CANNOT_JUDGE
    if protocol.kind == "select":
        return _choice(cell)
    if protocol.kind == "best-worst":
        return "neither" if blank(cell) else _level(cell, CHOICES)
    if blank(cell):
        return Refused("no answer here, though the task has others")
    if protocol.kind == "rank":
        return _rank(cell, targets)
    if protocol.kind == "slider":
        return _score(cell, *protocol.ends)
    if protocol.kind == "spans":
        return _passages(cell, text)
    return _level(cell, protocol.values)


def written(value: Value | None, text: str | None = None) -> int | float | str | None:
    """Format an answer for its cell; `parse` reads it back.

    With a `text` the answer lists passages, which are quoted from it.
    """
    if text is not None and isinstance(value, str) and value != CANNOT_JUDGE:
        return quotations(value, text)
    return ("no", "yes")[value] if isinstance(value, bool) else value


def blank(cell: object) -> bool:
    """Return True if a cell is empty or has only white space."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def quoted(cell: object) -> str:
    """Return a cell for a fault message: quoted, on one line, shortened."""
    text = str(cell)
    return repr(text if len(text) <= 40 else f"{text[:39]}…")


def _choice(cell: object) -> bool | Refused:
    """Parse yes or no; an empty cell of a task that was answered is an explicit no."""
    text = _spelled(cell)
    if text in _YES:
        return True
    if text in _NO or blank(cell):
        return False
    return Refused(f"{quoted(cell)} is not yes or no")


def _rank(cell: object, targets: int) -> int | float | Refused:
    """Parse a rank: dense, competition and fractional (.5) ranks are all accepted as written."""
    text = _spelled(cell)
    if isinstance(cell, bool) or not _NUMBER.fullmatch(text):
        return Refused(f"{quoted(cell)} is not a number; a rank from 1 to {targets} is wanted")
    rank = float(text)
    is_whole_or_half = (rank * 2).is_integer()
    if not 1 <= rank <= targets or not is_whole_or_half:
        return Refused(f"{text} is not a rank from 1 to {targets}")
    return int(rank) if rank.is_integer() else rank


def _score(cell: object, low: int, high: int) -> int | Refused:
    """Parse a whole number of a slider."""
    text = _spelled(cell)
    if isinstance(cell, bool) or not text.lstrip("+-").isdecimal() or not low <= int(text) <= high:
        return Refused(f"{quoted(cell)} is not a whole number from {low} to {high}")
    return int(text)


def _passages(cell: object, text: str) -> str | Refused:
    """Parse passages that are quoted from the text, each on a line of its own."""
    try:
        return quoted_spans(str(cell), text)
    except DataError as error:
        return Refused(error.reason)


def _level(cell: object, values: Sequence[int | str]) -> int | str | Refused:
    text = _spelled(cell)
    level = next((value for value in values if _spelled(value) == text), None)
    options = ", ".join(map(str, values))
    return Refused(f"{quoted(cell)} is not one of {options}") if level is None else level


def _spelled(cell: object) -> str:
    """Normalise a cell's spelling: 2, 2.0, "2", "2." and " 2,0 " are the same, and so are Yes and yes."""
    text = "" if cell is None else str(cell).strip().removeprefix("'")
    if isinstance(cell, str) and _ORDINAL.fullmatch(text):
        text = text[:-1]
    if isinstance(cell, bool) or not _NUMBER.fullmatch(text):
        return text.casefold()
    number = float(text.replace(",", "."))
    return str(int(number)) if number.is_integer() else str(number)


_ALL = (
    "Answer in the coloured cells of the sheet “Answers”. Everything else there is locked, so that every row still says what it said when it comes back.",
    f"Where you cannot judge, or want to take an answer back, choose “{CANNOT_JUDGE}”. An empty cell means that you have not answered yet.",
    "You may stop and go on as often as you like: a row without an answer is simply not done yet. Save the file under its own name and send it back.",
    "Do not merge cells. A row or a column of your own, for notes, does no harm.",
    "A text that ends in “[cut: …]” was longer than a cell can hold. Ask for the rest of it, by its number in the column “task”.",
)
_KINDS: dict[Kind, tuple[str, ...]] = {
    "rank": (
        "Every row is one text. Rows of one colour, with the same number before the point, are one task. The letters are dealt anew for every task and every annotator: A here and A there need not come from the same system.",
        "Choose a rank among the texts of the task for every row and every question: 1 is best, and equal ranks are allowed. A task counts when none of its ranks is missing.",
        "“Same as B” in place of a text means that it is B's text to the letter. Give both the same ranks; unequal ones count as they are, and whoever imports the sheet is told.",
    ),
    "scale": (
        "Every row is one text to judge. Rows of one colour, with the same number before the point, belong together and count when all of them are answered.",
    ),
    "select": (
        "Every row is one text. Rows of one colour, with the same number before the point, are one task. Choose yes for those that apply.",
        "Once you have chosen yes or no anywhere in a task, its empty cells count as no. Where nothing applies, choose no at least once: a task that is empty all through counts as not answered.",
    ),
    "label": ("Every row is one text. Choose the label that fits.",),
    "slider": (
        "Every row is one text. Write a whole number from the first to the last of the levels; the levels between are marks on the way.",
    ),
    "best-worst": (
        "Every row is one text. Rows of one colour, with the same number before the point, are one task. The letters are dealt anew for every task and every annotator.",
        "In every task choose “best” in one row and “worst” in another. The other rows stay empty, or say “neither”. A task that is empty all through counts as not answered.",
    ),
    "spans": (
        "Every row is one text, with a column for every kind of passage. Copy each passage from the text into the cell, to the letter, each on a line of its own (Alt and Enter begin a new line in Excel, Ctrl and Enter in LibreOffice).",
        f"Where nothing is to be marked, write “{NOTHING}”. A row counts when none of its cells is empty.",
        "Of a passage that stands there several times the first one is meant, and of a second line with the same words the next one.",
    ),
}
_GUIDE = (
    f"Every row is one task: the reference, and beside it the outputs A, B, … with “{SENTENCE_MARK}” between two sentences. The letters are dealt anew for every row and every annotator: A here and A there need not come from the same system.",
    "Then come the ranks, a column for every question and letter. Choose one for each: 1 is best, and equal ranks are allowed. A row counts when none of its ranks is missing.",
    _KINDS["rank"][-1],
)


@dataclass(frozen=True, slots=True)
class GuidanceRow:
    """A row of the guidance sheet: up to four cells, and their style."""

    look: Literal["title", "heading", "plain", "level"]
    cells: tuple[str | int, ...] = ()


def entries(sheet: Sheet) -> list[GuidanceRow]:
    """Return all rows of the guidance sheet, from the top."""
    form = sheet.protocol
    rows = [
        GuidanceRow("title", (form.title,)),
        GuidanceRow("plain", ("campaign", sheet.campaign)),
        GuidanceRow("plain", ("annotator", sheet.annotator)),
    ]
    rows += _section("What to do", _numbered(_fitting(sheet)))
    rows += _section("Questions", [(question.name, question.text) for question in form.questions])
    rows += _levels(form)
    rows += _section("Conditions", _numbered(form.conditions))
    rows += _section("Good examples", [("+", example) for example in form.good_examples])
    rows += _section("Bad examples", [("–", example) for example in form.bad_examples])
    filling_in = _GUIDE if sheet.layout == "guide" else _KINDS[form.kind]
    rows += _section("Filling in", _numbered((*filling_in, *_ALL)))
    return rows


def _fitting(sheet: Sheet) -> tuple[str, ...]:
    """Return the lines of the form's guidance that fit the sheet.

    A line that begins with "Link:" or "Article:" is left out where the sheet has none, and else loses
    that prefix.
    """
    has_links = any(label == URL for row in sheet.rows for label, _ in row.task.context)
    has = {"Link:": has_links, "Article:": any(row.article for row in sheet.rows)}
    lines = []
    for line in sheet.protocol.guidance:
        prefix = next((prefix for prefix in has if line.startswith(prefix)), "")
        if not prefix or has[prefix]:
            text = line.removeprefix(prefix).strip()
            lines.append(text[:1].upper() + text[1:])
    return tuple(lines)


def level_rows(rows: list[GuidanceRow]) -> tuple[int, int]:
    """Return the first and last row (from 1) of the levels, to which the drop-down lists refer."""
    places = [number for number, entry in enumerate(rows, 1) if entry.look == "level"]
    return places[0], places[-1]


def _section(heading: str, rows: Sequence[tuple[str | int, ...]]) -> Iterator[GuidanceRow]:
    if rows:
        yield GuidanceRow("plain")
        yield GuidanceRow("heading", (heading,))
        yield from (GuidanceRow("plain", row) for row in rows)


def _numbered(texts: tuple[str, ...]) -> list[tuple[str | int, ...]]:
    return [(number, text) for number, text in enumerate(texts, 1)]


def _levels(form: Protocol) -> Iterator[GuidanceRow]:
    if form.levels:
        yield GuidanceRow("plain")
        yield GuidanceRow("heading", ("Levels", "in brief", "in full", "for example"))
    for level in form.levels:
        examples = "\n".join(f"– {example}" for example in level.examples)
        yield GuidanceRow("level", (level.value, level.brief, level.full, examples))
    if form.levels:
        yield GuidanceRow(
            "level", (CANNOT_JUDGE, "No answer is possible, or you take yours back", "", "")
        )
