"""How good a classifier of pairs is: precision against recall, average precision, and whether its probabilities are what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Precision and recall of the pairs whose probability reaches a threshold."""

    threshold: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs whose probabilities lie between two bounds: their mean probability, and the share that is positive."""

    low: float
    high: float
    pairs: int
    mean_probability: float
    share_positive: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share (Wilson 1927), as if pairs were independent.

        >>> low, high = Bin(0.9, 1.0, 10, 0.95, 1.0).interval
        >>> round(low, 3), round(high, 3)
        (0.722, 1.0)
        """
        share, n, z = self.share_positive, self.pairs, 1.959964
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(middle - half, 0.0), min(middle + half, 1.0)


@dataclass(frozen=True, slots=True)
class Quality:
    """The measures of a classifier on pairs that it was not fitted on."""

    pairs: int
    positives: int
    average_precision: float
    at_threshold: CurvePoint
    curve: tuple[CurvePoint, ...]
    calibration: tuple[Bin, ...]


def quality(probabilities: ArrayLike, labels: ArrayLike, *, threshold: float = 0.9) -> Quality:
    """All measures at once; pairs of equal probability stand or fall together."""
    scores, truth = _pairs(probabilities, labels)
    curve = precision_recall(scores, truth)
    reached = truth[scores >= threshold]
    at = CurvePoint(
        threshold,
        float(reached.mean()) if len(reached) else 0.0,
        float(reached.sum() / truth.sum()),
    )
    return Quality(
        len(truth),
        int(truth.sum()),
        average_precision(scores, truth),
        at,
        curve,
        calibration(scores, truth),
    )


def precision_recall(probabilities: ArrayLike, labels: ArrayLike) -> tuple[CurvePoint, ...]:
    """One point for each distinct probability, from the highest down.

    >>> [(each.precision, each.recall) for each in precision_recall([0.9, 0.8, 0.8], [1, 0, 1])]
    [(1.0, 0.5), (0.6666666666666666, 1.0)]
    """
    scores, truth = _pairs(probabilities, labels)
    thresholds, hits, reached = _cumulated(scores, truth)
    total = int(truth.sum())
    rows = zip(thresholds.tolist(), hits.tolist(), reached.tolist(), strict=True)
    return tuple(CurvePoint(each, hit / count, hit / total) for each, hit, count in rows)


def average_precision(probabilities: ArrayLike, labels: ArrayLike) -> float:
    """Σ (recall step) · precision over the curve, without interpolation.

    >>> average_precision([0.9, 0.8, 0.7], [1, 0, 1])
    0.8333333333333333
    """
    scores, truth = _pairs(probabilities, labels)
    _, hits, reached = _cumulated(scores, truth)
    steps = np.diff(hits, prepend=0) / truth.sum()
    return float((steps * hits / reached).sum())


def precision_at(curve: Sequence[CurvePoint], recall: float) -> float:
    """The highest precision among the points that reach a recall."""
    return max((point.precision for point in curve if point.recall >= recall), default=0.0)


def calibration(probabilities: ArrayLike, labels: ArrayLike, *, bins: int = 10) -> tuple[Bin, ...]:
    """Bins of equal width that hold a pair at all."""
    scores, truth = _pairs(probabilities, labels)
    place = np.minimum((scores * bins).astype(np.int64), bins - 1)
    table = []
    for number in np.unique(place).tolist():
        inside = place == number
        table.append(
            Bin(
                number / bins,
                (number + 1) / bins,
                int(inside.sum()),
                float(scores[inside].mean()),
                float(truth[inside].mean()),
            )
        )
    return tuple(table)


def _pairs(probabilities: ArrayLike, labels: ArrayLike) -> tuple[Floats, Ints]:
    scores = np.asarray(probabilities, dtype=np.float64)
    truth = np.asarray(labels, dtype=np.int64)
    if scores.shape != truth.shape or scores.ndim != 1:
        raise ArgumentError(f"{scores.shape} probabilities and {truth.shape} labels are not paired")
    if not truth.sum():
        raise ArgumentError("no pair is positive: precision and recall are not defined")
    return scores, truth


def _cumulated(scores: Floats, truth: Ints) -> tuple[Floats, Ints, Ints]:
    """The distinct scores from the highest, with how many positives and how many pairs reach each."""
    order = np.argsort(-scores, kind="stable")
    ordered, hits = scores[order], np.cumsum(truth[order])
    last = np.append(np.diff(ordered) != 0, True)
    return ordered[last], hits[last], np.flatnonzero(last) + 1
