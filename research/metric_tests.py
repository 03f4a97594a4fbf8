"""False positives of the tests between metrics: how often two metrics that agree with people equally well differ at p < .05.

    python -m research metric_tests

5,000 simulated studies of 40 items for each number of systems. Two metrics see the same qualities, or each favours systems of its own, drawn anew in
each run: then a difference for these systems is real, and only tests over systems ask whether it holds for others. A share of 5,000 runs has
a standard error of .3 percentage points.
"""

from __future__ import annotations

import sys

import numpy as np

from newsdesk.stats.coefficients import (
    Coefficient,
    Level,
    flat_correlations,
    row_correlations,
    system_means,
)
from newsdesk.stats.significance import williams
from newsdesk.studies.correlate.between import permutation_ps
from newsdesk.studies.correlate.tables import Aligned, align
from research._metric_worlds import SHOWN, World, tables

RUNS, SAMPLES, ITEMS = 5_000, 300, 40
SYSTEMS = (4, 10, 25)
MOST, LEAST = 0.06, 0.04
Key = tuple[str, Level, Coefficient]


def false_positives(world: World, runs: int, *, favourites: bool) -> dict[Key, float]:
    """The share of runs in which each test rejects at 5 %."""
    rng = np.random.default_rng([1, world.systems, favourites])
    counts: dict[Key, int] = {}
    for run in range(runs):
        quality = world.qualities(rng, metrics=2)
        if not favourites:
            quality[:, 2] = quality[:, 1]
        study = align(*tables(*world.draw(rng, quality)))
        for key, p in _ps(study, run).items():
            counts[key] = counts.get(key, 0) + (p < 0.05)
    return {key: count / runs for key, count in counts.items()}


def _ps(study: Aligned, seed: int) -> dict[Key, float]:
    """The p-value of every test."""
    rows = [row_correlations(metric, study.human) for metric in study.metrics]
    per_item = {name: np.stack([row[name] for row in rows]) for name in SHOWN}
    drawn = permutation_ps(study, per_item, [(0, 1)], samples=SAMPLES, seed=seed)
    ps: dict[Key, float] = {
        ("permutation", level, name): float(p[0]) for (level, name), p in drawn.items()
    }
    sides: dict[Level, tuple[np.ndarray, np.ndarray]] = {
        "pooled": (study.metrics.reshape(2, -1), study.human.ravel()),
        "system": (system_means(study.metrics), system_means(study.human)),
    }
    names: tuple[Coefficient, ...] = ("pearson", "spearman")
    for level, ((one, two), people) in sides.items():
        first, second, between = (
            flat_correlations(x, y) for x, y in ((one, people), (two, people), (one, two))
        )
        for name in names:
            ps["williams", level, name] = williams(
                first[name].value, second[name].value, between[name].value, first[name].n
            )
    return ps


def main(runs: int = RUNS) -> int:
    """Print every share; 1 where a permutation test rejects more than 6 % where nothing differs."""
    high = 0
    for favourites in (False, True):
        for systems in SYSTEMS:
            shares = false_positives(World(systems, ITEMS, ties=True), runs, favourites=favourites)
            for (test, level, name), share in shares.items():
                note = "conservative" if share < LEAST else "ABOVE 6 %" if share > MOST else ""
                print(
                    f"{systems} systems, metrics {'with' if favourites else 'without'} favourites, {test} {level} {name}: {share:.4f} {note}".rstrip(),
                    flush=True,
                )
                null = level == "system" or not favourites
                high += null and test == "permutation" and share > MOST
    return int(high > 0)


if __name__ == "__main__":
    sys.exit(main())
