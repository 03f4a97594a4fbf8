"""Reads the times of one file, and finds whether its dates have the day or the month first.

A date that can only be read in one order (`16/11/2026`) proves it for the whole file. Until all rows are known, dates with the year last wait; where no row proves an order, or rows prove
both, none of them is read unless the caller names the order, and a note says so.
"""

from __future__ import annotations

from typing import Any

from newsdesk.records.comments.cells import moment_of, time_text
from newsdesk.records.comments.moments import ORDERS, orders_of
from newsdesk.wording import plural

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
        """Return the moment of a value, and the text that has to wait for the order; both are None where there is no time that can be read."""
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
