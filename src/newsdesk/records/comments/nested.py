"""Articles of others with their comments in a list, one article an object: by line, in a list, or one object alone.

Such are the published files of C3 (`article_id`, comments with `votes_yes`), dumps of forums (`title`, `comments` with `replies`) and the sources of comment generators (`source` and
`references`). Where the lists stand deeper, `comments=stories.discussion.comments` names their path: lists on the way are walked, and the article is the innermost object of a list around the comments. Keys are recognised as the columns of flat files are, those of the article and those of its comments apart. Threads are returned one at a time, as they are read; where dates have the day or the month first, at the end of the file,
when all of them have been seen.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from newsdesk import packaged
from newsdesk.errors import DataError
from newsdesk.records.comments.cells import Cells, comment_of, moment_of, text_of
from newsdesk.records.comments.flat import (
    LIST,
    SHEET,
    Columns,
    columns_of,
    has_text,
    simplified,
    with_paths,
)
from newsdesk.records.comments.grouping import Account
from newsdesk.records.kinds import Seen
from newsdesk.records.schema import Json
from newsdesk.types import Article, Comment, Thread

Row = Mapping[str, Json]

_ABOUT = ("article", "title", "category", "url", "article_text", "lang")
# What an article calls its own id, text and time is recognised by the names that comments have for theirs.
_OWN = {"comment": "article", "text": "article_text", "at": "date"}
_MOST_DEPTH = 200


def is_nested(row: Json, mapped: Mapping[str, str]) -> bool:
    """Return True if an object holds comments in a list and is no thread of our own format.

    >>> is_nested({"article_id": 7, "comments": [{"text": "x"}]}, {}), is_nested({"id": 7, "text": "x", "replies": []}, {})
    (True, False)
    """
    if not isinstance(row, dict):
        return False
    if named := mapped.get(LIST):
        return any(_list_key(inner, named) for inner in _at_path(row, named))
    if isinstance(row.get("article"), dict):
        return False
    key = _list_key(row)
    if key is None:
        return False
    # A comment may have replies or references of its own; an article has a title, or no text that would be a comment's.
    fields = columns_of(list(row), {}).values()
    return simplified(key) == LIST or "title" in fields or not has_text(list(row))


class NestedThreads:
    """Reads objects with a list of comments as threads.

    What is not used or cannot be read is counted in an account.
    """

    def __init__(self, mapped: Mapping[str, str], account: Account) -> None:
        self._about = {field: name for field, name in mapped.items() if field in _ABOUT}
        others = (*_ABOUT, LIST, SHEET)
        own = {field: name for field, name in mapped.items() if field not in others}
        self._list = mapped.get(LIST)
        self._account = account
        self._columns = Columns(own, account)
        self._seen = Seen()

    def threads(self, rows: Iterator[tuple[int, Json]]) -> Iterator[tuple[int, Thread]]:
        """Yield the threads of numbered objects; an object that holds none is rejected."""
        held: list[tuple[int, Thread, dict[str | None, str]]] = []
        for number, row in self._objects(rows):
            waiting: dict[str | None, str] = {}  # dates by comment, and by None that of the article
            try:
                article, items = self._article(number, row, waiting)
            except DataError as error:
                self._account.reject(error.reason, number)
                continue
            comments = tuple(self._comments(article.id, number, items, waiting))
            if held or waiting:
                held.append((number, Thread(article, comments), waiting))
            else:
                yield number, Thread(article, comments)
        self._columns.check()
        self._account.notes += self._account.dates.notes()
        for number, thread, waiting in held:
            yield number, _dated(thread, waiting, self._account.dates.order)

    def _objects(self, rows: Iterator[tuple[int, Json]]) -> Iterator[tuple[int, Json]]:
        """Yield the objects that hold a list of comments; those inside of others are numbered on."""
        if self._list is None or "." not in self._list:
            yield from rows
            return
        count = itertools.count(1)
        for _, row in rows:
            for inner in _at_path(row, self._list):
                yield next(count), inner

    def _article(
        self, number: int, row: Json, waiting: dict[str | None, str]
    ) -> tuple[Article, list[Json]]:
        """Return the article of an object and the list of its comments; a date that has to wait is put aside."""
        if not isinstance(row, dict):
            raise DataError("not a JSON object")
        key = _list_key(row, self._list)
        if key is None:
            named = f" at `{self._list}`" if self._list else ""
            raise DataError(f"no list of comments{named}; name it with --map {LIST}=KEY")
        about = self._article_cells({name: value for name, value in row.items() if name != key})
        name = text_of(about, "article") or text_of(about, "url") or str(number)
        if not self._seen.add(name):
            raise DataError("an article with the id of another")
        moment, date = self._account.dates.read(about.get("date"), number)
        if date is not None:
            waiting[None] = date
        article = Article(
            name,
            text_of(about, "article_text") or "",
            title=text_of(about, "title"),
            url=text_of(about, "url"),
            date=moment[:10] if moment else None,
            lang=text_of(about, "lang"),
            category=text_of(about, "category"),
        )
        return article, row[key]

    def _article_cells(self, row: Row) -> Cells:
        """Return the values of an article by field.

        An object named `post`, `story` and the like is the article itself.
        """
        inner = next((value for value in row.values() if isinstance(value, dict)), {})
        flat = with_paths({**row, **inner}, self._about)
        names = [name for name, value in flat.items() if not isinstance(value, dict | list)]
        present = {field: name for field, name in self._about.items() if not name or name in flat}
        fields = columns_of(names, present)
        taken = set(fields.values())
        fields = {
            name: _OWN[field] if field in _OWN and _OWN[field] not in taken else field
            for name, field in fields.items()
        }
        if "article_text" not in fields.values():
            texts = packaged.sections("records", "nested_keys.txt")["article_text"]
            own = (name for name in names if name not in fields)
            match = next((name for name in own if simplified(name) in texts), None)
            fields.update({} if match is None else {match: "article_text"})
        used = {*_ABOUT, "date"}
        self._account.ignored.update(name for name in names if fields.get(name) not in used)
        cells = {field: flat[name] for name, field in fields.items() if field in used}
        address = text_of(cells, "article") or ""
        return {"url": address, **cells} if "://" in address else cells

    def _comments(
        self, article: str, number: int, items: list[Json], waiting: dict[str | None, str]
    ) -> Iterator[Comment]:
        seen: set[str] = set()
        for index, (item, parent) in enumerate(_flattened(items)):
            cells = {"parent": parent, **self._columns.cells(item)} if item is not None else {}
            try:
                moment, date = self._account.dates.read(cells.get("at"), number)
                comment = comment_of(cells, f"{article}/{index}", moment)
                if comment.id in seen:
                    raise DataError("duplicate id of a comment")
            except DataError as error:
                self._account.reject(error.reason, number)
                continue
            seen.add(comment.id)
            if date is not None:
                waiting[comment.id] = date
            yield comment


def _dated(thread: Thread, waiting: Mapping[str | None, str], order: str | None) -> Thread:
    """Return a thread with the dates that waited for the order, or without them where none is known."""
    if order is None:
        return thread
    moments = {name: moment_of(date, order) for name, date in waiting.items()}
    comments = (
        replace(comment, at=moments[comment.id]) if comment.id in moments else comment
        for comment in thread.comments
    )
    day = moments.get(None)
    article = replace(thread.article, date=day[:10]) if day else thread.article
    return Thread(article, tuple(comments))


def _at_path(row: Json, path: str) -> Iterator[Json]:
    """Yield the articles on the way of a path to lists of comments, each with its list under that path.

    >>> list(_at_path({"paper": "X", "stories": [{"id": 7, "talk": {"open": True, "notes": ["Why?"]}}]}, "stories.talk.notes"))
    [{'open': True, 'id': 7, 'stories.talk.notes': ['Why?']}]
    """
    if "." not in path or (isinstance(row, dict) and path in row):
        yield row
        return
    waiting: list[tuple[Json, tuple[str, ...], Row]] = [(row, tuple(path.split(".")), {})]
    while waiting:
        value, keys, about = waiting.pop()
        if keys and isinstance(value, list):  # each item is an article of its own
            waiting += [(item, keys, {}) for item in reversed(value)]
        elif keys and isinstance(value, dict):
            own = {name: inner for name, inner in value.items() if name != keys[0]}
            waiting.append((value.get(keys[0]), keys[1:], {**own, **about}))
        else:
            yield {**about, path: value}


def _list_key(row: Row, named: str | None = None) -> str | None:
    """Return the key of the list of comments, named or known: a list of objects or texts, or an empty one."""
    names: Sequence[str] = (
        [named] if named else packaged.sections("records", "nested_keys.txt")[LIST]
    )
    of_name = {simplified(name): name for name in row} | ({named: named} if named else {})
    for name in names:
        items = row.get(of_name.get(name, ""))
        if isinstance(items, list) and all(
            isinstance(item, dict | str) or item is None for item in items
        ):
            return of_name[name]
    return None


def _flattened(items: list[Json]) -> Iterator[tuple[Row | None, str | None]]:
    """Yield each comment with the id of the comment it replies to, and replies after it.

    A bare text is a comment, None is no comment.
    """
    waiting: list[tuple[Json, str | None, int]] = [(entry, None, 0) for entry in reversed(items)]
    while waiting:
        item, parent, depth = waiting.pop()
        if isinstance(item, str):
            yield {"text": item}, parent
            continue
        if not isinstance(item, dict):
            yield None, parent
            continue
        key = _list_key(item) if depth < _MOST_DEPTH else None
        replies = item[key] if key is not None else []
        yield {name: value for name, value in item.items() if name != key}, parent
        fields = columns_of(list(item), {})
        own = next((str(item[name]) for name, field in fields.items() if field == "comment"), None)
        waiting += [(reply, own, depth + 1) for reply in reversed(replies)]
