"""An index of events for pages: by day, category and story, with full-text search, in one SQLite file that a job writes once.

A page reads the index, which is fast at any size; summaries are made by workers (`summaries_of`) from the record that the index keeps.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from newsdesk.jsonl import json_text
from newsdesk.records.schema import schema_of
from newsdesk.service.search import WORDS, matching, opened, spaced
from newsdesk.types import Article, Cluster, Event
from newsdesk.wording import excerpt
from newsdesk.work.progress import OnProgress, Progress

_INDEX = "events.db"
_TYPES: Mapping[str, type[Any]] = {"events": Event, "clusters": Cluster}
_TABLES = """
CREATE TABLE event (number INTEGER PRIMARY KEY, id TEXT UNIQUE, date TEXT, category TEXT, story TEXT, headline TEXT, summary TEXT, articles INTEGER, record TEXT);
"""
_SORTED = (
    "CREATE INDEX by_date ON event (date, number); CREATE INDEX by_story ON event (story, date);"
)
_COLUMNS = "number, id, date, category, story, headline, summary, articles"
_LONGEST_HEADLINE = 140
_MOST_INDEXED = 20_000  # characters of an article
_OFTEN = 200  # records between two reports of progress


@dataclass(frozen=True, slots=True)
class ListedEvent:
    """An event as a list shows it."""

    number: int
    id: str
    date: str
    category: str
    story: str
    headline: str
    summary: str
    articles: int


@dataclass(frozen=True, slots=True)
class NewsDay:
    """The events of one day, by category."""

    date: str
    categories: tuple[tuple[str, tuple[ListedEvent, ...]], ...]


def index_events(
    folder: Path, report: OnProgress, path: str, kind: str, told_in: Sequence[str] = ()
) -> None:
    """Write the index of a file of events or clusters into a folder; the work of a job.

    A cluster without a story is of that of its event, if a file of `told_in` tells it.
    """
    from newsdesk import records

    stories = {
        event.id: event.story
        for file in told_in
        for event in records.read(file, Event)
        if event.story
    }
    part = folder / f".{_INDEX}.part"
    part.unlink(missing_ok=True)
    reader = records.read(path, _TYPES[kind])
    with closing(sqlite3.connect(part)) as connection:
        connection.executescript(_TABLES + WORDS)
        for number, read in enumerate(reader, 1):
            record = read if read.story else replace(read, story=stories.get(read.id, ()))
            row = _row(number, record)
            connection.execute(f"INSERT INTO event VALUES ({', '.join('?' * len(row))})", row)
            words = (number, spaced("\n".join(_texts(record))))
            connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", words)
            if number % _OFTEN == 0:
                report(Progress(f"reading {kind}", reader.fraction, 1.0))
        connection.executescript(_SORTED)
        connection.commit()
    part.replace(folder / _INDEX)


def _row(number: int, record: Event | Cluster) -> tuple[Any, ...]:
    articles: Sequence[Article] = record.articles if isinstance(record, Cluster) else ()
    return (
        number,
        record.id,
        record.date or max((article.date or "" for article in articles), default=""),
        record.category or "",
        record.story[-1] if record.story else "",
        _headline(record, articles),
        record.summary or "",
        len(articles) or len(getattr(record, "sources", ())),
        json_text(schema_of(type(record)).encode(record)),
    )


def _headline(record: Event | Cluster, articles: Sequence[Article]) -> str:
    """Return the title of the first article that has one, else the beginning of the summary or of a text."""
    titles = (article.title for article in articles if article.title)
    texts = (record.summary, *(article.text for article in articles), record.id)
    return next(titles, None) or excerpt(next(filter(None, texts)), _LONGEST_HEADLINE)


def _texts(record: Event | Cluster) -> Iterator[str]:
    yield from (record.summary or "", record.category or "", *record.story)
    for article in record.articles if isinstance(record, Cluster) else ():
        yield f"{article.title or ''}\n{article.text[:_MOST_INDEXED]}"


class EventIndex:
    """The index of a folder, opened for reading; use it in one thread and close it."""

    def __init__(self, folder: Path, kind: str) -> None:
        self._schema = schema_of(_TYPES[kind])
        self._connection = opened(folder / _INDEX)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def days(self, until: str = "", category: str = "", most: int = 60) -> list[NewsDay]:
        """Return about the latest `most` events up to a day, by day and category; a day is never cut."""
        conditions = {"date <= ?": until, "category = ?": category}
        where = " AND ".join(clause for clause, value in conditions.items() if value) or "1"
        values = [value for value in conditions.values() if value]
        oldest = self._connection.execute(
            f"SELECT date FROM event WHERE {where} ORDER BY date DESC LIMIT 1 OFFSET ?",
            [*values, most - 1],
        ).fetchone()
        where += " AND date >= ?"
        rows = self._listed(
            f"WHERE {where} ORDER BY date DESC, category, number",
            [*values, oldest[0] if oldest else ""],
        )
        return [
            NewsDay(day, tuple((name, tuple(some)) for name, some in groupby(of_day, _category)))
            for day, of_day in groupby(rows, lambda event: event.date)
        ]

    def day_before(self, date: str, category: str = "") -> str:
        """Return the latest day before a day that has an event; empty if there is none."""
        found = self._connection.execute(
            "SELECT max(date) FROM event WHERE date < ? AND (? = '' OR category = ?)",
            [date, category, category],
        ).fetchone()
        return found[0] or ""

    def categories(self) -> list[tuple[str, int]]:
        """Return the categories with their numbers of events, the largest first."""
        return self._connection.execute(
            "SELECT category, count(*) FROM event WHERE category != '' GROUP BY 1 ORDER BY 2 DESC, 1"
        ).fetchall()

    def search(self, query: str, most: int = 50) -> list[ListedEvent]:
        """Return the events whose texts hold all words of a query, the best matches first."""
        if not (phrases := matching(query)):
            return []
        return self._listed(
            "JOIN words ON words.rowid = number WHERE words MATCH ? ORDER BY rank, date DESC LIMIT ?",
            [phrases, most],
        )

    def story(self, name: str) -> list[ListedEvent]:
        """Return the events of a story, the earliest first."""
        return self._listed("WHERE story = ? ORDER BY date, number", [name])

    def event(self, event_id: str) -> ListedEvent | None:
        """Return the event with this id; None where there is none."""
        return next(iter(self._listed("WHERE id = ?", [event_id])), None)

    def record(self, event: ListedEvent) -> Any:
        """Return the record of an event: an `Event` or a `Cluster`."""
        query = "SELECT record FROM event WHERE number = ?"
        [text] = self._connection.execute(query, [event.number]).fetchone()
        return self._schema.decode(json.loads(text))

    def _listed(self, clauses: str, values: Sequence[Any]) -> list[ListedEvent]:
        rows = self._connection.execute(f"SELECT {_COLUMNS} FROM event {clauses}", values)
        return [ListedEvent(*row) for row in rows]


def _category(event: ListedEvent) -> str:
    return event.category


def summaries_of(cluster: Cluster, methods: Sequence[str], words: int) -> list[dict[str, Any]]:
    """Summarize a cluster by methods, as a worker: of each the text, the signature and where its sentences stand.

    A method that cannot summarize it (it needs a model or a reference) says why under `fault`.
    """
    from newsdesk.errors import NewsdeskError
    from newsdesk.summarizers import summarizer
    from newsdesk.summarizers.outputs import outputs_of

    results: list[dict[str, Any]] = []
    for method in methods:
        try:
            [(output, summary)] = outputs_of(
                summarizer(method, max_words=words), [cluster], clean=True
            )
        except NewsdeskError as error:
            results.append({"method": method, "fault": str(error)})
            continue
        results.append(
            {
                "method": method,
                "fault": "",
                "text": output.text,
                "signature": summary.signature,
                "chosen": [(each.article, each.text) for each in summary.sentences],
            }
        )
    return results


def news_since(clusters: Sequence[Cluster], since: str, words: int) -> dict[str, str]:
    """Return what is new in each cluster of a story after a day, by its id, as a worker; empty where nothing is."""
    from newsdesk.summarizers import summarizer
    from newsdesk.summarizers.outputs import outputs_of

    method = summarizer("expected-rouge", max_words=words)
    outputs = outputs_of(method, clusters, clean=True, since=since)
    return {output.id: output.text for output, _ in outputs}


def marked(text: str, chosen: Iterable[str]) -> list[tuple[str, bool]]:
    """Cut a text into pieces, each with True if it is one of the chosen sentences.

    >>> marked("A came. B went.", ["B went."])
    [('A came. ', False), ('B went.', True)]
    """
    places = sorted((text.find(sentence), sentence) for sentence in set(chosen))
    pieces: list[tuple[str, bool]] = []
    end = 0
    for start, sentence in places:
        if start < end:  # it does not stand there as it is, or overlaps the one before
            continue
        pieces += [(text[end:start], False), (sentence, True)]
        end = start + len(sentence)
    return [piece for piece in (*pieces, (text[end:], False)) if piece[0]]
