"""Cited sources at scale: 2,000 URLs with a third of faults against a loopback archive, killed three times.

Every URL has the outcome that was planted, none with an outcome is asked again, at most as many as were in flight are repeated, no host sees more than its rate,
robots.txt is obeyed, and peak memory at 2,000 URLs is at most 1.2 times that at 200. The archive runs on the same machine: nothing here was measured on the real one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

URLS, FEW = 2_000, 200
KILLS = (400, 900, 1_500)
MEMORY = 1.2
SLACK_S = 0.5  # the threads of a busy machine are late, so that the next request seems early
_PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def under_fire(folder: Path) -> list[str]:
    """Run 2,000 URLs with kills; what is not as it should be."""
    from newsdesk import records
    from tests.corpus.archive import server
    from tests.corpus.archive.running import (
        CONCURRENCY,
        RATE,
        excess,
        loopback,
        outcomes,
        run_under_fire,
    )

    with loopback(folder) as archive:
        events, out = folder / "events.jsonl", folder / "archive"
        records.write(events, server.events_for(URLS, archive.ports))
        started = time.perf_counter()
        fire = run_under_fire(archive, events, out, list(KILLS), "--save")
        seconds = time.perf_counter() - started
        planted = {
            server.page_of(server.url_of(number, archive.ports)): server.outcome_of(
                number, save=True
            )
            for number in range(URLS)
        }
        wrong = sum(outcomes(out).get(page) != outcome for page, outcome in planted.items())
        requests = archive.requests()
        ahead = excess(requests, RATE)
        forbidden = [row for row in requests if "/hidden/" in row["path"] and row["host"] == "web"]
        forbidden += [
            row
            for row in requests
            if row["path"].startswith("/save/") and "/private/" in row["path"]
        ]
    print(
        f"{URLS} URLs, {len(requests)} requests, killed {fire.kills} times, {seconds:.0f} s: {wrong} outcomes differ from what was planted, "
        f"{fire.again} URLs asked again after their outcome, {fire.repeated} repeated (at most {fire.kills * CONCURRENCY}), "
        f"earliest request {ahead * 1000:.0f} ms ahead of {RATE:g}/s, {len(forbidden)} against robots.txt"
    )
    checks = {
        "an outcome is not the planted one": wrong,
        "not killed three times": fire.kills != len(KILLS),
        "a URL with an outcome was asked again": fire.again,
        "too many URLs were repeated": fire.repeated > fire.kills * CONCURRENCY,
        "a host saw more than its rate": ahead > SLACK_S,
        "robots.txt was not obeyed": forbidden,
    }
    return [name for name, failed in checks.items() if failed]


def peak_memory(folder: Path, urls: int) -> int:
    """The peak memory of a run, in KiB."""
    from newsdesk import records
    from tests.corpus.archive import server
    from tests.corpus.archive.running import command, loopback

    folder.mkdir()
    with loopback(folder) as archive:
        events = folder / "events.jsonl"
        records.write(events, server.events_for(urls, archive.ports))
        words = command(archive, events, folder / "archive", "--save")
        done = subprocess.run(
            [sys.executable, "-c", _PEAK, *words], capture_output=True, text=True, check=True
        )
    return int(done.stdout)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        failed = under_fire(Path(name))
        few, many = (peak_memory(Path(name) / str(urls), urls) for urls in (FEW, URLS))
    print(
        f"peak memory: {few / 1024:.0f} MiB at {FEW} URLs, {many / 1024:.0f} MiB at {URLS}: {many / few:.3f}"
    )
    if many > MEMORY * few:
        failed.append(f"peak memory grows by {many / few:.2f}")
    for each in failed:
        print(f"   FAILED: {each}")
    return len(failed)
