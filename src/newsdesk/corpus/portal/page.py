"""One portal page, whatever it is written in, as events and an account of its bullets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from newsdesk.corpus.portal.dates import day_of_file
from newsdesk.corpus.portal.events import STEP, events_of
from newsdesk.corpus.portal.html import read_html
from newsdesk.corpus.portal.passage import Day
from newsdesk.corpus.portal.wikitext import is_wikitext, read_wikitext
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import DataError
from newsdesk.types import Event


@dataclass(frozen=True, slots=True)
class Parsed:
    """The events of a page, and the account of its leaf bullets."""

    events: tuple[Event, ...]
    tally: StepTally


def parse_page(text: str, *, name: str, date: str | None = None) -> Parsed:
    """Read a day or month page of the portal: HTML of any layout, or wikitext.

    The date comes from the page, else from the file's name, else from `date`. A page with nothing of the portal in it is refused.
    """
    try:
        days = read_wikitext(text) if is_wikitext(text) else read_html(text, name=name)
        if not days:
            raise DataError("no day of the portal is on this page", file=name)
        accounts = Accounts(STEP)
        events = events_of(_dated(days, day_of_file(name) or date), accounts)
    except RecursionError as error:
        raise DataError("its elements are nested too deep", file=name) from error
    except DataError as error:
        raise error if error.file else error.at(name, None) from None
    return Parsed(tuple(events), accounts.tally())


def _dated(days: Sequence[Day], date: str | None) -> list[Day]:
    """Days with a date from elsewhere where the page names none at all; on a page of several days it could be any of them."""
    if any(day.date for day in days):
        return list(days)
    return [replace(day, date=date) for day in days]
