"""Folders that are built file by file: a stopped build is taken up, everything else is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk.errors import FileError
from newsdesk.files import build_folder

FIRST = ("README.txt", "Made by a test.\n\nSettings: 1\n")


def build(folder: Path, first: tuple[str, str] = FIRST, *, overwrite: bool = False) -> Path:
    return build_folder(
        folder, first, last="end.json", names=["a.jsonl", "truth"], overwrite=overwrite
    )


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_new_folder_gets_its_first_file(tmp_path: Path) -> None:
    folder = build(tmp_path / "x" / "y")
    assert folder == tmp_path / "x" / "y"
    assert (folder / "README.txt").read_text() == FIRST[1]


def test_a_stopped_build_is_taken_up_with_other_settings_too(tmp_path: Path) -> None:
    build(tmp_path)
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / ".b.jsonl.77.part").touch()
    (tmp_path / ".end.json.77.part").touch()
    build(tmp_path, ("README.txt", "Made by a test.\n\nSettings: 2\n"))
    assert names(tmp_path) == ["README.txt", "a.jsonl", "truth"]
    assert (tmp_path / "README.txt").read_text().endswith("2\n")


def test_a_build_killed_at_once_is_taken_up(tmp_path: Path) -> None:
    (tmp_path / ".README.txt.77.part").touch()
    build(tmp_path)
    assert names(tmp_path) == ["README.txt"]


@pytest.mark.parametrize(
    "others",
    [
        {"README.txt": "Made by a test.\n", "end.json": ""},  # finished
        {"README.txt": "Made by a test.\n", "mine.txt": ""},
        {"README.txt": "Made by a test.\n", ".mine.txt.77.part": ""},
        {"README.txt": "Made by me.\n", "a.jsonl": ""},
        {"README.txt": ""},
        {"a.jsonl": "mine"},
        {".mine.part": ""},
        {".hidden": ""},
    ],
    ids=str,
)
def test_anything_else_is_replaced_only_when_told(others: dict[str, str], tmp_path: Path) -> None:
    for name, text in others.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match="exists already; add --force"):
        build(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == others
    build(tmp_path, overwrite=True)
    assert names(tmp_path) == sorted({*others, "README.txt"} - {"end.json"})


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(FileError, match="is a file, not a folder"):
        build(tmp_path / "x", overwrite=True)
