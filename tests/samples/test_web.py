"""The sample's portal pages and WARC hold the sample's events and articles, byte for byte as the writers write them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from newsdesk import samples
from newsdesk.corpus.portal.collect import collect
from newsdesk.errors import SpecError
from newsdesk.simulate.pages import portal_pages
from newsdesk.simulate.warc import crawl, warc_bytes


@pytest.mark.parametrize("layout", samples.LAYOUTS)
def test_pages_of_every_layout_give_back_the_sample_events(layout: str) -> None:
    collected = collect([str(page) for page in samples.portal_pages(layout)])
    events = {event.summary: event for event in samples.events()}
    assert len(collected.events) == len(events) == 12
    for event in collected.events:
        assert replace(event, id=events[event.summary].id) == events[event.summary]


@pytest.mark.parametrize("layout", ["heading", "table", "wikitext"])
def test_pages_are_what_the_writer_writes(layout: str) -> None:
    written = {page.name: page.text for page in portal_pages(samples.events(), layout)}
    assert {page.name: page.read_text("utf-8") for page in samples.portal_pages(layout)} == written


def test_the_warc_holds_every_article_once_and_some_records_that_are_none() -> None:
    captures = list(
        crawl((article for each in samples.clusters() for article in each.articles), losses=False)
    )
    assert samples.warc().read_bytes() == b"".join(warc_bytes(captures))
    outcomes = Counter(capture.outcome for capture in captures)
    assert outcomes["article"] == 76
    assert set(outcomes) - {"article"}


def test_a_layout_that_there_is_not_is_named() -> None:
    with pytest.raises(SpecError, match="not as 'frames'"):
        samples.portal_pages("frames")
