"""Metric scores of outputs, item by item, and the same with the weights of references shuffled within each item.

Shuffled weights are the control of a weighted metric: a gain over the plain metric that survives it does not come from knowing which
reference is the better one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.metrics.metric import check_batch, metric
from newsdesk.metrics.systems import System
from newsdesk.streams import stream
from newsdesk.studies.correlate.tables import MetricScores
from newsdesk.text.encode import Encoded

# A weighted metric → the plain one that it equals when all weights are 1.
_PLAIN = {"w-rouge-l": "rouge-l(combine='coco')", "w-meteor": "meteor", "w-cider": "cider"} | {
    f"w-bleu-{n}": f"bleu-{n}" for n in range(1, 5)
}
# The rows of Table 1 of the supplement of Qin et al. (2018), each plain metric before its weighted form.
TABLE1 = (
    "meteor", "w-meteor", "rouge-l(combine='coco')", "w-rouge-l", "cider", "w-cider",
    "bleu-1", "w-bleu-1", "bleu-2", "w-bleu-2", "bleu-3", "w-bleu-3", "bleu-4", "w-bleu-4",
)  # fmt: skip


def plain_partner(spec: str) -> str | None:
    """The plain metric that a weighted one equals when all weights are 1; None for any other metric.

    >>> plain_partner("w-rouge-l"), plain_partner("w-meteor(reading='paper')"), plain_partner("chrf")
    ("rouge-l(combine='coco')", "meteor(version='2005')", None)
    """
    name, _, rest = spec.partition("(")
    plain = _PLAIN.get(name)
    if plain is None or not rest:
        return plain
    if rest == "reading='paper')":
        # B.3 weighs METEOR 2005; the other formulas of the paper have the usual plain forms.
        return "meteor(version='2005')" if name == "w-meteor" else plain
    return None


def with_paper_readings(specs: Sequence[str]) -> list[str]:
    """The metrics, each weighted one followed by its formula as printed in the paper (`reading='paper'`), and METEOR 2005 as the plain partner."""
    result: list[str] = []
    for spec in specs:
        result.append(spec)
        if spec in _PLAIN:
            printed = f"{spec}(reading='paper')"
            plain = plain_partner(printed)
            result += [each for each in (plain, printed) if each and each not in (*specs, *result)]
    return result


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
