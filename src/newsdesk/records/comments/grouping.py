"""Collects the comments of rows into threads, in the order in which articles first appear, and counts what was not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from newsdesk.errors import DataError
from newsdesk.records.comments.cells import Cells, FileDates, comment_of, moment_of, text_of
from newsdesk.types import Article, Comment, Thread

# What rows say about their article; the first row that says it counts.
_ABOUT = ("title", "category", "url", "article_text", "lang")

Lines = Iterator[tuple[int, str]]
Rows = Iterator[tuple[int, Cells]]


@dataclass(slots=True)
class Account:
    """What a reader took for what, and what it did not take.

    Columns ignored, rows rejected for a reason, comments skipped because they were not public, texts that were HTML; `columns` has the field of every column met, empty where it holds none.

    `first` has the line of the first row rejected for each reason; `dates` reads the times and counts those that cannot be read; `notes` are sentences about how the file was read.
    """

    columns: dict[str, str] = field(default_factory=dict)
    ignored: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    marked_up: int = 0
    dates: FileDates = field(default_factory=FileDates)
    first: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def met(self, names: Iterable[str], fields: Mapping[str, str]) -> None:
        """Note the columns of a row or a file, and the fields that they hold."""
        for name in names:
            if name.strip():
                self.columns[name.strip()] = fields.get(name) or self.columns.get(name.strip(), "")

    def reject(self, reason: str, line: int) -> None:
        """Count a row that cannot be read."""
        self.rejected[reason] += 1
        self.first.setdefault(reason, line)


@dataclass(slots=True)
class _ThreadRows:
    """The rows of one article so far."""

    line: int
    comments: dict[str, Comment] = field(default_factory=dict)
    about: dict[str, str] = field(default_factory=dict)


class Grouping:
    """Rows of comments as threads.

    Where rows have no field `article`, all comments are one thread, named after the file.
    """

    def __init__(self, file: str, account: Account) -> None:
        stem = "-".join(Path(file).name.partition(".")[0].split())
        self._default = "comments" if stem in ("", "-") else stem
        self._account = account
        self._groups: dict[str, _ThreadRows] = {}
        self._waiting: list[tuple[_ThreadRows, str, str]] = []  # group, comment id, date
        self.total: int | None = None

    def add(self, rows: Rows, has_article: Callable[[], bool]) -> None:
        """Add rows; those that cannot be read are rejected and counted.

        `has_article` says whether rows name their article.
        """
        for number, cells in rows:
            try:
                self._add(number, cells, has_article=has_article())
            except DataError as error:
                self._account.reject(error.reason, number)
        if order := self._account.dates.order:
            for group, name, date in self._waiting:
                group.comments[name] = replace(group.comments[name], at=moment_of(date, order))
        self._waiting.clear()
        self._account.notes += self._account.dates.notes()
        self.total = len(self._groups)

    def threads(self) -> Iterator[tuple[int, Thread]]:
        """Yield the threads, each with the line of its first comment.

        Each is dropped from memory once it is returned.
        """
        for name in list(self._groups):
            group = self._groups.pop(name)
            about = group.about
            article = Article(
                name,
                about.get("article_text", ""),
                title=about.get("title"),
                url=about.get("url"),
                lang=about.get("lang"),
                category=about.get("category"),
            )
            yield group.line, Thread(article, tuple(group.comments.values()))

    def _add(self, number: int, cells: Cells, *, has_article: bool) -> None:
        article = text_of(cells, "article")
        if article is None and has_article:
            raise DataError("no article")
        moment, waiting = self._account.dates.read(cells.get("at"), number)
        comment = comment_of(cells, f"row-{number}", moment)
        about = {name: text for name in _ABOUT if (text := text_of(cells, name))}
        group = self._groups.setdefault(article or self._default, _ThreadRows(number))
        if comment.id in group.comments:
            raise DataError("duplicate id of a comment")
        group.comments[comment.id] = comment
        if waiting is not None:
            self._waiting.append((group, comment.id, waiting))
        group.about = {**about, **group.about}
