"""The parts of an archive run: pace, robots.txt, the archive's interfaces, verdicts on pages, the ledger."""

from __future__ import annotations

import errno
import gzip
import os
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.corpus.archive import archive, wayback
from newsdesk.corpus.archive.client import (
    ArchiveSettings,
    Endpoints,
    SourceOutcome,
)
from newsdesk.corpus.archive.polite import Pace, Visitor, parse_robots
from newsdesk.corpus.archive.rot import CitedSource, cited_sources, read_cited
from newsdesk.corpus.archive.run import judge
from newsdesk.corpus.archive.store import LEDGER, WARC, open_store, page_record, read_ledger
from newsdesk.corpus.archive.wayback import Lookup
from newsdesk.corpus.pages import CrawledPage
from newsdesk.corpus.warc import read_pages
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.network import Answer, NoAnswerError, retry_after
from newsdesk.types import Article, Cluster, ClusterArticle, Event, Output, Source, Thread
from tests.corpus.archive.server import article
from tests.published import tencent, wcep


class Clock:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> bool:
        self.now += seconds
        return False


def starts(pace: Pace, clock: Clock, hosts: str) -> list[float]:
    times = []
    for host in hosts:
        pace.wait(host)
        times.append(clock.now)
    return times


def test_requests_to_one_host_start_an_interval_apart_and_other_hosts_do_not_wait() -> None:
    clock = Clock()
    pace = Pace(2.0, clock=clock, sleep=clock.sleep)
    assert starts(pace, clock, "aabab") == [0, 2, 2, 4, 4]


def test_a_pause_and_a_slower_host_are_kept() -> None:
    clock = Clock()
    pace = Pace(2.0, clock=clock, sleep=clock.sleep)
    pace.wait("a")
    pace.pause("a", 30)
    pace.slow("a", 10)
    assert starts(pace, clock, "aa") == [30, 40]


def test_retry_after_may_be_a_date() -> None:
    assert retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 5.0, now=20.0) == 40.0
    assert retry_after("Thu, 01 Jan 1970 00:00:00 GMT", 5.0, now=20.0) == 0.0


ROBOTS = """
User-agent: other
Disallow: /

User-agent: newsdesk
User-agent: kin
Disallow: /a   # and below
Allow: /a/open
Disallow: /*.pdf$
Crawl-delay: 2.5

User-agent: *
Disallow: /everything
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/a", False),
        ("/a/b", False),
        ("/a/open/b", True),
        ("/x/y.pdf", False),
        ("/x/y.pdf?z", True),
        ("/%61", False),
        ("/everything", True),
    ],
)
def test_the_longest_rule_of_our_own_group_decides(path: str, allowed: bool) -> None:
    robots = parse_robots(ROBOTS, "newsdesk")
    assert robots.allows(f"http://x.example{path}") == allowed
    assert robots.delay_s == 2.5


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/a*b$", "/a/b", True),
        ("/a*b$", "/a/b/c", False),
        ("/ab*b$", "/ab", False),
        ("/a$", "/ab", False),
        ("/*a*b", "/bxa", False),
        ("/*a*b", "/xaxbx", True),
        ("/" + "*a" * 40 + "b", "/" + "a" * 5_000, False),  # a backtracking search takes for ever
    ],
)
def test_patterns_of_robots_txt_match_from_the_start(
    pattern: str, path: str, matches: bool
) -> None:
    robots = parse_robots(f"User-agent: *\nDisallow: {pattern}", "newsdesk")
    assert robots.allows(f"http://x.example{path}") is not matches


def test_without_a_group_of_our_own_the_rules_for_all_hold() -> None:
    assert not parse_robots(ROBOTS, "nobody").allows("http://x.example/everything")
    assert parse_robots("nonsense\n: \n", "nobody").allows("http://x.example/")


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"archived_snapshots": 1}'])
def test_an_availability_answer_that_is_none_is_told(body: bytes) -> None:
    with pytest.raises(NoAnswerError, match="unreadable answer"):
        wayback.available(body)


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'[["timestamp"],["2019"]]', b"[1]"])
def test_a_cdx_answer_that_is_none_is_told(body: bytes) -> None:
    with pytest.raises(NoAnswerError, match="unreadable answer"):
        wayback.listed(body)


def test_an_empty_cdx_answer_lists_nothing() -> None:
    assert wayback.listed(b"\n") == wayback.listed(b"[]") == []


def test_only_addresses_of_the_archive_are_snapshots() -> None:
    ends, base = Endpoints(), "https://web.archive.org/web/20190501000000/http://a.example/"
    for location in (
        "https://a.example/web/20190501000000/http://b.example/",
        "https://web.archive.org/web/2019/http://b.example/",
        "/web/20191301000000/http://b/",
        "http://[no-address",
    ):
        assert wayback.replay(ends, base, location) is None


def test_a_link_to_a_copy_stands_for_the_page_on_the_day_of_the_copy() -> None:
    copy = "https://web.archive.org/web/20160203040506/http://a.example/x"
    sources = (Source(copy), Source("http://a.example/x"), Source("http://b.example/"))
    listed = cited_sources([Event("e", "2019-05-01", "x", sources=sources)])
    assert [(each.url, each.date) for each in listed] == [
        ("http://a.example/x", "2016-02-03"),
        ("http://b.example/", "2019-05-01"),
    ]


def test_a_copy_on_no_day_of_the_calendar_takes_the_day_of_its_event() -> None:
    source = Source("https://web.archive.org/web/20199999/http://a.example/x")
    [listed] = cited_sources([Event("e", "2019-05-01", "x", sources=(source,))])
    assert (listed.url, listed.date) == ("http://a.example/x", "2019-05-01")


def test_articles_without_text_and_bare_addresses_are_sources(tmp_path: Path) -> None:
    empty = Article("a", " ", url="http://a.example/1", date="2017-09-01")
    thread = Thread(Article("b", "", url="http://a.example/2"), ())
    full = ClusterArticle("c", "There.", url="http://a.example/3")
    bare = ClusterArticle("d", "", url="http://a.example/4")
    cluster = Cluster("k", (full, bare), date="2018-01-01")
    listed = cited_sources([empty, thread, cluster, "http://a.example/2", "http://a.example/5#top"])
    assert [(source.url[-1], source.date) for source in listed] == [
        ("1", "2017-09-01"),
        ("2", ""),
        ("4", "2018-01-01"),
        ("5", ""),
    ]


def test_a_day_that_some_record_knows_is_that_of_the_page() -> None:
    dated = Article("a", "", url="http://a.example/1", date="2017-09-01")
    orders: list[list[Article | str]] = [
        ["http://a.example/1", dated],
        [dated, "http://a.example/1"],
    ]
    for cited in orders:
        assert [source.date for source in cited_sources(cited)] == ["2017-09-01"]


def test_lists_of_addresses_and_published_files_are_read_by_their_content(tmp_path: Path) -> None:
    urls = tmp_path / "urls.txt"
    urls.write_text("# mine\nhttp://a.example/1\n\n http://a.example/2 \n", "utf-8")
    assert list(read_cited(str(urls))) == ["http://a.example/1", "http://a.example/2"]
    threads = cited_sources(read_cited(str(tencent(tmp_path)["dev"])))
    assert (len(threads), threads[0].date) == (6, "2017-09-01")
    assert len(cited_sources(read_cited(str(wcep(tmp_path)["test"])))) == 12
    records.write(tmp_path / "o.jsonl", [Output("a", "s", "t")])
    with pytest.raises(DataError, match="this file holds outputs; events"):
        read_cited(str(tmp_path / "o.jsonl"))


def test_a_page_without_a_day_is_asked_for_without_one() -> None:
    ends = Endpoints()
    assert wayback.availability_url(ends, "http://a.example/", "").endswith(
        "?url=http%3A%2F%2Fa.example%2F"
    )
    asked = wayback.cdx_url(ends, "http://a.example/", "", 365)
    assert "closest" not in asked
    assert "from=" not in asked
    assert wayback.Snapshot("20190501120000", "http://a.example/").days_from("") == 0


@pytest.mark.parametrize("url", ["", "http://", "ftp://a.example/", "http://[a/", "http://a:x/"])
def test_what_is_no_address_of_the_web_is_not_asked(url: str) -> None:
    lookup = Lookup(None, ArchiveSettings())
    assert (
        lookup.fetch(CitedSource("k", url, "2019-05-01")).outcome.outcome == "not an http address"
    )


def verdict(body: bytes, reached: str = "http://a.example/news/1", status: int = 200) -> str:
    answer = Answer("http://archive/", status, {"content-type": "text/html"}, body)
    cited = "http://a.example/news/1"
    return judge(
        answer, cited, reached, crawled="2019-05-02", min_characters=250, max_bytes=10**6
    ).outcome


def test_pages_are_judged_by_what_they_are() -> None:
    assert verdict(article(1)) == "obtained"
    assert verdict(article(1), "https://www.a.example/index.html") == "redirect to a home page"
    assert verdict(article(1), "https://a.example/account/login?x") == "login wall"
    assert verdict(b"<html><title>404</title><p>Nothing.</p></html>") == "soft 404"
    assert verdict(b"<html><title>News</title><p>Sign in to read on.</p></html>") == "login wall"
    assert verdict(b"<html><title>News</title><p>Short.</p></html>") == "no text"
    assert verdict(b"\x89PNG\r\n\x1a\n" + bytes(99)) == "not HTML"
    assert verdict(b"", status=410) == "missing in the snapshot"
    assert verdict(article(1), "http://[a/login") == "obtained"


def test_a_compressed_page_is_judged_and_stored_as_it_came(tmp_path: Path) -> None:
    headers = {"content-type": "text/html; charset=utf-8", "content-encoding": "gzip"}
    answer = Answer("x", 200, headers, gzip.compress(article(1)))
    url = "http://a.example/news/1"
    settings = {"crawled": "2019-05-02", "min_characters": 250}
    assert judge(answer, url, url, max_bytes=10**6, **settings).outcome == "obtained"  # type: ignore[arg-type]
    assert judge(answer, url, url, max_bytes=99, **settings).outcome == "too large"  # type: ignore[arg-type]
    (tmp_path / "x.warc.gz").write_bytes(page_record(url, "20190502030405", answer))
    [page] = read_pages(str(tmp_path / "x.warc.gz"))
    assert isinstance(page, CrawledPage)
    assert (page.html, page.url, page.crawled) == (article(1), url, "2019-05-02")


def test_a_robots_txt_is_followed_to_where_it_moved() -> None:
    asked = []

    class Moved:
        def get(self, url: str) -> Answer:
            asked.append(url)
            if url == "http://a.example/robots.txt":
                return Answer(url, 301, {"location": "https://b.example/robots.txt"}, b"")
            return Answer(url, 200, {}, b"User-agent: *\nDisallow: /x")

    settings = ArchiveSettings(rate_per_s=1e6)
    visitor = Visitor(Moved(), Pace(0.0), settings)  # type: ignore[arg-type]
    assert not visitor.allowed("http://a.example/x")
    assert visitor.allowed("http://a.example/y")
    assert asked == ["http://a.example/robots.txt", "https://b.example/robots.txt"]


def test_a_long_article_about_error_pages_is_an_article() -> None:
    page = article(1).replace(b"Lighthouse story 1", b"Why you see Page not found")
    assert verdict(page) == "obtained"


def test_a_short_report_of_something_not_found_is_an_article() -> None:
    text = b"The missing boat was not found on Sunday, the coast guard said in a short note. " * 5
    page = (
        b"<html><title>Boat not found | Post</title><h1>Boat not found</h1><p>%s</p></html>" % text
    )
    assert verdict(page) == "obtained"
    assert verdict(page.replace(b"Boat not found", b"Not found")) == "soft 404"


def test_a_run_that_was_killed_while_writing_goes_on_after_the_last_whole_line(
    tmp_path: Path,
) -> None:
    answer = Answer("x", 200, {"content-type": "text/html"}, article(1))
    first = SourceOutcome("a/1", "http://a/1", "2019-05-01", "obtained", "20190502000000")
    page = page_record(first.url, "20190502000000", answer)
    with open_store(tmp_path / "archive", overwrite=False) as (folder, store):
        store.add(first, page)
    whole = (folder / LEDGER).read_bytes(), (folder / WARC).read_bytes()
    for name, cut in ((LEDGER, b'{"key": "a/2", "ur'), (WARC, page[:50])):
        with (folder / name).open("ab") as stream:
            stream.write(cut)
    with open_store(folder, overwrite=False) as (_, store):
        assert store.known == {"a/1": "obtained"}
        assert ((folder / LEDGER).read_bytes(), (folder / WARC).read_bytes()) == whole
        store.add(SourceOutcome("a/2", "http://a/2", "2019-05-01", "obtained"), page)
    assert [row.key for row in read_ledger(folder)] == ["a/1", "a/2"]
    assert [type(each) for each in read_pages(str(folder / WARC))] == [CrawledPage, CrawledPage]


def test_a_full_disk_leaves_no_half_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = SourceOutcome("a/1", "http://a/1", "2019-05-01", "obtained")
    with open_store(tmp_path / "archive", overwrite=False) as (folder, store):
        before = (folder / WARC).read_bytes()

        def full(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(FileError, match="no space left on the disk"):
            store.add(outcome, b"a page")
        assert (folder / WARC).read_bytes() == before
        assert (folder / LEDGER).read_bytes() == b""


def test_an_address_that_is_refused_is_counted_and_nowhere_written(tmp_path: Path) -> None:
    event = Event("e", "2019-05-01", "x", sources=(Source("http://a.example/secret"),))
    report = archive([event], tmp_path / "archive", refuses=lambda url: "secret" in url)
    assert report.tally.dropped == {"forgotten": 1}
    for path in (tmp_path / "archive").rglob("*"):
        assert path.is_dir() or b"secret" not in path.read_bytes()


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    with (
        open_store(tmp_path, overwrite=False),
        pytest.raises(FileError, match="another build is at work"),
        open_store(tmp_path, overwrite=False),
    ):
        pass


def test_a_ledger_that_is_none_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / LEDGER).write_text('{"key": "a", "url": "a", "date": "d", "outcome": "x"}\n[]\n')
    with pytest.raises(DataError, match=r"ledger\.jsonl:2: not a line of an archive's ledger"):
        list(read_ledger(tmp_path))


@pytest.mark.parametrize("wrong", [{"rate_per_s": 0}, {"attempts": 0}, {"days": -1}])
def test_settings_that_cannot_work_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ArgumentError):
        ArchiveSettings(**wrong)  # type: ignore[arg-type]
