"""Sheets as people and programs send them back: too large, oddly named, merged, with rows and columns of their own."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import openpyxl
import pytest

from newsdesk.campaigns.exchange import import_files, write_sheets
from newsdesk.campaigns.sheets import check, read_csv, read_workbook, write_csv, write_workbook
from newsdesk.campaigns.sheets.check import MAX_FAULTS
from newsdesk.campaigns.store import Store
from newsdesk.errors import DataError, FileError
from tests.campaigns.sheet_files import fill, fill_csv, parts, rankings, repack, sheet
from tests.campaigns.worlds import AT, GRADE, grade_tasks
from tests.growth import peak_kib

ROWS = 1_000_000
ROOT = Path(__file__).resolve().parents[2]
ANSWERS_PART = "xl/worksheets/sheet2.xml"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "P03.xlsx"


def bomb(path: Path) -> None:
    """A small workbook of a million rows."""
    write_workbook(path, rankings())
    every = parts(path.read_bytes())
    start, end = every.pop(ANSWERS_PART).split(b"</sheetData>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in every.items():
            archive.writestr(name, data)
        with archive.open(ANSWERS_PART, "w") as part:
            part.write(start)
            for _ in range(100):
                part.write(b"<row><c><v>1</v></c></row>" * (ROWS // 100))
            part.write(b"</sheetData>" + end)


def test_a_million_rows_are_refused_in_no_time_and_little_memory(path: Path) -> None:
    bomb(path)
    assert path.stat().st_size < 255_000
    code = (
        "import sys, time\n"
        "from newsdesk.campaigns.sheets import read_workbook\n"
        "from newsdesk.errors import DataError\n"
        "from tests.growth import peak_kib\n"
        "import openpyxl\n"
        "started = time.process_time()\n"
        "try:\n"
        "    read_workbook(sys.argv[1])\n"
        "except DataError as error:\n"
        "    print(time.process_time() - started, peak_kib() / 1024)\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    numbers, reason = done.stdout.splitlines()
    seconds, megabytes = map(float, numbers.split())
    assert "has more than 100,000 rows" in reason
    assert seconds < 2
    assert megabytes < 200


@pytest.mark.parametrize("prefix", [b"x:", b""])
def test_a_million_cells_are_refused_too(path: Path, prefix: bytes) -> None:
    write_workbook(path, rankings())
    content = parts(path.read_bytes())[ANSWERS_PART]
    cells = b"<%brow>" % prefix + b"<%bc r='A1'/>" % prefix * 11_000 + b"</%brow>" % prefix
    repack(path, {ANSWERS_PART: content.replace(b"</sheetData>", cells * 100 + b"</sheetData>")})
    with pytest.raises(DataError, match="has more than 1,000,000 cells"):
        read_workbook(path)


def test_a_csv_file_has_the_same_limits(tmp_path: Path) -> None:
    path = tmp_path / "P03.csv"
    write_csv(path, rankings())
    with path.open("a", encoding="utf-8") as stream:
        stream.write("x,y\n" * 100_001)
    started, before = time.process_time(), peak_kib()
    with pytest.raises(DataError, match="has more than 100,000 rows"):
        read_csv(path)
    assert time.process_time() - started < 4
    assert peak_kib() - before < 200 * 1024
    with pytest.raises(DataError, match="has more than 0 MiB"):
        read_csv(path, max_bytes=1000)


def test_the_number_of_listed_faults_is_bounded(path: Path) -> None:
    blank = rankings()
    write_workbook(path, blank)
    book = openpyxl.load_workbook(path)
    for number in range(1000):
        book["Answers"].append([f"not a task {number}"])
    book.save(path)
    faults = check(read_workbook(path), blank).faults
    assert len(faults) == MAX_FAULTS + 1
    assert faults[-1].reason == "800 further faults not listed"


@pytest.mark.parametrize("name", ["ANN.XLSX", "ann.Xlsm", "ANN.CSV"])
def test_endings_are_read_whatever_their_case(tmp_path: Path, name: str) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'store.db'}") as store:
        store.create("c", GRADE, grade_tasks(2), ["ann"], per_item=1, seed=0)
        kind = "csv" if name.endswith("CSV") else "xlsx"
        (written,) = write_sheets(store, "c", tmp_path / "sheets", format=kind)  # type: ignore[arg-type]
        shutil.copy(written.path, tmp_path / name)
        (result,) = import_files(store, "c", [tmp_path / name], at=AT)
        assert result.faults == ()


@pytest.mark.parametrize("ending", [".xls", ".ods", ".XLS", ".Ods", ".numbers"])
def test_other_programs_files_are_refused_by_name(tmp_path: Path, ending: str) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'store.db'}") as store:
        store.create("c", GRADE, grade_tasks(2), ["ann"], per_item=1, seed=0)
        (tmp_path / f"ann{ending}").write_bytes(b"anything")
        with pytest.raises(FileError, match=rf"{ending.lower()} files are not read; save it as"):
            import_files(store, "c", [tmp_path / f"ann{ending}"], at=AT)


def test_an_open_document_under_another_name_is_refused_by_what_it_is(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    with pytest.raises(DataError, match=r"an OpenDocument file \(\.ods\); save it as \.xlsx"):
        read_workbook(path)


def saved_as_csv(workbook: Path, path: Path) -> None:
    """Save the answers as a spreadsheet program does: every cell as it is shown, with nothing put before it."""
    page = openpyxl.load_workbook(workbook)["Answers"]
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        for row in page.iter_rows(values_only=True):
            rows.writerow("" if each is None else each for each in row)


@pytest.mark.parametrize(
    "text", ["'quoted'", "''", "'tis the season", "=1+1", "-2", "_x0041_", "plain"]
)
def test_a_csv_file_saved_from_the_workbook_loses_nothing(
    path: Path, tmp_path: Path, text: str
) -> None:
    blank = sheet("grade", [[text]])
    write_workbook(path, blank)
    fill(path, blank, {(0, 0, "grade"): 4})
    saved_as_csv(path, tmp_path / "P03.csv")
    returned = check(read_csv(tmp_path / "P03.csv"), blank)
    assert returned.faults == ()
    assert [each.answers for each in returned.answers] == [{("system-0", "grade"): 4}]


def test_csv_sheets_show_no_codes_for_characters(tmp_path: Path) -> None:
    blank = sheet("grade", [["one\r\ntwo\rthree\x07"], ["_x000D_ as such"]])
    write_csv(tmp_path / "P03.csv", blank)
    with (tmp_path / "P03.csv").open(encoding="utf-8-sig", newline="") as stream:
        texts = [row[2] for row in csv.reader(stream)]
    assert texts[1:] == ["one\ntwo\nthree", "_x000D_ as such"]
    fill_csv(tmp_path / "P03.csv", blank, {(0, 0, "grade"): 4, (1, 0, "grade"): 2})
    returned = check(read_csv(tmp_path / "P03.csv"), blank)
    assert (len(returned.answers), returned.faults) == (2, ())


@pytest.mark.parametrize("rank", ["1.", " 2. ", "1"])
def test_a_rank_with_a_point_is_a_rank(path: Path, rank: str) -> None:
    blank = sheet("rank", [["a", "b"]])
    write_workbook(path, blank)
    names = [question.name for question in blank.protocol.questions]
    fill(path, blank, {(0, place, name): rank for place in range(2) for name in names})
    (task,) = check(read_workbook(path), blank).answers
    assert set(task.answers.values()) == {int(rank.strip(" ."))}


def test_deleted_helper_columns_and_inserted_rows_and_columns_do_not_cost_the_file(
    path: Path,
) -> None:
    blank = rankings()
    write_workbook(path, blank)
    names = [question.name for question in blank.protocol.questions]
    ranks = {(n, place, name): place + 1 for n in range(3) for place in range(4) for name in names}
    fill(path, blank, ranks)
    book = openpyxl.load_workbook(path)
    page = book["Answers"]
    for name in ("revision", "url", "output", "reference"):
        titles = [str(cell.value).split("\n")[0] for cell in page[1]]
        page.delete_cols(titles.index(name) + 1)
    page.insert_rows(5)
    page.cell(5, 2).value = "a note to myself"
    page.insert_rows(1, 2)
    page.cell(1, 1).value = "my own heading"
    page.insert_cols(1)
    book.save(path)
    returned = check(read_workbook(path), blank)
    assert returned.faults == ()
    assert [dict(each.revisions) for each in returned.answers] == [{}, {}, {}]
    assert len(returned.answers) == 3
    assert returned.answers[0].answers["system-3", "overall"] == 1


def test_merged_cells_are_faults_with_their_place(path: Path) -> None:
    blank = sheet("constructive", [["a", "b", "c"], ["d", "e"]])
    write_workbook(path, blank)
    fill(path, blank, {(0, 0, "constructive"): "yes", (1, 0, "constructive"): "yes"})
    book = openpyxl.load_workbook(path)
    book["Answers"].merge_cells("D2:D4")
    book.save(path)
    returned = check(read_workbook(path), blank)
    assert [str(each) for each in returned.faults] == [
        "Answers, row 2, column D (constructive): the cells D2:D4 are merged, "
        "and only the first of them has a value; split them"
    ]
    assert [each.task for each in returned.answers] == ["secret-1"]
