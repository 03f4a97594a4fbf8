"""Scores of outputs by item and system, and the study that aligns human and metric scores on the same outputs.

A score table maps (item, system) to a value; a human score may have one value per judge. A study holds them as arrays of items ×
systems, nan where an output has no score. All metrics are compared on the same outputs: those that have the human score and every metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError, DataError

Key = tuple[str, str]  # item, system


@dataclass(frozen=True, slots=True)
class HumanScores:
    """One question's human scores: for each output the value of every judge, or one value where only the mean is known."""

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
        """The column of a metric in the table."""
        return self.names.index(name)


def align(human: HumanScores, metrics: Sequence[MetricScores]) -> Aligned:
    """Arrange human scores and metrics as items × systems, in the order in which the first metric has them."""
    if not metrics:
        raise ArgumentError("there are no metrics to compare with people")
    names = [metric.name for metric in metrics]
    if len(set(names)) != len(names):
        raise ArgumentError("a metric is given twice")
    keys = list(metrics[0].values)
    items = list(dict.fromkeys(item for item, _ in keys))
    systems = list(dict.fromkeys(system for _, system in keys))
    judged = _array(human.means, items, systems)
    stacked = np.stack([_array(metric.values, items, systems) for metric in metrics])
    complete = ~np.isnan(judged) & ~np.isnan(stacked).any(axis=0)
    if complete.sum() < 2:
        people, others = (next(iter(side), ("", "")) for side in (human.values, keys))
        raise DataError(
            f"fewer than two outputs have both a human score ({human.question!r}) and every metric: the human scores name outputs such as"
            f" item {people[0]!r} of system {people[1]!r}, the metrics such as item {others[0]!r} of system {others[1]!r};"
            " ids and systems must be the same in both"
        )
    left_out = int(np.count_nonzero(~np.isnan(stacked).any(axis=0) & ~complete))
    judged = np.where(complete, judged, np.nan)
    stacked = np.where(complete, stacked, np.nan)
    rows = np.flatnonzero(complete.any(axis=1))
    columns = np.flatnonzero(complete.any(axis=0))
    return Aligned(
        question=human.question,
        items=tuple(items[place] for place in rows.tolist()),
        systems=tuple(systems[place] for place in columns.tolist()),
        names=tuple(names),
        signatures=tuple(metric.signature for metric in metrics),
        human=judged[rows][:, columns],
        metrics=stacked[:, rows][:, :, columns],
        left_out=left_out,
    )


def _array(values: Mapping[Key, float], items: Sequence[str], systems: Sequence[str]) -> Floats:
    row = {item: place for place, item in enumerate(items)}
    column = {system: place for place, system in enumerate(systems)}
    table = np.full((len(items), len(systems)), np.nan)
    for (item, system), value in values.items():
        if item in row and system in column:
            table[row[item], column[system]] = value
    return table
