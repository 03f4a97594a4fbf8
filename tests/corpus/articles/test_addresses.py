"""Inputs and outputs at addresses, against an object store on loopback and the fsspec systems of this machine."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from newsdesk import addresses, records
from newsdesk.cli.main import main
from newsdesk.corpus.align.article_files import article_files
from newsdesk.corpus.articles import Extraction, build_articles
from newsdesk.corpus.forgotten import Forgotten
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.types import Article
from newsdesk.work import Running
from tests.cli.running import RUN
from tests.corpus.object_store import object_store
from tests.corpus.writing import write_crawl

PLAIN = Extraction(extractor="tests.corpus.writing:plain")


@dataclass(frozen=True, slots=True)
class Bucket:
    """An empty bucket of a store; `client` is boto3's."""

    address: str
    client: Any

    def objects(self) -> list[str]:
        listed = self.client.list_objects_v2(Bucket=self.address[5:]).get("Contents", [])
        return [each["Key"] for each in sorted(listed, key=lambda each: each["LastModified"])]


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    with object_store() as address:
        yield address


@pytest.fixture
def bucket(store: str) -> Bucket:
    import boto3

    client = boto3.client("s3", endpoint_url=store)
    name = f"b-{uuid.uuid4().hex}"
    client.create_bucket(Bucket=name)
    return Bucket(f"s3://{name}", client)


def articles_at(address: str) -> dict[str, Any]:
    """What is at an address, apart from working files: Parquet as rows, the rest as bytes."""
    import io

    import polars as pl

    contents: dict[str, Any] = {}
    for name, _, _ in addresses.listing(address):
        if "/.work/" not in name:
            with addresses.fetched(name) as stream:
                data = stream.readall()
            short = name.rpartition("date=")[2] if name.endswith(".parquet") else Path(name).name
            if name.endswith(".parquet"):
                contents[short[:10]] = pl.read_parquet(io.BytesIO(data)).drop("file").rows()
            else:
                contents[short] = data
    return contents


@pytest.mark.parametrize("engine", ["inline", "processes"])
def test_articles_go_from_a_bucket_to_a_bucket(bucket: Bucket, tmp_path: Path, engine: str) -> None:
    for name in ("a", "b"):
        crawl = write_crawl(tmp_path / f"{name}.warc.gz", name, 5)
        addresses.put(crawl, f"{bucket.address}/crawl/{crawl.name}")
    local = build_articles(sorted(tmp_path.glob("*.gz")), tmp_path / "local", extraction=PLAIN)
    out = f"{bucket.address}/articles"
    running = Running(engine)
    report = build_articles([f"{bucket.address}/crawl"], out, extraction=PLAIN, running=running)
    assert report.tally == local.tally
    remote, here = articles_at(out), articles_at(f"file://{tmp_path}/local")
    assert remote.keys() == here.keys()
    assert {day: remote[day] for day in here if day != "report.json"} == {
        day: here[day] for day in here if day != "report.json"
    }
    assert sorted(report.shards) == [f"{bucket.address}/crawl/{n}.warc.gz" for n in ("a", "b")]


def test_the_marker_is_written_last_and_finished_shards_are_not_done_again(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXTRACTIONS", str(tmp_path / "log"))
    first = write_crawl(tmp_path / "a.warc.gz", "a", 4)
    out, inline = f"{bucket.address}/articles", Running("inline")
    puts: list[str] = []
    put = addresses.put

    def counted(path: Path, to: str) -> None:
        puts.append(to)
        put(path, to)

    monkeypatch.setattr("newsdesk.corpus.shards.put", counted)
    build_articles([first], out, extraction=PLAIN, running=inline)
    assert [name.rpartition(".")[2] for name in puts[:2]] == ["rows", "json"]
    assert puts[-1] == f"{out}/report.json"
    before = puts.copy()
    second = write_crawl(tmp_path / "b.warc.gz", "b", 4)
    build_articles([first, second], out, extraction=PLAIN, running=inline)
    urls = (tmp_path / "log").read_text().split()
    assert len(urls) == len(set(urls)) == 8
    assert len(puts) > len(before)
    with pytest.raises(FileError, match="not among the inputs"):
        build_articles([second], out, extraction=PLAIN, running=inline)
    build_articles([second], out, extraction=PLAIN, running=inline, overwrite=True)
    rows = [key for key in bucket.objects() if key.endswith(".rows")]
    assert len(rows) == 1  # those of the input that was dropped are gone


def test_a_list_of_forgotten_pages_at_the_address_is_obeyed(bucket: Bucket, tmp_path: Path) -> None:
    listed = Forgotten(b"k" * 32).with_values([("url", "a.example/1")])
    listed.save(tmp_path)
    for name in ("forgotten.json", "forgotten.key"):
        addresses.put(tmp_path / name, f"{bucket.address}/articles/{name}")
    crawl = write_crawl(tmp_path / "a.warc.gz", "a", 3)
    report = build_articles([crawl], f"{bucket.address}/articles", extraction=PLAIN)
    assert report.tally.dropped == {"forgotten": 1}


def test_records_are_read_from_and_written_to_addresses(bucket: Bucket, tmp_path: Path) -> None:
    rows = [Article("a", "Text."), Article("b", "")]
    address = f"{bucket.address}/records/articles.jsonl.gz"
    assert records.write(address, rows) == 2
    assert list(records.read(address, Article)) == rows
    with pytest.raises(FileError, match="exists already"):
        records.write(address, rows, overwrite=False)
    (tmp_path / "x.jsonl").write_text('{"id": "a", "text": 1}\n')
    target = f"{bucket.address}/bad.jsonl"
    words = ["records", "convert", str(tmp_path / "x.jsonl"), "--type", "article", "-o", target]
    assert main(words) == 1
    assert not addresses.exists(target)  # nothing half-written
    assert main(["records", "check", address]) == 0


def test_what_is_not_there_is_one_line(
    bucket: Bucket, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FileError, match="no such file"):
        list(records.read(f"{bucket.address}/none.jsonl", Article))
    with pytest.raises(FileError, match="no such file or folder"):
        build_articles([f"{bucket.address}/none"], tmp_path / "out")
    with pytest.raises(ArgumentError, match="no place of a kind"):
        addresses.exists("nowhere://x/y")
    words = ["corpus", "articles", "s3://no-such-bucket-at-all/x", "-o", str(tmp_path / "o")]
    assert main(words) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_no_network_is_one_line(tmp_path: Path) -> None:
    environment = {**os.environ, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
    command = [*RUN, "corpus", "articles", "s3://bucket/x", "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert "Could not connect" in done.stderr


def test_a_list_of_paths_names_the_files_of_a_month(bucket: Bucket, tmp_path: Path) -> None:
    names = [f"crawl-data/CC-NEWS/2031/03/CC-NEWS-{n}.warc.gz" for n in range(2)]
    for name in names:
        crawl = write_crawl(tmp_path / Path(name).name, f"s{name[-9]}", 2)
        addresses.put(crawl, f"{bucket.address}/{name}")
    index = f"{bucket.address}/crawl-data/CC-NEWS/2031/03/warc.paths.gz"
    (tmp_path / "warc.paths.gz").write_bytes(gzip.compress("\n".join([*names, ""]).encode()))
    addresses.put(tmp_path / "warc.paths.gz", index)
    inline = Running("inline")
    report = build_articles(
        [index], tmp_path / "out", extraction=PLAIN, running=inline, base=bucket.address
    )
    assert list(report.shards) == [f"{bucket.address}/{name}" for name in names]
    assert report.tally.kept == 4
    (tmp_path / "bad.paths").write_text("robots.txt\n")
    with pytest.raises(DataError, match=r"bad.paths:1: 'robots.txt' is no WARC file"):
        build_articles([tmp_path / "bad.paths"], tmp_path / "other")


def test_alignment_reads_articles_at_an_address(bucket: Bucket, tmp_path: Path) -> None:
    crawl = write_crawl(tmp_path / "a.warc.gz", "a", 6)
    inline, out = Running("inline"), f"{bucket.address}/articles"
    for place in (tmp_path / "out", out):
        build_articles([crawl], place, extraction=PLAIN, running=inline)
    here, there = article_files(tmp_path / "out"), article_files(out)
    assert [file.date for file in there] == [file.date for file in here]
    assert [list(file.batches()) for file in there] == [list(file.batches()) for file in here]
    assert list(there[0].articles([1])) == list(here[0].articles([1]))
    with pytest.raises(FileError, match="no folder of Parquet files"):
        article_files(f"{bucket.address}/none")


def test_other_systems_of_fsspec_work_too(tmp_path: Path) -> None:
    crawl = write_crawl(tmp_path / "a.warc.gz", "a", 3)
    report = build_articles(
        [f"file://{crawl}"], "memory://articles", extraction=PLAIN, running=Running("inline")
    )
    assert report.tally.kept == 3
    with addresses.fetched("memory://articles/report.json") as stream:
        assert json.loads(stream.readall())["articles"]["kept"] == 3
