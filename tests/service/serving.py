"""`newsdesk serve` in a process of its own."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SERVE = [sys.executable, "-c", "from newsdesk.cli.main import run; run()", "serve"]


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

    def cpu_s(self) -> float:
        """The CPU time it has used, without its worker processes."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> int:
        """End it as a power cut would, and wait until it is gone."""
        self.process.send_signal(signal.SIGKILL)
        return self.process.wait()

    def stop(self) -> int:
        """Ask it to stop, and wait until it did."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextlib.contextmanager
def serving(data: Path, log: Path, *options: str, port: int | None = None) -> Iterator[Server]:
    """A server on loopback that is ready; it is killed at the end if it still runs."""
    port = port or free_port()
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
