"""`newsdesk rank compare` as a user meets it: folds, groups, training files, resuming, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.types import Ranked
from tests.cli.running import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compare")
    threads = samples.threads()
    parts = {"all": threads, "shallow": threads[:4], "deep": threads[4:8], "test": threads[8:]}
    for name, part in parts.items():
        records.write(path / f"{name}.jsonl", part)
    return path


def test_folds_print_a_table_per_family_of_measures(folder: Path, tmp_path: Path) -> None:
    words = (
        *("rank", "compare", str(folder / "all.jsonl"), "-m", "length,svr(cost=0.1)"),
        *("--folds", "2", "--samples", "50", "-o", str(tmp_path / "runs"), "--game"),
    )
    done = run(*words)
    assert done.returncode == 0, done.stderr
    said = [line.split(":")[0] for line in done.stderr.splitlines()]
    assert said == ["warning", "1 of 2", "2 of 2"]
    heads = [block.splitlines()[0].split() for block in done.stdout.split("\n\n")]
    assert heads[0] == ["system", "ndcg@1", "ndcg@5", "ndcg@10"]
    assert heads[1] == ["system", "precision@1", "precision@5", "precision@10"]
    assert heads[2] == ["system", "lmp", "blmp", "sauc"]
    assert heads[3] == ["now", "wrong", "after", "bland", "polite", "boilerplate", "repeat"]
    assert heads[4][:3] == ["measure", "best", "other"]
    *_, settings, last = done.stdout.rstrip("\n").split("\n\n")
    assert settings == "svr: svr(cost=0.1)"
    assert last.startswith("12 articles; rank-eval|")
    assert "\nsvr " in done.stdout
    assert (tmp_path / "runs" / "fold-1" / "length.jsonl").exists()
    again = run(*words)
    assert again.stdout == done.stdout
    assert all(line.endswith("(kept)") for line in again.stderr.splitlines())


def test_training_files_are_systems_of_one_comparison(folder: Path) -> None:
    done = run(
        *("rank", "compare", "-m", "random,ranksvm", "-k", "1,5", "--samples", "50", "--json"),
        *("--train", str(folder / "shallow.jsonl"), "--train", str(folder / "deep.jsonl")),
        *("--test", str(folder / "test.jsonl")),
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    names = ["random", "ranksvm/shallow", "ranksvm/deep"]
    assert [row["system"] for row in report["systems"]] == names
    tested = {(row["first"], row["second"]) for row in report["comparisons"]}
    assert ("ranksvm/shallow", "ranksvm/deep") in tested
    assert report["fillers"] == []


def test_each_training_file_has_its_own_dev_threads_or_all_have_one(folder: Path) -> None:
    words = [
        *("rank", "compare", "-m", "ranksvm", "--samples", "9", "--json"),
        *("--train", str(folder / "shallow.jsonl"), "--train", str(folder / "deep.jsonl")),
        *("--test", str(folder / "test.jsonl")),
    ]
    for name in ("shallow", "deep"):
        records.write(
            folder / f"{name}-dev.jsonl", samples.threads()[3 if name == "deep" else 4 :][:1]
        )
    shallow, deep = str(folder / "shallow-dev.jsonl"), str(folder / "deep-dev.jsonl")
    lines = []
    for devs in ((shallow,), (deep,), (shallow, deep)):
        done = run(*words, *(word for path in devs for word in ("--dev", path)))
        assert done.returncode == 0, done.stderr
        said = done.stderr.splitlines()
        lines.append([line.partition(": ")[2] for line in said if " of 2: " in line])
    assert lines[2] == [lines[0][0], lines[1][1]] != lines[0]


def test_groups_are_left_out_one_at_a_time(tmp_path: Path) -> None:
    debates = [
        replace(each, article=replace(each.article, id=f"debate{place % 4}_side{place}"))
        for place, each in enumerate(samples.threads())
    ]
    records.write(tmp_path / "debates.jsonl", debates)
    done = run(
        *("rank", "compare", str(tmp_path / "debates.jsonl"), "-m", "svr(cost=0.1)"),
        *("--folds", "groups", "--group-by", "_", "--samples", "9", "--json"),
        *("-o", str(tmp_path / "runs")),
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1].startswith("4 of 4: svr(cost=0.1) on fold-4")
    for fold in (tmp_path / "runs").iterdir():
        (file,) = fold.glob("*.jsonl")
        tested = {line.article.partition("_")[0] for line in records.read(file, Ranked)}
        assert len(tested) == 1


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (("-m", "svr"), 2, "name THREADS to fold"),
        (("all.jsonl", "-m", "svr", "--train", "deep.jsonl", "--test", "test.jsonl"), 2, "name THREADS"),
        (("-m", "svr", "--train", "deep.jsonl"), 2, "name THREADS"),
        (("all.jsonl", "-m", "svr", "--dev", "test.jsonl"), 2, "name THREADS"),
        (("all.jsonl", "-m", "svr", "--folds", "x"), 2, "not a number or `groups`"),
        (("all.jsonl", "-m", "svr", "--folds", "groups"), 1, "--group-by"),
        (("all.jsonl", "-m", "svr", "--folds", "13"), 1, "12 groups of articles: too few for 13 folds"),
        (("all.jsonl", "-m", "svr,", "--folds", "2"), 1, "empty name"),
        (("all.jsonl", "-m", "swr"), 1, "did you mean 'svr'"),
        (("-m", "svr", "--train", "all.jsonl", "--test", "test.jsonl"), 1, "tested on and learned from"),
        (("-m", "svr", "--train", "deep.jsonl", "--train", "deep.jsonl", "--test", "test.jsonl"), 2, "one name"),
        (("all.jsonl", "-m", "length", "-o", "all.jsonl"), 1, "is a file"),
        (("-m", "svr", "--train", "deep.jsonl", "--test", "test.jsonl", *(["--dev", "x"] * 2)), 2, "one --dev for all"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_one_sentence(
    words: tuple[str, ...],
    code: int,
    reason: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    assert main(["rank", "compare", *words]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert reason in said.err
