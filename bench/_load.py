"""What the loads of the web app share: percentiles, the time of an fsync, memory and files of a process, and a reader who asks for what costs most."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from newsdesk.campaigns import Target, Task, protocol
from newsdesk.service.desk import Desk
from newsdesk.service.settings import ServiceSettings
from newsdesk.types import Judgment
from tests.service.crowds import lay_out

READ = "finished"  # the campaign that the heavy reader reads
ROWS = 5_000


def percentile(values: list[float], share: float) -> float:
    """The value below which this share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def milliseconds(values: list[float]) -> str:
    """Median and 99th percentile of times."""
    return (
        f"p50 {percentile(values, 0.5) * 1000:.0f} ms, p99 {percentile(values, 0.99) * 1000:.0f} ms"
    )


@contextlib.contextmanager
def fsyncs(folder: Path) -> Iterator[list[float]]:
    """The seconds of an fsync, timed twenty times a second while the block runs."""
    seconds: list[float] = []
    stop = threading.Event()

    def sync() -> None:
        with (folder / "fsync").open("wb") as stream:
            while not stop.wait(0.05):
                stream.write(b"x" * 4096)
                stream.flush()
                began = time.perf_counter()
                os.fsync(stream.fileno())
                seconds.append(time.perf_counter() - began)

    thread = threading.Thread(target=sync)
    thread.start()
    try:
        yield seconds
    finally:
        stop.set()
        thread.join()


_BARE = """
import asyncio
async def answer(reader, writer):
    while line := await reader.readline():
        writer.write(line)
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@contextlib.contextmanager
def bare_answers() -> Iterator[list[float]]:
    """The seconds of a line to a server that does nothing but send it back, twenty times a second: what a busy machine alone costs."""
    seconds: list[float] = []
    stop = threading.Event()
    with subprocess.Popen([sys.executable, "-c", _BARE], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())

        def ask() -> None:
            with socket.create_connection(("127.0.0.1", port)) as client:
                while not stop.wait(0.05):
                    began = time.perf_counter()
                    client.sendall(b"line\n")
                    client.recv(100)
                    seconds.append(time.perf_counter() - began)

        thread = threading.Thread(target=ask)
        thread.start()
        try:
            yield seconds
        finally:
            stop.set()
            thread.join()
            server.kill()


@dataclass
class Reader:
    """A program that asks for what costs most, one thing after the other, and reads all of it."""

    port: int
    key: str
    statuses: Counter[int] = field(default_factory=Counter)
    late: list[tuple[float, int]] = field(default_factory=list)  # when a 5xx came, and which

    async def ask(self, method: str, path: str, body: bytes = b"", *more: str) -> int:
        """The status of one request, over a connection of its own."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        lines = (
            f"{method} {path} HTTP/1.1", "host: localhost", "connection: close", f"authorization: Bearer {self.key}",
            "content-type: application/json", f"content-length: {len(body)}", *more,
        )  # fmt: skip
        began = time.monotonic()
        try:
            writer.write("\r\n".join([*lines, "", ""]).encode() + body)
            status = int((await reader.readline()).split()[1])
            while await reader.read(1 << 20):
                pass
        finally:
            writer.close()
        self.statuses[status] += 1
        if status >= 500:
            self.late.append((began, status))
        return status

    async def read_until(self, until: float) -> None:
        """Ask for judgments, exports, the report, sheets and scores until a time."""
        texts = [
            {"id": str(n), "system": "s", "text": f"the dam {n} was opened"} for n in range(2000)
        ]
        references = [{"id": str(n), "references": [f"dam {n} was opened"]} for n in range(2000)]
        score = json.dumps({"outputs": texts, "references": references, "ci": True}).encode()
        heavy: list[tuple[str, str, bytes]] = [
            ("GET", f"/api/v1/judgments?campaign={READ}", b""),
            ("GET", f"/api/v1/campaigns/{READ}/exports/history", b""),
            ("GET", f"/api/v1/campaigns/{READ}/report", b""),
            ("GET", f"/api/v1/campaigns/{READ}/sheets", b""),
            ("POST", "/api/v1/score", score),
        ]
        while time.monotonic() < until:
            for method, path, body in heavy:
                if time.monotonic() >= until:
                    return
                with contextlib.suppress(OSError, IndexError, asyncio.IncompleteReadError):
                    await self.ask(method, path, body)
                    continue
                await asyncio.sleep(0.2)  # the server is gone


def lay_out_with_reader(
    data: Path, store: str | None, people: int, tasks: int
) -> tuple[list[str], str]:
    """A campaign to answer, a finished one to read; returns the annotators' tokens and an admin's key."""
    tokens = lay_out(data, tasks=tasks, annotators=people, store=store)
    desk = Desk.open(ServiceSettings(data, store=store))
    try:
        names, at = ["ann", "ben"], desk.now()
        texts = [Task(f"c{n}", "a", (Target(f"c{n}", f"Comment {n}."),)) for n in range(ROWS // 2)]
        desk.store.create(READ, protocol("grade"), texts, names, per_item=2, seed=0)
        rows = [
            Judgment(READ, f"c{n}", "a", f"c{n}", "grade", 1 + n % 5, name, at=at)
            for name in names
            for n in range(ROWS // 2)
        ]
        desk.store.import_judgments(READ, rows)
        return tokens, desk.access.add_key("reader", ["admin"]).token
    finally:
        desk.close()


def held(process: int) -> tuple[float, int]:
    """Bytes of memory and number of open files of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len([*Path(f"/proc/{process}/fd").iterdir()])
