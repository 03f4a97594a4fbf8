"""Wide tables of anybody: outputs in columns named after systems, and ranks beside them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from newsdesk.campaigns import Store, TaskFiles, import_files, sheets_of, tasks_from_files
from newsdesk.campaigns.sheets import parse_systems, read_csv, wide_outputs, write_csv
from newsdesk.cli.main import main
from newsdesk.errors import ArgumentError, DataError
from newsdesk.types import Output
from tests.campaigns.office import NoOfficeError, convert
from tests.campaigns.sheet_files import rankings
from tests.campaigns.worlds import AT, GRADE, LATER, RANK
from tests.published import GUIDE_RANKS, GUIDE_SYSTEMS, guide_workbook

QUESTIONS = ("informative", "coherent", "overall")
OUTPUTS = [
    {"id": "1", "url": "https://news.example/1", "reference": "It sank.", "lead": "A ferry.", "textrank": "It sank. All lived."},
    {"id": "2", "url": "https://news.example/2", "reference": "It rose.", "lead": "A price.", "textrank": "It rose. None lost."},
]  # fmt: skip
Table = Sequence[Mapping[str, object]]


def write(path: Path, rows: Table, delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def ranked(annotator: str = "ann", /, **changed: object) -> list[dict[str, object]]:
    """The ranks of both items, lead before textrank, without texts; `changed` in the first row."""
    ranks = {
        f"{question} {system}": rank
        for question in QUESTIONS
        for rank, system in enumerate(("lead", "textrank"), 1)
    }
    rows = [{"id": row["id"], "annotator": annotator, **ranks} for row in OUTPUTS]
    rows[0] |= {name.replace("_", " "): value for name, value in changed.items()}
    return rows


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    files = TaskFiles(outputs=[write(tmp_path / "outputs.csv", OUTPUTS)])
    tasks = tasks_from_files(RANK, files)
    opened.create("c", RANK, tasks, ["ann", "ben"], per_item=2, seed=0)
    return opened


def faults(store: Store, path: Path, **settings: object) -> tuple[str, ...]:
    (result,) = import_files(store, "c", [path], at=AT, **settings)  # type: ignore[arg-type]
    return result.faults


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_columns_named_after_systems_are_outputs_beside_their_reference(
    tmp_path: Path, delimiter: str
) -> None:
    path = write(tmp_path / "outputs.csv", OUTPUTS, delimiter)
    tasks = tasks_from_files(RANK, TaskFiles(outputs=[path]))
    assert [(task.item, task.context) for task in tasks] == [
        ("1", (("url", "https://news.example/1"), ("reference", "It sank."))),
        ("2", (("url", "https://news.example/2"), ("reference", "It rose."))),
    ]
    assert {target.id: target.text for target in tasks[0].targets} == {
        "lead": "A ferry.", "textrank": "It sank. All lived.",
    }  # fmt: skip


def test_columns_of_ranks_are_no_outputs_and_the_url_stands_for_an_id(tmp_path: Path) -> None:
    path = guide_workbook(tmp_path, ["ann"])["ann"]
    tasks = tasks_from_files(RANK, TaskFiles(outputs=[path]))
    assert [task.item for task in tasks][:2] == ["https://news.example/1", "https://news.example/2"]
    assert [target.id for target in tasks[0].targets] == ["A", "B", "C", "D"]
    assert tasks[0].same_as == {"C": "B"}


def test_columns_may_be_chosen_and_stand_for_systems_of_other_names(tmp_path: Path) -> None:
    path = write(tmp_path / "outputs.csv", [{**row, "date": "2031-03-05"} for row in OUTPUTS])
    outputs, _ = wide_outputs(read_csv(path, foreign=True), RANK, parse_systems("lead=x,textrank"))
    assert outputs[:2] == [
        Output("1", "x", "A ferry."),
        Output("1", "textrank", "It sank. All lived."),
    ]


def test_an_empty_output_is_left_out_and_further_references_are_read(tmp_path: Path) -> None:
    rows = [{**row, "Reference_2": "More.", "third": text} for row, text in zip(OUTPUTS, ("", "X."), strict=True)]  # fmt: skip
    outputs, references = wide_outputs(
        read_csv(write(tmp_path / "w.csv", rows), foreign=True), RANK
    )
    assert [output.system for output in outputs] == [
        "lead",
        "textrank",
        "lead",
        "textrank",
        "third",
    ]
    assert [each.text for each in references[0].references] == ["It sank.", "More."]


def test_a_csv_file_of_records_is_still_one(tmp_path: Path) -> None:
    rows = [{"id": "1", "system": system, "text": f"By {system}."} for system in ("x", "y")]
    path = write(tmp_path / "records.csv", rows)
    references = write(tmp_path / "outputs.csv", [{"id": "1", "text": "It sank."}])
    tasks = tasks_from_files(RANK, TaskFiles(outputs=[path], references=references))
    assert [target.id for target in tasks[0].targets] == ["x", "y"]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"no": 1, "lead": "x"}], "no column is called 'id', 'item' or 'url'"),
        ([{"id": 1, "lead": "x", "b": "y"}], "the column 'reference' is missing; add it, or name"),
        ([{"id": 1, "reference": "r", "lead": "x", "Lead": "y"}], "the column 'lead' is there twice"),
        ([{"id": "", "reference": "r", "a": "x", "b": "y"}], "row 2 has outputs, but no 'id'"),
        ([{"id": 1, "reference": "", "a": "x", "b": "y"}], "row 2 has no reference"),
        ([{"id": 1, "reference": "r", "a": "x", "b": "y"}] * 2, "rows 2 and 3 are both about '1'"),
        ([{"id": 1, "reference": "r", "a": "", "b": ""}], "no row of the table has an output"),
        ([{"id": 1, "reference": "r", "a": "x"}], "item '1' has 1 output; ranking takes 2 to 8"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_a_campaign_says_why_in_one_sentence(
    tmp_path: Path, rows: Table, reason: str
) -> None:
    path = write(tmp_path / "wide.csv", rows)
    with pytest.raises((ArgumentError, DataError), match=reason):
        tasks_from_files(RANK, TaskFiles(outputs=[path]))


def test_a_blinded_sheet_is_no_table_of_outputs(tmp_path: Path) -> None:
    write_csv(tmp_path / "P03.csv", rankings())
    with pytest.raises(DataError, match="a blinded sheet of campaign 'reviews', whose letters"):
        tasks_from_files(RANK, TaskFiles(outputs=[tmp_path / "P03.csv"]))


def test_a_blinded_sheet_that_lost_its_tasks_is_never_read_by_its_letters(
    store: Store, tmp_path: Path
) -> None:
    write_csv(tmp_path / "ann.csv", replace(sheets_of(store, "c")["ann"], layout="guide"))
    with (tmp_path / "ann.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = [[cell.split("\n")[0] for cell in row] for row in csv.reader(stream)]
    lost = [
        [cell for cell, name in zip(row, rows[0], strict=True) if name != "task"] for row in rows
    ]
    with (tmp_path / "ann.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(lost)
    with pytest.raises(DataError, match="a blinded sheet without its column of tasks"):
        faults(store, tmp_path / "ann.csv", systems={"A": "lead", "B": "textrank"}, annotator="ann")


def test_a_workbook_with_two_tables_is_refused(tmp_path: Path) -> None:
    path = guide_workbook(tmp_path, ["ann"])["ann"]
    book = openpyxl.load_workbook(path)
    book.copy_worksheet(book.active).title = "ben"
    book.save(path)
    with pytest.raises(DataError, match="the sheets 'Sheet' and 'ben' are all tables; keep one"):
        tasks_from_files(RANK, TaskFiles(outputs=[path]))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A=lead,B=lead", "the columns 'A' and 'B' both stand for 'lead'"),
        ("A=lead,A=textrank", "the column 'A' is named twice"),
        ("A=", "'A=' is not COLUMN or COLUMN=SYSTEM, as in A=lead"),
        ("A,,B", "'' is not COLUMN or COLUMN=SYSTEM"),
    ],
)
def test_systems_that_cannot_be_meant_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ArgumentError, match=reason):
        parse_systems(text)


def test_ranks_of_a_table_are_judgments_and_idempotent(store: Store, tmp_path: Path) -> None:
    path = write(tmp_path / "ranks.csv", [*ranked("ann"), *ranked("ben")])
    (result,) = import_files(store, "c", [path], at=AT)
    assert (result.new, result.faults) == (24, ())
    values = {(each.item, each.target, each.question, each.value) for each in store.judgments("c")}
    assert values == {
        (item, system, question, rank)
        for item in "12"
        for question in QUESTIONS
        for rank, system in enumerate(("lead", "textrank"), 1)
    }
    (again,) = import_files(store, "c", [path], at=LATER)
    assert (again.new, again.corrected, again.unchanged) == (0, 0, 24)


def test_names_of_columns_may_be_spelled_as_people_do(store: Store, tmp_path: Path) -> None:
    words = {
        "informative": "Informativeness",
        "coherent": "Coherence ranking",
        "overall": "OVERALL",
    }
    rows: list[dict[str, object]] = []
    for number, row in enumerate(OUTPUTS, 1):
        ranks = {f"{words[question]}_A": 2 for question in QUESTIONS}
        ranks |= {f"B: {words[question]}": 1 for question in QUESTIONS}
        rows.append({"URL": row["url"], "notes": f"note {number}", **ranks})
    path = write(tmp_path / "ranks.csv", rows)
    systems = {"A": "lead", "B": "textrank"}
    assert faults(store, path, systems=systems, annotator="ben") == ()
    assert {(each.target, each.value) for each in store.judgments("c")} == {("lead", 2), ("textrank", 1)}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"overall_lead": 3}, "row 2, column G (overall lead): 3 is not a rank from 1 to 2"),
        ({"overall_lead": ""}, "row 2, column G (overall lead): no answer here, though the task has others"),
        ({"id": "9"}, "row 2, column A (id): '9' is not an item of campaign 'c'"),
        ({"id": "2"}, "row 3, column A (id): repeats row 2, which is the one that counts"),
        ({"annotator": ""}, "row 2, column B (annotator): the row does not say who judged"),
    ],
)  # fmt: skip
def test_a_fault_of_a_row_is_one_sentence_and_the_others_are_stored(
    store: Store, tmp_path: Path, changed: dict[str, object], fault: str
) -> None:
    path = write(tmp_path / "ranks.csv", ranked(**changed))
    assert faults(store, path) == (f"sheet ranks.csv, {fault}",)
    assert store.status("c").judgments == 6


def test_a_text_of_another_system_is_a_fault(store: Store, tmp_path: Path) -> None:
    rows = [{**row, **ranks} for row, ranks in zip(OUTPUTS, ranked(), strict=True)]
    swapped = [{**row, "lead": row["textrank"]} for row in rows]
    path = write(tmp_path / "ranks.csv", [rows[0], swapped[1]])
    (fault,) = faults(store, path)
    assert fault.endswith(
        "row 3, column D (lead): another text than that of 'lead' in campaign 'c'"
    )
    assert store.status("c").judgments == 6


@pytest.mark.parametrize(
    ("table", "settings", "reason"),
    [
        ([{k: v for k, v in row.items() if "textrank" not in k} for row in ranked()], {}, "no column ranks 'textrank' as informative"),
        ([{k: v for k, v in row.items() if k != "coherent lead"} for row in ranked()], {}, "no column ranks 'lead' as coherent"),
        ([{"id": "1", "annotator": "ann"}], {}, "no column holds ranks: call them .* as in 'overall lead'"),
        (ranked(), {"systems": {"lead": "lead", "textrank": "centroid"}}, "no output of campaign 'c' is by 'centroid'; there are: lead, textrank"),
        (ranked(overall_E=3), {}, "the column 'overall E' holds ranks of no system of campaign 'c'"),
        (ranked(lead_overall=1), {}, "the columns 'overall lead' and 'lead overall' both hold ranks of 'lead' as overall"),
        ([{k: v for k, v in row.items() if k != "annotator"} for row in ranked()], {}, "nothing says who judged: add a column 'annotator'"),
    ],
)  # fmt: skip
def test_a_table_whose_columns_do_not_fit_is_refused_in_one_sentence(
    store: Store,
    tmp_path: Path,
    table: list[dict[str, object]],
    settings: dict[str, object],
    reason: str,
) -> None:
    names = list(dict.fromkeys(name for row in table for name in row))
    path = write(
        tmp_path / "ranks.csv", [{name: row.get(name, "") for name in names} for row in table]
    )
    with pytest.raises(DataError, match=reason):
        faults(store, path, **settings)
    assert store.status("c").judgments == 0


def test_ranks_are_refused_by_a_campaign_of_grades(store: Store, tmp_path: Path) -> None:
    tasks = tasks_from_files(RANK, TaskFiles(outputs=[tmp_path / "outputs.csv"]))
    store.create("g", GRADE, tasks, ["ann"], per_item=1, seed=0)
    with pytest.raises(
        DataError, match="a wide table holds ranks, and the protocol 'grade' has none"
    ):
        import_files(store, "g", [write(tmp_path / "ranks.csv", ranked())], at=AT)


def test_whoever_was_not_asked_is_rejected_by_name(store: Store, tmp_path: Path) -> None:
    reasons = faults(store, write(tmp_path / "ranks.csv", ranked("zoe")))
    assert len(reasons) == 2
    assert all("'zoe'" in reason for reason in reasons)


def test_the_published_workbooks_become_a_campaign_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = guide_workbook(tmp_path)
    named = ["--systems", GUIDE_SYSTEMS]
    new = ["campaign", "new", "guide", "guide-ann.xlsx", "--protocol", "rank", *named]
    assert main([*new, "--annotators", "ann,ben"]) == 0
    for name, file in files.items():
        assert main(["campaign", "import", "guide", file.name, *named, "--annotator", name]) == 0
        assert capsys.readouterr().out == f"{file.name}: 72 new, 0 corrected, 0 unchanged\n"
    systems = parse_systems(GUIDE_SYSTEMS)
    with Store.open("sqlite:///newsdesk.db") as store:
        ranks = {(each.target, each.value) for each in store.judgments("guide")}
    assert ranks == {(systems[letter], rank) for letter, rank in GUIDE_RANKS.items()}
    assert main(["campaign", "report", "guide", "-o", "guide.html"]) == 0
    assert "centroid" in (tmp_path / "guide.html").read_text(encoding="utf-8")


def test_a_workbook_that_libreoffice_saved_is_read_as_it_was(tmp_path: Path) -> None:
    path = guide_workbook(tmp_path, ["ann"])["ann"]
    folder = tmp_path / "saved"
    folder.mkdir()
    try:
        convert([path], "xlsx:Calc MS Excel 2007 XML", folder)
    except NoOfficeError as reason:
        pytest.skip(f"NOTHING IS TESTED WITH LIBREOFFICE: {reason}")
    sent, saved = (
        tasks_from_files(RANK, TaskFiles(outputs=[file])) for file in (path, folder / path.name)
    )
    assert sent == saved


def test_a_strangers_table_becomes_blinded_sheets_judgments_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "outputs.csv", OUTPUTS, ";")
    new = ["campaign", "new", "c", "outputs.csv", "--protocol", "rank", "--annotators", "ann,ben"]
    assert main(new) == 0
    assert "columns taken for systems: lead, textrank; if others" in capsys.readouterr().err
    assert main(["campaign", "sheets", "c", "-o", "sheets", "--layout", "guide", "--csv"]) == 0
    for name in ("ann", "ben"):
        path = tmp_path / "sheets" / f"{name}.csv"
        with path.open(encoding="utf-8-sig", newline="") as stream:
            header, *rows = csv.reader(stream)
        assert not {"lead", "textrank"} & set(" ".join(header).split())
        names = [each.split("\n")[0] for each in header]
        for row in rows:
            for letter in "AB":
                best = len(row[names.index(letter)]) > 10  # the texts of textrank
                for question in QUESTIONS:
                    row[names.index(f"{question} {letter}")] = "1" if best else "2"
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
    assert main(["campaign", "import", "c", "sheets/ann.csv", "sheets/ben.csv"]) == 0
    with Store.open("sqlite:///newsdesk.db") as store:
        values = {(each.target, each.value) for each in store.judgments("c")}
    assert values == {("textrank", 1), ("lead", 2)}
    assert main(["campaign", "report", "c", "-o", "c.html"]) == 0
    assert "textrank" in (tmp_path / "c.html").read_text(encoding="utf-8")
