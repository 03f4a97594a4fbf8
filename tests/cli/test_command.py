"""The command as a user meets it: help, names, exit codes, pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from newsdesk.cli.main import COMMANDS, newsdesk
from newsdesk.registry import TABLES
from tests.cli.running import RUN, all_commands, run


def test_help_lists_every_command_with_its_own_first_line() -> None:
    shown = run("--help").stdout
    for name, (_, text) in COMMANDS.items():
        command = newsdesk.get_command(click.Context(newsdesk), name)
        assert command is not None
        assert command.help is not None
        assert command.help.splitlines()[0] == text
        assert name in shown


@pytest.mark.parametrize("words", all_commands(), ids=" ".join)
def test_no_help_imports_numpy_and_every_help_has_an_example(words: tuple[str, ...]) -> None:
    code = (
        "import sys; from newsdesk.cli.main import main; code = main(sys.argv[1:]);"
        "print('HEAVY', *(m for m in ('numpy', 'scipy', 'rich', 'sklearn') if m in sys.modules)); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stdout.strip().endswith("HEAVY")
    if "COMMAND [ARGS]" not in done.stdout:
        assert "Example:\n" in done.stdout
        assert f"newsdesk {' '.join(words)} " in done.stdout


@pytest.mark.parametrize("kind", list(TABLES))
def test_list_prints_one_name_a_line(kind: str) -> None:
    listed = TABLES[kind]
    assert run("list", kind).stdout.splitlines() == [*listed, *listed.aliases]
    aliases = {"aliases": dict(listed.aliases)} if listed.aliases else {}
    assert json.loads(run("list", kind, "--json").stdout) == {kind: list(listed), **aliases}


def test_list_marks_an_alias_on_stderr() -> None:
    assert "note: newsdesk is an alias of argument" in run("list", "rankers").stderr


def test_usage_errors_exit_with_two() -> None:
    for words in (["list", "tokenisers"], ["recrods"], ["records", "check"], ["--wrong"]):
        done = run(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Usage" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        "score o.jsonl -r r.jsonl --ci --samples 0",
        "rank eval run.jsonl -t t.jsonl --seed -1",
        "rank explain model t.jsonl --top 0",
        "rank vectors t.jsonl -o v.txt --dimensions 0",
        "campaign new pilot --protocol relate --clusters c.jsonl --annotators 2 --sample -1",
    ],
)
def test_a_number_out_of_range_is_told_before_any_file_is_read(words: str) -> None:
    done = run(*words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not in the range" in done.stderr


def test_the_version_is_printed() -> None:
    from newsdesk import __version__

    assert run("--version").stdout == f"newsdesk {__version__}\n"


def test_check_says_what_a_file_holds(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n')
    done = run("records", "check", str(path), "--json")
    assert json.loads(done.stdout)["files"] == [
        {"file": str(path), "type": "article", "format": "newsdesk", "records": 2, "ignored": {}}
    ]
    assert "article" in run("records", "check", str(path)).stdout


def test_check_reads_standard_input() -> None:
    done = run("records", "check", "-", "--json", stdin=b'{"id": "a", "system": "s", "text": ""}')
    assert json.loads(done.stdout)["files"][0]["type"] == "output"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b'{"id": "a", "text": "x"}\n{"id"', ":2: not JSON"),
        (b'{"id": "a", "text": "x", "k": 1}', ":1: unknown key `k`"),
        (b'{"id": "a", "text": 1}', ":1: `text` is the number 1"),
        (b'{"id": "a", "text": ""}\n{"id": "a", "text": ""}', ":2: duplicate article 'a'"),
        (b'{"id": "a", "text": "", "date_confidence": NaN}', ":1: NaN"),
        (b'{"id": "a", "text": "\0"}', ":1: a NUL byte"),
        (b'{"id": "a", "text": "\xff"}', ":1: not UTF-8"),
        (b"what is this", ":1: not JSON"),
        (b'{"who": "knows"}', ":1: the first line shows no record type"),
    ],
)
def test_a_broken_file_is_one_line_and_exit_one(content: bytes, place: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    done = run("records", "check", str(path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{path}{place}")
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_file_and_a_folder_exit_with_one(tmp_path: Path) -> None:
    done = run("records", "check", str(tmp_path / "nope"), str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f"{tmp_path / 'nope'}: no such file",
        f"{tmp_path}: is a folder, not a file",
    ]


def test_an_empty_file_is_zero_records(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.touch()
    done = run("records", "check", str(path), "--json")
    assert (done.returncode, json.loads(done.stdout)["files"][0]["records"]) == (0, 0)


def test_check_compares_files_with_their_manifest(tmp_path: Path) -> None:
    world = tmp_path / "world"
    assert run("simulate", "--events", "2", "--comments", "9", "-o", str(world)).returncode == 0
    manifest = world / "manifest.json"
    assert run("records", "check", str(manifest)).returncode == 0
    listed = manifest.parent / json.loads(manifest.read_text())["files"][0]["name"]
    listed.write_bytes(listed.read_bytes()[:-1])
    done = run("records", "check", str(manifest))
    assert done.returncode == 1
    assert "is not what the manifest says" in done.stderr


def test_convert_brings_csv_into_our_format_and_keeps_what_is_there(tmp_path: Path) -> None:
    source, target = tmp_path / "x.csv", tmp_path / "x.jsonl"
    source.write_text("id,text,mood\na,x,good\n")
    done = run("records", "convert", str(source), "--type", "article", "-o", str(target))
    assert done.returncode == 0
    assert done.stderr == "1 record; ignored: mood (1)\n"
    assert target.read_text() == '{"id": "a", "text": "x"}\n'
    again = run("records", "convert", str(source), "--type", "article", "-o", str(target))
    assert (again.returncode, "add --force" in again.stderr) == (1, True)
    forced = run(
        "records", "convert", str(source), "--type", "article", "-o", str(target), "--force"
    )
    assert forced.returncode == 0
    piped = run("records", "convert", str(source), "--type", "article", "-o", "-")
    assert piped.stdout == target.read_text()


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f'{{"id": "{n}", "text": "{"x" * 500}"}}\n' for n in range(5000)))
    command = [*RUN, "records", "convert", str(path), "-o", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert b"Traceback" not in said
    assert process.returncode == 1


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
@pytest.mark.parametrize("words", ["list metrics", "records convert x.csv --type article -o -"])
def test_a_closed_stream_is_no_traceback(words: str, closed: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,text\na,One.\n")
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *RUN, *words.split()]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert bool(done.stdout) == (closed != ">&-")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("words", [("list", "metrics"), ("records", "check", os.devnull)])
def test_a_full_disk_is_one_line(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*RUN, *words], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.strip() == b"no space left on the disk"


def test_an_interrupt_exits_with_130(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [*RUN, "records", "check", str(pipe), "--type", "article"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        with pipe.open("wb") as stream:  # opens once the command reads
            stream.write(b'{"id": "a", "text": ""}\n')
            stream.flush()
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        assert process.stderr is not None
        assert process.stderr.read().strip() == b"interrupted"


@pytest.mark.timeout(900)  # runs the demo twice
def test_the_demo_ends_in_one_self_contained_page(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    done = run("demo", "--out", str(folder))
    assert done.returncode == 0
    assert done.stdout.strip() == str(folder / "report.html")
    page = (folder / "report.html").read_text("utf-8")
    assert "<h1>newsdesk: the demo</h1>" in page
    assert "src=" not in page
    assert "http" not in page.replace("http://www.w3.org", "").split("<main>")[0]
    assert run("demo", "--out", str(folder)).returncode == 1
    assert run("demo", "--out", str(folder), "--force").returncode == 0
    assert (folder / "report.html").read_text("utf-8") == page
