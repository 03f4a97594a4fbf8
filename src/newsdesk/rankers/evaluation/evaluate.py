"""Evaluation of several rankers on the same judged threads: every measure with its interval, its ceiling by vote noise, and paired tests.

NDCG@k (linear gain) and precision@k (tie-aware, and strict beside it) are means over articles; LMP, bLMP and sAUC are in `length_control`.
Intervals are bootstraps over articles. Two systems are compared by the bootstrap interval of their difference, by randomization over
articles, and, where the measure is a mean over articles, by the paired t-test that Fujita et al. (2019) report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.metrics.ranking import (
    Measure as OfArticle,
    ndcg,
    per_article,
    precision_at,
    strict_precision_at,
)
from newsdesk.rankers.evaluation.judged import (
    Judged,
    RankerScores,
    Redrawn,
    baseline_system,
    notes,
    redraws,
    system_of_run,
)
from newsdesk.rankers.evaluation.length_control import (
    blmp,
    blmp_longer,
    blmp_shorter,
    lmp,
    sauc,
    sauc_draws,
)
from newsdesk.stats.intervals import Ends, percentiles
from newsdesk.stats.significance import interval, paired_bootstrap, paired_t, randomization
from newsdesk.types import Ranked, Thread
from newsdesk.work.progress import OnProgress, counting, silent

REDRAWS = 10  # simulations of votes behind the ceiling
# sAUC is recomputed for every resample, which takes a second per thousand.
_SAUC_SAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class MeasuredRanker:
    """The value of a measure with its interval; None where the data has no pair for it."""

    value: float | None
    ci: Ends | None = None


@dataclass(frozen=True, slots=True)
class RankerDifference:
    """The difference, first minus second, in one measure.

    `p_t` only for means over articles, no p for sAUC, whose pairs cross articles.
    """

    first: str
    second: str
    measure: str
    difference: float
    ci: Ends
    p_randomization: float | None
    p_t: float | None


@dataclass(frozen=True, slots=True)
class RankerEvaluation:
    """All measures of all systems.

    `ceiling` has those of the true rates and of a fresh panel, where votes are known.
    """

    systems: Mapping[str, Mapping[str, MeasuredRanker]]
    comparisons: tuple[RankerDifference, ...]
    ceiling: Mapping[str, Mapping[str, float]]
    n: int
    signature: str

    def as_json(self) -> dict[str, Any]:
        """Return every measure of every system, the tests between every two, and the ceiling."""
        systems = [
            {
                "system": name,
                **{measure: result.value for measure, result in measured.items()},
                "n": self.n,
                "ci": {measure: result.ci for measure, result in measured.items()},
                "signature": self.signature,
            }
            for name, measured in self.systems.items()
        ]
        comparisons = [asdict(comparison) for comparison in self.comparisons]
        return {"systems": systems, "comparisons": comparisons, "ceiling": self.ceiling}


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """A measure over additive statistics: one row per article, and the value of summed rows."""

    name: str
    rows: Callable[[Floats, Judged], Floats]  # scores of all comments → articles × columns
    values: Callable[[Floats], Floats]  # summed rows → a value each
    is_mean: bool  # over articles


def measures(ks: Sequence[int]) -> list[RankingMeasure]:
    """Return every measure whose statistics add up over articles, which excludes sAUC.

    `ks` are the depths of NDCG and precision.
    """
    functions = (
        ("ndcg", ndcg),
        ("precision", precision_at),
        ("strict_precision", strict_precision_at),
    )
    listed = [
        RankingMeasure(
            f"{name}@{k}", partial(_mean_rows, partial(function, k=k)), _mean, is_mean=True
        )
        for name, function in functions
        for k in ks
    ]
    matched = {"lmp": lmp, "blmp": blmp, "blmp_longer": blmp_longer, "blmp_shorter": blmp_shorter}
    return listed + [
        RankingMeasure(name, _matched_rows, values, is_mean=False)
        for name, values in matched.items()
    ]


def evaluate(
    judged: Judged,
    systems: Sequence[RankerScores],
    ks: Sequence[int] = (1, 5, 10),
    *,
    samples: int = 10_000,
    redrawn: int = REDRAWS,
    seed: int = 0,
    progress: OnProgress | None = None,
) -> RankerEvaluation:
    """Measure systems on the same judged comments, and compare every two of them.

    `progress` is called with each measure that is done.
    """
    names = [system.name for system in systems]
    if len(set(names)) != len(names):
        raise ArgumentError(f"two systems have one name: {', '.join(names)}")
    measured: dict[str, dict[str, MeasuredRanker]] = {name: {} for name in names}
    compared: list[RankerDifference] = []
    listed = measures(ks)
    tell = counting(progress or silent, len(listed) + 2)
    for measure in listed:
        rows = {
            system.name: np.mean([measure.rows(trial, judged) for trial in system.trials], axis=0)
            for system in systems
        }
        for name, statistics in rows.items():
            measured[name][measure.name] = _measured(measure, statistics, samples, seed)
        compared += [
            _compared(measure, rows, (first, second), samples, seed)
            for first, second in combinations(names, 2)
            # A measure without a pair to count is None for all systems: the judgments decide, not the scores.
            if measured[first][measure.name].value is not None
        ]
        tell(measure.name)
    saucs, sauc_resampled = _saucs(judged, systems, samples, seed)
    for name, measured_sauc in saucs.items():
        measured[name]["sauc"] = measured_sauc
    compared += [
        _sauc_compared(saucs, sauc_resampled, pair) for pair in combinations(sauc_resampled, 2)
    ]
    tell("sauc")
    ceiling = _ceiling(judged, ks, redrawn, seed)
    tell("ceiling")
    return RankerEvaluation(
        systems=measured,
        comparisons=tuple(compared),
        ceiling=ceiling,
        n=len(judged.articles),
        signature=_signature(judged, samples, redrawn, seed),
    )


def evaluate_runs(
    threads: Iterable[Thread],
    runs: Iterable[tuple[str, Iterable[Ranked]]],
    ks: Sequence[int] = (1, 5, 10),
    *,
    baselines: Iterable[str] = (),
    samples: int = 10_000,
    seed: int = 0,
    note: Callable[[str], None] | None = None,
    progress: OnProgress | None = None,
) -> RankerEvaluation:
    """Measure named runs, and baselines beside them, on the judged comments of threads.

    `note` is called with a sentence about what is left out or missing, `progress` as in `evaluate`.
    """
    listed = list(threads)
    judged = Judged.of(listed)
    systems = [system_of_run(name, run, judged) for name, run in runs]
    systems += [baseline_system(name, listed, judged, seed) for name in baselines]
    for sentence in notes(judged, systems):
        if note:
            note(sentence)
    return evaluate(judged, systems, ks, samples=samples, seed=seed, progress=progress)


def _mean_rows(function: OfArticle, scores: Floats, judged: Judged) -> Floats:
    values = per_article(function, judged.split(scores), judged.split(judged.gains))
    return np.column_stack([values, np.ones(len(values))])


def _mean(rows: Floats) -> Floats:
    return rows[:, 0] / rows[:, 1]


def _matched_rows(scores: Floats, judged: Judged) -> Floats:
    return judged.matched.statistics(scores, judged.shares)


def _value(measure: RankingMeasure, rows: Floats) -> float | None:
    """Return the value over all articles; None where there is no pair that it needs."""
    total = rows.sum(axis=0, keepdims=True)
    pairs = total[0, 1::2]  # every second column counts
    # The kinds of matched pairs that a measure needs: the better comment longer, shorter, of equal length.
    kinds = {"blmp": (0, 1), "blmp_longer": (0,), "blmp_shorter": (1,)}.get(measure.name)
    needed = pairs[list(kinds)].all() if kinds else pairs.any()
    return float(measure.values(total)[0]) if needed else None


def _measured(measure: RankingMeasure, rows: Floats, samples: int, seed: int) -> MeasuredRanker:
    value = _value(measure, rows)
    if value is None:
        return MeasuredRanker(None)
    return MeasuredRanker(value, interval(rows, measure.values, samples=samples, seed=seed).ci)


def _compared(
    measure: RankingMeasure,
    rows: Mapping[str, Floats],
    pair: tuple[str, str],
    samples: int,
    seed: int,
) -> RankerDifference:
    """Compare two systems, whose rows are found by their names."""
    first, second = (rows[name] for name in pair)
    difference = paired_bootstrap(first, second, measure.values, samples=samples, seed=seed)
    p_swapped = randomization(first, second, measure.values, samples=samples, seed=seed)
    has_t_test = measure.is_mean and len(first) > 1
    return RankerDifference(
        *pair,
        measure.name,
        difference.difference,
        ci=(difference.low, difference.high),
        p_randomization=p_swapped,
        p_t=paired_t(first[:, 0], second[:, 0]).p if has_t_test else None,
    )


def _saucs(
    judged: Judged, systems: Sequence[RankerScores], samples: int, seed: int
) -> tuple[dict[str, MeasuredRanker], dict[str, Floats]]:
    """Return the sAUC of each system by name, and the bootstrap values of those that have a pair."""
    saucs: dict[str, MeasuredRanker] = {}
    resampled: dict[str, Floats] = {}
    for system in systems:
        values = [sauc(trial, judged.shares, judged.lengths) for trial in system.trials]
        if None in values:
            saucs[system.name] = MeasuredRanker(None)
            continue
        drawn = sauc_draws(
            system.trials,
            judged.shares,
            judged.lengths,
            judged.offsets,
            samples=min(samples, _SAUC_SAMPLES),
            seed=seed,
        )
        mean = float(np.mean([value for value in values if value is not None]))
        saucs[system.name] = MeasuredRanker(mean, percentiles(drawn))
        resampled[system.name] = drawn
    return saucs, resampled


def _sauc_compared(
    saucs: Mapping[str, MeasuredRanker],
    resampled: Mapping[str, Floats],
    pair: tuple[str, str],
) -> RankerDifference:
    """Compare the sAUC of two systems by their bootstrap values, which are paired."""
    first_draws, second_draws = (resampled[name] for name in pair)
    first, second = (saucs[name].value or 0.0 for name in pair)
    return RankerDifference(
        *pair,
        "sauc",
        first - second,
        ci=percentiles(first_draws - second_draws),
        p_randomization=None,
        p_t=None,
    )


def _ceiling(
    judged: Judged, ks: Sequence[int], count: int, seed: int
) -> dict[str, dict[str, float]]:
    """Return the mean measures of `true_rate` and `fresh_panel` over `count` simulations of the votes.

    Empty where the votes are not known.
    """
    worlds = [_world_measures(world, ks) for world in redraws(judged, count, seed=seed)]
    if not worlds:
        return {}
    means: dict[str, dict[str, float]] = {}
    for who in ("true_rate", "fresh_panel"):
        for name in worlds[0][who]:
            values = [value for world in worlds if (value := world[who][name]) is not None]
            if values:
                means.setdefault(who, {})[name] = float(np.mean(values))
    return means


def _world_measures(world: Redrawn, ks: Sequence[int]) -> dict[str, dict[str, float | None]]:
    """Return the measures of the true rates and of a fresh panel in one simulation."""
    values: dict[str, dict[str, float | None]] = {}
    for who, scores in (("true_rate", world.true_rates), ("fresh_panel", world.fresh_panel)):
        values[who] = {
            measure.name: _value(measure, measure.rows(scores, world.judged))
            for measure in measures(ks)
        }
        values[who]["sauc"] = sauc(scores, world.judged.shares, world.judged.lengths)
    return values


def _signature(judged: Judged, samples: int, redrawn: int, seed: int) -> str:
    """Return the signature of an evaluation: how measures are read, and how they were resampled."""
    reading = {
        "gain": "linear",
        "ties": "position",
        "share": judged.scale,
        "lmp": "gap.2+length.1",
        "sauc": "good.6+poor.4+width1.1",
    }
    sampling = {"samples": samples, "redraws": redrawn, "seed": seed}
    return judged.signature("rank-eval", reading, sampling)
