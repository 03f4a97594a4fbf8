"""Compare systems by metrics and people: intervals, tests between every two, ranks, and length as a covariate.

The p-value of a difference is that of approximate randomization over the items that both systems answer, its interval the paired
bootstrap's. p-values are corrected over the pairs of systems of each measure: a measure is a table of its own, and its groups hold for it alone.
Human scores are means over the judges of an output, then over items.

How many items more would decide about two systems that cannot be told apart is the number for a power of 80 % if they differ by as much as was seen, at a level
divided by the number of pairs (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import get_args

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.metrics.systems import System, SystemComparison, compare_systems, score_systems
from newsdesk.results.systems import (
    ComparedMeasure,
    ComparedSystem,
    ComparisonResult,
    LengthSlope,
    SystemTest,
)
from newsdesk.results.verdict import SURE
from newsdesk.settings import at_least, one_of
from newsdesk.signatures import signature
from newsdesk.stats.equal_length import AtEqualLength, at_equal_length
from newsdesk.stats.rankings import letters
from newsdesk.stats.significance import (
    Correction,
    corrected,
    interval,
    items_to_decide,
    paired_bootstrap,
    randomization,
)
from newsdesk.studies.compared_ranks import (
    SystemRankings,
    rank_study,
    rankings_of_judgments,
    rankings_of_scores,
)
from newsdesk.studies.correlate.inputs import CorrelateInputs
from newsdesk.studies.correlate.tables import HumanScores, Key, MetricScores
from newsdesk.work.progress import OnProgress, counting, silent

_MOST_SYSTEMS = 200
_Z = 1.96  # half of a 95 % interval in standard errors


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """What a comparison draws: bootstrap samples, the seed, the correction of p-values."""

    samples: int = 10_000
    seed: int = 0
    correction: Correction = "holm"

    def __post_init__(self) -> None:
        at_least("samples", self.samples, 100)
        one_of("correction", self.correction, get_args(Correction))


def compare_inputs(
    inputs: CorrelateInputs, settings: CompareSettings, progress: OnProgress = silent
) -> ComparisonResult:
    """Compare the systems of what `read_inputs` read with score=False."""
    rankings = [
        rankings_of_judgments(human.question, inputs.judgments)
        for human in inputs.human
        if inputs.judgments
    ]
    return compare(
        inputs.systems,
        inputs.specs,
        human=inputs.human,
        values=inputs.metrics,
        rankings=rankings,
        clusters=inputs.clusters,
        settings=settings,
        progress=progress,
    )


def compare(
    systems: Sequence[System] = (),
    specs: Sequence[str] = (),
    *,
    human: Sequence[HumanScores] = (),
    values: Sequence[MetricScores] = (),
    rankings: Sequence[SystemRankings] = (),
    clusters: Mapping[str, str] | None = None,
    settings: CompareSettings | None = None,
    progress: OnProgress = silent,
) -> ComparisonResult:
    """Compare systems by metrics (`specs` on texts, or ready `values`) and by human scores.

    `rankings` are those of a campaign, where there are any. Items of one of the `clusters` are drawn and exchanged together, in ready values and human scores.
    """
    settings = settings or CompareSettings()
    finished = counting(progress)
    _refuse_many([*human, *values])
    words = _words(systems)
    tables = [
        *_metric_tables(systems, specs, settings),
        *_value_tables(values, human, clusters or {}, settings),
    ]
    if not tables:
        raise ArgumentError("there is nothing to compare by: name metrics, or human scores")
    if all(len(table.systems) < 2 for table in tables):
        raise ArgumentError("there is one system only; a comparison needs at least two")
    measured: dict[str, dict[str, ComparedMeasure]] = {}  # by system and measure
    comparisons: list[SystemTest] = []
    slopes: list[LengthSlope] = []
    for table in tables:
        lengths = _grid(words, table.items, table.systems)
        drawn = {"samples": min(settings.samples, 2_000), "seed": settings.seed}
        equal = at_equal_length(table.scores, lengths, **drawn) if words else None
        tests = list(_tests(table, equal))
        tests = [replace(test, more_items=_more_items(test, len(tests))) for test in tests]
        comparisons += tests
        for system, row in _grouped(table, tests).items():
            measured.setdefault(system, {})[table.measure] = row
        if equal is not None:
            slopes.append(LengthSlope(table.measure, equal.slope, equal.slope_ci))
        finished(table.measure)
    ranking_of = {ranking.question: ranking for ranking in rankings}
    ranked = [
        rank_study(
            ranking_of.get(table.measure)
            or rankings_of_scores(table.measure, table.items, table.systems, table.scores),
            samples=min(settings.samples, 1_000),
            seed=settings.seed,
        )
        for table in tables
        if table.kind == "human"
    ]
    result = ComparisonResult(
        systems=tuple(
            ComparedSystem(name, rows, _mean_words(words, name)) for name, rows in measured.items()
        ),
        comparisons=tuple(comparisons),
        ranks=tuple(ranks for ranks in ranked if ranks is not None),
        lengths=tuple(slopes),
        verdict="",
    )
    return replace(result, verdict=result.sentence())


def _refuse_many(scores: Sequence[HumanScores | MetricScores]) -> None:
    """Refuse scores of comments, each under one article alone: there are no systems to compare."""
    names = {system for scored in scores for _, system in scored.values}
    if len(names) > _MOST_SYSTEMS:
        raise ArgumentError(
            f"{len(names)} systems, such as {min(names)!r}; at most {_MOST_SYSTEMS} are compared: are these comments?"
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """One measure on items × systems (nan where missing), the systems' values, and how two are tested."""

    measure: str
    kind: str
    items: tuple[str, ...]
    systems: tuple[str, ...]
    scores: Floats
    rows: tuple[ComparedMeasure, ...]
    tested: Callable[[], list[SystemComparison]]  # computes the test of every two systems
    units: Ints | None = (
        None  # items: the number of its cluster; None where items are drawn one by one
    )


def _metric_tables(
    systems: Sequence[System], specs: Sequence[str], settings: CompareSettings
) -> Iterator[_Table]:
    """Yield the table of each metric, scored on the texts."""
    if not specs:
        return
    drawn = {"samples": settings.samples, "seed": settings.seed}
    results = score_systems(systems, specs, **drawn)
    items = tuple(dict.fromkeys(item for system in systems for item in system.ids))
    names = tuple(system.name for system in systems)

    def tested(spec: str) -> list[SystemComparison]:
        if len(systems) < 2:
            return []
        correction = settings.correction
        return compare_systems(
            systems, [spec], test="randomization", correction=correction, **drawn
        )

    for index, spec in enumerate(specs):
        scores = [result.scores[index] for result in results]
        by_key = {
            (item, result.system.name): value
            for result, score in zip(results, scores, strict=True)
            for item, value in zip(result.system.ids, score.items or (), strict=True)
        }
        rows = tuple(
            ComparedMeasure(
                kind="metric",
                value=score.value,
                ci=score.ci or (score.value, score.value),
                parts=dict(score.parts),
                n=score.n,
                signature=score.signature,
            )
            for score in scores
        )
        grid = _grid(by_key, items, names)
        yield _Table(spec, "metric", items, names, grid, rows, partial(tested, spec))


def _value_tables(
    values: Sequence[MetricScores],
    human: Sequence[HumanScores],
    clusters: Mapping[str, str],
    settings: CompareSettings,
) -> Iterator[_Table]:
    """Yield a table for each metric of ready values and each question: means over items."""
    # Name, kind, values by (item, system), and signature of each measure.
    measures: list[tuple[str, str, Mapping[Key, float], str]] = [
        (value.name, "metric", value.values, value.signature) for value in values
    ]
    measures += [
        (scores.question, "human", scores.means, signature(scores.question, {"judges": "mean"}))
        for scores in human
    ]
    for name, kind, by_key, signed in measures:
        items = tuple(dict.fromkeys(item for item, _ in by_key))
        systems = tuple(dict.fromkeys(system for _, system in by_key))
        scores = _grid(by_key, items, systems)
        units = _units(items, clusters)
        rows = []
        for column in scores.T:
            statistics = _statistics(column, units)
            estimate = interval(statistics, _ratio, samples=settings.samples, seed=settings.seed)
            mean = float(np.nanmean(column))
            rows.append(
                ComparedMeasure(
                    kind=kind, value=mean, ci=(estimate.low, estimate.high), parts={}, n=int(statistics[:, 1].sum()), signature=signed
                )
            )  # fmt: skip
        tested = partial(_tested_values, name, systems, scores, units, signed, settings)
        yield _Table(
            name, kind, items, systems, scores, tuple(rows), tested, units if clusters else None
        )


def _tested_values(
    name: str,
    systems: Sequence[str],
    scores: Floats,
    units: Ints,
    signed: str,
    settings: CompareSettings,
) -> list[SystemComparison]:
    """Test every two systems on the items for which both have a value; p-values are corrected.

    `units` says which items are drawn and exchanged together.
    """
    samples, seed = settings.samples, settings.seed
    tests = []
    for first, second in combinations(range(len(systems)), 2):
        both = ~np.isnan(scores[:, first]) & ~np.isnan(scores[:, second])
        if not both.any():
            continue
        ours, theirs = (_statistics(scores[both, side], units[both]) for side in (first, second))
        pair = systems[first], systems[second]
        result = paired_bootstrap(ours, theirs, _ratio, samples=samples, seed=seed)
        p = randomization(ours, theirs, _ratio, samples=samples, seed=seed)
        estimate = replace(result.estimate, n=int(both.sum()))
        tests.append(SystemComparison(*pair, estimate, p, p, metric=name, signature=signed))
    note = f"test:randomization[samples={samples},seed={seed}]|correction:{settings.correction}[{len(tests)}]"
    if len(set(units.tolist())) < len(units):
        note += f"|clusters:{len(set(units.tolist()))}"
    return [
        replace(test, signature=f"{signed}|{note}")
        for test in corrected(tests, settings.correction)
    ]


def _tests(table: _Table, equal: AtEqualLength | None) -> Iterator[SystemTest]:
    """Yield every two systems by one measure: the test, wins by item, and the difference at equal length."""
    for test in table.tested():
        first, second = (table.systems.index(name) for name in (test.first, test.second))
        differences = np.round(table.scores[:, first] - table.scores[:, second], 9)  # items
        at_equal, at_equal_ci = (
            (None, None) if equal is None else equal.difference(first, second, len(table.items))
        )
        yield SystemTest(
            measure=table.measure,
            kind=table.kind,
            first=test.first,
            second=test.second,
            difference=test.difference,
            ci=test.ci,
            p=test.p,
            p_corrected=test.p_corrected,
            wins=int(np.count_nonzero(differences > 0)),
            ties=int(np.count_nonzero(differences == 0)),
            losses=int(np.count_nonzero(differences < 0)),
            equal_length=at_equal,
            equal_length_ci=at_equal_ci,
            clusters=_clusters(table, differences),
            n=test.n,
            signature=test.signature,
        )


def _more_items(test: SystemTest, pairs: int) -> int | None:
    """Return how many more items would decide; None where it is decided, or no number would do."""
    if test.p_corrected < SURE or test.ci is None:
        return None
    low, high = test.ci
    error = (high - low) / (2 * _Z)
    units = test.clusters or test.n
    more = items_to_decide(test.difference, error, test.n, units=units, level=SURE / pairs)
    return None if more is None else max(more, 1)


def _clusters(table: _Table, differences: Floats) -> int | None:
    """Return how many clusters the items are in that both systems answer."""
    if table.units is None:
        return None
    return len(np.unique(table.units[~np.isnan(differences)]))


def _grouped(table: _Table, tests: Sequence[SystemTest]) -> dict[str, ComparedMeasure]:
    """Return each system's value with the letters of the groups it cannot be told apart from."""
    differ = {frozenset((test.first, test.second)) for test in tests if test.p_corrected < SURE}
    rows = dict(zip(table.systems, table.rows, strict=True))
    best_first = sorted(rows, key=lambda system: -rows[system].value)
    groups = letters(best_first, differ)
    return {system: replace(row, groups=groups[system]) for system, row in rows.items()}


def _words(systems: Sequence[System]) -> dict[Key, float]:
    """Return the number of words of every output, by the language's tokenizer.

    Tokens of punctuation alone do not count.
    """
    from newsdesk.text.tokenize import tokenizer_for

    words: dict[Key, float] = {}
    for system in systems:
        tokenizer = tokenizer_for(system.batch.lang)
        for item, text in zip(system.ids, system.batch.candidates, strict=True):
            tokens = tokenizer.words(text) if isinstance(text, str) else text
            words[item, system.name] = float(sum(any(map(str.isalnum, token)) for token in tokens))
    return words


def _mean_words(words: Mapping[Key, float], name: str) -> float | None:
    counts = [count for (_, system), count in words.items() if system == name]
    return float(np.mean(counts)) if counts else None


def _grid(values: Mapping[Key, float], items: Sequence[str], systems: Sequence[str]) -> Floats:
    """Return values as items × systems, nan where there is none."""
    return np.array([[values.get((item, system), np.nan) for system in systems] for item in items])


def _units(items: Sequence[str], clusters: Mapping[str, str]) -> Ints:
    """Return the number of each item's cluster; an item without one is a cluster of its own."""
    names: dict[tuple[bool, str], int] = {}
    return np.array([names.setdefault((item in clusters, clusters.get(item, item)), len(names)) for item in items])  # fmt: skip


def _statistics(values: Floats, units: Ints) -> Floats:
    """Return sums of values and counts: units × 2."""
    used = ~np.isnan(values)
    _, unit = np.unique(units[used], return_inverse=True)
    counts = np.bincount(unit)
    return np.column_stack([np.bincount(unit, weights=values[used]), counts]).astype(np.float64)


def _ratio(rows: Floats) -> Floats:
    return rows[:, 0] / rows[:, 1]
