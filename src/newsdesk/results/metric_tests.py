"""What a study of metrics prints besides correlations: gains of weighting, order of pairs, close systems, tests.

Each has its type, its section of a page and, where it is one, its table for the terminal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from newsdesk.results.page import Section, table_section
from newsdesk.results.part import ResultPart, json_of, plain
from newsdesk.results.plots import grouped_intervals
from newsdesk.results.table import Cell, PValue, ranged, table, with_ends
from newsdesk.stats.coefficients import Coefficient, Level

Ends = tuple[float, float]

_MOST_TESTS = 200  # rows of a folded table; the JSON has all
_MOST_PRINTED = 12  # tests on the terminal
_SMALLEST = 0.01  # a gain that is worth mentioning
# Shares of false positives at 5 % in 5,000 simulated studies: `python -m research metric_tests`.
_ADVICE = {
    "outputs": "Pooled and within items believe the permutation test: it asks whether the difference holds for these systems on other items. Williams's test takes outputs as independent and finds differences that are not there.",
    "systems": "Over systems believe Williams's test with Pearson, or the permutation test, which rejects too seldom with fewer than ten systems and cannot reject with five; both ask whether the difference holds for other systems too. Williams's test with Spearman rejects a little too often.",
}


shown = partial(with_ends, places=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightingGain(ResultPart):
    """What a weighted metric gains over its plain partner, with its weights and with shuffled ones.

    `net` is the difference.
    """

    weighted: str
    plain: str = ""
    human: str
    level: Level
    coefficient: Coefficient
    gain: float | None = None
    ci: Ends | None = None
    shuffled: float | None = None
    shuffled_ci: Ends | None = None
    net: float | None = None
    net_ci: Ends | None = None

    @property
    def survives(self) -> float | None:
        """The share of a positive gain that is left with shuffled weights."""
        if self.shuffled is None or self.gain is None or self.gain <= 0:
            return None
        return self.shuffled / self.gain

    @property
    def confounded(self) -> bool:
        """True if the gain is above zero, worth mentioning, and at least half of it survives shuffling."""
        if self.ci is None:
            return False
        low, _ = self.ci
        sure = low > 0 and (self.gain or 0.0) >= _SMALLEST
        return sure and (self.survives or 0.0) >= 0.5

    def as_json(self) -> dict[str, Any]:
        """Return the gain with what shuffling says of it."""
        return {**json_of(self), "survives": plain(self.survives), "confounded": self.confounded}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOrder(ResultPart):
    """The share of pairs of outputs that a metric orders as people do, plain and with ties calibrated.

    `ties` is the share of pairs that people find equal, `epsilon` the threshold on all items.
    """

    metric: str
    human: str
    accuracy: float | None = None
    ci: Ends | None = None
    calibrated: float | None = None
    calibrated_ci: Ends | None = None
    epsilon: float | None = None
    ties: float | None = None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseSystems(ResultPart):
    """Kendall's tau over the share of system pairs that a metric puts nearest to each other.

    `apart` is the largest difference among them.
    """

    metric: str
    human: str
    share: float
    tau: float | None = None
    ci: Ends | None = None
    apart: float | None = None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricDifference(ResultPart):
    """A test between two metrics' correlations with people.

    `more_items` is how many further items would give a test at 5 % a power of 80 % if the difference is as it looks; None if unknown. `holds`
    says whether the test keeps its level of 5 % in simulations (`python -m research metric_tests`).
    """

    human: str
    level: Level
    coefficient: Coefficient | None = None
    first: str
    second: str
    difference: float | None = None
    ci: Ends | None = None
    test: str | None = None
    p: float
    p_corrected: float
    n: int = 0
    more_items: int | None = None
    signature: str = ""
    holds: bool | None = None

    @property
    def believed(self) -> bool:
        """Whether the test keeps its level; a study of an earlier version does not say."""
        return self.test == "permutation" if self.holds is None else self.holds


def gain_sentences(
    gains: Sequence[WeightingGain], coefficient: Coefficient = "spearman"
) -> list[str]:
    """Say of each weighted metric whose pooled gain mostly survives shuffling what it gains within items."""
    sentences = []
    chosen = [gain for gain in gains if gain.coefficient == coefficient]
    within = {(gain.weighted, gain.human): gain for gain in chosen if gain.level == "item"}
    for gain in chosen:
        if gain.level != "pooled" or not gain.confounded:
            continue
        inside = within.get((gain.weighted, gain.human))
        tail = ""
        if inside is not None and inside.ci is not None:
            low, high = inside.ci
            tail = f"; within items it gains {inside.gain:+.3f} [{low:+.3f}, {high:+.3f}]"
        sentences.append(
            f"Most of the pooled gain of {gain.weighted} over {gain.plain} survives shuffling ({gain.human}: {gain.gain:+.3f}, with shuffled weights"
            f" {gain.shuffled:+.3f}, {gain.survives:.0%} of it): it does not show that weights tell good references from poor ones{tail}."
        )
    return sentences


def gains_text(gains: Sequence[WeightingGain]) -> str:
    """Return what weights gain over plain references, beside what shuffled weights gain, as a table."""
    header = ["gain (spearman)", "human", "level", "of weights", "of shuffled weights", "difference"]  # fmt: skip
    rows = [
        [
            gain.weighted,
            gain.human,
            gain.level,
            shown(gain.gain, gain.ci),
            shown(gain.shuffled, gain.shuffled_ci),
            shown(gain.net, gain.net_ci),
        ]
        for gain in gains
        if gain.coefficient == "spearman"
    ]
    return table(header, rows) if gains else ""


def gains_part(gains: Sequence[WeightingGain], titles: Mapping[str, str]) -> Section:
    """Show what weights gain beside what shuffled weights gain: a picture, and a folded table of all.

    `titles` has the name of each coefficient in the table.
    """
    section = Section("Gains of weighting")
    if not gains:
        return section
    level = "item" if any(gain.level == "item" for gain in gains) else "pooled"
    bars = [
        (gain.weighted, [_point(gain.gain, gain.ci), _point(gain.shuffled, gain.shuffled_ci)])
        for gain in gains
        if gain.level == level and gain.coefficient == "spearman"
    ]
    where = "within items" if level == "item" else "pooled over items"
    if bars:
        section.figure(
            grouped_intervals(
                bars, ["weights", "shuffled weights"], "gain in Spearman over the plain metric"
            ),
            f"What weighted references gain, {where}, 95 % intervals: weights that know the better reference gain, shuffled ones should not.",
        )
    fold = Section("Gains of weighting, and what is left of them with shuffled weights")
    fold.table(
        ("weighted", "level", "coefficient", "gain", "shuffled", "net"),
        [
            (
                gain.weighted,
                gain.level,
                titles[gain.coefficient],
                ranged(gain.gain, gain.ci),
                ranged(gain.shuffled, gain.shuffled_ci),
                ranged(gain.net, gain.net_ci),
            )
            for gain in gains
        ],
        "A gain that survives shuffling comes from the item, not from its weights",
    )
    return section.fold(fold)


def _point(value: float | None, ends: Ends | None) -> tuple[float, float, float] | None:
    return None if value is None else (value, *(ends or (value, value)))


def pairs_text(pairs: Sequence[PairOrder]) -> str:
    """Return the accuracy on pairs of outputs, with ties as they are and calibrated, as a table."""
    header = ["pairs", "human", "accuracy", "ties calibrated", "epsilon", "n"]
    rows: list[list[Cell]] = [
        [
            pair.metric,
            pair.human,
            shown(pair.accuracy, pair.ci),
            shown(pair.calibrated, pair.calibrated_ci),
            f"{pair.epsilon:.3g}",
            pair.n,
        ]
        for pair in pairs
    ]
    return table(header, rows) if rows else ""


def pairs_part(pairs: Sequence[PairOrder]) -> Section:
    """Show the share of pairs of outputs that a metric puts in the order of people."""
    return table_section(
        "Accuracy on pairs of outputs",
        ("metric", "question", "accuracy", "with ties calibrated", "pairs"),
        [
            (
                pair.metric,
                pair.human,
                ranged(pair.accuracy, pair.ci),
                ranged(pair.calibrated, pair.calibrated_ci),
                pair.n,
            )
            for pair in pairs
        ],
    )


def close_part(rows: Sequence[CloseSystems]) -> Section:
    """Show Kendall's tau over the pairs of systems that a metric puts nearest to each other."""
    return table_section(
        "Systems that are close to each other",
        ("metric", "question", "share of system pairs", "Kendall", "pairs"),
        [
            (row.metric, row.human, f"{row.share:.0%}", ranged(row.tau, row.ci), row.n)
            for row in rows
        ],
        "Kendall's tau over the pairs of systems that a metric puts nearest to each other",
    )


def tests_text(tests: Sequence[MetricDifference]) -> str:
    """Return the permutation tests of Spearman within items (else pooled), smallest p first, as a table."""
    level = "item" if any(test.level == "item" for test in tests) else "pooled"
    chosen = [
        test
        for test in tests
        if (test.test, test.coefficient, test.level) == ("permutation", "spearman", level)
    ]
    header = ["first", "second", "human", "level", "difference", "p", "p corrected", "items to add"]
    rows: list[list[Cell]] = [
        [
            test.first,
            test.second,
            test.human,
            test.level,
            shown(test.difference, test.ci),
            test.p,
            test.p_corrected,
            test.more_items,
        ]
        for test in sorted(chosen, key=lambda test: (test.p_corrected, test.p))[:_MOST_PRINTED]
    ]
    return table(header, rows) if rows else ""


def tests_part(tests: Sequence[MetricDifference]) -> Section:
    """Show the tests that hold their level, surest first, with the advice of each level.

    The others folded.
    """
    section = Section("Tests between metrics")
    if not tests:
        return section
    levels = {test.level for test in tests}
    kinds = {"outputs": {"pooled", "item"}, "systems": {"system"}}
    section.text(" ".join(_ADVICE[kind] for kind, wanted in kinds.items() if levels & wanted))
    _tests_table(section, [test for test in tests if test.believed])
    rest = Section("Tests that do not hold their level here")
    _tests_table(rest, [test for test in tests if not test.believed])
    return section.fold(rest)


def _tests_table(section: Section, tests: Sequence[MetricDifference]) -> None:
    """Append a table of the first tests in the order of `_first_asked`; nothing without any."""
    chosen = sorted(tests, key=_first_asked)[:_MOST_TESTS]
    if not chosen:
        return
    section.table(
        ("question", "level", "coefficient", "first", "second", "difference", "p", "p corrected", "test"),
        [
            (
                test.human,
                test.level,
                test.coefficient,
                test.first,
                test.second,
                ranged(test.difference, test.ci),
                PValue(test.p),
                PValue(test.p_corrected),
                test.test,
            )
            for test in chosen
        ],
        "" if len(chosen) == len(tests) else f"{len(chosen)} of {len(tests):,} tests, within items first; the JSON has all",
    )  # fmt: skip


def _first_asked(test: MetricDifference) -> tuple[int, bool, float]:
    """Order tests: within items before pooled before over systems, Spearman first, then the surest."""
    level = {"item": 0, "pooled": 1, "system": 2}.get(test.level, 3)
    return level, test.coefficient not in (None, "spearman"), test.p
