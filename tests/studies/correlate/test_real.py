"""Correlations that were printed for public human judgments come out to three digits, with intervals around them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from newsdesk.cli.main import main


def study(
    path: Path, metrics: str, capsys: pytest.CaptureFixture[str], *more: str
) -> dict[str, list[dict[str, Any]]]:
    assert (
        main(
            [
                "study",
                "correlate",
                str(path),
                "--metrics",
                metrics,
                "--samples",
                "500",
                "--json",
                *more,
            ]
        )
        == 0
    )
    return json.loads(capsys.readouterr().out)


def row(result: dict[str, list[dict[str, Any]]], metric: str, level: str) -> dict[str, Any]:
    (row,) = [r for r in result["correlations"] if r["metric"] == metric and r["level"] == level]
    return row


def test_realsumm_within_documents(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = "rouge-1(stem=True, report='r')", "rouge-2(stem=True, report='r')"
    result = study(shared_data / "human_judgments/REALSumm.jsonl", f"{one},{two}", capsys)
    expected = json.loads((shared_data / "oracles.json").read_text("utf-8"))[
        "metric_human_correlation"
    ]["REALSumm"]["recomputed"]
    for metric, name in ((one, "rouge1_r"), (two, "rouge2_r")):
        for coefficient in ("spearman", "kendall"):
            value = row(result, metric, "item")[coefficient]
            assert value["value"] == pytest.approx(expected[name][coefficient], abs=5e-5 + 1e-9)
            assert value["ci"][0] < value["value"] < value["ci"][1]
            assert value["p"] < 0.01


def test_bagel_over_all_outputs(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metrics = {f"rouge-{n}(stem=True)": f"rouge{n}_f" for n in ("1", "2", "l")}
    path = shared_data / "human_judgments/BAGEL.jsonl"
    result = study(path, ",".join(metrics), capsys, "--question", "informativeness")
    expected = json.loads((shared_data / "oracles.json").read_text("utf-8"))[
        "metric_human_correlation"
    ]["BAGEL"]["recomputed_stemmed_max"]
    for metric, name in metrics.items():
        for coefficient in ("spearman", "kendall"):
            value = row(result, metric, "pooled")[coefficient]["value"]
            assert value == pytest.approx(expected[name][coefficient], abs=5e-5 + 1e-9)
    assert {r["level"] for r in result["correlations"]} == {"pooled"}  # one output per item


def test_rank19_pairs(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metrics = {f"rouge-{n}(stem=True)": f"rouge{n}_f" for n in ("1", "2", "l")}
    result = study(shared_data / "human_judgments/Rank19.jsonl", ",".join(metrics), capsys)
    expected = json.loads((shared_data / "oracles.json").read_text("utf-8"))[
        "metric_human_correlation"
    ]["Rank19"]["printed"]
    for pair in result["pairs"]:
        assert pair["accuracy"] == pytest.approx(expected[metrics[pair["metric"]]], abs=1e-6)
        assert pair["ci"][0] < pair["accuracy"] < pair["ci"][1]
        assert pair["n"] == 373
