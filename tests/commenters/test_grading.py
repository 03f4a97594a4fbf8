"""The blinded grading of suggestions, from one command to the next: outputs, campaign, sheets, and back into the table."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import newsdesk as nd
from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.commenters.compare import SYSTEMS, grade_tests, graded, mean_grades
from newsdesk.types import Judgment
from tests.commenters.worlds import SMALL


def small_models() -> str:
    return ",".join(SMALL[name] for name in SYSTEMS)


def test_five_systems_and_a_real_comment_are_graded_and_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    records.write("threads.jsonl", samples.threads())
    compare = "comment compare threads.jsonl --test-share 0.3 --metrics rouge-l --samples 50 -o c --models".split()
    compare.append(small_models())
    assert main(compare) == 0
    outputs = sorted(str(path) for path in Path("c").glob("*/outputs.jsonl"))
    assert len(outputs) == 5
    files = "--articles c/articles.jsonl --real-from c/real.jsonl --references c/references.jsonl"
    new = f"campaign new g {' '.join(outputs)} --protocol grade {files} --annotators ann,ben"
    assert main(new.split()) == 0
    assert main("campaign sheets g --csv -o sheets".split()) == 0
    real = {each.comments[0].text for each in records.read("c/real.jsonl", nd.Thread)}
    shown = [_fill(Path(f"sheets/{name}.csv"), real) for name in ("ann", "ben")]
    # Blinded: a sheet names no system, and its letters tell nothing.
    assert not any(name in Path("sheets/ann.csv").read_text("utf-8") for name in SYSTEMS)
    assert len(shown[0]) == len(real) * 6
    assert main("campaign import g sheets/ann.csv sheets/ben.csv".split()) == 0
    assert main("campaign judgments g -o judgments.jsonl".split()) == 0
    capsys.readouterr()
    assert main([*compare, "--campaign", "g", "--json"]) == 0
    stored = json.loads(capsys.readouterr().out)
    assert main([*compare, "--judgments", "judgments.jsonl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == stored
    grades = {each["system"]: each for each in stored["grades"]}
    assert len(grades) == 6 and grades["real"]["mean"] == 5.0
    assert all(each["n"] == len(real) for each in grades.values())
    human = [each for each in stored["comparisons"] if each["metric"] == "human"]
    assert len(human) == 15
    assert all(each["ci"][0] <= each["difference"] <= each["ci"][1] for each in human)
    assert main([*compare, "--campaign", "g"]) == 0
    table = capsys.readouterr().out
    assert "human" in table and "human grade of real: 5.0000" in table


def _fill(path: Path, real: set[str]) -> list[str]:
    """Grade the real comments 5 and all else 1 to 4 by length; the texts shown."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = list(csv.reader(stream))
    text, grade = header.index("text"), header.index("grade")
    for row in rows:
        row[grade] = "5" if row[text] in real else str(1 + len(row[text]) % 4)
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    return [row[text] for row in rows]


def judgment(item: str, target: str, value: int, **more: object) -> Judgment:
    return Judgment("g", item, item, target, "grade", value, "ann", **more)  # type: ignore[arg-type]


def test_means_and_tests_are_over_articles() -> None:
    given = [
        judgment(f"a{n}", target, value)
        for n in range(6)
        for target, value in (("x", 2 + n % 2), ("y", 4), (f"real:c{n}", 5))
    ]
    given += [judgment("elsewhere", "x", 5), judgment("a0", "x", 1, control=True)]
    grades = mean_grades(given, {f"a{n}" for n in range(6)})
    assert {each.system: (each.mean, each.n) for each in graded(grades, samples=50, seed=0)} == {
        "x": (2.5, 6), "y": (4.0, 6), "real": (5.0, 6)
    }  # fmt: skip
    tests = {(t.first, t.second): t for t in grade_tests(grades, samples=200, seed=0)}
    assert tests["x", "y"].difference == -1.5 and tests["x", "y"].ci[1] < 0
    assert all(t.p <= t.p_corrected <= 1 for t in tests.values())


def test_grades_of_other_articles_are_refused() -> None:
    with pytest.raises(nd.ArgumentError, match="none of the judgments grades an output"):
        mean_grades([judgment("elsewhere", "x", 5)], {"a"})
    assert mean_grades([], {"a"}) == {}
