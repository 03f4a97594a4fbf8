"""Read tables: delimited text, the one way for every file that a spreadsheet saved; Parquet, in which articles in bulk are written, too; and workbooks.

Cells of text stand between commas, semicolons, tabs or bars. They may be quoted and then hold line breaks. A first line such as `sep=;`, which Excel writes and reads, names the delimiter; otherwise the header shows it.

Parquet (zstd, level 3) is read and written by polars, in batches so that memory stays flat. A folder is read as all Parquet files in it and below it, by name: partitions such as `date=2019-05-01/part-1.parquet`
are one file of records. Columns that are no fields of an article are ignored and counted.

A workbook (.xlsx) is checked before openpyxl parses it: nothing in a file that somebody sends is trusted. Its unpacked size and its numbers of rows and cells are bounded by a scan of the
bytes, which is fast; what openpyxl raises when a part is missing or broken becomes one error.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import itertools
import math
import re
import warnings
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from newsdesk.errors import DataError, FileError
from newsdesk.files import MAX_LINE_BYTES, InputFile, reason
from newsdesk.registry import require
from newsdesk.types import Article

if TYPE_CHECKING:
    import polars

_PIECE = 1 << 20
_MAX_MERGED = 1_000
_MERGED = re.compile(rb'mergeCell\b[^>]*?\bref="([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})"')
_FOREIGN = b"application/vnd.oasis.opendocument"
_ZIP = b"PK\x03\x04"
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
class WorkbookLimits:
    """The most rows and cells that a sheet may have, and what to say of one that has more."""

    rows: int
    cells: int
    hint: str

    def check(self, rows: int, cells: int, file: str) -> None:
        """Raise DataError if a sheet has more."""
        for count, limit, what in ((rows, self.rows, "rows"), (cells, self.cells, "cells")):
            if count > limit:
                raise DataError(f"has more than {limit:,} {what}{self.hint}", file=file)


@contextlib.contextmanager
def damage_named(file: str) -> Iterator[None]:
    """Turn what openpyxl raises on a damaged workbook into a DataError, and silence its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about Excel extensions that are not used here
        try:
            yield
        except _DAMAGE as error:
            brief = (str(error).splitlines() or [""])[0][:100] or type(error).__name__
            raise DataError(f"a damaged workbook: {brief}", file=file) from error


def is_workbook(head: bytes) -> bool:
    """Return True if a file begins as workbooks do, or another packed file."""
    return head.startswith((_ZIP, _OLD))


def check_archive(
    stream: BinaryIO, file: str, max_bytes: int, limits: WorkbookLimits
) -> dict[str, list[str]]:
    """Refuse what is not an archive of a workbook or is too large; return the merged areas of each sheet."""
    if stream.read(len(_OLD)) == _OLD:
        raise DataError(
            "an old .xls file, or one behind a password; save it as .xlsx without one", file=file
        )
    try:
        archive = zipfile.ZipFile(stream)
        parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DataError("not an Excel workbook (.xlsx)", file=file) from error
    # A part is never read beyond the size it states, so the sum is a bound and not a promise.
    if sum(part.file_size for part in parts) > max_bytes:
        raise DataError(f"unpacks to more than {max_bytes / 2**20:.0f} MiB", file=file)
    if any(
        part.filename == "mimetype" and archive.read(part).startswith(_FOREIGN) for part in parts
    ):
        raise DataError("an OpenDocument file (.ods); save it as .xlsx", file=file)
    merged = {
        part.filename: _scanned(archive, part, file, limits)
        for part in parts
        if part.filename.endswith(".xml") and "worksheets/" in part.filename
    }
    stream.seek(0)
    return merged


def _scanned(
    archive: zipfile.ZipFile, part: zipfile.ZipInfo, file: str, limits: WorkbookLimits
) -> list[str]:
    """Bound the rows and cells of a sheet without parsing it, which is slow; return its merged areas."""
    rows = cells = 0
    merged: list[str] = []
    rest = b""
    with archive.open(part) as stream:
        while piece := stream.read(_PIECE):
            piece = rest + piece
            # A tag that is cut off belongs to the next piece.
            end = piece.rfind(b"<") if len(piece) < 4 * _PIECE else len(piece)
            piece, rest = (piece[:end], piece[end:]) if end > 0 else (piece, b"")
            rows += piece.count(b"<row") + piece.count(b":row")
            cells += sum(map(piece.count, (b"<c ", b"<c>", b"<c/", b":c ", b":c>")))
            if b"mergeCell" in piece:
                merged += [area.decode("ascii") for area in _MERGED.findall(piece)]
            limits.check(rows, cells, file)
    merged += [area.decode("ascii") for area in _MERGED.findall(rest)]
    return merged[:_MAX_MERGED]


def finite_number(value: Any) -> float | None:
    """Return a number, or the text of one, as a float; None for anything else."""
    if not isinstance(value, bool | int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


_BATCH_ROWS = 5_000


def is_parquet(path: str) -> bool:
    """Return whether a file name says Parquet."""
    return path.endswith(".parquet")


def parquet_files(path: str) -> list[str] | None:
    """Return the Parquet files that a name stands for: itself, or those of a folder.

    None where there are none.
    """
    folder = Path(path)
    if not folder.is_dir():
        return [path] if is_parquet(path) else None
    files = sorted(
        str(file)
        for file in folder.rglob("*.parquet")
        if not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )
    return files or None


def parquet_columns(path: str) -> list[str]:
    """Return the names of a file's columns, in order."""
    pl = require("polars", extra="corpus", what="reading Parquet")
    try:
        return list(pl.read_parquet_schema(path))
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error
    except pl.exceptions.PolarsError as error:
        raise DataError(f"not Parquet: {str(error).splitlines()[0]}", file=path) from error


def parquet_objects(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row as a JSON object with its number from 1; empty cells are left out."""
    pl = require("polars", extra="corpus", what="reading Parquet")
    number = 0
    try:
        for frame in pl.scan_parquet(path, hive_partitioning=False).collect_batches(
            chunk_size=_BATCH_ROWS
        ):
            for row in frame.iter_rows(named=True):
                number += 1
                yield number, {key: value for key, value in row.items() if value is not None}
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error
    except pl.exceptions.PolarsError as error:
        raise DataError(f"not Parquet: {str(error).splitlines()[0]}", file=path) from error


def write_articles(stream: IO[bytes], articles: Iterable[Article]) -> int:
    """Write articles to an open file; how many there were."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    schema = {
        field.name: pl.Float64 if field.name == "date_confidence" else pl.String
        for field in dataclasses.fields(Article)
    }
    count = 0

    def frames(*_: object) -> Iterator[polars.DataFrame]:
        nonlocal count
        rest = iter(articles)
        while batch := list(islice(rest, _BATCH_ROWS)):
            count += len(batch)
            for article in batch:
                if not isinstance(article, Article):
                    kind = type(article).__name__
                    raise DataError(f"a .parquet file holds articles, not {kind}")
            columns = {name: [getattr(article, name) for article in batch] for name in schema}
            yield pl.DataFrame(columns, schema=schema)

    from polars.io.plugins import register_io_source

    register_io_source(frames, schema=schema).sink_parquet(
        stream, compression="zstd", compression_level=3, row_group_size=_BATCH_ROWS
    )
    return count


_DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR = re.compile(r"sep=(.)\s*\Z", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"')
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


def delimiter_of(header: str) -> str:
    """Return the character that stands most often between the cells of a header.

    >>> delimiter_of('id;"a,b,c";text')
    ';'
    """
    bare = _QUOTED.sub("", header)
    return max(_DELIMITERS, key=bare.count)


class CsvRows(Iterator[list[str]]):
    """Iterate over the rows of lines without their line breaks.

    `line` is the number of the last line read.

    Without a `delimiter` the first line decides; `usual` is the one of a header that has no such hint above it. A row that is not CSV is a DataError with its line; the rows after it can still be read.

    >>> rows = CsvRows(["sep=;", "id;text", '1;"a;b"'])
    >>> list(rows), rows.line
    ([['id', 'text'], ['1', 'a;b']], 3)
    """

    def __init__(
        self,
        lines: Iterable[str],
        delimiter: str | None = None,
        *,
        usual: str | None = None,
        strict: bool = True,
        max_cell: int = MAX_LINE_BYTES,
    ) -> None:
        csv.field_size_limit(max_cell)
        lines, self._before = iter(lines), 0
        if delimiter is None:
            first = next(lines, "")
            if hint := _SEPARATOR.match(first):
                self._before, first = 1, next(lines, "")
            delimiter = hint[1] if hint else usual or delimiter_of(first)
            lines = itertools.chain([first], lines)
        self.delimiter = delimiter
        texts = (f"{line}\n" for line in lines)
        self._reader = csv.reader(texts, delimiter=delimiter, strict=strict)

    def __next__(self) -> list[str]:
        try:
            return next(self._reader)
        except csv.Error as error:
            raise DataError(f"not CSV: {error}", line=self.line) from None

    @property
    def line(self) -> int:
        """Return how many lines were read so far."""
        return self._before + self._reader.line_num


def spreadsheet_rows(
    source: InputFile, path: str, fixed: Collection[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield every row as column → cell with its line number.

    Where the comma is free, it may be the decimal point.

    Columns named in `fixed` are recognised in any case, and their cells are left as they are.
    """
    texts = (text for _, text in source.texts())
    rows = CsvRows(texts, usual="\t" if ".tsv" in path else None)
    names = []
    try:
        for name in next(rows, []):
            bare = name.strip()
            names.append(bare.lower() if bare.lower() in fixed else bare)
        for cells in rows:
            if len(cells) > len(names):
                raise DataError("more cells than the header has", line=rows.line)
            if any(cells):
                named = zip(names, cells, strict=False)
                plain = {
                    name: cell if rows.delimiter == "," or name in fixed else _with_point(cell)
                    for name, cell in named
                }
                yield rows.line, plain
    except DataError as error:
        raise (error if error.file else error.at(path, error.line)) from None


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell
