"""`newsdesk serve` in a process of its own."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from newsdesk.service.app import create_app, server_options
from newsdesk.service.settings import ServiceSettings

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
def running(settings: ServiceSettings) -> Iterator[tuple[int, FastAPI]]:
    """The port and the app of a server on loopback, in a thread, with all that `newsdesk serve` sets but its options."""
    app = create_app(settings)
    server = uvicorn.Server(uvicorn.Config(app, **server_options(settings, "127.0.0.1", 0)))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1], app
    finally:
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def serving(
    data: Path, log: Path, *options: str, port: int | None = None, descriptors: int | None = None
) -> Iterator[Server]:
    """A server on loopback that is ready; it is killed at the end if it still runs."""
    port = port or free_port()
    command = [*_SERVE, "--data", str(data), "--port", str(port), *options]
    if descriptors is not None:
        command = ["sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh", *command]
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
