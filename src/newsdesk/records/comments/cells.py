"""The values of one row, by field, as a comment: numbers and times as people and programs export them.

An empty cell, `NA`, `null` and the like are values left out. A value that cannot be read is an error whose reason holds no value, so that equal faults of many
rows are counted together; a time that cannot be read does not cost the comment and is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from newsdesk.errors import DataError
from newsdesk.records.comments.moments import parse_moment, rfc3339
from newsdesk.types import Comment

Cells = Mapping[str, Any]

_MISSING = {"", "na", "n/a", "nan", "null", "none", "nil", "-", "–"}
_WHOLE = re.compile(r"[+-]?[0-9]+(\.0*)?\Z")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}([,'\u00a0\u202f ][0-9]{3})+\Z")
_COUNTS = ("likes", "dislikes", "yes", "votes", "position")
_NO_PARENT = {"0", ""}


def comment_of(cells: Cells, default_id: str, at: str | None) -> Comment:
    """The comment of a row, with its time as read from the file; a row without an id gets the default one."""
    text = text_of(cells, "text")
    if text is None:
        raise DataError("no text")
    counts = {name: _count(cells, name) for name in _COUNTS}
    try:
        return Comment(
            id=text_of(cells, "comment") or default_id,
            text=text,
            score=_number(cells, "score"),
            at=at,
            author=text_of(cells, "author"),
            parent=_parent(cells),
            **counts,
        )
    except DataError as error:
        raise DataError(_without_values(error.reason)) from None


def text_of(cells: Cells, field: str) -> str | None:
    """The text of a cell without the white space around it; None where there is none."""
    value = cells.get(field)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    text = _plain(value).strip()
    if "\0" in text:
        raise DataError(f"a NUL byte in `{field}`")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise DataError(f"`{field}` is not UTF-8")
    return text or None


def _plain(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # an id that a table program took for a number
    return str(value)


def _given(cells: Cells, field: str) -> str | None:
    text = text_of(cells, field)
    return None if text is None or text.lower() in _MISSING else text


def _count(cells: Cells, field: str) -> int | None:
    text = _given(cells, field)
    if text is None:
        return None
    if _THOUSANDS.match(text):
        text = re.sub(r"[^0-9+-]", "", text)
    if not _WHOLE.match(text) or len(text) > 18:
        raise DataError(f"`{field}` is not a whole number")
    count = int(text.partition(".")[0])
    if count < 0:
        raise DataError(f"`{field}` is below zero")
    return count


def _number(cells: Cells, field: str) -> float | None:
    text = _given(cells, field)
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"`{field}` is not a number")
    return number


def time_text(value: Any) -> str | None:
    """The text of a time; None where it is left out."""
    return _given({"at": value}, "at")


def moment_of(value: Any, order: str | None) -> str | None:
    """The time of a cell in UTC; None where there is none, or none that can be read in this order of day and month."""
    if isinstance(value, datetime):
        return rfc3339(value if value.tzinfo else value.replace(tzinfo=UTC))
    if isinstance(value, date):
        return rfc3339(datetime(value.year, value.month, value.day, tzinfo=UTC))
    text = time_text(value)
    if text is None:
        return None
    moment = parse_moment(text, order)
    return None if moment is None else rfc3339(moment)


def _parent(cells: Cells) -> str | None:
    text = _given(cells, "parent")
    return None if text is None or text in _NO_PARENT else text


def _without_values(reason: str) -> str:
    """A reason of the constructor in a form that is equal for all rows of its kind."""
    return "`yes` is above `votes`" if reason.startswith("`yes`") else reason
