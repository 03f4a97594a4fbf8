"""Hand-written pages of every layout, with nesting, missing categories and stray markup, give back the events planted in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from newsdesk.corpus.portal.collect import Parsed, parse_page
from newsdesk.corpus.portal.events import event_id
from newsdesk.types import Event

PAGES = sorted(
    path for path in (Path(__file__).parent / "pages").iterdir() if path.suffix != ".json"
)


def parsed(path: Path) -> Parsed:
    # The file names say nothing of dates, so that every date comes from the page.
    return parse_page(path.read_text("utf-8"), name=path.name)


def planted(path: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads(path.with_suffix(".json").read_text("utf-8"))
    return expected


def row(event: Event) -> list[Any]:
    return [
        event.date,
        event.category,
        list(event.story),
        event.summary,
        [[entity.phrase, entity.target] for entity in event.entities],
        [[source.url, source.label] for source in event.sources],
    ]


def test_there_are_three_pages_of_each_old_layout() -> None:
    kinds = [path.name.partition("-")[0] for path in PAGES]
    assert all(kinds.count(kind) >= 3 for kind in ("table", "heading", "wiki"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_gives_back_exactly_its_events(path: Path) -> None:
    rows = [row(event) for event in parsed(path).events]
    assert rows == planted(path)["events"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_leaf_of_a_page_is_accounted_for(path: Path) -> None:
    tally = parsed(path).tally
    expected = planted(path)
    assert (tally.read, tally.dropped) == (expected["read"], expected["dropped"])
    assert tally.notes == expected["notes"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_ids_and_places_are_right(path: Path) -> None:
    for event in parsed(path).events:
        assert event.id == event_id(event.date, event.summary)
        for entity in event.entities:
            assert event.summary[entity.start : entity.end] == entity.phrase
