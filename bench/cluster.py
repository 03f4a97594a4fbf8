"""Two Dask workers against one, and the shuffle of a month of crawl files in small.

Throughput: the same simulated crawl through `dask://` with one worker and with two, on loopback; the ratio depends on how many cores are free and has no floor. The output
must have the bytes of the local engine. Shuffle: finished shards of small articles over a month, each with a tail of older days, are merged into
partitions by day; seconds, peak memory and how often a shard is opened are printed, for the estimate in `docs/how-to/common-crawl-news.md`.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHARDS, PAGES = 12, 60
MONTH_SHARDS, MONTH_ROWS, DAYS, TEXT_CHARACTERS = 60, 2_000, 30, 2_000


def throughput(folder: Path) -> None:
    """Pages per second by the clock with one worker and with two."""
    from newsdesk.corpus.articles import build_articles
    from newsdesk.work import Running
    from tests.corpus.writing import write_crawl
    from tests.work.clusters import LoopbackCluster

    crawl = [write_crawl(folder / f"{n}.warc.gz", f"s{n}", PAGES) for n in range(SHARDS)]
    local = build_articles(crawl, folder / "local", running=Running("inline"))
    speeds = []
    for workers in (1, 2):
        (folder / f"dask-{workers}").mkdir()
        cluster = LoopbackCluster(folder / f"dask-{workers}", workers)
        try:
            # The first run waits for the workers and their imports; the second is timed.
            build_articles(
                crawl[:workers], folder / f"warm-{workers}", running=Running(cluster.engine)
            )
            started = time.monotonic()
            spread = build_articles(
                crawl, folder / f"out-{workers}", running=Running(cluster.engine)
            )
            speeds.append(SHARDS * PAGES / (time.monotonic() - started))
        finally:
            cluster.close()
        if spread != local:
            sys.exit("a cluster gave other articles than one process")
    print(
        f"   {speeds[0]:.0f} pages/s with one worker, {speeds[1]:.0f} with two: ratio {speeds[1] / speeds[0]:.2f}"
    )


def shuffle(folder: Path) -> None:
    """Merge the rows of a month; run in a process of its own, for its peak memory."""
    import polars as pl

    from newsdesk.corpus import partitions
    from newsdesk.corpus.partitions import (
        ExtractedShard,
        Filters,
        columns,
        plan,
        write_partitions,
        write_table,
    )
    from newsdesk.corpus.tally import Accounts
    from newsdesk.streams import stream

    rng = stream("shuffle", 0)
    shards = []
    for number in range(MONTH_SHARDS):
        crawled = 1 + number * DAYS // MONTH_SHARDS
        ages = rng.geometric(0.6, MONTH_ROWS) - 1
        days = sorted(f"2031-03-{max(1, crawled - int(age)):02d}" for age in ages)
        rows = [
            {"id": f"{number}-{row}", "text": "x" * TEXT_CHARACTERS, "date": day, "lang": "en", "source": "a.example", "file": str(number), "offset": row, "characters": TEXT_CHARACTERS}
            for row, day in enumerate(days)
        ]  # fmt: skip
        table = pl.DataFrame(rows, schema={**columns(), "characters": pl.Int64}, orient="row")
        write_table(folder / f"{number}.rows", table)
        shards.append(ExtractedShard(folder / f"{number}.rows", str(number)))
    opened = 0
    scan = pl.scan_parquet

    def counted(*arguments: object, **options: object) -> object:
        nonlocal opened
        opened += 1
        return scan(*arguments, **options)  # type: ignore[arg-type]

    pl.scan_parquet = counted  # type: ignore[assignment]
    del rows, table
    started = time.monotonic()
    planned = plan(shards, Filters(), Accounts("shuffle"))
    planning = time.monotonic() - started
    (folder / "out").mkdir()
    files = write_partitions(folder / "out", shards, planned)
    total = MONTH_SHARDS * MONTH_ROWS
    print(
        f"   {total:,} rows of {MONTH_SHARDS} shards into {len(files)} days: planned in {planning:.2f} s, written in "
        f"{time.monotonic() - started - planning:.2f} s; {planned.estimated_size() / total:.0f} bytes a row of plan; shards opened {opened} times; "
        f"batches of {partitions._BATCH_ROWS:,} rows; peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        throughput(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        code = f"from pathlib import Path; from bench.cluster import shuffle; shuffle(Path({folder!r}))"
        if subprocess.run([sys.executable, "-c", code]).returncode:
            sys.exit("the shuffle failed")
