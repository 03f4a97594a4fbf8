"""Read a file that an annotator returned: its annotator and its rows of cells.

A file that cannot be used as a whole (no workbook, damaged, not ours, too large) is an error; faults of single rows are left to `check`. Nothing
in the file is trusted: its unpacked size and its numbers of rows and cells are bounded before it is parsed, and a formula is read as its text. Rows that
somebody inserted above the header, and columns before it, are skipped. On request a table that is not ours is read, too, if it has a column of ids or
URLs (`wide`).
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO
from xml.etree import ElementTree

from newsdesk.campaigns.sheets.layout import column_number, decode, unguard
from newsdesk.campaigns.sheets.write import ANSWERS, MAX_BYTES
from newsdesk.errors import DataError, FileError
from newsdesk.files import InputFile, reason
from newsdesk.records.tables import CsvRows, WorkbookLimits, check_archive, damage_named
from newsdesk.registry import require

_HEAD = re.compile(
    r"task\s*\ncampaign: (?P<campaign>[^\n]+)\nannotator: (?P<annotator>[^\n]+)(?:\nseal: (?P<seal>[^\n]*))?"
)
_MAX_COLUMNS = 1_024
ITEM_NAMES = ("id", "item", "url")  # of a column that says what a row of a wide table is about
_NO_TABLE = "neither a sheet of ours nor a wide table: no column is called 'id', 'item' or 'url'"
_LIMITS = WorkbookLimits(100_000, 1_000_000, ", and no sheet of ours has so many")
_LAST_ROW = 1_048_576  # of Excel
_MAX_CELL = 131_072  # characters
_HEADER_ROWS = 20  # that are searched for the header


@dataclass(frozen=True, slots=True)
class ReturnedRow:
    """A row of a returned file, with its number in a spreadsheet program."""

    number: int
    cells: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """A returned file: the campaign and annotator in its header, its column names and its rows.

    A table that is not ours has no campaign and no annotator, and its `key` is the column of ids or URLs.

    `key` is the place of the column of tasks, `merged` has the areas of merged cells, such as `D2:D4`, and `guarded` says that the cells are fields of
    a CSV file, which may begin with an apostrophe that is not theirs.
    """

    file: str
    sheet: str
    campaign: str
    annotator: str
    names: tuple[str, ...]
    rows: tuple[ReturnedRow, ...]
    copies: tuple[
        str, ...
    ] = ()  # further sheets of answers in the same workbook, which are not read
    key: int = 0
    merged: tuple[str, ...] = ()
    guarded: bool = False
    seal: str = ""  # of the header; sheets of earlier versions have none

    @property
    def ours(self) -> bool:
        """Whether the table is a sheet of a campaign."""
        return bool(self.campaign)


def read_workbook(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES, foreign: bool = False
) -> Filled:
    """Read a returned .xlsx file, or a `foreign` table; `max_bytes` limits its unpacked size."""
    openpyxl = require("openpyxl", extra="campaigns", what="reading workbooks")
    file = os.fspath(path)
    try:
        with Path(path).open("rb") as stream, damage_named(file):
            merged = check_archive(stream, file, max_bytes, _LIMITS)
            return _read_archive(openpyxl, stream, file, merged, foreign=foreign)
    except OSError as error:
        raise FileError(f"{file}: {reason(error)}") from error


def _read_archive(
    openpyxl: Any,
    stream: BinaryIO,
    file: str,
    merged: Mapping[str, list[str]],
    *,
    foreign: bool,
) -> Filled:
    """Read the sheet of answers of a workbook, else if `foreign` its first table.

    `merged` has the merged areas by the path of a sheet in the archive.
    """
    book = openpyxl.load_workbook(stream, read_only=True, keep_links=False)
    tables = [(page, header) for page in book.worksheets if (header := _header(page))]
    ours = [(page, header) for page, header in tables if header.ours]
    if not ours and not foreign:
        raise DataError("not a workbook of ours: no sheet has the column of tasks", file=file)
    pages = ours or tables
    if not pages:
        raise DataError(_NO_TABLE, file=file)
    answers = ((page, header) for page, header in pages if page.title == ANSWERS)
    page, header = next(answers, pages[0])
    rows = tuple(_rows(stream, page, header, file))
    copies = tuple(other.title for other, _ in pages if other is not page)
    areas = tuple(merged.get(str(page._worksheet_path), ()))
    return replace(_filled(file, page.title, header, rows), copies=copies, merged=areas)


@dataclass(frozen=True, slots=True)
class _Header:
    """The row of column names: its number, the names, and the place of the column of tasks or ids."""

    row: int
    names: tuple[str, ...]
    key: int
    ours: bool


def _header(page: Any) -> _Header | None:
    """Return the header of a sheet up to its last name; None for one without a column of tasks or ids."""
    rows = page.iter_rows(min_row=1, max_row=_HEADER_ROWS, max_col=_MAX_COLUMNS, values_only=True)
    return _found(("" if cell is None else decode(str(cell)) for cell in row) for row in rows)


def _found(rows: Iterable[Iterable[str]]) -> _Header | None:
    """Return the first row with the column of tasks, else the first with a column of ids or URLs."""
    foreign: _Header | None = None
    for number, row in enumerate(rows, 1):
        names = list(row)
        while names and not names[-1]:
            names.pop()
        for place, name in enumerate(names):
            if _head(name):
                return _Header(number, tuple(names), place, ours=True)
            if foreign is None and name.strip().casefold() in ITEM_NAMES:
                foreign = _Header(number, tuple(names), place, ours=False)
    return foreign


def _rows(stream: BinaryIO, page: Any, header: _Header, file: str) -> Iterator[ReturnedRow]:
    """Yield the rows below the header from the XML itself: openpyxl takes three times as long."""
    width = len(header.names)
    places: dict[str, int] = {}  # letters of a column → its place from 0
    count = number = 0
    with zipfile.ZipFile(stream) as archive, archive.open(page._worksheet_path) as part:
        for _, row in ElementTree.iterparse(part):
            if _local_name(row) != "row":
                continue
            number = int(row.get("r", number + 1))
            cells: list[object] = [None] * width
            place = -1  # of the last cell; one without a reference stands beside it
            for cell in row:
                letters = cell.get("r", "").rstrip("0123456789")
                if letters and letters not in places:
                    places[letters] = column_number(letters)
                place = places[letters] if letters else place + 1
                if 0 <= place < width:
                    cells[place] = _value(cell, page._shared_strings)
            row.clear()
            if header.row < number <= _LAST_ROW and any(each is not None for each in cells):
                count += 1
                _LIMITS.check(count, count * width, file)
                yield ReturnedRow(number, tuple(cells))


def _local_name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]  # without its namespace


def _value(cell: ElementTree.Element, strings: Sequence[str]) -> object:
    """Return the value of a cell: text, a number, true or false, or a formula as its text.

    `strings` are the shared ones of the workbook, to which a cell of kind `s` refers by number.
    """
    kind = cell.get("t")
    parts = {_local_name(part): part for part in cell}
    if "f" in parts and parts["f"].text:
        return f"={parts['f'].text}"
    if kind == "inlineStr":
        texts = (part.text or "" for part in cell.iter() if _local_name(part) == "t")
        return decode("".join(texts)) or None
    text = parts["v"].text if "v" in parts else None
    if text is None:
        return None
    if kind == "s":
        return decode(strings[int(text)])
    if kind in ("str", "e", "d"):
        return decode(text)
    if kind == "b":
        return text.strip() == "1"
    return float(text) if set(text) & set(".eE") else int(text)


def read_csv(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES, foreign: bool = False
) -> Filled:
    """Read a returned .csv file, or a `foreign` table; commas, semicolons and tabs are recognised."""
    source = InputFile(path)
    lines, size = [], 0
    try:
        for _, line in source.texts():
            lines.append(line)
            size += len(line)
            if size > max_bytes:
                raise DataError(f"has more than {max_bytes / 2**20:.0f} MiB", file=source.name)
    except DataError as error:
        if "UTF-8" not in error.reason:
            raise
        hint = f"{error.reason}; save it as CSV in UTF-8"
        raise DataError(hint, file=error.file, line=error.line) from error
    headers = {
        delimiter: _found(islice(_records(lines, delimiter, source.name), _HEADER_ROWS))
        for delimiter in ",;\t"
    }

    def likeness(delimiter: str) -> tuple[bool, int]:
        header = headers[delimiter]
        return (header.ours, len(header.names)) if header else (False, 0)

    delimiter = max(headers, key=likeness)
    header = headers[delimiter]
    if header is None or not (header.ours or foreign):
        reason = _NO_TABLE if foreign else "not a sheet of ours: it has no column of tasks"
        raise DataError(reason, file=source.name)
    rows = []
    for number, record in enumerate(_records(lines, delimiter, source.name), 1):
        if number > header.row and any(record):
            rows.append(ReturnedRow(number, record))
            _LIMITS.check(len(rows), len(rows) * len(header.names), source.name)
    filled = _filled(source.name, Path(source.name).name, header, tuple(rows))
    return replace(filled, guarded=header.ours)


def _records(lines: Sequence[str], delimiter: str, file: str) -> Iterator[tuple[str, ...]]:
    try:
        yield from map(tuple, CsvRows(lines, delimiter, strict=False, max_cell=_MAX_CELL))
    except DataError as error:
        raise error.at(file, error.line) from None


def _head(name: str) -> re.Match[str] | None:
    return _HEAD.fullmatch(unguard(name.replace("\r\n", "\n").strip()))


def _filled(file: str, sheet: str, header: _Header, rows: tuple[ReturnedRow, ...]) -> Filled:
    """Return the table of a header and its rows; a column's name is the first line of its cell."""
    head = _head(header.names[header.key])
    short = tuple((unguard(name).splitlines() or [""])[0].strip() for name in header.names)
    whose = (head["campaign"], head["annotator"]) if head else ("", "")
    seal = (head["seal"] or "").strip() if head else ""
    return Filled(file, sheet, *whose, short, rows, key=header.key, seal=seal)
