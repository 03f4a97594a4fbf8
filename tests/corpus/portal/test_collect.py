"""Many pages: files, folders and gzip in, repeated events merged, bad pages counted."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from newsdesk import samples
from newsdesk.corpus.portal.collect import ON_ANOTHER_PAGE, collect, find_pages, parse_page
from newsdesk.errors import DataError, FileError
from tests.cli.running import run
from tests.docs.test_docs import run_blocks

PAGE = samples.portal_pages()[0]


def test_a_day_given_twice_is_merged_and_counted() -> None:
    other = samples.portal_pages("wikitext")[0]
    collected = collect([str(PAGE), str(other)])
    assert len(collected.events) == collected.bullets.kept == 2
    assert collected.bullets.dropped == {ON_ANOTHER_PAGE: 2}
    assert collected.bullets.read == 4
    assert collected.rejected == 0


def test_events_come_in_order_of_days() -> None:
    pages = [str(page) for page in reversed(samples.portal_pages())]
    days = [event.date for event in collect(pages).events]
    assert days == sorted(days)


def test_bad_pages_are_counted_with_their_reason(tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_bytes(b"")
    (tmp_path / "other.html").write_text("<html><body><p>A recipe.</p></body></html>", "utf-8")
    (tmp_path / "bytes.html").write_bytes(b"<ul><li>caf\xe9</li></ul>")
    (tmp_path / "broken.html.gz").write_bytes(gzip.compress(PAGE.read_bytes())[:-40])
    (tmp_path / "deep.html").write_text("<ul><li>" * 3000 + "x", "utf-8")
    (tmp_path / "good.html.gz").write_bytes(gzip.compress(PAGE.read_bytes()))
    (tmp_path / "notes.pdf").write_bytes(b"not a page")
    pages = find_pages([str(tmp_path)])
    collected = collect(pages)
    assert len(pages) == collected.pages.read == 6
    assert collected.pages.kept == 1
    assert len(collected.refusals) == sum(collected.pages.dropped.values()) == 5
    assert len(collected.events) == 2


def test_a_page_in_another_character_set_is_read(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8").replace("Calverra", "Café").replace("\u2013", "-")
    page = tmp_path / "page.html"
    page.write_bytes(f'<meta charset="windows-1252">{text}'.encode("cp1252", "ignore"))
    assert any("Café" in event.summary for event in collect([str(page)]).events)


BARE = '<ul><li>Five die in Tarn. <a class="external" href="https://n.example">(AP)</a></li></ul>'


@pytest.mark.parametrize(
    ("name", "argument", "date"),
    [
        ("2015-09-01.html", "2016-01-01", "2015-09-01"),
        ("Portal_Current_events_2015_September_1.html", None, "2015-09-01"),
        ("20150901.html", None, "2015-09-01"),
        ("page.html", "2016-01-01", "2016-01-01"),
    ],
)
def test_the_date_comes_from_the_name_and_then_from_the_caller(
    name: str, argument: str | None, date: str
) -> None:
    (event,) = parse_page(BARE, name=name, date=argument).events
    assert event.date == date


def test_without_any_date_bullets_are_dropped_and_counted() -> None:
    parsed = parse_page(BARE, name="page.html")
    assert parsed.events == ()
    assert parsed.tally.dropped == {"no date": 1}


def test_a_page_of_days_under_plain_headings_is_read() -> None:
    page = f"<title>January 2004</title><h2>January 3</h2>{BARE}<h2>4 January 2004</h2>{BARE}"
    assert [e.date for e in parse_page(page, name="page").events] == ["2004-01-03", "2004-01-04"]


def test_a_page_with_nothing_of_the_portal_is_refused() -> None:
    with pytest.raises(DataError, match=r"page\.html: no day of the portal"):
        parse_page("<p>A recipe.</p>", name="page.html")


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no page"):
        find_pages([str(tmp_path)])


def test_the_command_writes_events_and_accounts(tmp_path: Path) -> None:
    out, report = tmp_path / "events.jsonl", tmp_path / "report.json"
    words = ["corpus", "events", str(PAGE.parent), "-o", str(out), "--report", str(report)]
    done = run(*words, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads(report.read_text("utf-8"))
    pages, bullets = json.loads(done.stdout)["steps"]
    assert (pages["read"], bullets["read"], bullets["kept"]) == (5, 12, 12)
    assert run("records", "check", str(out)).returncode == 0
    assert run(*words).returncode == 1
    assert run(*words, "--force").stdout.startswith("unit")


def test_the_command_ends_with_three_when_a_page_was_lost(tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text("<p>A recipe.</p>", "utf-8")
    done = run("corpus", "events", str(PAGE), str(bad), "-o", "-")
    assert done.returncode == 3
    assert len(done.stdout.splitlines()) == 2
    assert "bad.html: no day of the portal is on this page" in done.stderr


def test_the_command_refuses_a_date_that_is_none(tmp_path: Path) -> None:
    done = run("corpus", "events", str(PAGE), "--date", "2015-02-30", "-o", "-")
    assert done.returncode == 2
    assert "'2015-02-30' is not a day" in done.stderr


def test_the_blocks_of_the_reference_page_run() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "corpus.md"
    assert run_blocks(page) == 3
