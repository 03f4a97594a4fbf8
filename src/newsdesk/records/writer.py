"""Writing records: atomically, and the same bytes for the same records."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from typing import Any

from newsdesk.errors import DataError, FileError
from newsdesk.files import atomic
from newsdesk.jsonl import json_text
from newsdesk.records import parquet
from newsdesk.records.foreign import format_of
from newsdesk.records.kinds import Seen, key_of
from newsdesk.records.schema import Json, schema_of
from newsdesk.types import Ranked


def write(path: str | os.PathLike[str], records: Iterable[Any], *, overwrite: bool = True) -> int:
    """Write records and return how many there were.

    The name decides: `.parquet` for articles in bulk, `.trec` for a run, anything else is JSONL, `.gz` compressed, `-` is
    standard output. What could not be read back (a duplicate key, half a character) is refused, and nothing is written.
    """
    name = os.fspath(path)
    if (format := format_of(name, {})) in ("csv", "qrels"):
        raise FileError(f"{name}: records are not written as {format}; name a .jsonl file")
    checked = _Checked(records, name)
    trec = name.removesuffix(".gz").endswith(".trec")
    with atomic(name, overwrite=overwrite) as stream:
        if parquet.is_parquet(name):
            return parquet.write_articles(stream, checked)
        for record in checked:
            stream.write(checked.encoded(_trec_line(record) if trec else json_text(checked.row)))
    return checked.count


def record_text(record: Any) -> str:
    """Return a record as JSON on one line."""
    return json_text(schema_of(type(record)).encode(record))


class _Checked:
    """Validates and counts records while they are written: all of one type, each readable, no key twice.

    `row` is the latest one as a JSON object.
    """

    def __init__(self, records: Iterable[Any], file: str) -> None:
        self._records = iter(records)
        self._file = file
        self._seen = Seen()
        self._kind: type[Any] | None = None
        self.count = 0
        self.row: Json = None

    def __iter__(self) -> _Checked:
        return self

    def __next__(self) -> Any:
        record = next(self._records)
        self.count += 1
        try:
            self.row = self._checked(record)
        except DataError as error:
            raise error.at(self._file, self.count) from None
        key = key_of(record)
        if key is not None and not self._seen.add("\0".join(key)):
            what = " ".join(repr(part) for part in key)
            raise DataError(f"duplicate {what}", file=self._file, line=self.count)
        return record

    def _checked(self, record: Any) -> Json:
        kind = type(record)
        if not dataclasses.is_dataclass(kind):
            raise DataError(f"a {kind.__name__} is not a record")
        self._kind = self._kind or kind
        if kind is not self._kind:
            raise DataError(f"{kind.__name__} in a file of {self._kind.__name__}")
        schema = schema_of(kind)
        row = schema.encode(record)
        schema.decode(row)  # a value of the wrong type would be found only by the next reader
        return row

    def encoded(self, line: str) -> bytes:
        """Return the bytes of a line, if its text can be written at all."""
        try:
            return line.encode("utf-8") + b"\n"
        except UnicodeEncodeError as error:
            reason = "a lone surrogate (half of a character) in a text"
            raise DataError(reason, file=self._file, line=self.count) from error


def _trec_line(record: Any) -> str:
    if not isinstance(record, Ranked):
        raise DataError(f"a .trec file holds a run, not {type(record).__name__}")
    for name in (record.article, record.comment):
        if any(character.isspace() for character in name):
            raise DataError(f"the id {name!r} holds white space, which a TREC file cannot")
    return f"{record.article} Q0 {record.comment} {record.rank} {record.score!r} newsdesk"
