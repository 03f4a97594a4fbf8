"""Run tasks, or a function over items, by an engine's name: in this process, in a pool of processes, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from newsdesk.errors import ArgumentError
from newsdesk.work.cluster import (
    SCHEME,
    is_cluster,
    map_on_cluster,
    run_on_cluster,
    scheduler_of,
)
from newsdesk.work.pool import run_in_processes
from newsdesk.work.progress import OnProgress, Progress, silent
from newsdesk.work.tasks import Timer, WorkTask, load

ENGINES = ("processes", "inline")
TIMEOUT_S = 30.0
_BATCH_ITEMS = 1_000  # in memory at a time, on their way to a cluster


@dataclass(frozen=True, slots=True)
class Running:
    """How tasks are run; nothing here changes a result, except which pages are given up for their time."""

    engine: str = "processes"
    workers: int = 1
    timeout_s: float = TIMEOUT_S
    report: OnProgress = silent

    def run(self, tasks: Sequence[WorkTask]) -> list[Any]:
        """Return the results of tasks, in their order."""
        return run_tasks(
            tasks,
            engine=self.engine,
            workers=self.workers,
            timeout_s=self.timeout_s,
            report=self.report,
        )


def run_tasks(
    tasks: Sequence[WorkTask],
    *,
    engine: str = "processes",
    workers: int = 1,
    timeout_s: float = TIMEOUT_S,
    report: OnProgress = silent,
) -> list[Any]:
    """Return the results of all tasks, in their order.

    They do not depend on the engine or on the number of workers. `timeout_s` is the CPU time of a unit.

    `processes` replaces a worker that dies and gives up on the page that kills it twice; `inline` runs everything in this
    process, where a crash is a crash; `dask://HOST:PORT` gives the tasks to a cluster, which reads and writes the same files.
    """
    check_engine(engine)
    if workers < 1 or timeout_s <= 0:
        raise ArgumentError(f"{workers} workers and a timeout of {timeout_s} s cannot work")
    if not tasks:
        return []
    if is_cluster(engine):
        return run_on_cluster(tasks, engine=engine, timeout_s=timeout_s, report=report)
    if engine == "processes":
        results = dict(run_in_processes(tasks, workers=workers, timeout_s=timeout_s, report=report))
        return [results[number] for number in range(len(tasks))]
    return _run_inline(tasks, timeout_s, report)


def check_engine(engine: str) -> None:
    """Refuse what is no engine's name."""
    if is_cluster(engine):
        scheduler_of(engine)
    elif engine not in ENGINES:
        raise ArgumentError(
            f"no engine is called {engine!r}; there are: {', '.join(ENGINES)}, {SCHEME}HOST:PORT"
        )


def map_items(
    engine: str,
    function: Callable[[Any, Any], Any],
    shared: Any,
    items: Iterable[Any],
    *,
    workers: int = 1,
) -> Iterator[Any]:
    """Yield `function(shared, item)` for every item, in their order.

    With `processes` and several workers the function and its arguments are pickled.
    """
    check_engine(engine)
    if workers < 1:
        raise ArgumentError(f"jobs is {workers}, not at least 1")
    rest = iter(items)
    if is_cluster(engine):
        while batch := list(islice(rest, _BATCH_ITEMS)):
            yield from map_on_cluster(engine, function, shared, batch)
    elif engine == "processes" and workers > 1:
        yield from _map_in_processes(function, shared, rest, workers)
    else:
        for item in rest:
            yield function(shared, item)


def _map_in_processes(
    function: Callable[[Any, Any], Any], shared: Any, items: Iterable[Any], workers: int
) -> Iterator[Any]:
    """Yield the results in the order of the items; those that come early wait for their turn."""
    call = "newsdesk.work.worker:call_shared"
    tasks = [
        WorkTask(f"item {number}", call, {"function": function, "item": item}, unit="result")
        for number, item in enumerate(items)
    ]
    waiting: dict[int, Any] = {}  # results by the number of their item
    turn = 0
    for number, result in run_in_processes(
        tasks, workers=workers, timeout_s=TIMEOUT_S, shared=shared
    ):
        waiting[number] = result
        while turn in waiting:
            yield waiting.pop(turn)
            turn += 1


def _run_inline(tasks: Sequence[WorkTask], timeout_s: float, report: OnProgress) -> list[Any]:
    """Return the results of tasks that run one by one in this process."""
    total = sum(task.size for task in tasks)
    results: list[Any] = []
    done = units = 0
    for task in tasks:

        def begin(number: int, position: int, done: int = done) -> None:
            nonlocal units
            units += 1
            report(Progress(f"{units:,} {tasks[0].unit}s", (done + position) / total, 1.0))

        watch = Timer(timeout_s, begin=begin, end=lambda: None)
        results.append(load(task.function)(watch, **task.arguments))
        done += task.size
    return results
