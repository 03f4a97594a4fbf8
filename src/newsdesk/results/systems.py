"""Systems compared by metrics and people: the result of `newsdesk study compare --json`, and its chapter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from newsdesk.results.page import Chapter, Section, Verdict, table_section
from newsdesk.results.part import ResultPart
from newsdesk.results.plots import intervals
from newsdesk.results.scores import parts_section
from newsdesk.results.standings import (
    Ends,
    FriedmanResult,
    PairwiseWins,
    SystemStanding,
    places_figure,
    strengths_figure,
    wins_figure,
)
from newsdesk.results.table import Cell, PValue, ranged
from newsdesk.results.verdict import SystemValue
from newsdesk.wording import plural

_PICTURED = 3  # measures with a picture that is not folded
_MOST_TESTS = 400  # rows of the table of tests
_FEW = 12  # systems beyond which only the first measure has one


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMeasure(ResultPart):
    """The value of one system by one measure, and the letters of the groups it cannot be told apart from."""

    kind: str
    value: float
    ci: Ends | None = None
    parts: Mapping[str, float] | None = None
    n: int
    groups: str = ""
    signature: str


@dataclass(frozen=True, slots=True)
class ComparedSystem(ResultPart):
    """One system by every measure, and the mean length of its outputs in words."""

    system: str
    measures: Mapping[str, ComparedMeasure]
    words: float | None = None

    def value(self, measure: str) -> float:
        """Return the value by a measure; minus infinity where there is none."""
        return self.measures[measure].value if measure in self.measures else -math.inf

    def cell(self, measure: str) -> Cell:
        """Return the value by a measure with its interval as a cell of a table."""
        value = self.measures.get(measure)
        return None if value is None else ranged(value.value, value.ci)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemTest(ResultPart):
    """The test of two systems by one measure, first minus second.

    `equal_length` is the difference at equal length.
    """

    measure: str
    first: str
    second: str
    difference: float
    ci: Ends | None = None
    p_corrected: float
    wins: int
    ties: int
    losses: int
    equal_length: float | None = None
    equal_length_ci: Ends | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedStanding(SystemStanding):
    """A system by rank, with the letters of the groups it cannot be told apart from."""

    groups: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRanks(ResultPart):
    """How compared systems stand by the ranks of one human question."""

    human: str
    systems: tuple[GroupedStanding, ...]
    friedman: FriedmanResult
    duels: PairwiseWins
    note: str = ""


@dataclass(frozen=True, slots=True)
class LengthSlope(ResultPart):
    """How much a measure changes when an output doubles in length."""

    measure: str
    per_doubling: float | None = None
    ci: Ends | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonResult(ResultPart):
    """What `newsdesk study compare --json` prints: systems, tests, standings by rank, effect of length."""

    systems: tuple[ComparedSystem, ...]
    comparisons: tuple[SystemTest, ...]
    ranks: tuple[ComparedRanks, ...] = ()
    lengths: tuple[LengthSlope, ...] = ()
    verdict: str


def systems_chapter(content: Mapping[str, Any]) -> Chapter:
    """Show compared systems: intervals by measure, wins, the table with groups, folded tests."""
    result = ComparisonResult.decode(content)
    kinds = {name: value.kind for row in result.systems for name, value in row.measures.items()}
    measures = sorted(kinds, key=lambda name: kinds[name] != "human")  # people first
    # The verdict goes by `overall`, else the first human question, else the first metric.
    primary = "overall" if kinds.get("overall") == "human" else measures[0]
    systems = sorted(result.systems, key=lambda row: -row.value(primary))
    section = Section("Systems", _lead(systems, measures, primary))
    more = Section("Pictures of more measures")
    for place, measure in enumerate(measures):
        bars = [
            SystemValue(row.system, value.value, value.ci).bar
            for row in systems
            if (value := row.measures.get(measure))
        ]
        target = section if place < (_PICTURED if len(systems) <= _FEW else 1) else more
        target.figure(intervals(bars, measure), f"{measure}, with 95 % intervals over items.")
    section.fold(more)
    for study in result.ranks:
        _ranks(section, study)
    section.table(
        ("system", *measures, "words"),
        [(row.system, *map(row.cell, measures), row.words) for row in systems],
    )
    groups = Section("Groups of systems that cannot be told apart").table(
        ("system", *measures),
        [(row.system, *(_groups(row, measure) for measure in measures)) for row in systems],
        "Systems that share a letter cannot be told apart by that measure",
    )
    section.fold(groups) if len(systems) > _FEW else section.extend(groups)
    best = systems[0]
    every = [(row.system, name, value) for row in systems for name, value in row.measures.items()]
    parts = [(system, name, value.parts) for system, name, value in every]
    section.fold(parts_section("measure", parts))
    section.fold(_tests(result.comparisons, best.system, primary)).fold(_lengths(result.lengths))
    leading = best.measures[primary]
    label = f"{primary} of {best.system}"
    verdict = Verdict(result.verdict, leading.value, leading.ci, label)
    return Chapter(verdict, section.signatures([value.signature for *_, value in every]))


def _lead(systems: Sequence[ComparedSystem], measures: Sequence[str], primary: str) -> str:
    items = max(value.n for row in systems for value in row.measures.values())
    return f"{plural(len(systems), 'system')} by {plural(len(measures), 'measure')} on up to {plural(items, 'item')}, best first by {primary}. A dot is the mean over items, a line its 95 % interval: where the mean of other items of this kind would lie."


def _groups(row: ComparedSystem, measure: str) -> Cell:
    value = row.measures.get(measure)
    return None if value is None else value.groups or None


def _ranks(section: Section, study: ComparedRanks) -> None:
    """Append strengths, places, pairwise wins and mean ranks by one question."""
    question, systems = study.human, study.systems
    strengths_figure(section, question, systems)
    if all(system.places for system in systems):
        labels = [f"place {place + 1}" for place in range(max(len(s.places) for s in systems))]
        places_figure(
            section,
            systems,
            labels,
            f"{question}: how often each system came first, second, … (the strongest colour is first).",
        )
    wins_figure(
        section,
        study.duels,
        [system.system for system in systems],
        f"{question}: pairwise wins, ties counted as half; best first. Read a row: green where it wins more often than it loses.",
    )
    test = study.friedman
    lead = study.note if test.p is None else f"Friedman: {test}."
    section.fold(
        Section(f"Mean ranks, {question}", lead).table(
            ("system", "mean rank", "strength", "group"),
            [(each.system, *each.cells, each.groups) for each in systems],
        )
    )


def _tests(tests: Sequence[SystemTest], best: str, primary: str) -> Section:
    """Show tests between systems.

    Of many, those of the verdict's measure and those against the best system.
    """
    shown = [
        test
        for test in tests
        if len(tests) <= _MOST_TESTS or test.measure == primary or best in (test.first, test.second)
    ]
    title = "Tests between every two systems"
    if len(shown) < len(tests):
        title += f": those by {primary} and those against {best} (the JSON has all {len(tests):,})"
    return table_section(
        title,
        ("measure", "first", "second", "difference", "p corrected", "win/tie/loss", "at equal length"),
        [
            (
                test.measure,
                test.first,
                test.second,
                ranged(test.difference, test.ci),
                PValue(test.p_corrected),
                f"{test.wins}/{test.ties}/{test.losses}",
                ranged(test.equal_length, test.equal_length_ci),
            )
            for test in shown
        ],
    )  # fmt: skip


def _lengths(lengths: Sequence[LengthSlope]) -> Section:
    return table_section(
        "What length alone does",
        ("measure", "change when an output doubles in length"),
        [(length.measure, ranged(length.per_doubling, length.ci)) for length in lengths],
    )
