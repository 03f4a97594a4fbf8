"""The engine on many machines: the same functions as tasks of a Dask cluster (`dask://HOST:PORT`), with the same results.

A cluster may lose workers, and its scheduler may be restarted; both cost time and nothing else. Dask gives the task of a dead worker to another
one. When the connection to the scheduler is lost, all work in flight is lost with it: we connect again and submit what is unfinished. A task
can then run twice at a time, which is harmless, because tasks write the same bytes atomically. What is lost for longer than
`PATIENCE_S` is an error; so is a scheduler that has never answered after `FIRST_S`: its address is probably wrong.

Pages that crash or hang are the business of the local engine: on a worker each task that has such units runs in a process of its own.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from newsdesk.errors import ArgumentError, EngineError
from newsdesk.registry import require
from newsdesk.work.pool import run_in_processes
from newsdesk.work.progress import OnProgress, Progress
from newsdesk.work.tasks import WorkTask
from newsdesk.work.worker import Worker

SCHEME = "dask://"
PATIENCE_S = 120.0
FIRST_S = 8.0  # to be answered for the first time
_TICK_S = 0.05  # between two looks at the tasks
_CONNECT_S = 3.0
# Tasks that are submitted at a time: enough to keep a thousand workers busy, few enough to submit again.
_IN_FLIGHT = 5_000
_LONGEST_GREETING = 1 << 20  # bytes; what another service says first is text, and a large number
_GATHER_S = 60.0  # to fetch the result of a finished task
MapFunction = Callable[[Any, Any], Any]


_answered: set[str] = set()  # clusters that this process was connected to


class _LostError(Exception):
    """The connection to the scheduler was lost."""


def is_cluster(engine: str) -> bool:
    """Return whether an engine's name is the address of a cluster."""
    return engine.startswith(SCHEME)


def scheduler_of(engine: str) -> str:
    """Return the address of the scheduler as Dask spells it.

    >>> scheduler_of("dask://127.0.0.1:8786")
    'tcp://127.0.0.1:8786'
    """
    host, colon, port = engine.removeprefix(SCHEME).rpartition(":")
    if not host or not colon or not port.isdecimal():
        raise ArgumentError(f"{engine!r} is no cluster; name one like dask://127.0.0.1:8786")
    if not 1 <= int(port[:6]) <= 65535:
        raise ArgumentError(f"{engine!r}: the port is not from 1 to 65535")
    return f"tcp://{host}:{port}"


def run_on_cluster(
    tasks: Sequence[WorkTask], *, engine: str, timeout_s: float, report: OnProgress
) -> list[Any]:
    """Return the results of all tasks, in their order."""
    size = sum(task.size for task in tasks)
    done = 0

    def tell(number: int) -> None:
        nonlocal done
        done += tasks[number].size
        report(Progress("", done / size, 1.0))

    return map_on_cluster(engine, _run_task, timeout_s, tasks, done=tell)


def map_on_cluster(
    engine: str,
    function: MapFunction,
    shared: Any,
    items: Sequence[Any],
    *,
    done: Callable[[int], None] = lambda number: None,
    patience_s: float = PATIENCE_S,
) -> list[Any]:
    """Return `function(shared, item)` for every item, in their order.

    `done` is called with the number of each item that is finished. Raise EngineError after `patience_s`
    without a new result.
    """
    results: dict[int, Any] = {}
    began = last_result = time.monotonic()
    while len(results) < len(items):
        before = len(results)
        with _connected(engine) as client:
            if client is not None:
                _answered.add(engine)
                with suppress(_LostError):
                    _collect(client, function, shared, items, results, done)
        if len(results) > before:
            last_result = time.monotonic()
        elif engine not in _answered and time.monotonic() - began > FIRST_S - _CONNECT_S:
            raise EngineError(
                f"{engine}: no scheduler answers there; start one, or mend the address"
            )
        elif time.monotonic() - last_result > patience_s:
            raise EngineError(
                f"{engine}: no scheduler with workers answered for {patience_s:.0f} s; {len(items) - len(results)} of {len(items)} tasks are unfinished"
            )
        else:
            time.sleep(_TICK_S)
    return [results[number] for number in range(len(items))]


@contextmanager
def _connected(engine: str) -> Iterator[Any]:
    """Yield a client of the cluster; None where nobody answers now."""
    distributed = require("distributed", extra="cluster", what="running on a cluster")
    address = scheduler_of(engine)
    if not _answers(address):
        yield None
        return
    try:
        client = distributed.Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError):
        yield None
        return
    try:
        yield client
    finally:
        client.close(timeout=1)


def _answers(address: str) -> bool:
    """Return whether a scheduler speaks at an address: it sends the first message, and a client waits for it without end."""
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S) as speaker:
            length = speaker.recv(
                8, socket.MSG_WAITALL
            )  # of the first message: a few hundred bytes
            return len(length) == 8 and int.from_bytes(length, "little") < _LONGEST_GREETING
    except OSError:
        return False


def _collect(
    client: Any,
    function: MapFunction,
    shared: Any,
    items: Sequence[Any],
    results: dict[int, Any],
    done: Callable[[int], None],
) -> None:
    """Submit what is unfinished and collect results, until all are there or the connection is lost.

    Results are put into `results` by the number of their item.
    """
    sent = _scattered(client, shared)
    # Taken from the end: the first item first.
    waiting = [number for number in reversed(range(len(items))) if number not in results]
    running: dict[int, Any] = {}  # futures by the number of their item
    while (waiting or running) and client.status == "running":
        while waiting and len(running) < _IN_FLIGHT:
            number = waiting.pop()
            running[number] = _submitted(client, function, sent, items[number])
        ended = [number for number, future in running.items() if future.status != "pending"]
        for number in ended:
            if running[number].status in ("cancelled", "lost"):
                raise _LostError  # the scheduler was lost, and with it all that it knew
            results[number] = _result(running.pop(number))
            done(number)
        time.sleep(_TICK_S)


def _submitted(client: Any, function: MapFunction, sent: Any, item: Any) -> Any:
    """Return the future of one call; raise _LostError if the client was closed."""
    clients = require("distributed.client", extra="cluster", what="running on a cluster")
    try:
        return client.submit(function, sent, item, pure=False)
    except clients.ClosedClientError as error:
        raise _LostError from error


def _losses() -> tuple[type[BaseException], ...]:
    """Return what a lost connection looks like, besides the status of the client and of its futures."""
    import asyncio  # here, because every worker process would import it for nothing
    import concurrent.futures

    return OSError, TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError


def _scattered(client: Any, shared: Any) -> Any:
    """Return what all calls share, sent to the workers once; numbers go with each call."""
    if shared is None or isinstance(shared, int | float | str):
        return shared
    with suppress(*_losses()):  # no workers yet: then it goes with each call
        return client.scatter(shared, broadcast=True, hash=False, timeout=_CONNECT_S)
    return shared


def _result(future: Any) -> Any:
    """Return the result of a task that has ended, or raise what the task raised.

    _LostError if the connection is lost between the end of the task and its result.
    """
    scheduler = require("distributed.scheduler", extra="cluster", what="running on a cluster")
    try:
        return future.result(timeout=_GATHER_S)
    except _losses() as error:
        if future.status == "error":
            raise  # the task's own, such as a file that is not there
        raise _LostError from error
    except scheduler.KilledWorker as error:
        raise EngineError(
            "several workers died one after the other at the same task; look at their logs, and take the file that kills them out of the inputs"
        ) from error


# The process of each thread of a Dask worker, used again by its next task; it ends with its thread, which holds its connection.
_threads = threading.local()


def _run_task(timeout_s: float, task: WorkTask) -> Any:
    """Return the result of a task, run in the process of this thread."""
    idle: list[Worker] = _threads.__dict__.setdefault("idle", [])
    [(_, result)] = run_in_processes([task], workers=1, timeout_s=timeout_s, idle=idle)
    return result
