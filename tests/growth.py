"""Costs of a job. CPU time as ratios: machines differ and are busy, so a test never asks for seconds, only how cost grows or what it is beside other work."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

# Below this a clock tells little: both sides of a ratio get it added.
_TICK_S = 0.004


def cpu_seconds(job: Callable[[], object], repeats: int = 3) -> float:
    """The least CPU time of a few runs."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        job()
        times.append(time.process_time() - started)
    return min(times)


def growth(job: Callable[[int], object], small: int, large: int) -> float:
    """How much more a large job costs than a small one: by `large / small` if cost is linear."""
    few = cpu_seconds(lambda: job(small))
    many = cpu_seconds(lambda: job(large), repeats=1)
    return (many + _TICK_S) / (few + _TICK_S)


def beside(job: Callable[[], object], yardstick: Callable[[], object]) -> float:
    """What a job costs, in units of other work."""
    return (cpu_seconds(job, repeats=1) + _TICK_S) / (cpu_seconds(yardstick) + _TICK_S)


def peak_kib() -> int:
    """The peak memory of this process; `ru_maxrss` would begin with the size of whoever started it."""
    with Path("/proc/self/status").open() as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
