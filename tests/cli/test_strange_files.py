"""Files that a stranger may name by mistake: each is one line that says what is wrong, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import samples
from newsdesk.cli.main import main
from newsdesk.records import write


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("clusters.jsonl", samples.clusters())
    write("outputs.jsonl", samples.outputs())
    return tmp_path


@pytest.mark.parametrize(
    ("command", "content", "message"),
    [
        ("corpus build x -o out", b"caf\xe9 = 1", "x:1: not UTF-8"),
        ("comment verify x", b"[" * 100_000, "x:1: not JSON"),
        ("score x -r clusters.jsonl", '{"id": "a"}'.encode("utf-16"), "x:1: UTF-16 text; save"),
        ("summarize x.json -m lead", b"[1, 2]", "clusters are needed, one JSON object a line"),
        ("study next x --for ranker", b"", "the threads have no comments"),
        ("study claims x", b"", "`format` is missing"),
        ("corpus split x -o out", b"", "cannot be split"),
    ],
)
def test_a_wrong_file_is_one_line(
    desk: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    content: bytes,
    message: str,
) -> None:
    for name in ("x", "x.json"):
        (desk / name).write_bytes(content)
    assert main(command.split()) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        "score {} -r clusters.jsonl",
        "study tune {} -m lead",
        "corpus split {} -o out",
        "rank apply ready {}",
    ],
)
def test_an_empty_file_name_is_a_usage_error(
    desk: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    words = ["" if word == "{}" else word for word in command.split()]
    assert main(words) == 2
    assert "the name of the file is empty" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["corpus build {} -o out", "corpus split {} -o out"])
def test_a_missing_file_or_a_folder_ends_in_exit_code_one(
    desk: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (desk / "folder").mkdir()
    for name, message in (("none", "no such file"), ("folder", "is a folder")):
        assert main(command.format(name).split()) == 1
        assert message in capsys.readouterr().err


def test_a_ranking_is_not_written_under_the_name_of_another_form(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("threads.jsonl", samples.threads("en")[:1])
    assert main(["rank", "apply", "length", "threads.jsonl", "-o", "ranked.xlsx"]) == 2
    assert ".xlsx files are not written; name a .csv" in capsys.readouterr().err
    assert not (desk / "ranked.xlsx").exists()
