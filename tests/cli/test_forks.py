"""Tests run commands in forks of one process: these end and print as the process of a user does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from newsdesk.cli.threads import THREAD_FORMATS
from newsdesk.registry import FORMATS
from tests.cli.running import RUN, run


@pytest.mark.parametrize(
    ("words", "stdin", "code"),
    [
        ("list metrics", b"", 0),
        ("list nothing", b"", 2),
        ("records check none.jsonl", b"", 1),
        ("records check - --type article", b'{"id": "a", "text": "b"}\n{"id": "a"}\n', 1),
    ],
)
def test_a_command_ends_as_in_a_process_of_its_own(words: str, stdin: bytes, code: int) -> None:
    process = subprocess.run([*RUN, *words.split()], input=stdin, capture_output=True, check=False)
    fork = run(*words.split(), stdin=stdin)
    assert process.returncode == fork.returncode == code
    assert (process.stdout.decode(), process.stderr.decode()) == (fork.stdout, fork.stderr)


def test_a_command_has_the_folder_and_the_environment_of_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a", "text": "b"}\n')
    wide = run("--help").stdout
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "40")
    assert run("records", "check", "a.jsonl", "--type", "article").returncode == 0
    assert len(run("--help").stdout.splitlines()) > len(wide.splitlines())


def test_every_format_of_threads_is_in_the_registry() -> None:
    assert set(THREAD_FORMATS) - {"newsdesk"} <= set(FORMATS)
