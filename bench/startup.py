"""How long the help of the command and of its sub-commands takes, against `python -c pass`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

FLOOR = 6.0
COMMANDS = (
    "--help",
    "list --help",
    "score --help",
    "summarize --help",
    "simulate --help",
    "records check --help",
    "rank fit --help",
    "rank compare --help",
    "campaign new --help",
    "campaign import --help",
    "corpus articles --help",
    "corpus align --help",
    "corpus build --help",
    "study table5 --help",
)


def seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    newsdesk = str(Path(sys.executable).parent / "newsdesk")
    bare = [sys.executable, "-c", "pass"]
    slow = []
    for words in COMMANDS:
        pairs = [(seconds([newsdesk, *words.split()]), seconds(bare)) for _ in range(15)]
        ratio = min(ours for ours, _ in pairs) / min(theirs for _, theirs in pairs)
        print(f"newsdesk {words}: {ratio:.1f} x `python -c pass`")
        slow += [f"{words}: {ratio:.1f} x"] if ratio > FLOOR else []
    if slow:
        raise SystemExit(f"{FLOOR} x is allowed; {', '.join(slow)}")
