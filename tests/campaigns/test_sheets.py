"""Workbooks and CSV files out and back: any text survives, nothing runs, nobody learns what is sealed."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import example, given, settings, strategies as st

from newsdesk.campaigns.protocols import protocol
from newsdesk.campaigns.sheets import (
    Sheet,
    SheetRow,
    check,
    cut_texts,
    read_csv,
    read_workbook,
    workbook_bytes,
    write_csv,
    write_workbook,
)
from newsdesk.campaigns.sheets.layout import (
    LIMIT,
    decode,
    encode,
    fit,
    guard,
    link,
    unguard,
)
from newsdesk.campaigns.spans import quotations, spans_value
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError, FileError, MissingExtraError
from newsdesk.text import sentences
from tests.campaigns.sheet_files import (
    COMPARED,
    KINDS,
    CellAnswers,
    elements,
    fill,
    fill_csv,
    parts,
    rankings,
    save_as_excel_does,
    sheet,
)

NASTY = (
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1",
    "-2",
    "@SUM(A1)",
    "'quoted'",
    "''",
    "\t=1+1",
    "#N/A",
    "TRUE",
    "1.50",
    "2031-03-05",
    "bell\x07, NUL\x00, escape\x1b",
    "one\r\ntwo\rthree\n\n",
    "  white space  ",
    "_x0041_ and _x005F_x0041_",
    "_x0041\x01",
    "😀 👩‍👩‍👧 e\u0301",
    "\u202eעברית\u202c العربية",
    "\ud800 alone",
    "\ud83d\ude00",
    "\ufffe\uffff\ufeff",
    "<f>1+1</f> &amp; ]]> <!--",
    'He said "no", and; went\t.',
    "",
)
ANYTHING = st.text(st.characters(), max_size=40)  # surrogates and control characters as well
ESCAPES = st.text(st.sampled_from("_x0415Ff\x01\r "), max_size=30)
TEXTS = st.one_of(
    st.sampled_from(NASTY),
    ANYTHING,
    ESCAPES,
    st.builds(str.__add__, st.sampled_from("=+-@'\t\r\n"), ANYTHING),
)
ANSWERS = {
    "rank": st.sampled_from((1, 2, 1.5)),
    "grade": st.integers(1, 5),
    "constructive": st.booleans(),
    "relate": st.sampled_from(("on-topic", "related", "unrelated")),
    "da": st.integers(0, 100),
    "likert": st.integers(1, 5),
    "multi-label": st.booleans(),
    "pairwise": st.sampled_from((1, 2)),
}
CHOSEN = ("best", "worst", "neither")


@st.composite
def filled_in(draw: st.DrawFn, form: str) -> tuple[Sheet, CellAnswers]:
    """A sheet of nasty texts, and an answer for every cell that asks for one."""
    least, most = (2, 3) if form in COMPARED else (1, 3)
    texts = draw(
        st.lists(
            st.lists(TEXTS, min_size=least, max_size=most, unique=True), min_size=1, max_size=2
        )
    )
    context = [("url", draw(TEXTS)), ("reference", draw(TEXTS)), ("reference", draw(TEXTS))]
    blank = sheet(form, texts, context)
    answers = {
        (number, place, question.name): draw(answer_to(form, row.shown[place].text, place))
        for number, row in enumerate(blank.rows)
        for place in range(len(row.order))
        for question in blank.protocol.questions
    }
    return blank, answers


def answer_to(form: str, text: str, place: int) -> st.SearchStrategy[Any]:
    """A valid answer about the text at this place of its task."""
    if form == "best-worst":
        return st.just(CHOSEN[place])
    if form != "spans":
        return ANSWERS[form]
    ends = st.lists(st.integers(0, len(text)), min_size=2, max_size=4, unique=True)
    pairs = ends.map(lambda each: sorted(each[: len(each) // 2 * 2]))
    if len(text) < 4:
        return st.just("none")
    return pairs.map(lambda each: spans_value(zip(each[::2], each[1::2], strict=True)))


def expected(blank: Sheet, answers: CellAnswers) -> dict[str, dict[tuple[str, str], Any]]:
    """What must come back, by task."""
    found: dict[str, dict[tuple[str, str], Any]] = defaultdict(dict)
    for (number, place, question), value in answers.items():
        row = blank.rows[number]
        found[row.task.id][row.order[place], question] = value
    return found


def written(blank: Sheet, answers: CellAnswers) -> CellAnswers:
    """The answers as an annotator types them."""
    if blank.protocol.kind == "spans":
        return {
            (task, place, question): quotations(str(value), blank.rows[task].shown[place].text)
            for (task, place, question), value in answers.items()
        }
    if blank.protocol.kind != "select":
        return answers
    return {at: "yes" if value else "no" for at, value in answers.items()}


def shown_texts(path: Path, column: str) -> list[str]:
    """The texts that a workbook shows in a column."""
    page = openpyxl.load_workbook(path)["Answers"]
    names = [str(cell.value).split("\n")[0] for cell in page[1]]
    cells = [page.cell(row, names.index(column) + 1) for row in range(2, page.max_row + 1)]
    assert all(cell.data_type == "s" or cell.value is None for cell in cells)
    return [decode(cell.value or "") for cell in cells]


@pytest.mark.parametrize("form", KINDS)
@settings(max_examples=30)
@given(st.data())
def test_a_filled_in_workbook_comes_back_whole(
    tmp_path: Path, form: str, data: st.DataObject
) -> None:
    blank, answers = data.draw(filled_in(form))
    path = tmp_path / "P03.xlsx"
    write_workbook(path, blank)
    fill(path, blank, written(blank, answers))
    if data.draw(st.booleans()):
        save_as_excel_does(path)
    else:
        if form in COMPARED:
            texts = [target.text for row in blank.rows for target in row.shown]
            lines = ["\n".join(sentences(text)).split() for text in texts]
            assert [each.split() for each in shown_texts(path, "text")] == lines
        else:
            texts = [target.text for row in blank.rows for target in row.shown]
            assert shown_texts(path, "text") == texts
    returned = check(read_workbook(path), blank)
    assert returned.faults == ()
    assert {each.task: each.answers for each in returned.answers} == expected(blank, answers)
    for each, row in zip(returned.answers, blank.rows, strict=True):
        texts_of = {target.id: target.text for target in row.shown}
        assert blank.protocol.faults(row.order, each.answers, texts_of) == []
    assert list(elements(path.read_bytes(), "f")) == []


@pytest.mark.parametrize("form", KINDS)
@settings(max_examples=30)
@given(st.data())
def test_a_filled_in_csv_file_comes_back_whole(
    tmp_path: Path, form: str, data: st.DataObject
) -> None:
    blank, answers = data.draw(filled_in(form))
    path = tmp_path / "P03.csv"
    write_csv(path, blank)
    fill_csv(path, blank, written(blank, answers), delimiter=data.draw(st.sampled_from(",;\t")))
    returned = check(read_csv(path), blank)
    assert returned.faults == ()
    assert {each.task: each.answers for each in returned.answers} == expected(blank, answers)


@pytest.mark.parametrize("form", KINDS)
@settings(max_examples=10)
@given(st.data())
def test_a_sheet_holds_what_was_answered_before(
    tmp_path: Path, form: str, data: st.DataObject
) -> None:
    blank, answers = data.draw(filled_in(form))
    known = expected(blank, answers)
    begun = replace(
        blank, rows=tuple(replace(row, answers=known[row.task.id]) for row in blank.rows)
    )
    write_workbook(tmp_path / "P03.xlsx", begun)
    write_csv(tmp_path / "P03.csv", begun)
    for filled in (read_workbook(tmp_path / "P03.xlsx"), read_csv(tmp_path / "P03.csv")):
        returned = check(filled, blank)
        assert returned.faults == ()
        assert {each.task: each.answers for each in returned.answers} == known


@given(TEXTS)
@example("_x0041" + "\x01" + "x0041_")
def test_a_cell_holds_any_text(text: str) -> None:
    cell = encode(text)
    assert decode(cell) == text
    cell.encode("utf-8")
    assert not any(ord(each) < 32 and each not in "\t\n" for each in cell)


@given(TEXTS)
def test_a_guarded_field_comes_back_and_begins_no_formula(text: str) -> None:
    field = guard(text)
    assert unguard(field) == text
    assert not field.lstrip().startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize("character", ["x", "字", "😀", "\x01", "_x0041_"])
def test_a_text_that_is_too_long_is_cut_and_says_by_how_much(character: str) -> None:
    text = character * (40_000 // len(character))
    cell = fit(text, "7-5f0c")
    units = len(cell.encode("utf-16-le")) // 2
    assert LIMIT - 7 <= units <= LIMIT
    start, note = decode(cell).split("… ")
    assert text.startswith(start)
    missing = f"{len(text) - len(start):,}"
    assert note == f"[cut: {missing} more characters of task 7-5f0c do not fit in a cell]"


def test_a_text_of_exactly_the_limit_is_not_cut() -> None:
    assert fit("x" * LIMIT, "1") == "x" * LIMIT
    assert fit("x" * (LIMIT + 1), "1").endswith("do not fit in a cell]")


@pytest.mark.parametrize("form", ["rank", "relate"])
def test_a_sheet_with_a_cut_text_comes_back(tmp_path: Path, form: str) -> None:
    long = "One sentence. " * 4_000
    blank = sheet(form, [[long, "short"]] if form == "rank" else [[long]])
    path = tmp_path / "P03.xlsx"
    write_workbook(path, blank)
    page = openpyxl.load_workbook(path)["Answers"]
    key = page["A2"].value
    cut = [cell.value for cell in page[2] if cell.value and len(cell.value) > 30_000]
    if form == "rank":  # shown last one first
        key = page["A3"].value
        cut = [cell.value for cell in page[3] if cell.value and len(cell.value) > 30_000]
    assert [text.split(" of ")[-1] for text in cut] == [f"task {key} do not fit in a cell]"]
    assert cut_texts(blank) == 1
    answer = 1 if form == "rank" else "related"
    places = range(len(blank.rows[0].order))
    ranks = {(0, place, q.name): answer for place in places for q in blank.protocol.questions}
    fill(path, blank, ranks)
    assert check(read_workbook(path), blank).faults == ()


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        ("HTTP://example.org/", "HTTP://example.org/"),
        ('https://example.org/ä b\x07"<', "https://example.org/%C3%A4%20b%07%22%3C"),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("=HYPERLINK(1)", None),
        ("https://", None),
        ("https://example.org/\ud800", None),
        ("https://example.org/" + "x" * 3_000, None),
    ],
)
def test_only_web_addresses_can_be_clicked(tmp_path: Path, url: str, target: str | None) -> None:
    assert link(url) == target
    path = tmp_path / "P03.xlsx"
    write_workbook(path, sheet("rank", [["a", "b"]], [("url", url)]))
    cell = openpyxl.load_workbook(path)["Answers"]["G2"]
    assert decode(cell.value) == url
    assert (cell.hyperlink.target if cell.hyperlink else None) == target


def test_questions_stand_beside_the_texts_they_are_about(tmp_path: Path) -> None:
    blank = rankings()
    write_workbook(tmp_path / "P03.xlsx", blank)
    book = openpyxl.load_workbook(tmp_path / "P03.xlsx")
    assert book.sheetnames == ["Guidance", "Answers"]
    assert book.active.title == "Answers"
    page = book["Answers"]
    names = [str(cell.value).split("\n")[0] for cell in page[1]]
    questions = [question.name for question in blank.protocol.questions]
    assert names == ["task", "reference", "output", "text", *questions, "url", "revision"]
    assert page["B2"].value == "It did.\nIt ended."
    assert [page.cell(row, 3).value for row in range(2, 7)] == ["A", "B", "C", "D", "A"]
    assert page["D2"].value == "Output 3 of task 0.\nIt ended."
    assert page.freeze_panes == "B2"
    assert page.print_title_rows == "$1:$1"
    assert page.column_dimensions["I"].hidden
    assert [each.id for each in page.row_breaks.brk] == [5, 9]


@pytest.mark.parametrize("form", KINDS)
def test_text_is_locked_and_answers_have_a_list_to_choose_from(tmp_path: Path, form: str) -> None:
    blank = sheet(form, [["a", "b", "c"], ["d", "e"]])
    write_workbook(tmp_path / "P03.xlsx", blank)
    book = openpyxl.load_workbook(tmp_path / "P03.xlsx")
    assert all(page.protection.sheet and not page.protection.password for page in book)
    page = book["Answers"]
    free = {cell.coordinate for row in page for cell in row if not cell.protection.locked}
    lists = page.data_validations.dataValidation
    listed = [
        cell.coordinate
        for each in lists
        for area in each.sqref.ranges
        for row in page[area.coord if ":" in area.coord else f"{area.coord}:{area.coord}"]
        for cell in row
    ]
    assert sorted(listed) == sorted(free)
    assert len(free) == 5 * len(blank.protocol.questions)
    kind = {"slider": "custom", "spans": "textLength"}.get(blank.protocol.kind, "list")
    assert all(each.type == kind and each.showErrorMessage and each.error for each in lists)
    if form == "rank":
        assert {each.formula1 for each in lists} == {'"1,2,3,cannot-judge"', '"1,2,cannot-judge"'}


@pytest.mark.parametrize("form", ["grade", "relate"])
def test_a_list_of_levels_points_to_the_guidance(tmp_path: Path, form: str) -> None:
    write_workbook(tmp_path / "P03.xlsx", sheet(form, [["a"]]))
    book = openpyxl.load_workbook(tmp_path / "P03.xlsx")
    (validation,) = book["Answers"].data_validations.dataValidation
    page, area = validation.formula1.split("!")
    values = [cell.value for row in book[page][area.replace("$", "")] for cell in row]
    assert values == [*protocol(form).values, "cannot-judge"]


@pytest.mark.parametrize("form", KINDS)
def test_the_guidance_holds_the_whole_form(tmp_path: Path, form: str) -> None:
    blank = sheet(form, [["a", "b"]])
    write_workbook(tmp_path / "P03.xlsx", blank)
    cells = [
        cell.value
        for row in openpyxl.load_workbook(tmp_path / "P03.xlsx")["Guidance"]
        for cell in row
    ]
    said = "\n".join(str(cell) for cell in cells if cell is not None)
    rules = blank.protocol
    levels = [text for each in rules.levels for text in (each.brief, each.full, *each.examples)]
    questions = [question.text for question in rules.questions]
    examples = [*rules.good_examples, *rules.bad_examples]
    for text in (rules.title, *rules.guidance, *questions, *levels, *rules.conditions, *examples):
        # The context of this sheet has neither a link nor an article.
        assert (text in said) != text.startswith(("Link:", "Article:"))
    assert "link leads" not in said
    assert {"reviews", "P03"} <= set(cells)


def test_the_criteria_stand_beside_the_scale(tmp_path: Path) -> None:
    write_workbook(tmp_path / "P03.xlsx", sheet("grade", [["a"]]))
    header = openpyxl.load_workbook(tmp_path / "P03.xlsx")["Answers"]["D1"].value
    assert header.startswith("grade\n")
    assert all(level.brief in header for level in protocol("grade").levels)


def test_the_ends_of_the_ranks_stand_beside_the_scale(tmp_path: Path) -> None:
    write_workbook(tmp_path / "P03.xlsx", rankings())
    header = [cell.value for cell in openpyxl.load_workbook(tmp_path / "P03.xlsx")["Answers"][1]]
    write_csv(tmp_path / "P03.csv", sheet("rank", [["a", "b"], ["c", "d", "e"]]))
    with (tmp_path / "P03.csv").open(encoding="utf-8-sig", newline="") as stream:
        mixed = next(csv.reader(stream))
    for question in protocol("rank").questions:
        said = f"{question.name}\n{question.text}\n1 best … 4 worst"
        assert said in header
        assert f"{question.name}\n1 best … 2 or 3 worst" in mixed


def test_identical_outputs_have_rows_of_their_own_and_say_so(tmp_path: Path) -> None:
    write_workbook(tmp_path / "P03.xlsx", sheet("rank", [["same", "other", "same"]]))
    assert shown_texts(tmp_path / "P03.xlsx", "text") == ["same", "other", "same as A"]


@pytest.mark.parametrize("form", KINDS)
def test_a_workbook_names_no_target_and_no_task(form: str) -> None:
    every = parts(workbook_bytes(sheet(form, [["a", "b"], ["c", "d"]])))
    said = b"".join(every.values())
    assert b"system-" not in said
    assert b"secret-" not in said
    assert b"item-" not in said
    assert b"creator" not in said
    assert b"lastModifiedBy" not in said


def test_the_same_sheet_gives_the_same_bytes_at_any_time() -> None:
    code = (
        "import hashlib, time; time.time = lambda: float(__import__('sys').argv[1])\n"
        "from newsdesk.campaigns.sheets import workbook_bytes\n"
        "from tests.campaigns.sheet_files import rankings\n"
        "print(hashlib.sha256(workbook_bytes(rankings())).hexdigest())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code, clock],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
            cwd=Path(__file__).resolve().parents[2],
        ).stdout
        for clock, seed, zone in (("1e9", "1", "UTC"), ("1.5e9", "2", "Asia/Tokyo"))
    }
    assert len(printed) == 1
    data = workbook_bytes(rankings())
    assert f"{time.gmtime().tm_year}-".encode() not in parts(data)["docProps/core.xml"]


@pytest.mark.parametrize(
    "ranks",
    [(3, 1, 1, 2), (4, 1, 1, 3), (4, 1.5, 1.5, 3), (1, 1, 1, 1), ("2.0", "2", " 1 ", "1,5")],
    ids=["dense", "competition", "fractional", "all equal", "as text"],
)
def test_ranks_of_every_fashion_are_taken_as_given(
    tmp_path: Path, ranks: tuple[object, ...]
) -> None:
    blank = rankings(1)
    write_workbook(tmp_path / "P03.xlsx", blank)
    names = [question.name for question in blank.protocol.questions]
    fill(
        tmp_path / "P03.xlsx",
        blank,
        {(0, place, name): rank for name in names for place, rank in enumerate(ranks)},
    )
    (task,) = check(read_workbook(tmp_path / "P03.xlsx"), blank).answers
    values = [task.answers[target, "overall"] for target in blank.rows[0].order]
    assert values == [float(str(rank).replace(",", ".")) for rank in ranks]
    assert all(isinstance(value, int) == (value == int(value)) for value in values)


def test_every_row_may_have_another_number_of_outputs(tmp_path: Path) -> None:
    blank = sheet("rank", [["a", "b"], ["c", "d", "e"], ["f", "g"]])
    write_workbook(tmp_path / "P03.xlsx", blank)
    names = [question.name for question in blank.protocol.questions]
    ranks = {(1, place, name): place + 1 for name in names for place in range(3)}
    fill(tmp_path / "P03.xlsx", blank, ranks)
    returned = check(read_workbook(tmp_path / "P03.xlsx"), blank)
    assert [each.task for each in returned.answers] == ["secret-1"]
    assert returned.faults == ()


def test_a_sheet_that_got_further_tasks_since_still_reads_what_was_sent(tmp_path: Path) -> None:
    blank = sheet("grade", [["a"], ["x" * 40_000]])
    write_workbook(tmp_path / "P03.xlsx", blank)
    fill(tmp_path / "P03.xlsx", blank, {(0, 0, "grade"): 4, (1, 0, "grade"): 2})
    further = SheetRow(Task("new", "new", (Target("x", "c"),), (("url", "u"),)), ("x",))
    later = replace(blank, rows=(further, *blank.rows))
    returned = check(read_workbook(tmp_path / "P03.xlsx"), later)
    assert [(each.task, each.row) for each in returned.answers] == [
        ("secret-0", 2),
        ("secret-1", 3),
    ]
    assert returned.faults == ()


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "'quoted'"])
def test_text_that_looks_like_a_formula_stays_text_when_it_is_edited(
    tmp_path: Path, text: str
) -> None:
    write_workbook(tmp_path / "P03.xlsx", sheet("relate", [[text], ["plain"]]))
    page = openpyxl.load_workbook(tmp_path / "P03.xlsx")["Answers"]
    assert (page["C2"].quotePrefix, page["C3"].quotePrefix) == (True, False)


def test_an_existing_file_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    write_workbook(tmp_path / "P03.xlsx", rankings())
    with pytest.raises(FileError, match="exists already"):
        write_workbook(tmp_path / "P03.xlsx", rankings(), overwrite=False)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"annotator": "two\nlines"}, "not a name of one line"),
        ({"campaign": " "}, "not a name of one line"),
        ({"rows": rankings().rows * 2}, "'secret-0' is twice"),
    ],
)
def test_a_sheet_that_could_not_be_read_back_is_refused(
    change: dict[str, object], reason: str
) -> None:
    with pytest.raises(ArgumentError, match=reason):
        replace(rankings(), **change)  # type: ignore[arg-type]


def test_a_workbook_too_large_to_be_read_back_is_not_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("newsdesk.campaigns.sheets.write.MAX_BYTES", 2**10)
    with pytest.raises(ArgumentError, match="give one annotator fewer tasks"):
        workbook_bytes(rankings())


def test_an_order_names_every_target_once() -> None:
    task = rankings().rows[0].task
    with pytest.raises(ArgumentError, match="does not name its targets"):
        SheetRow(task, ("system-0", "system-0", "system-1", "system-2"))


def test_a_ranking_takes_at_least_two_outputs() -> None:
    with pytest.raises(ArgumentError, match="has 1 output;"):
        sheet("rank", [["alone"]])


def test_without_openpyxl_csv_works_and_workbooks_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    write_csv(tmp_path / "P03.csv", rankings())
    assert check(read_csv(tmp_path / "P03.csv"), rankings()).faults == ()
    with pytest.raises(MissingExtraError, match=r"newsdesk\[campaigns\]"):
        write_workbook(tmp_path / "P03.xlsx", rankings())


def test_checking_a_workbook_costs_little_beside_unpacking_it(tmp_path: Path) -> None:
    blank, path = rankings(500), tmp_path / "P03.xlsx"
    write_workbook(path, blank)

    def unpack() -> None:
        book = openpyxl.load_workbook(path, read_only=True)
        for page in book:
            for _ in page.iter_rows(values_only=True):
                pass
        book.close()

    def seconds(work: Callable[[], object]) -> float:
        started = time.process_time()
        work()
        return time.process_time() - started

    unpacked = min(seconds(unpack) for _ in range(2))
    # 1.1 × where it was measured; `bench/sheets.py` holds 5,000 rows to a time.
    assert seconds(lambda: check(read_workbook(path), blank)) < 5 * unpacked


@pytest.mark.real
def test_real_rankings_come_back_as_given(shared_data: Path, tmp_path: Path) -> None:
    with (shared_data / "gec_ranking" / "rankings.jsonl").open(encoding="utf-8") as lines:
        rankings_of = defaultdict(list)
        for line in lines:
            record = json.loads(line)
            rankings_of[record["annotator"]].append(record)
    form = replace(protocol("rank"), questions=protocol("rank").questions[2:])
    count = 0
    for annotator, records in rankings_of.items():
        rows, ranks = [], {}
        for number, record in enumerate(records):
            names = tuple(name for name, _ in record["ranks"])
            targets = tuple(Target(name, f"output of {name}") for name in names)
            rows.append(
                SheetRow(Task(f"{record['item']}/{number}", record["item"], targets), names)
            )
            for place, (_, rank) in enumerate(record["ranks"]):
                ranks[number, place, "overall"] = rank
        blank = Sheet("gec", annotator, form, tuple(rows), b"key")
        path = tmp_path / f"{annotator}.xlsx"
        write_workbook(path, blank)
        fill(path, blank, ranks)
        returned = check(read_workbook(path), blank)
        assert returned.faults == ()
        assert {each.task: each.answers for each in returned.answers} == expected(blank, ranks)
        count += len(returned.answers)
    assert count == 706
