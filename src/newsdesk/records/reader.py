"""Reading records: our own JSONL strictly, foreign formats by name or by recognition, articles and comments from Parquet too."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from newsdesk.errors import DataError, NewsdeskError, SpecError
from newsdesk.files import InputFile, decode
from newsdesk.records.comments.cells import ORDERS, FileDates
from newsdesk.records.comments.grouping import Account, Grouping
from newsdesk.records.comments.opening import (
    COMMENT_FORMATS,
    ByteLines,
    Opened,
    open_comment_lines,
    open_comments,
    open_parquet,
)
from newsdesk.records.foreign import KIND_OF_FORMAT, format_of, read_foreign
from newsdesk.records.kinds import Seen, guess, key_of, name_of, plural_of
from newsdesk.records.schema import Json, parse_line, schema_of
from newsdesk.records.tables import is_workbook, parquet_files, parquet_objects
from newsdesk.registry import RECORDS
from newsdesk.settings import one_of
from newsdesk.types import Article, Cluster, Reference, References, Thread

T = TypeVar("T")
Numbered = Iterator[tuple[int, Any]]
OWN = "newsdesk"


def read(
    path: str | os.PathLike[str],
    kind: type[T],
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    dates: str | None = None,
) -> Reader[T]:
    """Stream the records of a file, in order.

    `path` may end in .gz or be a folder of Parquet files, and `-` is standard input. A clusters file also reads as `References`: its summaries. `format`
    names a foreign one (wcep, coco, lines, trec, qrels, csv; flat, nested, disqus, coral, wordpress, mastodon, activitystreams, bluesky, tencent, tencent-words for comments) or "newsdesk", our own; left out, it is recognised. `columns` maps
    fields of comments to columns of a flat file, as in `{"text": "body"}`. `dates` is the order of dates such as 5/11/2026, dmy or mdy; left out, it is found from the rows.
    """
    return Reader(os.fspath(path), kind, format, columns, dates)


def read_any(path: str | os.PathLike[str], *, format: str | None = None) -> Reader[Any]:
    """Stream the records of a file whose type its first line shows."""
    return Reader(os.fspath(path), None, format)


def read_named(
    path: str | os.PathLike[str],
    kind: str | None = None,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    dates: str | None = None,
) -> Reader[Any]:
    """Stream the records of a file whose type is named, as in "cluster", or shown by its first line."""
    named = None if kind is None else RECORDS.load(kind)
    return Reader(os.fspath(path), named, format, columns, dates)


class Reader(Iterator[T], Generic[T]):
    """An iterator over the records of a file that also reports its type, format and progress.

    `kind` is the record type (None only when it was to be found and the file is empty); `count` records so far; `format` as
    given or recognised; `account` counts what was not taken: keys of a foreign format and columns of Parquet that mean nothing to us (`ignored` for short), and in
    files of comments the rows that were rejected or skipped.
    """

    def __init__(
        self,
        path: str,
        kind: type[T] | None,
        format: str | None,
        columns: Mapping[str, str] | None = None,
        dates: str | None = None,
    ) -> None:
        one_of("dates", dates, (None, *ORDERS))
        self.path = path
        self.kind: type[Any] | None = kind
        self.count = 0
        self.account = Account(dates=FileDates(dates))
        self._seen = Seen()
        self._source: InputFile | None = None
        self._grouping: Grouping | None = None
        if kind is None and (columns or format in COMMENT_FORMATS):
            self.kind = Thread
        if (files := parquet_files(path)) is not None:
            self.kind = self.kind or Article
            self.format = "parquet"
            self._rows = self._open_parquet(files, columns or {})
        else:
            self._source = InputFile(path)
            try:
                self.format, self._rows = self._open(self._source, format, columns or {})
            except NewsdeskError:
                self.close()
                raise

    def __iter__(self) -> Reader[T]:
        return self

    def __next__(self) -> T:
        try:
            number, record = next(self._rows)
            self._check_key(number, record)
        except (NewsdeskError, StopIteration):
            self.close()
            raise
        self.count += 1
        return record

    def close(self) -> None:
        """Close the file; reading to the end or to an error closes it too."""
        if self._source is not None:
            self._source.close()

    @property
    def ignored(self) -> Counter[str]:
        """The keys and columns that mean nothing to us, with the number of times each was met."""
        return self.account.ignored

    @property
    def fraction(self) -> float | None:
        """How much of the file has been read, from 0 to 1, if its size is known.

        Of comments, the share of threads returned.
        """
        if self._grouping is not None:
            return self.count / self._grouping.total if self._grouping.total else None
        source = self._source
        if source is None or not source.bytes_total or source.bytes_read is None:
            return None
        return min(1.0, source.bytes_read / source.bytes_total)

    def _check_key(self, number: int, record: Any) -> None:
        key = key_of(record)
        if key is not None and not self._seen.add("\0".join(key)):
            what = f"{name_of(type(record))} {' '.join(map(repr, key))}"
            raise DataError(f"duplicate {what}", file=self.path, line=number)

    def _open_parquet(self, files: list[str], columns: Mapping[str, str]) -> Numbered:
        kind = self.kind or Article
        if kind is Thread and (opened := open_parquet(self.path, files, columns, self.account)):
            self._grouping = opened.grouping
            return opened.threads
        return _from_parquet(files, kind, self.ignored)

    def _open(
        self, source: InputFile, format: str | None, columns: Mapping[str, str]
    ) -> tuple[str, Numbered]:
        """Return the format and the stream of numbered records.

        The first line is read at once to recognise them.
        """
        if self.kind is not Thread and is_workbook(source.head()):
            if self.kind is not None:
                raise DataError(
                    "a workbook, of which only comments are read; save it as CSV", file=source.name
                )
            self.kind = Thread
        if self.kind is not Thread and format in COMMENT_FORMATS:
            raise SpecError(f"{source.name}: the format {format!r} holds comments; read threads")
        if self.kind is not Thread or not _may_hold_comments(source.name, format):
            return self._open_lines(source.name, source.lines(), format)
        opened = open_comments(source, format, columns, self.account)
        return self._threads(source.name, opened, format)

    def _threads(
        self, file: str, opened: Opened | ByteLines, format: str | None
    ) -> tuple[str, Numbered]:
        """Return the threads of a file of comments; lines that are none of those are read as records."""
        if not isinstance(opened, Opened):
            return self._open_lines(file, opened, format)
        self._grouping = opened.grouping
        return opened.format, opened.threads

    def _open_lines(
        self, file: str, encoded: ByteLines, format: str | None
    ) -> tuple[str, Numbered]:
        begin = next(encoded, None)
        if begin is None:
            return format or OWN, iter(())
        encoded = itertools.chain([begin], encoded)
        first = begin[0], decode(begin[1], file, begin[0])
        peeked = _peek(first[1])
        format = format or format_of(file, peeked) or OWN
        if self.kind is None:
            self.kind = KIND_OF_FORMAT.get(format) or guess(peeked)
            if self.kind is Thread and format == OWN:  # ours, or those of others
                return self._threads(
                    file, open_comment_lines(file, encoded, None, {}, self.account), format
                )
        if self.kind is None:
            raise _untold(file, first, format)
        numbered = ((number, decode(line, file, number)) for number, line in encoded)
        clusters = "articles" in peeked or format == "wcep"
        kind = Cluster if self.kind is References and clusters else self.kind
        if format == OWN:
            _refuse_other_kind(file, peeked, kind)
            rows = _own(file, numbered, kind)
        else:
            rows = read_foreign(format, file, numbered, kind, self.account)
        return format, rows if kind is self.kind else _summaries(file, rows)


def _may_hold_comments(file: str, format: str | None) -> bool:
    """Return True unless the format, named or shown by the file's name, holds something else."""
    if format is not None:
        return format == "csv" or format in COMMENT_FORMATS
    return format_of(file, {}) in (None, "csv", "coco", "lines")


def _from_parquet(files: list[str], kind: type[Any], ignored: Counter[str]) -> Numbered:
    schema = schema_of(kind)
    for file in files:
        for number, row in parquet_objects(file):
            unknown = row.keys() - schema.fields.keys()
            ignored.update(unknown)
            for name in unknown:
                del row[name]
            try:
                yield number, schema.decode(row)
            except DataError as error:
                raise error.at(file, number) from None


def _peek(text: str) -> Mapping[str, Json]:
    """Return the first line as an object, or an empty one where it is something else.

    Its own reader says what is wrong.
    """
    try:
        return parse_line(text)
    except DataError:
        return {}


def _untold(file: str, first: tuple[int, str], format: str) -> DataError:
    """Return why a first line shows no record type.

    Because it is broken, or because its keys are nobody's.
    """
    number, text = first
    try:
        if format == OWN:
            parse_line(text)
    except DataError as error:
        return error.at(file, number)
    reason = "the first line shows no record type; name one with --type"
    return DataError(reason, file=file, line=number)


def _refuse_other_kind(file: str, first: Mapping[str, Json], kind: type[Any]) -> None:
    """Refuse a file whose first line is a whole record of another type.

    One that is broken gets the error of its own line.
    """
    shown = guess(first)
    if shown is None or shown is kind:
        return
    try:
        schema_of(shown).decode(first)
    except DataError:
        return
    try:
        schema_of(kind).decode(first)
    except DataError:
        reason = f"this file holds {plural_of(shown)}; {plural_of(kind)} are needed"
        raise DataError(reason, file=file) from None


def _own(file: str, lines: Iterator[tuple[int, str]], kind: type[Any]) -> Numbered:
    schema = schema_of(kind)
    for number, text in lines:
        try:
            record = schema.decode(parse_line(text))
        except DataError as error:
            raise error.at(file, number) from None
        yield number, record


def _summaries(file: str, clusters: Numbered) -> Numbered:
    for number, cluster in clusters:
        if cluster.summary is None:
            reason = f"cluster {cluster.id!r} has no `summary` to serve as a reference"
            raise DataError(reason, file=file, line=number)
        yield number, References(cluster.id, (Reference(cluster.summary),))
