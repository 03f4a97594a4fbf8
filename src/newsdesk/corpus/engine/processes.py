"""A pool of worker processes that outlives its workers.

A worker that dies is replaced, and its task is tried again. If it died inside a unit, that unit is tried once more; when it
kills a second worker it is skipped with the reason `crashed`. A unit that does not end (the worker's own CPU limit cannot
interrupt a loop in C, nor a sleep) is ended by the clock here, with the worker, and skipped with `timeout` the second time.
So one bad page costs one record, and a worker killed by somebody else costs nothing.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from newsdesk import errors
from newsdesk.corpus.engine.failures import rebuilt_error
from newsdesk.corpus.engine.tasks import Progress, Report, Task
from newsdesk.corpus.pages import CRASHED, TIMEOUT

_ATTEMPTS = 2  # of a unit
_DEATHS = 3  # of workers at one place outside any unit
_TICK_S = 0.1
_START = (
    "import sys; sys.path[:] = {path!r}; "
    "from newsdesk.corpus.engine.worker import main; main({parent})"
)


def run_in_processes(
    tasks: Sequence[Task],
    *,
    workers: int,
    timeout_s: float,
    report: Report,
    idle: list[Worker] | None = None,
) -> list[Any]:
    """The results of all tasks, in their order; workers come from the list `idle` first and go back there, if there is one."""
    pool = _Pool(tasks, timeout_s, report, idle)
    try:
        pool.run(min(workers, len(tasks)))
    finally:
        pool.close()
    return [pool.results[number] for number in range(len(tasks))]


class Worker:
    """A process with the task it works on, and the unit it is in."""

    def __init__(self) -> None:
        environment = {**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START.format(path=sys.path, parent=os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        self.task: int | None = None
        self.unit: int | None = None
        self.last: int | None = None
        self.position = 0
        self.since = 0.0
        self.overdue = False
        self._rest = b""

    def send(self, number: int, task: Task, timeout_s: float, skip: dict[int, str]) -> None:
        """Send a task to the worker, which starts it."""
        self.task, self.unit, self.last, self.position = number, None, None, 0
        assert self.process.stdin is not None
        message = {
            "function": task.function,
            "arguments": dict(task.arguments),
            "timeout_s": timeout_s,
            "skip": skip,
        }
        with suppress(
            BrokenPipeError
        ):  # then it is dead, and the closed pipe of its answers says so
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def answers(self) -> list[list[Any]] | None:
        """The answers that have arrived; None when the worker is dead."""
        assert self.process.stdout is not None
        part = os.read(self.process.stdout.fileno(), 1 << 16)
        if not part:
            return None
        *lines, self._rest = (self._rest + part).split(b"\n")
        return [json.loads(line) for line in lines]

    def kill(self) -> None:
        """End the process and close its pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


class _Pool:
    def __init__(
        self,
        tasks: Sequence[Task],
        timeout_s: float,
        report: Report,
        idle: list[Worker] | None = None,
    ) -> None:
        self._tasks = tasks
        self._idle = idle
        self._timeout_s = timeout_s
        self._report = report
        # The largest first, so that no worker ends with a large one alone.
        self._waiting = sorted(range(len(tasks)), key=lambda number: (tasks[number].size, -number))
        self._skip: list[dict[int, str]] = [{} for _ in tasks]
        self._failures: Counter[tuple[int, str, int | None]] = Counter()
        self._workers: set[Worker] = set()
        self._selector = selectors.DefaultSelector()
        self._units = self._done = 0
        self._size = sum(task.size for task in tasks)
        self.results: dict[int, Any] = {}

    def run(self, workers: int) -> None:
        """Work until every task has its result."""
        for _ in range(workers):
            self._start()
        while len(self.results) < len(self._tasks):
            for key, _ in self._selector.select(_TICK_S):
                self._hear(key.data)
            self._end_overdue()

    def close(self) -> None:
        """Stop every worker process."""
        for worker in list(self._workers):
            self._remove(worker)
        self._selector.close()

    def _start(self) -> None:
        worker = self._idle.pop() if self._idle else Worker()
        self._workers.add(worker)
        assert worker.process.stdout is not None
        self._selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
        self._next(worker)

    def _remove(self, worker: Worker) -> None:
        self._workers.discard(worker)
        self._selector.unregister(worker.process.stdout)  # type: ignore[arg-type]
        worker.kill()

    def _retire(self, worker: Worker) -> None:
        if self._idle is None:
            self._remove(worker)
            return
        self._workers.discard(worker)
        self._selector.unregister(worker.process.stdout)  # type: ignore[arg-type]
        self._idle.append(worker)

    def _next(self, worker: Worker) -> None:
        if not self._waiting:
            self._retire(worker)
            return
        number = self._waiting.pop()
        worker.send(number, self._tasks[number], self._timeout_s, self._skip[number])

    def _hear(self, worker: Worker) -> None:
        answers = worker.answers()
        if answers is None:
            self._bury(worker)
            return
        for answer in answers:
            match answer:
                case ["unit", number, position]:
                    worker.unit, worker.position, worker.since = number, position, time.monotonic()
                    self._units += 1
                case ["end"]:
                    worker.unit, worker.last = None, worker.unit
                case ["done", result]:
                    assert worker.task is not None
                    self.results[worker.task] = result
                    self._done += self._tasks[worker.task].size
                    worker.task = None
                    self._next(worker)
                case ["error", kind, details]:
                    raise rebuilt_error(kind, details)
                case ["bug", trace]:
                    raise RuntimeError(f"a worker failed:\n{trace}")
        self._report(self._progress())

    def _progress(self) -> Progress:
        running = sum(worker.position for worker in self._workers if worker.task is not None)
        return Progress(self._units, min(1.0, (self._done + running) / self._size))

    def _end_overdue(self) -> None:
        limit = 2 * self._timeout_s + 1
        now = time.monotonic()
        for worker in list(self._workers):
            if worker.unit is not None and now - worker.since > limit:
                worker.overdue = True
                worker.process.kill()  # its pipe closes, and it is buried like any other

    def _bury(self, worker: Worker) -> None:
        """Replace a dead worker; its task waits again, without the unit that has killed too often."""
        self._remove(worker)
        if worker.task is not None:
            self._blame(worker, worker.task)
            self._waiting.append(worker.task)
        if self._waiting:
            self._start()

    def _blame(self, worker: Worker, task: int) -> None:
        inside = worker.unit is not None
        place = (task, "in" if inside else "after", worker.unit if inside else worker.last)
        self._failures[place] += 1
        if worker.unit is not None and self._failures[place] >= _ATTEMPTS:
            self._skip[task][worker.unit] = TIMEOUT if worker.overdue else CRASHED
        elif not inside and self._failures[place] >= _DEATHS:
            where = "before its first page" if worker.last is None else f"after page {worker.last}"
            raise errors.EngineError(
                f"{self._tasks[task].name}: {_DEATHS} workers died {where}; take the file out of the inputs"
            )
