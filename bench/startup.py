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
    bare = [sys.executable, "-c", "pass"]
    for words in (["--help"], ["list", "--help"], ["records", "check", "--help"]):
        pairs = [(seconds([newsdesk, *words]), seconds(bare)) for _ in range(15)]
        ratio = min(ours for ours, _ in pairs) / min(theirs for _, theirs in pairs)
        print(f"newsdesk {' '.join(words)}: {ratio:.1f} x `python -c pass`")
        if words == ["--help"] and ratio > FLOOR:
            raise SystemExit(f"{ratio:.1f} x, where {FLOOR} is allowed")
