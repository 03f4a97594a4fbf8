"""Human scores in the shapes that people have: one row per output, several judges, long rows, systems per document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records
from newsdesk.errors import ArgumentError, DataError
from newsdesk.studies.correlate.inputs import CorrelateFiles, human_scores, read_inputs
from newsdesk.studies.correlate.readers import is_rated, read_rated
from newsdesk.types import Judgment


def written(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def test_a_csv_has_a_column_per_question_and_a_row_per_judge(tmp_path: Path) -> None:
    path = tmp_path / "human.csv"
    path.write_text(
        "id,system,judge,fluency,note\n1,a,x,4,good\n1,a,y,5,\n1,b,x,,bad\n2,a,x,2,\n", "utf-8"
    )
    table = read_rated(str(path))
    (fluency,) = table.human()
    assert fluency.question == "fluency"
    assert fluency.values == {("1", "a"): (4.0, 5.0), ("2", "a"): (2.0,)}
    assert fluency.means["1", "a"] == 4.5
    assert table.ignored == {"note": 2}


@pytest.mark.parametrize("first", ["", "sep=;\r\n"])
def test_a_csv_from_a_spreadsheet_has_semicolons_decimal_commas_and_a_byte_order_mark(
    first: str, tmp_path: Path
) -> None:
    path = tmp_path / "human.csv"
    text = f"{first}ID;System ;fluency;grade\r\n1,5;a;4,5;3\r\n1,5;b;-2,25;4\r\n;;;\r\n"
    path.write_text(text, "utf-8-sig")
    fluency, grade = read_rated(str(path)).human()
    assert fluency.values == {("1,5", "a"): (4.5,), ("1,5", "b"): (-2.25,)}
    assert grade.values["1,5", "b"] == (4.0,)
    path.write_text("id;system;q\n1;a;2;3\n", "utf-8")
    with pytest.raises(DataError, match=r"human\.csv:2: more cells than the header has"):
        read_rated(str(path))


def test_a_comma_between_cells_is_no_decimal_comma(tmp_path: Path) -> None:
    path = tmp_path / "human.csv"
    path.write_text('id,system,q\n1,a,"3,5"\n', "utf-8")
    with pytest.raises(DataError, match="no column holds scores"):
        read_rated(str(path))


def test_rows_that_repeat_an_output_are_told_unless_a_column_names_judges(tmp_path: Path) -> None:
    path = tmp_path / "human.csv"
    path.write_text("id,q\n1,4\n1,5\n2,3\n", "utf-8")
    (note,) = read_inputs(CorrelateFiles(human=str(path))).notes
    assert "1 row repeats an output and counts as a further judge; no column names systems" in note
    path.write_text("id,system,judge,q\n1,a,x,4\n1,a,y,5\n", "utf-8")
    assert read_inputs(CorrelateFiles(human=str(path))).notes == []


def test_a_cell_that_is_no_number_in_a_column_of_numbers_is_named_with_its_line(
    tmp_path: Path,
) -> None:
    path = tmp_path / "human.csv"
    path.write_text("id,system,fluency\n1,a,4\n1,b,3\n2,a,four\n2,b,1\n", "utf-8")
    with pytest.raises(DataError, match=r"human.csv:4: `fluency` is not a number"):
        read_rated(str(path))


def test_systems_per_document_with_their_scores(tmp_path: Path) -> None:
    path = written(
        tmp_path / "docs.jsonl",
        [
            {
                "doc_id": 7,
                "src": "x",
                "ref_summ": "r",
                "sys_summs": {
                    "a": {"sys_summ": "t", "scores": {"q": 1}},
                    "b": {"sys_summ": "u", "scores": {"q": 2}},
                },
            }
        ],
    )
    assert is_rated(path)
    table = read_rated(path)
    assert [(o.id, o.system, o.text) for o in table.texts()] == [("7", "a", "t"), ("7", "b", "u")]
    assert table.references()[0].references[0].text == "r"
    assert table.human()[0].values == {("7", "a"): (1.0,), ("7", "b"): (2.0,)}


def test_lists_of_systems_per_document_as_in_summeval(tmp_path: Path) -> None:
    row = {
        "id": "d",
        "text": "article",
        "machine_summaries": ["s", "t"],
        "human_summaries": ["r1", "r2"],
        "coherence": [1.5, 4],
        "fluency": [2, 3],
    }
    table = read_rated(written(tmp_path / "summeval.jsonl", [row]))
    assert [(o.system, o.text) for o in table.texts()] == [("system 1", "s"), ("system 2", "t")]
    assert len(table.references()[0].references) == 2
    assert [h.question for h in table.human()] == ["coherence", "fluency"]
    assert table.human()[0].values["d", "system 2"] == (4.0,)


def test_rows_with_lists_of_expert_annotations(tmp_path: Path) -> None:
    row = {
        "id": "d",
        "model_id": "M1",
        "decoded": "s",
        "references": ["r"],
        "expert_annotations": [{"coherence": 1}, {"coherence": 3}],
        "turker_annotations": [{"coherence": 5}],
    }
    table = read_rated(written(tmp_path / "rows.jsonl", [row]))
    assert {h.question: h.values["d", "M1"] for h in table.human()} == {
        "coherence": (1.0, 3.0),
        "coherence (turker)": (5.0,),
    }


def test_a_json_list_and_long_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    path.write_text(
        json.dumps(
            [
                {"id": "1", "system": "a", "metric": "m", "value": 0.5},
                {"id": "1", "system": "a", "metric": "n", "value": 2},
            ]
        ),
        "utf-8",
    )
    scores = read_rated(str(path)).metrics("values.json")
    assert [(m.name, m.values) for m in scores] == [
        ("m", {("1", "a"): 0.5}),
        ("n", {("1", "a"): 2.0}),
    ]
    assert scores[0].signature == "m|values:values.json"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no rows"),
        ('{"system": "a", "q": 1}\n', "no id"),
        ('{"id": "1", "q": "x"}\n', "no column holds scores"),
    ],
)
def test_a_table_that_cannot_be_used_says_why(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "human.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=said):
        read_rated(str(path))


def test_of_judgments_the_last_row_counts_and_controls_do_not() -> None:
    def judged(value: Any, annotator: str, **more: Any) -> Judgment:
        return Judgment("c", "t", "i", "s", "grade", value, annotator, **more)

    (grade,) = human_scores(
        [
            judged(1, "ann"),
            judged(4, "ann"),
            judged(2, "ben"),
            judged(5, "cy", control=True),
            judged("cannot-judge", "dan"),
        ]
    )
    assert grade.values == {("i", "s"): (4.0, 2.0)}


@pytest.mark.parametrize(
    ("file", "outputs", "questions"),
    [
        (
            "human_judgments/Newsroom.jsonl",
            420,
            {"coherence", "fluency", "informativeness", "relevance"},
        ),
        ("multirefeval/rated_contexts.jsonl", 200, {"rating"}),
        ("grade_dialog_human", 1200, {"ratings"}),
    ],
)
def test_other_public_tables_are_read(
    shared_data: Path, file: str, outputs: int, questions: set[str]
) -> None:
    path = shared_data / file
    path = next(path.glob("*.jsonl")) if path.is_dir() else path
    table = read_rated(str(path))
    assert len(table.texts()) == outputs
    assert {h.question for h in table.human()} == questions


def test_a_workbook_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "human.xlsx"
    path.write_bytes(b"PK")
    with pytest.raises(DataError, match="a workbook; save its sheet as CSV"):
        read_rated(str(path))


GUIDE = {"A": 3, "B": 1, "C": 1, "D": 2}  # the guide for evaluators: ranks with a tie


def ranks_csv(path: Path, *, judges: bool = False) -> str:
    rows = ["id,system,judge,overall" if judges else "id,system,overall"]
    for item in range(12):
        for judge in ("ann", "ben") if judges else ("",):
            for system, rank in GUIDE.items():
                named = f"{judge}," if judges else ""
                rows.append(f"{item},{system},{named}{rank}")
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return str(path)


@pytest.mark.parametrize("judges", [False, True])
def test_ranks_of_a_table_are_read_with_one_as_the_best(tmp_path: Path, *, judges: bool) -> None:
    path = ranks_csv(tmp_path / "ranks.csv", judges=judges)
    inputs = read_inputs(CorrelateFiles(human=path, protocol="rank"))
    (overall,) = inputs.human
    assert len(overall.values["0", "A"]) == (2 if judges else 1)
    means = {system: overall.means["0", system] for system in GUIDE}
    assert means == {"A": 0.0, "B": 5 / 6, "C": 5 / 6, "D": 1 / 3}
    assert len(inputs.judgments) == len(GUIDE) * 12 * (2 if judges else 1)


def test_a_ranking_is_of_one_judge_whatever_the_order_of_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "ranks.csv"
    path.write_text("id,system,judge,q\n1,a,x,1\n1,a,y,2\n1,b,y,1\n1,b,x,2\n", "utf-8")
    (ranked,) = read_inputs(CorrelateFiles(human=str(path), protocol="rank")).human
    assert ranked.values == {("1", "a"): (1.0, 0.0), ("1", "b"): (0.0, 1.0)}


def test_a_column_that_looks_like_ranks_is_asked_about(tmp_path: Path) -> None:
    path = ranks_csv(tmp_path / "ranks.csv")
    asked = "'overall' looks like ranks; say what it is: --protocol rank if 1 is best"
    with pytest.raises(ArgumentError, match=asked):
        read_inputs(CorrelateFiles(human=path))
    (overall,) = read_inputs(CorrelateFiles(human=path, protocol="grade")).human
    assert overall.means["0", "A"] == 3.0


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ("1 2 3 1 1 2", True),
        ("1 2 3 3 3 2", False),  # an item without a 1
        ("1 2 4 1 3 2", False),  # more than there are systems
        ("1 2 2.5 1 3 2", False),  # no whole number
        ("0 1 1 0 1 0", False),  # votes
        ("1 1 1 1 1 1", False),  # nothing is ranked
    ],
)
def test_whole_numbers_from_one_to_the_number_of_systems_look_like_ranks(
    tmp_path: Path, values: str, *, asked: bool
) -> None:
    path = tmp_path / "human.csv"
    outputs = [f"{item},{system}" for item in "12" for system in "abc"]
    rows = [f"{output},{value}" for output, value in zip(outputs, values.split(), strict=True)]
    path.write_text("\n".join(["id,system,q", *rows]) + "\n", "utf-8")
    if asked:
        with pytest.raises(ArgumentError, match="looks like ranks"):
            read_inputs(CorrelateFiles(human=str(path)))
    else:
        assert len(read_inputs(CorrelateFiles(human=str(path))).human) == 1


def test_mean_ranks_are_known_by_the_name_of_their_column(tmp_path: Path) -> None:
    path = tmp_path / "human.csv"
    path.write_text("id,system,mean_rank,grade\n1,a,2.5,4\n1,b,1.5,5\n", "utf-8")
    with pytest.raises(ArgumentError, match="'mean_rank' looks like ranks"):
        read_inputs(CorrelateFiles(human=str(path)))
    (grade,) = read_inputs(CorrelateFiles(human=str(path)), questions=["grade"]).human
    assert grade.means["1", "b"] == 5.0
    files = CorrelateFiles(human=str(path), protocol="rank")
    (rank,) = read_inputs(files, questions=["mean_rank"]).human
    assert rank.means == {("1", "a"): 0.0, ("1", "b"): 1.0}


def test_ranks_below_one_and_protocols_of_labels_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "human.csv"
    path.write_text("id,system,q\n1,a,0\n1,b,1\n", "utf-8")
    with pytest.raises(DataError, match="'q' of item '1', system 'a', is 0, and ranks count from"):
        read_inputs(CorrelateFiles(human=str(path), protocol="rank"))
    with pytest.raises(ArgumentError, match="'relate' asks for labels"):
        read_inputs(CorrelateFiles(human=str(path), protocol="relate"))


def test_judgments_that_look_like_ranks_are_asked_about(tmp_path: Path) -> None:
    judged = [
        Judgment("c", item, item, system, "overall", rank, "ann")
        for item in "12"
        for system, rank in GUIDE.items()
    ]
    path = tmp_path / "judgments.jsonl"
    records.write(path, judged)
    with pytest.raises(ArgumentError, match="'overall' looks like ranks"):
        read_inputs(CorrelateFiles(judgments=str(path)))
