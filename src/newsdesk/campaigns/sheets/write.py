"""Write an annotator's sheet as a workbook or a CSV file.

Text is always written as text: openpyxl takes what begins with "=" for a formula and `#N/A` for an error unless the cell's type is set
explicitly. Output is deterministic: no clock, no user or host name, a fixed date in the archive.
"""

from __future__ import annotations

import csv
import datetime
import io
import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from newsdesk.campaigns.sheets.answers import written
from newsdesk.campaigns.sheets.cells import encode, fit, guard, link
from newsdesk.campaigns.sheets.guidance import Entry, entries, level_rows
from newsdesk.campaigns.sheets.layout import URL, Column, Line, Sheet, columns, lines
from newsdesk.campaigns.sheets.looks import WIDTHS, looks
from newsdesk.errors import ArgumentError
from newsdesk.files import atomic
from newsdesk.registry import require

GUIDANCE = "Guidance"
ANSWERS = "Answers"
MAX_BYTES = 256 * 1024 * 1024  # of a workbook, unpacked; what is larger is not read back
_LINKS = 65_530  # Excel refuses more on one sheet
_DAY = datetime.datetime(1980, 1, 1)  # the first one that an archive can hold
_QUOTED = ("=", "+", "-", "@", "'")


def write_workbook(path: str | os.PathLike[str], sheet: Sheet, *, overwrite: bool = True) -> None:
    """Write the sheet as an .xlsx file: guidance first, then the answers to fill in."""
    data = workbook_bytes(sheet)
    with atomic(path, overwrite=overwrite) as stream:
        stream.write(data)


def write_csv(path: str | os.PathLike[str], sheet: Sheet, *, overwrite: bool = True) -> None:
    """Write the sheet's answers as CSV, UTF-8 with a mark, in the columns of the workbook.

    What a spreadsheet program could take for a formula, a number or a date has an apostrophe before it.
    """
    sheet_columns = columns(sheet)
    locked = [column for column in sheet_columns if column.role in ("context", "text")]
    asked = [column for column in sheet_columns if column.role == "answer"]
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(
        guard(encode(name)) for name in [head(sheet), *(each.name for each in sheet_columns[1:])]
    )
    for line in lines(sheet):
        texts = [fit(each, line.key) for each in line.texts(locked, spread=True)]
        answers = [written(line.answer(column)) for column in asked]
        rows.writerow([guard(line.key), *map(guard, texts), *answers])
    with atomic(path, overwrite=overwrite) as stream:
        stream.write(text.getvalue().encode("utf-8-sig"))


def head(sheet: Sheet) -> str:
    """The header of the first column, which says whose sheet it is."""
    return f"task\ncampaign: {sheet.campaign}\nannotator: {sheet.annotator}"


def workbook_bytes(sheet: Sheet) -> bytes:
    """The workbook as the bytes of an .xlsx file."""
    openpyxl = require("openpyxl", extra="campaigns", what="writing workbooks")
    book = openpyxl.Workbook(write_only=True)
    book.properties = openpyxl.packaging.core.DocumentProperties(
        creator=None, created=_DAY, modified=_DAY
    )
    guidance = entries(sheet)
    _write_guidance(_Page(openpyxl, book, GUIDANCE), guidance)
    _write_answers(_Page(openpyxl, book, ANSWERS), sheet, guidance)
    loose = io.BytesIO()
    # Workbook.save would set the time of day.
    openpyxl.writer.excel.ExcelWriter(book, zipfile.ZipFile(loose, "w")).save()
    return _packed(loose, sheet)


def _packed(loose: io.BytesIO, sheet: Sheet) -> bytes:
    """Recompress the archive with a fixed date on every part."""
    result = io.BytesIO()
    with zipfile.ZipFile(loose) as parts, zipfile.ZipFile(result, "w") as archive:
        if sum(part.file_size for part in parts.infolist()) > MAX_BYTES:
            raise ArgumentError(
                f"the workbook of {sheet.annotator!r} would unpack to more than {MAX_BYTES // 2**20} MiB; "
                "give one annotator fewer tasks"
            )
        for part in parts.infolist():
            info = zipfile.ZipInfo(part.filename, _DAY.timetuple()[:6])
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, parts.read(part), zipfile.ZIP_DEFLATED, 6)
    return result.getvalue()


class _Page:
    """A worksheet that is written row by row, and a factory of its cells."""

    def __init__(self, openpyxl: Any, book: Any, title: str) -> None:
        self.openpyxl = openpyxl
        self.sheet = book.create_sheet(title)
        self._cell: Callable[[Any], Any] = openpyxl.cell.WriteOnlyCell
        self._looks = looks(openpyxl, self._cell(self.sheet))
        self._links = 0
        protection = self.sheet.protection
        protection.sheet = True
        protection.formatColumns = protection.formatRows = False  # these may be changed

    def cell(self, value: str | float | None, look: str) -> Any:
        """Create a cell; text stays text whatever it begins with."""
        cell = self._cell(self.sheet)
        quoted = isinstance(value, str) and value.startswith(_QUOTED)
        cell._style = self._looks[look, quoted]
        if value != "":
            cell.value = value
        if isinstance(value, str):
            cell.data_type = "s"
        return cell

    def link(self, cell: Any, url: str) -> None:
        """Add a hyperlink to a cell if its URL is safe to open."""
        target = link(url) if self._links < _LINKS else None
        if target is not None:
            cell.hyperlink = target
            cell._style = self._looks["link", False]
            self._links += 1

    def letter(self, column: int) -> str:
        """The letter of a column, counted from 0."""
        return str(self.openpyxl.utils.get_column_letter(column + 1))

    def set_widths(self, widths: Sequence[int]) -> None:
        """Set the widths of the columns in characters, from the left."""
        for place, width in enumerate(widths):
            self.sheet.column_dimensions[self.letter(place)].width = width


def _write_guidance(page: _Page, rows: Sequence[Entry]) -> None:
    page.set_widths(WIDTHS["guidance"])
    for entry in rows:
        page.sheet.append(
            [
                page.cell(fit(each, GUIDANCE) if isinstance(each, str) else each, entry.look)
                for each in entry.cells
            ]
        )


def _write_answers(page: _Page, sheet: Sheet, guidance: list[Entry]) -> None:
    sheet_columns = columns(sheet)
    page.sheet.freeze_panes = "B2"
    page.sheet.page_setup.orientation = "landscape"
    page.set_widths([_width(sheet, column) for column in sheet_columns])
    page.sheet.append(
        [page.cell(fit(_header(sheet, each), ANSWERS), "header") for each in sheet_columns]
    )
    for line in lines(sheet):
        page.sheet.append(list(_cells(page, sheet_columns, line)))
    for validation in _validations(page, sheet, sheet_columns, guidance):
        page.sheet.data_validations.append(validation)


def _width(sheet: Sheet, column: Column) -> int:
    if column.role == "answer" and sheet.protocol.kind != "rank":
        return WIDTHS["question"][0]
    return WIDTHS[URL if column.source == URL else column.role][0]


def _header(sheet: Sheet, column: Column) -> str:
    """A column's name, and below it the question and the levels, which stay visible while scrolling."""
    if column.role == "task":
        return head(sheet)
    if column.role != "answer" or column.place is not None:
        return column.name
    question = next(each for each in sheet.protocol.questions if each.name == column.source)
    levels = [f"{level.value} = {level.brief}" for level in sheet.protocol.levels]
    return "\n".join([column.name, question.text, *levels])


def _cells(page: _Page, sheet_columns: Sequence[Column], line: Line) -> Iterator[Any]:
    band = "shaded" if line.place is not None and line.number % 2 == 0 else "plain"
    locked = [column for column in sheet_columns if column.role in ("context", "text")]
    twins = line.row.twins if line.place is None else {}
    yield page.cell(line.key, "key")
    for column, text in zip(locked, line.texts(locked, spread=True), strict=True):
        cell = page.cell(fit(text, line.key), "twin" if column.place in twins else band)
        if column.role == "context" and column.source == URL:
            page.link(cell, text)
        yield cell
    for column in sheet_columns[1 + len(locked) :]:
        missing = column.place is not None and column.place >= len(line.row.order)
        yield page.cell(written(line.answer(column)), "plain" if missing else "answer")


def _validations(
    page: _Page, sheet: Sheet, sheet_columns: Sequence[Column], guidance: list[Entry]
) -> Iterator[Any]:
    """The drop-down lists: one per question, and in rankings per number of outputs."""
    sizes = [len(line.row.order) if line.place is None else 0 for line in lines(sheet)]
    for question in sheet.protocol.questions:
        places = [
            place
            for place, column in enumerate(sheet_columns)
            if column.role == "answer" and column.source == question.name
        ]
        for size in sorted(set(sizes)):
            left, right = page.letter(places[0]), page.letter(places[: size or 1][-1])
            ranges = [f"{left}{low}:{right}{high}" for low, high in _runs(sizes, size)]
            options, wanted = _options(sheet, size, guidance)
            yield page.openpyxl.worksheet.datavalidation.DataValidation(
                type="list",
                formula1=options,
                sqref=" ".join(ranges),
                allow_blank=True,
                showErrorMessage=True,
                errorTitle="Not an answer",
                error=f"{wanted} Choose from the list."[:255],
                showInputMessage=True,
                promptTitle=_plain(question.name)[:32],
                prompt=_plain(f"{question.text} {wanted}")[:255],
            )


def _runs(sizes: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """First and last row of every run of tasks of this size; the header is row 1."""
    for same, run in groupby(enumerate(sizes, 2), key=lambda each: each[1] == size):
        if same:
            rows = [row for row, _ in run]
            yield rows[0], rows[-1]


def _options(sheet: Sheet, size: int, guidance: list[Entry]) -> tuple[str, str]:
    """The options of a drop-down list, and a description of a valid answer."""
    kind = sheet.protocol.kind
    if kind == "rank":
        ranks = ",".join(str(rank) for rank in range(1, size + 1))
        return f'"{ranks}"', f"A rank from 1 (best) to {size}; equal ranks are allowed."
    if kind == "select":
        return '"yes,no"', "Yes or no; what stays empty in a task you answered counts as no."
    # Levels may hold commas and quotation marks, which a list in place cannot.
    first, last = level_rows(guidance)
    return f"{GUIDANCE}!$A${first}:$A${last}", f"One of the levels on the sheet “{GUIDANCE}”."


def _plain(text: str) -> str:
    return "".join(each for each in text if each.isprintable())
