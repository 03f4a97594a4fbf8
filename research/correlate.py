"""Metrics against people: speed of the bootstrap, and two studies of weighted references.

Coverage of the intervals is `python -m research coverage`, false positives of the tests `python -m research metric_tests`.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from bench._data import SHARED
from newsdesk.metrics.systems import join
from newsdesk.simulate import scenario
from newsdesk.studies.correlate.correlations import correlate
from newsdesk.studies.correlate.readers import read_rated
from newsdesk.studies.correlate.study import CorrelateSettings, study_question
from newsdesk.studies.correlate.tables import TABLE1, HumanScores, metric_scores
from newsdesk.types import Output, Reference, References
from research._metric_worlds import World, tables

SECONDS = 20.0


def speed(items: int = 1_600, systems: int = 16, metrics: int = 12, samples: int = 10_000) -> float:
    """CPU seconds of every level and coefficient with intervals."""
    rng = np.random.default_rng(0)
    world = World(systems, items, ties=True)
    human, scores = world.draw(rng, world.qualities(rng, metrics))
    scores = scores + 1e-6 * rng.normal(size=scores.shape)  # metrics hardly ever tie
    given = tables(human, scores)
    started = time.process_time()
    study_question(*given, CorrelateSettings(samples=samples))
    return time.process_time() - started


def table1(articles: int = 400, seed: int = 0, samples: int = 2_000) -> list[str]:
    """Table 1 of the supplement of Qin et al. (2018) on the simulated scenario `base`: gains of weights and of shuffled weights."""
    world = scenario("base", seed, articles=articles)
    outputs = [
        Output(*row) for row in zip(world.articles, world.systems, world.candidates, strict=True)
    ]
    references = [
        References(item, refs, "en")
        for item, refs in dict(zip(world.articles, world.references, strict=True)).items()
    ]
    human = HumanScores(
        "grade",
        {
            (item, system): (grade,)
            for item, system, grade in zip(world.articles, world.systems, world.grades, strict=True)
        },
    )
    systems = join(outputs, references)
    result = correlate(
        [human],
        metric_scores(systems, TABLE1),
        systems=systems,
        settings=CorrelateSettings(samples=samples, seed=seed),
    )
    lines = [f"{len([r for r in result.correlations if r.level == 'pooled'])} rows"]
    for row in result.gains:
        if row.coefficient == "spearman" and row.ci and row.net_ci:
            lines.append(
                f"{row.weighted} {row.level}: {row.gain:+.3f} [{row.ci[0]:+.3f}, {row.ci[1]:+.3f}], shuffled {row.shuffled:+.3f}, net {row.net:+.3f} [{row.net_ci[0]:+.3f}, {row.net_ci[1]:+.3f}]"
            )
    return lines


def graded_references(path: Path, seed: int = 0, samples: int = 2_000) -> list[str]:
    """REALSumm with every other system's outputs as references that carry their human scores, the rest as candidates."""
    rated = read_rated(str(path))
    (human,) = rated.human()
    names = sorted({system for _, system in human.values})
    pool = set(np.random.default_rng(seed).permutation(names)[: len(names) // 2].tolist())
    means = human.means
    by_item: dict[str, list[Reference]] = {}
    outputs = []
    for each in rated.texts():
        if each.system in pool:
            by_item.setdefault(each.id, []).append(
                Reference(each.text, min(1.0, max(0.0, means[each.id, each.system])))
            )
        else:
            outputs.append(each)
    systems = join(outputs, [References(item, tuple(refs), "en") for item, refs in by_item.items()])
    specs = ["meteor", "w-meteor", "rouge-l(combine='coco')", "w-rouge-l"]
    result = correlate(
        [human],
        metric_scores(systems, specs),
        systems=systems,
        settings=CorrelateSettings(samples=samples, seed=seed),
    )
    return [
        f"{row.weighted} {row.level}: {row.gain:+.3f} [{row.ci[0]:+.3f}, {row.ci[1]:+.3f}], shuffled {row.shuffled:+.3f}"
        for row in result.gains
        if row.coefficient == "spearman" and row.ci
    ]


def main() -> None:
    missed = []
    seconds = speed()
    print(
        f"10,000 samples over 1,600 items × 16 systems × 12 metrics: {seconds:.1f} s of CPU (below {SECONDS:g})"
    )
    if seconds >= SECONDS:
        missed.append("the bootstrap is slow")
    for line in table1():
        print(f"simulated, table 1: {line}")
    if (path := SHARED / "human_judgments/REALSumm.jsonl").exists():
        for seed in range(3):
            for line in graded_references(path, seed):
                print(f"REALSumm, half of the systems as graded references, draw {seed}: {line}")
    if missed:
        raise SystemExit("; ".join(missed))
