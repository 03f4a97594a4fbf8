"""Running tasks by an engine's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from newsdesk.corpus.engine.cluster import (
    SCHEME,
    is_cluster,
    map_on_cluster,
    run_on_cluster,
    scheduler_of,
)
from newsdesk.corpus.engine.processes import run_in_processes
from newsdesk.corpus.engine.tasks import Progress, Report, Task, Timer
from newsdesk.corpus.engine.worker import load
from newsdesk.errors import ArgumentError

ENGINES = ("processes", "inline")
TIMEOUT_S = 30.0
_BATCH_ITEMS = 1_000  # in memory at a time, on their way to a cluster


def run_tasks(
    tasks: Sequence[Task],
    *,
    engine: str = "processes",
    workers: int = 1,
    timeout_s: float = TIMEOUT_S,
    report: Report = lambda progress: None,
) -> list[Any]:
    """The results of all tasks, in their order; they do not depend on the engine or on the number of workers.

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
        return run_in_processes(tasks, workers=workers, timeout_s=timeout_s, report=report)
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
) -> Iterator[Any]:
    """`function(shared, item)` for every item, in their order: on a cluster, or one after the other in this process."""
    check_engine(engine)
    rest = iter(items)
    if is_cluster(engine):
        while batch := list(islice(rest, _BATCH_ITEMS)):
            yield from map_on_cluster(engine, function, shared, batch)
        return
    for item in rest:
        yield function(shared, item)


def _run_inline(tasks: Sequence[Task], timeout_s: float, report: Report) -> list[Any]:
    total = sum(task.size for task in tasks)
    results: list[Any] = []
    done = units = 0
    for task in tasks:

        def begin(number: int, position: int, done: int = done) -> None:
            nonlocal units
            units += 1
            report(Progress(units, (done + position) / total))

        watch = Timer(timeout_s, begin, lambda: None)
        results.append(load(task.function)(watch, **task.arguments))
        done += task.size
    return results
