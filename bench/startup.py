"""How long `newsdesk --help` takes, against `python -c pass`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

FLOOR = 6.0


def seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    newsdesk = str(Path(sys.executable).parent / "newsdesk")
    for words in (
        [newsdesk, "--help"],
        [newsdesk, "list", "--help"],
        [newsdesk, "records", "check", "--help"],
    ):
        pairs = [(seconds(words), seconds([sys.executable, "-c", "pass"])) for _ in range(15)]
        ratio = min(ours for ours, _ in pairs) / min(theirs for _, theirs in pairs)
        print(
            f"{' '.join(['newsdesk', *words[1:]])}: {ratio:.1f} x `python -c pass` (at most {FLOOR})"
        )
        if ratio > FLOOR:
            raise SystemExit(f"{ratio:.1f} x")
