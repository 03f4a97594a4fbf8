"""The values of one row, by field, as a comment: numbers and times as people and programs export them.

An empty cell, `NA`, `null` and the like are values left out. A value that cannot be read is an error whose reason holds no value, so that equal faults of many
rows are counted together; a time that cannot be read does not cost the comment and is left out.

Moments in time as comment files write them: ISO 8601, `2026-11-16 10:00`, `16/11/2026`, `2026年11月16日 10時00分`, seconds or milliseconds since 1970.

A moment without a time zone is taken as UTC. Dates with the day or the month first (`11/12/2026`) are read only in a named order; `FileDates` finds the one of a file.

Reads the times of one file, and finds whether its dates have the day or the month first.

A date that can only be read in one order (`16/11/2026`) proves it for the whole file. Until all rows are known, dates with the year last wait; where no row proves an order, or rows prove
both, none of them is read unless the caller names the order, and a note says so.

The text of comments that are stored as HTML: tags removed, paragraphs and line breaks as line breaks, entities decoded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from typing import Any

from newsdesk.errors import DataError
from newsdesk.types import Comment
from newsdesk.wording import plural

ORDERS = {"dmy": "the day first", "mdy": "the month first"}
_EPOCH = re.compile(r"[0-9]{9,13}(\.[0-9]+)?\Z")
_SLASHES = re.compile(r"([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})")
_YEAR_LAST = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<mark>[/.-])(?P<second>[0-9]{1,2})(?P=mark)(?P<year>[0-9]{4})\b"
    r"(?:(?:T|,?\s+)(?P<hour>[0-9]{1,2})(?P<minutes>:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)"
    r"(?:\s*(?P<half>[ap])\.?m\b\.?)?)?",
    re.IGNORECASE,
)
_HAN_DATE = re.compile(r"([0-9]{4})\s*年\s*([0-9]{1,2})\s*月\s*([0-9]{1,2})\s*日\s*")
_HAN_TIME = re.compile(r"([0-9]{1,2})\s*[时時点點]\s*([0-9]{1,2})\s*分(?:\s*([0-9]{1,2})\s*秒)?")
_ZONE_NAME = re.compile(r"\s*(UTC|GMT|Z)\Z")
_ZONE_GAP = re.compile(r"\s+([+-][0-9]{2}:?[0-9]{2})\Z")
_MILLISECONDS_FROM = 1e11


def parse_moment(text: str, order: str | None = None) -> datetime | None:
    """Return the moment that a text stands for, in UTC.

    None where it is none, or where only an order would tell which.

    >>> parse_moment("2026-11-16 10:00").isoformat(), parse_moment("1794823200000").isoformat()
    ('2026-11-16T10:00:00+00:00', '2026-11-16T10:00:00+00:00')
    >>> parse_moment("5/11/2026 3:00 PM", "mdy").isoformat(), parse_moment("5/11/2026") is None
    ('2026-05-11T15:00:00+00:00', True)
    """
    text = _western(text.strip())
    if date := _YEAR_LAST.match(text):
        rest = text[date.end() :]
        moments = [_moment(_iso(date, tried) + rest) for tried in ([order] if order else ORDERS)]
        return moments[0] if len(set(moments)) == 1 else None
    return _moment(text)


def orders_of(text: str) -> tuple[str, ...]:
    """Return the orders in which a date with the year last can be read; none where it is no such date.

    >>> orders_of("16/11/2026"), orders_of("5.11.2026 10:00"), orders_of("2026-11-16")
    (('dmy',), ('dmy', 'mdy'), ())
    """
    if not _YEAR_LAST.match(text.strip()):
        return ()
    return tuple(order for order in ORDERS if parse_moment(text, order) is not None)


def _iso(date: re.Match[str], order: str) -> str:
    """Return a match of `_YEAR_LAST`, read in the order named, as ISO 8601; "" for an hour like 13 pm."""
    first, second = date["first"], date["second"]
    day, month = (first, second) if order == "dmy" else (second, first)
    iso = f"{date['year']}-{int(month):02}-{int(day):02}"
    if date["hour"] is None:
        return iso
    hour = int(date["hour"])
    if date["half"]:  # of the day: a or p
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + (12 if date["half"] in "pP" else 0)
    return f"{iso}T{hour:02}{date['minutes']}"


def _moment(text: str) -> datetime | None:
    try:
        if _EPOCH.match(text):
            seconds = float(text)
            seconds = seconds / 1000 if seconds >= _MILLISECONDS_FROM else seconds
            return datetime.fromtimestamp(seconds, UTC)
        text = _ZONE_GAP.sub(r"\1", _ZONE_NAME.sub("+00:00", text))
        text = _SLASHES.sub(lambda day: f"{day[1]}-{int(day[2]):02}-{int(day[3]):02}", text, 1)
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _western(text: str) -> str:
    """Return a date written with 年, 月 and 日 in figures and marks alone.

    >>> _western("2026年11月6日 9時05分"), _western("2026年11月6日")
    ('2026-11-06 09:05', '2026-11-06')
    """
    if "年" not in text:
        return text
    text = _HAN_DATE.sub(lambda day: f"{day[1]}-{int(day[2]):02}-{int(day[3]):02} ", text, 1)
    clock = _HAN_TIME.sub(
        lambda time: ":".join(f"{int(part):02}" for part in time.groups() if part), text, 1
    )
    return clock.strip()


def rfc3339(moment: datetime) -> str:
    """Return a moment in UTC as records write it.

    >>> rfc3339(parse_moment("2026-11-16T11:00:00.5+01:00"))
    '2026-11-16T10:00:00Z'
    """
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


Cells = Mapping[str, Any]

_MISSING = {"", "na", "n/a", "nan", "null", "none", "nil", "-", "–"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_WHOLE = re.compile(r"[+-]?[0-9]+(\.0*)?\Z")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}([.,'\u00a0\u202f ][0-9]{3})+\Z")
_COUNTS = ("likes", "dislikes", "yes", "votes", "position")
_NO_PARENT = {"0", ""}


def comment_of(cells: Cells, default_id: str, at: str | None) -> Comment:
    """Return the comment of a row, with its time as read from the file.

    A row without an id gets the default one.
    """
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
            toxicity=_number(cells, "toxicity"),
            **counts,
        )
    except DataError as error:
        raise DataError(_without_values(error.reason)) from None


def text_of(cells: Cells, field: str) -> str | None:
    """Return the text of a cell without the white space around it; None where there is none."""
    value = cells.get(field)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    text = _plain(value).strip()
    if "\0" in text:
        raise DataError(f"a NUL byte in `{field}`")
    if _SURROGATE.search(text):
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
    if isinstance(cells[field], str) and _THOUSANDS.match(text):
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
    """Return the text of a time; None where it is left out."""
    return _given({"at": value}, "at")


def moment_of(value: Any, order: str | None) -> str | None:
    """Return the time of a cell in UTC.

    None where there is none, or none that can be read in this order of day and month.
    """
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
    """Return a reason of the constructor in a form that is equal for all rows of its kind."""
    return "`yes` is above `votes`" if reason.startswith("`yes`") else reason


_REMEDY = "say which with --dates dmy or --dates mdy"


class FileDates:
    """Reads the times of a file row by row; `order` is dmy or mdy, or None to find it."""

    def __init__(self, order: str | None = None) -> None:
        self._order = order
        self._first: tuple[str, int] | None = None
        self._proofs: dict[str, tuple[str, int]] = {}
        self._waiting = self._unread = 0
        self._first_unread = ("", 0)

    def read(self, value: Any, line: int) -> tuple[str | None, str | None]:
        """Return the moment of a value, and the text that has to wait for the order.

        Both are None where there is no time that can be read.
        """
        moment = moment_of(value, self._order)
        text = None if moment is not None else time_text(value)
        if text is None:
            return moment, None
        orders = () if self._order else orders_of(text)
        if not orders:
            self._unread += 1
            self._first_unread = self._first_unread if self._unread > 1 else (text, line)
            return None, None
        self._waiting += 1
        self._first = self._first or (text, line)
        if len(orders) == 1:
            self._proofs.setdefault(orders[0], (text, line))
        return None, text

    @property
    def order(self) -> str | None:
        """The order that is named, or that the rows so far prove; None where they prove none or both."""
        return self._order or (next(iter(self._proofs)) if len(self._proofs) == 1 else None)

    def notes(self) -> list[str]:
        """Say in which order dates were read, and how many were left out and why; none where all is plain."""
        notes = []
        if self._first and (note := self.undecided()):
            notes.append(f"{plural(self._waiting, 'date')} left out: {note}")
        elif self._first and self.order:
            text, line = self._proofs[self.order]
            notes.append(f"dates are read with {ORDERS[self.order]}, as line {line} ({text}) shows")
        if self._unread:
            text, line = self._first_unread
            unread = f"{plural(self._unread, 'time')} cannot be read and left out, first {text!r} in line {line}"
            notes.append(f"{unread}; write times like 2026-11-16 10:00")
        return notes

    def undecided(self) -> str | None:
        """Say why no order is known, with a remedy; None where one is."""
        if self.order or not self._first:
            return None
        if not self._proofs:
            text, line = self._first
            return f"{text} in line {line} may have the day or the month first; {_REMEDY}"
        (day, day_line), (month, month_line) = self._proofs["dmy"], self._proofs["mdy"]
        return f"{day} in line {day_line} has the day first, {month} in line {month_line} the month; {_REMEDY}"


_BREAKS = {"p", "br", "div", "li", "blockquote", "tr", "ul", "ol", "h1", "h2", "h3", "h4", "pre"}
_HIDDEN = {"script", "style", "template", "iframe", "object"}
_SPACE = re.compile(r"[ \t\r\f\v\u00a0]+")
_EMPTY_LINES = re.compile(r"\n\s*\n+")
_MARKUP = re.compile(
    r"</?(?:p|br|a|b|i|u|em|strong|div|span|li|ul|ol|blockquote|img|code|pre|h[1-6])(?:\s[^<>]*)?/?>"
    r"|&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#\d{1,6}|#x[0-9a-f]{1,5});",
    re.IGNORECASE,
)


class _Text(HTMLParser):
    """Collects the text outside of hidden elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def has_markup(text: str) -> bool:
    """Return True if a text shows tags that comments are written with, or entities; a lone `<` is none.

    >>> has_markup("It&#39;s late"), has_markup("5 < 6 && a <3 for all")
    (True, False)
    """
    return ("<" in text or "&" in text) and _MARKUP.search(text) is not None


def text_of_html(html: str) -> str:
    """Return the text that a reader of an HTML fragment sees.

    >>> text_of_html("<p>Rail &amp; road:</p><p>both<br>matter</p>")
    'Rail & road:\\nboth\\nmatter'
    """
    if "<" not in html and "&" not in html:
        return html.strip()
    parser = _Text()
    parser.feed(html)
    parser.close()
    text = _SPACE.sub(" ", "".join(parser.parts))
    lines = (line.strip() for line in _EMPTY_LINES.sub("\n", text).split("\n"))
    return "\n".join(line for line in lines if line)
