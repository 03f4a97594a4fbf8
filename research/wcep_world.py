"""What Table 5 and Figure 2 of Gholipour Ghalandari et al. (2020) find, on simulated worlds `wcep` of seeds that nobody chose settings by.

`research/results/summaries.md` holds what this prints; numbers after the command name other seeds. Every world has 100 clusters; trained methods are fitted in two folds of its clusters.
Each difference in ROUGE-1 F has a 95 % bootstrap interval over the clusters of all worlds, and beside it the interval over worlds (t). The floor, on the means, is what the
paper finds: unsupervised methods above a random lead by .03, that above random sentences by .05, trained methods at least level with unsupervised ones, and a curve
that rises with ten added articles and, from fifty to a hundred, by less than a tenth of that.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import numpy as np

from newsdesk import simulate
from newsdesk.arrays import Floats
from newsdesk.registry import SUMMARIZERS
from newsdesk.studies.curve import ADDED, curve
from newsdesk.studies.table5 import table5, with_encoder
from newsdesk.types import Cluster
from research.table4 import interval, number, over_worlds

SEEDS = (11, 12, 13, 14, 15)
CLUSTERS = 100
FOLDS = 2
SAMPLES = 100  # of the intervals inside each world, which are not shown
# The paper's R1-F, on WCEP-100 test.
PAPER = {
    "oracle-multi": 0.558,
    "oracle-single": 0.539,
    "oracle-lead": 0.329,
    "random-lead": 0.276,
    "random": 0.181,
    "textrank": 0.341,
    "centroid": 0.341,
    "submodular": 0.344,
    "tsr": 0.353,
    "bertreg": 0.350,
}
UNSUPERVISED = ("textrank", "centroid", "submodular")
# First minus second, and by how much the floor wants it above zero.
DIFFERENCES = (
    *((name, "random-lead", 0.03) for name in UNSUPERVISED),
    ("random-lead", "random", 0.05),
    *((trained, name, 0.0) for trained in ("tsr", "bertreg") for name in UNSUPERVISED),
)

Values = Mapping[str, Mapping[str, Floats]]  # method → measure or articles added → clusters


def clusters_of(seed: int) -> list[Cluster]:
    world = simulate.world(preset="wcep", seed=seed, events=CLUSTERS, comments=1)
    return list(world.clusters())


def scores_of(seed: int) -> Values:
    """F of every cluster of one world, by method and measure."""
    methods = [spec for spec in with_encoder(SUMMARIZERS) if spec.partition("(")[0] in PAPER]
    evaluation = table5(clusters_of(seed), methods, folds=FOLDS, samples=SAMPLES)
    return {
        row.system.partition("(")[0]: {
            measure: np.array(score.items)
            for measure, score in row.scores.items()
            if measure.endswith("-F")
        }
        for row in evaluation.rows
    }


def curve_of(seed: int) -> Values:
    """ROUGE-1 F of every cluster of one world, by method and number of articles added."""
    points = curve(clusters_of(seed), UNSUPERVISED, added=ADDED, samples=SAMPLES).points
    values: dict[str, dict[str, Floats]] = {name: {} for name in UNSUPERVISED}
    for point in points:
        name = point.system.partition("(")[0]
        values[name][str(point.added)] = np.array(point.scores["R1-F"].items)
    return values


def pooled(worlds: Sequence[Values], method: str, column: str) -> Floats:
    return np.concatenate([values[method][column] for values in worlds])


def means(worlds: Sequence[Values], columns: Sequence[str], beside: Mapping[str, float]) -> None:
    """Print the mean of every method with its interval over the clusters of all worlds."""
    paper = " | paper, R1-F |" if beside else " |"
    print(f"\n| method | {' | '.join(columns)}{paper}")
    print("|---" * (len(columns) + 1 + bool(beside)) + "|")
    for method in worlds[0]:
        cells = []
        for column in columns:
            values = pooled(worlds, method, column)
            low, high = interval(values)
            cells.append(f"{values.mean():.3f} [{low:.3f}, {high:.3f}]")
        if beside:
            cells.append(f"{beside[method]:.3f}")
        print(f"| {method} | {' | '.join(cells)} |")


def difference(parts: Sequence[Floats]) -> str:
    """The mean of a paired difference with both intervals, as cells of a table."""
    everything = np.concatenate(parts)
    across = over_worlds([float(part.mean()) for part in parts])
    return f"{number(float(everything.mean()), interval(everything))} | {across}"


def orders(worlds: Sequence[Values]) -> list[str]:
    """Print the differences between methods; what misses its floor."""
    print("\n| difference in R1-F | all clusters | over worlds |\n|---|---|---|")
    missed = []
    for first, second, floor in DIFFERENCES:
        parts = [values[first]["R1-F"] - values[second]["R1-F"] for values in worlds]
        print(f"| {first} − {second} | {difference(parts)} |")
        if np.concatenate(parts).mean() < floor:
            missed.append(f"{first} − {second}")
    return missed


def rises(worlds: Sequence[Values]) -> list[str]:
    """Print by how much scores rise with ten articles and from fifty to a hundred; what misses its floor."""
    print("\n| rise of R1-F | all clusters | over worlds |\n|---|---|---|")
    missed = []
    for method in UNSUPERVISED:
        rise = {}
        for start, end in (("0", "10"), ("50", "100")):
            parts = [values[method][end] - values[method][start] for values in worlds]
            rise[end] = float(np.concatenate(parts).mean())
            print(f"| {method}, {start} to {end} | {difference(parts)} |")
        if not rise["100"] < rise["10"] / 10:
            missed.append(f"{method} from fifty to a hundred articles")
    return missed


def main(seeds: Sequence[int] = SEEDS) -> int:
    curves, worlds = [], []
    for seed in seeds:
        curves.append(curve_of(seed))
        print(f"seed {seed}: curve", file=sys.stderr, flush=True)
        worlds.append(scores_of(seed))
        print(f"seed {seed}: table", file=sys.stderr, flush=True)
    means(worlds, ("R1-F", "R2-F", "RL-F"), PAPER)
    missed = orders(worlds)
    means(curves, [str(added) for added in ADDED], {})
    missed += rises(curves)
    print(f"\nbelow the floor: {', '.join(missed) or 'nothing'}")
    return len(missed)


if __name__ == "__main__":
    sys.exit(main([int(each) for each in sys.argv[1:]] or SEEDS))
