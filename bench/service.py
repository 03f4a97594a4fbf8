"""The web app under load on loopback: 200 annotators answering for 60 s on SQLite, and kills of the server while they answer.

Nobody's judgment may be lost, doubled or given to too many; the 99th percentile of a request is below 500 ms or, on a slow disk, below five times the
99th percentile of an fsync in the same run. An annotator reads for eight seconds, give or take half, before each answer. `python -m bench.service annotators 100 20` names other numbers
of annotators and seconds, `python -m bench.service kills 5` another number of kills.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.service.serving import Annotator, serving
from tests.service.test_serving import crowd, kill_while_answering, problems

ANNOTATORS = 200
SECONDS = 60.0
READING_S = 8.0
KILLS = 20
_FLOOR_S = 0.5
_TIMES_FSYNC = 5


def percentile(values: list[float], share: float) -> float:
    """The value below which this share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def fsyncs(folder: Path, stop: threading.Event, seconds: list[float]) -> None:
    """Time an fsync twenty times a second."""
    with (folder / "fsync").open("wb") as stream:
        while not stop.wait(0.05):
            stream.write(b"x" * 4096)
            stream.flush()
            started = time.perf_counter()
            os.fsync(stream.fileno())
            seconds.append(time.perf_counter() - started)


def annotators(people: int = ANNOTATORS, seconds: float = SECONDS) -> int:
    """Many annotators who answer at once; returns the number of faults."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tasks = int(people * seconds / READING_S)
        tokens = crowd(folder / "data", tasks=tasks, annotators=people)
        disk: list[float] = []
        with serving(folder / "data", folder / "log") as server:
            crowded = [
                Annotator(f"w{n}", server.port, token, "crowd") for n, token in enumerate(tokens)
            ]
            stop = threading.Event()
            rng = random.Random(0)
            threads = [threading.Thread(target=fsyncs, args=(folder, stop, disk))]
            for each in crowded:
                each.sign_in()
                each.seconds.clear()
                pause = rng.uniform(0.5, 1.5) * READING_S
                threads.append(threading.Thread(target=each.answer_until, args=(stop, pause)))
            for thread in threads:
                thread.start()
                time.sleep(READING_S / len(threads))  # people do not begin in one moment
            time.sleep(seconds)
            stop.set()
            for thread in threads:
                thread.join()
            server.stop()
        acknowledged = {
            (each.name, task): grade
            for each in crowded
            for task, grade in each.acknowledged.items()
        }
        faults = problems(folder / "data", acknowledged)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_ms = (used.ru_utime + used.ru_stime) / max(1, len(acknowledged)) * 1000
    times = [value for each in crowded for value in each.seconds]
    p50, p99, sync = percentile(times, 0.5), percentile(times, 0.99), percentile(disk, 0.99)
    limit = max(_FLOOR_S, _TIMES_FSYNC * sync)
    print(
        f"{people} annotators for {seconds:.0f} s: {len(acknowledged)} answers, {len(times)} requests, p50 {p50 * 1000:.0f} ms, "
        f"p99 {p99 * 1000:.0f} ms (limit {limit * 1000:.0f} ms; fsync p99 {sync * 1000:.0f} ms), {len(faults)} lost, doubled or over-assigned; "
        f"{cpu_ms:.0f} ms of CPU for an answer and the next page, with the server's start"
    )
    return len(faults) + (p99 > limit)


def kills(count: int = KILLS) -> int:
    """A server that is killed again and again while four annotators answer; returns the number of faults."""
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokens = crowd(folder / "data", tasks=20_000)
        acknowledged: dict[tuple[str, int], int] = {}
        faults: list[str] = []
        for _ in range(count):
            after_s = rng.uniform(0.5, 2.0)
            acknowledged |= kill_while_answering(folder / "data", folder / "log", tokens, after_s)
            faults += problems(folder / "data", acknowledged)
    print(f"killed {count} times: {len(acknowledged)} judgments acknowledged, {len(faults)} faults")
    return len(faults)


LOADS = {"annotators": annotators, "kills": kills}


def main(*names: str) -> int:
    """Run every load, or those named; returns the number of faults."""
    return sum(LOADS[name]() for name in names or LOADS)


if __name__ == "__main__":
    named = sys.argv[1:2]
    sys.exit(LOADS[named[0]](*map(int, sys.argv[2:])) if named else main())
