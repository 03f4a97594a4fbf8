"""Read delimited text, the one way for every file that a spreadsheet saved: comma, semicolon, tab or bar between cells.

Cells may be quoted and then hold line breaks. A first line such as `sep=;`, which Excel writes and reads, names the delimiter; otherwise the header shows it.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Collection, Iterable, Iterator

from newsdesk.errors import DataError
from newsdesk.files import MAX_LINE_BYTES, InputFile

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
