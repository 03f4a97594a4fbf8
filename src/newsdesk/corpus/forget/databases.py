"""SQLite databases without what is forgotten: rows are removed in a private copy, which is then written anew by VACUUM INTO.

A deleted row stays readable in free pages and in the write-ahead log. The new file has neither: it is written from the rows that are
left. A cell that is JSON is scrubbed as JSON; rows that refer to a removed row go with it. Triggers are set aside while rows are removed.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsdesk.corpus.forget.targets import Finder, Targets
from newsdesk.corpus.forgotten import identifiers
from newsdesk.errors import DataError, FileError
from newsdesk.files import atomic, reason
from newsdesk.jsonl import json_value

# Where the id of an article may stand, beside `id` of an article itself.
_ID_KEYS = ("article", "item", "target", "doc", "document", "article_id")
_NO_ARTICLES = ("comments", "entities", "events", "stories")
MAGIC = b"SQLite format 3\0"
SIDE_FILES = ("-wal", "-shm", "-journal")


class _Gone:
    """The value of what is to be removed."""


GONE = _Gone()


@dataclass(frozen=True, slots=True)
class Scrubber:
    """Removes what is forgotten from JSON values."""

    targets: Targets
    finder: Finder

    def scrub(self, value: Any, key: str | None = None) -> Any:
        """Return the value, which stands under `key`, without what is forgotten; `GONE` if nothing stays."""
        if isinstance(value, dict):
            return self._record(value, key)
        if isinstance(value, list):
            rest = [scrubbed for item in value if (scrubbed := self.scrub(item, key)) is not GONE]
            return value if len(rest) == len(value) and rest == value else rest
        return self._text(value, key) if isinstance(value, str) else value

    def finds(self, data: bytes) -> bool:
        """Return whether bytes show an address, id, name or shingle of what is forgotten."""
        return self.finder.is_in(data) or self.targets.in_text(data.decode("utf-8", "replace"))

    def _record(self, record: dict[str, Any], key: str | None) -> Any:
        """Return a record without forgotten fields; `GONE` if it is or refers to a target."""
        if self._is_target(record, key):
            return GONE
        rest: dict[str, Any] = {}
        for name, value in record.items():
            if self._names_target(name):
                continue
            scrubbed = self.scrub(value, name)
            if scrubbed is GONE:
                return GONE
            rest[name] = scrubbed
        return GONE if self._is_emptied(record, rest) else rest

    def _is_target(self, record: dict[str, Any], key: str | None) -> bool:
        """Return whether a record is a forgotten article, or a comment of a forgotten author."""
        if key in _NO_ARTICLES:  # their ids are not those of articles
            return any(
                identifier in self.targets.requested
                for identifier in identifiers(author=_string(record.get("author")))
            )
        if {"articles", "comments", "sources"} & record.keys():  # a cluster, a thread, an event
            return False
        return self.targets.match(record)

    def _names_target(self, name: str) -> bool:
        """Return whether a key is the address or the id of what is forgotten, as in an index of pages."""
        return ("://" in name and self.targets.has_url(name)) or self.targets.has_id(name)

    @staticmethod
    def _is_emptied(before: dict[str, Any], after: dict[str, Any]) -> bool:
        """Return whether too few articles are left: no one, or one of a group of copies."""
        articles = before.get("articles")
        if not isinstance(articles, list) or len(after["articles"]) == len(articles):
            return False
        copies = any(isinstance(article, dict) and "kept" in article for article in articles)
        return len(after["articles"]) < (2 if copies else 1)

    def _text(self, text: str, key: str | None) -> Any:
        """Return a text without what is forgotten; `GONE` if it is an id, an address or a quotation."""
        if key in _ID_KEYS and self.targets.has_id(text):
            return GONE
        if "://" in text[:12] and not any(character.isspace() for character in text):
            return GONE if self.targets.has_url(text) else text
        if self.targets.in_text(text):
            return GONE
        return self.finder.blank(text) if " " in text else text


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def is_database(path: Path) -> bool:
    """Return whether a file is an SQLite database."""
    with path.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def write_without(source: Path, target: Path, scrubber: Scrubber) -> tuple[int, int] | None:
    """Write a database without what is forgotten; return how many rows were removed and changed.

    None, and no file, if something of it is still to be seen: in an index for full-text search, say, which is not a table of rows.
    """
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".forget-") as folder:
        copy, fresh = Path(folder) / "copy.db", Path(folder) / "fresh.db"
        shutil.copyfile(source, copy)
        for ending in (
            "-wal",
            "-journal",
        ):  # changes that are committed, or half done, are in these
            side = source.with_name(source.name + ending)
            if side.is_file():
                shutil.copyfile(side, copy.with_name(copy.name + ending))
        try:
            with closing(sqlite3.connect(copy, isolation_level=None)) as base:
                counts = _remove(base, scrubber)
                base.execute("VACUUM INTO ?", (str(fresh),))
        except sqlite3.DatabaseError as error:
            raise DataError(f"not a whole database: {error}", file=str(source)) from error
        if scrubber.finds(fresh.read_bytes()):
            return None
        with fresh.open("rb") as whole, atomic(target, packed=True) as stream:
            shutil.copyfileobj(whole, stream)
    return counts


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of all tables of a database, JSON cells decoded; the file is not touched."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        try:
            shutil.copyfile(path, copy)
            if (side := path.with_name(path.name + "-wal")).is_file():
                shutil.copyfile(side, copy.with_name("copy.db-wal"))
            with closing(sqlite3.connect(copy)) as base:
                for table in _tables(base):
                    for _, row in _rows(base, table):
                        yield {name: _decoded(cell) for name, cell in row.items()}
        except sqlite3.DatabaseError as error:
            raise DataError(f"not a whole database: {error}", file=str(path)) from error
        except OSError as error:
            raise FileError(f"{path}: cannot be copied to be read: {reason(error)}") from error


def _remove(base: sqlite3.Connection, scrubber: Scrubber) -> tuple[int, int]:
    """Delete and change the rows of a database, with rows that refer to deleted ones; return counts."""
    base.execute("PRAGMA secure_delete = ON")
    base.execute("PRAGMA foreign_keys = OFF")
    base.execute("BEGIN")
    triggers = base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        base.execute(f"DROP TRIGGER {_quoted(name)}")
    removed = changed = 0
    for table in _tables(base):
        for key, row in list(_rows(base, table)):
            rest = _scrubbed(row, scrubber)
            if rest is GONE:
                removed += _delete(base, table, key)
            elif rest != row:
                changed += _update(base, table, key, rest)
    while orphans := base.execute("PRAGMA foreign_key_check").fetchall():
        for table, rowid, *_ in orphans:
            removed += _delete(base, table, {"rowid": rowid})
    for _, sql in triggers:
        base.execute(sql)
    base.execute("COMMIT")
    return removed, changed


def _tables(base: sqlite3.Connection) -> list[str]:
    rows = base.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    )
    return [name for (name,) in rows.fetchall()]


def _rows(base: sqlite3.Connection, table: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each row with what finds it again: its rowid, or its primary key where there is none."""
    described = base.execute(f"PRAGMA table_info({_quoted(table)})").fetchall()
    names = [name for _, name, *_ in described]
    key = [name for _, name, *_, in_primary_key in described if in_primary_key]
    columns = ", ".join(map(_quoted, names))
    try:
        cursor = base.execute(f"SELECT rowid, {columns} FROM {_quoted(table)}")
        for rowid, *cells in cursor:
            yield {"rowid": rowid}, dict(zip(names, cells, strict=True))
    except sqlite3.OperationalError:  # WITHOUT ROWID
        for cells in base.execute(f"SELECT {columns} FROM {_quoted(table)}"):
            row = dict(zip(names, cells, strict=True))
            yield {name: row[name] for name in key}, row


def _scrubbed(row: dict[str, Any], scrubber: Scrubber) -> Any:
    """Return a row without what is forgotten, in the encoding of its cells; `GONE` if it goes."""
    plain = {name: _decoded(cell) for name, cell in row.items()}
    rest = scrubber.scrub(plain)
    if rest is GONE:
        return GONE
    return {
        name: cell if rest[name] == plain[name] else _encoded(rest[name], cell)
        for name, cell in row.items()
    }


def _decoded(cell: Any) -> Any:
    """Return the value of a cell that is JSON, else its text; other types as they are."""
    text = cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell
    if isinstance(text, str) and text[:1] in ("{", "["):
        try:
            return json_value(text)
        except ValueError:
            return text
    return text


def _encoded(value: Any, before: Any) -> Any:
    """Return a value as the text or, where the cell held bytes `before`, the bytes to store."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8") if isinstance(before, bytes) else text


def _delete(base: sqlite3.Connection, table: str, key: dict[str, Any]) -> int:
    where = " AND ".join(f"{_quoted(name)} IS ?" for name in key)
    done = base.execute(f"DELETE FROM {_quoted(table)} WHERE {where}", list(key.values()))
    return done.rowcount


def _update(base: sqlite3.Connection, table: str, key: dict[str, Any], row: dict[str, Any]) -> int:
    cells = ", ".join(f"{_quoted(name)} = ?" for name in row)
    where = " AND ".join(f"{_quoted(name)} IS ?" for name in key)
    statement = f"UPDATE {_quoted(table)} SET {cells} WHERE {where}"
    return base.execute(statement, [*row.values(), *key.values()]).rowcount


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
