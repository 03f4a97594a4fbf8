"""The 40 real pages of 2025–26: every source is on its event, and no label is left in a summary."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from newsdesk.corpus.portal.collect import parse_page
from newsdesk.types import Event

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def pages(shared_data: Path) -> list[Path]:
    return sorted((shared_data / "wcep_portal_html").glob("*.html"))


@pytest.fixture(scope="module")
def events(pages: list[Path]) -> dict[str, tuple[Event, ...]]:
    return {
        page.stem: parse_page(page.read_text("utf-8"), name="page.html").events for page in pages
    }


def test_every_page_has_events_of_its_day(events: dict[str, tuple[Event, ...]]) -> None:
    assert len(events) == 40
    for day, day_events in events.items():
        assert day_events
        assert {event.date for event in day_events} == {day}


def test_every_leaf_is_an_event_and_every_link_of_it_is_on_that_event_alone(
    pages: list[Path], events: dict[str, tuple[Event, ...]]
) -> None:
    # Editors cite some pages under two bullets; each link is then on the event of its own bullet.
    links = 0
    for page in pages:
        description = LexborHTMLParser(page.read_text("utf-8")).css_first("div.description")
        leaves = [item for item in description.css("li") if item.css_first("ul") is None]
        cited = [[link.attributes["href"] for link in leaf.css("a.external")] for leaf in leaves]
        assert [[source.url for source in event.sources] for event in events[page.stem]] == cited
        links += sum(map(len, cited))
    assert links == 809


def test_every_event_is_complete(events: dict[str, tuple[Event, ...]]) -> None:
    for event in (event for day in events.values() for event in day):
        assert event.category
        assert event.category != "Uncategorized"
        assert len(event.summary.split()) > 3
        assert event.summary == " ".join(event.summary.split())
        assert all(source.label for source in event.sources)
        for entity in event.entities:
            assert event.summary[entity.start : entity.end] == entity.phrase


def test_no_label_is_left_in_a_summary(events: dict[str, tuple[Event, ...]]) -> None:
    labels = {source.label for day in events.values() for event in day for source in event.sources}
    for event in (event for day in events.values() for event in day):
        assert not {f"({label})" for label in labels if f"({label})" in event.summary}
        assert not re.search(r"https?://|\[\d+\]|\s[.,;]|\(\s*\)", event.summary)
        assert "(" in (event.summary_with_labels or "")


def test_days_of_each_category_are_those_counted_in_the_data(
    events: dict[str, tuple[Event, ...]],
) -> None:
    days = Counter(
        category for day in events.values() for category in {event.category for event in day}
    )
    assert days == {
        "Disasters and accidents": 38,
        "Armed conflicts and attacks": 37,
        "Law and crime": 36,
        "Politics and elections": 31,
        "International relations": 21,
        "Sports": 19,
        "Health and environment": 19,
        "Business and economy": 18,
        "Arts and culture": 11,
        "Science and technology": 11,
    }
