"""The comparison of commenters: held-out articles, resumption, grades, and what a grading needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import newsdesk as nd
from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.commenters.compare import Split, compare
from newsdesk.types import Judgment, Output

SPECS = ("ir-t(updates=5, filters=4)", "att(minutes=None, updates=5, units=8, dimensions=4)")


@pytest.fixture(scope="module")
def split() -> Split:
    return Split.of(samples.threads(), test=0.25, dev=0.1, seed=0)


def test_test_articles_are_held_out_and_one_comment_is_set_aside(split: Split) -> None:
    train, test = ({t.article.id for t in part} for part in (split.train, split.test))
    assert not train & test and len(test) == 3
    for kept, real in zip(split.test, split.real, strict=True):
        assert len(real.comments) == 1
        assert real.comments[0].id not in {comment.id for comment in kept.comments}
    weights = [r.weight for each in split.references for r in each.references]
    assert min(weights) == 0 and max(weights) == 1


def test_a_comparison_resumes_and_takes_grades(split: Split, tmp_path: Path) -> None:
    metrics = ("rouge-l", "w-rouge-l")
    grades = [
        Judgment("g", article.id, article.id, target, "grade", value, person)
        for article in split.articles
        for target, value in (("ir-t(updates=5, filters=4)", 4), ("real:c", 5))
        for person in ("ann", "ben")
    ]
    first = compare(split, SPECS, metrics, folder=tmp_path, samples=20, judgments=grades)
    again = compare(split, SPECS, metrics, folder=tmp_path, samples=20, judgments=grades)
    assert first.as_json() == again.as_json()
    assert {each.system: each.mean for each in first.grades} == {SPECS[0]: 4.0, "real": 5.0}
    assert len(first.tests) == 2 and set(first.models) == set(SPECS)
    assert len(list(records.read(tmp_path / "real.jsonl", nd.Thread))) == 3
    stored = next(path for path in tmp_path.glob("ir-t*/outputs.jsonl"))
    assert len(list(records.read(stored, Output))) == 3
    other = Split.of(samples.threads(), test=0.25, dev=0.1, seed=1)
    with pytest.raises(nd.FileError, match="made from other threads"):
        compare(other, SPECS[:1], metrics, folder=tmp_path, samples=20)


def test_too_few_threads_are_refused() -> None:
    with pytest.raises(nd.ArgumentError, match="too few to split"):
        Split.of(samples.threads()[:1], test=0.5, dev=0.0, seed=0)


def test_the_commands_work_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    records.write("threads.jsonl", samples.threads()[:6])
    fit = ["comment", "fit", "--train", "threads.jsonl", "-o", "model"]
    assert main([*fit, "--model", "ir-tc(updates=5, filters=4)"]) == 0
    assert main(fit) == 1  # not replaced without --force
    assert main(["comment", "suggest", "model", "threads.jsonl", "-n", "1", "-o", "s.jsonl"]) == 0
    capsys.readouterr()
    assert main(["comment", "suggest", "model", "threads.jsonl", "-n", "2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["suggestions"]
    assert len(rows) == 12 and rows[0]["seal"]["algorithm"] == "ed25519"
    assert main(["comment", "verify", "s.jsonl", "--key", "data/newsdesk/commenter-key.pub"]) == 0
    text = Path("s.jsonl").read_text("utf-8")
    Path("s.jsonl").write_text(text.replace("machine-suggested", "machine-suggesteD", 1), "utf-8")
    capsys.readouterr()
    assert main(["comment", "verify", "s.jsonl"]) == 1
    assert "altered: label" in capsys.readouterr().out
    command = ["comment", "compare", "threads.jsonl", "--test", "0.4", "--models", SPECS[0]]
    assert main([*command, "--metrics", "rouge-l", "--samples", "20", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"scores", "comparisons", "grades", "systems"}
