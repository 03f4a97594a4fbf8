"""Rebuilding from a release: what is proved, what is missing, and that the bytes are those that were released."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.cli.main import main
from newsdesk.corpus.release import write_release
from newsdesk.corpus.release.rebuild import rebuild
from newsdesk.errors import ArgumentError, DataError
from newsdesk.types import Cluster
from newsdesk.work import Running
from tests.corpus.build.built import Newsroom
from tests.corpus.warc_records import copy_without, records_of

INLINE = Running("inline")


@pytest.fixture(scope="module")
def release(newsroom: Newsroom, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "release"
    write_release(newsroom.corpus, folder)
    return folder


def files_of(corpus: Path) -> dict[str, bytes]:
    """The released files of a corpus folder by name."""
    names = [
        "events.jsonl",
        "clusters.jsonl",
        *(str(p.relative_to(corpus)) for p in corpus.glob("clusters*/*")),
    ]
    return {name: (corpus / name).read_bytes() for name in names}


def test_all_pages_give_back_the_same_bytes(
    newsroom: Newsroom, release: Path, tmp_path: Path
) -> None:
    done = rebuild(release, [newsroom.crawl], tmp_path / "again", running=INLINE)
    assert files_of(tmp_path / "again") == files_of(newsroom.corpus)
    assert all(file.identical for file in done.files)
    assert not done.articles.dropped
    assert (tmp_path / "again/missing.jsonl").read_bytes() == b""
    assert not list(records.changed_files(tmp_path / "again/manifest.json"))


def test_a_release_with_texts_needs_no_pages(newsroom: Newsroom, tmp_path: Path) -> None:
    write_release(newsroom.corpus, tmp_path / "release", text=True, license="CC0-1.0")
    rebuild(tmp_path / "release", [], tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(newsroom.corpus)
    with pytest.raises(ArgumentError, match="leave the inputs out"):
        rebuild(tmp_path / "release", [newsroom.crawl], tmp_path / "other")


def test_a_tenth_of_the_pages_gone_and_one_changed_are_listed_and_the_rest_is_proved(
    newsroom: Newsroom, release: Path, tmp_path: Path
) -> None:
    clusters = list(records.read(newsroom.corpus / "clusters.jsonl", Cluster))
    articles = {a.id: a.url for cluster in clusters for a in cluster.articles}
    gone = {url for url in list(articles.values())[::10] if url}
    changed = list(articles.values())[1]
    for warc in newsroom.crawl.iterdir():
        copy_without(
            warc, tmp_path / warc.name, gone, {changed or "": (b"</h1>", b" (updated)</h1>")}
        )
    done = rebuild(release, sorted(tmp_path.glob("*.warc.gz")), tmp_path / "again", running=INLINE)
    assert done.articles.dropped == {"gone": len(gone), "changed": 1}
    assert done.articles.kept == len(articles) - len(gone) - 1
    missing = [
        json.loads(line) for line in (tmp_path / "again/missing.jsonl").read_text().splitlines()
    ]
    assert {row["url"] for row in missing if row["reason"] == "gone"} == gone
    assert [row["url"] for row in missing if row["reason"] == "changed"] == [changed]
    expected = {
        each.id: [a for a in each.articles if a.url not in {*gone, changed}] for each in clusters
    }
    for cluster in records.read(tmp_path / "again/clusters.jsonl", Cluster):
        assert list(cluster.articles) == expected.pop(cluster.id)
    assert not any(expected.values())  # clusters left out have lost every article


def test_an_interrupted_rebuild_goes_on(newsroom: Newsroom, release: Path, tmp_path: Path) -> None:
    first = rebuild(release, [newsroom.crawl], tmp_path / "again", running=INLINE)
    (tmp_path / "again/manifest.json").unlink()
    (tmp_path / "again/clusters/test.jsonl").unlink()
    assert rebuild(release, [newsroom.crawl], tmp_path / "again", running=INLINE) == first


def test_a_release_that_was_changed_or_lacks_its_pages_is_refused(
    newsroom: Newsroom, release: Path, tmp_path: Path
) -> None:
    with pytest.raises(ArgumentError, match="holds no texts"):
        rebuild(release, [], tmp_path / "again")
    write_release(newsroom.corpus, tmp_path / "release")
    table = tmp_path / "release/data/clusters/val.parquet"
    table.write_bytes(table.read_bytes()[:-1])
    with pytest.raises(DataError, match="not as it was released"):
        rebuild(tmp_path / "release", [newsroom.crawl], tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_the_command_says_what_is_missing_with_exit_code_three(
    newsroom: Newsroom, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shard = newsroom.crawl / "0.warc.gz"
    assert len(list(records_of(gzip.decompress(shard.read_bytes())))) > 3
    words = ["corpus", "rebuild", str(release), str(shard), "-o", str(tmp_path / "again")]
    assert main([*words, "--engine", "inline", "--json"]) == 3
    printed = json.loads(capsys.readouterr().out)
    assert printed["steps"][1]["dropped"]["gone"] > 0
    assert {row["identical"] for row in printed["files"]} == {True, False}
