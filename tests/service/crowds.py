"""Annotators who answer tasks of grades over HTTP, many at once in one thread, and what a store must hold afterwards.

They speak HTTP over plain sockets: a client library would use more CPU time than the server that is measured.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from newsdesk.campaigns import Store, Target, Task, protocol
from newsdesk.service.desk import Desk
from newsdesk.service.settings import ServiceSettings
from tests.campaigns.worlds import numbers_of

CAMPAIGN = "crowd"

_CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')
_TASK = re.compile(r"/tasks/(\d+)")
_GONE = (ConnectionError, asyncio.IncompleteReadError)

Acknowledged = dict[tuple[str, int], int]  # annotator and task → grade
T = TypeVar("T")


def run_in_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread of its own: a browser that an earlier test opened keeps an event loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


@dataclass(frozen=True, slots=True)
class Answer:
    """A response: its status, headers and body."""

    status: int
    headers: dict[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: when it was sent (`time.monotonic`), how long it took, and its status."""

    at: float
    seconds: float
    status: int


@dataclass
class Annotator:
    """Somebody who answers tasks over one connection, and notes what was acknowledged and how long each request took."""

    name: str
    port: int
    token: str
    acknowledged: dict[int, int] = field(default_factory=dict)  # task → grade
    asked: list[Asked] = field(default_factory=list)
    task: int | None = None  # that is open
    cookie: str = ""
    csrf: str = ""

    async def sign_in(self) -> None:
        """Accept the invitation and open the first task."""
        await self._connect()
        joined = await self._ask("POST", f"/join/{self.token}", {})
        assert joined.status == 303, joined
        self.cookie = joined.headers["set-cookie"].partition(";")[0]
        await self._open(f"/annotate/{CAMPAIGN}/continue")

    async def answer(self) -> None:
        """Answer the open task and open the next."""
        assert self.task is not None
        grade = 1 + (self.task * 7 + len(self.name)) % 5
        path = f"/annotate/{CAMPAIGN}/tasks/{self.task}"
        answered = await self._ask("POST", path, {"csrf": self.csrf, "A.grade": str(grade)})
        assert answered.status == 303, answered
        self.acknowledged[self.task] = grade
        await self._open(answered.headers["location"])

    async def work(self, until: float, pause_s: Callable[[], float] = lambda: 0.0) -> None:
        """Read and answer until a time of `time.monotonic`, the tasks run out, or the server is gone."""
        with contextlib.suppress(*_GONE):
            while self.task is not None:
                pause = pause_s()
                if time.monotonic() + pause >= until:
                    return  # whoever stops in the middle of reading does not answer
                await asyncio.sleep(pause)
                await self.answer()

    async def work_through_kills(self, until: float, pause_s: Callable[[], float]) -> None:
        """Read and answer until a time; when the server is gone or refuses, connect again and send the same answer."""
        while time.monotonic() < until and not (self.cookie and self.task is None):
            try:
                if self.cookie:
                    await self._connect()
                    await self._open(f"/annotate/{CAMPAIGN}/continue")
                else:
                    await self.sign_in()
                while self.task is not None:
                    pause = pause_s()
                    if time.monotonic() + pause >= until:
                        return
                    await asyncio.sleep(pause)
                    await self.answer()
            except (*_GONE, OSError, AssertionError):
                await asyncio.sleep(0.2)

    def close(self) -> None:
        self._writer.close()

    async def _connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def _open(self, path: str) -> None:
        page = await self._ask("GET", path)
        while page.status == 303:
            path = page.headers["location"]
            page = await self._ask("GET", path)
        assert page.status == 200, page
        task = _TASK.search(path)
        self.task = None if task is None else int(task[1])
        if found := _CSRF.search(page.body):
            self.csrf = found[1]

    async def _ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> Answer:
        content = b"" if fields is None else urlencode(fields).encode()
        lines = [f"{method} {path} HTTP/1.1", "host: localhost", "accept: text/html"]
        lines += [f"cookie: {self.cookie}"] if self.cookie else []
        if fields is not None:
            lines += [
                "content-type: application/x-www-form-urlencoded",
                f"content-length: {len(content)}",
            ]
        began = time.monotonic()
        self._writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])
        }
        body = await self._reader.readexactly(int(headers["content-length"]))
        answer = Answer(int(head[0].split()[1]), headers, body.decode())
        self.asked.append(Asked(began, time.monotonic() - began, answer.status))
        return answer


def lay_out(
    data: Path, *, tasks: int, annotators: int, per_item: int = 2, store: str | None = None
) -> list[str]:
    """An open campaign of grades and a link for each annotator; returns the tokens."""
    desk = Desk.open(ServiceSettings(data, store=store))
    try:
        texts = [Task(f"c{n}", "a", (Target(f"c{n}", f"Comment {n}."),)) for n in range(tasks)]
        desk.store.create(CAMPAIGN, protocol("grade"), texts, None, per_item=per_item, seed=0)
        names = [f"w{number}" for number in range(annotators)]
        for name in names:
            desk.store.join(CAMPAIGN, name)
        return [desk.access.invite(CAMPAIGN, name).token for name in names]
    finally:
        desk.close()


def crowd(tokens: Iterable[str], ports: list[int]) -> list[Annotator]:
    """The annotators of these tokens, in turn at the servers of these ports."""
    return [Annotator(f"w{n}", ports[n % len(ports)], token) for n, token in enumerate(tokens)]


def acknowledged(people: Iterable[Annotator]) -> Acknowledged:
    """All answers that were acknowledged."""
    return {
        (each.name, task): grade for each in people for task, grade in each.acknowledged.items()
    }


async def answer_until(
    people: list[Annotator], enough: int, end: Callable[[], object]
) -> Acknowledged:
    """Let everybody answer without a pause, and call `end` (which kills a server) when enough answers were acknowledged."""
    await asyncio.gather(*(each.sign_in() for each in people))
    working = [asyncio.create_task(each.work(time.monotonic() + 120)) for each in people]
    while len(acknowledged(people)) < enough and not all(each.done() for each in working):
        await asyncio.sleep(0.002)
    await asyncio.to_thread(end)
    await asyncio.gather(*working)
    for each in people:
        each.close()
    return acknowledged(people)


def problems(url: str, answered: Acknowledged) -> list[str]:
    """What is wrong with the store, if anything: lost, changed or doubled judgments, too many annotators at a task."""
    faults = []
    with Store.open(url, create=False) as store:
        stored: dict[tuple[str, int], object] = {}
        at_task: dict[str, set[str]] = {}
        people = [who.name for who in store.status(CAMPAIGN).annotators]
        shown = {name: numbers_of(store, CAMPAIGN, name) for name in people}
        for row in store.judgments(CAMPAIGN, names=True, current=False):
            key = (row.annotator, shown[row.annotator][row.task])
            if key in stored:
                faults.append(f"{key} is there twice")
            stored[key] = row.value
            at_task.setdefault(row.task, set()).add(row.annotator)
        faults += [
            f"{key}: {stored.get(key)}, not {grade}"
            for key, grade in answered.items()
            if stored.get(key) != grade
        ]
        most = store.campaign(CAMPAIGN).per_item
        faults += [
            f"{task} has {len(who)} annotators" for task, who in at_task.items() if len(who) > most
        ]
    return faults


def store_of(data: Path) -> str:
    """The URL of a data folder's own store."""
    return f"sqlite:///{data}/campaigns/newsdesk.db"
