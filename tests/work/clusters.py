"""A Dask cluster of processes on loopback, whose parts can be killed and replaced."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class LoopbackCluster:
    """A scheduler and workers with one thread each; `engine` is its address for newsdesk."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self._folder = folder
        self.port = free_port()
        self.engine = f"dask://127.0.0.1:{self.port}"
        self.scheduler = self._start_scheduler()
        self.workers = [self._start_worker() for _ in range(workers)]

    def kill_worker(self) -> None:
        """End a worker with kill -9 and start another one."""
        worker = self.workers.pop(0)
        worker.kill()
        worker.wait()
        self.workers.append(self._start_worker())

    def restart_scheduler(self) -> None:
        """End the scheduler with kill -9 and start another one at its address; workers end with their scheduler and are replaced."""
        self.scheduler.kill()
        self.scheduler.wait()
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.scheduler = self._start_scheduler()
        self.workers = [self._start_worker() for _ in self.workers]

    def open_gate(self) -> None:
        """Let the pages go on that wait in the extractor `gated`."""
        (self._folder / "open").touch()

    def close(self) -> None:
        """End everything."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start_scheduler(self) -> subprocess.Popen[bytes]:
        return self._start("dask_scheduler", ["--port", str(self.port), "--no-show"])

    def _start_worker(self) -> subprocess.Popen[bytes]:
        options = ["--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--death-timeout", "60"]
        folder = ["--local-directory", str(self._folder)]
        return self._start("dask_worker", [f"tcp://127.0.0.1:{self.port}", *options, *folder])

    def _start(self, program: str, options: Sequence[str]) -> subprocess.Popen[bytes]:
        paths = os.pathsep.join(str(Path(each).resolve()) for each in sys.path)
        log = (self._folder / f"{program}-{time.monotonic_ns()}.log").open("wb")
        with log:
            return subprocess.Popen(
                [
                    *(sys.executable, "-m", f"distributed.cli.{program}", "--host", "127.0.0.1"),
                    *("--no-dashboard", *options),
                ],
                env={
                    **os.environ,
                    "PYTHONPATH": paths,
                    "OMP_NUM_THREADS": "1",
                    "GATE": str(self._folder),
                },
                stdout=log,
                stderr=log,
            )
