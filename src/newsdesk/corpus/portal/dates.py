"""Days as the portal writes them: `2015-09-01`, `2015_September_1`, `September 1, 2015`, `1 September 2015`, `20150901`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from pathlib import PurePath

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_NUMBER = {name: number for number, name in enumerate(_MONTHS, 1)} | {
    name[:3]: number for number, name in enumerate(_MONTHS, 1)
}
_MONTH = "(" + "|".join([*_MONTHS, *(f"{name[:3]}(?![a-z])" for name in _MONTHS), "sept"]) + r")\.?"
_GAP = r"[\s_,.\-]+"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?(?!\d)"
_YEAR = r"((?:19|20|21)\d{2})(?!\d)"
# Each pattern with the order of its groups; None stands for a year that the page says elsewhere.
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?<!\d)(?<![a-z]){pattern}", re.IGNORECASE), order)
    for pattern, order in (
        (rf"{_YEAR}-(\d{{2}})-(\d{{2}})(?!\d)", "ymd"),
        (rf"{_YEAR}{_GAP}{_MONTH}{_GAP}{_DAY}", "yMd"),
        (rf"{_MONTH}{_GAP}{_DAY}{_GAP}{_YEAR}", "Mdy"),
        (rf"{_DAY}{_GAP}(?:of{_GAP})?{_MONTH}{_GAP}{_YEAR}", "dMy"),
        (rf"{_YEAR}[_./](\d{{1,2}})[_./](\d{{1,2}})(?!\d)", "ymd"),
        (r"((?:19|20|21)\d{2})(\d{2})(\d{2})(?!\d)", "ymd"),
    )
)
_WITHOUT_YEAR = (
    (re.compile(rf"(?<![a-z\d]){_MONTH}{_GAP}{_DAY}(?![\s,]*\d{{4}})", re.IGNORECASE), "Md"),
    (re.compile(rf"(?<![a-z\d]){_DAY}{_GAP}(?:of{_GAP})?{_MONTH}(?![a-z])", re.IGNORECASE), "dM"),
)
_MONTH_PAGE = (
    re.compile(rf"(?<![a-z\d]){_MONTH}[\s_]+{_YEAR}", re.IGNORECASE),
    re.compile(rf"(?<!\d){_YEAR}[\s_\-]+{_MONTH}(?![a-z])", re.IGNORECASE),
)


def day_in(text: str) -> str | None:
    """Return the first whole day that a text names.

    >>> day_in("Current events of September 1, 2015 (Tuesday)"), day_in("2015_September_1"), day_in("2015-02-30")
    ('2015-09-01', '2015-09-01', None)
    """
    for pattern, order in _PATTERNS:
        for match in pattern.finditer(text):
            if day := _day(dict(zip(order, match.groups(), strict=True))):
                return day
    return None


def day_of(text: str, years: Iterable[str]) -> str | None:
    """Return the day that a heading such as `September 1` names on a page of one of these years."""
    if day := day_in(text):
        return day
    for pattern, order in _WITHOUT_YEAR:
        for match in pattern.finditer(text):
            for year in years:
                if day := _day({"y": year, **dict(zip(order, match.groups(), strict=True))}):
                    return day
    return None


def is_day_heading(text: str, years: Iterable[str]) -> bool:
    """Return whether a heading is a day and little else, such as `Saturday, 3 January 2004`."""
    return len(text.split()) <= 8 and day_of(text, years) is not None


def year_in(text: str) -> str | None:
    """Return the year of a month page's title, such as `January 2004`."""
    for pattern in _MONTH_PAGE:
        if match := pattern.search(text):
            return next(group for group in match.groups() if group.isdigit())
    return None


def day_of_file(name: str) -> str | None:
    """Return the day that a file's name says."""
    return day_in(PurePath(name).name)


def _day(parts: dict[str, str]) -> str | None:
    month = int(parts["m"]) if "m" in parts else _NUMBER[parts["M"].lower()[:3]]
    try:
        return date(int(parts["y"]), month, int(parts["d"])).isoformat()
    except ValueError:
        return None
