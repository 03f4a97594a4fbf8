"""Tasks that processes run, and the units inside a task that may hang or crash.

A task calls a function of a module with a `Watch` and its arguments. Its work is a sequence of numbered units (pages); each runs inside
`watch.unit(number, …)`. A unit that takes too long or takes the process with it is named by that number, and the next attempt at the task finds it
in `watch.skip`.
"""

from __future__ import annotations

import importlib
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Protocol

# Why a unit is skipped.
TIMEOUT = "timeout"
CRASHED = "crashed"


class UnitTimeout(BaseException):
    """A unit used up its CPU time. Not an `Exception`: parsers that catch everything must not catch this."""


@dataclass(frozen=True, slots=True)
class WorkTask:
    """A call of `function` ("module:attribute") with a watch and `arguments`.

    `size` in bytes weighs its progress; `unit` is the word for its units in messages.
    """

    name: str
    function: str
    arguments: Mapping[str, Any]
    size: int = 1
    unit: str = "page"


def load(function: str) -> Any:
    """Return the function that "module:attribute" names."""
    module, _, attribute = function.partition(":")
    return getattr(importlib.import_module(module), attribute)


class Watch(Protocol):
    """What a task sees of the pool."""

    @property
    def skip(self) -> Mapping[int, str]:
        """Units that must not be tried again, each with the reason."""

    def unit(self, number: int, position: int) -> AbstractContextManager[None]:
        """Time one unit, which begins at byte `position` of the input; raises `UnitTimeout`."""


@dataclass(frozen=True, slots=True)
class Timer:
    """A watch that limits each unit's CPU time; `begin` is called before every unit and `end` after it."""

    timeout_s: float
    begin: Callable[[int, int], None]  # with the unit's number and position
    end: Callable[[], None]
    skip: Mapping[int, str] = field(default_factory=dict)

    @contextmanager
    def unit(self, number: int, position: int) -> Iterator[None]:
        """Run one unit of work under the CPU time limit, announced to the pool."""
        self.begin(number, position)
        try:
            with cpu_limit(self.timeout_s):
                yield
        finally:
            self.end()


@contextmanager
def cpu_limit(timeout_s: float) -> Iterator[None]:
    """Raise `UnitTimeout` in the block after so much CPU time, and every second from then on.

    CPU time and not the clock's, so that a busy machine changes no result. Only the main thread can be interrupted; elsewhere,
    and where the system has no such timer, there is no limit.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGPROF"):
        yield
        return
    previous = signal.signal(signal.SIGPROF, _expire)
    signal.setitimer(signal.ITIMER_PROF, timeout_s, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _expire(signum: int, frame: FrameType | None) -> None:
    raise UnitTimeout
