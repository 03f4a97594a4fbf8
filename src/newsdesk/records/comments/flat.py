"""Flat files, one comment a row: text with commas, semicolons, tabs or bars between cells, JSON objects by line or in a list, Parquet.

Cells may be quoted and then hold line breaks. Nested values of JSON are ignored and counted as their key is. A text that shows tags or entities of HTML is read as
a browser would show it.

Which column holds which field of a comment is recognised by common names in seven languages, or mapped by the caller. Names are compared in lower case without accents, with words joined by `_`, so that `Comment ID`, `commentId` and
`comment-id` are one name. For each field the first name of its list in `records/data/comment_columns.txt` that the file has is taken; a column is used once. Where two columns may be the text of comments (`Text` beside `Kommentar`),
neither is guessed: the caller has to map one. A mapped name may be a path into nested JSON, such as `author=user.name`.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from newsdesk import packaged
from newsdesk.errors import ArgumentError, DataError
from newsdesk.records.comments.cells import Cells, has_markup, text_of_html
from newsdesk.records.comments.grouping import Account, Lines, Rows
from newsdesk.records.schema import Json, parse_json
from newsdesk.records.tables import CsvRows, delimiter_of, parquet_columns, parquet_objects

# Fields in the order in which they choose their columns: the text before the id, as a column `comment` may be either.
FIELDS = (
    "article",
    "text",
    "comment",
    "title",
    "category",
    "url",
    "article_text",
    "lang",
    "likes",
    "dislikes",
    "score",
    "yes",
    "votes",
    "at",
    "position",
    "author",
    "parent",
    "toxicity",
)
# What `--map` may name beside the fields of a comment: the list of comments in an article of others, and the sheet of a workbook.
LIST, SHEET = "comments", "sheet"

_SMALL_WORDS = frozenset(
    "the of der die das des de du d l la le les el los las del da do dos".split()
)
_ACCENT = re.compile("[\u0300-\u036f]")
_OF_COMMENT = "text_of_comment"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAP = re.compile(r"[^\w]+")


def parse_map(texts: Sequence[str]) -> dict[str, str]:
    """Return the fields and their columns as typed: `article=article_id,text=body`.

    An empty column means that the field is not read.

    >>> parse_map(["article=story,text=body", "score="])
    {'article': 'story', 'text': 'body', 'score': ''}
    """
    columns: dict[str, str] = {}
    for pair in (pair for text in texts for pair in text.split(",")):
        field, equals, column = pair.partition("=")
        if not equals:
            raise ArgumentError(f"{pair!r} is not FIELD=COLUMN, such as text=body")
        columns[field.strip()] = column.strip()
    check_fields(columns)
    return columns


def check_fields(columns: Mapping[str, str]) -> None:
    """Raise ArgumentError if a mapping names a field that comments do not have."""
    for field in columns:
        if field not in (*FIELDS, LIST, SHEET):
            close = difflib.get_close_matches(field, FIELDS, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(FIELDS)}"
            raise ArgumentError(f"comments have no field {field!r}{hint}")


def simplified(name: str) -> str:
    """Return a column name as it is compared.

    >>> simplified(" Comment ID "), simplified("createdAt"), simplified("parent-id"), simplified("Comment #")
    ('comment_id', 'created_at', 'parent_id', 'comment_number')
    >>> simplified("Publié le"), simplified("Gefällt mir"), simplified("ＩＤ"), simplified("コメントＩＤ")
    ('publie_le', 'gefallt_mir', 'id', 'コメントid')
    """
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", name))
    words = _HUMP.sub("_", unicodedata.normalize("NFC", bare).strip().replace("#", " number"))
    return _GAP.sub("_", words).strip("_").casefold()


def columns_of(names: Sequence[str], mapped: Mapping[str, str]) -> dict[str, str]:
    """Return the field that each column holds (column → field); columns that hold none are left out.

    >>> columns_of(["Story ID", "Comment", "Mood", "Votes"], {})
    {'Story ID': 'article', 'Comment': 'text', 'Votes': 'likes'}
    """
    names_of = packaged.sections("records", "comment_columns.txt")
    candidates = {field: names_of[field] for field in FIELDS}
    candidates["text"] = (*names_of[_OF_COMMENT], *names_of["text"])
    fields = match_columns(names, mapped, candidates)
    return _votes_as_likes(fields, mapped)


def match_columns(
    names: Sequence[str], mapped: Mapping[str, str], candidates: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Return the field that each column holds: as mapped, else by the names of columns of each field.

    `candidates` has the names in their simplified form, the most telling first. Fields choose in its order, and a column is used once.

    >>> match_columns(["Head Line", "When"], {"date": "When"}, {"title": ["head_line"], "date": ["date"]})
    {'When': 'date', 'Head Line': 'title'}
    """
    simple: dict[str, str] = {}
    for name in names:
        simple.setdefault(simplified(name), name)
    for name in names:  # `ID do comentário` is an `id_comentario`
        words = simplified(name).split("_")
        simple.setdefault("_".join(word for word in words if word not in _SMALL_WORDS), name)
    fields: dict[str, str] = {}
    for field, column in mapped.items():
        if column:
            match = column if column in names else simple.get(simplified(column))
            if match is None:
                raise DataError(f"no column {column!r} for {field!r}; there are {_listed(names)}")
            fields[match] = field
    for field, field_names in candidates.items():
        if field in mapped:
            continue
        for candidate in field_names:
            match = simple.get(candidate)
            if match is not None and match not in fields:
                fields[match] = field
                break
    return fields


def _votes_as_likes(fields: dict[str, str], mapped: Mapping[str, str]) -> dict[str, str]:
    """Votes of which nobody says how many were yes are votes for a comment: its likes."""
    if mapped.keys() & {"votes", "likes"} or {"yes", "score", "likes"} & set(fields.values()):
        return fields
    return {name: "likes" if field == "votes" else field for name, field in fields.items()}


def check_one_text(names: Sequence[str], fields: Mapping[str, str]) -> None:
    """Raise DataError if another column than the one recognised may be the text of comments as well.

    >>> check_one_text(["Text", "Kommentar"], {"Text": "text"})
    Traceback (most recent call last):
    newsdesk.errors.DataError: the text of comments may be in `Text` or `Kommentar`; say which with --map text=COLUMN
    """
    texts = packaged.sections("records", "comment_columns.txt")["text"]
    chosen = next((name for name, field in fields.items() if field == "text"), None)
    if chosen is None or simplified(chosen) not in texts:
        return
    for name in names:
        simple = simplified(name)
        # `raw_message` beside `message` is the same text in another form.
        if name not in fields and simple in texts and not simple.endswith(simplified(chosen)):
            raise DataError(
                f"the text of comments may be in `{chosen.strip()}` or `{name.strip()}`; say which with --map text=COLUMN"
            )


def has_text(names: Sequence[str]) -> bool:
    """Return True if one of the columns is recognised as the text of comments."""
    return "text" in columns_of(names, {}).values()


def no_text(names: Sequence[str], row: Mapping[str, object] | None = None) -> DataError:
    """Return the error of a file in which no column holds the text of comments.

    A list in a JSON object may hold them.
    """
    for name, items in (row or {}).items():
        if isinstance(items, list) and items and isinstance(items[0], list):
            return DataError(
                f"`{name}` is a list of lists; write its comments in one list, each an object or a text"
            )
        if isinstance(items, list) and items and isinstance(items[0], dict | str):
            return DataError(
                f"no column with the text of comments among {_listed(names)}; if the list `{name}` holds them, say --map {LIST}={name}"
            )
    return DataError(
        f"no column with the text of comments among {_listed(names)}; name it with --map text=COLUMN"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name.strip() or "(no name)" for name in names[:30])


def header_names(line: str) -> list[str]:
    """Return the names of columns that a header line holds; none where it cannot be one."""
    header = line.partition("\r")[0]
    try:
        return next(CsvRows([header], delimiter_of(header), strict=False), [])
    except DataError:
        return []


class Columns:
    """Finds the fields of JSON rows by their keys; the rows of one file may have different keys."""

    def __init__(self, mapped: Mapping[str, str], account: Account) -> None:
        self._mapped = mapped
        self._account = account
        self._fields: dict[tuple[str, ...], dict[str, str]] = {}

    def cells(self, row: Mapping[str, Json]) -> Cells:
        """Return the values of a row by field.

        Keys that hold no field, and nested values, are counted as ignored.
        """
        row = with_paths(row, self._mapped)
        names = tuple(name for name, value in row.items() if not isinstance(value, dict | list))
        if names not in self._fields:
            present = {
                field: name for field, name in self._mapped.items() if not name or name in row
            }
            fields = columns_of(names, {**dict.fromkeys(self._mapped, ""), **present})
            self._account.met(names, fields)
            if "text" not in fields.values() and not self._fields:
                raise no_text(names, row)  # only of the first row: a later one is rejected alone
            if "text" not in self._mapped:
                check_one_text(names, fields)
            self._fields[names] = fields
        fields = self._fields[names]
        self._account.ignored.update(name for name in row if name not in fields)
        return plain_text(
            {fields[name]: row[name] for name in names if name in fields}, self._account
        )

    def check(self) -> None:
        """Raise DataError if a column that was mapped stands in no row."""
        for field, column in self._mapped.items():
            if column and self._fields and not any(column in names for names in self._fields):
                raise DataError(f"no row has the key {column!r} that was mapped to {field!r}")

    @property
    def has_article(self) -> bool:
        """True if a row read so far says what article it belongs to."""
        return any("article" in fields.values() for fields in self._fields.values())


def with_paths(row: Mapping[str, Json], mapped: Mapping[str, str]) -> Mapping[str, Json]:
    """Return a row with the nested values that are mapped by a path, each under its path.

    >>> with_paths({"id": 1, "user": {"name": "ann"}}, {"author": "user.name"})["user.name"]
    'ann'
    """
    inner: dict[str, Json] = {}
    for path in mapped.values():
        if "." in path and path not in row:
            value: Json = row
            for key in path.split("."):
                value = value.get(key) if isinstance(value, Mapping) else None
            if value is not None:
                inner[path] = value
    return {**row, **inner} if inner else row


def table_rows(lines: Lines, mapped: Mapping[str, str], account: Account) -> tuple[Rows, bool]:
    """Return the rows of a delimited text by field, and whether it has a column for the article."""
    rows = CsvRows(text for _, text in _split_at_returns(lines))
    names = next(rows, [])
    used = used_columns(names, mapped, account)
    has_article = "article" in dict(used).values()
    return _table_rows(rows, used, len(names), account), has_article


def used_columns(
    names: Sequence[str], mapped: Mapping[str, str], account: Account
) -> list[tuple[int, str]]:
    """Return the places of columns that hold a field, with the field; others count as ignored."""
    account.met(names, {})
    fields = columns_of(names, mapped)
    account.met(names, fields)
    if "text" not in fields.values():
        raise no_text(names)
    if "text" not in mapped:
        check_one_text(names, fields)
    unused = [name.strip() for name in names if name not in fields and name.strip()]
    account.ignored.update(unused)
    return [(column, fields[name]) for column, name in _first_places(names) if name in fields]


def _split_at_returns(lines: Lines) -> Lines:
    """Yield the lines also where they end in a carriage return alone, as old programs wrote them."""
    number = 0
    for _, text in lines:
        for part in text.split("\r"):
            number += 1
            yield number, part


def _table_rows(
    rows: CsvRows, used: Sequence[tuple[int, str]], width: int, account: Account
) -> Rows:
    while True:
        number = rows.line + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except DataError as error:
            account.reject(f"not CSV ({_short(error.reason)})", number)
            continue
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            account.reject("more cells than the header", number)
            continue
        cells = {field: row[column] for column, field in used if column < len(row)}
        yield number, plain_text(cells, account)


def _short(reason: str) -> str:
    return "a quote that is not closed" if "end of data" in reason else reason[len("not CSV: ") :]


def _first_places(names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Return each name with its first place: of two columns of one name the second is not read."""
    return ((names.index(name), name) for name in dict.fromkeys(names))


def json_rows(lines: Lines, columns: Columns, account: Account) -> Rows:
    """Yield the rows of JSON objects, one a line."""
    for number, text in lines:
        if not text.strip():
            continue
        try:
            row = parse_json(text)
            if not isinstance(row, dict):
                raise DataError("not a JSON object")
        except DataError as error:
            account.reject(_json_reason(error), number)
            continue
        yield number, columns.cells(row)


def list_rows(values: Sequence[Json], columns: Columns, account: Account) -> Rows:
    """Yield the rows of a list of JSON objects, numbered from 1."""
    for number, row in enumerate(values, 1):
        if not isinstance(row, dict):
            account.reject("not a JSON object", number)
            continue
        yield number, columns.cells(row)


def _json_reason(error: DataError) -> str:
    return "not JSON" if error.reason.startswith("not JSON") else error.reason


def parquet_rows(
    files: Sequence[str], mapped: Mapping[str, str], account: Account
) -> tuple[Rows, bool]:
    """Return the rows of Parquet files by field, and whether they have a column for the article."""
    fields_of = {}
    for file in files:
        names = parquet_columns(file)
        fields = columns_of(names, mapped)
        account.met(names, fields)
        if "text" not in fields.values():
            raise no_text(names).at(file, None)
        if "text" not in mapped:
            check_one_text(names, fields)
        account.ignored.update(name for name in names if name not in fields)
        fields_of[file] = fields
    has_article = all("article" in fields.values() for fields in fields_of.values())
    return _parquet_rows(fields_of, account), has_article


def _parquet_rows(fields_of: Mapping[str, Mapping[str, str]], account: Account) -> Rows:
    number = 0
    for file, fields in fields_of.items():
        for _, row in parquet_objects(file):
            number += 1
            cells = {fields[name]: value for name, value in row.items() if name in fields}
            yield number, plain_text(cells, account)


def plain_text(cells: Cells, account: Account) -> Cells:
    """Return the cells with a text that was written as HTML as a reader sees it."""
    text = cells.get("text")
    if not isinstance(text, str) or not has_markup(text):
        return cells
    account.marked_up += 1
    return {**cells, "text": text_of_html(text)}
