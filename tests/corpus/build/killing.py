"""A build that is killed at random moments and started again, and what must be true of it in the end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tests.cli.running import RUN


@dataclass(slots=True)
class Killed:
    """A build under fire: how often it was killed, and each page that was extracted although its shard was finished."""

    folder: Path
    kills: int = 0
    again: list[str] = field(default_factory=list)
    _finished: set[str] = field(default_factory=set)
    _lines: int = 0

    def look(self, ledger: Path) -> None:
        """Compare the extractions since the last look with the shards that were finished by then."""
        lines = ledger.read_text().split() if ledger.exists() else []
        self.again += [url for url in lines[self._lines :] if url in self._finished]
        self._lines = len(lines)
        for done in self.folder.glob("articles/.work/shards/*.json"):
            self._finished |= set(pl.read_parquet(done.with_suffix(".rows"))["url"])


def start(settings: Path, out: Path, ledger: Path, workers: int = 2) -> subprocess.Popen[bytes]:
    """Start a build in a process group of its own; every extraction is a line of the ledger."""
    command = [*RUN, "corpus", "build", settings.name, "-o", str(out), "--jobs", str(workers)]
    environment = {**os.environ, "EXTRACTIONS": str(ledger), "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(str(Path(each).resolve()) for each in sys.path)
    return subprocess.Popen(
        command,
        cwd=settings.parent,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def finish(settings: Path, out: Path, ledger: Path) -> float:
    """Let a build run to its end; the seconds it took."""
    started = time.monotonic()
    assert start(settings, out, ledger).wait() == 0
    return time.monotonic() - started


def build_under_fire(
    settings: Path, out: Path, ledger: Path, *, kills: int, seconds: float, rng: random.Random
) -> Killed:
    """Kill a build so many times within `seconds` of its start, every second time with its workers, then let it end."""
    killed = Killed(out)
    while killed.kills < kills:
        process = start(settings, out, ledger)
        time.sleep(rng.uniform(0.1, seconds))
        if process.poll() is None:
            if killed.kills % 2:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
        killed.kills += 1
        killed.look(ledger)
    finish(settings, out, ledger)
    killed.look(ledger)
    return killed
