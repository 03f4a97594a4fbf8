"""Metric scores of outputs, item by item, and the same with the weights of references shuffled within each item.

Shuffled weights are the control of a weighted metric: a gain over the plain metric that survives it does not come from knowing which
reference is the better one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.metrics.metric import check_batch, metric
from newsdesk.metrics.systems import System, with_partners
from newsdesk.streams import stream
from newsdesk.studies.correlate.tables import MetricScores
from newsdesk.text.encode import Encoded

# The rows of Table 1 of the supplement of Qin et al. (2018), each plain metric before its weighted form.
TABLE1 = with_partners(
    ["w-meteor", "w-rouge-l", "w-cider", *(f"w-bleu-{order}" for order in range(1, 5))]
)


def with_paper_readings(specs: Sequence[str]) -> list[str]:
    """The metrics, each weighted one of Table 1 followed by its formula as printed in the paper (`reading='paper'`)."""
    printed = {spec: f"{spec}(reading='paper')" for spec in specs if spec in TABLE1[1::2]}
    listed = (each for spec in specs for each in (spec, printed.get(spec)) if each)
    return list(dict.fromkeys(listed))


def metric_scores(systems: Sequence[System], specs: Sequence[str]) -> list[MetricScores]:
    """The value of every output by every metric."""
    return [_scores(systems, spec) for spec in specs]


def shuffled_scores(
    systems: Sequence[System], spec: str, *, shuffles: int, seed: int
) -> list[MetricScores]:
    """A weighted metric with the weights of each item's references in random order, the same order for all systems."""
    results = []
    for number in range(shuffles):
        mixed = [
            System(system.name, system.ids, _shuffled(system, seed, number)) for system in systems
        ]
        results.append(_scores(mixed, spec))
    return results


def _scores(systems: Sequence[System], spec: str) -> MetricScores:
    one = metric(spec)
    values = {}
    for system in systems:
        check_batch(system.batch)
        scores = one.values(one.statistics(system.batch)).tolist()
        values.update(
            {(item, system.name): score for item, score in zip(system.ids, scores, strict=True)}
        )
    return MetricScores(spec, values, one.signature(systems[0].batch), one.weighted)


def _shuffled(system: System, seed: int, number: int) -> Encoded:
    batch = system.batch
    weights: Floats = batch.weights.copy()
    for place, item in enumerate(system.ids):
        low, high = batch.reference_offsets[place : place + 2].tolist()
        # The order depends on the item alone, so that every system meets the same references.
        rng = stream(f"correlate shuffle\0{item}", seed, number)
        weights[low:high] = weights[low:high][rng.permutation(high - low)]
    return batch.with_weights(np.ascontiguousarray(weights), f"{batch.weighting}-shuffled{number}")
