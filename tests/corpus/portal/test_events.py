"""Ids that are equal: the same event is merged, another one is never mixed in."""

from __future__ import annotations

from newsdesk.corpus.portal.events import COLLISION, REPEATED, merged
from newsdesk.corpus.tally import Accounts
from newsdesk.types import Event, Source


def event(summary: str, number: int, label: str | None = None) -> Event:
    source = Source(f"https://n.example/{number}", label)
    return Event("2015-09-01/00000000", "2015-09-01", summary, sources=(source,))


def test_the_same_summary_twice_is_one_event_with_the_sources_of_both() -> None:
    accounts = Accounts("events")
    events = [event("Five die.", 1), event("Five die.", 2, "BBC"), event("Five die.", 1, "AP")]
    (only,) = merged(events, accounts, REPEATED)
    assert [(source.url[-1], source.label) for source in only.sources] == [
        ("1", "AP"),
        ("2", "BBC"),
    ]
    assert accounts.tally().dropped == {REPEATED: 2}


def test_another_summary_with_the_same_id_is_dropped_and_counted() -> None:
    accounts = Accounts("events")
    (only,) = merged([event("Five die.", 1), event("Six die.", 2)], accounts, REPEATED)
    assert (only.summary, len(only.sources)) == ("Five die.", 1)
    assert accounts.tally().dropped == {COLLISION: 1}
