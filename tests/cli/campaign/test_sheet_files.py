"""The files that `newsdesk campaign sheets` writes: one per annotator in the folder named, or none."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest

from newsdesk import records, samples
from newsdesk.errors import FileError
from newsdesk.files import make_folder
from tests.cli.running import run

ODD = ["../evil", "a/b", "北京 😀", ".hidden", "100%", "%2F", "C:\\x"]


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/store.db"
    records.write(tmp_path / "outputs.jsonl", samples.outputs())
    records.write(tmp_path / "clusters.jsonl", samples.clusters())
    done = run(
        "campaign", "new", "odd 😀", str(tmp_path / "outputs.jsonl"), "--protocol", "rank",
        "--references", str(tmp_path / "clusters.jsonl"), "--annotators", ",".join(ODD), "--store", url,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return url


def sheets(store: str, folder: Path, *more: str) -> int:
    return run(
        "campaign", "sheets", "odd 😀", "-o", str(folder), "--store", store, *more
    ).returncode


def test_every_sheet_lies_in_the_folder_whatever_its_annotator_is_called(
    store: str, tmp_path: Path
) -> None:
    before = {path.name for path in tmp_path.iterdir()}
    assert sheets(store, tmp_path / "sheets") == 0
    assert {path.name for path in tmp_path.iterdir()} - before == {"sheets"}
    paths = sorted((tmp_path / "sheets").iterdir())
    assert len(paths) == len(ODD)
    assert all(path.suffix == ".xlsx" and path.is_file() for path in paths)
    asked = "".join(str(openpyxl.load_workbook(path)["Answers"]["A1"].value) for path in paths)
    assert all(f"annotator: {name}" in asked for name in ODD)
    back = run("campaign", "import", "odd 😀", *map(str, paths), "--store", store)
    assert back.returncode == 0, back.stderr


def test_where_one_sheet_is_there_already_none_is_written(store: str, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "sheets")
    (folder / "北京 😀.csv").touch()
    assert sheets(store, folder, "--csv") == 1
    assert [path.name for path in folder.iterdir()] == ["北京 😀.csv"]
    assert sheets(store, folder, "--csv", "--force") == 0


def test_a_folder_that_cannot_be_made_is_one_line(store: str, tmp_path: Path) -> None:
    for folder in (tmp_path / "outputs.jsonl", tmp_path / "outputs.jsonl" / "sheets"):
        with pytest.raises(FileError, match=r"is a file|cannot be made"):
            make_folder(folder)
        done = run("campaign", "sheets", "odd 😀", "-o", str(folder), "--store", store)
        assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)


def test_names_stay_readable_in_json(store: str) -> None:
    listed = run("campaign", "status", "--store", store, "--json").stdout
    assert "odd 😀" in listed
    assert json.loads(listed)["campaigns"][0]["name"] == "odd 😀"
