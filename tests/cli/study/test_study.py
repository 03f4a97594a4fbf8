"""`newsdesk study tune`, `lengths` and `curve` as a user meets them: tables, files, and runs that go on."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.studies.tuning import tune
from newsdesk.summarizers import summarizer
from newsdesk.types import Cluster, ClusterArticle

CLUSTERS = str(samples.path("clusters.jsonl"))
FAST = ("--samples", "50")


def test_tune_prints_the_choice_and_writes_the_curve(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tuned.json"
    words = ["study", "tune", CLUSTERS, "--method", "centroid", "-o", str(out), *FAST]
    assert main(words) == 0
    said = capsys.readouterr()
    expected = tune(samples.clusters(), "centroid", samples=50)
    assert f"best: {expected.choice.spec}\n" in said.out
    assert "note: there are only 12 clusters, and all were used" in said.err
    written = json.loads(out.read_text("utf-8"))
    assert written["choice"] == expected.choice.spec
    assert written["signature"] == expected.signature
    assert [row["redundancy"] for row in written["settings"]] == [n / 10 for n in range(11)]
    assert {row["measure"] for row in written["settings"]} == {"R1-F"}
    assert written["settings"][3]["value"] == expected.settings[3].score.value
    assert "<svg" in out.with_suffix(".html").read_text("utf-8")
    assert {path.name for path in tmp_path.iterdir()} == {"tuned.json", "tuned.html"}
    assert main(words) == 1
    assert "exists already; add --force" in capsys.readouterr().err
    assert main([*words, "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == written
    assert summarizer(written["choice"]).signature


def test_tune_goes_on_from_the_log_of_a_killed_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, log = tmp_path / "tuned.json", tmp_path / "tuned.log.jsonl"
    done = tune(samples.clusters(), "textrank", samples=50, log=log)
    log.write_bytes(log.read_bytes()[:-30])
    words = ["study", "tune", CLUSTERS, "-m", "textrank", "-o", str(out), *FAST]
    assert main([*words, "--seed", "1"]) == 1
    assert "unfinished study of something else" in capsys.readouterr().err
    assert main(words) == 0
    said = capsys.readouterr()
    assert f"resuming from {log}" in said.err
    assert json.loads(out.read_text())["choice"] == done.choice.spec
    assert not log.exists()


def test_tune_takes_grids_of_numbers_and_words(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["study", "tune", CLUSTERS, "-m", "centroid", "--sample", "3", *FAST, "--json"]
    grids = ["--grid", "order=selection,chronological", "--grid", "min_tokens=5,9"]
    assert main([*words, *grids]) == 0
    rows = json.loads(capsys.readouterr().out)["settings"]
    assert [(row["order"], row["min_tokens"]) for row in rows] == [
        ("selection", 5),
        ("selection", 9),
        ("chronological", 5),
        ("chronological", 9),
    ]


def test_lengths_and_curve_write_tables_and_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "lengths.json")
    assert main(["study", "lengths", CLUSTERS, "--words", "25,40", "-o", out, *FAST]) == 0
    said = capsys.readouterr().out
    written = json.loads(Path(out).read_text())
    assert [row["max_words"] for row in written["lengths"]] == [25, 40]
    assert f"highest R1-F at {written['best']} words, 12 clusters" in said
    out = str(tmp_path / "curve.json")
    words = ["study", "curve", CLUSTERS, "-m", "lead", "-m", "random", "--added", "0,2", *FAST]
    assert main([*words, "--seed", "3", "-o", out]) == 0
    assert "random(seed=3)" in capsys.readouterr().out.splitlines()[0]
    points = json.loads(Path(out).read_text())["points"]
    assert [(point["added"], point["system"]) for point in points] == [
        (0, "lead"),
        (0, "random(seed=3)"),
        (2, "lead"),
        (2, "random(seed=3)"),
    ]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_missing_extra_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = tmp_path / "tuned.json"
    assert main(["study", "tune", CLUSTERS, "-m", "centroid", "-o", str(out)]) == 1
    assert "pip install 'newsdesk[report]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["tune", CLUSTERS, "-m", "lead"], 1, "name a grid to try"),
        (["tune", CLUSTERS, "-m", "centriod"], 1, "did you mean 'centroid'?"),
        (["tune", CLUSTERS, "-m", "centroid", "--grid", "x"], 2, "not like redundancy=0.3,0.5"),
        (["tune", CLUSTERS, "-m", "centroid", "--measure", "R3"], 2, "'R3' is none of R1-F"),
        (["tune", CLUSTERS, "-m", "centroid", "--figure", "R1-F"], 2, "No such option"),
        (["tune", CLUSTERS, "-m", "centroid", "-o", "x.txt"], 2, "does not end in .json"),
        (["lengths", CLUSTERS, "--words", "a"], 2, "not a list like 5,10,20"),
        (["curve", CLUSTERS, "-m", "lead", "--added", "-1"], 1, "below zero"),
        (["curve", CLUSTERS, "-m", "lead", "--measure", "R3"], 2, "'R3' is none of R1-F"),
        (["curve", CLUSTERS, "-m", "lead", "--figure", "R1-F"], 2, "No such option"),
        (["curve", CLUSTERS], 2, "--method"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: list[str], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", *words]) == code
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["tune", "-m", "centroid"], ["lengths"], ["curve", "-m", "lead"], ["table5"]]
)
def test_a_language_that_nothing_supports_is_refused_before_the_work(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.jsonl"
    article = ClusterArticle("a1", "A storm hit the town on Monday, officials said.", lang="lo")
    records.write(path, [*samples.clusters(), Cluster("c", (article,), summary="A storm.")])
    assert main(["study", words[0], str(path), *words[1:]]) == 1
    assert "article 'a1': language 'lo' is written without spaces" in capsys.readouterr().err


def test_one_cluster_is_not_called_clusters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.jsonl"
    records.write(path, samples.clusters()[:1])
    grid = ["--grid", "redundancy=0.5,0.6"]
    for words in (["tune", "-m", "centroid", *grid], ["lengths"], ["curve", "-m", "lead"]):
        assert main(["study", words[0], str(path), *words[1:], "--samples", "20"]) == 0
    assert main(["study", "table5", str(path), "--methods", "lead", "--samples", "20"]) == 0
    said = capsys.readouterr()
    assert "1 cluster" in said.out
    assert "1 clusters" not in said.out + said.err
    assert "1 other setting cannot" in said.out
    assert "note: there is only 1 cluster, and all were used" in said.err
