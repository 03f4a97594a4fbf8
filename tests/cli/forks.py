"""Commands in forks of a process that has imported the libraries: each a process of its own, without the seconds of its imports."""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

ROOT = Path(__file__).resolve().parents[2]
# What many commands import. Nothing that starts threads (polars, torch): a fork has only one.
LIBRARIES = (
    *("newsdesk.cli.main", "newsdesk.cli.emit", "newsdesk.cli.threads", "newsdesk.results.table"),
    *("newsdesk.records", "newsdesk.campaigns.store", "newsdesk.metrics.systems"),
    *("numpy", "openpyxl", "scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats"),
    *("sqlalchemy", "lxml.html"),
)
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_MESSAGE_BYTES = 1 << 18
_START = "from tests.cli.forks import serve; serve({descriptor})"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, with what it wrote."""

    code: int
    stdout: bytes
    stderr: bytes


class Forks:
    """A process that runs command lines in forks of itself; started when first needed."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._settings: dict[str, str] = {}
        self.cpu_s = 0.0  # of that process and of all commands so far

    def run(self, arguments: Sequence[str], stdin: BinaryIO) -> Ended:
        """Run a command line with this process's environment and folder."""
        if self._socket is None or self._settings != _settings_of_python(os.environ):
            self.close()
            self._start()
        assert self._socket is not None
        request = {
            "arguments": arguments,
            "environment": dict(os.environ),
            "folder": str(Path.cwd()),
        }
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            descriptors = [stdin.fileno(), out.fileno(), err.fileno()]
            try:
                socket.send_fds(self._socket, [json.dumps(request).encode()], descriptors)
                code, spent_s = json.loads(self._socket.recv(_MESSAGE_BYTES))
            except BaseException:  # such as a test's time limit: the answer must not reach another
                self.close()
                raise
            self.cpu_s += spent_s
            out.seek(0)
            err.seek(0)
            return Ended(code, out.read(), err.read())

    def close(self) -> None:
        """End the process, if there is one."""
        if self._socket is not None and self._process is not None:
            self._socket.close()
            self._process.kill()
            self._process.wait()
        self._socket = self._process = None

    def _start(self) -> None:
        self._settings = _settings_of_python(os.environ)
        self._socket, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START.format(descriptor=far.fileno())],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[far.fileno()],
                env={**os.environ, **_ONE_THREAD},
            )


def _settings_of_python(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what an interpreter reads when it starts, and a fork of it cannot change."""
    return {name: value for name, value in environment.items() if name.startswith("PYTHON")}


def serve(descriptor: int) -> None:
    """Run the command lines that arrive, each in a fork, until the other side is gone."""
    for name in LIBRARIES:
        importlib.import_module(name)
    threads = len(list(Path("/proc/self/task").iterdir()))
    assert threads == 1, f"{threads} threads: a fork of this process would hang"
    gc.collect()
    gc.freeze()  # pages that forks share stay shared
    spent_s = 0.0
    with socket.socket(fileno=descriptor) as requests:
        while True:
            message, streams, _, _ = socket.recv_fds(requests, _MESSAGE_BYTES, 3)
            if not message:
                return
            child = os.fork()
            if child == 0:
                requests.close()
                _end(_exit_code(json.loads(message), streams))
            for stream in streams:
                os.close(stream)
            _, status = os.waitpid(child, 0)
            before_s, spent_s = spent_s, sum(os.times()[:4])
            answer = [os.waitstatus_to_exitcode(status), spent_s - before_s]
            requests.send(json.dumps(answer).encode())


def _exit_code(request: dict[str, Any], streams: Sequence[int]) -> int:
    """Run the command as the interpreter runs a script and return its exit code."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv[1:] = request["arguments"]
    from newsdesk.cli.main import run

    try:
        run()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except BaseException:  # noqa: BLE001 - as the interpreter does with a script
        traceback.print_exc()
        return 1
    return 0


def _end(code: int) -> None:
    """End a fork as an interpreter ends, but for taking down all the modules that it shares."""
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or 120
    os._exit(code)
