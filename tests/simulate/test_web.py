"""Simulated portal pages give back the planted events, and the simulated crawl is what its truth says."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from newsdesk import simulate
from newsdesk.corpus.portal.collect import parse_page
from newsdesk.corpus.portal.events import event_id
from newsdesk.errors import ArgumentError
from newsdesk.simulate.pages import LAYOUTS, portal_pages
from newsdesk.simulate.warc import TEMPLATES, crawl, warc_bytes
from newsdesk.types import Event
from tests.simulate.conftest import rows


def as_read(event: Event) -> Event:
    """A planted event as it has to come back: with the id and labels of its page, and titles with blanks for underscores."""
    labels = [f"({source.label})" for source in event.sources]
    return replace(
        event,
        id=event_id(event.date, event.summary),
        summary_with_labels=" ".join([event.summary, *labels]),
        entities=tuple(
            replace(entity, target=entity.target.replace("_", " ")) for entity in event.entities
        ),
    )


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_pages_of_every_layout_give_back_exactly_the_planted_events(layout: str, lang: str) -> None:
    world = simulate.world(seed=3, events=40, comments=0, lang=lang)
    read: list[Event] = []
    for page in portal_pages(world.events(), layout):
        parsed = parse_page(page.text, name="page")
        assert (parsed.tally.dropped, parsed.tally.notes) == ({}, {})
        read += parsed.events
    planted = sorted(map(as_read, world.events()), key=lambda event: event.id)
    assert sorted(read, key=lambda event: event.id) == planted
    assert any(event.story for event in planted)


def test_mixed_pages_go_through_all_layouts() -> None:
    pages = list(portal_pages(simulate.world(events=60).events()))
    assert [page.layout for page in pages[:5]] == [*LAYOUTS, LAYOUTS[0]]


def test_an_unknown_layout_is_refused() -> None:
    with pytest.raises(ArgumentError, match="'frames'"):
        list(portal_pages([], "frames"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("web") / "world"
    world = simulate.world(seed=2, events=40, comments=0)
    simulate.write_world(world, path, pages="mixed", warc=True)
    return path


def test_the_crawl_is_what_its_truth_says(folder: Path) -> None:
    truth = rows(folder / "truth" / "warc.jsonl")
    outcomes = Counter(row["outcome"] for row in truth)
    assert set(outcomes) == {"article", "not 200", "not HTML", "not a response"}
    assert {row["template"] for row in truth if row["outcome"] == "article"} == set(TEMPLATES)
    records = []
    with (folder / "warc" / "articles.warc.gz").open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            record.content_stream().read()
            if record.rec_type != "warcinfo":
                records.append(record)
    assert len(records) == len(truth)
    for record, row in zip(records, truth, strict=True):
        assert record.rec_headers.get_header("WARC-Target-URI") == row["url"]
        if record.rec_type == "response":
            assert int(record.http_headers.get_statuscode()) == row["status"]
            html = record.http_headers.get_header("Content-Type").startswith("text/html")
            assert html is (row["outcome"] != "not HTML")


def test_every_article_has_one_record(folder: Path) -> None:
    truth = rows(folder / "truth" / "warc.jsonl")
    ids = [article["id"] for row in rows(folder / "clusters.jsonl") for article in row["articles"]]
    assert [row["article"] for row in truth if "article" in row] == ids


def test_other_files_do_not_change(folder: Path, tmp_path: Path) -> None:
    simulate.write_world(simulate.world(seed=2, events=40, comments=0), tmp_path / "plain")
    for path in (tmp_path / "plain").rglob("*.jsonl"):
        same = folder / path.relative_to(tmp_path / "plain")
        assert path.read_bytes() == same.read_bytes()
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    names = {file["name"] for file in manifest["files"]}
    assert {"warc/articles.warc.gz", "truth/pages.jsonl"} <= names


def test_the_same_world_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    world = simulate.world(seed=2, events=40, comments=0)
    simulate.write_world(world, tmp_path / "again", only="warc", warc=True)
    again = (tmp_path / "again" / "warc" / "articles.warc.gz").read_bytes()
    assert again == (folder / "warc" / "articles.warc.gz").read_bytes()


def test_a_crawl_without_losses_has_every_page() -> None:
    articles = next(iter(simulate.world(events=2).clusters())).articles
    captures = [each for each in crawl(articles, losses=False) if each.article]
    assert [each.article for each in captures] == [article.id for article in articles]
    assert {each.outcome for each in captures} == {"article"}
    for capture, article in zip(captures, articles, strict=True):
        assert article.title in capture.body.decode("utf-8").replace("&amp;", "&")


def test_each_record_is_a_gzip_member_of_its_own() -> None:
    articles = next(iter(simulate.world(events=2).clusters())).articles[:3]
    members = list(warc_bytes(crawl(articles, losses=False)))
    last = b"".join([members[0], members[-1]])
    assert sum(1 for _ in ArchiveIterator(io.BytesIO(last))) == 2
    assert all(member[4:8] == b"\0\0\0\0" for member in members)
