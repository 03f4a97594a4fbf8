"""Heavy work in worker processes, so that pages answer while a summary or a report is made, and turns that are fair between people.

A function of a worker is a module-level function of plain values. It keeps what is slow to load (models) in a cache of its own module: every worker
loads a model once. Workers are started when first needed, from a clean interpreter, and yield the cores to the server.
Whoever has the least work running is next, then whoever was served longest ago. Where a person's work takes long, one more worker serves the others.
The time limit of a request does not count the time that it waits for its turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, ParamSpec, TypeVar

from newsdesk.work.worker import Worker, result_of

P = ParamSpec("P")
R = TypeVar("R")

_PATIENCE_S = 2.0  # after which one more worker serves somebody who has no work running
_MOST_WAITING = 200  # turns that one person may wait for
_NICENESS = 5  # of workers beyond the server's, so that pages come first where cores are few
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


class WorkTimeoutError(Exception):
    """Work that took longer than allowed; its worker was stopped."""


class WorkQueueError(Exception):
    """Work that did not get its turn: too much of the same person waits, or nothing became free in time."""


class WorkFailedError(Exception):
    """Work that ended in a bug or lost its workers; `frames` are where, `reason` is the type of the error."""

    def __init__(self, reason: str, frames: list[str]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.frames = frames


@dataclass(slots=True)
class Caller:
    """Who sends the current request, and the time limit of the request until its answer begins.

    What a request starts and leaves behind is done for the same person, outside the `task` of the request and without its limit.
    """

    who: str
    deadline: asyncio.Timeout | None = None
    task: asyncio.Task[Any] | None = None

    @contextlib.contextmanager
    def clock_stopped(self) -> Iterator[None]:
        """Let the time limit not count while the block runs."""
        deadline = self.deadline
        ends = None if deadline is None else deadline.when()
        if deadline is None or ends is None or asyncio.current_task() is not self.task:
            yield
            return
        loop = asyncio.get_running_loop()
        remaining_s = ends - loop.time()
        deadline.reschedule(None)
        try:
            yield
        finally:
            deadline.reschedule(loop.time() + remaining_s)


CALLER: ContextVar[Caller] = ContextVar("caller")


class Turns:
    """Turns of an event loop, fair between people; a person has at most `most_each` at once.

    With `spare`, one more is given to somebody who has none and has waited for a while.
    """

    def __init__(
        self,
        count: int,
        *,
        most_each: int | None = None,
        spare: bool = False,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._count = count
        self._most_each = most_each or count
        self._spare = spare
        self._patience_s = patience_s
        # Who waits, in the order of their next turn: since when, and what wakes them.
        self._waiting: dict[str, deque[tuple[float, asyncio.Future[None]]]] = {}
        self._running: Counter[str] = Counter()

    @contextlib.asynccontextmanager
    async def turn(self, timeout_s: float) -> AsyncIterator[None]:
        """Wait for a turn of the current caller and hold it while the block runs."""
        caller = CALLER.get(None) or Caller("")
        with caller.clock_stopped():
            await self._granted(caller.who, timeout_s)
        try:
            yield
        finally:
            self._end(caller.who)

    async def _granted(self, who: str, timeout_s: float) -> None:
        """Wait until it is the turn of a person."""
        queue = self._waiting.setdefault(who, deque())
        if len(queue) >= _MOST_WAITING:
            raise WorkQueueError(f"{_MOST_WAITING} of your requests wait already; try again later")
        loop = asyncio.get_running_loop()
        entry = loop.time(), loop.create_future()
        queue.append(entry)
        self._hand_out()
        wake = loop.call_later(self._patience_s, self._hand_out)
        try:
            async with asyncio.timeout(timeout_s):
                await entry[1]
        except BaseException as error:
            if entry in queue:
                queue.remove(entry)
            else:  # it was granted in the same moment
                self._end(who)
            if isinstance(error, TimeoutError):
                raise WorkQueueError(f"nothing became free in {timeout_s:g} s") from error
            raise
        finally:
            wake.cancel()

    def _end(self, who: str) -> None:
        self._running[who] -= 1
        self._running += Counter()  # drops those who have none
        self._hand_out()

    def _hand_out(self) -> None:
        """Give free turns to those who wait."""
        while (who := self._next()) is not None:
            queue = self._waiting.pop(who)
            _, granted = queue.popleft()
            if queue:
                self._waiting[who] = queue  # behind all others
            self._running[who] += 1
            granted.set_result(None)

    def _next(self) -> str | None:
        """Return whose turn is next, or None if nothing is free for those who wait."""
        self._waiting = {who: queue for who, queue in self._waiting.items() if queue}
        total = self._running.total()
        if total < self._count:
            may = [who for who in self._waiting if self._running[who] < self._most_each]
            return min(may, key=lambda who: self._running[who], default=None)
        if not self._spare or total > self._count:
            return None
        late = asyncio.get_running_loop().time() - self._patience_s
        idle = (who for who in self._waiting if not self._running[who])
        return next((who for who in idle if self._waiting[who][0][0] <= late), None)


class _WorkerCall:
    """One call in a worker, run by a thread; it can be stopped from another one."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._stopped = False

    def run(self, take: Callable[[], Worker], put: Callable[[Worker], None]) -> Any:
        """Return what a worker answers, or None if it died or was stopped."""
        worker = take()
        with self._lock:
            self._worker = worker
            if self._stopped:
                worker.process.kill()
        worker.send("newsdesk.work.worker:call", {"function": self._call})
        answer = worker.answer()
        with self._lock:
            self._worker = None
        if answer is None:
            worker.kill()
        else:
            put(worker)
        return answer

    def stop(self) -> None:
        """End the worker of this call."""
        with self._lock:
            self._stopped = True
            if self._worker is not None:
                self._worker.process.kill()


class Workers:
    """Worker processes for calls of an event loop; one that dies or works for too long is replaced."""

    def __init__(self, processes: int, *, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._idle: deque[Worker] = deque()
        self._jobs: set[_WorkerCall] = set()
        self._turns = Turns(processes, spare=True)
        # Threads wait for the workers: large values are sent and read without holding up the event loop.
        self._threads = ThreadPoolExecutor(processes + 2, "worker")

    async def run(self, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Call a function in a worker and wait for its result.

        Work that was lost with its worker is tried once more.
        """
        call = partial(function, *arguments, **named)
        async with self._turns.turn(self._timeout_s):
            try:
                async with asyncio.timeout(self._timeout_s) as limit:
                    answer = await self._answer(call) or await self._answer(call)
            except TimeoutError as error:
                if not limit.expired():
                    raise
                text = f"the work took longer than {self._timeout_s:g} s"
                raise WorkTimeoutError(text) from error
        match answer:
            case None:
                raise WorkFailedError("two workers died one after the other at this work", [])
            case ("bug", trace):
                raise WorkFailedError(*_told_by(trace))
        result: R = result_of(answer)
        return result

    def close(self) -> None:
        """Stop all workers, and what they do."""
        for job in self._jobs:
            job.stop()
        self._threads.shutdown()
        while self._idle:
            self._idle.pop().kill()

    async def _answer(self, call: Callable[[], Any]) -> tuple[Any, ...] | None:
        """Return what a worker answers, or None if it died; one that is left while it works is stopped."""
        job = _WorkerCall(call)
        self._jobs.add(job)
        loop = asyncio.get_running_loop()
        try:
            answer: tuple[Any, ...] | None = await loop.run_in_executor(
                self._threads, job.run, self._take, self._idle.append
            )
        except BaseException:
            job.stop()
            raise
        finally:
            self._jobs.discard(job)
        return answer

    def _take(self) -> Worker:
        """Return an idle worker that lives, else a new one."""
        while self._idle:
            with contextlib.suppress(IndexError):  # another thread was faster
                worker = self._idle.pop()
                if worker.process.poll() is None:
                    return worker
                worker.kill()
        worker = Worker()
        with contextlib.suppress(OSError, AttributeError):  # dead already, or Windows
            own = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PROCESS, worker.process.pid, min(19, own + _NICENESS))
        return worker


def _told_by(trace: str) -> tuple[str, list[str]]:
    """Return the type of the error and the last frames of a traceback, without the error's message.

    >>> _told_by('Traceback:\\n  File "a/b.py", line 3, in f\\n    x\\nValueError: a text')
    ('ValueError', ['b.py:3'])
    """
    frames = list(_FRAME.finditer(trace))
    after = trace[frames[-1].end() :].splitlines() if frames else trace.splitlines()
    kind = next((line for line in after if re.match(r"\w", line)), "an error")
    named = [f"{frame[1].rpartition('/')[2]}:{frame[2]}" for frame in frames[-6:]]
    return kind.partition(":")[0], named
