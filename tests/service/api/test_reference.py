"""The examples of docs/reference/api.md, run against a server that listens on the loopback."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from newsdesk.service.app import create_app
from newsdesk.service.settings import ServiceSettings

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "api.md"
_BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a server, and an admin's key."""
    app = create_app(ServiceSettings(tmp_path_factory.mktemp("served") / "data"))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, access_log=False)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, args=([listening],))
    thread.start()
    while not running.started:
        time.sleep(0.05)
    key = app.state.desk.access.add_key("docs", ["admin"]).token
    yield f"http://127.0.0.1:{listening.getsockname()[1]}", key
    running.should_exit = True
    thread.join()
    listening.close()


def blocks(language: str) -> list[str]:
    return [body for kind, body in _BLOCK.findall(PAGE.read_text("utf-8")) if kind == language]


def test_the_python_client_has_ten_lines_and_ranks(server: tuple[str, str]) -> None:
    [source] = blocks("python")
    assert len([line for line in source.splitlines() if line.strip()]) <= 10
    namespace = {"SERVER": server[0], "KEY": server[1]}
    exec(compile(source, str(PAGE), "exec"), namespace)
    assert namespace["best"]["comment"] == "c2"  # type: ignore[index]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_every_curl_example_is_answered(server: tuple[str, str]) -> None:
    commands = [
        command
        for block in blocks("sh")
        for command in re.split(r"(?m)^(?=curl )", block)
        if command.strip()
    ]
    assert len(commands) >= 7
    for command in commands:
        ran = subprocess.run(
            ["sh", "-c", f"{command.strip()} --noproxy '*' -w '\\n%{{http_code}}'"],
            env={"SERVER": server[0], "KEY": server[1], "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        body, _, status = ran.stdout.rpartition("\n")
        assert status in ("200", "201"), (command, ran.stdout, ran.stderr)
        # The judgment of one task lacks nothing; the line of a stream is an object, too.
        assert isinstance(json.loads(body.splitlines()[0]), dict)
        assert "error" not in body
