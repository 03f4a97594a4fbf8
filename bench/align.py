"""Alignment at scale, on generated articles: seconds, memory and whether the cost is linear.

`python -m bench.align 10000 100000 1000000` names the sizes. The events and the sentences are simulated; one article in five is a report of an event of
its day, the others are shuffled sentences of the same language.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np

from newsdesk import records
from newsdesk.simulate import world
from newsdesk.types import ClusterArticle, Event

EVENTS = 2000
SIZES = (10_000, 100_000)
POOL = 20_000
# Ten minutes by the clock, on two cores that others leave alone; ten minutes of CPU, whatever else runs.
LIMIT_S, LIMIT_CPU_S, LIMIT_MB = 600, 600, 6000

_ALIGN = """
import resource, sys, time
from newsdesk.cli.main import main
if __name__ == "__main__":
    started = time.monotonic()
    code = main(["corpus", "align", *sys.argv[1:]])
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    # Two workers at most as large as the larger of them.
    peak = (used[0].ru_maxrss + 2 * used[1].ru_maxrss) / 1024
    print(time.monotonic() - started, cpu, peak)
    sys.exit(code)
"""


def generate(folder: Path, articles: int) -> tuple[Path, Path]:
    """Events as JSONL, and articles of at least 400 words as Parquet by date."""
    import polars as pl

    simulated = world(seed=13, preset="base", events=EVENTS, comments=0)
    events = list(simulated.events())
    clusters = [simulated.newsroom.cluster(number) for number in range(EVENTS)]
    reports = [cluster.articles[0] for cluster in clusters]
    pool = [each for cluster in clusters for a in cluster.articles for each in a.text.split(". ")]
    pool = pool[:POOL]
    records.write(folder / "events.jsonl", events)
    rng = np.random.default_rng(13)
    days = [list(group) for _, group in groupby(range(EVENTS), lambda n: events[n].date)]
    per_day = articles // len(days) + 1
    left = articles
    for today in days:
        count = min(per_day, left)
        left -= count
        rows = list(_articles(rng, count, today, events, reports, pool))
        place = folder / "articles" / f"date={events[today[0]].date}"
        place.mkdir(parents=True)
        schema = ["id", "title", "text", "url", "date"]
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        frame.write_parquet(place / "part-0.parquet", compression="zstd", compression_level=3)
    return folder / "events.jsonl", folder / "articles"


def _articles(
    rng: np.random.Generator,
    count: int,
    today: list[int],
    events: list[Event],
    reports: list[ClusterArticle],
    pool: list[str],
) -> Iterator[tuple[str, str, str, str, str]]:
    day = events[today[0]].date
    for n, drawn in enumerate(rng.integers(0, len(pool), (count, 40)).tolist()):
        sentences = [pool[each] for each in drawn]
        name, url = f"{day}/{n}", f"https://generated.invalid/{day}/{n}"
        title = sentences[0]
        if n < len(today):  # the cited source of each event
            report = reports[today[n]]
            title, url = report.title or "", report.url or ""
            sentences = [report.text, *sentences[:28]]
        elif n % 5 == 0:
            report = reports[today[n % len(today)]]
            title, sentences = report.title or "", [report.text, *sentences[:28]]
        yield name, title, ". ".join(sentences), url, day


def _check(size: int, wall: float, cpu: float, peak: float) -> None:
    """Stop above a limit; the clock of a machine that has more to do than cores is reported, not enforced."""
    said = f"{wall:.0f} s, {cpu:.0f} s of CPU and {peak:.0f} MB for {size} articles"
    if cpu > LIMIT_CPU_S or peak > LIMIT_MB:
        raise SystemExit(said)
    if wall > LIMIT_S:
        load, cores = os.getloadavg()[1], os.cpu_count() or 1
        if load <= cores:
            raise SystemExit(said)
        print(f"   WARNING: {said}; not enforced, the load was {load:.1f} on {cores} cores")


def main(sizes: tuple[int, ...] = SIZES) -> None:
    seconds = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            started = time.monotonic()
            events, articles = generate(folder, size)
            wrote = time.monotonic() - started
            command = [
                str(events),
                str(articles),
                "--jobs",
                "2",
                "-o",
                str(folder / "clusters.jsonl"),
            ]
            script = folder / "align.py"  # a file: spawned workers import it again
            script.write_text(_ALIGN, "utf-8")
            done = subprocess.run(
                [sys.executable, str(script), *command], capture_output=True, text=True, check=True
            )
            wall, cpu, peak = map(float, done.stdout.split()[-3:])
            seconds[size] = cpu
            print(
                f"{size:>9,} articles x {EVENTS:,} events: {wall:.1f} s, {cpu:.1f} s of CPU, {peak:.0f} MB, "
                f"{1e6 * cpu / size:.0f} µs an article (generated in {wrote:.0f} s)",
                flush=True,
            )
            _check(size, wall, cpu, peak)
    each = {size: seconds[size] / size for size in sizes}
    if each[sizes[-1]] > 1.5 * each[sizes[0]]:
        raise SystemExit("an article costs more in a large corpus than in a small one")


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or SIZES)
