"""The web app under load on loopback: 200 annotators who answer for 60 s, several servers on PostgreSQL, kills of the server, its start, a heavy reader beside all that, and an hour of mixed requests.

Nobody's judgment may be lost, doubled or given to too many; the 99th percentile of a request is below 500 ms or, on a slow disk, below five times the
99th percentile of an fsync in the same run. An annotator reads for eight seconds, give or take half, before each answer. Two figures without a bar follow: the wait when all of them
save in the same moment, and the highest rate, when nobody reads at all. Times are those that annotators see; those that the server logs stand beside them.

Beside a heavy reader and two kills, on both stores, 99 of 100 requests of annotators outside the windows of the kills are answered within 100 ms (or five times the 99th
percentile of an fsync), none with a 5xx, and nothing acknowledged is lost. After an hour of mixed requests the server holds as much memory and as many open files as after a quarter of it.

`python -m bench.service annotators 100 20` (or `readers`) names other numbers of annotators and seconds, `kills 5` another number of kills, `mixed 300` another number of seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from bench._load import (
    Reader,
    bare_answers,
    fsyncs,
    held,
    lay_out_with_reader,
    milliseconds,
    percentile,
)
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
from tests.service.serving import Server, free_port, serving

ANNOTATORS = 200
SECONDS = 60.0
READING_S = 8.0
RATE_S = 10.0
KILLS = 20
MOST_S = 0.1  # of an annotator's request beside a heavy reader
KILLS_BESIDE = 2
GRACE_S = 2.0  # after the server is ready, first or again, in which all connect at once
HOUR_S = 3600.0
SAMPLE_S = 5.0
MOST_GROWTH = 0.05  # of memory, from the second quarter of a run to its last
MOST_FILES = 8  # more open files at the end than in the second quarter
STARTS = 5
MOST_START_S = 2.0
_FLOOR_S = 0.5
_TIMES_FSYNC = 5


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
        each.asked.clear()
    await asyncio.gather(*(each.answer() for each in people if each.task is not None))
    return [one.seconds for each in people for one in each.asked]


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
        times = [one.seconds for each in people for one in each.asked]
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


@contextlib.contextmanager
def store_for(kind: str) -> Iterator[str | None]:
    if kind == "sqlite":
        yield None
        return
    with postgres(durable=True) as url:
        yield url


def readers(people: int = ANNOTATORS, seconds: float = SECONDS) -> int:
    """Annotators beside a heavy reader and two kills, on both stores; returns the number of faults."""
    faults = 0
    for kind in ("sqlite", "postgresql"):
        try:
            with tempfile.TemporaryDirectory() as name, store_for(kind) as url:
                faults += asyncio.run(_attacked(Path(name), kind, url, people, seconds))
        except NoServerError as reason:
            print(f"NOT MEASURED ON POSTGRESQL: {reason}")
    return faults


async def _attacked(folder: Path, kind: str, url: str | None, count: int, seconds: float) -> int:
    tasks = int(count * seconds / READING_S) + 2_000
    tokens, key = lay_out_with_reader(folder / "data", url, count, tasks)
    port, options = free_port(), [] if url is None else ["--store", url]
    people, reader = crowd(tokens, [port]), Reader(port, key)
    rng = random.Random(0)
    begins = time.monotonic()
    until = begins + READING_S + seconds
    windows: list[tuple[float, float]] = []

    async def one(annotator: Annotator, begins_s: float) -> None:
        await asyncio.sleep(begins_s)
        await annotator.work_through_kills(until, lambda: rng.uniform(0.5, 1.5) * READING_S)

    async def serve_and_kill() -> None:
        for turn in range(KILLS_BESIDE + 1):
            dies = begins + READING_S + seconds * (turn + 1) / (KILLS_BESIDE + 1)
            with contextlib.ExitStack() as stack:
                log = folder / "log"
                server: Server = await asyncio.to_thread(
                    stack.enter_context, serving(folder / "data", log, *options, port=port)
                )
                if windows:
                    windows[-1] = windows[-1][0], time.monotonic() + GRACE_S
                else:
                    windows.append((begins, time.monotonic() + GRACE_S))
                await asyncio.sleep(
                    max(0.0, (until + 5 if turn == KILLS_BESIDE else dies) - time.monotonic())
                )
                if turn < KILLS_BESIDE:
                    windows.append((time.monotonic(), until))
                    await asyncio.to_thread(server.kill)

    serving_ = asyncio.create_task(serve_and_kill())
    with fsyncs(folder) as disk, bare_answers() as bare:
        await asyncio.gather(
            reader.read_until(until),
            *(one(each, READING_S * n / count) for n, each in enumerate(people)),
        )
    await serving_
    asked = [
        one for each in people for one in each.asked if not _within(one.at, one.seconds, windows)
    ]
    late = [one for one in asked if one.status >= 500]
    refused = [status for at, status in reader.late if not _within(at, 0, windows)]
    times = [one.seconds for one in asked]
    wrong = problems(url or store_of(folder / "data"), acknowledged(people))
    limit = max(MOST_S, _TIMES_FSYNC * percentile(disk, 0.99))
    print(
        f"{kind}: {count} annotators for {seconds:.0f} s, {KILLS_BESIDE} kills, a heavy reader ({sum(reader.statuses.values())} answers): "
        f"{len(acknowledged(people))} answers, {len(wrong)} lost, doubled or over-assigned; {len(asked)} requests outside the kills' windows "
        f"({sum(end - start for start, end in windows[1:]):.1f} s), {milliseconds(times)} (limit {limit * 1000:.0f} ms; fsync {milliseconds(disk)}; a server that only echoes {milliseconds(bare)}; load "
        f"{os.getloadavg()[0]:.1f}), {len(late)} × 5xx of annotators, {len(refused)} of the reader {sorted(refused)}",
        flush=True,
    )
    return len(wrong) + len(late) + len(refused) + (percentile(times, 0.99) > limit)


def _within(at: float, seconds: float, windows: list[tuple[float, float]]) -> bool:
    return any(start <= at + seconds and at <= end for start, end in windows)


def mixed(seconds: float = HOUR_S, people: int = 20) -> int:
    """Requests of all kinds for an hour on SQLite; returns 1 if memory or open files of the server grow."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokens, key = lay_out_with_reader(
            folder / "data", None, people, int(people * seconds / 2) + 500
        )
        with serving(folder / "data", folder / "log") as server:
            return asyncio.run(_mixed(server, tokens, key, seconds))


async def _mixed(server: Server, tokens: list[str], key: str, seconds: float) -> int:
    until = time.monotonic() + seconds
    people, reader, stranger = (
        crowd(tokens, [server.port]),
        Reader(server.port, key),
        Reader(server.port, "guess"),
    )
    rng = random.Random(0)
    samples: list[tuple[float, int]] = []

    async def sample() -> None:
        while time.monotonic() < until:
            samples.append(held(server.process.pid))
            await asyncio.sleep(SAMPLE_S)

    async def misbehave() -> None:
        """Guesses, half-sent heads, bodies that break off, forms that are none, unknown paths, and signing in and out."""
        while time.monotonic() < until:
            await stranger.ask(
                "POST",
                "/sign-in",
                b"token=guess",
                "content-type: application/x-www-form-urlencoded",
            )
            await stranger.ask("GET", "/nothing/here")
            await stranger.ask("GET", "/api/v1/campaigns")
            await reader.ask("POST", "/api/v1/judgments", b"[" * 10_000)
            await reader.ask("POST", "/api/v1/rank", b'{"threads": [], "model": "none"}')
            for piece in (
                b"GET / HTTP/1.1\r\nhost: local",
                b"POST /api/v1/score HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{",
            ):
                _, writer = await asyncio.open_connection("127.0.0.1", server.port)
                writer.write(piece)
                await asyncio.sleep(0.05)
                writer.close()
            await asyncio.sleep(0.3)

    await asyncio.gather(
        sample(),
        misbehave(),
        reader.read_until(until),
        *(each.work_through_kills(until, lambda: rng.uniform(0.5, 1.5) * 2) for each in people),
    )
    quarter = len(samples) // 4
    early, last = samples[quarter : 2 * quarter], samples[-quarter:]
    memory, files = (
        [percentile([one[part] for one in part_of], 0.5) for part_of in (early, last)]
        for part in (0, 1)
    )
    statuses = (
        reader.statuses
        + stranger.statuses
        + Counter(one.status for each in people for one in each.asked)
    )
    wrong = sum(count for status, count in statuses.items() if status >= 500)
    print(
        f"mixed requests for {seconds:.0f} s: {statuses.total()} of {dict(sorted(statuses.items()))}, {len(acknowledged(people))} answers stored; memory of the server {memory[0] / 2**20:.1f} MiB in the second "
        f"quarter, {memory[1] / 2**20:.1f} MiB in the last, open files {files[0]:.0f} and {files[1]:.0f}; {wrong} × 5xx; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    grown = memory[1] > memory[0] * (1 + MOST_GROWTH) or files[1] > files[0] + MOST_FILES
    return int(grown) + wrong


LOADS: dict[str, Callable[..., int]] = {
    "annotators": annotators,
    "servers": servers,
    "kills": kills,
    "start": start,
    "readers": readers,
    "mixed": mixed,
}


def main(*names: str) -> int:
    """Run every load, or those named; returns the number of faults."""
    return sum(LOADS[name]() for name in names or LOADS)


if __name__ == "__main__":
    named = sys.argv[1:2]
    sys.exit(LOADS[named[0]](*map(int, sys.argv[2:])) if named else main())
