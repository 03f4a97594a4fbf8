"""Systems compared from logs of evaluation harnesses: pairs, clusters, ties, items that would decide."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from newsdesk.cli.main import main
from newsdesk.stats.significance import items_to_decide
from newsdesk.studies.compare import CompareSettings, compare
from newsdesk.studies.correlate.tables import MetricScores
from tests.eval_logs import deepeval_run, inspect_log, write_eval, write_json, write_lighteval

FEW = ["--samples", "500"]


def _verdicts(share: float, seed: int, items: int = 60) -> dict[str, str]:
    rng = np.random.default_rng(seed)
    return {f"q{item}": "C" if rng.random() < share else "I" for item in range(items)}


def _compared(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["study", "compare", *arguments, *FEW, "--json"]) == 0
    shown: dict[str, Any] = json.loads(capsys.readouterr().out)
    return shown


def test_logs_of_three_harnesses_give_the_same_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, poor = _verdicts(0.9, 1), _verdicts(0.3, 2)
    numbers = [{item: float(value == "C") for item, value in run.items()} for run in (good, poor)]
    inspect = [
        write_eval(tmp_path / "a.eval", inspect_log("mock/good", good), packed=True),
        write_json(tmp_path / "b.json", inspect_log("mock/poor", poor)),
    ]
    lighteval = [write_lighteval(tmp_path, f"mock/{name}", run) for name, run in zip(("good", "poor"), numbers, strict=True)]  # fmt: skip
    deepeval = [write_json(tmp_path / f"{name}.json", deepeval_run(f"mock/{name}", run)) for name, run in zip(("good", "poor"), numbers, strict=True)]  # fmt: skip
    tests = []
    for paths in (inspect, lighteval, deepeval):
        shown = _compared(capsys, *paths)
        (pair,) = shown["comparisons"]
        tests.append({key: value for key, value in pair.items() if key not in ("measure", "signature")})  # fmt: skip
        groups = [next(iter(row["measures"].values()))["groups"] for row in shown["systems"]]
        assert sorted(groups) == ["A", "B"]
        assert shown["verdict"].startswith("mock/good leads by")
    assert tests[0] == tests[1] == tests[2]
    assert tests[0]["wins"] + tests[0]["ties"] + tests[0]["losses"] == tests[0]["n"] == 60
    assert tests[0]["more_items"] is None and tests[0]["clusters"] is None


def test_items_of_a_cluster_are_drawn_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(4)
    # All three samples of a passage have one verdict: 20 units, not 60.
    verdicts = [[value for value in rng.choice(["C", "I"], 20, p=[share, 1 - share]) for _ in range(3)] for share in (0.7, 0.5)]  # fmt: skip
    paths = [
        write_json(tmp_path / f"{name}.json", inspect_log(name, {f"q{n}": value for n, value in enumerate(run)}))
        for name, run in zip("ab", verdicts, strict=True)
    ]  # fmt: skip
    (single,) = _compared(capsys, *paths)["comparisons"]
    (clustered,) = _compared(capsys, *paths, "--cluster-by", "passage")["comparisons"]
    assert (clustered["n"], clustered["clusters"]) == (60, 20)
    assert clustered["difference"] == single["difference"]
    width, wider = (pair["ci"][1] - pair["ci"][0] for pair in (single, clustered))
    assert wider / width == pytest.approx(math.sqrt(3), rel=0.15)
    assert clustered["p"] > single["p"]
    assert clustered["more_items"] > 10 and "clusters:20" in clustered["signature"]


def test_as_many_more_items_as_are_said_decide() -> None:
    """Simulate campaigns of so many items: about 80 % find the difference."""
    rng = np.random.default_rng(5)
    differences = rng.normal(0.1, 1.0, 100)
    differences += 0.1 - differences.mean()
    values = {(f"i{n}", "a"): value for n, value in enumerate(differences.tolist())}
    values |= {(f"i{n}", "b"): 0.0 for n in range(100)}
    study = compare(values=[MetricScores("m", values, "m")], settings=CompareSettings(samples=2_000))  # fmt: skip
    more = study.comparisons[0].more_items
    assert more == pytest.approx(785 * differences.var(ddof=1) - 100, rel=0.1)
    drawn = rng.normal(0.1, differences.std(ddof=1), (500, 100 + more))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(100 + more))
    assert 0.74 < (np.abs(t) > 1.96).mean() < 0.86
    assert items_to_decide(0.4, 0.05, 8, units=4) == 3  # fewer units than six decide nothing


def test_runs_of_one_model_are_told_apart_by_their_files_and_tasks_by_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = [inspect_log("m", _verdicts(0.5, seed, 8), task=task) for seed, task in ((1, "x"), (2, "y"), (3, "x"))]  # fmt: skip
    paths = [write_json(tmp_path / f"run{n}.json", log) for n, log in enumerate(logs)]
    shown = _compared(capsys, *paths)
    assert {row["system"] for row in shown["systems"]} == {"m [run0]", "m [run1]", "m [run2]"}
    assert {pair["measure"] for pair in shown["comparisons"]} == {"x/includes"}
    measures = {row["system"]: list(row["measures"]) for row in shown["systems"]}
    assert measures["m [run1]"] == ["y/includes"]


@pytest.mark.parametrize(
    ("change", "arguments", "said"),
    [
        ("", ["--cluster-by", "page"], "item 'q0' has no 'page' in its metadata; keys: passage"),
        ("", ["--metrics", "exact"], "no scorer is called 'exact'; the logs have: includes"),
        ("Other", [], "item 'q0' asks 'Other', but 'Question q0?'"),
        ("outputs", [], "is not a log of an evaluation harness, as the others are"),
    ],
)
def test_logs_that_do_not_fit_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, arguments: list[str], said: str
) -> None:
    first = write_json(tmp_path / "a.json", inspect_log("a", _verdicts(0.5, 1, 8)))
    other: dict[str, Any] = inspect_log("b", _verdicts(0.5, 2, 8))
    if change == "Other":
        other["samples"][0]["input"] = change
    if change == "outputs":
        other = {"id": "1", "system": "s", "text": "t"}
    second = write_json(tmp_path / "b.json", other)
    assert main(["study", "compare", first, second, *arguments]) == 1
    error = capsys.readouterr().err.strip()
    assert said in error and "\n" not in error
