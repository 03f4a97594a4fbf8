"""A file of any of these kinds as articles: CSV and other tables, JSON by line or in a list, Parquet, text, feeds, and the collections WCEP and Multi-News.

A row that holds several articles (a list, or texts with `|||||` or `story_separator_special_tag` between them) gives one article for each of them, named after the row. Every row ends as an article or as a reason.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from newsdesk import packaged
from newsdesk.corpus.intake.columns import ARTICLES, ColumnReader
from newsdesk.corpus.intake.feeds import feed_items, is_feed
from newsdesk.corpus.pages import BROKEN_ROW
from newsdesk.errors import DataError
from newsdesk.files import InputFile
from newsdesk.records.comments.cells import FileDates
from newsdesk.records.comments.grouping import Account, Lines
from newsdesk.records.comments.opening import lenient_lines, utf16_lines, utf16_of
from newsdesk.records.schema import parse_json
from newsdesk.records.tables import CsvRows, is_parquet, is_workbook, parquet_objects
from newsdesk.types import Article

TEXT_ENDINGS = (".txt", ".text", ".md", ".txt.gz")
_TEXT_ENDING = re.compile(r"\.(?:txt|text|md)(?:\.gz)?\Z")
DOCUMENT_LINES = (".src", ".src.cleaned", ".src.txt", ".source")
_PLAIN = (".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".xml", ".rss", ".atom", ".rdf")
ENDINGS = (
    *(f"{ending}{packed}" for ending in (*_PLAIN, *DOCUMENT_LINES) for packed in ("", ".gz")),
    ".parquet",
)
_PARTED = re.compile(r"\s*(?:\|{5}|story_separator_special_tag)\s*")
_NEWLINE = "NEWLINE_CHAR"  # how the published Multi-News files write a line break
_SHARED = ("date", "category", "lang", "source")
_MOST_TITLE_LINE = 200
_LOOKED_AT = 20_000  # rows in which a proof of the order of day and month is looked for
_FILE_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d")

Row = tuple[int, Mapping[str, Any] | str]  # line; keys and values, or the reason of a broken row
Taken = tuple[int, Article | str]
Note = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class RowForm:
    """How the rows of files are read: fields and their columns as mapped, and the order of day and month (dmy, mdy)."""

    mapped: Mapping[str, str] = field(default_factory=dict)
    order: str | None = None

    def rows(self, path: str, note: Note) -> Iterator[Taken]:
        """Yield each article of a file with its line, or the reason why a row is none.

        `note` hears what is no loss when all rows are through.
        """
        reader = ColumnReader(self.mapped, self.order)
        try:
            yield from self._rows(path, reader)
        except DataError as error:
            raise (error if error.file else error.at(path, None)) from None
        for what, count in sorted(reader.notes.items()):
            note(what, count)

    def _rows(self, path: str, reader: ColumnReader) -> Iterator[Taken]:
        if is_feed_file(path):
            items = feed_items(InputFile(path).chunks())
            yield from _each(items, reader.from_cells)
            return
        stem = Path(path).name.partition(".")[0]
        reader.order = self.order or _proved_order(path, self.mapped)
        for line, row in _file_rows(path, reader.notes):
            if isinstance(row, str):
                yield line, row
                continue
            parts = list(_parts(row, f"{stem}-{line}", self.mapped))
            if not parts:
                yield from _each([(line, row)], reader.article)
            for part, about in parts:
                yield from _each([(line, part)], partial(reader.article, about=about))


def _each(
    rows: Iterable[tuple[int, Mapping[str, Any]]],
    article_of: Callable[[Mapping[str, Any]], Article],
) -> Iterator[Taken]:
    """Yield what a function makes of each row; a row that it refuses is its reason.

    A file without any column that could hold a text is refused as a whole.
    """
    for line, row in rows:
        try:
            yield line, article_of(row)
        except DataError as error:
            if error.reason.startswith("no column"):
                raise
            yield line, error.reason


def is_feed_file(path: str) -> bool:
    """Return True if the content of a file is that of a feed or a sitemap."""
    if is_parquet(path):
        return False
    source = InputFile(path)
    try:
        return is_feed(source.head())
    finally:
        source.close()


def text_files(
    files: Iterable[tuple[str, str]], note: Note
) -> Iterator[tuple[str, int, Article | str]]:
    """Yield the article of each file of text (name, path): its name, line 1, and article or reason."""
    reader = ColumnReader()
    for name, path in files:
        texts = _texts(InputFile(path), Account())
        cells = _text_cells(name, [line.strip() for _, line in texts if line.strip()])
        for line, taken in _each([(1, cells)], reader.from_cells):
            yield name, line, taken
    for what, count in sorted(reader.notes.items()):
        note(what, count)


def _text_cells(name: str, lines: Sequence[str]) -> Mapping[str, Any]:
    """Return the fields of a text: a short first line is its title, a day in its name its date."""
    first, rest = (lines[0], lines[1:]) if lines else ("", [])
    titled = bool(rest) and len(first) <= _MOST_TITLE_LINE
    days = _FILE_DAY.findall(name)
    return {
        "id": _TEXT_ENDING.sub("", name).lstrip("./"),
        "title": first.lstrip("# ") if titled else "",
        "text": "\n".join(rest if titled else lines),
        "date": days[-1] if days else None,
    }


def _texts(source: InputFile, account: Account) -> Lines:
    """Return the lines of a file as text: UTF-8, UTF-16 or Windows-1252."""
    if encoding := utf16_of(source.head()):
        return utf16_lines(source.chunks(), encoding)
    return lenient_lines(source.lines(), account)


def _file_rows(path: str, notes: Counter[str]) -> Iterator[Row]:
    """Yield the rows of a file that is no feed."""
    if is_parquet(path):
        yield from parquet_objects(path)
        return
    source = InputFile(path)
    if is_workbook(source.head()):
        source.close()
        raise DataError("a workbook; save it as CSV", file=path)
    account = Account()
    texts = _texts(source, account)
    first = next(texts, None)
    if first is None:
        return
    texts = itertools.chain([first], texts)
    name = path.removesuffix(".gz")
    if name.endswith(DOCUMENT_LINES):
        yield from ((line, {ARTICLES: text}) for line, text in texts if text.strip())
    elif first[1].lstrip("\ufeff \t")[:1] in ("{", "["):
        yield from _json_rows(texts, first[1], path)
    else:
        yield from _table_rows(texts)
    notes.update(account.notes)


def _json_rows(texts: Lines, first: str, path: str) -> Iterator[Row]:
    """Yield the objects of JSON: one a line, a list of them, or an object that holds one list of them."""
    try:
        by_line = isinstance(parse_json(first), dict)
    except DataError:
        by_line = False
    if by_line:
        for line, text in texts:
            if text.strip():
                try:
                    value = parse_json(text)
                except DataError:
                    value = None
                yield line, value if isinstance(value, dict) else BROKEN_ROW
        return
    try:
        value = parse_json("\n".join(text for _, text in texts))
    except DataError as error:
        raise error.at(path, None) from None
    if isinstance(value, dict):
        lists = [
            inner
            for inner in value.values()
            if isinstance(inner, list) and inner and isinstance(inner[0], dict)
        ]
        value = lists[0] if len(lists) == 1 else [value]
    for number, row in enumerate(value if isinstance(value, list) else [], 1):
        yield number, row if isinstance(row, dict) else BROKEN_ROW


def _table_rows(texts: Lines) -> Iterator[Row]:
    rows = CsvRows(text for _, text in texts)
    names = [name.strip() for name in next(rows, [])]
    while True:
        line = rows.line + 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except DataError:
            yield line, BROKEN_ROW
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(names) and any(cell.strip() for cell in cells[len(names) :]):
            yield line, BROKEN_ROW
            continue
        row: dict[str, str] = {}
        for name, cell in zip(names, cells, strict=False):
            row.setdefault(name, cell)
        yield line, row


def _parts(
    row: Mapping[str, Any], default_id: str, mapped: Mapping[str, str]
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the articles of a row that holds several, each as a row with the fields that it shares; none for a row that is an article."""
    named = mapped.get(ARTICLES)
    names = (
        [named] if named else packaged.sections("corpus.intake", "article_columns.txt")[ARTICLES]
    )
    name = next((name for name in names if _holds_several(row.get(name), named=bool(named))), None)
    if name is None:
        return
    value = row[name]
    event = "-".join(str(row.get("id") or "").split()) or default_id
    shared = {key: row[key] for key in _SHARED if isinstance(row.get(key), str)}
    parts = _PARTED.split(value) if isinstance(value, str) else value
    for number, part in enumerate([part for part in parts if part], 1):
        inner = part if isinstance(part, Mapping) else {"text": str(part).replace(_NEWLINE, "\n")}
        yield inner, {**shared, "id": f"{event}/{number}"}


def _holds_several(value: Any, *, named: bool) -> bool:
    if isinstance(value, str):
        return named or _PARTED.search(value) is not None
    return isinstance(value, list) and all(isinstance(part, dict | str) for part in value)


def _proved_order(path: str, mapped: Mapping[str, str]) -> str | None:
    """Return whether dates with the year last have the day or the month first, as the first rows prove."""
    dates, reader = FileDates(), ColumnReader(mapped)
    for line, row in itertools.islice(_file_rows(path, Counter()), _LOOKED_AT):
        if isinstance(row, str) or any(True for _ in _parts(row, "", mapped)):
            continue
        fields = reader.columns(tuple(row))
        for name, holds in fields.items():
            if holds == "date" and isinstance(row.get(name), str):
                dates.read(row[name], line)
    return dates.order
