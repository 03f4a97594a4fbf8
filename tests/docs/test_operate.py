"""The steps of the how-to on operation as plain commands: the units' and the container's, in a folder of the test and on a free port."""

from __future__ import annotations

import configparser
import contextlib
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.cli.running import RUN
from tests.service.serving import free_port

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/operate.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """The blocks of the page in a language, without their indentation."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{indent}", "", text, flags=re.MULTILINE) for indent, text in found]


def unit(text: str) -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment]
    parsed.read_string(text)
    return parsed


def here(words: Sequence[str], folder: Path, port: int) -> list[str]:
    """A command of the page with the test's own program, folder and port."""
    assert Path(words[0]).name == "newsdesk"
    places = {"/var/lib/newsdesk": "data", "/data": "data"}
    changed = [str(folder / places[word]) if word in places else word for word in words[1:]]
    changed = [word.replace("/var/lib/newsdesk-backups", str(folder)) for word in changed]
    changed = [str(port) if word == "8000" else word for word in changed]
    return [*RUN, *changed]


@contextlib.contextmanager
def served(words: Sequence[str], folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """A server that a command of the page starts, once it is ready; at the end it is stopped as systemd and Docker do."""
    command = here(words, folder, port)
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        for _ in range(600):
            assert process.poll() is None, (folder / "log").read_text()
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=5).close()
                break
            time.sleep(0.05)
        yield process
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in (0, -signal.SIGTERM), (folder / "log").read_text()
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_the_units_start_stop_back_up_and_restore(tmp_path: Path) -> None:
    service, backup = (unit(text) for text in blocks("ini"))
    port = free_port()
    words = shlex.split(service["Service"]["ExecStart"])
    with served(words, tmp_path, port) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("sign in as admin: http://127.0.0.1:")
        request = urllib.request.Request(f"http://127.0.0.1:{port}/sign-in")
        request.add_header("host", "desk.example.org")
        assert urllib.request.urlopen(request, timeout=10).status == 200
        copy = here(shlex.split(backup["Service"]["ExecStart"]), tmp_path, port)
        subprocess.run(copy, check=True, capture_output=True)
    restore = [*RUN, "serve", "restore", str(tmp_path / "desk.tar.gz"), "--data", str(tmp_path / "again")]  # fmt: skip
    subprocess.run(restore, check=True, capture_output=True)
    assert (tmp_path / "again/campaigns/newsdesk.db").is_file()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    for name, text in zip(("newsdesk", "newsdesk-backup"), blocks("ini"), strict=True):
        path = tmp_path / f"{name}.service"
        path.write_text(text.replace("/opt/newsdesk/bin/newsdesk", sys.executable))
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True, text=True
        )
        assert [line for line in done.stderr.splitlines() if name in line] == []


def test_the_container_is_built_checked_and_run_by_commands_that_work(tmp_path: Path) -> None:
    [text] = blocks("dockerfile")
    steps = [line.partition(" ")[::2] for line in text.splitlines()]
    runs = [value for name, value in steps if name == "RUN"]
    checks = {name: json.loads(value.removeprefix("CMD ")) for name, value in steps if name in ("HEALTHCHECK", "CMD")}  # fmt: skip
    install = [sys.executable, *shlex.split(runs[0].replace("/src", str(ROOT)))[1:]]
    dry = ["--dry-run", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run([*install, *dry], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "does not provide the extra" not in done.stderr
    port = free_port()
    with served(checks["CMD"], tmp_path, port):
        check = [word.replace("8000", str(port)) for word in checks["HEALTHCHECK"]]
        assert subprocess.run([sys.executable, *check[1:]]).returncode == 0
    assert subprocess.run([sys.executable, *check[1:]], capture_output=True).returncode != 0
