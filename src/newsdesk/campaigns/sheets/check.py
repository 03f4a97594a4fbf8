"""Compare a returned file with the sheet that was sent: answers for the store, and every fault with its place.

A task is accepted as a whole or rejected. An empty task is not a fault but not done yet. Only here are letters un-blinded to targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from newsdesk.campaigns.assign import letter
from newsdesk.campaigns.protocols import Answers
from newsdesk.campaigns.sheets.answers import Refused, blank, parse, quoted
from newsdesk.campaigns.sheets.cells import comparable, decode, fit, readings
from newsdesk.campaigns.sheets.layout import (
    KEY,
    Column,
    Line,
    Sheet,
    SheetRow,
    columns,
    lines,
    parse_key,
)
from newsdesk.campaigns.sheets.read import Filled, Row
from newsdesk.errors import DataError
from newsdesk.types import Value
from newsdesk.wording import plural

_Id: TypeAlias = tuple[str, int | None]  # the digest of a task, and the place in it


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a returned file: its place and the reason."""

    sheet: str
    row: int
    column: str
    reason: str

    def __str__(self) -> str:
        return f"{self.sheet}, row {self.row}, column {self.column}: {self.reason}"


@dataclass(frozen=True, slots=True)
class TaskAnswers:
    """The complete answers to one task, and the number of its first row."""

    task: str
    answers: Answers
    row: int


@dataclass(frozen=True, slots=True)
class Returned:
    """The content of a returned file: the validly answered tasks, and every fault."""

    campaign: str
    annotator: str
    answers: tuple[TaskAnswers, ...]
    faults: tuple[Fault, ...]


def check(filled: Filled, sheet: Sheet) -> Returned:
    """Validate a returned file against the sheet that was sent, and map letters to targets.

    Raises DataError if the file is another annotator's or another campaign's, or lacks a column.
    """
    theirs, ours = (filled.campaign, filled.annotator), (sheet.campaign, sheet.annotator)
    if theirs != ours:
        raise DataError(
            f"made for annotator {theirs[1]!r} of campaign {theirs[0]!r}, not for {ours[1]!r} of {ours[0]!r}",
            file=filled.file,
        )
    return _Checker(filled, sheet).run()


class _Checker:
    """Compares one file with one sheet and collects the faults."""

    def __init__(self, filled: Filled, sheet: Sheet) -> None:
        self._filled = filled
        self._sheet = sheet
        self._faults: list[tuple[int, int, Fault]] = []
        self._lines = list(lines(sheet))
        self._place = {KEY.name: 0}
        self._rows = self._matched()
        needed = self._columns()
        self._locked = [each for each in needed if each.role in ("context", "text")]
        self._questions = [each for each in needed if each.role == "answer"]

    def run(self) -> Returned:
        """All answered tasks in the order of the sheet, and the faults."""
        answered = []
        for _, group in groupby(self._lines, key=lambda line: line.number):
            expected = list(group)
            rows = {
                line.place: self._rows[_id(line)] for line in expected if _id(line) in self._rows
            }
            answers = self._task(expected, rows) if rows else None
            if answers is not None:
                first = min(row.number for row in rows.values())
                answered.append(TaskAnswers(expected[0].row.task.id, answers, first))
        for copy in self._filled.copies:
            reason = f"a second sheet of answers; only {self._filled.sheet!r} was read"
            self._faults.append((0, 0, Fault(copy, 1, self._named(KEY), reason)))
        faults = tuple(fault for _, _, fault in sorted(self._faults, key=lambda each: each[:2]))
        return Returned(self._sheet.campaign, self._sheet.annotator, tuple(answered), faults)

    def _matched(self) -> dict[_Id, Row]:
        """The file's rows by task digest and place; duplicates and unknown rows are faults."""
        known = {_id(line) for line in self._lines}
        row_of: dict[_Id, Row] = {}
        for row in self._filled.rows:
            cell = self._cell(row, KEY)
            key = parse_key(cell) if isinstance(cell, str) else None
            if key in row_of:
                reason = f"repeats row {row_of[key].number}, which is the one that counts"
                self._fault(row, KEY, reason)
            elif key in known:
                row_of[key] = row
            elif not blank(cell):
                self._fault(row, KEY, f"{quoted(cell)} is not a task of this sheet")
            elif not all(blank(each) for each in row.cells):
                self._fault(row, KEY, "a row without a task number")
        return row_of

    def _columns(self) -> tuple[Column, ...]:
        """The columns that the file's rows need; the sheet may have more tasks now than when it was sent."""
        sent = dict.fromkeys(line.number for line in self._lines if _id(line) in self._rows)
        rows = tuple(self._sheet.rows[number - 1] for number in sent)
        needed = columns(replace(self._sheet, rows=rows))
        names = self._filled.names
        for column in needed:
            if names.count(column.name) != 1:
                problem = "there twice" if column.name in names else "missing"
                raise DataError(f"the column {column.name!r} is {problem}", file=self._filled.file)
        self._place |= {column.name: names.index(column.name) for column in needed}
        return needed

    def _task(self, expected: Sequence[Line], rows: Mapping[int | None, Row]) -> Answers | None:
        """The answers to a task; None if it was left empty or has a fault."""
        before = len(self._faults)
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
        order = expected[0].row.order
        answers: dict[tuple[str, str], Value] = {}
        for row, column, place in asked:
            value = parse(self._sheet.protocol, self._cell(row, column), len(order))
            if isinstance(value, Refused):
                self._fault(row, column, value.reason)
            else:
                answers[order[place], column.source] = value
        if self._sheet.protocol.kind == "rank":
            self._compare_twins(expected[0].row, rows[None], answers)
        return answers if len(self._faults) == before else None

    def _asked(
        self, task: SheetRow, rows: Mapping[int | None, Row]
    ) -> Iterator[tuple[Row, Column, int]]:
        """The answer cells, each with the place of its target."""
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

    def _compare(self, line: Line, row: Row) -> None:
        """Add a fault for each locked cell whose text was changed."""
        for column, text in zip(self._locked, line.texts(self._locked, spread=False), strict=True):
            cell = self._cell(row, column)
            theirs = "" if cell is None else str(cell)
            if comparable(theirs) == comparable(text):
                continue
            # Encoding the cell as it was written is slow, so it is done only for cells that differ.
            sent = fit(line.texts([column], spread=True)[0], str(self._cell(row, KEY)))
            if comparable(theirs) not in map(comparable, readings(sent)):
                reason = "the text was changed, so that nobody knows what was judged"
                self._fault(row, column, reason)

    def _compare_twins(
        self, task: SheetRow, row: Row, answers: Mapping[tuple[str, str], Value]
    ) -> None:
        """Add a fault for each pair of identical outputs with unequal ranks."""
        twins = task.twins
        for column in self._questions:
            if column.place is None or column.place not in twins:
                continue
            first = twins[column.place]
            mine = answers.get((task.order[column.place], column.source))
            other = answers.get((task.order[first], column.source))
            if mine is not None and other is not None and mine != other:
                letters = f"{letter(first)} and {letter(column.place)}"
                self._fault(
                    row,
                    column,
                    f"{letters} are the same text, but have the ranks {other} and {mine}",
                )

    def _cell(self, row: Row, column: Column) -> object:
        place = self._place[column.name]
        cell = row.cells[place] if place < len(row.cells) else None
        return decode(cell) if isinstance(cell, str) else cell

    def _fault(self, row: Row, column: Column, reason: str) -> None:
        fault = Fault(self._filled.sheet, row.number, self._named(column), reason)
        self._faults.append((row.number, self._place[column.name], fault))

    def _named(self, column: Column) -> str:
        """A column's letter in a spreadsheet program, and its name."""
        return f"{letter(self._place[column.name])} ({column.name})"


def _id(line: Line) -> _Id:
    return line.digest, line.place
