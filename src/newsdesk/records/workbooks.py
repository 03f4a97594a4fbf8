"""Check a workbook (.xlsx) before openpyxl parses it: nothing in a file that somebody sends is trusted.

Its unpacked size and its numbers of rows and cells are bounded by a scan of the bytes, which is fast; what openpyxl raises when a part is missing or broken becomes one error.
"""

from __future__ import annotations

import contextlib
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from newsdesk.errors import DataError

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
