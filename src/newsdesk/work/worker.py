"""Worker processes: the handle that the pool holds, and the loop that runs on the other side.

A worker is a clean interpreter that takes one request at a time: a function, its arguments and the limits of its units. It answers with
`("unit", number, position)` before a unit and `("end",)` after it, then with `("done", result)`, `("error", error)` for an error of newsdesk's own, or
`("bug", traceback)`. What it sent before a crash can still be read after it, which is how the pool knows the unit that did it. This is the one
place where errors cross from process to process. A worker dies with the process that started it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pickle
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection, Pipe
from typing import Any

from newsdesk.errors import NewsdeskError
from newsdesk.work.tasks import Timer, Watch, load

_START = (
    "import sys; sys.path[:] = {path!r}; "
    "from newsdesk.work.worker import main; main({descriptor}, {life})"
)
# Parallel work is spread over processes: in each of them numerical libraries get one thread.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
)
# What all calls of `map_items` share, sent to a worker once.
_shared: list[Any] = [None]


class Worker:
    """A worker process, idle or with a request that it works on."""

    def __init__(self) -> None:
        self.connection, far = Pipe()
        life, self._life = Pipe(duplex=False)  # carries nothing: it closes with this process
        start = _START.format(path=sys.path, descriptor=far.fileno(), life=life.fileno())
        with far, life:
            self.process = subprocess.Popen(
                [sys.executable, "-c", start],
                stdin=subprocess.DEVNULL,
                stdout=2,  # what a library prints is not data
                pass_fds=[far.fileno(), life.fileno()],
                env={**os.environ, **_ONE_THREAD},
            )

    def send(
        self,
        function: str,
        arguments: Mapping[str, Any],
        timeout_s: float = 0.0,
        skip: Mapping[int, str] | None = None,
    ) -> None:
        """Send a request: a call of "module:attribute" with a watch and the arguments.

        `timeout_s` is the CPU time of a unit; `skip` are units not to try, each with the reason.
        """
        with contextlib.suppress(OSError):  # then it is dead, and its closed connection says so
            self.connection.send((function, dict(arguments), timeout_s, dict(skip or {})))

    def answer(self) -> tuple[Any, ...] | None:
        """Wait for the next answer; None when the worker is dead."""
        try:
            answer: tuple[Any, ...] = self.connection.recv()
        except (EOFError, OSError):
            return None
        return answer

    def kill(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        self.connection.close()
        self._life.close()


def result_of(answer: tuple[Any, ...]) -> Any:
    """Return the result of a request that has ended, or raise the error that it ended with."""
    match answer:
        case ("error", error):
            raise error
        case ("bug", trace):
            raise RuntimeError(f"a worker failed:\n{trace}")
    return answer[1]


def share(watch: Watch, *, value: Any) -> None:
    """Store in a worker what all requests of `call_shared` share."""
    _shared[0] = value


def call_shared(watch: Watch, *, function: Callable[[Any, Any], Any], item: Any) -> Any:
    """Call a function with what was shared and an item."""
    return function(_shared[0], item)


def call(watch: Watch, *, function: Callable[[], Any]) -> Any:
    """Call a function, which is pickled with its arguments."""
    return function()


def main(descriptor: int, life: int) -> None:
    """Serve requests until the connection closes.

    `descriptor` is the connection; `life` is the pipe that closes with the process that started this one.
    """
    _die_with(life)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other side decides when to stop
    with Connection(descriptor) as connection, contextlib.suppress(EOFError, OSError):
        while True:
            answer = _answer(connection, connection.recv_bytes())
            try:
                connection.send(answer)
            except (pickle.PicklingError, TypeError, AttributeError):  # a result that cannot travel
                connection.send(("bug", traceback.format_exc()))


def _answer(connection: Connection, request: bytes) -> tuple[Any, ...]:
    """Run one request, announcing its units, and return the last answer: done, error or bug."""
    try:
        function, arguments, timeout_s, skip = pickle.loads(request)  # noqa: S301 - from the process that started this one
        watch = Timer(
            timeout_s,
            begin=lambda number, position: connection.send(("unit", number, position)),
            end=lambda: connection.send(("end",)),
            skip=skip,
        )
        return "done", load(function)(watch, **arguments)
    except NewsdeskError as error:
        return "error", error
    except Exception:  # noqa: BLE001 - the edge of the process: the other side raises it again
        return "bug", traceback.format_exc()


def _die_with(life: int) -> None:
    """Let the kernel end this process when the other end of a pipe is closed, whatever it is doing then."""
    # Not the signal at a parent's death: that one comes with the death of the parent's thread already.
    signal.signal(signal.SIGIO, signal.SIG_DFL)  # the default is to die of it
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETFL, os.O_ASYNC)
    if select.select([life], [], [], 0)[0]:  # closed before we asked
        sys.exit(1)
