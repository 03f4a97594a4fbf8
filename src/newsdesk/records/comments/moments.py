"""Moments in time as comment files write them: ISO 8601, `2026-11-16 10:00`, seconds or milliseconds since 1970.

A moment without a time zone is taken as UTC. Dates with the day or the month first (`11/12/2026`) are ambiguous and not read.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

_EPOCH = re.compile(r"[0-9]{9,13}(\.[0-9]+)?\Z")
_SLASHES = re.compile(r"([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})")
_ZONE_NAME = re.compile(r"\s*(UTC|GMT)\Z")
_ZONE_GAP = re.compile(r"\s+([+-][0-9]{2}:?[0-9]{2})\Z")
_MILLISECONDS_FROM = 1e11


def parse_moment(text: str) -> datetime | None:
    """The moment that a text stands for, in UTC; None where it is none.

    >>> parse_moment("2026-11-16 10:00").isoformat(), parse_moment("1794823200000").isoformat()
    ('2026-11-16T10:00:00+00:00', '2026-11-16T10:00:00+00:00')
    >>> parse_moment("16/11/2026 10:00") is None
    True
    """
    text = text.strip()
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
