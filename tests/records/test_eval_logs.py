"""Logs of evaluation harnesses: recognised by content, read as scores of items, refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk.errors import DataError
from newsdesk.records import eval_logs
from newsdesk.records.eval_logs import is_eval_log, read_eval_log
from tests.eval_logs import deepeval_run, inspect_log, write_eval, write_json, write_lighteval


def _values(path: str) -> dict[str, dict[str, float]]:
    return {logged.item: dict(logged.values) for logged in read_eval_log(path).items}


@pytest.mark.parametrize("form", ["json", "zstandard", "deflate"])
def test_inspect_verdicts_are_numbers_as_inspect_counts_them(tmp_path: Path, form: str) -> None:
    log = inspect_log("mock/a", {"1": "C", "2": "P", "3": "I", "4": "N", "5": 0.25, "6": True})
    path = tmp_path / "log"  # recognised by content, not by name
    if form == "json":
        write_json(path, log)
    else:
        write_eval(path, log, packed=form == "zstandard")
    read = read_eval_log(str(path))
    assert (read.harness, read.system) == ("inspect-ai", "mock/a")
    values = [logged.values["includes"] for logged in read.items]
    assert values == [1.0, 0.5, 0.0, 0.0, 0.25, 1.0]
    assert [logged.facts["passage"] for logged in read.items] == ["p0"] * 3 + ["p1"] * 3


def test_epochs_are_averaged_failed_samples_and_texts_are_left_out_with_a_note(
    tmp_path: Path,
) -> None:
    log = inspect_log("m", {"1": "C", "2": None, "3": "C"}, epochs=2)
    log["samples"][3]["scores"]["includes"]["value"] = "I"  # the second epoch of 1
    log["samples"][0]["scores"]["tone"] = {"value": "friendly"}
    log["samples"][2]["scores"]["parts"] = {"value": {"fluent": 0.5, "true": "C"}}
    read = read_eval_log(write_json(tmp_path / "log.json", log))
    assert [dict(logged.values) for logged in read.items] == [
        {"includes": 0.5},
        {"includes": 1.0, "parts/fluent": 0.5, "parts/true": 1.0},
    ]
    assert [note.partition(": ")[2] for note in read.notes] == [
        "2 samples without a score left out",
        "values that are no numbers left out: tone (1)",
    ]


def test_lighteval_details_name_their_model_by_folders(tmp_path: Path) -> None:
    path = write_lighteval(tmp_path, "org/small", {"0": 1, "1": 0})
    read = read_eval_log(path)
    assert (read.harness, read.system) == ("lighteval", "org/small")
    assert _values(path) == {"0": {"exact_match": 1.0}, "1": {"exact_match": 0.0}}


def test_deepeval_runs_are_read_in_each_form(tmp_path: Path) -> None:
    run = deepeval_run("alpha", {"a": 1.0, "b": None, "c": 0.0})
    expected = {"a": {"Exact Match": 1.0}, "c": {"Exact Match": 0.0}}
    latest = write_json(tmp_path / "latest.json", {"testRunData": run})
    assert _values(write_json(tmp_path / "run.json", run)) == _values(latest) == expected
    result = {
        "test_results": [
            {"name": case["name"], "input": case["input"], "metrics_data": case["metricsData"]}
            for case in run["testCases"]
        ]
    }
    path = write_json(tmp_path / "beta.json", result)
    assert _values(path) == expected
    assert read_eval_log(path).system == "beta"


def test_what_is_no_log_is_not_taken_for_one(tmp_path: Path) -> None:
    line = {"id": "1", "system": "s", "text": '"testCases": [1] {"version": 2, "status": 1}'}
    assert not is_eval_log(write_json(tmp_path / "outputs.jsonl", line))
    assert not is_eval_log(str(tmp_path)) and not is_eval_log("-")
    zipped = tmp_path / "other.zip"
    write_eval(zipped, inspect_log("m", {"1": "C"}), packed=False)
    zipped.write_bytes(zipped.read_bytes().replace(b"header", b"reader"))
    assert not is_eval_log(str(zipped))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"version": 2, "status": "success", "eval": {"task": "t"', "not JSON"),
        ('{"version": 2, "status": "success", "eval": {"task": "t"}}', "in a form that is not known ('model')"),
        ('{"version": 2, "status": "error", "eval": {"task": "t", "model": "m"}}', "without scored samples"),
        ('{"testCases": [{"name": "a", "metricsData": [3]}]}', "in a form that is not known"),
        ('{"testCases": [1]}', "in a form that is not known"),
    ],
)  # fmt: skip
def test_broken_logs_are_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "log.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_eval_log(str(path))
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_zip_that_ends_early_and_one_too_large_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.eval"
    write_eval(path, inspect_log("m", {str(item): "C" for item in range(50)}), packed=True)
    whole = path.read_bytes()
    monkeypatch.setattr(eval_logs, "_MOST_BYTES", 1_000)
    with pytest.raises(DataError, match="more than are read"):
        read_eval_log(str(path))
    monkeypatch.undo()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="ends early"):
        read_eval_log(str(path))
    path.write_bytes(whole.replace(b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfe"))
    with pytest.raises(DataError, match="is broken"):
        read_eval_log(str(path))


def test_not_a_number_in_a_log_is_a_missing_score(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    text = json.dumps(inspect_log("m", {"1": "C", "2": float("nan")}))
    path.write_text(text, encoding="utf-8")
    assert "NaN" in text and list(_values(str(path))) == ["1"]
