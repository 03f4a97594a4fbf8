"""Long work whose result stays in a folder: started once however many ask, with progress, and again after a kill.

The state of a job is what lies in its folder: `done` when the result is whole, `failed` with the sentence that says why, `progress.json` meanwhile. The process that works holds a
lock on the folder, so that two servers over one data folder do not compute the same thing; a lock ends with its process, and the next who asks starts again.

    job = desk.jobs.ensure(folder, function, *arguments)
    if job.state == "done": …                     # what `function(folder, report, *arguments)` wrote is whole
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from newsdesk.errors import NewsdeskError
from newsdesk.files import make_folder, write_text
from newsdesk.service.workers import Workers, WorkFailedError, WorkTimeoutError
from newsdesk.work.progress import OnProgress, Progress

JobState = Literal["running", "done", "failed"]
# Work on a folder: it writes its files there and reports how far it is.
JobFunction = Callable[..., None]

_DONE, _FAILED, _PROGRESS, _LOCK = "done", "failed", "progress.json", "lock"
_OFTEN_S = 0.2  # between two reports of progress


@dataclass(frozen=True, slots=True)
class DeskJob:
    """How far a job is: the present step and, where it is known, the share that is done; or why it failed."""

    state: JobState
    step: str = ""
    share: float | None = None


def job_of(folder: Path) -> DeskJob:
    """Return the state of the job of a folder, which may have stopped without an end."""
    if (folder / _DONE).exists():
        return DeskJob("done", share=1.0)
    with suppress(OSError):
        return DeskJob("failed", (folder / _FAILED).read_text("utf-8"))
    with suppress(OSError, ValueError):
        progress = json.loads((folder / _PROGRESS).read_bytes())
        return DeskJob("running", progress["step"], progress["share"])
    return DeskJob("running", "waiting")


class Jobs:
    """The jobs that this process started, by folder."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._running: dict[Path, asyncio.Task[None]] = {}

    def ensure(self, folder: Path, function: JobFunction, *arguments: Any) -> DeskJob:
        """Return the state of a job; one that neither runs nor has ended is started. Call it in the event loop."""
        job = job_of(folder)
        if job.state == "running" and folder not in self._running:
            task = asyncio.get_running_loop().create_task(self._run(folder, function, *arguments))
            self._running[folder] = task
            task.add_done_callback(lambda _: self._running.pop(folder, None))
        return job

    def running(self, folder: Path) -> DeskJob | None:
        """Return the state of a job that ended, or that this process does; None if nobody does it."""
        job = job_of(folder)
        return job if job.state != "running" or folder in self._running else None

    @property
    def count(self) -> int:
        """How many jobs of this process run or wait."""
        return len(self._running)

    def again(self, folder: Path) -> None:
        """Forget the failure of a job, so that it can be tried again."""
        (folder / _FAILED).unlink(missing_ok=True)

    async def close(self) -> None:
        """Stop what runs; it starts again when somebody asks."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, folder: Path, function: JobFunction, *arguments: Any) -> None:
        try:
            await self._workers.run(work_in, str(folder), function, *arguments)
        except WorkTimeoutError as error:
            _fail(folder, f"{error}; try a smaller file")
        except WorkFailedError as error:
            _fail(folder, f"an error of newsdesk ({error.reason}); its log says where")
            raise


def work_in(folder: str, function: JobFunction, *arguments: Any) -> None:
    """Do the work of a job in a worker process, unless another process does it at this moment."""
    path = make_folder(folder)
    with (path / _LOCK).open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        if (path / _DONE).exists():
            return
        try:
            function(path, _reporter(path), *arguments)
        except NewsdeskError as error:
            _fail(path, str(error).replace(f"{path.parent}/", ""))
        else:
            write_text(path / _DONE, "")


def _fail(folder: Path, sentence: str) -> None:
    """Write why a job failed; a folder that was deleted meanwhile needs no reason."""
    with suppress(OSError, NewsdeskError):
        if folder.is_dir():
            write_text(folder / _FAILED, sentence)


def _reporter(folder: Path) -> OnProgress:
    """Return a callback that keeps the latest progress in a file, some times a second."""
    latest = 0.0

    def report(progress: Progress) -> None:
        nonlocal latest
        now = time.monotonic()
        if now - latest < _OFTEN_S:
            return
        latest = now
        part = folder / f".{_PROGRESS}"
        part.write_text(json.dumps({"step": progress.step, "share": progress.fraction}), "utf-8")
        part.replace(folder / _PROGRESS)

    return report
