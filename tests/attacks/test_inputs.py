"""Inputs that break parsers, outputs that nobody reads, and what killed writers leave behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from newsdesk import files, samples
from newsdesk.errors import FileError
from newsdesk.jsonl import json_line, json_value
from tests.cli.running import run

DEEP = "[" * 100_000 + "]" * 100_000
THREADS = str(samples.path("threads-en.jsonl"))
TOML = {
    "nested": f"a = {DEEP}",
    "tables in tables": "a = " + "{a=" * 50_000 + "1" + "}" * 50_000,
    "a key of many names": "a" + ".a" * 100_000 + " = 1",
    "a key of many quoted names": '"x y"' + '."x y"' * 50_000 + " = 1",
    "a header of many names": "[" + "a." * 100_000 + "a]",
    "many escapes": 'a = "' + '\\"' * 200_000 + '"',
    "a megabyte of keys": "\n".join(f"a{number} = 1" for number in range(100_000)),
    "UTF-16": "a = 1",
}
READERS = (
    ("corpus", "build", "{file}", "-o", "out"),
    ("study", "claims", "{file}"),
    (*("campaign", "new", "x", "--protocol", "{file}", "--threads", THREADS),
     *("--annotators", "2", "--store", "sqlite:///store.db")),
)  # fmt: skip


@pytest.mark.parametrize("what", TOML)
def test_hostile_toml_is_one_line_wherever_it_is_read(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("evil.toml").write_text(TOML[what], "utf-16" if what == "UTF-16" else "utf-8")
    for words in READERS:
        done = run(*(word.format(file="evil.toml") for word in words))
        assert done.returncode == 1, (words, done.stderr)
        assert len(done.stderr.splitlines()) == 1 and "evil.toml" in done.stderr, done.stderr[-300:]
        if what == "UTF-16":
            assert "UTF-16 text; save the file as UTF-8" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["evil.toml"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_wide_text_is_called_what_it_is(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "wide.jsonl"
    path.write_bytes((json_line({"id": "a", "text": "x"}).decode() * 2).encode(encoding))
    done = run("records", "check", str(path), "--type", "article")
    name = encoding[:6].upper()
    assert done.stdout.strip().endswith(f"wide.jsonl:1: {name} text; save the file as UTF-8") or (
        f"wide.jsonl:1: {name} text; save the file as UTF-8" in done.stderr
    )


JSON_READERS = (
    ("records", "check", "{file}", "--type", "cluster"),
    ("rank", "apply", "ready", "{file}"),
    ("score", "{file}", "--references", "{file}"),
    ("comment", "verify", "{file}"),
    ("study", "report", "{file}", "-o", "report.html"),
    ("study", "agreement", "{file}", "--protocol", "grade"),
    ("corpus", "align", "{file}", "{file}", "-o", "clusters.jsonl"),
)


def test_deep_json_is_one_line_wherever_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("deep.jsonl").write_text(f'{{"id": {DEEP}}}\n')
    for words in JSON_READERS:
        done = run(*(word.format(file="deep.jsonl") for word in words))
        said = done.stderr + done.stdout
        assert done.returncode == 1 and "Traceback" not in said, (words, said[-300:])
        assert "deep" in said and len(said.splitlines()) == 1, (words, said[-300:])


def test_json_is_read_down_to_two_hundred_levels() -> None:
    assert json_value("[" * 200 + "]" * 200)
    for levels in (300, 900, 100_000):
        with pytest.raises(ValueError, match="nested more than 200 deep"):
            json_value("[" * levels + "]" * levels)
    assert json_value("[" + "[1]," * 5_000 + "1]")[-1] == 1  # many, not deep


@pytest.mark.parametrize("closed", ["stdout", "stderr", "both"])
@pytest.mark.parametrize(
    "words",
    [("list", "metrics"), ("corpus", "--help"), ("records", "check", THREADS), ("nonsense",)],
    ids=" ".join,
)
def test_a_reader_that_went_away_gets_no_traceback(words: tuple[str, ...], closed: str) -> None:
    """As after `newsdesk … | head -1`: standard output, or errors, is a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "newsdesk", *words],
        stdout=subprocess.PIPE if closed == "stderr" else writing,
        stderr=subprocess.PIPE if closed == "stdout" else writing,
    )
    os.close(writing)
    assert b"Traceback" not in (done.stdout or b"") + (done.stderr or b"")
    if words != ("nonsense",):
        assert not done.stderr
    assert done.returncode in (0, 1, 2)


def test_the_parts_of_dead_writers_go_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    """Found out by a lock, not by the number in the name: in containers every process is number 1."""
    write = "from newsdesk import files; import os, sys\nwith files.atomic('x.txt') as s:\n    s.write(b'half'); s.flush()\n    "
    subprocess.run([sys.executable, "-c", write + "os.kill(os.getpid(), 9)"], cwd=tmp_path)
    [dead] = tmp_path.glob(".x.txt.*.part")
    foreign = tmp_path / ".y.txt.77.part"
    foreign.write_text("of another file")
    waiting = write + "print('ready', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", waiting], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as living:
        assert living.stdout.readline() == b"ready\n"
        assert not dead.exists()
        [alive] = tmp_path.glob(".x.txt.*.part")
        subprocess.run([sys.executable, "-c", "from newsdesk import files; files.write_text('x.txt', 'new')"], cwd=tmp_path, check=True)  # fmt: skip
        assert alive.exists() and foreign.exists()
        assert (tmp_path / "x.txt").read_text() == "new"
        living.stdin.close()
        assert living.wait() == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [".y.txt.77.part", "x.txt"]
    assert (tmp_path / "x.txt").read_text() == "half"


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "judgments.jsonl"
    path.touch(0o600)
    files.write_text(path, "names")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_output_that_cannot_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        files.check_writable("/proc/newsdesk/x")
    files.check_writable(tmp_path / "new" / "folder")
    assert list(tmp_path.iterdir()) == []
    out = str(tmp_path / "none" / "runs.jsonl")
    done = run("rank", "apply", "ready", "missing.jsonl", "-o", out)
    assert done.returncode == 1 and "there is no folder" in done.stderr
