"""Scores of outputs by item and system, and the study that aligns human and metric scores on the same outputs.

A score table maps (item, system) to a value; a human score may have one value per judge. A study holds them as arrays of items ×
systems, nan where an output has no score. All metrics are compared on the same outputs: those that have the human score and every metric.

The judges of an output can be divided at random into two halves (`divided`), whose means are correlated: how well people agree with each other. Qin et al. (2018)
divide once (their row "Human"); a study repeats the division. It is a yardstick, not a bound: half of the judges are noisier than all of them.

`metric_scores` computes a metric's scores of texts, `shuffled_scores` the same with the weights of references shuffled within each item. That is the control of a
weighted metric: a gain over the plain metric that survives it does not come from knowing which reference is the better one.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError, DataError
from newsdesk.metrics.metric import check_batch, metric
from newsdesk.metrics.systems import System, with_partners
from newsdesk.streams import stream
from newsdesk.text.encode import Encoded

Key = tuple[str, str]  # item, system


@dataclass(frozen=True, slots=True)
class HumanScores:
    """One question's human scores: the value of every judge of an output, or their mean alone."""

    question: str
    values: Mapping[Key, tuple[float, ...]]

    @property
    def means(self) -> dict[Key, float]:
        """The mean over judges of each output."""
        return {key: sum(values) / len(values) for key, values in self.values.items()}

    @property
    def has_judges(self) -> bool:
        """True if at least two outputs have two judges or more, so that judges can be divided into halves."""
        return sum(len(values) > 1 for values in self.values.values()) > 1


@dataclass(frozen=True, slots=True)
class MetricScores:
    """One metric's value of each output, with the signature that reproduces them."""

    name: str
    values: Mapping[Key, float]
    signature: str
    weighted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """One question's human scores and all metrics on the same outputs.

    `human` is items × systems, `metrics` is metrics × items × systems; nan marks an output that lacks a score and is left out everywhere.
    """

    question: str
    items: tuple[str, ...]
    systems: tuple[str, ...]
    names: tuple[str, ...]
    signatures: tuple[str, ...]
    human: Floats
    metrics: Floats
    left_out: int = 0

    @property
    def outputs(self) -> int:
        """The number of outputs with all scores."""
        return int(np.count_nonzero(~np.isnan(self.human)))

    def place(self, name: str) -> int:
        """Return the column of a metric in the table."""
        return self.names.index(name)


def align(human: HumanScores, metrics: Sequence[MetricScores]) -> Aligned:
    """Arrange human scores and metrics as items × systems, in the order of the first metric."""
    if not metrics:
        raise ArgumentError("there are no metrics to compare with people")
    names = [metric.name for metric in metrics]
    if len(set(names)) != len(names):
        raise ArgumentError("a metric is given twice")
    keys = list(metrics[0].values)
    items = list(dict.fromkeys(item for item, _ in keys))
    systems = list(dict.fromkeys(system for _, system in keys))
    judged = _array(human.means, items, systems)  # items × systems
    # Metrics × items × systems.
    stacked = np.stack([_array(metric.values, items, systems) for metric in metrics])
    complete = ~np.isnan(judged) & ~np.isnan(stacked).any(axis=0)
    if complete.sum() < 2:
        human_item, human_system = next(iter(human.values), ("", ""))
        metric_item, metric_system = next(iter(keys), ("", ""))
        raise DataError(
            f"fewer than two outputs have both a human score ({human.question!r}) and every metric: the human scores name outputs such as"
            f" item {human_item!r} of system {human_system!r}, the metrics such as item {metric_item!r} of system {metric_system!r};"
            " ids and systems must be the same in both"
        )
    left_out = int(np.count_nonzero(~np.isnan(stacked).any(axis=0) & ~complete))
    judged = np.where(complete, judged, np.nan)
    stacked = np.where(complete, stacked, np.nan)
    # Items and systems without any complete output go.
    rows = np.flatnonzero(complete.any(axis=1))
    columns = np.flatnonzero(complete.any(axis=0))
    return Aligned(
        question=human.question,
        items=tuple(items[row] for row in rows.tolist()),
        systems=tuple(systems[column] for column in columns.tolist()),
        names=tuple(names),
        signatures=tuple(metric.signature for metric in metrics),
        human=judged[rows][:, columns],
        metrics=stacked[:, rows][:, :, columns],
        left_out=left_out,
    )


def _array(values: Mapping[Key, float], items: Sequence[str], systems: Sequence[str]) -> Floats:
    """Return values as items × systems, nan where there is none; other outputs are left out."""
    row = {item: index for index, item in enumerate(items)}
    column = {system: index for index, system in enumerate(systems)}
    table = np.full((len(items), len(systems)), np.nan)
    for (item, system), value in values.items():
        if item in row and system in column:
            table[row[item], column[system]] = value
    return table


HUMAN = "Human"


def divided(human: HumanScores, *, seed: int, number: int) -> tuple[HumanScores, MetricScores]:
    """Return one random division: the mean of one half as human scores, that of the other as a metric.

    Outputs of a single judge are left out.
    """
    keys = [key for key, values in human.values.items() if len(values) > 1]
    most_judges = max(len(human.values[key]) for key in keys)
    table = np.full((len(keys), most_judges), np.nan)  # outputs × judges
    for row, key in enumerate(keys):
        table[row, : len(human.values[key])] = human.values[key]
    first, second = _halves(table, seed, number)
    as_human = {key: (mean,) for key, mean in zip(keys, first.tolist(), strict=True)}
    as_metric = dict(zip(keys, second.tolist(), strict=True))
    return HumanScores(human.question, as_human), MetricScores(HUMAN, as_metric, signature=HUMAN)


def _halves(table: Floats, seed: int, number: int) -> tuple[Floats, Floats]:
    """Return the means of two random halves of each row; `table` is outputs × judges, nan where absent.

    Every row needs at least two judges, one for each half. Of an odd number of values either half may get the larger part.
    """
    rng = stream("correlate halves", seed, number)
    counts = (~np.isnan(table)).sum(axis=1)  # outputs: how many judges each has
    # Every row in random order, the missing judges last.
    sort_keys = np.where(np.isnan(table), np.inf, rng.random(table.shape))
    mixed = np.take_along_axis(table, np.argsort(sort_keys, axis=1), axis=1)
    size = (counts + rng.integers(0, 2, len(counts))) // 2  # outputs: judges of the first half
    size = np.clip(size, 1, counts - 1)
    places = np.arange(table.shape[1])
    in_first = places < size[:, None]
    in_second = (places < counts[:, None]) & ~in_first
    filled = np.nan_to_num(mixed)
    return (
        (filled * in_first).sum(axis=1) / size,
        (filled * in_second).sum(axis=1) / (counts - size),
    )


def only(human: HumanScores, outputs: Container[Key]) -> HumanScores:
    """Return the human scores of these outputs alone."""
    return HumanScores(
        human.question, {key: value for key, value in human.values.items() if key in outputs}
    )


# The rows of Table 1 of the supplement of Qin et al. (2018), each plain metric before its weighted form.
TABLE1 = with_partners(
    ["w-meteor", "w-rouge-l", "w-cider", *(f"w-bleu-{order}" for order in range(1, 5))]
)


def with_paper_readings(specs: Sequence[str]) -> list[str]:
    """Return the metrics, each weighted one of Table 1 followed by its `reading='paper'`."""
    printed = {spec: f"{spec}(reading='paper')" for spec in specs if spec in TABLE1[1::2]}
    listed = (reading for spec in specs for reading in (spec, printed.get(spec)) if reading)
    return list(dict.fromkeys(listed))


def metric_scores(systems: Sequence[System], specs: Sequence[str]) -> list[MetricScores]:
    """Return the value of every output by every metric."""
    return [_scores(systems, spec) for spec in specs]


def shuffled_scores(
    systems: Sequence[System], spec: str, *, shuffles: int, seed: int
) -> list[MetricScores]:
    """Score with each item's reference weights in random order, the same order for all systems."""
    results = []
    for number in range(shuffles):
        mixed = [
            System(system.name, system.ids, _shuffled(system, seed, number)) for system in systems
        ]
        results.append(_scores(mixed, spec))
    return results


def _scores(systems: Sequence[System], spec: str) -> MetricScores:
    """Return the value of every output by one metric."""
    measure = metric(spec)
    values = {}
    for system in systems:
        check_batch(system.batch)
        scores = measure.values(measure.statistics(system.batch)).tolist()
        values.update(
            {(item, system.name): score for item, score in zip(system.ids, scores, strict=True)}
        )
    return MetricScores(spec, values, measure.signature(systems[0].batch), measure.weighted)


def _shuffled(system: System, seed: int, number: int) -> Encoded:
    """Return a batch with the weights of each item's references in random order; `number` is the copy's."""
    batch = system.batch
    weights: Floats = batch.weights.copy()
    for index, item in enumerate(system.ids):
        low, high = batch.reference_offsets[index : index + 2].tolist()
        # The order depends on the item alone, so that every system meets the same references.
        rng = stream(f"correlate shuffle\0{item}", seed, number)
        weights[low:high] = weights[low:high][rng.permutation(high - low)]
    return batch.with_weights(np.ascontiguousarray(weights), f"{batch.weighting}-shuffled{number}")
