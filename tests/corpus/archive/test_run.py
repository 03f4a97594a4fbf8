"""Runs against a loopback archive that behaves like the real one, with a third of faults."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from newsdesk import records
from newsdesk.corpus.archive.client import TRANSIENT, UNARCHIVED
from newsdesk.corpus.articles import build_articles
from newsdesk.corpus.fill import fill
from newsdesk.corpus.pages import CrawledPage
from newsdesk.corpus.warc import read_pages
from newsdesk.types import Article, Thread
from newsdesk.work import Running
from tests.cli.running import run
from tests.corpus.archive import server
from tests.corpus.archive.running import (
    CONCURRENCY,
    RATE,
    Loopback,
    excess,
    loopback,
    outcomes,
    run_under_fire,
    start,
)

URLS = 200


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Loopback]:
    with loopback(tmp_path) as running:
        yield running


def planted(ports: dict[str, int], count: int, *, save: bool) -> dict[str, str]:
    return {
        server.page_of(server.url_of(number, ports)): server.outcome_of(number, save=save)
        for number in range(count)
    }


@pytest.mark.timeout(300)
def test_a_run_killed_three_times_gives_every_url_its_one_outcome(
    archive: Loopback, tmp_path: Path
) -> None:
    events, out = tmp_path / "events.jsonl", tmp_path / "archive"
    records.write(events, server.events_for(URLS, archive.ports))
    fire = run_under_fire(archive, events, out, [40, 90, 150], "--save")
    assert outcomes(out) == planted(archive.ports, URLS, save=True)
    assert fire.kills == 3
    assert fire.again == 0
    assert fire.repeated <= fire.kills * CONCURRENCY
    requests = archive.requests()
    assert (
        excess(requests, RATE) < 0.5
    )  # threads of a busy machine are late, and the next one seems early
    assert not [row for row in requests if "/hidden/" in row["path"] and row["host"] == "web"]
    assert not [row for row in requests if "/private/" in row["path"] and "/save/" in row["path"]]
    _check_pages(out, archive)


def _check_pages(out: Path, archive: Loopback) -> None:
    """The WARC file holds every obtained page once, and the articles step reads it like any crawl."""
    expected = planted(archive.ports, URLS, save=True)
    obtained = sorted(page for page, outcome in expected.items() if outcome == "obtained")
    pages = cast(list[CrawledPage], list(read_pages(str(out / "warc/sources.warc.gz"))))
    assert sorted(server.page_of(page.url) for page in pages) == obtained
    articles = build_articles(
        ["warc"], out.parent / "articles", root=out, running=Running("inline")
    )
    assert (articles.tally.kept, articles.tally.dropped) == (len(obtained), {})
    report = json.loads((out / "report.json").read_text("utf-8"))
    assert report["archive"]["kept"] == len(obtained)
    assert Counter(expected.values()) == {**report["archive"]["dropped"], "obtained": len(obtained)}
    assert sum(year["sources"] for year in report["years"]) == URLS
    assert [year["name"] for year in report["years"]] == ["2016", "2017", "2018", "2019"]
    assert "Link rot" in (out / "index.html").read_text("utf-8")


@pytest.mark.timeout(300)
def test_save_and_retry_ask_only_for_what_they_can_change(
    archive: Loopback, tmp_path: Path
) -> None:
    count = 3 * len(server.FAULTS)
    events, out = tmp_path / "events.jsonl", tmp_path / "archive"
    records.write(events, server.events_for(count, archive.ports))
    process = start(archive, events, out)
    process.communicate()
    assert process.returncode == 3  # some got no whole answer
    before = outcomes(out)
    assert before == planted(archive.ports, count, save=False)
    assert not [row for row in archive.requests() if "/save/" in row["path"]]

    for option, reasons in (("--save", UNARCHIVED), ("--retry", TRANSIENT)):
        logged = len(archive.requests())
        start(archive, events, out, option).communicate()
        asked = {row["page"] for row in archive.requests()[logged:] if row["page"]}
        assert asked == {page for page, outcome in before.items() if outcome in reasons}


def test_an_archive_that_cannot_be_reached_is_one_line_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    events, out = tmp_path / "events.jsonl", tmp_path / "archive"
    ports = {"archive": 9, "web": 9, "north": 9, "south": 9}
    records.write(events, server.events_for(5, ports))
    ends = [part for each in server.endpoints(ports) for part in ("--endpoint", each)]
    quick = ["--attempts", "2", "--backoff-s", "0", "--rate", "1000"]
    done = run("corpus", "archive", str(events), "-o", str(out), *quick, *ends)
    assert (done.returncode, done.stdout) == (1, "")
    assert "127.0.0.1:9: " in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert outcomes(out) == {}
    assert not (out / "report.json").exists()


def test_a_folder_of_something_else_and_a_wrong_endpoint_are_refused(tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    records.write(events, server.events_for(1, {"north": 1, "south": 1}))
    done = run("corpus", "archive", str(events), "-o", str(tmp_path))
    assert (done.returncode, "is no archive folder" in done.stderr) == (1, True)
    done = run("corpus", "archive", str(events), "-o", "x", "--endpoint", "wep=http://127.0.0.1/")
    assert (done.returncode, "did you mean 'web'" in done.stderr) == (1, True)


def test_threads_and_lists_of_addresses_get_their_texts_from_the_archive(
    archive: Loopback, tmp_path: Path
) -> None:
    urls = [server.url_of(number, archive.ports) for number in (1, 2, 4)]
    listed, threads = tmp_path / "urls.txt", tmp_path / "threads.jsonl"
    listed.write_text(f"{urls[0]}\n", "utf-8")
    records.write(threads, [Thread(Article(url[-6:], "", url=url), ()) for url in urls])
    for file in (listed, threads):
        with start(archive, file, tmp_path / "archive") as process:
            assert process.wait() == 0
    assert set(outcomes(tmp_path / "archive").values()) == {"obtained"}
    assert len([row for row in archive.requests() if "/available" in row["path"]]) == 3
    pages = str(tmp_path / "archive/warc/sources.warc.gz")
    report = fill(str(threads), [pages], tmp_path / "filled.jsonl")
    filled = list(records.read(tmp_path / "filled.jsonl", Thread))
    assert report.articles.notes == {"filled": 3}
    assert [thread.article.title for thread in filled] == [
        f"Lighthouse story {number}" for number in (1, 2, 4)
    ]
