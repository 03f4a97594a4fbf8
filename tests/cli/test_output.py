"""What commands print and write."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from newsdesk.cli.emit import refuse_existing, refuse_same_output
from newsdesk.errors import FileError
from newsdesk.files import write_text
from newsdesk.jsonl import json_line, json_text
from newsdesk.results.table import with_ends


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


def test_two_outputs_in_one_file_are_a_usage_error_however_the_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "x.jsonl"
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "link.jsonl").symlink_to("x.jsonl")
    names = ["x.jsonl", "./x.jsonl", "folder/../x.jsonl", str(file), "link.jsonl"]
    for name in names:  # the file need not exist
        with pytest.raises(click.UsageError, match="--out and --trace both write to"):
            refuse_same_output({"--out": "x.jsonl", "--trace": name})
    file.touch()
    (tmp_path / "hard.jsonl").hardlink_to(file)
    with pytest.raises(
        click.UsageError, match=r"both write to 'hard\.jsonl'; name a file for each"
    ):
        refuse_same_output({"--out": str(file), "--trace": "hard.jsonl"})
    with pytest.raises(click.UsageError, match="both write to standard output"):
        refuse_same_output({"--out": "-", "--trace": "-"})


def test_different_outputs_and_those_not_asked_for_pass(tmp_path: Path) -> None:
    refuse_same_output({"--out": "-", "--trace": str(tmp_path / "x")})
    refuse_same_output({"--out": str(tmp_path / "x"), "--trace": str(tmp_path / "y")})
    refuse_same_output({"--out": "-", "--trace": None, "--per-item": None})
