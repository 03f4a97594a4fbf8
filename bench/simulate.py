"""Simulated worlds at full size: a thousand events in a minute, and the metric scenarios in their ranges.

Prints one line per figure and exits 1 when one is out of its range.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

import newsdesk as nd
from newsdesk import simulate
from newsdesk.metrics import score
from newsdesk.metrics.ranking import spearman

LIMIT_S = 60.0
SEEDS = range(4)
# name → what must hold for the gain of W-METEOR over METEOR, and for the gain with shuffled weights.
RANGES = {
    "base": ((0.02, 0.08), (-1.0, 0.03)),
    "equal": ((-1.0, 0.01), (-1.0, 1.0)),
    "wide": ((0.12, 1.0), (-1.0, 1.0)),
    "k4": ((-1.0, 0.03), (-1.0, 1.0)),
    "article-effect": ((-1.0, 1.0), (0.05, 1.0)),
}


def world_seconds() -> float:
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        simulated = simulate.world(seed=7, events=1000, comments=50_000)
        simulate.write_world(simulated, Path(folder) / "world")
    return time.process_time() - started


def correlations(name: str, seed: int) -> tuple[float, float, float]:
    """Spearman with the grades of METEOR, W-METEOR, and W-METEOR with shuffled weights."""
    plain = simulate.scenario(name, seed)
    mixed = plain.shuffled()
    values = []
    for metrics, scenario in ((["meteor", "w-meteor"], plain), (["w-meteor"], mixed)):
        batch = nd.encode(scenario.candidates, scenario.references, lang="en")
        values += [
            spearman(each.items or (), plain.grades)
            for each in score(metrics, batch, per_item=True)
        ]
    meteor, weighted, shuffled = values
    return meteor, weighted, shuffled


def main() -> None:
    seconds = world_seconds()
    print(f"1,000 events and 50,000 comments in {seconds:.1f} s of CPU (at most {LIMIT_S:.0f})")
    if seconds > LIMIT_S:
        raise SystemExit(f"{seconds:.1f} s")
    wrong = []
    for name, ranges in RANGES.items():
        meteor, weighted, shuffled = np.mean([correlations(name, seed) for seed in SEEDS], axis=0)
        gain, control = weighted - meteor, shuffled - meteor
        print(
            f"{name}: METEOR {meteor:.3f}, W-METEOR {gain:+.3f}, with shuffled weights {control:+.3f}"
        )
        for value, (low, high) in zip((gain, control), ranges, strict=True):
            if not low < value < high:
                wrong.append(f"{name} {value:+.3f} is not between {low:g} and {high:g}")
    if wrong:
        raise SystemExit("; ".join(wrong))


if __name__ == "__main__":
    main()
