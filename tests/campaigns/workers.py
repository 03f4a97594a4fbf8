"""Annotators as processes: some are killed in the middle of their work, some are two hundred at once.

Each process has annotators in threads, which claim and answer until nothing is left, and writes down what was acknowledged. Processes are
forked from a server that has everything imported already, so that starting one takes no time.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, Literal

from newsdesk.campaigns.store import Store
from tests.campaigns.worlds import AT, answers

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["tests.campaigns.workers"])


@dataclass(frozen=True, slots=True)
class Worker:
    """A process with annotators, and the file of what they had acknowledged."""

    process: ForkServerProcess
    path: Path

    @classmethod
    def start(cls, url: str, campaign: str, prefix: str, threads: int, folder: Path) -> Worker:
        path = folder / f"{prefix}.txt"
        path.touch()
        process = _context.Process(target=_run, args=(url, campaign, prefix, threads, path))
        process.start()
        return cls(process, path)

    def wait_for_work(self) -> None:
        while not self.path.stat().st_size and self.process.is_alive():
            time.sleep(0.005)

    def end(self, *, kill: bool) -> int | None:
        """Kill the process or wait for its end; its exit code."""
        if kill:
            self.process.kill()
        self.process.join()
        return self.process.exitcode

    def acknowledged(self) -> list[tuple[str, str]]:
        """(annotator, task) of every answer that was acknowledged."""
        pairs = [line.split() for line in self.path.read_text("utf-8").splitlines()]
        return [(annotator, task) for annotator, task in pairs]


def start_crowd(
    url: str, campaign: str, processes: int, threads: int, folder: Path
) -> list[Worker]:
    return [Worker.start(url, campaign, f"p{n}", threads, folder) for n in range(processes)]


def _run(url: str, campaign: str, prefix: str, threads: int, path: Path) -> None:
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    with Store.open(url) as store:
        names = [f"{prefix}-{n}" for n in range(threads)]
        people = [threading.Thread(target=_work, args=(store, campaign, n, file)) for n in names]
        for each in people:
            each.start()
        for each in people:
            each.join()


def _work(store: Store, campaign: str, annotator: str, file: int) -> None:
    form = store.campaign(campaign).protocol
    store.join(campaign, annotator)
    while (todo := store.claim(campaign, annotator, at=AT)) is not None:
        ranks = range(1, len(todo.task.targets) + 1)
        store.answer(campaign, annotator, todo.task.id, answers(form, todo.task, ranks), at=AT)
        # One system call for a whole line: a killed process leaves no half of one.
        os.write(file, f"{annotator} {todo.task.id}\n".encode())


def faults(store: Store, campaign: str, acknowledged: Sequence[tuple[str, str]]) -> list[str]:
    """What is wrong with a store after all that: something lost, partial, double, or a task given to too many."""
    described = store.campaign(campaign)
    questions = len(described.protocol.questions)
    size = {task.id: len(task.targets) * questions for task in store.tasks(campaign)}
    rows = Counter(
        (j.annotator, j.task) for j in store.judgments(campaign, current=False, names=True)
    )
    slots = {
        (name.name, each.task.id): each.state
        for name in store.status(campaign).annotators
        for each in store.assignments(campaign, name.name)
    }
    per_task = Counter(task for _, task in slots)
    done = {pair for pair, state in slots.items() if state == "done"}
    return [
        *(f"lost: {pair}" for pair in set(acknowledged) - rows.keys()),
        *(
            f"{count} rows of {size[pair[1]]}: {pair}"
            for pair, count in rows.items()
            if count != size[pair[1]]
        ),
        *(f"slot and judgments differ: {pair}" for pair in done ^ rows.keys()),
        *(
            f"{count} annotators: {task}"
            for task, count in per_task.items()
            if count > described.per_item
        ),
    ]


Moment = Literal["before", "during", "after"]
MOMENTS: tuple[Moment, ...] = ("before", "during", "after")


def start_doomed(
    url: str, campaign: str, name: str, folder: Path, moment: Moment, seed: int
) -> Worker:
    """A worker that kills itself at one of its commits: before it, while it runs, or after it and before the acknowledgement."""
    path = folder / f"{name}.txt"
    path.touch()
    arguments = (url, campaign, name, path, moment, seed)
    process = _context.Process(target=_run_doomed, args=arguments)
    process.start()
    return Worker(process, path)


def _run_doomed(url: str, campaign: str, name: str, path: Path, moment: Moment, seed: int) -> None:
    rng = random.Random(f"{moment} {seed}")
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    with Store.open(url) as store:
        dialect = store._database._engine.dialect
        commit = dialect.do_commit
        # A claim is a commit, and so is an answer; the first of all is to join.
        state = {"left": rng.randint(4, 9), "seconds": 0.0}

        def doomed_commit(connection: Any) -> None:
            state["left"] -= 1
            if state["left"] > 0:
                started = time.perf_counter()
                commit(connection)
                state["seconds"] = time.perf_counter() - started
                return
            if moment == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            if moment == "during":
                delay = rng.uniform(0, state["seconds"])
                threading.Thread(target=_kill_after, args=(delay,), daemon=True).start()
            commit(connection)
            os.kill(os.getpid(), signal.SIGKILL)

        dialect.do_commit = doomed_commit  # type: ignore[method-assign, assignment]  # a fault is planted
        _work(store, campaign, name, file)


def _kill_after(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
    os.kill(os.getpid(), signal.SIGKILL)


def killed_at_commit(url: str, work: Callable[..., object], *arguments: object) -> None:
    """Run `work(store, *arguments)` in a process that dies at its first commit, before it."""
    process = _context.Process(target=_run_killed, args=(url, work, arguments))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL, "the process ended before it committed"


def _run_killed(url: str, work: Callable[..., object], arguments: tuple[object, ...]) -> None:
    with Store.open(url) as store:

        def doomed_commit(connection: Any) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

        store._database._engine.dialect.do_commit = doomed_commit  # type: ignore[method-assign, assignment]  # a fault is planted
        work(store, *arguments)
