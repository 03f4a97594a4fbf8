"""Workbooks (.xlsx) with one comment a row: the first sheet that has a header with a column for the text, or the sheet that is named.

The header is the row with most recognised names among the first twenty, so that a title or a note may stand above it. A formula counts as the value that was stored with it. One without a value is text in the column of texts, as programs
write a comment that begins with `=` as a formula, and nothing elsewhere. Nothing is calculated, and a workbook with macros is refused.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice, repeat
from typing import Any

from newsdesk.errors import DataError
from newsdesk.files import InputFile
from newsdesk.records.comments.cells import Cells
from newsdesk.records.comments.flat import SHEET, columns_of, plain_text, used_columns
from newsdesk.records.comments.grouping import Account, Rows
from newsdesk.records.tables import WorkbookLimits, check_archive, damage_named
from newsdesk.registry import require

_MAX_BYTES = 256 << 20  # unpacked
_LIMITS = WorkbookLimits(1_048_576, 5_000_000, "; save the sheet as CSV")
_MAX_COLUMNS = 1_024
_HEADER_ROWS = 20  # that are searched for the header
_PIECE = 1 << 20
_MACROS = "vbaProject.bin"
_BOOK = "xl/workbook.xml"
_FAULTS = {"#N/A", "#REF!", "#NAME?", "#VALUE!", "#DIV/0!", "#NULL!", "#NUM!"}
_AREA = re.compile(r"([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)")

Row = Sequence[Any]


def workbook_rows(
    source: InputFile, mapped: Mapping[str, str], account: Account
) -> tuple[Rows, bool]:
    """Return the rows of a workbook by field, and whether it has a column for the article."""
    openpyxl = require("openpyxl", extra="campaigns", what="reading workbooks")
    file = source.name
    sheet = mapped.get(SHEET)
    mapped = {field: name for field, name in mapped.items() if field != SHEET}
    stream = _packed(source)
    with damage_named(file):
        merged = check_archive(stream, file, _MAX_BYTES, _LIMITS)
        _check_parts(stream, file)
        book = openpyxl.load_workbook(stream, read_only=True, keep_links=False, data_only=True)
        page, number, names = _header(book, sheet, mapped, file)
        _check_merged(merged.get(page._worksheet_path, ()), number, file)
        used = used_columns(names, mapped, account)
        formulas = None
        if _has_formulas(stream, page._worksheet_path):
            formulas = openpyxl.load_workbook(stream, read_only=True, keep_links=False)[page.title]
        rows = list(_rows(page, formulas, number, len(names), used, file))
    if len(book.worksheets) > 1:
        others = ", ".join(repr(other.title) for other in book.worksheets if other is not page)
        account.notes.append(
            f"the sheet {page.title!r} is read, not {others}; choose with --map {SHEET}=NAME"
        )
    plain = ((row, plain_text(cells, account)) for row, cells in rows)
    return plain, "article" in dict(used).values()


def _packed(source: InputFile) -> io.BytesIO:
    """Return the bytes of the file, which may come from standard input: an archive is not read in order."""
    stream = io.BytesIO()
    for chunk in source.chunks():
        stream.write(chunk)
        if stream.tell() > _MAX_BYTES:
            raise DataError(f"has more than {_MAX_BYTES >> 20} MiB", file=source.name)
    stream.seek(0)
    return stream


def _check_parts(stream: io.BytesIO, file: str) -> None:
    names = zipfile.ZipFile(stream).namelist()
    if any(name.endswith(_MACROS) for name in names):
        raise DataError("a workbook with macros; save it as .xlsx without them", file=file)
    if _BOOK not in names:
        raise DataError("a packed file that is no Excel workbook; unpack it", file=file)
    stream.seek(0)


def _header(
    book: Any, sheet: str | None, mapped: Mapping[str, str], file: str
) -> tuple[Any, int, list[str]]:
    """Return the sheet to read, the number of its header and the names of its columns."""
    first: tuple[Any, int, list[str]] | None = None
    for page in _pages(book, sheet, file):
        page.reset_dimensions()  # programs write wrong ones
        rows = [(number, names) for number, names in _first_rows(page) if any(names)]
        headers = [(len(fields), number, names) for number, names in rows if (fields := _fields(names, mapped))]  # fmt: skip
        if headers:
            _, number, names = max(headers, key=lambda row: row[0])
            return page, number, names
        if rows and first is None:
            first = (page, *max(rows, key=lambda row: sum(map(bool, row[1]))))
    if first is None:
        raise DataError("a workbook without a row", file=file)
    return first  # its fullest row is named in the error


def _pages(book: Any, name: str | None, file: str) -> list[Any]:
    if name:
        if name not in book.sheetnames:
            sheets = ", ".join(map(repr, book.sheetnames))
            raise DataError(f"no sheet {name!r}; there are {sheets}", file=file)
        return [book[name]]
    return [page for page in book.worksheets if page.sheet_state == "visible"]


def _first_rows(page: Any) -> Iterator[tuple[int, list[str]]]:
    rows = page.iter_rows(max_row=_HEADER_ROWS, max_col=_MAX_COLUMNS, values_only=True)
    for number, row in enumerate(rows, 1):
        names = ["" if cell is None else str(cell).strip() for cell in row]
        while names and not names[-1]:
            names.pop()
        yield number, names


def _fields(names: Sequence[str], mapped: Mapping[str, str]) -> Mapping[str, str]:
    """Return the fields of a row of names; none where it is no header with a text."""
    try:
        fields = columns_of(names, mapped)
    except DataError:  # a mapped column is not among them
        return {}
    return fields if "text" in fields.values() else {}


def _check_merged(areas: Sequence[str], header: int, file: str) -> None:
    """Refuse names that stand over several columns: one of them alone may be a title above the header."""
    wide = []
    for area in areas:
        if (corners := _AREA.fullmatch(area)) and corners[1] != corners[3]:
            wide.append((int(corners[2]), int(corners[4]), area))
    above = sorted(span for span in wide if span[0] <= header)
    for _, group in groupby(above, key=lambda span: span[0]):
        spans = list(group)
        if len(spans) > 1 or spans[0][1] >= header:
            merged = ", ".join(area for *_, area in spans[:5])
            raise DataError(
                f"the header has merged cells ({merged}); write one name above each column",
                file=file,
                line=header,
            )


def _has_formulas(stream: io.BytesIO, path: str) -> bool:
    rest = b""
    with zipfile.ZipFile(stream) as archive, archive.open(path) as part:
        while piece := part.read(_PIECE):
            if b"<f>" in rest + piece or b"<f " in rest + piece:
                return True
            rest = piece[-2:]
    return False


def _rows(
    page: Any,
    formulas: Any,
    header: int,
    width: int,
    used: Sequence[tuple[int, str]],
    file: str,
) -> Iterator[tuple[int, Cells]]:
    """Yield the rows below the header that hold anything, with their numbers."""
    area = {"max_row": _LIMITS.rows, "max_col": width, "values_only": True}
    place = next(column for column, field in used if field == "text")
    values = page.iter_rows(**area)
    texts: Iterator[Row] = repeat(())
    if formulas is not None:
        formulas.reset_dimensions()
        texts = formulas.iter_rows(**area)
    for number, (row, text) in enumerate(islice(zip(values, texts, strict=False), header, None), header + 1):  # fmt: skip
        _LIMITS.check(number, number * width, file)
        cells = {field: _value(row, column) for column, field in used}
        if cells["text"] is None and place < len(text) and str(text[place]).startswith("="):
            cells["text"] = text[place]
        if any(value is not None for value in cells.values()):
            yield number, cells


def _value(row: Row, column: int) -> Any:
    """Return the value of a cell; nothing for a fault such as `#N/A`."""
    value = row[column] if column < len(row) else None
    return None if isinstance(value, str) and value in _FAULTS else value
