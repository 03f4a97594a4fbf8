"""How often a metric orders two outputs, or two systems, as people do.

**Pairs of outputs** of one item: people say better, worse or equal, and a metric says equal where its two scores differ by at most ε. Metrics
hardly ever give equal scores, so ε is calibrated: the threshold with the highest accuracy (Deutsch et al. 2023). It is chosen on one
half of the items and applied to the other, and the other way round, so the accuracy is not that of its own choice. With ε = 0
the figure is the plain one: share of pairs with the same order.

**Close pairs of systems** (Deutsch et al. 2022): correlations over systems of very different quality are easy. Kendall's tau over those pairs of
systems that the metric puts nearest to each other shows what a small improvement of the metric is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Bools, Floats, Ints
from newsdesk.stats.coefficients import system_means
from newsdesk.stats.intervals import Ends, ends
from newsdesk.stats.resample import exact_columns
from newsdesk.streams import stream
from newsdesk.studies.correlate.bootstrap import item_counts
from newsdesk.studies.correlate.tables import Aligned

CLOSE = (0.25, 0.5, 1.0)  # shares of the pairs of systems


@dataclass(frozen=True, slots=True)
class PairAccuracy:
    """The share of pairs of an item's outputs that a metric orders as people do, plain and calibrated.

    `ties` is the share of pairs that people find equal, `epsilon` the threshold on all items.
    """

    metric: str
    human: str
    accuracy: float
    ci: Ends | None
    calibrated: float
    calibrated_ci: Ends | None
    epsilon: float
    ties: float
    n: int


@dataclass(frozen=True, slots=True)
class ClosePairs:
    """Kendall's tau over the share of system pairs that a metric puts nearest to each other.

    `apart` is the largest difference among them.
    """

    metric: str
    human: str
    share: float
    tau: float
    ci: Ends | None
    apart: float
    n: int


def pair_accuracies(study: Aligned, *, samples: int, seed: int) -> list[PairAccuracy]:
    """Return the accuracy of every metric on pairs of outputs of one item.

    None where no item has two outputs.
    """
    first, second = np.triu_indices(len(study.systems), 1)
    people = study.human[:, first] - study.human[:, second]  # items × pairs of systems
    if not len(first) or np.isnan(people).all():
        return []
    halves = stream("correlate calibration", seed).permutation(len(people)) % 2 == 0
    rows = [
        _accuracy(study, place, people, metric[:, first] - metric[:, second], halves)
        for place, metric in enumerate(study.metrics)
    ]
    hits = np.column_stack([column for row in rows for column in row[2]])  # items × (2 · metrics)
    total = (~np.isnan(people)).sum(axis=1).astype(np.float64)
    draws = _ratios(hits, total, samples, seed)  # samples × (2 · metrics)
    units = len(study.items)
    return [
        PairAccuracy(
            metric=study.names[place],
            human=study.question,
            accuracy=float(columns[0].sum() / total.sum()),
            ci=ends(draws[:, 2 * place], "widened", units=units),
            calibrated=float(columns[1].sum() / total.sum()),
            calibrated_ci=ends(draws[:, 2 * place + 1], "widened", units=units),
            epsilon=epsilon,
            ties=float(np.nansum(people == 0) / total.sum()),
            n=int(total.sum()),
        )
        for place, epsilon, columns in rows
    ]


def _accuracy(
    study: Aligned, place: int, people: Floats, metric: Floats, halves: Bools
) -> tuple[int, float, tuple[Floats, Floats]]:
    """Return the metric's place, its threshold, and the pairs it gets right per item, plain and calibrated"""
    plain = _right(people, metric, 0.0).sum(axis=1)
    tuned = np.empty(len(people))
    for half in (halves, ~halves):
        source = ~half if (~half).any() else half
        tuned[half] = _right(
            people[half], metric[half], best_epsilon(people[source], metric[source])
        ).sum(axis=1)
    return place, best_epsilon(people, metric), (plain.astype(np.float64), tuned)


def _right(people: Floats, metric: Floats, epsilon: float) -> Bools:
    with np.errstate(invalid="ignore"):
        said = np.where(np.abs(metric) <= epsilon, 0.0, np.sign(metric))
        return np.sign(people) == said


def best_epsilon(people: Floats, metric: Floats) -> float:
    """Return the threshold below which a metric's difference is a tie that agrees best with people.

    The smallest of equals.

    >>> best_epsilon(np.array([[0.0, 1.0, 0.0]]), np.array([[0.1, 0.5, -0.2]]))
    0.2
    """
    used = ~np.isnan(people) & ~np.isnan(metric)
    truth, apart = np.sign(people[used]), metric[used]
    size = np.abs(apart)
    order = np.argsort(size, kind="stable")
    # Moving the threshold past a pair makes it a tie: right if people tie, and no longer right if the order was.
    change = (truth == 0).astype(np.float64) - ((truth == np.sign(apart)) & (truth != 0))
    steps = np.cumsum(np.where(size[order] > 0, change[order], 0.0))
    last = np.append(np.diff(size[order]) > 0, True)
    totals = np.where(last, steps, -np.inf)
    best = int(np.argmax(totals)) if len(totals) else 0
    return float(size[order][best]) if len(totals) and totals[best] > 0 else 0.0


def close_pairs(study: Aligned, *, samples: int, seed: int) -> list[ClosePairs]:
    """Kendall's tau of every metric over its nearest system pairs; none with fewer than four systems."""
    if len(study.systems) < 4:
        return []
    people, means = system_means(study.human), system_means(study.metrics)
    first, second = np.triu_indices(len(people), 1)
    result: list[ClosePairs] = []
    drawn = list(_drawn_means(study, samples, seed))
    for place, name in enumerate(study.names):
        apart = np.abs(means[place, first] - means[place, second])
        for share in CLOSE:
            chosen = np.argsort(apart, kind="stable")[: max(3, round(share * len(apart)))]
            a, b = first[chosen], second[chosen]
            draws = np.concatenate([_tau(each[:, 0], each[:, place + 1], a, b) for each in drawn])
            tau = float(_tau(people[None], means[place][None], a, b)[0])
            interval = ends(draws, "widened", units=len(study.items))
            largest = float(apart[chosen].max())
            result.append(
                ClosePairs(name, study.question, share, tau, interval, largest, len(chosen))
            )
    return result


def _tau(people: Floats, metric: Floats, first: Ints, second: Ints) -> Floats:
    """Kendall's tau-b over chosen pairs, for each row of systems' means."""
    one = np.sign(np.round(people[:, first] - people[:, second], 12))
    two = np.sign(np.round(metric[:, first] - metric[:, second], 12))
    below = np.sqrt((one != 0).sum(axis=1) * (two != 0).sum(axis=1))
    return (one * two).sum(axis=1) / np.maximum(below, 1)


def _drawn_means(study: Aligned, samples: int, seed: int) -> Sequence[Floats]:
    """Resampled means, a chunk of samples × (human, metrics) × systems at a time."""
    present = ~np.isnan(study.human)
    stacked = np.concatenate([study.human[None], study.metrics])  # (1 + metrics) × items × systems
    items, systems = present.shape
    filled = np.where(present, stacked, 0.0).transpose(1, 0, 2).reshape(items, -1)
    exact, known = exact_columns(filled, items), present.astype(np.float64)
    chunks = []
    for counts in item_counts(items, samples, seed):
        sums = (counts @ exact).reshape(len(counts), len(stacked), systems)
        chunks.append(sums / np.maximum(counts @ known, 1)[:, None, :])
    return chunks


def _ratios(hits: Floats, total: Floats, samples: int, seed: int) -> Floats:
    exact = exact_columns(hits, len(hits))
    parts = [
        (counts @ exact) / np.maximum(counts @ total, 1)[:, None]
        for counts in item_counts(len(hits), samples, seed)
    ]
    return np.concatenate(parts)
