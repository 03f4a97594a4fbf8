"""How well people agree with each other: the judges of every output are divided at random into two halves, whose means are correlated.

Qin et al. (2018) divide once (their row "Human"); here the division is repeated and the correlations are averaged. It is a yardstick,
not a bound: half of the judges are noisier than all of them, and a metric is correlated with the mean of all.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.streams import stream
from newsdesk.studies.correlate.tables import HumanScores, Key, MetricScores

HUMAN = "Human"


def divided(human: HumanScores, *, seed: int, number: int) -> tuple[HumanScores, MetricScores]:
    """One random division: the mean of one half as human scores, that of the other as a metric; outputs of a single judge are left out."""
    keys = [key for key, values in human.values.items() if len(values) > 1]
    most = max(len(human.values[key]) for key in keys)
    table = np.full((len(keys), most), np.nan)
    for row, key in enumerate(keys):
        table[row, : len(human.values[key])] = human.values[key]
    first, second = _halves(table, seed, number)
    one = {key: (value,) for key, value in zip(keys, first.tolist(), strict=True)}
    two = dict(zip(keys, second.tolist(), strict=True))
    return HumanScores(human.question, one), MetricScores(HUMAN, two, HUMAN)


def _halves(table: Floats, seed: int, number: int) -> tuple[Floats, Floats]:
    """The means of two random halves of each row; of an odd number of values either half may get the larger part."""
    rng = stream("correlate halves", seed, number)
    counts = (~np.isnan(table)).sum(axis=1)
    keys = np.where(np.isnan(table), np.inf, rng.random(table.shape))
    mixed = np.take_along_axis(table, np.argsort(keys, axis=1), axis=1)
    size = (counts + rng.integers(0, 2, len(counts))) // 2
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
    """The human scores of these outputs alone."""
    return HumanScores(
        human.question, {key: value for key, value in human.values.items() if key in outputs}
    )
