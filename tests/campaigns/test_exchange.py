"""Sheets out of the store and back: written all or none, parsed once, each annotator's once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from newsdesk import records
from newsdesk.campaigns.exchange import (
    WrittenSheet,
    import_files,
    sheets_of,
    write_sheets,
)
from newsdesk.campaigns.screens import store_own
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.cli.main import main
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.types import Judgment
from tests.campaigns.sheet_files import fill, fill_csv
from tests.campaigns.worlds import AT, GRADE, RANK, grade_tasks, judgments


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'store.db'}") as opened:
        opened.create("c", GRADE, grade_tasks(4), ["ann", "ben"], per_item=2, seed=0)
        yield opened


def answered(store: Store, folder: Path) -> list[Path]:
    """The sheets of everybody, every target graded 4."""
    written = write_sheets(store, "c", folder)
    for sheet in sheets_of(store, "c").values():
        grades = {(row, 0, "grade"): 4 for row in range(len(sheet.rows))}
        fill(folder / f"{sheet.annotator}.xlsx", sheet, grades)
    return [each.path for each in written]


def test_every_workbook_is_parsed_once_per_import(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = answered(store, tmp_path / "sheets")
    parsed: list[str] = []
    load = openpyxl.load_workbook

    def counted(stream: object, **settings: object) -> object:
        parsed.append(stream.name)  # type: ignore[attr-defined]
        return load(stream, **settings)

    monkeypatch.setattr(openpyxl, "load_workbook", counted)
    results = import_files(store, "c", [*files, files[0]], at=AT)
    assert parsed == [str(file) for file in files]
    assert [(each.new, each.unchanged) for each in results] == [(4, 0), (4, 0), (0, 4)]


def test_progress_hears_of_every_sheet_when_it_is_on_disk(store: Store, tmp_path: Path) -> None:
    heard: list[WrittenSheet] = []

    def listen(sheet: WrittenSheet) -> None:
        assert sheet.path.is_file()
        heard.append(sheet)

    written = write_sheets(store, "c", tmp_path / "sheets", format="csv", progress=listen)
    assert heard == written
    assert [(each.annotator, each.path.name, each.tasks) for each in written] == [
        ("ann", "ann.csv", 4),
        ("ben", "ben.csv", 4),
    ]


def test_where_one_sheet_is_there_already_none_is_written(store: Store, tmp_path: Path) -> None:
    (tmp_path / "ben.xlsx").touch()
    with pytest.raises(FileError, match=r"ben\.xlsx: exists already"):
        write_sheets(store, "c", tmp_path)
    assert not (tmp_path / "ann.xlsx").exists()
    assert len(write_sheets(store, "c", tmp_path, overwrite=True)) == 2


def test_two_sheets_of_one_annotator_are_refused_before_anything_is_stored(
    store: Store, tmp_path: Path
) -> None:
    files = answered(store, tmp_path / "sheets")
    copy = tmp_path / "copy.xlsx"
    copy.write_bytes(files[0].read_bytes())
    with pytest.raises(ArgumentError, match="are both sheets of 'ann'; import one of them"):
        import_files(store, "c", [*files, copy], at=AT)
    assert store.status("c").judgments == 0


def test_a_sheet_of_another_campaign_or_of_nobody_is_refused(store: Store, tmp_path: Path) -> None:
    files = answered(store, tmp_path / "sheets")
    store.create("d", GRADE, grade_tasks(4), ["ann", "ben"], per_item=2, seed=0)
    with pytest.raises(DataError, match=r"ann\.xlsx: a sheet of the campaign 'c', not of 'd'"):
        import_files(store, "d", files, at=AT)
    store.exclude("c", "ann", "in a hurry", at=AT)
    with pytest.raises(DataError, match="'ann' is not an annotator of 'c'"):
        import_files(store, "c", files, at=AT)


def test_answers_of_a_sheet_have_the_moment_of_the_import(store: Store, tmp_path: Path) -> None:
    import_files(store, "c", answered(store, tmp_path / "sheets"), at=AT)
    assert {(each.at, each.via) for each in store.judgments("c")} == {(AT, "sheet")}


def test_judgments_come_from_files_too_and_what_is_rejected_is_listed(
    store: Store, tmp_path: Path
) -> None:
    good, bad = list(store.tasks("c"))[:2]
    rows = judgments("c", GRADE, good, "ann", [4]) + judgments("c", GRADE, bad, "ann", [9])
    records.write(tmp_path / "j.jsonl", rows)
    (result,) = import_files(store, "c", [tmp_path / "j.jsonl"], at=AT)
    assert (result.new, len(result.faults)) == (1, 1)
    assert "of 'ann': " in result.faults[0]
    assert "9 is not one of 1, 2, 3, 4, 5" in result.faults[0]


def test_a_sheet_with_unequal_ranks_of_one_text_is_imported_with_a_warning(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form = RANK.asking(["overall"])
    store.create("r", form, [ranked_twice()], ["ann"], per_item=1, seed=0)
    (written,) = write_sheets(store, "r", tmp_path / "sheets", format="csv")
    fill_csv(written.path, sheets_of(store, "r")["ann"], {(0, n, "overall"): n + 1 for n in (0, 1)})
    url = f"sqlite:///{tmp_path / 'store.db'}"
    assert main(["campaign", "import", "r", str(written.path), "--store", url, "--json"]) == 0
    told = capsys.readouterr()
    (result,) = json.loads(told.out)["files"]
    assert (result["new"], result["faults"], result["conflicts"]) == (2, [], [])
    (warning,) = result["warnings"]
    assert warning.endswith("A and B are the same text, but have the ranks 1 and 2")
    assert f"warning: {warning}" in told.err
    assert sorted(each.value for each in store.judgments("r")) == [1, 2]


def test_an_annotator_who_ranks_one_text_unequally_is_warned_without_a_name(store: Store) -> None:
    form = RANK.asking(["overall"])
    store.create("r", form, [ranked_twice()], ["ann"], per_item=1, seed=0)
    name = f"#{store.places('r', 'ann')[0].number}"
    ranks = [
        Judgment("r", name, name, letter, "overall", n, "ann") for n, letter in ((1, "A"), (2, "B"))
    ]
    stored = store_own(store, "r", "ann", ranks, at=AT)
    assert (stored.new, stored.rejected) == (2, ())
    (warning,) = stored.warnings
    assert "unequal ranks" in warning and "system" not in warning


def ranked_twice() -> Task:
    return Task("e", "e", (Target("system-1", "The same."), Target("system-2", "The same.")))
