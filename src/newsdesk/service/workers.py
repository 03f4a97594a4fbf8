"""Heavy work in worker processes, so that pages answer while a summary or a report is made.

A function of a worker is a module-level function of plain values. It keeps what is slow to load (models) in a cache of its own module: every worker
loads a model once. Workers are started when first needed, from a clean interpreter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

from newsdesk.work.worker import Worker, result_of

P = ParamSpec("P")
R = TypeVar("R")


class WorkTimeoutError(Exception):
    """Work that took longer than allowed; its worker was stopped."""


class Workers:
    """Worker processes for calls of an event loop; one that dies or works for too long is replaced."""

    def __init__(self, processes: int, *, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._idle: list[Worker] = []
        self._free = asyncio.Semaphore(processes)

    async def run(self, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Call a function in a worker and wait for its result.

        Work that was lost with its worker is tried once more.
        """
        call = partial(function, *arguments, **named)
        try:
            async with asyncio.timeout(self._timeout_s), self._free:
                answer = await self._answer(call) or await self._answer(call)
        except TimeoutError as error:
            raise WorkTimeoutError(f"the work took longer than {self._timeout_s:g} s") from error
        if answer is None:
            raise RuntimeError("two worker processes died one after the other at the same work")
        result: R = result_of(answer)
        return result

    def close(self) -> None:
        """Stop all workers."""
        while self._idle:
            self._idle.pop().kill()

    def _worker(self) -> Worker:
        """Return an idle worker that lives, else a new one."""
        while self._idle:
            worker = self._idle.pop()
            if worker.process.poll() is None:
                return worker
            worker.kill()
        return Worker()

    async def _answer(self, call: Callable[[], Any]) -> tuple[Any, ...] | None:
        """Return what a worker answers, or None if it died; one that is left while it works is stopped."""
        worker = self._worker()
        loop, descriptor = asyncio.get_running_loop(), worker.connection.fileno()
        ready = asyncio.Event()
        worker.send("newsdesk.work.worker:call", {"function": call})
        loop.add_reader(descriptor, ready.set)
        answer = None
        try:
            await ready.wait()
            answer = worker.answer()
        finally:
            loop.remove_reader(descriptor)
            if answer is None:
                worker.kill()
            else:
                self._idle.append(worker)
        return answer
