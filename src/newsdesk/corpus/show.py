"""One record of a corpus as text: a cluster as Table 1 of Gholipour Ghalandari et al. (2020) prints it, a thread as Tables 5 and 6 of the supplement of Qin et al. (2018)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from newsdesk.errors import DataError
from newsdesk.records import Reader
from newsdesk.records.kinds import name_of, plural_of
from newsdesk.records.schema import schema_of
from newsdesk.results.table import Cell, table
from newsdesk.text import sentences
from newsdesk.types import Article, Cluster, Event, Thread
from newsdesk.wording import excerpt, plural

_NEAR_IDS = 5
_FIRST_IDS = 3
_WIDEST = 100  # characters of a headline in a list


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A record to print, of a cluster at most so many found articles."""

    record: Cluster | Event | Thread | Article
    max_found: int

    def text(self) -> str:
        """Return the record as text: head lines, then parts under their headings."""
        record = self.record
        if isinstance(record, Cluster):
            parts = _cluster_parts(record, self.max_found)
        elif isinstance(record, Event):
            parts = _event_parts(record)
        else:
            article = record.article if isinstance(record, Thread) else record
            parts = [
                ("Title", _lines(article.title or "-")),
                ("Content", _lines(article.text) or ["  -"]),
            ]
            if isinstance(record, Thread):
                parts.append((f"Comments ({len(record.comments)})", _comment_lines(record)))
        blocks = [_head(record), *("\n".join([title, *lines]) for title, lines in parts)]
        return "\n\n".join(blocks)

    def as_json(self) -> dict[str, Any]:
        """Return the record under the name of its type."""
        kind = type(self.record)
        return {name_of(kind): schema_of(kind).encode(self.record)}


@dataclass(frozen=True, slots=True)
class RecordList:
    """The first records of a file: id and headline of each."""

    kind: str
    rows: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """Return the records as a table."""
        rows: list[list[Cell]] = [[id, excerpt(headline, _WIDEST)] for id, headline in self.rows]
        return table([self.kind, "headline"], rows)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the command."""
        rows = [{"id": id, "headline": headline} for id, headline in self.rows]
        return {"type": self.kind, "records": rows}


def shown(records: Reader[Any], id: str, *, max_found: int = 10) -> ShownRecord:
    """Return the record of an id; of a cluster so many found articles are printed.

    An id that the file does not have is an error that names near ones.
    """
    ids = []
    for record in _showable(records):
        record_id = id_of(record)
        if record_id == id:
            records.close()
            return ShownRecord(record, max_found)
        ids.append(record_id)
    near = difflib.get_close_matches(id, ids, n=_NEAR_IDS, cutoff=0.5) or ids[:_FIRST_IDS]
    what = plural_of(records.kind) if records.kind else "records"
    hint = f"; there are {', '.join(map(repr, near))}" if near else ""
    raise DataError(f"none of {len(ids)} {what} has the id {id!r}{hint}", file=records.path)


def listing(records: Reader[Any], most: int) -> RecordList:
    """Return the first records of a file."""
    rows = tuple((id_of(record), headline(record)) for record in islice(_showable(records), most))
    records.close()
    return RecordList(name_of(records.kind) if records.kind else "record", rows)


def _showable(records: Reader[Any]) -> Iterator[Any]:
    """Return the records; close the file and raise an error if they are of another kind."""
    if records.kind not in (None, Cluster, Event, Thread, Article):
        records.close()
        raise DataError(
            f"this file holds {plural_of(records.kind)}; clusters, events, threads or articles are needed",
            file=records.path,
        )
    return records


def id_of(record: Cluster | Event | Thread | Article) -> str:
    """Return the id of a record, of a thread that of its article."""
    return record.article.id if isinstance(record, Thread) else record.id


def headline(record: Cluster | Event | Thread | Article) -> str:
    """Return the title or else the first sentence of an article, or the summary of an event.

    Of a thread without an article's text, the number of its comments.

    >>> headline(Article("a", "It rained. It was cold.", lang="en"))
    'It rained.'
    """
    if isinstance(record, Cluster | Event):
        return _plain(record.summary or "-")
    article = record.article if isinstance(record, Thread) else record
    if article.title:
        return _plain(article.title)
    without = f"({plural(len(record.comments), 'comment')})" if isinstance(record, Thread) else "-"
    return _plain(next(iter(sentences(article.text[:2_000], article.lang)), without))


def _head(record: Cluster | Event | Thread | Article) -> str:
    """Return the head lines of a record: id, date, category, and story or address."""
    described = record.article if isinstance(record, Thread) else record
    rows = [
        (name_of(type(record)), described.id),
        ("date", described.date),
        ("category", described.category),
    ]
    if isinstance(described, Cluster | Event):
        rows.append(("story", " > ".join(described.story)))
    else:
        rows.append(("url", described.url))
    return "\n".join(f"{name + ':':10}{_plain(value)}" for name, value in rows if value)


def _cluster_parts(cluster: Cluster, most: int) -> list[tuple[str, list[str]]]:
    """Return heading and lines of each part of a cluster; `most` found articles are shown."""
    cited = [article for article in cluster.articles if article.origin == "cited"]
    aligned = [article for article in cluster.articles if article.origin == "found"]
    others = [article for article in cluster.articles if article.origin is None]
    parts = [("Human-written summary", _lines(cluster.summary or "-"))]
    if cited:
        parts.append((f"Headlines of cited articles ({len(cited)})", _bullets(cited)))
    for articles, name in ((aligned, "found articles"), (others, "articles")):
        if articles:
            sample = articles[:most]
            of = f"{len(sample)} of {len(articles)}" if sample != articles else f"{len(articles)}"
            parts.append((f"Sample headlines of {name} ({of})", _bullets(sample)))
    return parts


def _event_parts(event: Event) -> list[tuple[str, list[str]]]:
    """Return heading and lines of each part of an event."""
    parts = [("Human-written summary", _lines(event.summary))]
    if event.entities:
        parts.append(("Entities", [f"  • {_plain(entity.target)}" for entity in event.entities]))
    if event.sources:
        urls = [f"  • {_plain(source.url)}" for source in event.sources]
        parts.append((f"Cited sources ({len(urls)})", urls))
    return parts


def _comment_lines(thread: Thread) -> list[str]:
    """Return the comments below the columns that some of them have: score, votes, likes."""
    names = [
        name
        for name in ("score", "yes", "votes", "likes")
        if any(getattr(comment, name) is not None for comment in thread.comments)
    ]
    rows: list[list[Cell]] = [
        [*(getattr(comment, name) for name in names), _plain(comment.text)]
        for comment in thread.comments
    ]
    return [table([*names, "comment"], rows)] if rows else ["-"]


def _bullets(articles: Iterable[Article]) -> list[str]:
    return [f"  • {headline(article)}" for article in articles]


def _lines(text: str) -> list[str]:
    """Return the lines of a text, indented, without empty ones."""
    return [f"  {_plain(line)}" for line in text.splitlines() if line.strip()]


def _plain(text: str) -> str:
    """Return a text on one line without what a terminal would obey."""
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))
