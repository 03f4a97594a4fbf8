"""Contents filled into records by id, address and WARC record, and records printed as the papers print them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records
from newsdesk.corpus.fill import fill
from newsdesk.corpus.show import listing, shown
from newsdesk.errors import DataError
from newsdesk.types import Article, Cluster, ClusterArticle, Comment, Thread
from tests.cli.running import run
from tests.published import (
    tencent,
    tencent_contents,
    wcep,
    wcep_crawl,
    wcep_without_articles,
)


def test_threads_get_the_texts_of_their_addresses_in_any_spelling(tmp_path: Path) -> None:
    file = tencent(tmp_path)["train"]
    contents = tencent_contents(tmp_path, [file])
    report = fill(str(file), [str(contents)], tmp_path / "train.jsonl")
    threads = list(records.read(tmp_path / "train.jsonl", Thread))
    assert report.articles.notes == {"filled": 12}
    assert all("今天成为新闻。" in thread.article.text for thread in threads)
    before = next(records.read(file, Thread))
    assert threads[0].article.title == before.article.title
    assert (threads[0].article.url, threads[0].comments) == (before.article.url, before.comments)


def test_the_release_without_articles_is_rebuilt_from_addresses_and_records_of_the_crawl(
    tmp_path: Path,
) -> None:
    released = [
        cluster for file in wcep(tmp_path).values() for cluster in records.read(file, Cluster)
    ]
    crawl = wcep_crawl(tmp_path)
    out = tmp_path / "clusters.jsonl"
    report = fill(str(wcep_without_articles(tmp_path)), map(str, crawl.values()), out)
    rebuilt = list(records.read(out, Cluster))
    assert (report.missing, report.articles.notes) == (0, {"filled": 120})
    for cluster, original in zip(rebuilt, released, strict=True):
        assert [_content(article) for article in cluster.articles] == [
            _content(article) for article in original.articles
        ]


def test_a_build_aligns_a_crawl_with_the_events_of_the_release_without_articles(
    tmp_path: Path,
) -> None:
    file, crawl = wcep_without_articles(tmp_path, events=4), wcep_crawl(tmp_path, events=4)
    settings = tmp_path / "corpus.toml"
    inputs = json.dumps([path.name for path in crawl.values()])
    settings.write_text(f'events.pages = ["{file.name}"]\narticles.inputs = {inputs}\n', "utf-8")
    done = run("corpus", "build", str(settings), "-o", str(tmp_path / "built"))
    clusters = list(records.read(tmp_path / "built" / "clusters.jsonl", Cluster))
    assert done.returncode == 0
    assert [len(cluster.articles) for cluster in clusters] == [5] * 4


def test_an_aligner_is_fitted_on_the_release_alone(tmp_path: Path) -> None:
    file = str(wcep(tmp_path)["train"])
    out = ("--fit", str(tmp_path / "aligner"), "-o", str(tmp_path / "clusters.jsonl"))
    done = run("corpus", "align", file, file, *out, "--json")
    assert json.loads(done.stdout)["held_out"]["positives"] == 8
    rebuilt = records.read(tmp_path / "clusters.jsonl", Cluster)
    assert [cluster.id for cluster in rebuilt] == [str(number) for number in range(12)]


def _content(article: ClusterArticle) -> tuple[Any, ...]:
    return article.origin, article.title, article.url, " ".join(article.text.split())


def test_what_is_not_there_is_counted_and_left_out_on_request(tmp_path: Path) -> None:
    file, crawl = wcep_without_articles(tmp_path, events=4), wcep_crawl(tmp_path, events=2)
    report = fill(str(file), [str(crawl["sources"])], tmp_path / "all.jsonl")
    assert report.articles.dropped == {
        "neither found by id nor an address": 12,
        "not found": 4,
    }
    assert report.records.kept == 4
    report = fill(str(file), [str(crawl["sources"])], tmp_path / "some.jsonl", drop_missing=True)
    assert report.records.dropped == {"no article with text": 2}
    assert [len(cluster.articles) for cluster in records.read(tmp_path / "some.jsonl", Cluster)] == [2, 2]  # fmt: skip


def test_texts_and_days_that_are_there_stay(tmp_path: Path) -> None:
    own, other = tmp_path / "own.jsonl", tmp_path / "other.jsonl"
    records.write(own, [Article("a", "mine", url="http://a.example/"), Article("b", " ", date="2019-05-01")])  # fmt: skip
    records.write(
        other,
        [
            Article("x", "theirs", url="https://www.a.example"),
            Article("b", "first", title="B", date="2020-01-01", date_source="meta"),
            Article("c", "never asked for"),
        ],
    )
    fill(str(own), [str(other), str(other)], tmp_path / "out.jsonl")
    assert list(records.read(tmp_path / "out.jsonl", Article)) == [
        Article("a", "mine", url="http://a.example/"),
        Article("b", "first", title="B", date="2019-05-01"),
    ]


def test_the_command_says_by_its_exit_code_that_texts_are_missing(tmp_path: Path) -> None:
    file = tencent(tmp_path)["dev"]
    some = tencent_contents(tmp_path, [file])
    lines = some.read_text("utf-8").splitlines(keepends=True)
    some.write_text("".join(lines[:4]), "utf-8")
    done = run("corpus", "fill", str(file), str(some), "-o", str(tmp_path / "dev.jsonl"), "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["articles"]["dropped"] == {"not found": 2}


@pytest.mark.parametrize("type_", ["event", "output"])
def test_records_without_articles_are_refused(tmp_path: Path, type_: str) -> None:
    row = {"event": {"id": "e", "date": "2019-05-01", "summary": "S."}, "output": {"id": "e", "system": "s", "text": "t"}}[type_]  # fmt: skip
    (tmp_path / "x.jsonl").write_text(json.dumps(row), "utf-8")
    with pytest.raises(
        DataError, match=r"x\.jsonl: (events have no articles|this file has no art)"
    ):
        fill(str(tmp_path / "x.jsonl"), [], tmp_path / "out.jsonl")


def test_a_cluster_is_printed_as_the_paper_prints_an_event(tmp_path: Path) -> None:
    file = wcep(tmp_path)["train"]
    assert shown(records.read_any(file), "1", max_found=2).text() == (
        "cluster:  1\ndate:     2017-01-01\ncategory: Elections\n\n"
        "Human-written summary\n  The Borland Party wins the election with 11 seats.\n\n"
        "Headlines of cited articles (2)\n"
        "  • Borland election: report 0 of event 1\n  • Borland election: report 1 of event 1\n\n"
        "Sample headlines of found articles (2 of 3)\n"
        "  • Borland election: report 2 of event 1\n  • Borland election: report 3 of event 1"
    )


def test_a_thread_is_printed_with_title_content_and_scored_comments(tmp_path: Path) -> None:
    thread = Thread(
        Article("a", "One.\n\nTwo.", title="T"), (Comment("c", "good\x1b[2J\nidea", score=4.0),)
    )
    records.write(tmp_path / "t.jsonl", [thread])
    assert shown(records.read_any(tmp_path / "t.jsonl"), "a").text() == (
        "thread:   a\n\nTitle\n  T\n\nContent\n  One.\n  Two.\n\nComments (1)\n score  comment\n4.0000  good [2J idea"
    )


def test_an_unknown_id_is_an_error_that_names_near_ones(tmp_path: Path) -> None:
    file = wcep(tmp_path)["train"]
    with pytest.raises(DataError, match="none of 12 clusters has the id '111'; there are '11', '1'"):  # fmt: skip
        shown(records.read_any(file), "111")


def test_without_an_id_the_first_ones_are_listed(tmp_path: Path) -> None:
    rows = listing(records.read_any(tencent(tmp_path)["test"]), 2).as_json()
    assert rows["type"] == "thread"
    assert [row["id"] for row in rows["records"]] == ["20170901A0TE0000", "20170902A0TE0001"]
    done = run("corpus", "show", str(tmp_path / "data.test.json"), "20170901A0TE0000", "--json")
    assert json.loads(done.stdout)["thread"]["article"]["category"] == "sports"


def test_threads_of_others_are_listed_and_printed_without_their_type_being_named(
    tmp_path: Path,
) -> None:
    comments = [{"id": "c1", "text": "Publish the budget.", "yes": 4, "votes": 5}]
    file = tmp_path / "dump.jsonl"
    file.write_text(json.dumps({"article_id": "a1", "comments": comments}) + "\n")
    assert listing(records.read_any(file), 5).text().splitlines()[1] == "a1      (1 comment)"
    assert shown(records.read_any(file), "a1").text().endswith(
        "yes  votes  comment\n  4      5  Publish the budget."
    )  # fmt: skip


def test_a_list_of_records_cuts_long_headlines(tmp_path: Path) -> None:
    records.write(tmp_path / "c.jsonl", [Cluster("c", (), summary="word " * 300)])
    listed = listing(records.read_any(tmp_path / "c.jsonl"), 5)
    assert max(map(len, listed.text().splitlines())) <= 110
    assert len(listed.as_json()["records"][0]["headline"]) > 1_000
