"""Workbooks of comments: which sheet and header are read, what formulas count as, and what is refused in one sentence."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from newsdesk import records
from newsdesk.errors import DataError
from newsdesk.records.comments import workbook as reading
from newsdesk.records.tables import WorkbookLimits
from newsdesk.types import Article, Comment, Thread
from tests.records.comments.test_files_as_people_have_them import workbook

HEADER = ["ID", "Text", "Likes"]


def comments(path: Path, **columns: str) -> tuple[Comment, ...]:
    (thread,) = records.read(path, Thread, columns=columns or None)
    return thread.comments


def refused(path: Path, reason: str, **columns: str) -> None:
    with pytest.raises(DataError, match=reason) as caught:
        list(records.read(path, Thread, columns=columns or None))
    assert path.name in str(caught.value)


def with_part(path: Path, name: str, content: bytes) -> Path:
    """The workbook with one part more, or in place of the one of this name."""
    with zipfile.ZipFile(path) as archive:
        parts = {part: archive.read(part) for part in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, data in {**parts, name: content}.items():
            archive.writestr(part, data)
    return path


def test_the_first_sheet_with_a_header_is_read_and_another_by_its_name(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "x.xlsx",
        ("Notes", [["Written by the desk"]]),
        ("May", [HEADER, [1, "In May.", 2]]),
        ("June", [HEADER, [1, "In June.", 2]]),
    )
    reader = records.read(path, Thread)
    assert next(reader).comments == (Comment("1", "In May.", likes=2),)
    assert reader.account.notes == [
        "the sheet 'May' is read, not 'Notes', 'June'; choose with --map sheet=NAME"
    ]
    assert comments(path, sheet="June")[0].text == "In June."
    refused(path, "no sheet 'July'; there are 'Notes', 'May', 'June'", sheet="July")


def test_a_workbook_holds_comments_unless_another_type_is_asked_for(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", ("S", [HEADER, [1, "x", 2]]))
    assert records.read_any(path).kind is Thread
    with pytest.raises(DataError, match="a workbook, of which only comments are read; save it as"):
        records.read(path, Article)


def test_columns_of_a_workbook_are_mapped(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", ("S", [["No", "Words"], [1, "Why?"]]))
    refused(path, "no column with the text of comments among No, Words; name it with --map text=")
    assert comments(path, text="Words")[0].text == "Why?"
    refused(path, "no column 'Word' for 'text'; there are No, Words", text="Word")


def test_rows_are_counted_as_a_spreadsheet_shows_them(tmp_path: Path) -> None:
    rows: list[list[Any]] = [HEADER, [1, "One.", 2], [], [2, None, 3], [3, "Two.", "many"]]
    reader = records.read(workbook(tmp_path / "x.xlsx", ("S", rows)), Thread)
    assert [comment.id for comment in next(reader).comments] == ["1"]
    assert reader.account.first == {"no text": 4, "`likes` is not a whole number": 5}


def test_formulas_are_their_stored_values_or_their_texts_and_faults_are_left_out(
    tmp_path: Path,
) -> None:
    path = workbook(tmp_path / "x.xlsx", ("S", [HEADER, [1, "=) is how I feel", "=1+1"], [2, "Half.", "=1+2"], [3, "#N/A", 1]]))  # fmt: skip
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml")
    assert b"<f>1+1</f><v></v>" in sheet
    sheet = sheet.replace(b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>")
    reader = records.read(with_part(path, "xl/worksheets/sheet1.xml", sheet), Thread)
    assert next(reader).comments == (
        Comment("1", "=) is how I feel", likes=2),
        Comment("2", "Half."),
    )
    assert reader.account.rejected == {"no text": 1}


def test_a_title_may_be_merged_above_the_header_but_not_the_header_itself(tmp_path: Path) -> None:
    def merged(*areas: str) -> Path:
        book = openpyxl.Workbook()
        for row in (["Readers", None, "Reader"], ["ID", "Title", "Text"], ["a", "b", "Why?"]):
            book.active.append(row)
        for area in areas:
            book.active.merge_cells(area)
        book.save(tmp_path / "x.xlsx")
        return tmp_path / "x.xlsx"

    assert comments(merged("A1:C1"))[0].text == "Why?"
    refused(merged("A1:B1", "C1:D1"), r"x\.xlsx:2: the header has merged cells \(A1:B1, C1:D1\); write one name")  # fmt: skip
    refused(merged("A2:B2"), r"the header has merged cells \(A2:B2\)")


def test_workbooks_that_are_empty_with_macros_or_none_are_refused(tmp_path: Path) -> None:
    refused(workbook(tmp_path / "empty.xlsx", ("S", [])), "a workbook without a row")
    path = workbook(tmp_path / "macro.xlsm", ("S", [HEADER, [1, "x", 2]]))
    refused(with_part(path, "xl/vbaProject.bin", b"x"), "with macros; save it as .xlsx without")
    path = tmp_path / "letters.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "x")
    refused(path, "a packed file that is no Excel workbook; unpack it")
    path = tmp_path / "old.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(60))
    refused(path, r"an old \.xls file")
    path = tmp_path / "cut.xlsx"
    path.write_bytes(b"PK\x03\x04" + bytes(60))
    refused(path, r"not an Excel workbook \(\.xlsx\)")


def test_a_bomb_and_a_sheet_of_too_many_cells_are_refused_before_they_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path / "x.xlsx", ("S", [HEADER, [1, "x", 2]]))
    monkeypatch.setattr(reading, "_MAX_BYTES", 4 << 20)
    refused(with_part(path, "xl/media/big.bin", bytes(5 << 20)), "unpacks to more than 4 MiB")
    assert path.stat().st_size < 100_000
    monkeypatch.undo()
    path = workbook(tmp_path / "y.xlsx", ("S", [HEADER, [1, "x", 2]]))
    cells = b"<row>" + b"<c/>" * 5_000_001 + b"</row>"
    refused(with_part(path, "xl/worksheets/sheet1.xml", cells), "more than 5,000,000 cells; save the sheet as CSV")  # fmt: skip


def test_a_row_far_below_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_LIMITS", WorkbookLimits(1_000, 10_000, ""))
    path = workbook(tmp_path / "x.xlsx", ("S", [HEADER, [1, "x", 2]]))
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml")
    far = b'<row r="99999999999"><c r="B99999999999" t="inlineStr"><is><t>y</t></is></c></row>'
    path = with_part(path, "xl/worksheets/sheet1.xml", sheet.replace(b"</sheetData>", far + b"</sheetData>"))  # fmt: skip
    assert [comment.text for comment in comments(path)] == ["x"]


def test_without_the_extra_one_sentence_says_the_command(tmp_path: Path) -> None:
    path = workbook(tmp_path / "x.xlsx", ("S", [HEADER, [1, "x", 2]]))
    code = (
        "import sys; sys.modules['openpyxl'] = None\n"
        "from newsdesk.cli.main import main\n"
        "sys.exit(main(['records', 'check', sys.argv[1], '--type', 'thread']))"
    )
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert run.returncode == 1
    assert "reading workbooks needs an optional part of newsdesk; type: pip install 'newsdesk[campaigns]'" in run.stderr  # fmt: skip
    assert "Traceback" not in run.stderr
