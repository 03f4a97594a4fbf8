"""A writer that is killed leaves the old file or the new one; a large file is read in the memory of a small one."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from newsdesk import records
from newsdesk.types import Article

ROOT = Path(__file__).resolve().parents[2]

_WRITER = """
import sys
from newsdesk import records
from newsdesk.types import Article
records.write(sys.argv[1], (Article("old", "x" * 50) for _ in range(1)))
print("ready", flush=True)
for version in range(10**6):
    articles = [Article(str(n), f"version {version} " + "y" * 500) for n in range(2000)]
    records.write(sys.argv[1], articles)
"""

_READER = """
import sys
from newsdesk import records
from newsdesk.types import Article
from tests.growth import peak_kib
count = sum(1 for _ in records.read(sys.argv[1], Article))
print(count, peak_kib())
"""


def test_a_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    rng = random.Random(0)
    for attempt in range(12):
        path = tmp_path / f"{attempt}.jsonl"
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(rng.uniform(0, 0.3))
        writer.kill()
        writer.wait()
        writer.stdout.close()
        articles = list(records.read(path, Article))
        versions = {article.text[:12].rpartition(" ")[0] for article in articles}
        assert len(versions) == 1
        assert len(articles) in (1, 2000)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    peaks = []
    for count in (2_000, 40_000):
        path = tmp_path / f"{count}.jsonl"
        records.write(path, (Article(f"article-{n}", "word " * 400) for n in range(count)))
        done = subprocess.run(
            [sys.executable, "-c", _READER, str(path)],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        read, peak_kib = map(int, done.stdout.split())
        assert read == count
        peaks.append(peak_kib)
    # Twenty times the file, 80 MB of it, may cost its digests (16 bytes a record) and a little noise.
    assert peaks[1] - peaks[0] < 8_000
