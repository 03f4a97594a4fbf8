"""Bootstrap intervals and paired tests of several measures of the same items: the draws are made once and shared.

Drawing items costs more than adding up their rows, so a table of five metrics takes little longer than one metric. A measure alone is resampled
as it is among others, to the last bit: `significance` has the forms for one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.stats.intervals import ends, estimated
from newsdesk.stats.resample import check_sampling, chunks, resampled_sums
from newsdesk.streams import stream
from newsdesk.types import Difference, Estimate

Values: TypeAlias = Callable[[Floats], Floats]
Measure: TypeAlias = tuple[ArrayLike, Values]  # statistics (items × columns), scores of their sums
PairedMeasure: TypeAlias = tuple[ArrayLike, ArrayLike, Values]  # statistics of two systems
Names: TypeAlias = tuple[str, str]
SIDES: Names = ("first", "second")
SLACK = 1e-12  # relative rounding error of a difference


def intervals(
    measures: Sequence[Measure],
    *,
    samples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
) -> list[Estimate]:
    """Return the interval of each measure of the same items; the items are drawn once for all."""
    if not measures:
        return []
    check_sampling(samples, level)
    tables = [_rows(statistics) for statistics, _ in measures]
    drawn: list[list[Floats]] = [[] for _ in measures]
    for sums in resampled_sums("bootstrap", seed, tables=tables, samples=samples):
        for scores, (_, values), summed in zip(drawn, measures, sums, strict=True):
            scores.append(_scores(values, summed))
    estimates = []
    for scores, (_, values), rows in zip(drawn, measures, tables, strict=True):
        (value,) = _scores(values, rows.sum(axis=0, keepdims=True)).tolist()
        estimates.append(estimated(value, ends(np.concatenate(scores), level=level), len(rows)))
    return estimates


def paired_bootstraps(
    measures: Sequence[PairedMeasure],
    *,
    samples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    names: Names = SIDES,
) -> list[Difference]:
    """Return the difference of two systems in each measure of the same items, which are drawn once for all."""
    if not measures:
        return []
    check_sampling(samples, level)
    pairs = [_two_systems(first, second) for first, second, _ in measures]
    drawn: list[list[Floats]] = [[] for _ in measures]
    tables = [side for pair in pairs for side in pair]
    for sums in resampled_sums("bootstrap", seed, tables=tables, samples=samples):
        sides = zip(sums[0::2], sums[1::2], strict=True)
        for scores, (_, _, values), (ours, theirs) in zip(drawn, measures, sides, strict=True):
            scores.append(_scores(values, ours) - _scores(values, theirs))
    tested = []
    for chunked, (_, _, values), (ours, theirs) in zip(drawn, measures, pairs, strict=True):
        differences = np.concatenate(chunked)
        observed, slack = _observed(ours, theirs, values)
        p = _p(differences - differences.mean(), observed, slack) if len(ours) > 1 else 1.0
        estimate = estimated(observed, ends(differences, level=level), len(ours))
        tested.append(Difference(*names, estimate, p=p, p_corrected=p))
    return tested


def randomizations(
    measures: Sequence[PairedMeasure], *, samples: int = 10_000, seed: int = 0
) -> list[float]:
    """Return the p of each measure of the same items under approximate randomization; swaps are drawn once for all."""
    if not measures:
        return []
    check_sampling(samples)
    pairs = [_two_systems(first, second) for first, second, _ in measures]
    both = [np.hstack(pair) for pair in pairs]
    drawn: list[list[Floats]] = [[] for _ in measures]
    rng, items = stream("randomization", seed), len(both[0])
    for count in chunks(samples, items):
        swapped = (rng.random((count, items)) < 0.5).astype(np.float64)
        unswapped = 1.0 - swapped
        for differences, (_, _, values), rows in zip(drawn, measures, both, strict=True):
            width = rows.shape[1] // 2
            # Two sums of what each side holds; the shortcut over differences could leave -1e-17 where there is 0.
            moved, kept = swapped @ rows, unswapped @ rows
            ours = _scores(values, kept[:, :width] + moved[:, width:])
            differences.append(ours - _scores(values, moved[:, :width] + kept[:, width:]))
    return [
        _p(np.concatenate(differences), *_observed(*pair, values))
        for differences, pair, (_, _, values) in zip(drawn, pairs, measures, strict=True)
    ]


def _scores(values: Values, summed: Floats) -> Floats:
    """Turn summed rows into scores; raise an error unless each row gives one finite score."""
    scores = np.asarray(values(summed), dtype=np.float64)
    if scores.shape != (len(summed),):
        raise ArgumentError(f"`values` made {scores.shape} of {len(summed)} rows, not a score each")
    if not np.isfinite(scores).all():
        raise ArgumentError("`values` gave a score that is not a finite number for some sample")
    return scores


def _observed(ours: Floats, theirs: Floats, values: Values) -> tuple[float, float]:
    """Return the difference of all items, and by how much rounding errors may blur it."""
    first, second = _scores(values, np.stack([ours.sum(axis=0), theirs.sum(axis=0)]))
    return float(first - second), SLACK * float(max(abs(first), abs(second)))


def _p(differences: Floats, observed: float, slack: float) -> float:
    """Return the share of differences as far from 0 as the observed one, which counts as one of them."""
    as_far = np.count_nonzero(np.abs(differences) >= abs(observed) - slack)
    return float(as_far + 1) / (len(differences) + 1)


def _rows(statistics: ArrayLike) -> Floats:
    """Return statistics as items × columns; raise an error unless all are finite, and there are some."""
    rows = np.asarray(statistics, dtype=np.float64)
    if rows.ndim != 2:
        raise ArgumentError(f"statistics have shape {rows.shape}, not items × columns")
    if not len(rows):
        raise ArgumentError("no items: there is nothing to draw from")
    if not np.isfinite(rows).all():
        raise ArgumentError(f"item {int(np.argmin(np.isfinite(rows).all(axis=1)))} is not finite")
    return rows


def _two_systems(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    ours, theirs = _rows(first), _rows(second)
    if ours.shape != theirs.shape:
        raise ArgumentError(f"statistics of shapes {ours.shape} and {theirs.shape} are not paired")
    return ours, theirs
