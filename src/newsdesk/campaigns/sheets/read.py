"""Read a file that an annotator returned: its annotator and its rows of cells.

A file that cannot be used as a whole (no workbook, damaged, not ours) is an error; faults of single rows are left to `check`. Nothing in
the file is trusted: its unpacked size is bounded before reading, and a formula is read as its text.
"""

from __future__ import annotations

import csv
import os
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from newsdesk.campaigns.sheets.cells import decode, unguard
from newsdesk.campaigns.sheets.write import ANSWERS, MAX_BYTES
from newsdesk.errors import DataError, FileError
from newsdesk.files import Source, reason
from newsdesk.registry import require

_HEAD = re.compile(r"task\s*\ncampaign: (?P<campaign>[^\n]+)\nannotator: (?P<annotator>[^\n]+)")
_MAX_COLUMNS = 1_024
_MAX_ROWS = 1_048_576  # Excel's own limit
_OLD = b"\xd0\xcf\x11\xe0"  # how .xls begins, and .xlsx behind a password
# All that openpyxl lets through when a part of the archive is missing, cut off or not what it should be.
_DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a returned file, with its number in a spreadsheet program."""

    number: int
    cells: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """A returned file: the campaign and annotator in its header, its column names and its rows."""

    file: str
    sheet: str
    campaign: str
    annotator: str
    names: tuple[str, ...]
    rows: tuple[Row, ...]
    copies: tuple[
        str, ...
    ] = ()  # further sheets of answers in the same workbook, which are not read


def read_workbook(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Filled:
    """Read a returned .xlsx file; `max_bytes` limits its unpacked size."""
    openpyxl = require("openpyxl", extra="campaigns", what="reading workbooks")
    file = os.fspath(path)
    try:
        with Path(path).open("rb") as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about Excel extensions that are not used here
            _check_archive(stream, file, max_bytes)
            try:
                return _read_archive(openpyxl, stream, file)
            except _DAMAGE as error:
                raise DataError(f"a damaged workbook: {_brief(error)}", file=file) from error
    except OSError as error:
        raise FileError(f"{file}: {reason(error)}") from error


def _read_archive(openpyxl: Any, stream: BinaryIO, file: str) -> Filled:
    book = openpyxl.load_workbook(stream, read_only=True, keep_links=False)
    pages = [(page, _names(page)) for page in book.worksheets]
    ours = [(page, names) for page, names in pages if names and _head(names[0])]
    if not ours:
        raise DataError(
            "not a workbook of ours: no sheet begins with the column of tasks", file=file
        )
    page, names = next((each for each in ours if each[0].title == ANSWERS), ours[0])
    rows = tuple(_rows(page, len(names)))
    copies = tuple(each.title for each, _ in ours if each is not page)
    return _filled(file, page.title, names, rows, copies)


def _check_archive(stream: BinaryIO, file: str, max_bytes: int) -> None:
    """Refuse a file that is not a zip archive or would unpack to more than `max_bytes`."""
    if stream.read(len(_OLD)) == _OLD:
        raise DataError(
            "an old .xls file, or one behind a password; save it as .xlsx without one", file=file
        )
    try:
        parts = zipfile.ZipFile(stream).infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DataError("not an Excel workbook (.xlsx)", file=file) from error
    # A part is never read beyond the size it states, so the sum is a bound and not a promise.
    if sum(part.file_size for part in parts) > max_bytes:
        raise DataError(f"unpacks to more than {max_bytes / 2**20:.0f} MiB", file=file)
    stream.seek(0)


def _names(page: Any) -> tuple[str, ...]:
    """The header of a sheet, up to its last name."""
    for row in page.iter_rows(min_row=1, max_row=1, max_col=_MAX_COLUMNS, values_only=True):
        names = ["" if each is None else decode(str(each)) for each in row]
        while names and not names[-1]:
            names.pop()
        return tuple(names)
    return ()


def _rows(page: Any, width: int) -> Iterator[Row]:
    # Explicit bounds, because the dimensions stated in the file may be wrong.
    rows = page.iter_rows(min_row=2, max_row=_MAX_ROWS, max_col=width, values_only=True)
    for number, row in enumerate(rows, 2):
        if any(each is not None for each in row):
            yield Row(number, row)


def read_csv(path: str | os.PathLike[str]) -> Filled:
    """Read a returned .csv file; commas, semicolons and tabs are recognised."""
    source = Source(path)
    try:
        text = [f"{line}\n" for _, line in source.texts()]
    except DataError as error:
        hint = f"{error.reason}; save it as CSV in UTF-8"
        raise DataError(hint, file=error.file, line=error.line) from error
    delimiter = max(",;\t", key=lambda each: len(next(_records(text, each, source.name), ())))
    records = _records(text, delimiter, source.name)
    names = [decode(name) for name in next(records, ())]
    if not names or not _head(names[0]):
        raise DataError(
            "not a sheet of ours: it does not begin with the column of tasks", file=source.name
        )
    rows = tuple(Row(number, row) for number, row in enumerate(records, 2) if any(row))
    return _filled(source.name, Path(source.name).name, names, rows, ())


def _records(text: Sequence[str], delimiter: str, file: str) -> Iterator[tuple[str, ...]]:
    reader = csv.reader(text, delimiter=delimiter)
    try:
        yield from (tuple(unguard(field) for field in record) for record in reader)
    except csv.Error as error:
        raise DataError(f"not CSV: {error}", file=file, line=reader.line_num) from error


def _head(name: str) -> re.Match[str] | None:
    return _HEAD.fullmatch(name.replace("\r\n", "\n").strip())


def _filled(
    file: str,
    sheet: str,
    names: Sequence[str],
    rows: tuple[Row, ...],
    copies: tuple[str, ...],
) -> Filled:
    head = _head(names[0])
    if head is None:
        raise DataError("it does not say whose sheet it is", file=file)
    short = tuple((name.splitlines() or [""])[0].strip() for name in names)
    return Filled(file, sheet, head["campaign"], head["annotator"], short, rows, copies)


def _brief(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0][:100] or type(error).__name__
