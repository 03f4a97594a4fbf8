"""What is remembered as done: only what is complete, only for the key it was made with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from newsdesk.errors import FileError
from newsdesk.files import file_digest
from newsdesk.work import Digests, Ledger, digest_of, locked


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    (tmp_path / "out.txt").write_text("twelve bytes")
    return Ledger(tmp_path / ".work" / "ledger")


def test_a_finished_step_is_known_by_its_key_alone(ledger: Ledger) -> None:
    ledger.finish("align", "key", {"out.txt": 12}, {"clusters": 3})
    assert ledger.result("align", "key") == {"clusters": 3}
    assert ledger.result("align", "other") is None
    assert ledger.result("split", "key") is None


def test_an_output_that_is_gone_or_has_another_size_is_not_done(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.finish("align", "key", {"out.txt": 12}, {})
    (tmp_path / "out.txt").write_text("more than twelve bytes")
    assert ledger.result("align", "key") is None
    (tmp_path / "out.txt").unlink()
    assert ledger.result("align", "key") is None


def test_a_step_that_has_begun_again_is_not_done_with_its_old_key(ledger: Ledger) -> None:
    ledger.finish("align", "old", {"out.txt": 12}, {})
    ledger.begin("align")
    assert ledger.result("align", "old") is None


def test_a_damaged_record_is_no_record(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / ".work" / "ledger" / "align.json").write_bytes(b"\0\0\0")
    assert ledger.result("align", "key") is None


def test_a_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1})
    assert digest_of({"a": 1}) != digest_of({"a": 2})


def test_a_file_is_read_again_only_when_it_has_changed(tmp_path: Path) -> None:
    file, cache = tmp_path / "a.warc", tmp_path / "digests.json"
    file.write_bytes(b"first")
    digests = Digests(cache)
    first = digests.of(file)
    digests.save()
    state = file.stat()
    file.write_bytes(b"FIRST")

    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert Digests(cache).of(file) == first
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
    assert Digests(cache).of(file) == file_digest(file) != first


def test_a_folder_is_locked_for_one_build(tmp_path: Path) -> None:
    busy = pytest.raises(FileError, match="another build is at work here")
    with locked(tmp_path), busy, locked(tmp_path):
        pass
    with locked(tmp_path):
        pass
