"""Results and agreement of a file of judgments, without a campaign."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk.cli.main import main


def grade(target: str, annotator: str, value: object, **more: object) -> str:
    row = {"campaign": "c", "task": target, "item": "a", "target": target, "question": "grade"}
    return json.dumps({**row, "value": value, "annotator": annotator, **more}) + "\n"


def agreement(
    capsys: pytest.CaptureFixture[str], path: Path
) -> tuple[dict[str, float], dict[str, float]]:
    assert main(["study", "agreement", str(path), "--protocol", "grade", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    estimates = {row["name"]: row["value"] for row in content["results"]["estimates"]}
    return estimates, {row["measure"]: row["value"] for row in content["agreement"]}


def test_mean_grade_and_kappa_come_from_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = {"x": (1, 1), "y": (5, 5), "z": (3, 3), "w": (2, 4)}
    path = tmp_path / "grades.jsonl"
    path.write_text("".join(grade(t, who, v) for t, vs in pairs.items() for who, v in zip("ab", vs, strict=True)))  # fmt: skip
    estimates, measures = agreement(capsys, path)
    assert estimates["mean grade"] == 3
    assert estimates["share with at least one 5"] == 0.25
    # Three of four pairs agree; by chance (4 + 4 + 4 + 1 + 1) / 64 would.
    assert measures["rotating kappa"] == pytest.approx((0.75 - 14 / 64) / (1 - 14 / 64))
    assert measures["rotating kappa (quadratic)"] > measures["rotating kappa"]


def test_answers_to_control_questions_and_withdrawn_ones_do_not_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "grades.jsonl"
    rows = [grade("x", "a", 4), grade("x", "b", 4), grade("y", "a", 2), grade("y", "b", 2)]
    path.write_text("".join(rows))
    without = agreement(capsys, path)
    path.write_text("".join([*rows, grade("control-1", "a", 1, control=True)]))
    assert agreement(capsys, path) == without


def test_a_table_of_rankings_has_mean_ranks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ranks.jsonl"
    rows = [
        {"campaign": "c", "task": i, "item": i, "target": s, "question": q, "value": r, "annotator": "a"}
        for i in ("1", "2")
        for s, r in (("good", 1), ("bad", 2))
        for q in ("informative", "coherent", "overall")
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["study", "agreement", str(path), "--protocol", "rank"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["overall", "good", "1.0000"] in [line[:3] for line in lines]
