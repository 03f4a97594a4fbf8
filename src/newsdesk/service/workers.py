"""Heavy work in worker processes, so that pages answer while a summary or a report is made.

A function of a worker is a module-level function of plain values. It keeps what is slow to load (models) in a cache of its own module: every worker
loads a model once. Workers are started when first needed, from a clean interpreter.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

from newsdesk.errors import ArgumentError, DataError, FileError, NewsdeskError, SpecError

P = ParamSpec("P")
R = TypeVar("R")


# What crosses from a worker; any other error of newsdesk arrives as its root.
_ERRORS = {each.__name__: each for each in (ArgumentError, DataError, FileError, SpecError)}


@dataclass(frozen=True, slots=True)
class _Refused:
    """An error that newsdesk raised on purpose in a worker: not every one of them can be pickled."""

    name: str
    message: str

    def error(self) -> NewsdeskError:
        return _ERRORS.get(self.name, NewsdeskError)(self.message)


class WorkTimeoutError(Exception):
    """Work that took longer than allowed; its worker was stopped."""


class Workers:
    """A pool of worker processes that is replaced when one of them dies or works for too long."""

    def __init__(self, processes: int, *, timeout_s: float) -> None:
        self._processes = processes
        self._timeout_s = timeout_s
        self._pool: ProcessPoolExecutor | None = None
        self._lock = threading.Lock()

    async def run(self, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Call a function in a worker and wait for its result; work that was lost with its worker is tried once more."""
        call = partial(function, *arguments, **named)
        for last in (False, True):
            pool = self._running()
            try:
                work = pool.submit(_guarded, call)
                outcome = await asyncio.wait_for(asyncio.wrap_future(work), self._timeout_s)
                if isinstance(outcome, _Refused):
                    raise outcome.error()
                return outcome
            except TimeoutError as error:
                self._discard(pool)
                raise WorkTimeoutError(
                    f"the work took longer than {self._timeout_s:g} s"
                ) from error
            except asyncio.CancelledError:
                if work.running():  # and nobody waits for it any longer: it must not hold up others
                    self._discard(pool)
                raise
            except BrokenProcessPool:
                self._discard(pool)
                if last:
                    raise
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Finish what runs and stop all workers."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)

    def _running(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    self._processes,
                    mp_context=multiprocessing.get_context("spawn"),
                    initializer=_prepare,
                )
            return self._pool

    def _discard(self, pool: ProcessPoolExecutor) -> None:
        """Stop the workers of a pool that cannot be used any longer; the next call starts new ones."""
        with self._lock:
            if self._pool is pool:
                self._pool = None
        # The executor offers no way to stop a running call before Python 3.14.
        processes = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            with contextlib.suppress(OSError, ValueError):
                process.kill()


def _guarded(call: Callable[[], R]) -> R | _Refused:
    try:
        return call()
    except NewsdeskError as error:
        return _Refused(type(error).__name__, str(error))


def _prepare() -> None:
    """Set up a worker: an interrupt of the terminal is for the server alone, and numerical libraries get one thread."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
