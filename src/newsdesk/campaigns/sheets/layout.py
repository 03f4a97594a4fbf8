"""The layout of an annotator's sheet, independent of the file format.

A ranking has one row per task: the context, the outputs A, B, … in the order of this annotator, then a rank for every question
and letter. All other kinds have one row per target, the targets of a task one below the other. The workbook names no target and no
system. The first column tells rows apart by a number for people and a digest of the campaign, the annotator, the task and the texts
in the order shown: a row of another annotator, of other texts or in another order is not recognised, and so is never un-blinded with
the wrong key.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Literal

from newsdesk.campaigns.assign import letter, same_as_shown
from newsdesk.campaigns.protocols import Answers, Protocol
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError
from newsdesk.text import sentences
from newsdesk.types import Value
from newsdesk.wording import plural

MOST_OUTPUTS = 26  # of a ranking: one letter each
URL = "url"
_DIGITS = 12
_KEY_CELL = re.compile(rf"(?P<number>\d+)(?:\.(?P<place>\d+))?-(?P<digest>[0-9a-f]{{{_DIGITS}}})")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A task, its target ids in the order this annotator sees them (the first is A), and the answers so far."""

    task: Task
    order: tuple[str, ...]
    answers: Answers = field(default_factory=dict)

    def __post_init__(self) -> None:
        if sorted(self.order) != sorted(target.id for target in self.task.targets):
            raise ArgumentError(f"task {self.task.id!r}: the order does not name its targets")

    @property
    def shown(self) -> tuple[Target, ...]:
        """The targets in the order shown."""
        targets = {target.id: target for target in self.task.targets}
        return tuple(targets[each] for each in self.order)

    @property
    def twins(self) -> dict[int, int]:
        """Map each place that repeats the text of an earlier place to the first such place."""
        same = same_as_shown(self.task, self.order)
        return {self.order.index(each): self.order.index(one) for each, one in same.items()}


@dataclass(frozen=True, slots=True)
class Sheet:
    """All tasks of one annotator; `annotator` is the pseudonym that the file shows."""

    campaign: str
    annotator: str
    protocol: Protocol
    rows: tuple[SheetRow, ...]

    def __post_init__(self) -> None:
        for name, value in (("campaign", self.campaign), ("annotator", self.annotator)):
            if not value.strip() or value != value.strip() or not value.isprintable():
                raise ArgumentError(f"the {name} {value!r} is not a name of one line")
        twice = [task for task, n in Counter(row.task.id for row in self.rows).items() if n > 1]
        if twice:
            raise ArgumentError(f"task {twice[0]!r} is twice in the sheet of {self.annotator!r}")
        for row in self.rows:
            if self.protocol.kind == "rank" and not 2 <= len(row.order) <= MOST_OUTPUTS:
                raise ArgumentError(
                    f"task {row.task.id!r} has {plural(len(row.order), 'output')}; a ranking takes 2 to {MOST_OUTPUTS}"
                )


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in the header, and the kind of its cells."""

    name: str
    role: Literal["task", "context", "text", "answer"]
    source: str = ""  # the label of a context, the name of a question
    place: int | None = None  # of the output in a ranking; in all others the row decides


KEY = Column("task", "task")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of cells: a whole task of a ranking (`place` is None), or one target of any other."""

    row: SheetRow
    number: int  # of the task in the sheet, from 1
    place: int | None
    digest: str

    @property
    def key(self) -> str:
        """The content of the first column, which identifies the row."""
        within = "" if self.place is None else f".{self.place + 1}"
        return f"{self.number}{within}-{self.digest}"

    def answer(self, column: Column) -> Value | None:
        """The answer in this column so far; None if there is none."""
        place = column.place if self.place is None else self.place
        if place is None or place >= len(self.row.order):
            return None
        return self.row.answers.get((self.row.order[place], column.source))

    def texts(self, columns: Sequence[Column], *, spread: bool) -> list[str]:
        """The cells of the columns of context and text; `spread` puts each sentence of a ranking on a line of its own."""
        shown, twins = self.row.shown, self.row.twins
        texts = []
        for column in columns:
            spreading = spread and self.place is None and column.source != URL
            if column.role == "context":
                parts = [text for label, text in self.row.task.context if label == column.source]
                texts.append(_joined([_spread(part) if spreading else part for part in parts]))
                continue
            place = column.place if self.place is None else self.place
            if place is None or place >= len(shown):
                texts.append("")
            elif self.place is None and place in twins:
                texts.append(f"same as {letter(twins[place])}")
            else:
                texts.append(_spread(shown[place].text) if spreading else shown[place].text)
        return texts


def _joined(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return "\n\n".join(f"{number}) {part}" for number, part in enumerate(parts, 1))


def _spread(text: str) -> str:
    """One sentence per line; only white space changes."""
    return "\n".join(each.replace("\r\n", " ").replace("\n", " ") for each in sentences(text))


def columns(sheet: Sheet) -> tuple[Column, ...]:
    """The columns of a sheet, from left to right, each with a name of its own."""
    sheet_columns = [KEY]
    labels = dict.fromkeys(label for row in sheet.rows for label, _ in row.task.context)
    sheet_columns += [Column(label, "context", label) for label in labels]
    questions = [question.name for question in sheet.protocol.questions]
    if sheet.protocol.kind == "rank":
        places = range(max((len(row.order) for row in sheet.rows), default=0))
        sheet_columns += [Column(letter(place), "text", place=place) for place in places]
        sheet_columns += [
            Column(f"{question} {letter(place)}", "answer", question, place)
            for question in questions
            for place in places
        ]
    else:
        sheet_columns.append(Column("text", "text"))
        sheet_columns += [Column(question, "answer", question) for question in questions]
    return tuple(_named_apart(sheet_columns))


def _named_apart(sheet_columns: Sequence[Column]) -> Iterator[Column]:
    taken: set[str] = set()
    for column in sheet_columns:
        plain = " ".join(column.name.split()) or "unnamed"
        others = (f"{plain} ({number})" for number in count(2))
        name = next(each for each in chain([plain], others) if each not in taken)
        taken.add(name)
        yield replace(column, name=name)


def lines(sheet: Sheet) -> Iterator[Line]:
    """The rows below the header, in order."""
    for number, row in enumerate(sheet.rows, 1):
        digest = _digest(sheet, row)
        if sheet.protocol.kind == "rank":
            yield Line(row, number, None, digest)
        else:
            yield from (Line(row, number, place, digest) for place in range(len(row.order)))


def _digest(sheet: Sheet, row: SheetRow) -> str:
    """A digest without target ids, with which anybody who knows the systems could try all orders."""
    texts = [target.text for target in row.shown]
    parts = [sheet.campaign, sheet.annotator, row.task.id, row.task.context, texts]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:_DIGITS]


def parse_key(cell: str) -> tuple[str, int | None] | None:
    """Parse the first cell of a row into digest and place; the number is for people and may have changed."""
    if not (match := _KEY_CELL.fullmatch(cell.strip())):
        return None
    return match["digest"], int(match["place"]) - 1 if match["place"] else None
