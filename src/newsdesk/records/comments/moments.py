"""Moments in time as comment files write them: ISO 8601, `2026-11-16 10:00`, `16/11/2026`, seconds or milliseconds since 1970.

A moment without a time zone is taken as UTC. Dates with the day or the month first (`11/12/2026`) are read only in a named order; `FileDates` finds the one of a file.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

ORDERS = {"dmy": "the day first", "mdy": "the month first"}
_EPOCH = re.compile(r"[0-9]{9,13}(\.[0-9]+)?\Z")
_SLASHES = re.compile(r"([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})")
_YEAR_LAST = re.compile(
    r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4})\b"
    r"(?:(?:T|,?\s+)([0-9]{1,2})(:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)(?:\s*([ap])\.?m\b\.?)?)?",
    re.IGNORECASE,
)
_ZONE_NAME = re.compile(r"\s*(UTC|GMT|Z)\Z")
_ZONE_GAP = re.compile(r"\s+([+-][0-9]{2}:?[0-9]{2})\Z")
_MILLISECONDS_FROM = 1e11


def parse_moment(text: str, order: str | None = None) -> datetime | None:
    """Return the moment that a text stands for, in UTC; None where it is none, or where only an order would tell which.

    >>> parse_moment("2026-11-16 10:00").isoformat(), parse_moment("1794823200000").isoformat()
    ('2026-11-16T10:00:00+00:00', '2026-11-16T10:00:00+00:00')
    >>> parse_moment("5/11/2026 3:00 PM", "mdy").isoformat(), parse_moment("5/11/2026") is None
    ('2026-05-11T15:00:00+00:00', True)
    """
    text = text.strip()
    if date := _YEAR_LAST.match(text):
        rest = text[date.end() :]
        moments = [_moment(_iso(date, each) + rest) for each in ([order] if order else ORDERS)]
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
    """Return the date and the clock of a text, in the order named, as ISO 8601."""
    day, month = (date[1], date[3]) if order == "dmy" else (date[3], date[1])
    iso = f"{date[4]}-{int(month):02}-{int(day):02}"
    if date[5] is None:
        return iso
    hour = int(date[5])
    if date[7]:
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + (12 if date[7] in "pP" else 0)
    return f"{iso}T{hour:02}{date[6]}"


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


def rfc3339(moment: datetime) -> str:
    """A moment in UTC as records write it.

    >>> rfc3339(parse_moment("2026-11-16T11:00:00.5+01:00"))
    '2026-11-16T10:00:00Z'
    """
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
