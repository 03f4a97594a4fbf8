"""Reading a gigabyte of JSONL: the memory it takes, and the speed against plain `json.loads`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

RECORDS = 400_000
TEXT_WORDS = 430

_READ = """
import sys, time
started = time.process_time()
if sys.argv[2] == "newsdesk":
    import newsdesk as nd
    count = sum(1 for _ in nd.read(sys.argv[1], nd.Article))
else:
    import json
    with open(sys.argv[1], encoding="utf-8") as lines:
        count = sum(1 for line in lines if json.loads(line))
# Not ru_maxrss: it begins with the size of whoever started this process.
with open("/proc/self/status") as lines:
    peak = next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
print(count, time.process_time() - started, peak)
"""


def main() -> None:
    import newsdesk as nd

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.jsonl"
        text = "words " * TEXT_WORDS
        nd.write(path, (nd.Article(f"article-{n}", text) for n in range(RECORDS)))
        size = path.stat().st_size / 1e9
        results = {}
        for who in ("newsdesk", "json"):
            done = subprocess.run(
                [sys.executable, "-c", _READ, str(path), who],
                capture_output=True,
                text=True,
                check=True,
            )
            count, seconds, peak = map(float, done.stdout.split())
            results[who] = seconds
            print(
                f"{who}: {count:,.0f} records, {size:.2f} GB in {seconds:.1f} s of CPU, peak {peak:.0f} MB"
            )
            if who == "newsdesk" and peak > 120:
                raise SystemExit(f"{peak:.0f} MB is not constant memory")
    print(f"strict reading costs {results['newsdesk'] / results['json']:.1f} x plain json.loads")
