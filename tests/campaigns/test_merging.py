"""Sheets that come back late: what nobody touched changes nothing, and what contradicts a newer answer is kept until somebody decides."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from newsdesk.campaigns import aggregate
from newsdesk.campaigns.campaign import Conflict
from newsdesk.campaigns.control import audit
from newsdesk.campaigns.exchange import Imported, import_files, sheets_of, write_sheets
from newsdesk.campaigns.report import report_page
from newsdesk.campaigns.store import Store
from newsdesk.types import CANNOT_JUDGE, Judgment, Value
from tests.campaigns.sheet_files import fill, fill_csv
from tests.campaigns.worlds import AT, GRADE, LATER, RANK, answers, grade_tasks, rank_tasks

QUESTIONS = ("informative", "coherent", "overall")


@pytest.fixture
def grades(store: Store) -> Store:
    store.create("c", GRADE, grade_tasks(2), ["ann"], per_item=1, seed=0, secret="s3")
    return store


def grade(store: Store, folder: Path, values: dict[int, object], *, name: str = "ann") -> Path:
    """A sheet written now, with these grades by row."""
    shutil.rmtree(folder, ignore_errors=True)
    write_sheets(store, "c", folder)
    path = folder / f"{name}.xlsx"
    again(store, path, values)
    return path


def again(store: Store, path: Path, values: dict[int, object]) -> None:
    fill(path, sheets_of(store, "c")["ann"], {(row, 0, "grade"): v for row, v in values.items()})


def imported(store: Store, path: Path, **settings: object) -> Imported:
    (result,) = import_files(store, "c", [path], at=AT, **settings)  # type: ignore[arg-type]
    return result


def web(store: Store, row: int, value: Value) -> None:
    task = sheets_of(store, "c")["ann"].rows[row].task
    store.answer("c", "ann", task.id, {(task.id, "grade"): value}, at=LATER)


def stored(store: Store) -> list[Value | None]:
    """The current grades, in the order of the sheet."""
    sheet = sheets_of(store, "c")["ann"]
    return [row.answers.get((row.order[0], "grade")) for row in sheet.rows]


def counts(result: Imported) -> tuple[int, int, int, int, int]:
    return (
        result.new, result.corrected, result.unchanged, len(result.faults), len(result.conflicts),
    )  # fmt: skip


def test_an_untouched_old_sheet_changes_nothing(grades: Store, tmp_path: Path) -> None:
    web(grades, 0, 2)
    old = grade(grades, tmp_path / "old", {})
    web(grades, 0, 5)
    assert counts(imported(grades, old)) == (0, 0, 1, 0, 0)
    assert stored(grades) == [5, None]


def test_a_sheet_that_was_imported_before_does_not_undo_a_newer_answer(
    grades: Store, tmp_path: Path
) -> None:
    sheet = grade(grades, tmp_path / "sheet", {0: 2, 1: 3})
    assert counts(imported(grades, sheet)) == (2, 0, 0, 0, 0)
    web(grades, 0, 5)
    assert counts(imported(grades, sheet)) == (0, 0, 2, 0, 0)
    assert stored(grades) == [5, 3]


def test_who_goes_on_in_the_same_sheet_corrects_their_answers(
    grades: Store, tmp_path: Path
) -> None:
    sheet = grade(grades, tmp_path / "sheet", {0: 2})
    imported(grades, sheet)
    again(grades, sheet, {0: 4, 1: 1})
    assert counts(imported(grades, sheet)) == (1, 1, 0, 0, 0)
    assert stored(grades) == [4, 1]


def test_a_cell_that_changed_on_both_sides_is_a_conflict_and_kept(
    grades: Store, tmp_path: Path
) -> None:
    sheet = grade(grades, tmp_path / "sheet", {0: 2, 1: 3})
    web(grades, 0, 5)
    result = imported(grades, sheet)
    task = sheets_of(grades, "c")["ann"].rows[0].task.id
    assert counts(result) == (1, 0, 0, 0, 1)
    assert result.conflicts == (Conflict(task, "ann", task, "A", "grade", ours=5, theirs=2),)
    assert str(result.conflicts[0]).endswith("A (grade): 2 in the sheet, 5 in the store")
    assert stored(grades) == [5, 3]
    assert grades.conflicts("c") == list(result.conflicts)
    assert grades.status("c").conflicts == 1
    imported(grades, sheet)
    assert len(grades.conflicts("c", "ann")) == 1


@pytest.mark.parametrize(("side", "value"), [("theirs", 2), ("ours", 5)])
def test_a_conflict_is_decided_for_one_side_once(
    grades: Store, tmp_path: Path, side: str, value: int
) -> None:
    sheet = grade(grades, tmp_path / "sheet", {0: 2})
    web(grades, 0, 5)
    imported(grades, sheet)
    done = grades.resolve("c", side, at=AT)  # type: ignore[arg-type]
    assert done.corrected == (side == "theirs")
    assert (stored(grades), grades.conflicts("c")) == ([value, None], [])
    assert counts(imported(grades, sheet))[-1] == 0
    assert (stored(grades), grades.conflicts("c")) == ([value, None], [])


@pytest.mark.parametrize(("side", "value"), [("theirs", 2), ("ours", 5)])
def test_an_import_can_decide_at_once(grades: Store, tmp_path: Path, side: str, value: int) -> None:
    sheet = grade(grades, tmp_path / "sheet", {0: 2})
    web(grades, 0, 5)
    assert counts(imported(grades, sheet, prefer=side))[-1] == 0
    assert (stored(grades), grades.conflicts("c")) == ([value, None], [])


def test_a_sheet_with_both_values_settled_closes_its_conflict(
    grades: Store, tmp_path: Path
) -> None:
    sheet = grade(grades, tmp_path / "sheet", {0: 2})
    web(grades, 0, 5)
    imported(grades, sheet)
    newer = grade(grades, tmp_path / "newer", {0: 4})
    assert counts(imported(grades, newer)) == (0, 1, 0, 0, 0)
    assert (stored(grades), grades.conflicts("c")) == ([4, None], [])


@pytest.mark.parametrize("lost", ["deleted", "edited", "of another row"])
def test_a_cell_without_a_revision_and_with_another_value_is_a_conflict(
    grades: Store, tmp_path: Path, lost: str
) -> None:
    web(grades, 0, 3)
    web(grades, 1, 3)
    sheet = grade(grades, tmp_path / "sheet", {0: 1, 1: 3})
    book = openpyxl.load_workbook(sheet)
    page = book["Answers"]
    last = page.max_column
    if lost == "deleted":
        page.delete_cols(last)
    else:
        page.cell(2, last).value = "7" if lost == "edited" else page.cell(3, last).value
    book.save(sheet)
    assert counts(imported(grades, sheet)) == (0, 0, 1, 0, 1)
    assert stored(grades) == [3, 3]


def test_csv_sheets_know_their_revisions_too(grades: Store, tmp_path: Path) -> None:
    web(grades, 0, 2)
    write_sheets(grades, "c", tmp_path / "csv", format="csv")
    sheet = tmp_path / "csv" / "ann.csv"
    web(grades, 0, 5)
    assert counts(imported(grades, sheet)) == (0, 0, 1, 0, 0)
    fill_csv(sheet, sheets_of(grades, "c")["ann"], {(0, 0, "grade"): 1})
    assert counts(imported(grades, sheet))[-1] == 1
    assert stored(grades) == [5, None]


def ranking(store: Store, folder: Path, overall: tuple[int, int, int]) -> Path:
    write_sheets(store, "r", folder)
    sheet = sheets_of(store, "r")["ann"]
    fill(folder / "ann.xlsx", sheet, {(0, n, "overall"): rank for n, rank in enumerate(overall)})
    return folder / "ann.xlsx"


def test_no_ranking_is_half_the_sheets_and_half_the_stores(store: Store, tmp_path: Path) -> None:
    [task] = rank_tasks(1, systems=3)
    store.create("r", RANK, [task], ["ann"], per_item=1, seed=0, secret="s3")
    store.answer("r", "ann", "t0", answers(RANK, task, (1, 2, 3)), at=AT)
    order = sheets_of(store, "r")["ann"].rows[0].order
    place = {f"s{n}": order.index(f"s{n}") for n in range(3)}
    # The sheet swaps the first two, the store meanwhile the last two: each changes cells that the other did not.
    swapped = sorted(place, key=lambda name: place[name])
    sheet = ranking(
        store,
        tmp_path / "sheet",
        tuple({"s0": 2, "s1": 1, "s2": 3}[name] for name in swapped),  # type: ignore[arg-type]
    )
    newer = {**answers(RANK, task, (1, 2, 3)), ("s1", "overall"): 3, ("s2", "overall"): 2}
    store.answer("r", "ann", "t0", newer, at=LATER)
    (result,) = import_files(store, "r", [sheet], at=AT)
    assert {each.question for each in result.conflicts} == {"overall"}
    assert {each.target: (each.ours, each.theirs) for each in result.conflicts} == {
        "s0": (1, 2), "s1": (3, 1), "s2": (2, 3),
    }  # fmt: skip
    assert {(j.target, j.question): j.value for j in store.judgments("r")} == newer


def test_the_merge_is_atomic_with_answers_from_the_web(grades: Store, tmp_path: Path) -> None:
    sheet = grade(grades, tmp_path / "sheet", {0: 2, 1: 9})
    result = imported(grades, sheet)
    assert counts(result) == (1, 0, 0, 1, 0)
    assert stored(grades) == [2, None]


def test_an_answer_can_be_withdrawn_in_a_sheet(grades: Store, tmp_path: Path) -> None:
    imported(grades, grade(grades, tmp_path / "one", {0: 2, 1: 4}))
    imported(grades, grade(grades, tmp_path / "two", {0: "Cannot judge"}))
    assert stored(grades) == [CANNOT_JUDGE, 4]
    status = grades.status("c")
    assert (status.judgments, status.corrections, status.withdrawn, status.done) == (2, 1, 1, 2)
    book = openpyxl.load_workbook(grade(grades, tmp_path / "three", {}))
    assert book["Answers"]["C2"].value == CANNOT_JUDGE


def withdrawn() -> Iterator[Judgment]:
    for item in range(3):
        for name in ("ann", "ben"):
            for target in ("x", "y", "z"):
                value: Value = 1 + "xyz".index(target)
                if (item, name, target) == (0, "ann", "z"):
                    value = CANNOT_JUDGE
                yield Judgment("c", f"t{item}", f"i{item}", target, "overall", value, name)


def test_what_was_withdrawn_is_missing_in_all_statistics() -> None:
    rows = list(withdrawn())
    tally = {(row.item, row.target): row.values for row in aggregate.tallies(rows)}
    assert tally["i0", "z"] == (3.0,)
    assert len(aggregate.values_of(rows, RANK)) == 9
    assert aggregate.value_matrix(rows).tolist()[0][2:3] != [CANNOT_JUDGE]
    assert aggregate.rank_cube(rows).shape == (2, 3, 3)
    assert [row.judgments for row in audit(rows, {("t0", "z"): 3})] == [8, 9]
    labels = aggregate.label_estimates(
        [
            Judgment("c", "t", "i", target, "q", value, "ann")
            for target, value in (("x", "related"), ("y", CANNOT_JUDGE))
        ],
        ["related", "unrelated"],
    )
    assert [(each.value, each.n) for each in labels] == [(1.0, 1), (0.0, 1)]


def test_a_report_counts_what_was_withdrawn(store: Store) -> None:
    tasks = rank_tasks(3, systems=3)
    store.create("r", RANK, tasks, ["ann", "ben"], per_item=2, seed=0, secret="s3")
    for name in ("ann", "ben"):
        for task in tasks:
            ranks: dict[tuple[str, str], Value] = {**answers(RANK, task, (1, 2, 3))}
            if (name, task.id) == ("ann", "t0"):
                ranks |= {("s0", question): CANNOT_JUDGE for question in QUESTIONS}
            store.answer("r", name, task.id, ranks, at=AT)
    page = report_page(store, "r")
    assert "cannot judge" in page
    assert store.status("r").withdrawn == 3
