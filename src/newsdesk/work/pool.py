"""A pool of worker processes that outlives its workers.

A worker that dies is replaced, and its task is tried again. If it died inside a unit, that unit is tried once more; when it
kills a second worker it is skipped with the reason `crashed`. A unit that does not end (the worker's own CPU limit cannot
interrupt a loop in C, nor a sleep) is ended by the clock here, with the worker, and skipped with `timeout` the second time.
So one bad page costs one record, and a worker killed by somebody else costs nothing.
"""

from __future__ import annotations

import selectors
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from newsdesk.errors import EngineError
from newsdesk.work.progress import OnProgress, Progress, silent
from newsdesk.work.tasks import CRASHED, TIMEOUT, WorkTask
from newsdesk.work.worker import Worker, result_of

_ATTEMPTS = 2  # of a unit
_DEATHS = 3  # of workers at one point outside any unit
_TICK_S = 0.1  # between two looks for overdue units


def run_in_processes(
    tasks: Sequence[WorkTask],
    *,
    workers: int,
    timeout_s: float,
    report: OnProgress = silent,
    shared: Any = None,
    idle: list[Worker] | None = None,
) -> Iterator[tuple[int, Any]]:
    """Yield the number and the result of every task as it is done.

    Workers come from the list `idle` first and go back there, if there is one. A `shared` value is sent to each of them once.
    """
    with closing(_Pool(tasks, timeout_s, report, shared, idle)) as pool:
        yield from pool.run(min(workers, len(tasks)))


@dataclass(eq=False, slots=True)
class _Job:
    """What a worker of the pool is doing: its task, the unit it is in or was in last, and since when."""

    worker: Worker
    task: int | None = None  # its number
    unit: int | None = None  # the number of the unit it is in
    last: int | None = None  # that of the last unit it ended
    position: int = 0  # of the unit in the task's input, in bytes
    since: float = 0.0  # when the unit began
    overdue: bool = False  # killed by the pool
    ready: bool = False  # has what all tasks share


class _Pool:
    """The state of one run: what waits, who works on what, and what has failed how often."""

    def __init__(
        self,
        tasks: Sequence[WorkTask],
        timeout_s: float,
        report: OnProgress,
        shared: Any,
        idle: list[Worker] | None,
    ) -> None:
        self._tasks = tasks
        self._timeout_s = timeout_s
        self._report = report
        self._shared = shared
        self._idle = idle
        # Taken from the end: the largest first, so that no worker ends with a large one alone.
        self._waiting = sorted(range(len(tasks)), key=lambda number: (tasks[number].size, -number))
        self._skip: list[dict[int, str]] = [{} for _ in tasks]  # of each task: unit → reason
        # Deaths of workers by task, "in" or "after" a unit, and the unit.
        self._failures: Counter[tuple[int, str, int | None]] = Counter()
        self._jobs: set[_Job] = set()
        self._selector = selectors.DefaultSelector()
        self._started = time.monotonic()
        self._units = 0  # begun
        self._done_bytes = 0  # of finished tasks
        self._total_bytes = sum(task.size for task in tasks)

    def run(self, workers: int) -> Iterator[tuple[int, Any]]:
        """Work until every task has its result; yield each with the number of its task."""
        for _ in range(workers):
            self._start()
        open_tasks = len(self._tasks)
        while open_tasks:
            heard = [self._hear(key.data) for key, _ in self._selector.select(_TICK_S)]
            self._end_overdue()  # before the caller takes its time with a result
            results = [result for result in heard if result is not None]
            open_tasks -= len(results)
            yield from results

    def close(self) -> None:
        """Stop every worker process."""
        for job in list(self._jobs):
            self._remove(job).kill()
        self._selector.close()

    def _start(self) -> None:
        """Take an idle worker, or start one, and give it a task."""
        worker = self._idle.pop() if self._idle else Worker()
        job = _Job(worker, ready=self._shared is None)
        self._jobs.add(job)
        self._selector.register(worker.connection, selectors.EVENT_READ, job)
        self._next(job)

    def _remove(self, job: _Job) -> Worker:
        self._jobs.discard(job)
        self._selector.unregister(job.worker.connection)
        return job.worker

    def _next(self, job: _Job) -> None:
        """Send the worker a task, or let it go if none waits."""
        if self._waiting:
            job.task, job.unit, job.last, job.position = self._waiting.pop(), None, None, 0
            self._send(job, job.task)
        elif self._idle is None:
            self._remove(job).kill()
        else:
            self._idle.append(self._remove(job))

    def _send(self, job: _Job, number: int) -> None:
        """Send the worker a task; before its first one only what all tasks share."""
        if not job.ready:
            job.worker.send("newsdesk.work.worker:share", {"value": self._shared})
            return
        task = self._tasks[number]
        job.worker.send(task.function, task.arguments, self._timeout_s, self._skip[number])

    def _hear(self, job: _Job) -> tuple[int, Any] | None:
        """Read all that a worker has answered; return number and result of its task if that is done."""
        result = None
        while result is None and job in self._jobs and job.worker.connection.poll():
            match job.worker.answer():
                case None:
                    self._bury(job)
                case ("unit", number, position):
                    job.unit, job.position, job.since = number, position, time.monotonic()
                    self._units += 1
                case ("end",):
                    job.unit, job.last = None, job.unit
                case answer:
                    assert job.task is not None
                    outcome = result_of(answer)
                    if not job.ready:
                        job.ready = True
                        self._send(job, job.task)
                        continue
                    result = job.task, outcome
                    self._done_bytes += self._tasks[job.task].size
                    job.task = None
                    self._next(job)
        self._report(self._progress())
        return result

    def _progress(self) -> Progress:
        running_bytes = sum(job.position for job in self._jobs if job.task is not None)
        rate = self._units / max(time.monotonic() - self._started, 1e-3)
        step = f"{self._units:,} {self._tasks[0].unit}s, {rate:,.0f}/s" if self._units else ""
        share = (self._done_bytes + running_bytes) / self._total_bytes
        return Progress(step, done=min(1.0, share), total=1.0)

    def _end_overdue(self) -> None:
        """Kill the workers whose unit takes far longer than its CPU limit."""
        limit_s = 2 * self._timeout_s + 1
        now = time.monotonic()
        for job in self._jobs:
            if job.unit is not None and now - job.since > limit_s:
                job.overdue = True
                job.worker.process.kill()  # its connection closes, and it is buried like any other

    def _bury(self, job: _Job) -> None:
        """Replace a dead worker; its task waits again, without the unit that has killed too often."""
        self._remove(job).kill()
        if job.task is not None:
            self._blame(job, job.task)
            self._waiting.append(job.task)
        if self._waiting:
            self._start()

    def _blame(self, job: _Job, task: int) -> None:
        """Count the death of a worker; skip a unit that killed too often, or raise EngineError outside any."""
        inside = job.unit is not None
        point = (task, "in" if inside else "after", job.unit if inside else job.last)
        self._failures[point] += 1
        if job.unit is not None and self._failures[point] >= _ATTEMPTS:
            self._skip[task][job.unit] = TIMEOUT if job.overdue else CRASHED
        elif not inside and self._failures[point] >= _DEATHS:
            name, unit = self._tasks[task].name, self._tasks[task].unit
            where = f"before its first {unit}" if job.last is None else f"after {unit} {job.last}"
            raise EngineError(f"{name}: {_DEATHS} workers died {where}; take it out of the inputs")
