"""A whole ranker through the library alone: from files to a model, a run, measures and reasons, without the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records, samples

ROOT = Path(__file__).resolve().parents[2]


def drive(folder: Path) -> dict[str, object]:
    """Fit on files, save, load, rank, measure, compare, game, audit and explain."""
    import newsdesk as nd
    from newsdesk.rankers.argument.model import Argument
    from newsdesk.rankers.evaluation.audit import audit
    from newsdesk.rankers.evaluation.compare import (
        Entrant,
        RunCache,
        compare,
        held_out_threads,
        training_series,
    )
    from newsdesk.rankers.evaluation.evaluate import evaluate_runs
    from newsdesk.rankers.evaluation.gaming import game
    from newsdesk.rankers.evaluation.judged import Judged
    from newsdesk.rankers.ranker import write_reasons

    train = list(nd.read(folder / "train.jsonl", nd.Thread))
    nd.ranker("argument").fit(train).save(folder / "model")
    model: Any = Argument.load(folder / "model")
    test = list(nd.read(folder / "test.jsonl", nd.Thread))
    nd.write(folder / "run.jsonl", model.run(test))
    notes: list[str] = []
    runs = [("ours", nd.read(folder / "run.jsonl", nd.Ranked))]
    evaluation = evaluate_runs(
        test, runs, (5,), baselines=["length"], samples=50, note=notes.append
    )
    series = training_series({"part": train}, test)
    comparison = compare(
        Judged.of(held_out_threads(series)),
        [Entrant.of("length"), Entrant.of("svr(cost=0.1)")],
        series,
        (5,),
        samples=50,
        cache=RunCache.at(folder / "runs"),
    )
    explained = (each for thread in test for each in model.explain(thread, most=3))
    write_reasons(folder / "reasons.jsonl", explained)
    return {
        "evaluation": evaluation.as_json(),
        "comparison": comparison.as_json(),
        "game": [each.as_json(model.name) for each in game(model, test, ["bland"], samples=50)],
        "audit": audit(test, samples=50).as_json(),
        "notes": notes,
        "cli": sorted(name for name in sys.modules if name.startswith("newsdesk.cli")),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("library")
    threads = samples.threads()
    records.write(path / "train.jsonl", threads[:8])
    records.write(path / "test.jsonl", threads[8:])
    return path


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, object]:
    """In a process of its own: here other tests have imported the command."""
    script = (
        "import json, sys; from pathlib import Path; from tests.rankers.test_library import drive; "
        "print(json.dumps(drive(Path(sys.argv[1]))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_command_line_is_never_imported(results: dict[str, Any]) -> None:
    assert results["cli"] == []


def test_measures_of_a_run_stand_beside_those_of_baselines(results: dict[str, Any]) -> None:
    evaluation = results["evaluation"]
    assert [row["system"] for row in evaluation["systems"]] == ["ours", "length"]
    ours, length = evaluation["systems"]
    assert length["blmp"] == 0.5
    assert ours["blmp"] > 0.5
    assert results["notes"] == []


def test_a_comparison_a_gaming_test_and_an_audit_have_the_shape_of_the_command(
    results: dict[str, Any],
) -> None:
    names = [row["system"] for row in results["comparison"]["systems"]]
    assert names == ["length", "svr(cost=0.1)/part"]
    assert results["comparison"]["fillers"] == []
    (bland,) = results["game"]
    assert list(bland) == ["system", "kind", "share", "ci", "pairs", "signature"]
    assert "dislike_weight" not in results["audit"]


def test_every_comment_is_explained(results: dict[str, Any], folder: Path) -> None:
    lines = (folder / "reasons.jsonl").read_text("utf-8").splitlines()
    comments = sum(len(thread.comments) for thread in samples.threads()[8:])
    assert len(lines) == comments
    first = json.loads(lines[0])
    assert list(first) == [
        "article",
        "comment",
        "score",
        "probability",
        "reasons",
        "padding",
        "point",
        "standing",
        "probability_error",
    ]
