"""Records as rows of a release: every article by its URL and a hash of its words, its words only where they may be passed on.

The hash of an article is the sha256 of the JSON array [title, author, text], in UTF-8 and without spaces: exactly what a release by URL leaves
out. Parquet columns follow from the fields of a record type; lists and records inside a record are lists and structs.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.corpus.partitions import explained_write
from newsdesk.files import atomic
from newsdesk.records.parquet import read_rows
from newsdesk.records.schema import schema_of
from newsdesk.registry import require
from newsdesk.types import Article, Cluster, Event, Thread
from newsdesk.work import digest_of

WORDS = ("title", "author", "text")
HASH = "sha256"
KINDS: Mapping[str, type[Any]] = {
    "article": Article,
    "cluster": Cluster,
    "event": Event,
    "thread": Thread,
}
Row = dict[str, Any]
_BATCH_ROWS = 2_000


def article_hash(article: Mapping[str, Any]) -> str:
    """Return the hash of what a release by URL leaves out of an article.

    >>> article_hash({"id": "a", "text": "It ended."})[:12]
    'd86e2ddfbd66'
    """
    return digest_of([article.get(name) for name in WORDS])


def articles_of(kind: str, row: Row) -> list[Row]:
    """Return the articles inside a row of a kind; changing them changes the row."""
    if kind == "article":
        return [row]
    if kind == "thread":
        return [row["article"]]
    return list(row["articles"]) if kind == "cluster" else []


def release_rows(kind: str, path: Path, *, text: bool) -> Iterator[Row]:
    """Yield the rows of a file of records.

    Comments lose their authors, and articles their words unless `text`.
    """
    for record in records.read(path, KINDS[kind]):
        row = schema_of(KINDS[kind]).encode(record)
        assert isinstance(row, dict)
        for article in articles_of(kind, row):
            article[HASH] = article_hash(article)
            for name in () if text else WORDS:
                article.pop(name, None)
        for comment in row.get("comments", ()):
            comment.pop("author", None)
        yield row


def record_of(kind: str, row: Row) -> Any:
    """Return the record that a row holds whole again."""
    for article in articles_of(kind, row):
        article.pop(HASH, None)
    return schema_of(KINDS[kind]).decode(row)


def columns(kind: str, *, text: bool) -> dict[str, Any]:
    """Return the columns of a table of rows, with their polars types."""
    return _fields(KINDS[kind], text=text)


def write_rows(path: Path, rows: Iterable[Row], kind: str, *, text: bool) -> int:
    """Write rows as Parquet in batches; how many there were."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    schema = columns(kind, text=text)
    count = 0

    def frames(*_: object) -> Iterator[Any]:
        nonlocal count
        batch: list[Row] = []
        for row in rows:
            batch.append(row)
            count += 1
            if len(batch) == _BATCH_ROWS:
                yield pl.DataFrame(batch, schema=schema, orient="row")
                batch = []
        yield pl.DataFrame(batch, schema=schema, orient="row")

    from polars.io.plugins import register_io_source

    with atomic(path) as stream, explained_write(path):
        register_io_source(frames, schema=schema).sink_parquet(
            stream, compression="zstd", compression_level=3, row_group_size=_BATCH_ROWS
        )
    return count


def table_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a table, without empty cells at any depth."""
    for _, row in read_rows(str(path)):
        yield _without_none(row)


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(each) for key, each in value.items() if each is not None}
    return [_without_none(each) for each in value] if isinstance(value, list) else value


def _fields(kind: type[Any], *, text: bool) -> dict[str, Any]:
    pl = require("polars", extra="corpus", what="writing Parquet")
    hints = typing.get_type_hints(kind)
    article = issubclass(kind, Article)
    hidden = {"author"} if "likes" in hints else set(WORDS) if article and not text else set()
    names = [field.name for field in dataclasses.fields(kind) if field.name not in hidden]
    columns = {name: _type(hints[name], text=text) for name in names}
    return {**columns, HASH: pl.String} if article else columns


def _type(hint: Any, *, text: bool) -> Any:
    pl = require("polars", extra="corpus", what="writing Parquet")
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        [hint] = [each for each in typing.get_args(hint) if each is not type(None)]
    if typing.get_origin(hint) is tuple:
        return pl.List(_type(typing.get_args(hint)[0], text=text))
    if dataclasses.is_dataclass(hint):
        return pl.Struct(_fields(typing.cast(type[Any], hint), text=text))
    return {float: pl.Float64, int: pl.Int64}.get(hint, pl.String)


@dataclass(slots=True)
class Contents:
    """Articles by outlet and language, each counted once by id, and the first and the last day."""

    outlets: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    days: list[str] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    @property
    def articles(self) -> int:
        """How many different articles there are."""
        return len(self._ids)

    def counted(self, kind: str, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows unchanged, counting the articles in them."""
        for row in rows:
            for article in articles_of(kind, row):
                if article["id"] not in self._ids:
                    self._add(article)
            yield row

    def _add(self, article: Row) -> None:
        self._ids.add(article["id"])
        self.outlets[article.get("source") or "unknown"] += 1
        self.languages[article.get("lang") or "unknown"] += 1
        if day := article.get("date"):
            self.days = [min([day, *self.days]), max([day, *self.days])]
