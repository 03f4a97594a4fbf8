"""Nobody answers for another: sheets are sealed, and an import is listed and taken back as a whole, on both databases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from newsdesk.campaigns.exchange import Imported, import_files, write_sheets
from newsdesk.campaigns.report.evidence import Evidence
from newsdesk.campaigns.report.sections import audit_section
from newsdesk.campaigns.store import Store
from newsdesk.errors import ArgumentError, DataError
from newsdesk.types import CANNOT_JUDGE
from tests.campaigns.worlds import AT, GRADE, LATER, RANK, answers, grade_tasks, rank_tasks
from tests.cli.running import run
from tests.service.office import HTML, Office, csrf

Page = Any


@pytest.fixture
def pilot(store: Store, tmp_path: Path) -> Store:
    """A campaign of grades that two annotate, with its sheets."""
    store.create("c", GRADE, grade_tasks(6), ["ann", "ben"], per_item=2, seed=0)
    write_sheets(store, "c", tmp_path)
    return store


def fill(path: Path, value: object, change: Callable[[Page], None] | None = None) -> Path:
    """Write a value into every cell of answers, and change the sheet besides."""
    book = openpyxl.load_workbook(path)
    page = book["Answers"]
    names = [str(cell.value).split("\n")[0] for cell in page[1]]
    for row in range(2, page.max_row + 1):
        page.cell(row, names.index("grade") + 1).value = value
    if change is not None:
        change(page)
    filled = path.with_name(f"filled-{path.name}")
    book.save(filled)
    return filled


def import_one(store: Store, path: Path, **settings: Any) -> Imported:
    (result,) = import_files(store, "c", [path], at=AT, by="lead", **settings)
    return result


def grades(store: Store, who: str) -> list[object]:
    return [each.value for each in store.judgments("c", annotator=who)]


def for_ben(page: Page) -> None:
    page.cell(1, 1).value = str(page.cell(1, 1).value).replace("annotator: ann", "annotator: ben")


def as_of_earlier_versions(page: Page) -> None:
    """For ben, with the unkeyed digests and without the seal, as anybody can compute them who guesses the ids."""
    page.cell(1, 1).value = "task\ncampaign: c\nannotator: ben"
    for row in range(2, page.max_row + 1):
        text = str(page.cell(row, 2).value)
        number = text.removeprefix("comment ")
        parts = json.dumps(["c", "ben", f"c{number}", [], [text]])
        digest = hashlib.sha256(parts.encode()).hexdigest()[:12]
        page.cell(row, 1).value = f"{row - 1}.1-{digest}"
        page.cell(row, page.max_column).value = "r0"


def without_seal(page: Page) -> None:
    page.cell(1, 1).value = "task\ncampaign: c\nannotator: ann"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (for_ben, r"not the sheet that was written for 'ben': its seal does not fit"),
        (as_of_earlier_versions, r"not the sheet that was written for 'ben': it has no seal"),
        (without_seal, r"not the sheet that was written for 'ann': it has no seal"),
    ],
)
def test_a_sheet_rewritten_for_another_is_refused_and_changes_nothing(
    pilot: Store, tmp_path: Path, change: Callable[[Page], None], reason: str
) -> None:
    import_one(pilot, fill(tmp_path / "ben.xlsx", 2))
    with pytest.raises(DataError, match=reason):
        import_one(pilot, fill(tmp_path / "ann.xlsx", 5, change))
    assert grades(pilot, "ben") == [2] * 6 and grades(pilot, "ann") == []
    assert [each.source.annotator for each in pilot.imports("c")] == ["ben"]


def test_a_lead_may_trust_a_sheet_without_a_seal_and_the_import_says_so(
    pilot: Store, tmp_path: Path
) -> None:
    result = import_one(pilot, fill(tmp_path / "ann.xlsx", 5, without_seal), trust_unsealed=True)
    assert (result.new, result.seal) == (6, "trusted")
    assert "not sealed" in result.warnings[-1]
    [record] = pilot.imports("c")
    assert (record.source.seal, record.source.by, record.number) == ("trusted", "lead", result.number)  # fmt: skip
    audit = audit_section(Evidence.read(pilot, "c")).html(1)
    assert f"whose answers they hold: import {result.number}." in audit
    # The keys of rows are those of ann: trust does not make them ben's.
    forged = import_one(pilot, fill(tmp_path / "ann.xlsx", 5, for_ben), trust_unsealed=True)
    assert forged.new == 0 and grades(pilot, "ben") == []


def test_rows_that_were_sorted_or_deleted_do_not_break_the_seal(
    pilot: Store, tmp_path: Path
) -> None:
    def fewer(page: Page) -> None:
        page.delete_rows(3, 2)
        page.move_range("A4:Z4", rows=20)

    result = import_one(pilot, fill(tmp_path / "ann.xlsx", 4, fewer))
    assert (result.new, result.seal, result.faults) == (4, "sealed", ())


def test_an_import_is_listed_with_its_hash_and_taken_back_as_a_whole(
    pilot: Store, tmp_path: Path
) -> None:
    [first] = list(pilot.assignments("c", "ann"))[:1]
    pilot.answer("c", "ann", first.task.id, answers(GRADE, first.task, [3]), at=AT, seconds=9)
    before = list(pilot.judgments("c"))
    path = fill(tmp_path / "ann.xlsx", 5)
    number = import_one(pilot, path, prefer="theirs").number
    [record] = pilot.imports("c")
    assert record.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (record.new, record.corrected, record.source.file) == (5, 1, "filled-ann.xlsx")
    assert number is not None
    back = pilot.undo_import("c", number, at=LATER, by="lead")
    assert (back.tasks, back.answers, back.kept) == (6, 6, 0)
    after = list(pilot.judgments("c"))
    assert [each for each in after if each.value != CANNOT_JUDGE] == before  # with time and seconds
    assert len(after) == 6 and pilot.status("c").done == 1
    assert pilot.imports("c")[0].undone_at == LATER
    with pytest.raises(ArgumentError, match="was taken back at"):
        pilot.undo_import("c", number, at=LATER, by="lead")
    with pytest.raises(ArgumentError, match="has no import 99"):
        pilot.undo_import("c", 99, at=LATER, by="lead")
    # What was withdrawn is no answer in the next sheet, and the same file can be imported again.
    write_sheets(pilot, "c", tmp_path / "new")
    page = openpyxl.load_workbook(tmp_path / "new" / "ann.xlsx")["Answers"]
    assert [page.cell(row, 3).value for row in range(2, 8)].count(None) == 5
    assert import_one(pilot, path, prefer="theirs").corrected == 6
    assert grades(pilot, "ann") == [5] * 6


def test_a_task_that_was_answered_since_keeps_its_answers(store: Store, tmp_path: Path) -> None:
    store.create("c", RANK, rank_tasks(2), ["ann"], per_item=1, seed=0)
    tasks = {each.task.id: each.task for each in store.assignments("c", "ann")}
    imported = tmp_path / "ranks.jsonl"
    rows = [
        {"campaign": "c", "task": task.id, "item": task.item, "target": target, "question": question, "value": value, "annotator": "ann"}
        for task in tasks.values()
        for (target, question), value in answers(RANK, task, (1, 2, 3, 4)).items()
    ]  # fmt: skip
    imported.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    number = import_one(store, imported).number
    assert number is not None
    store.answer("c", "ann", "t0", answers(RANK, tasks["t0"], (2, 1, 3, 4)), at=LATER)
    back = store.undo_import("c", number, at=LATER, by="lead")
    assert (back.tasks, back.kept) == (1, 1)
    overall = {each.task: [] for each in store.judgments("c")}  # type: dict[str, list[object]]
    for each in store.judgments("c"):
        if each.question == "overall":
            overall[each.task].append(each.value)
    assert overall == {"t0": [2, 1, 3, 4], "t1": [CANNOT_JUDGE] * 4}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_imports_are_taken_back_in_any_order(
    pilot: Store, tmp_path: Path, order: tuple[int, int]
) -> None:
    numbers = [import_one(pilot, fill(tmp_path / "ann.xlsx", value), prefer="theirs").number for value in (4, 2)]  # fmt: skip
    assert grades(pilot, "ann") == [2] * 6
    for place in order:
        number = numbers[place]
        assert number is not None
        pilot.undo_import("c", number, at=LATER, by="lead")
    assert grades(pilot, "ann") == [CANNOT_JUDGE] * 6
    assert pilot.status("c").done == 0


def test_the_command_lists_imports_and_takes_one_back(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with Store.open(url) as store:
        store.create("c", GRADE, grade_tasks(2), ["ann"], per_item=1, seed=0)
        write_sheets(store, "c", tmp_path)
    path = fill(tmp_path / "ann.xlsx", 5, without_seal)
    refused = run("campaign", "import", "c", str(path), "--store", url)
    assert refused.returncode == 1 and "--trust-unsealed" in refused.stderr
    trusted = run("campaign", "import", "c", str(path), "--trust-unsealed", "--store", url)
    assert trusted.returncode == 0 and "warning: not sealed" in trusted.stderr
    listed = run("campaign", "imports", "c", "--undo", "1", "--json", "--store", url)
    assert "2 answers of 2 tasks as before" in listed.stderr
    [record] = json.loads(listed.stdout)["imports"]
    assert (record["seal"], record["new"], record["annotator"]) == ("trusted", 2, "ann")
    assert record["by"].startswith("command") and record["undone_at"]
    assert "taken back" in run("campaign", "imports", "c", "--store", url).stdout


def test_the_page_of_a_campaign_lists_imports_and_takes_one_back(
    office: Office, tmp_path: Path
) -> None:
    office.campaign("c", "grade")
    admin = office.admin()
    (tmp_path / "ann.xlsx").write_bytes(admin.get("/campaigns/c/sheet?annotator=ann").content)
    path = fill(tmp_path / "ann.xlsx", 5, without_seal)
    fields = {"csrf": csrf(admin)}
    files = {"files": ("ann.xlsx", path.read_bytes())}
    refused = admin.post("/campaigns/c/import", data=fields, files=files)
    assert "it has no seal" in refused.text
    trusted = {**fields, "trust_unsealed": "1"}
    assert admin.post("/campaigns/c/import", data=trusted, files=files).status_code == 200
    page = admin.get("/campaigns/c", headers=HTML).text
    assert "web: admin" in page and "no seal, trusted" in page
    assert admin.post("/campaigns/c/imports/1/undo", data=fields).status_code == 303
    assert "taken back" in admin.get("/campaigns/c", headers=HTML).text
    assert {each.value for each in office.desk.store.judgments("c")} == {CANNOT_JUDGE}
