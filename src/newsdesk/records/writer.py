"""Records out: the same bytes for the same records, all of them or none."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from newsdesk.errors import DataError
from newsdesk.files import atomic
from newsdesk.records import parquet
from newsdesk.records.kinds import key_of
from newsdesk.records.schema import schema_of
from newsdesk.records.seen import Seen
from newsdesk.types import Ranked


def write(path: str | os.PathLike[str], records: Iterable[Any], *, overwrite: bool = True) -> int:
    """Write records and return how many there were.

    The name decides: `.parquet` for articles in bulk, `.trec` for a run, anything else is JSONL, `.gz` compressed, `-` is
    standard output. What could not be read back (a duplicate key, half a character) is refused, and nothing is written.
    """
    name = os.fspath(path)
    checked = _Checked(records, name)
    with atomic(name, overwrite=overwrite) as stream:
        if parquet.is_parquet(name):
            return parquet.write_articles(stream, checked)
        line_of = _trec_line if name.removesuffix(".gz").endswith(".trec") else json_line
        for record in checked:
            stream.write(checked.encoded(line_of(record)))
    return checked.count


def json_line(record: Any) -> str:
    """A record as one line of JSON, without its line end."""
    return json.dumps(schema_of(type(record)).encode(record), ensure_ascii=False, allow_nan=False)


class _Checked:
    """Records on their way out, counted, with no key twice."""

    def __init__(self, records: Iterable[Any], file: str) -> None:
        self._records = iter(records)
        self._file = file
        self._seen = Seen()
        self.count = 0

    def __iter__(self) -> _Checked:
        return self

    def __next__(self) -> Any:
        record = next(self._records)
        self.count += 1
        key = key_of(record)
        if key is not None and not self._seen.add("\0".join(key)):
            what = " ".join(repr(part) for part in key)
            raise DataError(f"duplicate {what}", file=self._file, line=self.count)
        return record

    def encoded(self, line: str) -> bytes:
        """The bytes of a line, if its text can be written at all."""
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
