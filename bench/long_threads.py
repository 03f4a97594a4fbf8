"""A thread of 30,000 comments ranked by the ready model: CPU time, peak memory, and how both grow.

Comments are real ones (C3) and simulated ones, one in thirty a copy of another. Each size is ranked by a process of its own, as a table and the largest as a page too, with gate and reasons.
What a comment costs at the largest size must not be more than it costs at 3,000; seconds are printed beside the goal of a quiet machine, and memory has a limit.
"""

from __future__ import annotations

import csv
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench._data import ABSENT, SHARED, c3

SIZES = (1_000, 3_000, 10_000, 30_000)
COPIES = 30  # one comment in so many is a copy
SEED = 5
GOAL_S, MOST_MIB = 12.0, 400
# The cost of a comment at the largest size against that at the second; the start is taken off both.
MOST_GROWTH = 1.25
# What ranking may cost beside splitting the same texts into words ten times.
MOST_TIMES = 18.0

_RANK = """
import sys, time
sys.argv = ["newsdesk", "rank", "apply", "ready", sys.argv[1], "-o", sys.argv[2], "--force"]
from newsdesk.cli.main import run
try:
    run()
finally:
    with open("/proc/self/status") as lines:
        peak = next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
    print(time.process_time(), peak)
"""


def texts(count: int) -> list[str]:
    """Return comments, real and simulated, in a random order, with copies among them."""
    from newsdesk import simulate

    real = [comment.text for thread in c3() for comment in thread.comments]
    # Events have threads of different sizes, so more are asked for than are needed.
    world = simulate.world(events=200, comments=count, seed=SEED)
    every = real + [comment.text for thread in world.threads() for comment in thread.comments]
    rng = random.Random(SEED)
    mixed = rng.sample(every, count - count // COPIES)
    mixed += rng.choices(mixed, k=count // COPIES)
    rng.shuffle(mixed)
    return mixed


def write(path: Path, comments: Sequence[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(["article", "title", "comment", "text", "author"])
        for number, text in enumerate(comments):
            table.writerow(["a", "Public pensions", f"c{number}", text, f"u{number % 9_000}"])


def ranked(comments: Sequence[str], folder: Path, ending: str = ".csv") -> tuple[float, float]:
    """Return the CPU seconds and the peak memory (MiB) of ranking comments in a process."""
    source, out = folder / "thread.csv", folder / f"ranked{ending}"
    write(source, comments)
    command = [sys.executable, "-c", _RANK, str(source), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, peak = map(float, done.stdout.split()[-2:])
    return seconds, peak


def split_seconds(comments: Sequence[str]) -> float:
    """Return the CPU seconds of splitting comments into words ten times: what machines are compared by."""
    word = re.compile(r"\w+")
    started = time.process_time()
    for _ in range(10):
        for text in comments:
            word.findall(text.lower())
    return time.process_time() - started


def main() -> int:
    if not SHARED.is_dir():
        sys.exit(ABSENT)
    every = texts(SIZES[-1])
    yardstick = split_seconds(every)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start, _ = ranked(every[:1], folder)
        costs = {}
        for size in SIZES:
            seconds, peak = ranked(every[:size], folder)
            costs[size] = (seconds - start) / size
            print(
                f"{size:>6,} comments: {seconds:5.1f} s of CPU ({1e6 * costs[size]:.0f} µs each after the start of {start:.1f} s), peak {peak:.0f} MiB",
                flush=True,
            )
        page_s, page_peak = ranked(every, folder, ".html")
    print(f"as a page: {page_s:.1f} s of CPU, peak {page_peak:.0f} MiB")
    growth, times = costs[SIZES[-1]] / costs[SIZES[1]], seconds / yardstick
    print(
        f"goal {GOAL_S:g} s on a quiet machine and {MOST_MIB} MiB; {times:.1f} x splitting ten times into words (at most {MOST_TIMES:g}); a comment costs {growth:.2f} x that of {SIZES[1]:,} (at most {MOST_GROWTH})"
    )
    high = max(peak, page_peak) > MOST_MIB
    return int(high or growth > MOST_GROWTH or times > MOST_TIMES)
