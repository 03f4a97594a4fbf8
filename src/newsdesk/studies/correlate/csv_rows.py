"""Rows of a table that a spreadsheet saved: comma, semicolon, tab or bar between cells, and decimal commas where the comma is free."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Collection, Iterator

from newsdesk.errors import DataError
from newsdesk.files import MAX_LINE_BYTES, Source
from newsdesk.records.comments.flat import delimiter_of

_SEPARATOR = re.compile(r"sep=(.)\s*\Z", re.IGNORECASE)  # a first line that Excel writes and reads
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


def csv_rows(
    source: Source, path: str, known: Collection[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield every row as column → cell with its line number.

    Names in `known` are found in any case, and their cells are left as they are.
    """
    csv.field_size_limit(MAX_LINE_BYTES)
    texts = (text for _, text in source.texts())
    first = next(texts, "")
    told = _SEPARATOR.match(first)
    if told:
        first = next(texts, "")
    comma = told[1] if told else "\t" if ".tsv" in path else delimiter_of(first)
    reader = csv.reader(
        (text + "\n" for text in itertools.chain([first], texts)), delimiter=comma, strict=True
    )
    before = 1 if told else 0
    try:
        names = [_name(each, known) for each in next(reader, [])]
        for cells in reader:
            number = before + reader.line_num
            if len(cells) > len(names):
                raise DataError("more cells than the header has", file=path, line=number)
            if any(cells):
                yield (
                    number,
                    {
                        name: cell if comma == "," or name in known else _with_point(cell)
                        for name, cell in zip(names, cells, strict=False)
                    },
                )
    except csv.Error as error:
        raise DataError(f"not CSV: {error}", file=path, line=before + reader.line_num) from None


def _name(name: str, known: Collection[str]) -> str:
    """Return the name of a column without spaces around it, in lower case where that is a known one."""
    bare = name.strip()
    return bare.lower() if bare.lower() in known else bare


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell
