"""The store at full size: 200 writers killed at random and 200 around a commit, 200 annotators at once on each database, and a campaign of 43,000 comments."""

from __future__ import annotations

import random
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

from newsdesk.campaigns.report import report_page
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.types import Judgment
from tests.campaigns.servers import NoServerError, postgres
from tests.campaigns.test_crash import check_after_kills, kill_at_commits, kill_writers
from tests.campaigns.workers import faults, start_crowd
from tests.campaigns.worlds import GRADE, RANK, rank_tasks

KILLS = 200
PROCESSES, THREADS = 8, 25
TASKS, PER_ITEM = 200, 10
COMMENTS = 43_000
LARGE_CPU_S = 20.0
STREAM_MB = 30


def kills(url: str, folder: Path, count: int) -> None:
    with Store.open(url) as store:
        store.create("pilot", RANK, rank_tasks(5000), None, per_item=40, seed=0)
    done = kill_writers(url, count, random.Random(0), folder)
    if problems := check_after_kills(url, done):
        raise SystemExit(f"after {count} kills: {problems[0]} (and {len(problems) - 1} more)")
    print(f"{count} writers killed: {len(done):,} rankings acknowledged, all there, none in part")


def commits(url: str, folder: Path, count: int) -> None:
    """Kills placed before, during and after a commit."""
    with Store.open(url) as store:
        store.create("pilot", RANK, rank_tasks(500), None, per_item=40, seed=0)
    done = kill_at_commits(url, count, folder)
    if problems := check_after_kills(url, done):
        raise SystemExit(
            f"after {count} kills at commits: {problems[0]} (and {len(problems) - 1} more)"
        )
    print(
        f"{count} writers killed around a commit: {len(done):,} rankings acknowledged, all there, none in part"
    )


def crowd(url: str, folder: Path) -> None:
    with Store.open(url) as store:
        store.create("crowd", RANK, rank_tasks(TASKS, systems=2), None, per_item=PER_ITEM, seed=0)
    started = time.perf_counter()
    workers = start_crowd(url, "crowd", PROCESSES, THREADS, folder)
    codes = [worker.end(kill=False) for worker in workers]
    seconds = time.perf_counter() - started
    done = [pair for worker in workers for pair in worker.acknowledged()]
    with Store.open(url, create=False) as store:
        problems = faults(store, "crowd", done)
        status = store.status("crowd")
    expected = TASKS * PER_ITEM
    if codes != [0] * PROCESSES or problems or not len(set(done)) == status.done == expected:
        raise SystemExit(f"exit codes {codes}, {status.done} of {expected} done, {problems[:3]}")
    print(
        f"{PROCESSES} x {THREADS} annotators: {expected:,} tasks claimed and answered in {seconds:.0f} s "
        f"({expected / seconds:.0f} a second), none given to more than {PER_ITEM}, none lost, none double"
    )


def large(url: str) -> None:
    """Created, answered and read: two of five graders for every comment."""
    tasks = [
        Task(f"c{n}", f"a{n // 20}", (Target(f"c{n}", f"{n} " + "words of a comment " * 8),))
        for n in range(COMMENTS)
    ]
    graders = [f"grader {n}" for n in range(5)]
    with Store.open(url) as store:
        timer = _Timer()
        store.create("large", GRADE, tasks, graders, per_item=2, seed=0)
        timer.lap("created")
        given = [
            Judgment(
                "large",
                todo.task.id,
                todo.task.item,
                todo.task.id,
                "grade",
                1 + place % 5,
                name,
                seconds=9.0,
            )
            for name in graders
            for place, todo in enumerate(store.assignments("large", name))
        ]
        timer.lap("slots read")
        stored = store.import_judgments("large", given)
        timer.lap("imported")
        again = store.import_judgments("large", given)
        timer.lap("imported again")
        if (stored.new, again.unchanged, again.new) != (len(given), len(given), 0):
            raise SystemExit(f"{stored.new} and {again.new} new of {len(given)}")
        del given
        before = _peak_mb()
        count = sum(1 for _ in store.judgments("large"))
        timer.lap("streamed")
        if _peak_mb() - before > STREAM_MB:
            raise SystemExit(f"{_peak_mb() - before:.0f} MB more to stream {count} judgments")
        report_page(store, "large", seed=0)
        timer.lap("reported")
    print(f"{COMMENTS:,} comments, {count:,} grades: {timer}")
    for what in (("created", "imported"), ("reported",)):
        spent = sum(timer.cpu[each] for each in what)
        if spent > LARGE_CPU_S:
            raise SystemExit(f"{spent:.1f} s of CPU {what}, where {LARGE_CPU_S} are allowed")


class _Timer:
    """Laps in seconds of the clock and of our own CPU; floors are on CPU, which a busy machine leaves alone."""

    def __init__(self) -> None:
        self._last = time.perf_counter(), time.process_time()
        self.clock: dict[str, float] = {}
        self.cpu: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.perf_counter(), time.process_time()
        self.clock[name], self.cpu[name] = (now[n] - self._last[n] for n in range(2))
        self._last = now

    def __str__(self) -> str:
        return ", ".join(
            f"{name} {self.clock[name]:.1f} s ({self.cpu[name]:.1f} CPU)" for name in self.clock
        )


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # stops the server as well
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("SQLite:")
        kills(f"sqlite:///{folder}/kills.db", folder, KILLS)
        commits(f"sqlite:///{folder}/commits.db", folder, KILLS)
        crowd(f"sqlite:///{folder}/crowd.db", folder)
        large(f"sqlite:///{folder}/large.db")
    try:
        with tempfile.TemporaryDirectory() as name, postgres(durable=True) as url:
            print("PostgreSQL:")
            kills(url, Path(name), KILLS // 4)
        with tempfile.TemporaryDirectory() as name, postgres(durable=True) as url:
            commits(url, Path(name), KILLS)
        with tempfile.TemporaryDirectory() as name, postgres(durable=True) as url:
            crowd(url, Path(name))
            large(url)
    except NoServerError as reason:
        raise SystemExit(f"NOTHING WAS MEASURED ON POSTGRESQL: {reason}") from reason


if __name__ == "__main__":
    main()
