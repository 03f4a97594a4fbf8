"""`newsdesk serve` in a process of its own, and annotators who answer over HTTP until it dies."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

_CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')
_TASK = re.compile(r"/tasks/(\d+)")
_SERVE = [sys.executable, "-c", "from newsdesk.cli.main import run; run()", "serve"]
_FORM = {"content-type": "application/x-www-form-urlencoded"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Server:
    """A running server; `printed` is its first line."""

    process: subprocess.Popen[str]
    port: int
    printed: str

    def kill(self) -> int:
        """End it as a power cut would, and wait until it is gone."""
        self.process.send_signal(signal.SIGKILL)
        return self.process.wait()

    def stop(self) -> int:
        """Ask it to stop, and wait until it did."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextlib.contextmanager
def serving(data: Path, log: Path, *options: str) -> Iterator[Server]:
    """A server on loopback that is ready; it is killed at the end if it still runs."""
    port = free_port()
    command = [*_SERVE, "--data", str(data), "--port", str(port), *options]
    with log.open("a") as stream:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=stream, text=True, env=os.environ
        )
    try:
        assert process.stdout is not None
        printed = process.stdout.readline()
        _wait_until_ready(process, port)
        yield Server(process, port, printed)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _wait_until_ready(process: subprocess.Popen[str], port: int) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended"
        with (
            contextlib.closing(
                http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            ) as connection,
            contextlib.suppress(OSError, http.client.HTTPException),
        ):
            connection.request("GET", "/ready")
            if connection.getresponse().status == 200:
                return
        time.sleep(0.05)
    raise AssertionError("the server was not ready within 30 s")


@dataclass
class Annotator:
    """Somebody who answers tasks of grades over one connection, and notes what was acknowledged and how long it took."""

    name: str
    port: int
    token: str
    campaign: str
    acknowledged: dict[int, int] = field(default_factory=dict)  # task → grade
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._cookie = ""
        self._csrf = ""
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def sign_in(self) -> None:
        status, headers, _ = self._ask("POST", f"/join/{self.token}", {})
        assert status == 303, status
        self._cookie = headers["set-cookie"].partition(";")[0]

    def answer_until(self, stop: threading.Event, pause_s: float = 0.0) -> None:
        """Answer task after task until told to stop, no task is left, or the server is gone."""
        with (
            contextlib.closing(self._connection),
            contextlib.suppress(OSError, http.client.HTTPException),
        ):
            path = f"/annotate/{self.campaign}/continue"
            while not stop.is_set():
                status, headers, body = self._ask("GET", path)
                while status == 303:
                    path = headers["location"]
                    status, headers, body = self._ask("GET", path)
                assert status == 200, (status, body[:300])
                task = _TASK.search(path)
                if task is None:
                    return  # all done
                found = _CSRF.search(body)
                assert found
                self._csrf = found[1]
                stop.wait(pause_s)
                path = self._answer(int(task[1]))

    def _answer(self, task: int) -> str:
        grade = 1 + (task * 7 + len(self.name)) % 5
        path = f"/annotate/{self.campaign}/tasks/{task}"
        fields = {"csrf": self._csrf, "A.grade": str(grade)}
        status, headers, body = self._ask("POST", path, fields)
        assert status == 303, (status, body[:300])
        self.acknowledged[task] = grade
        return headers["location"]

    def _ask(
        self, method: str, path: str, fields: dict[str, str] | None = None
    ) -> tuple[int, http.client.HTTPMessage, str]:
        headers = {"accept": "text/html", "cookie": self._cookie}
        content = None if fields is None else urlencode(fields)
        started = time.perf_counter()
        self._connection.request(
            method, path, content, headers if fields is None else {**headers, **_FORM}
        )
        answer = self._connection.getresponse()
        body = answer.read().decode()
        self.seconds.append(time.perf_counter() - started)
        return answer.status, answer.headers, body
