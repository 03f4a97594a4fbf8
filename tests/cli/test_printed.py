"""What short commands print goes to a file as it is, and never over another unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import records, samples
from tests.cli.running import run


@pytest.fixture
def store(tmp_path: Path) -> str:
    threads = tmp_path / "threads.jsonl"
    records.write(threads, samples.threads("en")[:1])
    url = f"sqlite:///{tmp_path}/store.db"
    done = run(
        "campaign", "new", "pilot", "--protocol", "grade", "--threads", str(threads),
        "--annotators", "ann,ben", "--store", url,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return url


@pytest.mark.parametrize("json", [(), ("--json",)], ids=["table", "json"])
@pytest.mark.parametrize(
    "words", ["list rankers", "records check FILE", "campaign status", "campaign status pilot"]
)
def test_what_is_printed_can_go_to_a_file(
    words: str, json: tuple[str, ...], store: str, tmp_path: Path
) -> None:
    said = [word.replace("FILE", str(tmp_path / "threads.jsonl")) for word in words.split()]
    said += ["--store", store] if words.startswith("campaign") else []
    printed = run(*said, *json)
    assert printed.returncode == 0
    assert len(printed.stdout) > 20
    out = tmp_path / "out"
    assert run(*said, *json, "-o", str(out)).stdout == ""
    assert out.read_text("utf-8") == printed.stdout
    out.write_text("mine")
    again = run(*said, *json, "-o", str(out))
    assert (again.returncode, "add --force" in again.stderr) == (1, True)
    assert out.read_text("utf-8") == "mine"
    assert run(*said, *json, "-o", str(out), "--force").returncode == 0
    assert out.read_text("utf-8") == printed.stdout


def test_a_bad_file_still_fails_the_check_when_its_table_goes_to_a_file(tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.jsonl", tmp_path / "out.json"
    bad.write_text("{")
    done = run("records", "check", str(bad), "--json", "-o", str(out))
    assert (done.returncode, done.stdout) == (1, "")
    assert '"error"' in out.read_text("utf-8")
