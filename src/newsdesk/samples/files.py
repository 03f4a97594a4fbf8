"""Sample files as people have them: the newsroom's records, and flat tables of its comments and articles."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from newsdesk import samples
from newsdesk.errors import ArgumentError
from newsdesk.files import atomic, write_text
from newsdesk.registry import offer

_RECORDS = (
    "events.jsonl",
    "clusters.jsonl",
    "outputs.jsonl",
    "ranks.jsonl",
    "threads-en.jsonl",
    "threads-zh.jsonl",
    "threads-ja.jsonl",
    "articles.warc.gz",
)


def write_sample(path: str, *, overwrite: bool) -> None:
    """Write the sample that the file's name asks for; ArgumentError lists the names that there are."""
    name = Path(path).name
    if table := _TABLES.get(name):
        write_text(path, table(), overwrite=overwrite)
    elif name in _RECORDS:
        with atomic(path, overwrite=overwrite) as stream:
            stream.write(samples.path(name).read_bytes())
    else:
        raise ArgumentError(f"no sample is called {name!r}; {offer(name, sample_names())}")


def sample_names() -> list[str]:
    """Return the names of the files that `write_sample` writes."""
    return [*_TABLES, *_RECORDS]


def _comments() -> str:
    """Return the English comments as a flat table, without votes, as a comment system exports them."""
    rows = (
        (thread.article.id, thread.article.title, comment.id, comment.likes, comment.text)
        for thread in samples.threads("en")
        for comment in thread.comments
    )
    return _csv(("article_id", "article_title", "comment_id", "likes", "comment"), rows)


def _articles() -> str:
    """Return the articles of all events as a flat table, in order of their days."""
    articles = [article for cluster in samples.clusters() for article in cluster.articles]
    rows = (
        (article.id, article.date, article.source, article.title, article.text)
        for article in sorted(articles, key=lambda article: (article.date or "", article.id))
    )
    return _csv(("id", "date", "source", "title", "text"), rows)


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


_TABLES: dict[str, Callable[[], str]] = {"comments.csv": _comments, "articles.csv": _articles}
