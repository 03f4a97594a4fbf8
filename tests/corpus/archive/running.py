"""The loopback archive as a process, and runs of the command against it that are killed."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.running import RUN
from tests.corpus.archive import server

ROOT = Path(__file__).resolve().parents[3]
RATE = 25.0  # below what the machine can do, or the pace would not show
CONCURRENCY = 8
MANNERS = [
    *("--rate", str(RATE), "--save-rate", "1000", "--concurrency", str(CONCURRENCY)),
    *("--timeout-s", "3", "--attempts", "2", "--backoff-s", "0.05"),
]


@dataclass(frozen=True, slots=True)
class Loopback:
    """A running server: its ports and its log."""

    ports: dict[str, int]
    log: Path

    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]

    @property
    def endpoints(self) -> list[str]:
        return server.endpoints(self.ports)


@contextlib.contextmanager
def loopback(folder: Path) -> Iterator[Loopback]:
    log = folder / "requests.jsonl"
    log.touch()
    with subprocess.Popen(
        [sys.executable, "-m", "tests.corpus.archive.server", str(log)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield Loopback(json.loads(process.stdout.readline()), log)
        finally:
            process.stdin.close()
            process.wait(30)


def command(running: Loopback, events: Path, out: Path, *more: str) -> list[str]:
    """The command against the loopback archive, as typed."""
    ends = [part for each in running.endpoints for part in ("--endpoint", each)]
    return [*RUN, "corpus", "archive", str(events), "-o", str(out), *MANNERS, *ends, *more]


def start(running: Loopback, events: Path, out: Path, *more: str) -> subprocess.Popen[bytes]:
    """A run against the loopback archive."""
    return subprocess.Popen(
        command(running, events, out, *more),
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def outcomes(out: Path) -> dict[str, str]:
    """The outcome of each URL by its path, from the whole lines of the ledger; a URL with two lines is an error."""
    rows: dict[str, str] = {}
    path = out / "ledger.jsonl"
    for line in path.read_bytes().splitlines(keepends=True) if path.is_file() else []:
        if line.endswith(b"\n"):
            row = json.loads(line)
            page = server.page_of(row["url"])
            assert page not in rows, page
            rows[page] = row["outcome"]
    return rows


@dataclass(slots=True)
class Fire:
    """What a run that is killed did: the URLs asked again although they had an outcome, and all that were asked again."""

    kills: int = 0
    again: int = 0
    repeated: int = 0


def run_under_fire(
    running: Loopback, events: Path, out: Path, marks: list[int], *more: str
) -> Fire:
    """Kill a run each time so many URLs have an outcome, then let it end."""
    fire = Fire()
    for mark in [*marks, None]:
        before = outcomes(out)
        logged = len(running.requests())
        seen = _cited(running.requests())
        process = start(running, events, out, *more)
        while mark is not None and process.poll() is None and _lines(out) < mark:
            time.sleep(0.01)
        if mark is not None and process.poll() is None:
            process.kill()
            fire.kills += 1
        process.communicate()
        asked = _cited(running.requests()[logged:])
        fire.again += len(asked & before.keys())
        fire.repeated += len(asked & seen)
    return fire


def _cited(requests: list[dict[str, Any]]) -> set[str]:
    """The cited pages that requests were about; a home page or a login page is none, and neither is what a redirect led to."""
    return {
        row["page"] for row in requests if row["path"].startswith(("/wayback", "/cdx", "/save"))
    }


def _lines(out: Path) -> int:
    path = out / "ledger.jsonl"
    return path.read_bytes().count(b"\n") if path.is_file() else 0


def excess(requests: list[dict[str, Any]], rate: float) -> float:
    """By how many seconds some host was asked too early: the most that requests ran ahead of one interval each."""
    worst = 0.0
    for host in {row["host"] for row in requests}:
        times = [row["t"] for row in requests if row["host"] == host]
        ahead = 0.0
        for earlier, later in itertools.pairwise(times):
            ahead = max(0.0, ahead + 1 / rate - (later - earlier))
            worst = max(worst, ahead)
    return worst
