"""The articles step: what goes in comes out as articles or is counted, with the same bytes in every way of getting there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records
from newsdesk.corpus.articles import ArticlesReport, Extraction, build_articles
from newsdesk.corpus.extraction import extract_shard
from newsdesk.corpus.partitions import Filters
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.types import Article
from newsdesk.work import Running
from newsdesk.work.tasks import Timer
from tests.corpus.writing import Stored, page, record, write_crawl, write_warc

PLAIN = Extraction(extractor="tests.corpus.writing:plain")
INLINE = Running(engine="inline")


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but the cache of digests and the lock."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in paths
        if path.name not in ("digests.json", "lock")
    }


def build(inputs: list[str], out: Path, root: Path, **settings: Any) -> ArticlesReport:
    return build_articles(
        inputs, out, root=root, **{"extraction": PLAIN, "running": INLINE, **settings}
    )


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "crawl"
    (folder / "saved").mkdir(parents=True)
    write_crawl(folder / "a.warc.gz", "alpha", 7)
    write_warc(
        folder / "b.warc",
        [
            record("request", b"GET / HTTP/1.1\r\n\r\n", "https://b.example/"),
            Stored("https://b.example/1", page("beta 1", lang="de")),
            Stored("https://b.example/2", page("beta 2", day=None)),
            Stored("https://b.example/3", page("gone"), status=404),
            Stored("https://b.example/4", b"%PDF", headers={"Content-Type": "application/pdf"}),
            Stored("https://b.example/5", b"<html><body></body></html>"),
            Stored("https://b.example/1", page("beta 1", lang="de")),
        ],
    )
    (folder / "saved" / "x.html").write_bytes(page("saved", day="2031-03-02"))
    (folder / "saved" / "notes.txt").write_text("not an input")
    records.write(folder / "own.jsonl", [Article("own-1", "A text.", date="2031-03-01", lang="en")])
    yield folder


def test_every_kind_of_input_becomes_articles_and_the_counts_add_up(
    crawl: Path, tmp_path: Path
) -> None:
    report = build(["crawl"], tmp_path / "out", tmp_path)
    assert report.tally.read == 7 + 6 + 1 + 1
    assert dict(report.tally.dropped) == {
        "not status 200": 1,
        "not HTML": 1,
        "no text": 1,
        "same id": 1,
    }
    assert dict(report.tally.notes) == {"request records": 1}
    reader = records.read(tmp_path / "out", Article)
    articles = list(reader)
    assert reader.ignored == {"file": 11, "offset": 11}
    assert len(articles) == report.tally.kept == sum(report.files.values()) == 11
    assert {article.id for article in articles} >= {"own-1"}
    assert {path.name for path in (tmp_path / "out").glob("date=*")} == {
        "date=2031-03-01", "date=2031-03-02", "date=2031-03-03", "date=2031-03-04", "date=unknown",
    }  # fmt: skip


def test_file_and_offset_say_where_a_page_lies(crawl: Path, tmp_path: Path) -> None:
    import polars as pl

    build(["crawl"], tmp_path / "out", tmp_path)
    rows = pl.concat(
        [
            pl.read_parquet(path, hive_partitioning=False)
            for path in (tmp_path / "out").rglob("part-*.parquet")
        ]
    )
    plain = rows.filter(pl.col("file") == "crawl/b.warc")
    data = (crawl / "b.warc").read_bytes()
    for url, offset in plain.select("url", "offset").iter_rows():
        assert data[offset:].startswith(b"WARC/1.0")
        assert url.encode() in data[offset : offset + 300]
    assert set(rows["file"]) == {
        "crawl/a.warc.gz", "crawl/b.warc", "crawl/saved/x.html", "crawl/own.jsonl",
    }  # fmt: skip


def test_two_workers_in_processes_give_the_bytes_of_one_process(
    crawl: Path, tmp_path: Path
) -> None:
    build(["crawl"], tmp_path / "inline", tmp_path)
    build(["crawl"], tmp_path / "pool", tmp_path, running=Running(workers=2))
    assert files_of(tmp_path / "inline") == files_of(tmp_path / "pool")


def test_a_second_run_extracts_nothing_and_changes_nothing(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(["crawl"], tmp_path / "out", tmp_path)
    before = files_of(tmp_path / "out")
    monkeypatch.setenv("EXTRACTIONS", str(tmp_path / "ledger"))
    build(["crawl"], tmp_path / "out", tmp_path)
    assert not (tmp_path / "ledger").exists()
    assert files_of(tmp_path / "out") == before


def test_a_new_crawl_file_is_extracted_alone_and_ends_in_the_same_bytes(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(["crawl"], tmp_path / "out", tmp_path)
    untouched = next((tmp_path / "out" / "date=unknown").iterdir())
    inode = untouched.stat().st_ino
    write_crawl(crawl / "0.warc.gz", "zero", 2)
    monkeypatch.setenv("EXTRACTIONS", str(tmp_path / "ledger"))
    build(["crawl"], tmp_path / "out", tmp_path)
    assert (tmp_path / "ledger").read_text().split() == [
        "https://zero.example/0",
        "https://zero.example/1",
    ]
    assert untouched.stat().st_ino == inode
    build(["crawl"], tmp_path / "fresh", tmp_path)
    assert files_of(tmp_path / "out") == files_of(tmp_path / "fresh")


def test_without_the_rows_of_shards_all_is_extracted_again_to_the_same_bytes(
    crawl: Path, tmp_path: Path
) -> None:
    build(["crawl"], tmp_path / "out", tmp_path)
    before = files_of(tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / ".work" / "shards")
    build(["crawl"], tmp_path / "out", tmp_path)
    assert files_of(tmp_path / "out") == before


def test_other_filters_extract_nothing_again(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(["crawl"], tmp_path / "out", tmp_path)
    monkeypatch.setenv("EXTRACTIONS", str(tmp_path / "ledger"))
    report = build(["crawl"], tmp_path / "out", tmp_path, filters=Filters(languages=("de",)))
    assert not (tmp_path / "ledger").exists()
    assert report.tally.kept == 1
    assert report.tally.dropped["language"] == 10


@pytest.mark.parametrize(
    ("filters", "reasons"),
    [
        (Filters(languages=("en",)), {"language": 2}),
        (Filters(since="2031-03-02", until="2031-03-03"), {"no date": 1, "date": 6}),
        (Filters(outlets=("www.b.example",)), {"outlet": 9}),
        (Filters(outlets=("example",)), {"outlet": 2}),
        (Filters(min_characters=100), {"too short": 1}),
        (Filters(max_characters=100), {"too long": 11}),
    ],
)
def test_a_filter_counts_what_it_drops(
    crawl: Path, tmp_path: Path, filters: Filters, reasons: dict[str, int]
) -> None:
    report = build(["crawl"], tmp_path / "out", tmp_path, filters=filters)
    dropped = {reason: n for reason, n in report.tally.dropped.items() if reason in
               {"language", "no date", "date", "outlet", "too short", "too long"}}  # fmt: skip
    assert dropped == reasons


def test_limits_that_nothing_can_pass_are_refused(crawl: Path, tmp_path: Path) -> None:
    for filters in (
        Filters(since="2031-03-02", until="2031-03-01"),
        Filters(min_characters=9, max_characters=8),
    ):
        with pytest.raises(ArgumentError):
            build(["crawl"], tmp_path / "out", tmp_path, filters=filters)


def test_articles_of_an_input_that_is_gone_stay_unless_told_otherwise(
    crawl: Path, tmp_path: Path
) -> None:
    build(["crawl/a.warc.gz", "crawl/b.warc"], tmp_path / "out", tmp_path)
    with pytest.raises(FileError, match=r"holds articles of crawl/b\.warc"):
        build(["crawl/a.warc.gz"], tmp_path / "out", tmp_path)
    build(["crawl/a.warc.gz"], tmp_path / "out", tmp_path, overwrite=True)
    build(["crawl/a.warc.gz"], tmp_path / "fresh", tmp_path)
    assert files_of(tmp_path / "out") == files_of(tmp_path / "fresh")


def test_a_folder_of_somebody_else_is_refused(crawl: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no articles folder"):
        build(["crawl/a.warc.gz"], crawl, tmp_path)


def test_a_missing_input_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"nowhere\.warc: no such file"):
        build(["nowhere.warc"], tmp_path / "out", tmp_path)


def test_a_broken_line_of_our_own_format_stops_the_step_with_its_place(
    crawl: Path, tmp_path: Path
) -> None:
    with (crawl / "own.jsonl").open("a") as stream:
        stream.write('{"id": 7}\n')
    for running in (INLINE, Running()):
        with pytest.raises(DataError, match=r"own\.jsonl:2: `id` is the number 7"):
            build(["crawl"], tmp_path / "out", tmp_path, running=running)


def test_no_input_at_all_gives_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    report = build(["empty"], tmp_path / "out", tmp_path)
    assert (report.tally.read, report.files) == (0, {})


def test_the_output_folder_inside_an_input_folder_is_not_read(crawl: Path, tmp_path: Path) -> None:
    first = build(["crawl"], crawl / "out", tmp_path)
    assert build(["crawl"], crawl / "out", tmp_path) == first
    with pytest.raises(FileError, match="is the output folder"):
        build(["crawl/out"], crawl / "out", tmp_path)


def test_endings_in_capitals_are_endings(crawl: Path, tmp_path: Path) -> None:
    before = build(["crawl"], tmp_path / "out", tmp_path).tally
    (crawl / "a.warc.gz").rename(crawl / "A.WARC.GZ")
    (crawl / "saved" / "x.html").rename(crawl / "saved" / "X.HTM")
    assert build(["crawl"], tmp_path / "other", tmp_path).tally == before


def test_a_file_whose_name_is_not_utf_8_is_named(crawl: Path, tmp_path: Path) -> None:
    try:
        shutil.copy(os.fsencode(crawl / "b.warc"), os.fsencode(crawl) + b"/\xff.warc")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    with pytest.raises(FileError, match="the name of this file is not UTF-8"):
        build(["crawl"], tmp_path / "out", tmp_path)


def test_an_input_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    watch = Timer(9.0, lambda number, position: None, lambda: None)
    missing = [("x.html", str(tmp_path / "x.html"))]
    arguments = {"files": missing, "extractor": PLAIN.extractor, "max_bytes": 99}
    with pytest.raises(FileError, match=r"x\.html: no such file"):
        extract_shard(watch, kind="html", out=str(tmp_path / "out"), **arguments)  # type: ignore[arg-type]
