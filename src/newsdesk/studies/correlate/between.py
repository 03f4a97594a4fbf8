"""Test every two metrics of a study: does one correlate better with people than the other?

`newsdesk.stats.significance` has the tests. The permutation test swaps all scores of an item together at the pooled level, an item's correlations at the item level,
all scores of a system at the system level. Williams's test takes outputs as independent; at the pooled level those of one item are not, so it can reject too
often, and the permutation test is the one to believe there. p-values are corrected over the pairs of metrics of one question, level, coefficient and test.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.metrics.ranking import pearson, spearman
from newsdesk.results.metric_tests import MetricDifference
from newsdesk.signatures import signature
from newsdesk.stats.coefficients import Coefficient, Level, mid_ranks, system_means
from newsdesk.stats.intervals import ends
from newsdesk.stats.significance import (
    Correction,
    correct,
    flipped_p,
    items_needed,
    standardized,
    swapped_p,
    williams,
)
from newsdesk.studies.correlate.bootstrap import draw_item_differences
from newsdesk.studies.correlate.study import CorrelateSettings, QuestionStudy
from newsdesk.studies.correlate.tables import Aligned

TESTED: tuple[Coefficient, ...] = ("pearson", "spearman")


def permutation_ps(
    study: Aligned,
    per_item: dict[Coefficient, Floats],
    pairs: Sequence[tuple[int, int]],
    *,
    samples: int,
    seed: int,
) -> dict[tuple[Level, Coefficient], Floats]:
    """Return the permutation p-values of the pairs of metrics, by level and coefficient.

    `per_item` holds metrics × items by coefficient, `pairs` places of metrics. The level of systems needs three of them.
    """
    ps: dict[tuple[Level, Coefficient], Floats] = {}
    for coefficient in TESTED:
        human, metrics = on_one_scale(study, coefficient)
        ps["pooled", coefficient] = swapped_p(human, metrics, pairs, samples, seed)
        ps["item", coefficient] = flipped_p(per_item[coefficient], pairs, samples, seed)
        if len(study.systems) > 2:
            means = system_means(study.metrics)  # metrics × systems
            of_people = system_means(study.human)
            if coefficient == "spearman":
                means, of_people = mid_ranks(means), mid_ranks(of_people)
            ps["system", coefficient] = swapped_p(
                of_people[:, None],
                standardized(means)[:, :, None],
                pairs,
                samples,
                seed,
                studentized=len(study.systems) > 3,
            )
    return ps


def on_one_scale(study: Aligned, coefficient: Coefficient) -> tuple[Floats, Floats]:
    """Return human scores and metrics on one scale: standard scores, or standardized ranks for Spearman.

    The human scores are items × systems, the metrics metrics × items × systems.
    """
    human, metrics = study.human, study.metrics
    if coefficient == "spearman":
        used = ~np.isnan(human)
        human, metrics = human.copy(), metrics.copy()
        human[used] = mid_ranks(human[used])  # outputs, flat
        metrics[:, used] = mid_ranks(metrics[:, used])
    return standardized(human[None])[0], standardized(metrics)


def all_pairs(count: int) -> list[tuple[int, int]]:
    """Return every two of so many metrics."""
    return list(itertools.combinations(range(count), 2))


def corrected_by_family(
    tests: Sequence[MetricDifference], method: Correction
) -> list[MetricDifference]:
    """Correct p-values within each question, level, coefficient and kind of test."""
    families: dict[tuple[str | None, ...], list[int]] = {}
    for index, test in enumerate(tests):
        family = (test.human, test.level, test.coefficient, test.test)
        families.setdefault(family, []).append(index)
    result = list(tests)
    for indices in families.values():
        ps = correct([tests[index].p for index in indices], method).tolist()
        for index, p in zip(indices, ps, strict=True):
            result[index] = replace(tests[index], p_corrected=p)
    return result


def tests_of(part: QuestionStudy, settings: CorrelateSettings) -> list[MetricDifference]:
    """Return permutation and Williams tests between every two metrics, not corrected yet."""
    study = part.study
    pairs = all_pairs(len(study.names))
    if not pairs:
        return []
    samples, seed, items = settings.samples, settings.seed, len(study.items)
    by_level = permutation_ps(study, dict(part.per_item), pairs, samples=samples, seed=seed)
    tests = []
    for (level, coefficient), ps in by_level.items():
        differences, draws, counts = _differences(part, level, coefficient, pairs, settings)
        for index, (first, second) in enumerate(pairs):
            if np.isnan(differences[index]):
                continue
            difference, drawn = float(differences[index]), draws[:, index]
            test = MetricDifference(
                human=study.question,
                level=level,
                coefficient=coefficient,
                first=study.names[first],
                second=study.names[second],
                difference=difference,
                ci=ends(drawn, "widened", units=items),
                test="permutation",
                p=float(ps[index]),
                p_corrected=float(ps[index]),
                n=int(counts[index]),
                more_items=items_needed(difference, drawn, items),
                signature=_signed(f"permutation[samples={samples},seed={seed}]", settings),
                holds=True,
            )
            tests.append(test)
            if level != "item":
                p = _williams_p(part, level, coefficient, first, second)
                signed = _signed("williams", settings)
                holds = (level, coefficient) == ("system", "pearson")
                tests.append(
                    replace(
                        test, test="williams", p=p, p_corrected=p, signature=signed, holds=holds
                    )
                )
    return tests


def _signed(test: str, settings: CorrelateSettings) -> str:
    return signature("correlate", {"test": test}, settings.note)


def _differences(
    part: QuestionStudy,
    level: Level,
    coefficient: Coefficient,
    pairs: Sequence[tuple[int, int]],
    settings: CorrelateSettings,
) -> tuple[Floats, Floats, Ints]:
    """Return the difference of correlations of each pair, its bootstrap draws, and the units behind it.

    The draws are samples × pairs, the others have one value per pair.
    """
    if level == "item":
        drawn = {"samples": settings.samples, "seed": settings.seed}
        return draw_item_differences(part.per_item[coefficient], pairs, **drawn)
    estimates, draws = part.estimates[level, coefficient], part.draws[level, coefficient]
    first, second = np.array(pairs).T
    values = np.array([estimate.value for estimate in estimates])  # metrics
    counts = np.full(len(pairs), estimates[0].n, dtype=np.int64)
    return values[first] - values[second], draws[:, first] - draws[:, second], counts


def _williams_p(
    part: QuestionStudy, level: Level, coefficient: Coefficient, first: int, second: int
) -> float:
    estimates = part.estimates[level, coefficient]
    between = _between(part.study, level, coefficient, first, second)
    return williams(estimates[first].value, estimates[second].value, between, estimates[first].n)


def _between(study: Aligned, level: Level, coefficient: Coefficient, one: int, two: int) -> float:
    """Return the correlation of two metrics with each other."""
    first, second = study.metrics[one], study.metrics[two]
    if level == "system":
        first, second = system_means(first), system_means(second)
    measure = spearman if coefficient == "spearman" else pearson
    return measure(first[~np.isnan(first)], second[~np.isnan(second)])
