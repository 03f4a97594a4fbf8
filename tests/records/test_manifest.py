"""Manifests: the same for the same files, and they notice every change."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.errors import DataError, FileError
from newsdesk.types import Article


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    count = records.write(tmp_path / "a.jsonl", [Article("a", "x"), Article("b", "y")])
    records.write_manifest(
        tmp_path / "manifest.json", [(tmp_path / "a.jsonl", count)], spec="test(k=1)", seed=7
    )
    return tmp_path


def test_a_manifest_reads_back(folder: Path) -> None:
    manifest = records.read_manifest(folder / "manifest.json")
    (file,) = manifest.files
    assert (manifest.spec, manifest.seed, manifest.format) == ("test(k=1)", 7, 1)
    assert (file.name, file.records, file.bytes) == ("a.jsonl", 2, 50)
    assert len(file.sha256) == 64
    assert list(records.changed_files(folder / "manifest.json")) == []


def test_the_same_files_give_the_same_manifest_bytes(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "manifest2.json"
    records.write_manifest(again, [(folder / "a.jsonl", 2)], spec="test(k=1)", seed=7)
    assert again.read_bytes() == (folder / "manifest.json").read_bytes()
    assert str(tmp_path) not in again.read_text()


def test_a_changed_or_missing_file_is_noticed(folder: Path) -> None:
    path = folder / "a.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"x"', b'"z"'))
    assert list(records.changed_files(folder / "manifest.json")) == [
        ("a.jsonl", "its sha256 differs")
    ]
    path.write_bytes(b"")
    assert list(records.changed_files(folder / "manifest.json")) == [("a.jsonl", "0 bytes, not 50")]
    path.unlink()
    assert list(records.changed_files(folder / "manifest.json")) == [("a.jsonl", "missing")]


def test_a_manifest_from_the_future_is_refused(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(DataError, match="`format` is 2; this version reads 1"):
        records.read_manifest(path)


def test_a_file_that_is_not_there_cannot_be_listed(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        records.write_manifest(tmp_path / "manifest.json", [(tmp_path / "nope", None)])
