"""Compare a returned file with the sheet that was sent: answers for the store, and every fault with its place.

A task is accepted as a whole or rejected. An empty task is not a fault but not done yet. Only here are letters un-blinded to targets. The
columns of tasks, texts and answers are needed; without the others (context, letters, revisions) a file is read all the same, since the number
of a row is a digest of all texts that were shown. A few hundred faults are listed and the rest counted.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeAlias

from newsdesk.campaigns.assign import letter
from newsdesk.campaigns.protocols import Answers
from newsdesk.campaigns.sheets.guidance import Refused, blank, parse, quoted
from newsdesk.campaigns.sheets.layout import (
    KEY,
    Line,
    Sheet,
    SheetColumn,
    SheetRow,
    column_number,
    columns,
    comparable,
    decode,
    fit,
    lines,
    parse_key,
    plain,
    readings,
    revision_tokens,
    seal,
    unguard,
)
from newsdesk.campaigns.sheets.read import Filled, ReturnedRow
from newsdesk.errors import DataError
from newsdesk.types import Value
from newsdesk.wording import plural

_Id: TypeAlias = tuple[str, int | None]  # the digest of a task, and the place in it

MAX_FAULTS = 200
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


@dataclass(frozen=True, slots=True)
class SheetFault:
    """A fault in a returned file: its place and the reason."""

    sheet: str
    row: int
    column: str
    reason: str

    def __str__(self) -> str:
        return f"{self.sheet}, row {self.row}, column {self.column}: {self.reason}"


@dataclass(frozen=True, slots=True)
class TaskAnswers:
    """The answers to one task, its first row, and the revisions of its cells, as far as they are known."""

    task: str
    answers: Answers
    row: int
    revisions: Mapping[tuple[str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Returned:
    """The content of a returned file: validly answered tasks, faults, and warnings."""

    campaign: str
    annotator: str
    answers: tuple[TaskAnswers, ...]
    faults: tuple[SheetFault, ...]
    warnings: tuple[SheetFault, ...] = ()


def sealed(filled: Filled, sheet: Sheet) -> bool:
    """Return True if a file has the seal of its campaign, annotator and rows.

    The rows are those of the file, or all of the sheet: an annotator may have deleted some.
    """
    cells = (row.cells[filled.key] for row in filled.rows if filled.key < len(row.cells))
    keys = (parse_key(unguard(cell.strip())) for cell in cells if isinstance(cell, str))
    seals = (seal(sheet, {key[0] for key in keys if key}), seal(sheet))
    return any(hmac.compare_digest(filled.seal.encode(), fitting.encode()) for fitting in seals)


def check(filled: Filled, sheet: Sheet, *, unkeyed: bool = False) -> Returned:
    """Validate a returned file against the sheet that was sent, and map letters to targets.

    `unkeyed`: rows may have the digests of earlier versions.

    Raises DataError if the file is another annotator's or another campaign's, or lacks a column.
    """
    if (filled.campaign, filled.annotator) != (sheet.campaign, sheet.annotator):
        raise DataError(
            f"made for annotator {filled.annotator!r} of campaign {filled.campaign!r}, not for {sheet.annotator!r} of {sheet.campaign!r}",
            file=filled.file,
        )
    return _Checker(filled, sheet, unkeyed=unkeyed).run()


class _Checker:
    """Compares one file with one sheet and collects the faults."""

    def __init__(self, filled: Filled, sheet: Sheet, *, unkeyed: bool) -> None:
        self._filled = filled
        self._faults: list[tuple[int, int, SheetFault]] = []  # row, column and fault, to be sorted
        self._warnings: list[SheetFault] = []
        self._count = 0  # of all faults, also those beyond MAX_FAULTS
        self._place = {KEY.name: filled.key}  # name of a column → its place in the file
        self._keys = [self._key(row) for row in filled.rows]
        sheets = [sheet, replace(sheet, key=None)] if unkeyed else [sheet]
        if sheet.protocol.kind == "rank":
            sheets += [replace(each, layout="guide") for each in sheets]
        # Of the forms that the file may have, the first in which a row is known.
        for candidate in sheets:
            self._sheet, self._lines = candidate, list(lines(candidate))
            known = {_id(line) for line in self._lines}
            if not known.isdisjoint(filter(None, self._keys)):
                break
        present = self._columns(known.intersection(filter(None, self._keys)))
        self._locked = [column for column in present if column.role in ("context", "text")]
        self._questions = [column for column in present if column.role == "answer"]
        self._revisions = next((column for column in present if column.role == "revision"), None)
        self._rows = self._matched(known)
        self._merged = list(self._merged_areas())

    def run(self) -> Returned:
        """Return all answered tasks in the order of the sheet, and the faults."""
        answered = []
        for _, group in groupby(self._lines, key=lambda line: line.number):
            expected = list(group)
            rows = {
                line.place: self._rows[_id(line)] for line in expected if _id(line) in self._rows
            }
            answers = self._task(expected, rows) if rows else None
            if answers is not None:
                first = min(row.number for row in rows.values())
                revisions = self._revisions_of(expected, rows)
                answered.append(TaskAnswers(expected[0].row.task.id, answers, first, revisions))
        for copy in self._filled.copies:
            reason = f"a second sheet of answers; only {self._filled.sheet!r} was read"
            self._add(0, 0, SheetFault(copy, 1, self._named(KEY), reason))
        by_place = sorted(self._faults, key=lambda entry: entry[:2])  # row, then column
        faults = [fault for _, _, fault in by_place]
        if (more := self._count - len(faults)) > 0:
            reason = f"{plural(more, 'further fault')} not listed"
            faults.append(SheetFault(self._filled.sheet, faults[-1].row, self._named(KEY), reason))
        return Returned(
            self._sheet.campaign,
            self._sheet.annotator,
            tuple(answered),
            tuple(faults),
            tuple(self._warnings[:MAX_FAULTS]),
        )

    def _key(self, row: ReturnedRow) -> _Id | None:
        cell = self._cell(row, KEY)
        return parse_key(unguard(cell.strip())) if isinstance(cell, str) else None

    def _matched(self, known: set[_Id]) -> dict[_Id, ReturnedRow]:
        """Return the file's rows by task digest and place; duplicates and unknown rows are faults."""
        row_of: dict[_Id, ReturnedRow] = {}
        for row, key in zip(self._filled.rows, self._keys, strict=True):
            cell = self._cell(row, KEY)
            if key in row_of:
                reason = f"repeats row {row_of[key].number}, which is the one that counts"
                self._fault(row, KEY, reason)
            elif key in known:
                row_of[key] = row
            elif not blank(cell):
                self._fault(row, KEY, f"{quoted(cell)} is not a task of this sheet")
            elif not all(blank(self._cell(row, question)) for question in self._questions):
                self._fault(row, KEY, "a row without a task number")
        return row_of

    def _columns(self, row_ids: set[_Id]) -> tuple[SheetColumn, ...]:
        """Return which columns of its rows the file has, and set their places in `self._place`.

        `row_ids` are the rows of the sheet that the file holds; the sheet may have more tasks by now. Raises DataError if a
        column of texts or answers is missing or there more than once; any other column of which that is true is left out.
        """
        task_numbers = dict.fromkeys(line.number for line in self._lines if _id(line) in row_ids)
        tasks = tuple(self._sheet.rows[number - 1] for number in task_numbers)
        names = self._filled.names
        present = []
        for column in columns(replace(self._sheet, rows=tasks)):
            times = names.count(column.name)
            if column.role in ("text", "answer") and times != 1:
                problem = "there twice" if times else "missing"
                raise DataError(f"the column {column.name!r} is {problem}", file=self._filled.file)
            if column.role != "task" and times == 1:
                self._place[column.name] = names.index(column.name)
                present.append(column)
        return tuple(present)

    def _task(
        self, expected: Sequence[Line], rows: Mapping[int | None, ReturnedRow]
    ) -> Answers | None:
        """Return the answers to a task; None if it was left empty or has a fault.

        `expected` are its lines in the sheet that was sent, `rows` those of the file, by place in the task.
        """
        before = self._count
        for line in expected:
            if line.place in rows:
                self._compare(line, rows[line.place])
        asked = list(self._asked(expected[0].row, rows))
        if all(blank(self._cell(row, column)) for row, column, _ in asked):
            return None
        for line in expected:
            if line.place not in rows:
                row = next(iter(rows.values()))
                self._fault(row, KEY, f"row {line.key} of the same task is missing")
        self._check_merged(rows)
        order = expected[0].row.order
        texts = {target.id: target.text for target in expected[0].row.task.targets}
        answers: dict[tuple[str, str], Value] = {}
        for row, column, place in asked:
            shown = texts[order[place]]
            value = parse(self._sheet.protocol, self._cell(row, column), len(order), shown)
            if isinstance(value, Refused):
                self._fault(row, column, value.reason)
            else:
                answers[order[place], column.source] = value
        form = self._sheet.protocol
        if self._count == before and form.kind == "best-worst":
            for fault in form.faults(order, answers):
                self._fault(asked[0][0], asked[0][1], fault)
        if self._count > before:
            return None
        if self._sheet.protocol.kind == "rank":
            self._compare_twins(expected[0].row, rows, answers)
        return answers

    def _asked(
        self, task: SheetRow, rows: Mapping[int | None, ReturnedRow]
    ) -> Iterator[tuple[ReturnedRow, SheetColumn, int]]:
        """Yield the answer cells, each with the place of its target."""
        for line_place, row in rows.items():
            for column in self._questions:
                place = column.place if line_place is None else line_place
                if place is not None and place < len(task.order):
                    yield row, column, place
                elif not blank(self._cell(row, column)):
                    self._fault(
                        row,
                        column,
                        f"there are only {plural(len(task.order), 'output')} in this row",
                    )

    def _revisions_of(
        self, expected: Sequence[Line], rows: Mapping[int | None, ReturnedRow]
    ) -> dict[tuple[str, str], int]:
        """Return the revisions that the cells of a task were written from, as far as the file knows them."""
        revisions: dict[tuple[str, str], int] = {}
        if self._revisions is None:
            return revisions
        for line in expected:
            row = rows.get(line.place)
            tokens = [] if row is None else revision_tokens(self._cell(row, self._revisions))
            keys = [key for column in self._questions if (key := line.cell_key(column))]
            if len(tokens) == len(keys):
                parsed = {key: line.parse_revision(token, key) for key, token in zip(keys, tokens, strict=True)}  # fmt: skip
                revisions |= {key: number for key, number in parsed.items() if number is not None}
        return revisions

    def _merged_areas(self) -> Iterator[tuple[str, range, SheetColumn]]:
        """Yield the merged areas that hold a text or an answer: the area, its rows, the first such column."""
        for area in self._filled.merged:
            start, end = (_CELL.fullmatch(corner) for corner in area.split(":"))
            if start is None or end is None:
                continue
            (first_column, first_row), (last_column, last_row) = start.groups(), end.groups()
            across = range(column_number(first_column), column_number(last_column) + 1)
            touched = [
                column
                for column in (*self._locked, *self._questions)
                if self._place[column.name] in across
            ]
            if touched:
                yield area, range(int(first_row), int(last_row) + 1), touched[0]

    def _check_merged(self, rows: Mapping[int | None, ReturnedRow]) -> None:
        """Add a fault for each area of merged cells, whose values but the first are lost."""
        for area, numbers, column in self._merged:
            row = next((row for row in rows.values() if row.number in numbers), None)
            if row is not None:
                reason = f"the cells {area} are merged, and only the first of them has a value; split them"
                self._fault(row, column, reason)

    def _compare(self, line: Line, row: ReturnedRow) -> None:
        """Add a fault for each locked cell whose text was changed.

        What programs do to a cell when they save it, and our own cuts and apostrophes, are no changes.
        """
        for column, text in zip(self._locked, line.texts(self._locked, None), strict=True):
            cell = self._cell(row, column)
            returned = "" if cell is None else str(cell)
            if comparable(returned) == comparable(text):
                continue
            # Encoding the cell as it was written is slow, so it is done only for cells that differ.
            key = unguard(str(self._cell(row, KEY)).strip())  # which the note of a cut text names
            # As a workbook has it, before and after Excel saved it, and as a CSV file has it.
            # Sheets of 0.1.0 have a ranking in one row and its sentences on lines.
            sent: set[str] = set()
            for separator in {line.separator, "\n"}:
                (shown,) = line.texts([column], separator)
                sent |= {*readings(fit(shown, key)), fit(shown, key, plain)}
            read = {returned}
            if self._filled.guarded:
                read |= {unguard(returned), decode(returned)}
            if set(map(comparable, read)).isdisjoint(map(comparable, sent)):
                reason = "the text was changed, so that nobody knows what was judged"
                self._fault(row, column, reason)

    def _compare_twins(
        self,
        task: SheetRow,
        rows: Mapping[int | None, ReturnedRow],
        answers: Mapping[tuple[str, str], Value],
    ) -> None:
        """Add a warning for each pair of identical outputs with unequal ranks."""
        for place, first in task.twins.items():
            for column in self._questions:
                # A ranking across has one row with a column for each place, all others a row for each.
                across = column.place is not None
                row = rows[None] if across else rows.get(place)
                if row is None or (across and column.place != place):
                    continue
                mine = answers.get((task.order[place], column.source))
                other = answers.get((task.order[first], column.source))
                if mine is not None and other is not None and mine != other:
                    letters = f"{letter(first)} and {letter(place)}"
                    reason = f"{letters} are the same text, but have the ranks {other} and {mine}"
                    cell = (self._filled.sheet, row.number, self._named(column))
                    self._warnings.append(SheetFault(*cell, reason))

    def _cell(self, row: ReturnedRow, column: SheetColumn) -> object:
        place = self._place[column.name]
        return row.cells[place] if place < len(row.cells) else None

    def _fault(self, row: ReturnedRow, column: SheetColumn, reason: str) -> None:
        fault = SheetFault(self._filled.sheet, row.number, self._named(column), reason)
        self._add(row.number, self._place[column.name], fault)

    def _add(self, row: int, place: int, fault: SheetFault) -> None:
        self._count += 1
        if len(self._faults) < MAX_FAULTS:
            self._faults.append((row, place, fault))

    def _named(self, column: SheetColumn) -> str:
        """Return a column's letter in a spreadsheet program, and its name."""
        return f"{letter(self._place[column.name])} ({column.name})"


def _id(line: Line) -> _Id:
    return line.digest, line.place
