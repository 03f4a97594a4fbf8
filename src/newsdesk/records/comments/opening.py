"""Opens a file of comments: recognises encoding and format by content, or reads the format that is named, and returns its threads.

Our own threads are told apart by the first line, with an object as `article`; they are read elsewhere, strictly.

Encodings are those of table programs. A file is UTF-8 unless it begins as UTF-16 does, or its first line with other than ASCII bytes is not UTF-8: then all of it is read as Windows-1252, and the
account says so. In a file that has shown itself to be UTF-8, a broken byte stays visible as a lone surrogate, and its row is rejected later.
"""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from newsdesk.errors import DataError
from newsdesk.files import InputFile
from newsdesk.records.comments.exports import is_coral, read_coral, read_disqus, read_wordpress
from newsdesk.records.comments.flat import (
    LIST,
    Columns,
    check_fields,
    has_text,
    header_names,
    json_rows,
    list_rows,
    no_text,
    parquet_rows,
    table_rows,
)
from newsdesk.records.comments.grouping import Account, Grouping, Lines, Rows
from newsdesk.records.comments.nested import NestedThreads, is_nested
from newsdesk.records.comments.social import (
    ACTIVITIES,
    BLUESKY,
    MASTODON,
    read_social,
    social_format,
)
from newsdesk.records.comments.tencent import is_tencent
from newsdesk.records.comments.workbook import workbook_rows
from newsdesk.records.kinds import guess
from newsdesk.records.schema import Json, parse_json, schema_of
from newsdesk.records.tables import is_workbook, parquet_columns
from newsdesk.types import Thread


def utf16_of(head: bytes) -> str | None:
    """Return the UTF-16 encoding that the first bytes of a file show by mark or zeros; else None.

    >>> utf16_of("id;text".encode("utf-16-le")), utf16_of(b"id;text")
    ('utf-16-le', None)
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if len(head) < 4 or head[:4].count(0) != 2:
        return None
    return "utf-16-le" if head[1] == 0 and head[3] == 0 else "utf-16-be"


def utf16_lines(chunks: Iterable[bytes], encoding: str) -> Lines:
    """Yield the lines of a file in UTF-16, numbered from 1."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    number, rest = 0, ""
    for chunk in chunks:
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        for line in whole:
            number += 1
            yield number, line.removesuffix("\r")
    rest += decoder.decode(b"", final=True)
    if rest:
        yield number + 1, rest


def lenient_lines(lines: Iterable[tuple[int, bytes]], account: Account) -> Lines:
    """Numbered lines as text, in UTF-8 or Windows-1252."""
    encoding: str | None = None
    for number, line in lines:
        if encoding is None and not line.isascii():
            encoding = "utf-8" if _is_utf8(line) else "cp1252"
            if encoding == "cp1252":
                account.notes.append(f"line {number} is not UTF-8: read as Windows-1252")
        yield (
            number,
            _windows(line) if encoding == "cp1252" else line.decode("utf-8", "surrogateescape"),
        )


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _windows(line: bytes) -> str:
    try:
        return line.decode("cp1252")
    except UnicodeDecodeError:
        return line.decode("latin-1")  # the five bytes that Windows-1252 leaves undefined


FLAT, NESTED, CORAL = "flat", "nested", "coral"
_XML = {"disqus": read_disqus, "wordpress": read_wordpress}
_ROOTS = {b"<disqus": "disqus", b"<rss": "wordpress"}
_SOCIAL = (MASTODON, ACTIVITIES, BLUESKY)
# The formats of comments; `csv`, which holds any flat type, is one of them where threads are read.
COMMENT_FORMATS = (FLAT, NESTED, CORAL, *_XML, *_SOCIAL)
_TABLES = (".csv", ".tsv", ".tab")
_JSON_LINES = (".jsonl", ".ndjson")
_BARE = {"id", "text", "author", "lang"}

ByteLines = Iterator[tuple[int, bytes]]


@dataclass(frozen=True, slots=True)
class Opened:
    """A file of comments: its format, and its threads with the line of the first comment.

    Those of flat rows come when all rows have been grouped.
    """

    format: str
    grouping: Grouping | None
    threads: Iterator[tuple[int, Thread]]


def open_comments(
    source: InputFile, format: str | None, mapped: Mapping[str, str], account: Account
) -> Opened | ByteLines:
    """Return the threads of a file of comments; where the file is not one, its lines, from the first on."""
    check_fields(mapped)
    head = source.head()
    named = FLAT if format == "csv" else format
    if is_workbook(head) and named in (None, FLAT):
        try:
            rows, has_article = workbook_rows(source, mapped, account)
        except DataError as error:
            raise (error if error.file else error.at(source.name, None)) from None
        return _opened(FLAT, source.name, rows, account, lambda: has_article)
    if format is None or format in _XML:
        named = format or _xml_format(head)
        if named in _XML:
            _check_root(named, head, source.name)
            return _opened(named, source.name, _XML[named](source.chunks(), account), account)
    if encoding := utf16_of(head):
        texts = utf16_lines(source.chunks(), encoding)
        begin = next(texts, (1, ""))
        texts = itertools.chain([begin], texts)
        named = named or _recognised(source.name, begin[1], mapped) or FLAT
        return _open_texts(named, source.name, texts, begin[1], mapped, account)
    return open_comment_lines(source.name, source.lines(), named, mapped, account)


def open_comment_lines(
    file: str, lines: ByteLines, format: str | None, mapped: Mapping[str, str], account: Account
) -> Opened | ByteLines:
    """Return the threads of the lines of a file of comments; where they are not, the lines themselves."""
    first = next(lines, None)
    if first is None:
        return iter(())
    lines = itertools.chain([first], lines)
    text = first[1].decode("utf-8", "surrogateescape")
    format = format or _recognised(file, text, mapped)
    if format is None:
        return lines
    return _open_texts(format, file, lenient_lines(lines, account), text, mapped, account)


def open_parquet(
    path: str, files: Sequence[str], mapped: Mapping[str, str], account: Account
) -> Opened | None:
    """Return the threads of Parquet files with a comment a row.

    None where they hold our own threads, nested.
    """
    check_fields(mapped)
    if not mapped and "comments" in parquet_columns(files[0]):
        return None
    rows, has_article = parquet_rows(files, mapped, account)
    return _opened("parquet", path, rows, account, lambda: has_article)


def _open_texts(
    format: str,
    file: str,
    texts: Lines,
    first: str,
    mapped: Mapping[str, str],
    account: Account,
) -> Opened:
    opening = first.lstrip()[:1]
    if opening in ("{", "["):
        return _open_json(format, file, texts, first, mapped, account)
    if format in (CORAL, NESTED, *_SOCIAL):
        raise DataError(f"not JSON, which the format {format!r} is", file=file, line=1)
    try:
        rows, has_article = table_rows(texts, mapped, account)
    except DataError as error:
        raise error.at(file, 1) from None
    return _opened(FLAT, file, rows, account, lambda: has_article)


def _open_json(
    format: str,
    file: str,
    texts: Lines,
    first: str,
    mapped: Mapping[str, str],
    account: Account,
) -> Opened:
    columns = Columns(mapped, account)
    by_line = isinstance(_parsed(first), dict)
    values = None if by_line else _whole(file, texts)
    path = mapped.get(LIST, "")
    if "." in path and not is_nested(values[0] if values else _parsed(first), mapped):
        raise DataError(
            f"no list of comments at `{path}`; its keys stand from the outside in, with points between",
            file=file,
        )
    shown = social_format(values[0]) if values and not mapped else None
    if format in _SOCIAL or shown:
        numbered = _by_line(texts, account) if values is None else enumerate(values, 1)
        format = format if format in _SOCIAL else shown or format
        posts = read_social(format, numbered, account)
        return _opened(format, file, posts, account, lambda: False)
    if values and is_coral(values[0]) and not mapped:
        format = CORAL
    elif (
        format == NESTED
        and values
        and isinstance(values[0], dict)
        and not is_nested(values[0], mapped)
    ):
        format = _recognised_row(file, values[0], mapped) or NESTED
    if format == CORAL:
        numbered = _by_line(texts, account) if values is None else enumerate(values, 1)
        return _opened(CORAL, file, read_coral(iter(numbered), account), account)
    if format == NESTED or (values and is_nested(values[0], mapped)):
        numbered = _by_line(texts, account) if values is None else enumerate(values, 1)
        threads = NestedThreads(mapped, account).threads(iter(numbered))
        return Opened(NESTED, None, _placed(file, threads))
    if values is None:
        rows = json_rows(texts, columns, account)
    else:
        rows = list_rows(values, columns, account)
    return _opened(FLAT, file, rows, account, lambda: columns.has_article, columns.check)


def _opened(
    format: str,
    file: str,
    rows: Rows,
    account: Account,
    has_article: Callable[[], bool] = lambda: True,
    check: Callable[[], None] = lambda: None,
) -> Opened:
    grouping = Grouping(file, account)

    def threads() -> Iterator[tuple[int, Thread]]:
        try:
            grouping.add(rows, has_article)
            check()
        except DataError as error:
            raise (error if error.file else error.at(file, None)) from None
        yield from grouping.threads()

    return Opened(format, grouping, threads())


def _placed(file: str, threads: Iterator[tuple[int, Thread]]) -> Iterator[tuple[int, Thread]]:
    """Yield the threads, with the name of the file in an error."""
    try:
        yield from threads
    except DataError as error:
        raise (error if error.file else error.at(file, None)) from None


def _xml_format(head: bytes) -> str | None:
    if not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return None
    return next((format for root, format in _ROOTS.items() if root in head), None)


def _check_root(format: str, head: bytes, file: str) -> None:
    """Raise DataError if the root element of an XML file is that of another system."""
    other = _xml_format(head)
    if other is not None and other != format:
        raise DataError(f"a {other} export, not {format}; use --input-format {other}", file=file)


def _recognised(file: str, first: str, mapped: Mapping[str, str]) -> str | None:
    """`flat`, `nested` or `coral` by the first line; None where the file is ours, or nobody's."""
    suffix = Path(file.removesuffix(".gz")).suffix.lower()
    begin = first.lstrip()
    if begin.startswith("["):
        return FLAT
    if begin.startswith("{"):
        row = _parsed(first)
        if isinstance(row, dict):
            return _recognised_row(file, row, mapped)
        return NESTED if suffix == ".json" else None  # an object over many lines
    if suffix in _JSON_LINES:
        return None
    return FLAT if mapped or suffix in _TABLES or has_text(header_names(first)) else None


def _recognised_row(file: str, row: dict[str, Json], mapped: Mapping[str, str]) -> str | None:
    if not mapped and (network := social_format(row)):
        return network
    if LIST not in mapped and (isinstance(row.get("comments"), dict) or is_coral(row)):
        return CORAL
    if LIST in mapped and is_nested(row, mapped):
        return NESTED
    if isinstance(row.get("article"), dict) or (is_tencent(row) and not mapped):
        return None
    if is_nested(row, mapped) and not _is_other_record(row):
        return NESTED
    if mapped:
        return FLAT
    if has_text(list(row)):
        return None if _is_other_record(row) else FLAT
    if guess(row) is None and row:
        raise no_text(list(row), row).at(file, 1)
    if isinstance(comments := row.get(LIST), list) and any(
        isinstance(comment, list) for comment in comments
    ):
        raise no_text(list(row), {LIST: comments}).at(file, 1)
    return None


def _is_other_record(row: dict[str, Json]) -> bool:
    """Return True if a row is a whole record of ours, say of an output.

    An article of an id and a text alone may as well be a comment.
    """
    kind = guess(row)
    if kind is None or row.keys() <= _BARE:
        return False
    try:
        schema_of(kind).decode(row)
    except DataError:
        return False
    return True


def _parsed(text: str) -> Json:
    try:
        return parse_json(text)
    except DataError:
        return None


def _whole(file: str, texts: Lines) -> list[Json]:
    try:
        value = parse_json("\n".join(text for _, text in texts))
    except DataError as error:
        raise error.at(file, None) from None
    return value if isinstance(value, list) else [value]


def _by_line(texts: Lines, account: Account) -> Iterator[tuple[int, Json]]:
    for number, text in texts:
        if text.strip():
            try:
                yield number, parse_json(text)
            except DataError:
                account.reject("not JSON", number)
