"""Files of others with one article a line and its comments in a list: read as threads by the common names of their keys.

Such are the published files of C3 (`article_id`, comments with `votes_yes`) and of comment generators (`source` and `references`). What means nothing to us is
ignored; a comment without a text is rejected and counted.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from newsdesk import packaged
from newsdesk.errors import DataError
from newsdesk.files import Source
from newsdesk.records.schema import parse_line, schema_of
from newsdesk.types import Article, Comment, Thread

Read = Callable[[str], Iterable[Thread]]


def is_nested(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds articles with lists of comments under names that are not ours."""
    if not str(path).removesuffix(".gz").endswith((".jsonl", ".json", ".ndjson")):
        return False
    for _, text in Source(path).texts():
        try:
            row = parse_line(text)
        except DataError:
            return False
        return not isinstance(row.get("article"), dict) and isinstance(
            _value(row, "comments"), list
        )
    return False


def read_nested(path: str | os.PathLike[str], rejected: Counter[str]) -> Iterator[Thread]:
    """The threads of such a file; `rejected` counts comments that cannot be read, by reason."""
    name = os.fspath(path)
    for number, text in Source(name).texts():
        try:
            yield _thread(parse_line(text), number, rejected)
        except DataError as error:
            raise error.at(name, number) from None


def _thread(row: Mapping[str, Any], number: int, rejected: Counter[str]) -> Thread:
    known = {
        field: _value(row, field) for field in ("id", "title", "url", "date", "lang", "category")
    }
    known["id"] = str(known["id"] if known["id"] is not None else number)
    known["text"] = _value(row, "content") or ""
    article = {
        field: value for field, value in known.items() if isinstance(value, str) and value != ""
    }
    items = _value(row, "comments")
    comments = _comments(known["id"], items if isinstance(items, list) else [], rejected)
    return Thread(schema_of(Article).decode({"text": "", **article}), tuple(comments))


def _comments(article: str, items: list[Any], rejected: Counter[str]) -> Iterator[Comment]:
    seen: set[str] = set()
    for place, item in enumerate(items):
        row = item if isinstance(item, dict) else {"text": item}
        text = _value(row, "comment text")
        if not isinstance(text, str):
            rejected["a comment without a text"] += 1
            continue
        identity = _value(row, "comment id")
        name = str(identity) if identity is not None else f"{article}/{place}"
        if name in seen:
            rejected["a comment with the id of another"] += 1
            continue
        seen.add(name)
        likes, dislikes, yes, votes = (
            _count(_value(row, field)) for field in ("likes", "dislikes", "yes", "votes")
        )
        author = _value(row, "author")
        try:
            yield Comment(
                name,
                text,
                likes,
                dislikes,
                yes=yes,
                votes=votes,
                position=place + 1,
                author=author if isinstance(author, str) else None,
            )
        except DataError:
            rejected["a comment with impossible counts"] += 1


def _value(row: Mapping[str, Any], field: str) -> Any:
    names = packaged.sections("corpus.comments", "names.txt")[field]
    return next((row[name] for name in names if row.get(name) is not None), None)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
