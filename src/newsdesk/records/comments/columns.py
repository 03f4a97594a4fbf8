"""Which column of a flat file holds which field of a comment: recognised by common names, or mapped by the caller.

Names are compared in lower case with words joined by `_`, so that `Comment ID`, `commentId` and `comment-id` are one name. For each field the first name of
its list in `records/data/comment_columns.txt` that the file has is taken; a column is used once.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

from newsdesk import packaged
from newsdesk.errors import ArgumentError, DataError

# Fields in the order in which they choose their columns: the text before the id, as a column `comment` may be either.
FIELDS = (
    "article",
    "text",
    "comment",
    "title",
    "url",
    "article_text",
    "lang",
    "likes",
    "dislikes",
    "score",
    "yes",
    "votes",
    "at",
    "position",
    "author",
    "parent",
)
# What `--map` may name beside the fields of a comment: the list of comments in an article of others.
LIST = "comments"

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAP = re.compile(r"[^\w]+")


def parse_map(texts: Sequence[str]) -> dict[str, str]:
    """Return the fields and their columns as typed: `article=article_id,text=body`.

    An empty column means that the field is not read.

    >>> parse_map(["article=story,text=body", "score="])
    {'article': 'story', 'text': 'body', 'score': ''}
    """
    columns: dict[str, str] = {}
    for pair in (pair for text in texts for pair in text.split(",")):
        field, equals, column = pair.partition("=")
        if not equals:
            raise ArgumentError(f"{pair!r} is not FIELD=COLUMN, such as text=body")
        columns[field.strip()] = column.strip()
    check_fields(columns)
    return columns


def check_fields(columns: Mapping[str, str]) -> None:
    """Raise ArgumentError if a mapping names a field that comments do not have."""
    for field in columns:
        if field not in (*FIELDS, LIST):
            close = difflib.get_close_matches(field, FIELDS, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(FIELDS)}"
            raise ArgumentError(f"comments have no field {field!r}{hint}")


def simplified(name: str) -> str:
    """Return a column name as it is compared.

    >>> simplified(" Comment ID "), simplified("createdAt"), simplified("parent-id"), simplified("Comment #")
    ('comment_id', 'created_at', 'parent_id', 'comment_number')
    """
    words = _HUMP.sub("_", name.strip().replace("#", " number"))
    return _GAP.sub("_", words).strip("_").lower()


def columns_of(names: Sequence[str], mapped: Mapping[str, str]) -> dict[str, str]:
    """Return the field that each column holds (column → field); columns that hold none are left out.

    >>> columns_of(["Story ID", "Comment", "Mood", "Votes"], {})
    {'Story ID': 'article', 'Comment': 'text', 'Votes': 'likes'}
    """
    simple: dict[str, str] = {}
    for name in names:
        simple.setdefault(simplified(name), name)
    fields: dict[str, str] = {}
    for field, column in mapped.items():
        if column:
            match = column if column in names else simple.get(simplified(column))
            if match is None:
                raise DataError(f"no column {column!r} for {field!r}; there are {_listed(names)}")
            fields[match] = field
    known = packaged.sections("records", "comment_columns.txt")
    for field in FIELDS:
        if field in mapped:
            continue
        for candidate in known[field]:
            match = simple.get(candidate)
            if match is not None and match not in fields:
                fields[match] = field
                break
    return _votes_as_likes(fields, mapped)


def _votes_as_likes(fields: dict[str, str], mapped: Mapping[str, str]) -> dict[str, str]:
    """Votes of which nobody says how many were yes are votes for a comment: its likes."""
    if mapped.keys() & {"votes", "likes"} or {"yes", "score", "likes"} & set(fields.values()):
        return fields
    return {name: "likes" if field == "votes" else field for name, field in fields.items()}


def has_text(names: Sequence[str]) -> bool:
    """Return True if one of the columns is recognised as the text of comments."""
    return "text" in columns_of(names, {}).values()


def no_text(names: Sequence[str], row: Mapping[str, object] | None = None) -> DataError:
    """Return the error of a file in which no column holds the text of comments.

    A list in a JSON object may hold them.
    """
    for name, items in (row or {}).items():
        if isinstance(items, list) and items and isinstance(items[0], list):
            return DataError(
                f"`{name}` is a list of lists; write its comments in one list, each an object or a text"
            )
        if isinstance(items, list) and items and isinstance(items[0], dict | str):
            return DataError(
                f"no column with the text of comments among {_listed(names)}; if the list `{name}` holds them, say --map {LIST}={name}"
            )
    return DataError(
        f"no column with the text of comments among {_listed(names)}; name it with --map text=COLUMN"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name.strip() or "(no name)" for name in names[:30])
