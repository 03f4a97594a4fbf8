"""The report of a study: results recognised by content, the verdict first, the same bytes, and commands that can be pasted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records, samples
from newsdesk.errors import DataError, NewsdeskError
from newsdesk.metrics.systems import compare_systems, join, score_systems
from newsdesk.results.scores import score_rows
from newsdesk.results.verdict import SystemDifference, SystemValue, leader_verdict
from newsdesk.studies.report import read_report, result_page
from newsdesk.studies.table5 import table5
from newsdesk.studies.table5_result import table5_json
from newsdesk.types import Reference, References

METRICS = ["rouge-1", "rouge-2"]


def scores() -> dict[str, object]:
    known = [References(e.id, (Reference(e.summary),)) for e in samples.events()]
    systems = join(samples.outputs(), known)
    results = score_systems(systems, METRICS, samples=50, seed=1)
    tests = compare_systems(systems, METRICS, samples=50, seed=1)
    return {
        "scores": list(score_rows(results)),
        "comparisons": [each.as_json() for each in tests],
    }


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    (folder / "scores.json").write_text(json.dumps(scores()))
    evaluation = table5(samples.clusters(), ["lead", "centroid", "oracle-multi"], samples=30)
    (folder / "methods.json").write_text(json.dumps(table5_json(evaluation, "lead")))
    records.write(folder / "threads.jsonl", samples.threads("en"))
    (folder / "other.json").write_text('{"who": "knows"}')
    (folder / "run.sh").write_text(
        "newsdesk score outputs.jsonl --references scores.json\n"
        "newsdesk score outputs.jsonl --references r.jsonl \\\n  --metrics rouge-1,rouge-2 --json > scores.json\n"
    )
    return folder


def test_a_folder_becomes_one_page_that_fetches_nothing(study: Path) -> None:
    report = read_report([study])
    html = report.html("A study")
    assert [each.section.title for each in report.chapters] == [
        "Summarizers",
        "Scores",
        "Example comments",
    ]
    assert report.unused == ("other.json",)
    assert not re.search(r"(src|href)=\"(?!#)|url\(\"?h|@import", html)
    assert len(html) < 2_000_000


def test_two_reports_of_the_same_results_differ_in_the_date_line_alone(study: Path) -> None:
    one = read_report([study]).html("A study", date="Written 2031-03-03.").splitlines()
    two = read_report([study]).html("A study", date="Written 2031-03-04.").splitlines()
    assert [(a, b) for a, b in zip(one, two, strict=True) if a != b] == [
        ('<p class="date">Written 2031-03-03.</p>', '<p class="date">Written 2031-03-04.</p>')
    ]


def test_the_verdict_comes_first_and_pictures_before_tables(study: Path) -> None:
    html = read_report([study]).html("A study")
    assert html.index('class="verdict"') < html.index("<nav") < html.index("<svg")
    for section in html.split("<section ")[1:]:
        assert section.index("<svg") < section.index("<table")


def test_the_command_is_the_line_that_wrote_the_file_else_rebuilt_from_the_result(
    study: Path,
) -> None:
    html = read_report([study]).html("A study")
    assert "newsdesk score outputs.jsonl --references r.jsonl --metrics rouge-1" in html
    assert "--references scores.json" not in html
    assert "newsdesk study table5 CLUSTERS --methods" in html
    alone = study.parent / "alone"
    alone.mkdir(exist_ok=True)
    (alone / "s.json").write_bytes((study / "scores.json").read_bytes())
    rebuilt = read_report([alone / "s.json"]).chapters[0].verdict.command
    assert rebuilt.startswith("newsdesk score OUTPUTS --references REFERENCES --metrics rouge-1")
    assert "--ci --significance" in rebuilt and rebuilt.endswith("--json")


def test_every_table_is_written_in_three_forms(study: Path, tmp_path: Path) -> None:
    report = read_report([study])
    files = report.write_tables(tmp_path / "tables")
    assert len(files) == 3 * len(list(report.tables)) > 9
    assert {file.suffix for file in files} == {".md", ".tex", ".csv"}
    with pytest.raises(NewsdeskError, match="exists already"):
        report.write_tables(tmp_path / "tables")


def test_simulated_data_is_said_in_the_lead(study: Path, tmp_path: Path) -> None:
    assert "simulated" not in read_report([study / "scores.json"]).html("x")
    (tmp_path / "scores.json").write_bytes((study / "scores.json").read_bytes())
    (tmp_path / "run.sh").write_text("newsdesk simulate --events 4 -o world\n")
    assert "The data of this study is simulated" in read_report([tmp_path]).html("x")


def test_examples_stand_at_high_middle_and_low_score(study: Path) -> None:
    report = read_report([study / "threads.jsonl"])
    (_, table), *_ = report.tables
    assert [row[0] for row in table.rows] == ["high"] * 3 + ["middle"] * 3 + ["low"] * 3
    values: list[Any] = [row[1] for row in table.rows]
    assert values == sorted(values, reverse=True) and values[0] > values[4] > values[-1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"who": "knows"}', "no result that a report knows"),
        ("no json", "no JSON"),
        ('{"scores": [{"system": "a"}]}', "not as `newsdesk score --json` prints it"),
    ],
)
def test_a_named_file_that_is_no_result_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(DataError, match=reason):
        read_report([tmp_path / "x.json"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(NewsdeskError, match="there is no result in"):
        read_report([tmp_path / "empty"])


def test_the_leader_is_named_with_those_it_cannot_be_told_from() -> None:
    systems = [SystemValue("a", 0.5, (0.4, 0.6)), SystemValue("b", 0.45), SystemValue("c", 0.2)]
    near = SystemDifference("b", "a", -0.05, (-0.1, 0.02), 0.2)
    far = SystemDifference("a", "c", 0.3, (0.2, 0.4), 0.0001)
    verdict = leader_verdict("R1", systems, [near, far], advice="test")
    assert verdict.sentence == "a has the highest R1, but cannot be told apart from b."
    assert (verdict.value, verdict.ci) == (0.05, (-0.02, 0.1))
    alone = leader_verdict("R1", systems, [far], advice="test")
    assert alone.sentence == "a is better than c in R1; it was not tested against b."
    assert "no test" in leader_verdict("R1", systems, [], advice="add --test").sentence


def test_the_page_of_one_result_has_its_command() -> None:
    html = result_page(scores(), "newsdesk score a b", "Scores")
    assert html.count("newsdesk score a b") == 2 and "<nav" not in html
