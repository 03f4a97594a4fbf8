"""`newsdesk summarize` as a user meets it: outputs to score, traces, streams, fitted methods, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.summarizers import summarizer
from newsdesk.types import Cluster, ClusterArticle, Output
from tests.cli.running import run

CLUSTERS = str(samples.path("clusters.jsonl"))
LSA = "tsr(encoder='lsa(dimensions=8)')"


def test_the_example_writes_outputs_that_can_be_scored(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    words = ("summarize", CLUSTERS, "--method", "centroid", "--max-words", "40", "-o", str(out))
    done = run(*words)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("12 summaries; centroid|max_words:40|")
    method = summarizer("centroid")
    assert list(records.read(out, Output)) == [
        Output(cluster.id, "centroid", method.summarize(cluster).text)
        for cluster in samples.clusters()
    ]
    scored = run("score", str(out), "-r", CLUSTERS, "-m", "rouge-1", "--json")
    assert json.loads(scored.stdout)["scores"][0]["n"] == 12
    again = run(*words)
    assert (again.returncode, "add --force" in again.stderr) == (1, True)
    assert run(*words, "--force").returncode == 0


def test_settings_reach_the_method_and_name_the_system() -> None:
    done = run(
        *("summarize", CLUSTERS, "-m", "random", "--seed", "3", "--max-words", "120"),
        *("--unit", "characters", "--order", "chronological"),
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    spec = "random(max_words=120, unit='characters', order='chronological', seed=3)"
    assert {row["system"] for row in rows} == {spec}
    assert all(len(row["text"]) <= 120 for row in rows)
    method = summarizer(spec)
    assert [row["text"] for row in rows] == [method.summarize(c).text for c in samples.clusters()]


def test_a_spec_wins_over_options_and_a_seed_means_nothing_to_methods_that_do_not_draw() -> None:
    words = ("summarize", CLUSTERS, "-m", "textrank(redundancy=0.3)", "--redundancy", "0.9")
    done = run(*words, "--seed", "5")
    assert json.loads(done.stdout.splitlines()[0])["system"] == "textrank(redundancy=0.3)"


def test_the_trace_says_which_sentences_and_why(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    done = run("summarize", CLUSTERS, "-m", "centroid", "--trace", str(path))
    texts = {row["id"]: row["text"] for row in map(json.loads, done.stdout.splitlines())}
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == list(texts)
    for row in rows:
        assert row["system"] == "centroid"
        assert row["signature"].endswith("|tok:en.1")
        taken = [each["text"] for each in row["trace"] if each["outcome"] == "taken"]
        assert " ".join(taken) == texts[row["id"]]
        for each in row["trace"]:
            assert set(each) == {"article", "position", "text", "score", "outcome", "detail"}
            assert each["outcome"] == "taken" or each["detail"]


def test_clusters_stream_in_and_summaries_out() -> None:
    stdin = samples.path("clusters.jsonl").read_bytes()
    done = run("summarize", "-", "-m", "lead", "-o", "-", stdin=stdin)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 12


def test_empty_summaries_are_counted_on_stderr(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    articles = (ClusterArticle("a", "Too short."),)
    records.write(path, [Cluster("a", articles), Cluster("b", ())])
    done = run("summarize", str(path), "-m", "centroid")
    assert done.returncode == 0
    assert [json.loads(line)["text"] for line in done.stdout.splitlines()] == ["Too short.", ""]
    assert "note: 1 is empty, because the cluster has no word" in done.stderr
    assert "note: 1 is the shortest sentence instead, because none fits" in done.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("-m", "centriod"), "did you mean 'centroid'?"),
        (("-m", "lead", "--redundancy", "0.3"), "'redundancy' is no setting"),
        (("-m", "centroid", "--max-words", "0"), "max_words is 0"),
        (("-m", "random", "--seed", "-1"), "the seed is -1, below zero"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_nothing_written(
    words: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    out, trace = tmp_path / "o.jsonl", tmp_path / "t.jsonl"
    done = run("summarize", CLUSTERS, *words, "-o", str(out), "--trace", str(trace))
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert reason in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_oracle_without_references_leaves_nothing_half_written(tmp_path: Path) -> None:
    path, out = tmp_path / "c.jsonl", tmp_path / "o.jsonl"
    good = samples.clusters()[0]
    records.write(path, [good, Cluster("bare", good.articles)])
    done = run("summarize", str(path), "-m", "oracle-multi", "-o", str(out))
    assert done.returncode == 1
    assert "cluster 'bare' has no `summary`" in done.stderr
    assert not out.exists()


def test_a_method_is_fitted_saved_and_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, cache, out = tmp_path / "m", tmp_path / "cache", tmp_path / "out.jsonl"
    words = ["summarize", CLUSTERS, "-m", LSA, "--fit", str(folder), "--cache", str(cache)]
    assert main([*words, "--dev", CLUSTERS]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("tsr: 747 sentences of 12 clusters, encoder lsa(")
    assert len(list(cache.iterdir())) == 12  # examples; lsa vectors are never kept
    assert main(words) == 1
    assert "holds a model already; add --force" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    use = ["summarize", CLUSTERS, "-m", "tsr", "--model", str(folder), "--max-words", "30"]
    assert main([*use, "-o", str(out)]) == 0
    rows = list(records.read(out, Output))
    assert {row.system for row in rows} == {f"tsr(max_words=30, model={str(folder)!r})"}
    assert all(0 < len(row.text.split()) <= 31 for row in rows)
    assert "|fitted:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (("-m", "tsr"), 1, "--method tsr --fit FOLDER"),
        (("-m", "submodular+abs", "--model", "bart"), 1, "no rewriter is called 'bart'"),
        (("-m", "centroid", "--fit", "m"), 1, "centroid learns nothing; --fit is for tsr, bertreg"),
        (("-m", "tsr", "--fit", "m", "-o", "x"), 2, "--fit writes a model"),
        (("-m", "tsr", "--dev", "d.jsonl"), 2, "--dev and --cache go with --fit"),
        (("-m", "centroid", "--model", "m"), 1, "'model' is no setting"),
    ],
)
def test_what_cannot_be_fitted_says_what_to_type(
    words: tuple[str, ...], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["summarize", CLUSTERS, *words]) == code
    assert reason in capsys.readouterr().err


def test_summaries_and_trace_in_one_file_are_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["summarize", CLUSTERS, "--method", "lead", "-o", "x.jsonl"]
    assert main([*words, "--trace", str(tmp_path / "x.jsonl")]) == 2
    assert "--out and --trace both write to" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_language_that_nothing_supports_is_refused_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "c.jsonl", tmp_path / "out.jsonl"
    article = ClusterArticle("a1", "A storm hit the town on Monday, officials said.", lang="km")
    records.write(path, [Cluster("c", (article,), summary="A storm.")])
    assert main(["summarize", str(path), "--method", "lead", "-o", str(out)]) == 1
    assert "article 'a1': language 'km' is written without spaces" in capsys.readouterr().err
    assert not out.exists()


def test_one_summary_is_not_called_summaries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.jsonl"
    records.write(path, [Cluster("c", (ClusterArticle("a1", "Too short."),))])
    assert main(["summarize", str(path), "--method", "lead"]) == 0
    said = capsys.readouterr().err
    assert said.startswith("1 summary; lead|")
    assert "note: 1 is the shortest sentence instead" in said
