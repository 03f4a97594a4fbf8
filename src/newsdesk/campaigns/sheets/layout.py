"""The layout of an annotator's sheet, independent of the file format.

Every target has a row of its own, the targets of a task one below the other in the order of this annotator: the context, the text, and
beside it a cell for every question. In rankings a letter (A, B, …) stands before each output. newsdesk 0.1.0 wrote a ranking across, in one row per
task (A, B, …, then `overall A`, `overall B`, …); such sheets are still read. The workbook names no target and no
system. The first column tells rows apart by a number for people and a digest of the campaign, the annotator, the task and the texts
in the order shown: a row of another annotator, of other texts or in another order is not recognised, and so is never un-blinded with
the wrong key. The last column, which spreadsheet programs hide, has the revisions that the cells of the row were written from, so that an
old sheet never overwrites a newer answer; who deletes it only makes the importer ask more often.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Literal

from newsdesk.campaigns.assign import letter, same_as_shown
from newsdesk.campaigns.protocols import Answers, Protocol
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError
from newsdesk.text import sentences
from newsdesk.text.normalize import lined
from newsdesk.types import Value
from newsdesk.wording import plural

MOST_OUTPUTS = 26  # of a ranking: one letter each
URL = "url"
_DIGITS = 12
_KEY_CELL = re.compile(rf"(?P<number>\d+)(?:\.(?P<place>\d+))?-(?P<digest>[0-9a-f]{{{_DIGITS}}})")
_REVISION_CELL = re.compile(r"r\d{1,18}(?:-\d{1,18})*")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A task, its target ids as this annotator sees them (the first is A), and the answers so far."""

    task: Task
    order: tuple[str, ...]
    answers: Answers = field(default_factory=dict)
    revisions: Mapping[tuple[str, str], int] = field(default_factory=dict)
    article: str = ""  # the text of the article, to read beside the task

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
class SheetColumn:
    """A column: its name in the header, and the kind of its cells."""

    name: str
    role: Literal["task", "context", "letter", "text", "answer", "article", "revision"]
    source: str = ""  # the label of a context, the name of a question
    place: int | None = None  # of the output in a ranking across; in all others the row decides


KEY = SheetColumn("task", "task")
LETTER = SheetColumn("output", "letter")
ARTICLE = SheetColumn("article", "article")
REVISION = SheetColumn("revision", "revision")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of cells: one target, or a whole task of a ranking across (`place` is None)."""

    row: SheetRow
    number: int  # of the task in the sheet, from 1
    place: int | None
    digest: str
    ranked: bool

    @property
    def key(self) -> str:
        """The content of the first column, which identifies the row."""
        within = "" if self.place is None else f".{self.place + 1}"
        return f"{self.number}{within}-{self.digest}"

    def answer(self, column: SheetColumn) -> Value | None:
        """Return the answer in this column so far; None if there is none."""
        key = self.cell_key(column)
        return None if key is None else self.row.answers.get(key)

    def revision(self, columns: Sequence[SheetColumn]) -> str:
        """Return the revisions of the row's answer cells, in the order of the columns.

        0 for a cell that was written empty.

        Written as `r0-17-18`, which no program takes for a number or a date.
        """
        keys = (self.cell_key(column) for column in columns if column.role == "answer")
        return "r" + "-".join(
            str(self.row.revisions.get(key, 0)) for key in keys if key is not None
        )

    def cell_key(self, column: SheetColumn) -> tuple[str, str] | None:
        """Target and question of an answer cell; None for a cell beyond the outputs of this row."""
        place = column.place if self.place is None else self.place
        if place is None or place >= len(self.row.order):
            return None
        return self.row.order[place], column.source

    def texts(self, columns: Sequence[SheetColumn], *, spread: bool) -> list[str]:
        """Return the cells of the columns of context and text.

        `spread` puts each sentence of a ranking on a line of its own.
        """
        shown = self.row.shown
        texts = []
        for column in columns:
            shape = _shape(column, spread=spread, ranked=self.ranked)
            if column.role == "context":
                parts = [text for label, text in self.row.task.context if label == column.source]
                texts.append(_joined(list(map(shape, parts))))
                continue
            place = column.place if self.place is None else self.place
            if place is None or place >= len(shown):
                texts.append("")
            elif column.role == "letter":
                texts.append(letter(place))
            elif self.ranked and (first := _first_alike(shown, place)) < place:
                texts.append(f"same as {letter(first)}")
            else:
                texts.append(shape(shown[place].text))
        return texts


def _shape(column: SheetColumn, *, spread: bool, ranked: bool) -> Callable[[str], str]:
    """Return how a text is laid out in the cells of a column."""
    if not spread or column.source == URL:
        return str
    return _spread if ranked else lined


def _first_alike(shown: Sequence[Target], place: int) -> int:
    """Return the first place with the same text; the place itself if there is none before it."""
    text = shown[place].text
    return next(number for number, target in enumerate(shown) if target.text == text)


def _joined(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return "\n\n".join(f"{number}) {part}" for number, part in enumerate(parts, 1))


def _spread(text: str) -> str:
    """Return one sentence per line.

    What the text itself separates by line breaks or `</s>`, else what the sentence splitter finds.
    """
    text = lined(text)
    if "\n" in text.strip():
        return "\n".join(part.strip() for part in text.splitlines() if part.strip())
    return "\n".join(sentences(text))


def columns(sheet: Sheet, *, across: bool = False) -> tuple[SheetColumn, ...]:
    """Return the columns of a sheet, from left to right, each with a name of its own.

    `across` for rankings of 0.1.0.
    """
    labels = dict.fromkeys(label for row in sheet.rows for label, _ in row.task.context)
    context = [SheetColumn(label, "context", label) for label in labels]
    questions = [question.name for question in sheet.protocol.questions]
    if across:
        places = range(max((len(row.order) for row in sheet.rows), default=0))
        outputs = [SheetColumn(letter(place), "text", place=place) for place in places]
        ranks = [
            SheetColumn(f"{question} {letter(place)}", "answer", question, place)
            for question in questions
            for place in places
        ]
        return tuple(_named_apart([KEY, *context, *outputs, *ranks]))
    ranked = sheet.protocol.kind == "rank"
    read = [column for column in context if column.source != URL]
    looked_up = [column for column in context if column.source == URL]
    looked_up += [ARTICLE] if any(row.article for row in sheet.rows) else []
    answers = [SheetColumn(question, "answer", question) for question in questions]
    shown = [KEY, *read, *([LETTER] if ranked else []), SheetColumn("text", "text"), *answers]
    return tuple(_named_apart([*shown, *looked_up, REVISION]))


def _named_apart(sheet_columns: Sequence[SheetColumn]) -> Iterator[SheetColumn]:
    taken: set[str] = set()
    for column in sheet_columns:
        plain = " ".join(column.name.split()) or "unnamed"
        others = (f"{plain} ({number})" for number in count(2))
        name = next(each for each in chain([plain], others) if each not in taken)
        taken.add(name)
        yield replace(column, name=name)


def lines(sheet: Sheet, *, across: bool = False) -> Iterator[Line]:
    """Yield the rows below the header, in order; `across` for rankings of 0.1.0, a row each."""
    ranked = sheet.protocol.kind == "rank"
    for number, row in enumerate(sheet.rows, 1):
        digest = _digest(sheet, row)
        places: Sequence[int | None] = [None] if across else range(len(row.order))
        yield from (Line(row, number, place, digest, ranked) for place in places)


def _digest(sheet: Sheet, row: SheetRow) -> str:
    """Return a digest without target ids, with which anybody who knows the systems could try all orders."""
    texts = [target.text for target in row.shown]
    parts = [sheet.campaign, sheet.annotator, row.task.id, row.task.context, texts]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:_DIGITS]


def parse_revision(cell: object) -> tuple[int, ...] | None:
    """Parse a cell of revisions; None for anything else."""
    if not isinstance(cell, str) or not _REVISION_CELL.fullmatch(cell.strip()):
        return None
    return tuple(int(each) for each in cell.strip()[1:].split("-"))


def parse_key(cell: str) -> tuple[str, int | None] | None:
    """Parse the first cell of a row into digest and place; the number is for people and may have changed."""
    if not (match := _KEY_CELL.fullmatch(cell.strip())):
        return None
    return match["digest"], int(match["place"]) - 1 if match["place"] else None
