"""The layout of the guide for human evaluators: a ranking in one row, written, filled in and imported."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from newsdesk.campaigns.exchange import import_files, sheets_of, write_sheets
from newsdesk.campaigns.sheets import (
    Sheet,
    check,
    read_csv,
    read_workbook,
    write_csv,
    write_workbook,
)
from newsdesk.campaigns.sheets.layout import columns
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError, DataError
from tests.campaigns.office import CSV, NoOfficeError, convert
from tests.campaigns.sheet_files import elements, rankings, sheet, write_cells
from tests.campaigns.worlds import AT, GRADE, LATER, RANK, grade_tasks

QUESTIONS = ("informative", "coherent", "overall")
# By the number in the name of the system, so that a letter that is mapped wrongly gets another rank.
RANKS = {"informative": (1, 2, 3, 4), "coherent": (2, 2, 1, 1), "overall": (4, 3, 1.5, 1.5)}


def guide(blank: Sheet) -> Sheet:
    return replace(blank, layout="guide")


def cells(blank: Sheet) -> dict[tuple[int, str], object]:
    """The ranks by row and column, found without the code under test."""
    return {
        (number, f"{question} {'ABCDEFGH'[place]}"): min(
            RANKS[question][int(target[-1])], len(row.order)
        )
        for number, row in enumerate(blank.rows, 2)
        for place, target in enumerate(row.order)
        for question in QUESTIONS
    }


def judged(row_of: Sheet) -> list[dict[tuple[str, str], object]]:
    return [
        {(target, question): min(RANKS[question][int(target[-1])], len(row.order)) for target in row.order for question in QUESTIONS}
        for row in row_of.rows
    ]  # fmt: skip


def fill_csv(path: Path, filled: dict[tuple[int, str], object], delimiter: str = ",") -> None:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        table = list(csv.reader(stream))
    names = [name.split("\n")[0] for name in table[0]]
    for (row, name), value in filled.items():
        table[row - 1][names.index(name)] = str(value)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(table)


def test_a_row_has_url_reference_outputs_with_marks_and_three_ranks_per_letter(
    tmp_path: Path,
) -> None:
    write_workbook(tmp_path / "P03.xlsx", guide(rankings(2)))
    page = openpyxl.load_workbook(tmp_path / "P03.xlsx")["Answers"]
    header = [str(cell.value).split("\n") for cell in page[1]]
    ranks = [f"{question} {letter}" for question in QUESTIONS for letter in "ABCD"]
    assert [name[0] for name in header] == [
        "url", "reference", "A", "B", "C", "D", *ranks, "task", "revision",
    ]  # fmt: skip
    assert all(name[1:] == ["1 best … 4 worst"] for name in header[6:18])
    assert page.max_row == 3
    assert page["A2"].hyperlink.target == "https://example.org/1"
    assert page["C2"].value == "Output 3 of task 0.</s>It ended."
    assert page.protection.sheet
    assert page["G2"].protection.locked is False
    assert page["C2"].protection.locked is True


def test_the_guidance_tells_of_rows_and_marks(tmp_path: Path) -> None:
    write_workbook(tmp_path / "P03.xlsx", guide(rankings(1)))
    page = openpyxl.load_workbook(tmp_path / "P03.xlsx")["Guidance"]
    text = "\n".join(str(cell) for row in page.iter_rows(values_only=True) for cell in row)
    assert (
        "Every row is one task: the reference, and beside it the outputs A, B, … with “</s>”"
        in text
    )
    assert "Every row is one text" not in text


def test_no_system_is_named_in_the_workbook(tmp_path: Path) -> None:
    write_workbook(tmp_path / "P03.xlsx", guide(rankings(2)))
    for page in openpyxl.load_workbook(tmp_path / "P03.xlsx"):
        for row in page.iter_rows(values_only=True):
            assert not any("system-" in str(cell) or "secret-" in str(cell) for cell in row)


@pytest.mark.parametrize("systems", range(2, 9))
def test_every_number_of_systems_has_lists_of_its_own_ranks(tmp_path: Path, systems: int) -> None:
    blank = guide(sheet("rank", [[f"Text {n}." for n in range(systems)]]))
    write_workbook(tmp_path / "P03.xlsx", blank)
    data = (tmp_path / "P03.xlsx").read_bytes()
    lists = list(elements(data, "dataValidation"))
    assert len(lists) == 3
    ranks = ",".join(str(rank) for rank in range(1, systems + 1))
    for each in lists:
        (formula,) = (child.text for child in each if child.tag.endswith("formula1"))
        assert formula == f'"{ranks},cannot-judge"'
        assert len(str(each.get("sqref")).split()) == systems


def test_rows_of_unequal_numbers_of_outputs_ask_for_no_rank_beyond_theirs(tmp_path: Path) -> None:
    blank = guide(sheet("rank", [["One.", "Two.", "Three."], ["Four.", "Five."]]))
    path = tmp_path / "P03.xlsx"
    write_workbook(path, blank)
    lists = elements(path.read_bytes(), "dataValidation")
    assert sorted(str(each.get("sqref")) for each in lists)[:2] == [
        "E2 F2 G2",
        "E3 F3",
    ]
    write_cells(path, cells(blank))
    returned = check(read_workbook(path), blank)
    assert returned.faults == ()
    assert [each.answers for each in returned.answers] == judged(blank)
    assert [len(each.revisions) for each in returned.answers] == [9, 6]
    write_cells(path, {(3, "overall C"): 1})
    (fault,) = check(read_workbook(path), blank).faults
    assert "overall C): there are only 2 outputs in this row" in str(fault)


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_filled_csv_file_comes_back(tmp_path: Path, delimiter: str) -> None:
    blank = guide(rankings())
    write_csv(tmp_path / "P03.csv", blank)
    fill_csv(tmp_path / "P03.csv", cells(blank), delimiter)
    # Whoever imports does not say which layout it is.
    returned = check(read_csv(tmp_path / "P03.csv"), rankings())
    assert returned.faults == ()
    assert [each.answers for each in returned.answers] == judged(blank)


@pytest.mark.parametrize(
    ("cell", "value", "reason"),
    [
        (
            "overall B",
            5,
            "P (overall B): 5 is not a rank from 1 to 4",
        ),
        ("coherent A", "best", "'best' is not a number; a rank from 1 to 4 is wanted"),
        ("coherent A", None, "no answer here, though the task has others"),
        ("B", "Another text.", "the text was changed, so that nobody knows what was judged"),
    ],
)
def test_a_fault_is_one_sentence_with_its_row_and_column(
    tmp_path: Path, cell: str, value: object, reason: str
) -> None:
    blank = guide(rankings())
    path = tmp_path / "P03.xlsx"
    write_workbook(path, blank)
    write_cells(path, {**cells(blank), (3, cell): value})
    returned = check(read_workbook(path), rankings())
    (fault,) = returned.faults
    assert str(fault).startswith("Answers, row 3, column ")
    assert str(fault).endswith(reason)
    assert [each.task for each in returned.answers] == ["secret-0", "secret-2"]


def test_a_missing_column_of_ranks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "P03.xlsx"
    write_workbook(path, guide(rankings()))
    book = openpyxl.load_workbook(path)
    book["Answers"].delete_cols(16)
    book.save(path)
    with pytest.raises(DataError, match="the column 'overall B' is missing"):
        check(read_workbook(path), rankings())


def test_identical_outputs_with_unequal_ranks_are_a_warning(tmp_path: Path) -> None:
    blank = guide(sheet("rank", [["Same.", "Other.", "More.", "Same."]]))
    path = tmp_path / "P03.xlsx"
    write_workbook(path, blank)
    assert openpyxl.load_workbook(path)["Answers"]["E2"].value == "same as A"
    write_cells(path, cells(blank))
    returned = check(read_workbook(path), blank)
    assert [str(each).partition(": ")[2] for each in returned.warnings] == [
        "A and D are the same text, but have the ranks 4 and 1",
        "A and D are the same text, but have the ranks 1 and 2",
        "A and D are the same text, but have the ranks 1.5 and 4",
    ]


TEXTS = (
    ("'quoted' at the start", "=1+1 is not a formula", "One sentence.\nAnother one.", "The first.</s> The second."),
    ("2031-03-05", "_x0041_ and 😀 and עברית", "-2", "tab\tand carriage\r\nreturn. Then more."),
)  # fmt: skip


def test_every_rank_comes_back_from_libreoffice(tmp_path: Path) -> None:
    blank = guide(
        sheet("rank", TEXTS, (("url", "https://example.org/?a=b&c=d"), ("reference", "It did.")))
    )
    folders = [tmp_path / name for name in ("sent", "xlsx", "csv")]
    for folder in folders:
        folder.mkdir()
    path = folders[0] / "P03.xlsx"
    write_workbook(path, blank)
    write_cells(path, cells(blank))
    try:
        convert([path], "xlsx:Calc MS Excel 2007 XML", folders[1])
        convert([path], CSV, folders[2])
    except NoOfficeError as reason:
        pytest.skip(f"NOTHING IS TESTED WITH LIBREOFFICE: {reason}")
    (saved,), (table,) = folders[1].iterdir(), folders[2].iterdir()
    for filled in (read_workbook(path), read_workbook(saved), read_csv(table)):
        returned = check(filled, blank)
        assert returned.faults == ()
        assert [each.answers for each in returned.answers] == judged(blank)
        assert [len(each.revisions) for each in returned.answers] == [12, 12]


def outputs(count: int, systems: int = 4) -> list[Task]:
    return [
        Task(
            f"t{n}",
            f"item{n}",
            tuple(Target(f"s{s}", f"Output {n} of {s}. It ended.") for s in range(systems)),
            (("url", f"https://example.org/{n}"), ("reference", f"It happened in {n}.")),
        )
        for n in range(count)
    ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'store.db'}") as opened:
        opened.create("c", RANK, outputs(5), ["ann", "ben"], per_item=2, seed=0)
        yield opened


def values(store: Store) -> set[tuple[str, str, object]]:
    return {(each.target, each.question, each.value) for each in store.judgments("c")}


EXPECTED = {
    (f"s{n}", question, rank) for question, ranks in RANKS.items() for n, rank in enumerate(ranks)
}


@pytest.mark.parametrize("form", ["xlsx", "csv"])
def test_sheets_of_a_store_come_back_as_its_judgments(
    store: Store, tmp_path: Path, form: str
) -> None:
    written = write_sheets(store, "c", tmp_path / "sheets", format=form, layout="guide")  # type: ignore[arg-type]
    for name, blank in sheets_of(store, "c").items():
        path = tmp_path / "sheets" / f"{name}.{form}"
        (write_cells if form == "xlsx" else fill_csv)(path, cells(blank))
    files = [each.path for each in written]
    results = import_files(store, "c", files, at=AT)
    assert [(each.new, each.faults) for each in results] == [(60, ()), (60, ())]
    assert values(store) == EXPECTED
    again = import_files(store, "c", files, at=LATER)
    assert [(each.new, each.corrected, each.unchanged) for each in again] == [(0, 0, 60)] * 2


def test_an_annotator_goes_on_in_either_layout_and_an_old_sheet_overwrites_nothing(
    store: Store, tmp_path: Path
) -> None:
    write_sheets(store, "c", tmp_path / "old", layout="guide")
    blank = sheets_of(store, "c")["ann"]
    write_cells(tmp_path / "old/ann.xlsx", cells(blank))
    import_files(store, "c", [tmp_path / "old/ann.xlsx"], at=AT)
    write_sheets(store, "c", tmp_path / "rows")
    page = openpyxl.load_workbook(tmp_path / "rows/ann.xlsx")["Answers"]
    assert page.cell(2, 5).value == RANKS["informative"][int(blank.rows[0].order[0][-1])]
    write_cells(tmp_path / "rows/ann.xlsx", {(n, "overall"): 2 for n in (2, 3, 4, 5)})
    assert import_files(store, "c", [tmp_path / "rows/ann.xlsx"], at=LATER)[0].corrected == 4
    (late,) = import_files(store, "c", [tmp_path / "old/ann.xlsx"], at=LATER)
    assert (late.corrected, late.conflicts) == (0, ())
    now = {
        each.value
        for each in store.judgments("c")
        if each.question == "overall" and each.task == blank.rows[0].task.id
    }
    assert now == {2}


def test_the_layout_of_the_guide_is_refused_for_other_protocols(
    store: Store, tmp_path: Path
) -> None:
    store.create("g", GRADE, grade_tasks(2), ["ann", "ben"], per_item=2, seed=0)
    with pytest.raises(
        ArgumentError,
        match="the layout 'guide' is for rankings; sheets of the protocol 'grade' have 'rows'",
    ):
        write_sheets(store, "g", tmp_path / "sheets", layout="guide")
    assert not (tmp_path / "sheets").exists()


def test_what_the_guide_does_not_have_stands_after_the_ranks() -> None:
    rows = tuple(replace(row, article="The whole story.") for row in rankings(1).rows)
    names = [column.name for column in columns(replace(guide(rankings(1)), rows=rows))]
    assert names[:3] == ["url", "reference", "A"]
    assert names[-4:] == ["overall D", "article", "task", "revision"]
