"""What annotators do to files: every fault is listed with its place, good rows are kept, and no file brings the reader down."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping
from pathlib import Path

import openpyxl
import pytest

from newsdesk.campaigns.sheets import (
    Returned,
    Sheet,
    check,
    read_csv,
    read_workbook,
    write_csv,
    write_workbook,
)
from newsdesk.errors import DataError, FileError
from tests.campaigns.sheet_files import (
    CellAnswers,
    cell_of,
    fill,
    fill_csv,
    parts,
    rankings,
    repack,
    sheet,
    write_cells,
)

QUESTIONS = ("informative", "coherent", "overall")
ALL_RANKED: CellAnswers = {
    (task, place, question): place + 1
    for task in range(3)
    for place in range(4)
    for question in QUESTIONS
}
ANSWERS_PART = "xl/worksheets/sheet2.xml"


def returned(
    path: Path,
    blank: Sheet,
    answers: CellAnswers,
    cells: Mapping[tuple[int, str], object] | None = None,
) -> Returned:
    """The sheet written, answered, and with some cells written over."""
    write_workbook(path, blank)
    fill(path, blank, answers)
    write_cells(path, cells or {})
    return check(read_workbook(path), blank)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "P03.xlsx"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (0, "0 is not a rank from 1 to 4"),
        (7, "7 is not a rank from 1 to 4"),
        (-1, "-1 is not a rank from 1 to 4"),
        (1.3, "1.3 is not a rank from 1 to 4"),
        (None, "no answer here, though the task has others"),
        ("  ", "no answer here, though the task has others"),
        ("best", "'best' is not a number; a rank from 1 to 4 is wanted"),
        (True, "'True' is not a number; a rank from 1 to 4 is wanted"),
        ("=1+1", "'=1+1' is not a number; a rank from 1 to 4 is wanted"),
        ("x" * 99, f"'{'x' * 39}…' is not a number; a rank from 1 to 4 is wanted"),
    ],
)
def test_a_wrong_rank_is_named_with_its_place_and_the_other_rows_are_kept(
    path: Path, value: object, reason: str
) -> None:
    blank = rankings()
    result = returned(path, blank, {**ALL_RANKED, (1, 1, "coherent"): value})
    assert [str(each) for each in result.faults] == [
        f"Answers, row 7, column F (coherent): {reason}"
    ]
    assert [each.task for each in result.answers] == ["secret-0", "secret-2"]


@pytest.mark.parametrize(
    ("form", "value", "reason"),
    [
        ("grade", 6, "'6' is not one of 1, 2, 3, 4, 5"),
        ("grade", 2.5, "'2.5' is not one of 1, 2, 3, 4, 5"),
        ("grade", "good", "'good' is not one of 1, 2, 3, 4, 5"),
        ("relate", "perhaps", "'perhaps' is not one of on-topic, related, unrelated"),
        ("constructive", "perhaps", "'perhaps' is not yes or no"),
    ],
)
def test_a_wrong_grade_label_or_tick_is_a_fault(
    path: Path, form: str, value: object, reason: str
) -> None:
    blank = sheet(form, [["a"], ["b"]])
    good = {"grade": 3, "relate": "related", "constructive": "yes"}[form]
    question = blank.protocol.questions[0].name
    result = returned(path, blank, {(0, 0, question): value, (1, 0, question): good})
    assert [(each.row, each.reason) for each in result.faults] == [(2, reason)]
    assert [each.task for each in result.answers] == ["secret-1"]


@pytest.mark.parametrize(
    ("form", "typed", "value"),
    [
        ("grade", "2.0", 2),
        ("grade", " 4 ", 4),
        ("relate", "On-Topic ", "on-topic"),
        ("constructive", "x", True),
        ("constructive", True, True),
        ("constructive", "No", False),
        ("constructive", 0, False),
    ],
)
def test_small_liberties_are_taken(path: Path, form: str, typed: object, value: object) -> None:
    blank = sheet(form, [["a"]])
    question = blank.protocol.questions[0].name
    (task,) = returned(path, blank, {(0, 0, question): typed}).answers
    assert task.answers == {("system-0", question): value}


def test_rows_without_an_answer_are_not_done_yet_and_no_fault(path: Path) -> None:
    answers = {at: value for at, value in ALL_RANKED.items() if at[0] == 2}
    result = returned(path, rankings(), answers)
    assert ([each.task for each in result.answers], result.faults) == (["secret-2"], ())


def test_unequal_ranks_for_identical_outputs_are_accepted_with_a_warning(path: Path) -> None:
    blank = sheet("rank", [["same", "other", "same"], ["same", "same"]])
    ranks: CellAnswers = {
        **{(0, place, name): place + 1 for place in range(3) for name in QUESTIONS},
        **{(1, place, name): 1 for place in range(2) for name in QUESTIONS},
        (0, 2, "overall"): 1,
    }
    result = returned(path, blank, ranks)
    assert [(each.row, each.column, each.reason) for each in result.warnings] == [
        (4, "E (informative)", "A and C are the same text, but have the ranks 1 and 3"),
        (4, "F (coherent)", "A and C are the same text, but have the ranks 1 and 3"),
    ]
    assert ([each.task for each in result.answers], result.faults) == (["secret-0", "secret-1"], ())


@pytest.mark.parametrize("name", ["url", "reference", "text"])
def test_an_edited_text_costs_its_row(path: Path, name: str) -> None:
    result = returned(path, rankings(), ALL_RANKED, {(7, name): "=SUM(A1:A9)"})
    ((row, column, reason),) = [(each.row, each.column, each.reason) for each in result.faults]
    assert (row, column.split("(")[1], reason[:20]) == (7, f"{name})", "the text was changed")
    assert [each.task for each in result.answers] == ["secret-0", "secret-2"]


def test_white_space_that_a_program_changed_is_no_edit(path: Path) -> None:
    result = returned(
        path, rankings(), ALL_RANKED, {(2, "text"): " Output 3 of task 0.\r\n It ended. "}
    )
    assert (len(result.answers), result.faults) == (3, ())


def test_an_unknown_row_is_a_fault(path: Path) -> None:
    result = returned(
        path,
        rankings(),
        ALL_RANKED,
        {
            (14, "task"): "9-0123456789ab",
            (15, "task"): "total",
            (16, "overall"): 4,
            (17, "text"): "a note of mine",
            (19, "task"): 17,
        },
    )
    assert [(each.row, each.column, each.reason) for each in result.faults] == [
        (14, "A (task)", "'9-0123456789ab' is not a task of this sheet"),
        (15, "A (task)", "'total' is not a task of this sheet"),
        (16, "A (task)", "a row without a task number"),
        (19, "A (task)", "'17' is not a task of this sheet"),
    ]
    assert len(result.answers) == 3


def test_a_row_that_is_there_twice_counts_once(path: Path) -> None:
    blank = rankings()
    write_workbook(path, blank)
    fill(path, blank, ALL_RANKED)
    book = openpyxl.load_workbook(path)
    copied = [cell.value for cell in book["Answers"][2]]
    copied[6] = 4
    book["Answers"].append(copied)
    book.save(path)
    result = check(read_workbook(path), blank)
    assert [(each.row, each.reason) for each in result.faults] == [
        (14, "repeats row 2, which is the one that counts")
    ]
    assert result.answers[0].answers["system-3", "overall"] == 1


def test_rows_in_another_order_are_recognised(path: Path) -> None:
    blank = rankings()
    write_workbook(path, blank)
    fill(path, blank, ALL_RANKED)
    book = openpyxl.load_workbook(path)
    page = book["Answers"]
    values = [[cell.value for cell in row] for row in page.iter_rows(min_row=2)]
    for row, cells in zip(page.iter_rows(min_row=2), reversed(values), strict=True):
        for cell, value in zip(row, cells, strict=True):
            cell.value = value
    book.save(path)
    result = check(read_workbook(path), blank)
    assert [(each.task, each.row) for each in result.answers] == [
        ("secret-0", 10),
        ("secret-1", 6),
        ("secret-2", 2),
    ]
    assert result.faults == ()


def test_a_bundle_counts_when_anything_in_it_was_answered(path: Path) -> None:
    blank = sheet("constructive", [["a", "b", "c"], ["d", "e"], ["f", "g"]])
    result = returned(path, blank, {(0, 1, "constructive"): "yes", (2, 0, "constructive"): "no"})
    assert result.faults == ()
    assert {each.task: tuple(each.answers.values()) for each in result.answers} == {
        "secret-0": (False, True, False),
        "secret-2": (False, False),
    }


def test_a_task_of_several_grades_is_taken_whole_or_not_at_all(path: Path) -> None:
    blank = sheet("grade", [["a", "b"], ["c", "d"]])
    result = returned(path, blank, {(0, 0, "grade"): 3, (1, 0, "grade"): 3, (1, 1, "grade"): 4})
    assert [(each.row, each.reason) for each in result.faults] == [
        (3, "no answer here, though the task has others")
    ]
    assert [each.task for each in result.answers] == ["secret-1"]


def test_a_bundle_with_a_row_taken_out_is_a_fault(path: Path) -> None:
    blank = sheet("constructive", [["a", "b"], ["c", "d"]])
    write_workbook(path, blank)
    fill(path, blank, {(0, 0, "constructive"): "yes", (1, 1, "constructive"): "yes"})
    book = openpyxl.load_workbook(path)
    gone = book["Answers"]["A3"].value
    book["Answers"].delete_rows(3)
    book.save(path)
    result = check(read_workbook(path), blank)
    assert [str(each) for each in result.faults] == [
        f"Answers, row 2, column A (task): row {gone} of the same task is missing"
    ]
    assert [each.task for each in result.answers] == ["secret-1"]


def test_all_faults_are_listed_from_the_top_left(path: Path) -> None:
    wrong: CellAnswers = {
        **ALL_RANKED,
        (2, 0, "overall"): 9,
        (0, 3, "overall"): 9,
        (0, 2, "informative"): 9,
    }
    result = returned(path, rankings(), wrong)
    assert [(each.row, each.column) for each in result.faults] == [
        (4, "E (informative)"),
        (5, "G (overall)"),
        (10, "G (overall)"),
    ]


def test_a_second_sheet_of_answers_is_reported_and_not_read(path: Path) -> None:
    blank = rankings()
    write_workbook(path, blank)
    fill(path, blank, ALL_RANKED)
    book = openpyxl.load_workbook(path)
    book.copy_worksheet(book["Answers"])
    book.save(path)
    result = check(read_workbook(path), blank)
    assert len(result.answers) == 3
    assert [(each.sheet, each.reason) for each in result.faults] == [
        ("Answers Copy", "a second sheet of answers; only 'Answers' was read")
    ]


def test_a_sheet_under_another_name_is_found(path: Path) -> None:
    blank = rankings()
    write_workbook(path, blank)
    book = openpyxl.load_workbook(path)
    book["Answers"].title = "done"
    book.save(path)
    assert read_workbook(path).sheet == "done"


def test_extensions_that_excel_adds_are_of_no_concern(path: Path) -> None:
    write_workbook(path, rankings())
    content = parts(path.read_bytes())[ANSWERS_PART]
    lists = b'<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}"/></extLst></worksheet>'
    repack(path, {ANSWERS_PART: content.replace(b"</worksheet>", lists)})
    assert len(read_workbook(path).rows) == 12


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"annotator": "P04"}, "made for annotator 'P03' of campaign 'reviews', not for 'P04'"),
        (
            {"campaign": "other"},
            "made for annotator 'P03' of campaign 'reviews', not for 'P03' of 'other'",
        ),
    ],
)
def test_a_file_of_another_annotator_or_campaign_is_refused(
    path: Path, change: dict[str, str], reason: str
) -> None:
    write_workbook(path, sheet("grade", [["a"]]))
    filled = read_workbook(path)
    assert (filled.campaign, filled.annotator) == ("reviews", "P03")
    with pytest.raises(DataError, match=reason):
        check(filled, sheet("grade", [["a"]], **change))  # type: ignore[arg-type]


@pytest.mark.parametrize("origin", [{"annotator": "P04"}, {"campaign": "other"}])
def test_rows_of_another_annotator_or_campaign_are_not_recognised(
    path: Path, origin: dict[str, str]
) -> None:
    theirs, mine = sheet("grade", [["a"]], **origin), sheet("grade", [["a"]])  # type: ignore[arg-type]
    write_workbook(path, theirs)
    fill(path, theirs, {(0, 0, "grade"): 3})
    write_cells(path, {(1, "task"): "task\ncampaign: reviews\nannotator: P03"})
    result = check(read_workbook(path), mine)
    assert (len(result.answers), len(result.faults)) == (0, 1)


def test_a_row_is_not_read_with_the_key_of_another_order(path: Path) -> None:
    blank = sheet("rank", [["a", "b"]])
    other = sheet("rank", [["b", "a"]])
    write_workbook(path, blank)
    fill(path, blank, {(0, place, name): 1 for place in range(2) for name in QUESTIONS})
    faults = check(read_workbook(path), other).faults
    assert len(faults) == 2
    assert all("is not a task of this sheet" in fault.reason for fault in faults)


@pytest.mark.parametrize(("name", "problem"), [("gone", "missing"), ("coherent", "there twice")])
def test_a_changed_header_is_refused(path: Path, name: str, problem: str) -> None:
    blank = rankings()
    write_workbook(path, blank)
    write_cells(path, {(1, "overall"): name})
    with pytest.raises(DataError, match=problem):
        check(read_workbook(path), blank)


def test_columns_in_another_order_and_notes_beside_them_are_read(path: Path) -> None:
    blank = sheet("grade", [["a"]])
    write_workbook(path, blank)
    fill(path, blank, {(0, 0, "grade"): 3})
    book = openpyxl.load_workbook(path)
    page = book["Answers"]
    for row, note in ((1, "my notes"), (2, "hard to say")):
        page.cell(row, 5).value = page.cell(row, 2).value
        page.cell(row, 2).value = note
    book.save(path)
    result = check(read_workbook(path), blank)
    assert (len(result.answers), result.faults) == (1, ())


def test_a_file_that_is_not_there_is_a_file_error(tmp_path: Path) -> None:
    for read in (read_workbook, read_csv):
        with pytest.raises(FileError, match="no such file"):
            read(tmp_path / "absent")
        with pytest.raises(FileError, match="is a folder"):
            read(tmp_path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", r"not an Excel workbook \(\.xlsx\)"),
        (b"task,text\n", r"not an Excel workbook"),
        (b"PK\x03\x04 and nothing more", "not an Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old .xls file, or one behind a password"),
    ],
)
def test_what_is_no_workbook_is_refused(path: Path, data: bytes, reason: str) -> None:
    path.write_bytes(data)
    with pytest.raises(DataError, match=f"P03.xlsx: {reason}"):
        read_workbook(path)


def test_a_foreign_workbook_is_refused(path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["task", "grade"])
    book.save(path)
    with pytest.raises(DataError, match="not a workbook of ours"):
        read_workbook(path)


def test_an_archive_of_something_else_is_refused(path: Path) -> None:
    write_workbook(path, rankings())
    repack(path, {"[Content_Types].xml": b"<Types/>"})
    with pytest.raises(DataError, match="a damaged workbook"):
        read_workbook(path)


def test_a_workbook_that_unpacks_to_too_much_is_refused(path: Path) -> None:
    write_workbook(path, rankings())
    size = sum(map(len, parts(path.read_bytes()).values()))
    assert read_workbook(path, max_bytes=size)
    with pytest.raises(DataError, match="unpacks to more than"):
        read_workbook(path, max_bytes=size - 1)
    repack(path, {"xl/media/bomb": bytes(300 * 1024 * 1024)})
    with pytest.raises(DataError, match="unpacks to more than 256 MiB"):
        read_workbook(path)


def test_an_archive_that_lies_about_its_sizes_is_not_unpacked(path: Path) -> None:
    write_workbook(path, rankings())
    content = parts(path.read_bytes())[ANSWERS_PART]
    padded = content.replace(b"<sheetData>", b" " * 10_000_000 + b"<sheetData>")
    repack(path, {ANSWERS_PART: padded})
    data = path.read_bytes()
    assert data.count(struct.pack("<I", len(padded))) == 2
    path.write_bytes(data.replace(struct.pack("<I", len(padded)), struct.pack("<I", 1_000)))
    with pytest.raises(DataError, match="a damaged workbook"):
        read_workbook(path)


def test_entities_that_multiply_are_refused(path: Path) -> None:
    write_workbook(path, rankings())
    content = parts(path.read_bytes())[ANSWERS_PART].decode()
    levels = "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' if n else '<!ENTITY e0 "ha">' for n in range(10)
    )
    bomb = f"<!DOCTYPE worksheet [{levels}]>" + content.replace("It ended.", "&e9;", 1)
    repack(path, {ANSWERS_PART: bomb.encode()})
    with pytest.raises(DataError, match="a damaged workbook"):
        read_workbook(path)


@pytest.mark.parametrize("row", [b"1048576", b"99999999999999"])
def test_a_row_far_down_does_not_hold_the_reader_up(path: Path, row: bytes) -> None:
    write_workbook(path, rankings())
    content = parts(path.read_bytes())[ANSWERS_PART]
    far = b'<row r="%b"><c r="A%b" t="n"><v>1</v></c></row></sheetData>' % (row, row)
    repack(path, {ANSWERS_PART: content.replace(b"</sheetData>", far)})
    assert len(read_workbook(path).rows) in (12, 13)


def test_no_damage_brings_the_reader_down(path: Path) -> None:
    write_workbook(path, rankings())
    good = path.read_bytes()
    every = parts(good)
    rng = random.Random(0)
    refused = 0
    for number in range(300):
        if number % 3 == 0:
            path.write_bytes(good[: rng.randrange(len(good))])
        else:
            name = rng.choice([part for part in every if "theme" not in part])
            content = bytearray(every[name])
            for _ in range(rng.randrange(1, 4)):
                place = rng.randrange(len(content))
                content[place : place + rng.randrange(1, 9)] = rng.randbytes(rng.randrange(3))
            path.write_bytes(good)
            repack(path, {name: bytes(content)})
        try:
            check(read_workbook(path), rankings())
        except DataError:
            refused += 1
    assert refused > 150


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a sheet of ours"),
        (b"a,b\n1,2\n", "not a sheet of ours"),
        (b"task,\xe9\n", "not UTF-8: byte 0xe9 at byte 6; save it as CSV in UTF-8"),
        (b"task\x00\n", "a NUL byte"),
        (b'"' + b"x" * 200_000, "not CSV: field larger than field limit"),
    ],
)
def test_what_is_no_csv_file_of_ours_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "P03.csv"
    path.write_bytes(data)
    with pytest.raises(DataError, match=reason):
        read_csv(path)


def test_faults_of_a_csv_file_have_its_name_and_row(tmp_path: Path) -> None:
    path = tmp_path / "P03.csv"
    blank = rankings()
    write_csv(path, blank)
    fill_csv(path, blank, {**ALL_RANKED, (1, 1, "coherent"): 7})
    result = check(read_csv(path), blank)
    assert [str(each) for each in result.faults] == [
        "P03.csv, row 7, column F (coherent): 7 is not a rank from 1 to 4"
    ]
    assert len(result.answers) == 2
    assert cell_of(blank, (1, 1, "coherent")) == (7, "coherent")


def test_a_csv_file_has_the_columns_of_the_workbook(tmp_path: Path) -> None:
    write_csv(tmp_path / "P03.csv", rankings())
    write_workbook(tmp_path / "P03.xlsx", rankings())
    text, book = read_csv(tmp_path / "P03.csv"), read_workbook(tmp_path / "P03.xlsx")
    assert text.names == book.names
    assert [row.cells[0] for row in text.rows] == [row.cells[0] for row in book.rows]
