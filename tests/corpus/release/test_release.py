"""Releases: what they hold and leave out, and that the tools of others read them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.corpus.release import article_hash, read_release, table_rows, write_release
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.types import Cluster
from tests.cli.running import run
from tests.corpus.build.built import Newsroom


@pytest.fixture(scope="module")
def released(newsroom: Newsroom, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "release"
    write_release(newsroom.corpus, folder, name="calverra", license="CC0-1.0")
    return folder


def test_a_release_by_address_holds_no_words_of_an_article(
    newsroom: Newsroom, released: Path
) -> None:
    clusters = list(records.read(newsroom.corpus / "clusters.jsonl", Cluster))
    rows = [
        row
        for part in ("train", "val", "test")
        for row in table_rows(released / f"data/clusters/{part}.parquet", "cluster")
    ]
    assert [row["id"] for row in rows] == [cluster.id for cluster in clusters]
    for cluster, row in zip(clusters, rows, strict=True):
        for article, reference in zip(cluster.articles, row["articles"], strict=True):
            assert reference["url"] == article.url
            assert not {"text", "title", "author"} & reference.keys()
            words = {"text": article.text, "title": article.title, "author": article.author}
            assert reference["sha256"] == article_hash(words)
    texts = [article.text.encode() for cluster in clusters for article in cluster.articles]
    for path in released.rglob("*"):
        assert path.is_dir() or not any(text in path.read_bytes() for text in texts)


def test_texts_need_a_licence_and_nothing_is_written_without_it(
    newsroom: Newsroom, tmp_path: Path
) -> None:
    with pytest.raises(ArgumentError, match="needs a licence"):
        write_release(newsroom.corpus, tmp_path / "out", text=True)
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_its_parts_is_released_once(released: Path) -> None:
    files = {file.name: file for file in read_release(released).files}
    assert files["clusters.jsonl"].data is None
    assert files["clusters.jsonl"].parts == tuple(
        f"clusters/{part}.jsonl" for part in ("train", "val", "test")
    )
    assert "duplicates.jsonl" not in files


def test_the_same_corpus_gives_the_same_bytes(
    newsroom: Newsroom, released: Path, tmp_path: Path
) -> None:
    write_release(newsroom.corpus, tmp_path / "out", name="calverra", license="CC0-1.0")
    for path in released.rglob("*"):
        if path.is_file():
            assert (tmp_path / "out" / path.relative_to(released)).read_bytes() == path.read_bytes()


def test_a_corpus_that_changed_since_its_manifest_is_refused(
    newsroom: Newsroom, tmp_path: Path
) -> None:
    shutil.copytree(newsroom.corpus, tmp_path / "corpus")
    with (tmp_path / "corpus" / "events.jsonl").open("ab") as stream:
        stream.write(b" \n")
    with pytest.raises(DataError, match=r"events.jsonl: not what the manifest says"):
        write_release(tmp_path / "corpus", tmp_path / "out")
    with pytest.raises(FileError, match="no finished corpus"):
        write_release(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_threads_are_released_only_with_texts_and_without_names(tmp_path: Path) -> None:
    thread = {
        "article": {"id": "a", "text": "Words."},
        "comments": [{"id": "c", "text": "Yes.", "author": "Ann Lee"}],
    }
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "threads.jsonl").write_text(json.dumps(thread) + "\n")
    records.write_manifest(corpus / "manifest.json", [(corpus / "threads.jsonl", 1)])
    with pytest.raises(ArgumentError, match="no address"):
        write_release(corpus, tmp_path / "out")
    write_release(corpus, tmp_path / "out", text=True, license="CC0-1.0")
    [row] = table_rows(tmp_path / "out/data/threads.parquet", "thread")
    assert row["comments"] == [{"id": "c", "text": "Yes."}]
    assert row["article"]["text"] == "Words."


def test_mlcroissant_validates_the_metadata_and_reads_a_table(released: Path) -> None:
    code = (
        "import sys, mlcroissant as mlc\n"
        "data = mlc.Dataset(jsonld=sys.argv[1])\n"
        "assert not data.metadata.ctx.issues.errors, data.metadata.ctx.issues.report()\n"
        "print(len(list(data.records('clusters/train'))))\n"
    )
    done = _offline(code, released / "croissant.json", released)
    assert done.stdout.split() == ["8"], done.stderr


def test_datasets_loads_the_folder(released: Path, tmp_path: Path) -> None:
    code = (
        "import sys, datasets\n"
        "data = datasets.load_dataset(sys.argv[1], cache_dir=sys.argv[2])\n"
        "print({split: len(rows) for split, rows in data.items()}, data['train'][0]['articles'][0]['sha256'])\n"
    )
    done = _offline(code, released, tmp_path)
    [row, *_] = table_rows(released / "data/clusters/train.parquet", "cluster")
    assert done.stdout.strip() == (
        f"{{'train': 8, 'validation': 2, 'test': 2}} {row['articles'][0]['sha256']}"
    ), done.stderr


def _offline(code: str, first: Path, second: Path) -> subprocess.CompletedProcess[str]:
    """Run the tools of others in a process of their own, where their warnings are theirs, without a network."""
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "HF_HOME": str(second / ".hf"),
        "HOME": str(second),
    }
    command = [sys.executable, "-c", code, str(first), str(second / ".cache")]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_the_command_prints_the_tables_and_keeps_what_is_there(
    newsroom: Newsroom, tmp_path: Path
) -> None:
    out = tmp_path / "release"
    done = run("corpus", "release", str(newsroom.corpus), "-o", str(out), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["files"][0] == {
        "file": "events.jsonl",
        "type": "event",
        "records": 12,
        "table": "data/events.parquet",
    }
    again = run("corpus", "release", str(newsroom.corpus), "-o", str(out))
    assert (again.returncode, "add --force" in again.stderr) == (1, True)
    without = run("corpus", "release", str(newsroom.corpus), "-o", str(out), "--text", "--force")
    assert (without.returncode, len(without.stderr.splitlines())) == (1, 1)
