"""Systems compared: a table of systems × metrics and human scores with intervals, tests between every two, and a verdict.

The p-value of a difference is that of approximate randomization over the items that both systems answer, its interval the paired
bootstrap's. p-values are corrected over the pairs of systems of each measure: a measure is a table of its own, and its groups hold for it alone.
Human scores are means over the judges of an output, then over items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.metrics.systems import System, SystemComparison, compare_systems, score_systems
from newsdesk.settings import at_least, one_of
from newsdesk.signatures import signature
from newsdesk.stats.equal_length import AtEqualLength, at_equal_length
from newsdesk.stats.intervals import Ends
from newsdesk.stats.rankings import letters
from newsdesk.stats.significance import (
    Correction,
    corrected,
    interval,
    paired_bootstrap,
    randomization,
)
from newsdesk.studies.compare.ranks import (
    RankStudy,
    SystemRankings,
    rank_study,
    rankings_of_judgments,
    rankings_of_scores,
)
from newsdesk.studies.correlate.inputs import CorrelateInputs
from newsdesk.studies.correlate.tables import HumanScores, Key, MetricScores
from newsdesk.types import Difference
from newsdesk.work.progress import OnProgress, counting, silent

MeasureKind = Literal["metric", "human"]
_SURE = 0.05


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """What a comparison draws: bootstrap samples, the seed, the correction of p-values."""

    samples: int = 10_000
    seed: int = 0
    correction: Correction = "holm"

    def __post_init__(self) -> None:
        at_least("samples", self.samples, 100)
        one_of("correction", self.correction, get_args(Correction))


@dataclass(frozen=True, slots=True)
class SystemMeasure:
    """One system by one measure: value with interval and parts, and the groups it cannot be told from."""

    system: str
    measure: str
    kind: MeasureKind
    value: float
    ci: Ends
    n: int
    signature: str
    parts: Mapping[str, float] = field(default_factory=dict)
    groups: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredDifference(Difference):
    """Two systems by one measure on the `n` items that both answer.

    `equal_length` is the difference at equal length.
    """

    measure: str
    kind: MeasureKind
    wins: int
    ties: int
    losses: int
    equal_length: float | None
    equal_length_ci: Ends | None
    signature: str


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """How much a measure changes when an output doubles in length, within items."""

    measure: str
    slope: float
    ci: Ends | None


@dataclass(frozen=True, slots=True, eq=False)
class SystemStudy:
    """All systems by all measures, tests between every two, ranks by people, and mean lengths in words."""

    systems: tuple[str, ...]
    measured: tuple[SystemMeasure, ...]
    comparisons: tuple[MeasuredDifference, ...]
    ranks: tuple[RankStudy, ...]
    slopes: tuple[Slope, ...]
    words: Mapping[str, float]
    settings: CompareSettings

    def of(self, measure: str) -> list[SystemMeasure]:
        """Return the systems by one measure, best first."""
        rows = [row for row in self.measured if row.measure == measure]
        return sorted(rows, key=lambda row: -row.value)

    @property
    def measures(self) -> list[str]:
        """The names of the measures, human ones first."""
        human = [row.measure for row in self.measured if row.kind == "human"]
        return list(dict.fromkeys([*human, *(row.measure for row in self.measured)]))


def compare(
    systems: Sequence[System] = (),
    specs: Sequence[str] = (),
    *,
    human: Sequence[HumanScores] = (),
    values: Sequence[MetricScores] = (),
    rankings: Sequence[SystemRankings] = (),
    settings: CompareSettings | None = None,
    progress: OnProgress = silent,
) -> SystemStudy:
    """Compare systems by metrics (`specs` on texts, or ready `values`) and by human scores.

    `rankings` are those of a campaign, where there are any.
    """
    settings = settings or CompareSettings()
    finished = counting(progress)
    words = _words(systems)
    tables = [*_metric_tables(systems, specs, settings), *_value_tables(values, human, settings)]
    if not tables:
        raise ArgumentError("there is nothing to compare by: name metrics, or human scores")
    if all(len(table.systems) < 2 for table in tables):
        raise ArgumentError("there is one system only; a comparison needs at least two")
    measured: list[SystemMeasure] = []
    comparisons: list[MeasuredDifference] = []
    slopes: list[Slope] = []
    for table in tables:
        lengths = np.array(
            [[words.get((item, s), np.nan) for s in table.systems] for item in table.items]
        )
        drawn = {"samples": min(settings.samples, 2_000), "seed": settings.seed}
        equal = at_equal_length(table.scores, lengths, **drawn) if words else None
        pairs = list(_pairs(table, equal, settings))
        comparisons += pairs
        measured += _grouped(table, pairs)
        if equal is not None:
            slopes.append(Slope(table.measure, equal.slope, equal.slope_ci))
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
    names = dict.fromkeys(row.system for row in measured)
    mean_words = {
        name: float(np.mean([count for (_, system), count in words.items() if system == name]))
        for name in names
        if any(system == name for _, system in words)
    }
    return SystemStudy(
        tuple(names), tuple(measured), tuple(comparisons),
        tuple(each for each in ranked if each is not None), tuple(slopes), mean_words, settings,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """One measure on items × systems (nan where missing), the systems' values, and how two are tested."""

    measure: str
    kind: MeasureKind
    items: tuple[str, ...]
    systems: tuple[str, ...]
    scores: Floats
    rows: tuple[SystemMeasure, ...]
    tested: Callable[[], list[SystemComparison]]


def _metric_tables(
    systems: Sequence[System], specs: Sequence[str], settings: CompareSettings
) -> Iterator[_Table]:
    if not specs:
        return
    results = score_systems(systems, specs, samples=settings.samples, seed=settings.seed)
    items = tuple(dict.fromkeys(item for system in systems for item in system.ids))
    names = tuple(system.name for system in systems)
    for place, spec in enumerate(specs):
        scores = [result.scores[place] for result in results]
        by_key = {
            (item, result.system.name): value
            for result, score in zip(results, scores, strict=True)
            for item, value in zip(result.system.ids, score.items or (), strict=True)
        }
        rows = tuple(
            SystemMeasure(name, spec, "metric", score.value, score.ci or (score.value,) * 2, score.n, score.signature, score.parts)
            for name, score in zip(names, scores, strict=True)
        )  # fmt: skip
        yield _Table(
            spec, "metric", items, names, _grid(by_key, items, names), rows,
            lambda spec=spec: _tested_texts(systems, spec, settings),  # type: ignore[misc]
        )  # fmt: skip


def _tested_texts(
    systems: Sequence[System], spec: str, settings: CompareSettings
) -> list[SystemComparison]:
    if len(systems) < 2:
        return []
    drawn = {"samples": settings.samples, "seed": settings.seed}
    return compare_systems(
        systems, [spec], test="randomization", correction=settings.correction, **drawn
    )


def _value_tables(
    values: Sequence[MetricScores], human: Sequence[HumanScores], settings: CompareSettings
) -> Iterator[_Table]:
    """Ready values of metrics, and human scores: measures that are means over items."""
    listed: list[tuple[str, MeasureKind, Mapping[Key, float], str]] = [
        (value.name, "metric", value.values, value.signature) for value in values
    ]
    listed += [
        (each.question, "human", each.means, signature(each.question, {"judges": "mean"}))
        for each in human
    ]
    for name, kind, by_key, signed in listed:
        items = tuple(dict.fromkeys(item for item, _ in by_key))
        systems = tuple(dict.fromkeys(system for _, system in by_key))
        scores = _grid(by_key, items, systems)
        rows = []
        for place, system in enumerate(systems):
            statistics = _statistics(scores[:, place])
            ends = interval(statistics, _ratio, samples=settings.samples, seed=settings.seed)
            mean = float(np.nanmean(scores[:, place]))
            rows.append(
                SystemMeasure(system, name, kind, mean, (ends.low, ends.high), ends.n, signed)
            )
        yield _Table(
            name, kind, items, systems, scores, tuple(rows),
            lambda name=name, systems=systems, scores=scores, signed=signed: _tested_values(name, systems, scores, signed, settings),  # type: ignore[misc]
        )  # fmt: skip


def _tested_values(
    name: str, systems: Sequence[str], scores: Floats, signed: str, settings: CompareSettings
) -> list[SystemComparison]:
    """Return every two systems on the items that both have a value for."""
    samples, seed = settings.samples, settings.seed
    tests = []
    for first, second in combinations(range(len(systems)), 2):
        both = ~np.isnan(scores[:, first]) & ~np.isnan(scores[:, second])
        if not both.any():
            continue
        ours, theirs = (_statistics(scores[both, side]) for side in (first, second))
        pair = systems[first], systems[second]
        result = paired_bootstrap(ours, theirs, _ratio, samples=samples, seed=seed)
        p = randomization(ours, theirs, _ratio, samples=samples, seed=seed)
        tests.append(SystemComparison(*pair, result.estimate, p, p, metric=name, signature=signed))
    note = f"test:randomization[samples={samples},seed={seed}]|correction:{settings.correction}[{len(tests)}]"
    return [
        replace(test, signature=f"{signed}|{note}")
        for test in corrected(tests, settings.correction)
    ]


def _pairs(
    table: _Table, equal: AtEqualLength | None, settings: CompareSettings
) -> Iterator[MeasuredDifference]:
    place = {system: at for at, system in enumerate(table.systems)}
    for test in table.tested():
        one, two = place[test.first], place[test.second]
        apart = np.round(table.scores[:, one] - table.scores[:, two], 9)
        left, ends = (None, None) if equal is None else equal.difference(one, two, len(table.items))
        yield MeasuredDifference(
            test.first,
            test.second,
            test.estimate,
            test.p,
            test.p_corrected,
            measure=table.measure,
            kind=table.kind,
            wins=int(np.count_nonzero(apart > 0)),
            ties=int(np.count_nonzero(apart == 0)),
            losses=int(np.count_nonzero(apart < 0)),
            equal_length=left,
            equal_length_ci=ends,
            signature=test.signature,
        )


def _grouped(table: _Table, pairs: Sequence[MeasuredDifference]) -> list[SystemMeasure]:
    differ = {frozenset((pair.first, pair.second)) for pair in pairs if pair.p_corrected < _SURE}
    order = sorted(table.rows, key=lambda row: -row.value)
    named = letters([row.system for row in order], differ)
    return [replace(row, groups=named[row.system]) for row in table.rows]


def _words(systems: Sequence[System]) -> dict[Key, float]:
    """Return the number of words of every output, by the language's tokenizer.

    Tokens of punctuation alone do not count.
    """
    from newsdesk.text.tokenize import tokenizer_for

    words: dict[Key, float] = {}
    for system in systems:
        tokens = tokenizer_for(system.batch.lang)
        for item, text in zip(system.ids, system.batch.candidates, strict=True):
            listed = tokens.words(text) if isinstance(text, str) else text
            words[item, system.name] = float(sum(any(map(str.isalnum, word)) for word in listed))
    return words


def _grid(values: Mapping[Key, float], items: Sequence[str], systems: Sequence[str]) -> Floats:
    return np.array([[values.get((item, system), np.nan) for system in systems] for item in items])


def _statistics(values: Floats) -> Floats:
    used = values[~np.isnan(values)]
    return np.column_stack([used, np.ones(len(used))])


def _ratio(rows: Floats) -> Floats:
    return rows[:, 0] / rows[:, 1]


def compare_inputs(
    inputs: CorrelateInputs,
    settings: CompareSettings,
    progress: OnProgress = silent,
) -> SystemStudy:
    """Compare the systems of what `read_inputs` read with score=False."""
    questions = [each.question for each in inputs.human]
    rankings = [
        rankings_of_judgments(question, inputs.judgments)
        for question in questions
        if inputs.judgments
    ]
    return compare(
        inputs.systems,
        inputs.specs,
        human=inputs.human,
        values=inputs.metrics,
        rankings=rankings,
        settings=settings,
        progress=progress,
    )
