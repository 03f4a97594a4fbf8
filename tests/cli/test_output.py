"""What commands print and write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk.cli.output import refuse_existing
from newsdesk.cli.table import with_ends
from newsdesk.errors import FileError
from newsdesk.files import write_text
from newsdesk.jsonl import json_line, json_text


def test_json_keeps_letters_and_stays_on_one_line() -> None:
    row = {"text": "北京\n😀", "n": None}
    assert json_text(row) == '{"text": "北京\\n😀", "n": null}'
    assert json_line(row) == json_text(row).encode() + b"\n"
    assert json.loads(json_line(row)) == row


def test_a_text_is_written_as_it_is_and_not_over_another(tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    write_text(path, "é😀")
    with pytest.raises(FileError, match="exists already"):
        write_text(path, "new", overwrite=False)
    assert path.read_bytes() == "é😀".encode()


def test_what_is_there_is_refused_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "x"
    refuse_existing(path, force=False)
    path.touch()
    refuse_existing(path, force=True)
    with pytest.raises(FileError, match=f"{path}: exists already; add --force to replace it"):
        refuse_existing(path, force=False)


def test_a_folder_is_no_file_to_replace(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder, not a file"):
        refuse_existing(tmp_path, force=True)


def test_a_number_stands_before_its_ends() -> None:
    assert with_ends(-0.00001, (-1, 2.34567)) == "-0.0000 [-1.0000, 2.3457]"
