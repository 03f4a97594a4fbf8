"""The web app under load on loopback: 200 annotators who answer for 60 s, several servers on PostgreSQL, kills of the server, and its start.

Nobody's judgment may be lost, doubled or given to too many; the 99th percentile of a request is below 500 ms or, on a slow disk, below five times the
99th percentile of an fsync in the same run. An annotator reads for eight seconds, give or take half, before each answer. Two figures without a bar follow: the wait when all of them
save in the same moment, and the highest rate, when nobody reads at all. Times are those that annotators see; those that the server logs stand beside them.

`python -m bench.service annotators 100 20` names other numbers of annotators and seconds, `python -m bench.service kills 5` another number of kills.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.campaigns.servers import NoServerError, postgres
from tests.service.crowds import (
    Acknowledged,
    Annotator,
    acknowledged,
    answer_until,
    crowd,
    lay_out,
    problems,
    store_of,
)
from tests.service.serving import Server, serving

ANNOTATORS = 200
SECONDS = 60.0
READING_S = 8.0
RATE_S = 10.0
KILLS = 20
STARTS = 5
MOST_START_S = 2.0
_FLOOR_S = 0.5
_TIMES_FSYNC = 5


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


async def reading_crowd(people: list[Annotator], seconds: float) -> None:
    """Sign everybody in within the time of one reading, and let them read and answer."""
    rng = random.Random(0)

    async def one(annotator: Annotator, begins_s: float) -> None:
        await asyncio.sleep(begins_s)
        await annotator.sign_in()
        await annotator.work(until, lambda: rng.uniform(0.5, 1.5) * READING_S)

    until = time.monotonic() + READING_S + seconds
    await asyncio.gather(*(one(each, READING_S * n / len(people)) for n, each in enumerate(people)))


async def save_at_once(people: list[Annotator]) -> list[float]:
    """Everybody saves in the same moment; returns the seconds of their requests."""
    for each in people:
        each.seconds.clear()
    await asyncio.gather(*(each.answer() for each in people if each.task is not None))
    return [value for each in people for value in each.seconds]


async def highest_rate(people: list[Annotator]) -> float:
    """Answers per second when nobody reads."""
    before, began = len(acknowledged(people)), time.monotonic()
    await asyncio.gather(*(each.work(began + RATE_S) for each in people))
    return (len(acknowledged(people)) - before) / (time.monotonic() - began)


def logged(log: Path) -> list[float]:
    """The seconds of each request as the server measured them."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [line["ms"] / 1000 for line in lines if str(line.get("route")).startswith("/annotate")]


def annotators(people: int = ANNOTATORS, seconds: float = SECONDS) -> int:
    """Many annotators on SQLite; returns the number of faults."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokens = lay_out(
            folder / "data", tasks=int(people * seconds / READING_S) + 5_000, annotators=people
        )
        with serving(folder / "data", folder / "log") as server:
            return _measured(folder, [server], tokens, store_of(folder / "data"), seconds)


def servers(people: int = ANNOTATORS, seconds: float = SECONDS) -> int:
    """Two servers on one PostgreSQL, half of the annotators at each; returns the number of faults."""
    try:
        with tempfile.TemporaryDirectory() as name, postgres(durable=True) as url:
            folder = Path(name)
            tasks = int(people * seconds / READING_S) + 5_000
            tokens = lay_out(folder / "data", tasks=tasks, annotators=people, store=url)
            with (
                serving(folder / "data", folder / "log", "--store", url) as one,
                serving(folder / "data", folder / "log", "--store", url) as two,
            ):
                return _measured(folder, [one, two], tokens, url, seconds)
    except NoServerError as reason:
        print(f"NOT MEASURED ON POSTGRESQL: {reason}")
        return 0


def _measured(
    folder: Path, running: list[Server], tokens: list[str], url: str, seconds: float
) -> int:
    people = crowd(tokens, [server.port for server in running])

    async def load() -> tuple[list[float], list[float]]:
        used, own = sum(server.cpu_s() for server in running), time.process_time()
        with fsyncs(folder) as disk:
            await reading_crowd(people, seconds)
        times = [value for each in people for value in each.seconds]
        at_server, count = logged(folder / "log"), len(acknowledged(people))
        used = sum(server.cpu_s() for server in running) - used
        own = time.process_time() - own
        burst = await save_at_once(people)
        rate = await highest_rate(people)
        print(
            f"{len(people)} annotators for {seconds:.0f} s at {len(running)} servers: {count} answers, {len(times)} requests, {milliseconds(times)} "
            f"(at the server {milliseconds(at_server)}; fsync {milliseconds(disk)}); {used / max(1, count) * 1000:.1f} ms of CPU for an answer and "
            f"the next page, {own / max(1, count) * 1000:.1f} ms of the load's own"
        )
        print(f"all save in one moment: {milliseconds(burst)}; highest rate {rate:.0f} answers/s")
        return times, disk

    times, disk = asyncio.run(load())
    faults = problems(url, acknowledged(people))
    limit = max(_FLOOR_S, _TIMES_FSYNC * percentile(disk, 0.99))
    print(
        f"p99 {percentile(times, 0.99) * 1000:.0f} ms, limit {limit * 1000:.0f} ms; {len(acknowledged(people))} answers in all, {len(faults)} lost, doubled or over-assigned"
    )
    return len(faults) + (percentile(times, 0.99) > limit)


def kills(count: int = KILLS) -> int:
    """A server that is killed again and again while sixteen annotators answer; returns the number of faults."""
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokens = lay_out(folder / "data", tasks=20_000, annotators=16)
        answered: Acknowledged = {}
        faults: list[str] = []
        each_time = []
        for _ in range(count):
            with serving(folder / "data", folder / "log") as server:
                people = crowd(tokens, [server.port])
                new = asyncio.run(answer_until(people, rng.randint(50, 400), server.kill))
            each_time.append(len(new))
            answered |= new
            faults += problems(store_of(folder / "data"), answered)
    print(
        f"killed {count} times: {len(answered)} judgments acknowledged, {min(each_time)} to {max(each_time)} before each kill, {len(faults)} faults"
    )
    return len(faults)


def start() -> int:
    """Seconds until the first request of an empty folder is answered; returns 1 if the median is too long."""
    seconds, cpu = [], []
    for _ in range(STARTS):
        with tempfile.TemporaryDirectory() as name:
            began = time.perf_counter()
            with serving(Path(name) / "data", Path(name) / "log") as server:
                seconds.append(time.perf_counter() - began)
                cpu.append(server.cpu_s())
    middle = percentile(seconds, 0.5)
    print(
        f"ready after {middle:.2f} s (limit {MOST_START_S:.0f} s), {percentile(cpu, 0.5):.2f} s of CPU"
    )
    return int(middle > MOST_START_S)


LOADS: dict[str, Callable[..., int]] = {
    "annotators": annotators,
    "servers": servers,
    "kills": kills,
    "start": start,
}


def main(*names: str) -> int:
    """Run every load, or those named; returns the number of faults."""
    return sum(LOADS[name]() for name in names or LOADS)


if __name__ == "__main__":
    named = sys.argv[1:2]
    sys.exit(LOADS[named[0]](*map(int, sys.argv[2:])) if named else main())
