"""Articles to comment on, from a file of articles or of threads, whose comments are not looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from newsdesk import records
from newsdesk.errors import DataError
from newsdesk.records import Reader
from newsdesk.types import Article, Cluster, Thread


def articles_of(record: object, file: str) -> tuple[Article, ...]:
    """The articles of a record: itself, that of a thread or those of a cluster."""
    if isinstance(record, Article):
        return (record,)
    if isinstance(record, Thread):
        return (record.article,)
    if isinstance(record, Cluster):
        return record.articles
    raise DataError("holds no articles or threads", file=file)


def open_articles(
    path: str, kind: str | None, read_threads: Callable[[str], Reader[Thread]]
) -> Reader[Any]:
    """Open a file of articles, threads or clusters, as `kind` names it or its first line shows.

    `read_threads` opens threads, which may be in the formats of others; on standard input these are recognized only if `kind` is `thread`.
    """
    if kind == "thread":
        return read_threads(path)
    reader = records.read_named(path, kind)
    if reader.kind is Thread and path != "-":
        reader.close()
        return read_threads(path)
    return reader
