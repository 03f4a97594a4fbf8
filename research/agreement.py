"""Agreement and rankings: alpha over a million judgments, and how often intervals hold the truth on simulated campaigns.

The truth of a figure is its value on a very large sample of the same process (`TRUTH` items), with the same five annotators: an
interval over items says nothing about other annotators. `coverage` is the share of `RUNS` campaigns, all from one seed, whose 95 %
interval holds it; the standard error of that share is half a percentage point.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats
from newsdesk.stats.agreement import (
    Alpha,
    Measure,
    PairAlpha,
    RotatingKappa,
    SplitHalf,
    TauB,
    Votes,
    krippendorff_alpha,
    with_interval,
)
from newsdesk.stats.rankings import mean_ranks, normalise
from newsdesk.stats.significance import interval
from newsdesk.stats.strengths import bradley_terry
from newsdesk.stats.units import over_items

Ends = list[tuple[float, float, float]]

RUNS, SAMPLES, TRUTH = 2_000, 1_000, 200_000
LOWEST, HIGHEST = 0.925, 0.975
JUDGMENTS, SECONDS = 1_000_000, 5.0

# Five annotators, from the most severe to the mildest.
_MILDNESS = np.linspace(-0.4, 0.4, 5)


@dataclass(frozen=True)
class Case:
    """A kind of campaign and a figure of it: `estimate` gives (value, low, high) of each number the figure consists of."""

    name: str
    size: str
    items: int
    draw: Callable[[np.random.Generator, int], object]
    estimate: Callable[..., Ends]


def grades(rng: np.random.Generator, items: int, per_item: int = 2) -> Floats:
    """Grades 1 to 5 by some of the five annotators, annotators × items."""
    quality = rng.normal(3.4, 1.0, items)
    said = quality + _MILDNESS[:, None] + rng.normal(0, 0.8, (5, items))
    return np.where(_asked(rng, items, per_item), np.clip(np.rint(said), 1, 5), np.nan)


def full_grades(rng: np.random.Generator, items: int) -> Floats:
    return grades(rng, items, 5)


def rankings(rng: np.random.Generator, items: int) -> Floats:
    """Rankings of four systems by two of the five annotators, annotators × items × systems; close ones are tied."""
    worth = np.array([0.6, 0.3, 0.0, -0.9]) + rng.normal(0, 0.6, (items, 4))
    seen = np.rint((worth + rng.normal(0, 1, (5, items, 4))) / 0.7)
    ranks = normalise(1 + (seen[..., None] < seen[..., None, :]).sum(axis=-1))
    return np.where(_asked(rng, items, 2)[:, :, None], ranks, np.nan)


def votes(rng: np.random.Generator, articles: int) -> Floats:
    """Yes or no of ten workers on five comments of each article: articles × comments × workers."""
    article = rng.normal(0.2, 0.7, (articles, 1, 1))
    comment = rng.normal(0, 1.5, (articles, 5, 1))
    worker = rng.normal(0, 0.5, (articles, 1, 10))
    chances = 1 / (1 + np.exp(-(article + comment + worker)))
    return (rng.random(chances.shape) < chances).astype(np.float64)


def _asked(rng: np.random.Generator, items: int, count: int) -> NDArray[np.bool_]:
    order = rng.random((5, items)).argsort(axis=0).argsort(axis=0)
    return np.asarray(order < count)


def figure(which: Measure) -> Callable[..., Ends]:
    def estimate(values: object, *, samples: int, seed: int) -> Ends:
        agreement = with_interval(which, values, samples=samples, seed=seed)
        assert agreement.value is not None
        if agreement.low is None or agreement.high is None:
            return [(agreement.value, np.nan, np.nan)]
        return [(agreement.value, agreement.low, agreement.high)]

    return estimate


def percentile(which: Measure) -> Callable[..., Ends]:
    """What a plain percentile interval would hold, for comparison."""

    def estimate(values: object, *, samples: int, seed: int) -> Ends:
        units = which.units(values)
        counts = np.bincount(units.sorts)
        weights = np.random.default_rng(seed).multinomial(
            counts.sum(), counts / counts.sum(), samples
        )
        sampled = units.values(weights.astype(np.float64))
        assert units.value is not None
        return [(units.value, *np.nanquantile(sampled, [0.025, 0.975]))]

    return estimate


def pairs_of(rng: np.random.Generator, tasks: int) -> Votes:
    said = votes(rng, tasks)
    task, comment, worker = (place.ravel() for place in np.indices(said.shape))
    return Votes(task, 5 * task + comment, worker, said.ravel())


def share_rows(said: Floats) -> Floats:
    return np.column_stack([said.sum(axis=(1, 2)), np.full(len(said), said[0].size)])


def ratio(sums: Floats) -> Floats:
    return np.asarray(sums[:, 0] / sums[:, 1])


def share(said: Floats, *, samples: int, seed: int) -> Ends:
    found = over_items(share_rows(said), ratio, samples=samples, seed=seed)
    return [(float(found.value[0]), float(found.low[0]), float(found.high[0]))]


def percentile_share(said: Floats, *, samples: int, seed: int) -> Ends:
    rows = share_rows(said)
    ends = interval(rows, ratio, samples=samples, seed=seed)
    return [(float(ratio(rows.sum(axis=0, keepdims=True))[0]), ends.low, ends.high)]


def of_rows(function: Callable[..., object]) -> Callable[..., Ends]:
    """Estimates of every system from annotators × items × systems."""

    def estimate(ranks: Floats, *, samples: int, seed: int) -> Ends:
        annotator, item = np.nonzero(~np.isnan(ranks[:, :, 0]))
        found = function(ranks[annotator, item], item, samples=samples, seed=seed)
        return list(zip(found.values, found.low, found.high, strict=True))  # type: ignore[attr-defined]

    return estimate


CASES = (
    Case("ordinal alpha", "100 comments, 2 of 5 annotators", 100, grades, figure(Alpha("ordinal"))),
    Case("ordinal alpha", "30 comments, 2 of 5 annotators", 30, grades, figure(Alpha("ordinal"))),
    Case("interval alpha", "20 comments, 5 annotators", 20, full_grades, figure(Alpha("interval"))),
    Case("quadratic kappa", "100 comments, 2 of 5 annotators", 100, grades, figure(RotatingKappa("quadratic", range(1, 6)))),
    Case("alpha over pairs", "40 tasks of 5 comments, 10 workers", 40, pairs_of, figure(PairAlpha())),
    Case("mean rank", "50 items, 2 of 5 annotators, 4 systems", 50, rankings, of_rows(mean_ranks)),
    Case("Bradley-Terry strength", "50 items, 2 of 5 annotators, 4 systems", 50, rankings, of_rows(bradley_terry)),
    Case("tau-b", "50 items, 2 of 5 annotators, 4 systems", 50, rankings, figure(TauB())),
    Case("C-score share", "40 articles of 5 comments, 10 workers", 40, votes, share),
    Case("C-score share by `significance.interval`", "40 articles of 5 comments, 10 workers", 40, votes, percentile_share),
    Case("split halves, Pearson", "60 comments, 5 annotators", 60, full_grades, figure(SplitHalf(repeats=5))),
)  # fmt: skip
# Printed, and below the floor: why our intervals are not plain percentiles.
PLAIN = Case(
    "percentiles, interval alpha", "20 comments, 5 annotators", 20, full_grades, percentile(Alpha("interval"))
)  # fmt: skip


def coverage(case: Case, runs: int = RUNS, samples: int = SAMPLES, truth: int = TRUTH) -> Floats:
    """The share of runs whose interval holds the truth, for each number of the figure."""
    whole = case.draw(np.random.default_rng(999), truth)
    true = np.array([value for value, _, _ in case.estimate(whole, samples=1, seed=0)])
    rng = np.random.default_rng(0)
    held = np.zeros(len(true))
    for run in range(runs):
        found = np.array(case.estimate(case.draw(rng, case.items), samples=samples, seed=run))
        held += (found[:, 1] <= true) & (true <= found[:, 2])
    return held / runs


def speed(judgments: int = JUDGMENTS) -> float:
    """CPU seconds of the slowest alpha over so many judgments: two per item, and ten."""
    rng = np.random.default_rng(0)
    slowest = 0.0
    for annotators, per_item in ((5, 2), (10, 10)):
        items = judgments // per_item
        said = rng.normal(3.4, 1.0, items) + rng.normal(0, 0.8, (annotators, items))
        order = rng.random((annotators, items)).argsort(axis=0).argsort(axis=0)
        values = np.where(order < per_item, np.clip(np.rint(said), 1, 5), np.nan)
        for level in ("nominal", "ordinal", "interval", "ratio"):
            started = time.process_time()
            krippendorff_alpha(values, level)
            slowest = max(slowest, time.process_time() - started)
        started = time.process_time()
        with_interval(Alpha("ordinal"), values)
        slowest = max(slowest, time.process_time() - started)
    return slowest


def main() -> None:
    seconds = speed()
    print(f"alpha over {JUDGMENTS:,} judgments: {seconds:.2f} s of CPU at most (below {SECONDS:g})")
    missed = [] if seconds < SECONDS else ["alpha is slow"]
    for case in (*CASES, PLAIN):
        started = time.process_time()
        found = coverage(case)
        shown = ", ".join(f"{100 * share:.1f}" for share in found)
        spent = time.process_time() - started
        print(f"{case.name} ({case.size}): {shown} % ({spent:.0f} s)", flush=True)
        if case is not PLAIN and not ((found >= LOWEST) & (found <= HIGHEST)).all():
            missed.append(f"{case.name} covers {shown} %")
    if missed:
        raise SystemExit("; ".join(missed))
