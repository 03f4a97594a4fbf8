"""Articles to comment on, from a file of articles or of threads, whose comments are not looked at."""

from __future__ import annotations

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


def open_articles(path: str) -> Reader[object]:
    """Open a file of articles, threads or clusters; its first line shows which."""
    return records.read_any(path)
