"""Systems compared by metrics and people: the result of `newsdesk study compare --json`, and its chapter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from newsdesk.results.page import Chapter, Section, Verdict, table_section
from newsdesk.results.part import ResultPart
from newsdesk.results.plots import intervals
from newsdesk.results.scores import parts_section
from newsdesk.results.standings import (
    Ends,
    FriedmanTest,
    PairwiseWins,
    RankedSystem,
    places_figure,
    strengths_figure,
    wins_figure,
)
from newsdesk.results.table import Cell, PValue, ranged, table, with_ends
from newsdesk.results.verdict import SURE, SystemValue, rivals_text
from newsdesk.wording import listed, plural

_PICTURED = 3  # measures with a picture that is not folded
_FEW_SYSTEMS = 12  # beyond so many only the first measure has one
_MOST_TESTS = 400  # rows of the table of tests
_shown = partial(with_ends, places=3)


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
    """The test of two systems by one measure on the `n` items that both answer, first minus second.

    `equal_length` is the difference at equal length; `clusters` of items were drawn, None where single items were; `more_items` would decide, None where it is decided or cannot be.
    """

    measure: str
    kind: str = ""
    first: str
    second: str
    difference: float
    ci: Ends | None = None
    p: float | None = None
    p_corrected: float
    wins: int
    ties: int
    losses: int
    equal_length: float | None = None
    equal_length_ci: Ends | None = None
    clusters: int | None = None
    more_items: int | None = None
    n: int = 0
    signature: str = ""

    def other(self, system: str) -> str:
        """Return the system that this one is tested against."""
        return self.second if self.first == system else self.first

    def explained(self, best: str) -> bool:
        """Return True if length explains the lead of `best`, one of the two systems.

        Then the interval of its lead at equal length holds zero or lies below.
        """
        if self.equal_length_ci is None:
            return False
        low, high = self.equal_length_ci
        return low <= 0 if self.first == best else high >= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedStanding(RankedSystem):
    """A system by rank, with the letters of the groups it cannot be told apart from."""

    system: str
    mean_rank: float | None = None
    mean_rank_ci: Ends | None = None
    strength: float | None = None
    strength_ci: Ends | None = None
    groups: str = ""
    places: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedFriedman(FriedmanTest):
    """Friedman's test over so many complete blocks."""

    blocks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRanks(ResultPart):
    """How compared systems stand by the ranks of one human question, best first.

    `critical_distance` is that of mean ranks (Nemenyi), None where it is undefined.
    """

    human: str
    systems: tuple[GroupedStanding, ...]
    friedman: BlockedFriedman
    critical_distance: float | None = None
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

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each measure, metric or human, in the order in which they were computed."""
        rows = (row for system in self.systems for row in system.measures.items())
        return {name: row.kind for name, row in rows}

    @property
    def measures(self) -> list[str]:
        """The names of the measures, human ones first."""
        kinds = self.kinds
        return sorted(kinds, key=lambda name: kinds[name] != "human")

    @property
    def primary(self) -> str:
        """The measure of the verdict: `overall`, else the first human question, else the first metric."""
        return "overall" if self.kinds.get("overall") == "human" else self.measures[0]

    @property
    def best_first(self) -> list[ComparedSystem]:
        """The systems in the order of the measure of the verdict."""
        primary = self.primary
        return sorted(self.systems, key=lambda row: -row.value(primary))

    def sentence(self) -> str:
        """Name the leading system, whom it cannot be told apart from, and what length explains."""
        measure = self.primary
        best = self.best_first[0]
        row = best.measures[measure]
        said = f"{best.system} leads by {measure} ({_shown(row.value, row.ci)})"
        tests = [
            test
            for test in self.comparisons
            if test.measure == measure and best.system in (test.first, test.second)
        ]
        if not tests:
            return f"{said}."
        equal = [test.other(best.system) for test in tests if test.p_corrected >= SURE]
        said += rivals_text(equal, ", ahead of every other system")
        by_length = [
            test.other(best.system)
            for test in tests
            if test.p_corrected < SURE and test.explained(best.system)
        ]
        if by_length:
            said += f"; at equal length its lead over {listed(by_length)} is not sure"
        return f"{said}."

    def text(self) -> str:
        """Return the comparison as tables for the terminal: systems, ranks, tests, signatures."""
        blocks = [
            f"{self.verdict}\n",
            table(
                ["system", *self.measures, "words"],
                [
                    [
                        row.system,
                        *(_with_groups(row.measures.get(measure)) for measure in self.measures),
                        None if row.words is None else f"{row.words:.1f}",
                    ]
                    for row in self.systems
                ],
            ),
            "Systems that share a letter cannot be told apart by that measure.",
        ]
        for ranks in self.ranks:
            header = [f"by rank ({ranks.human})", "mean rank", "Bradley-Terry", "Nemenyi group"]
            ranked = [
                [
                    system.system,
                    _shown(system.mean_rank, system.mean_rank_ci),
                    _shown(system.strength, system.strength_ci),
                    system.groups,
                ]
                for system in ranks.systems
            ]
            blocks += [f"\n{table(header, ranked)}", *([ranks.note] if ranks.note else [])]
        header = ["measure", "first", "second", "difference", "p", "p corrected", "win/tie/loss", "at equal length", "more items"]  # fmt: skip
        tests: list[list[Cell]] = [
            [
                test.measure,
                test.first,
                test.second,
                _shown(test.difference, test.ci),
                test.p,
                test.p_corrected,
                f"{test.wins}/{test.ties}/{test.losses}",
                _shown(test.equal_length, test.equal_length_ci),
                None if test.more_items is None else f"{test.more_items:,}",
            ]
            for test in self.comparisons
        ]
        signatures = dict.fromkeys(
            row.signature
            for measure in self.kinds
            for system in self.systems
            if (row := system.measures.get(measure))
        )
        return "\n".join([*blocks, f"\n{table(header, tests)}\n", *signatures])


def _with_groups(row: ComparedMeasure | None) -> str | None:
    return f"{_shown(row.value, row.ci)} {row.groups}".rstrip() if row else None


def systems_chapter(content: Mapping[str, Any]) -> Chapter:
    """Show compared systems: intervals by measure, wins, the table with groups, folded tests."""
    result = ComparisonResult.decode(content)
    measures, primary, systems = result.measures, result.primary, result.best_first
    section = Section("Systems", _lead(systems, measures, primary))
    few = len(systems) <= _FEW_SYSTEMS
    more = Section("Pictures of more measures")
    for index, measure in enumerate(measures):
        bars = [
            SystemValue(row.system, value.value, value.ci).bar
            for row in systems
            if (value := row.measures.get(measure))
        ]
        target = section if index < (_PICTURED if few else 1) else more
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
    if few:
        section.extend(groups)
    else:
        section.fold(groups)
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
        places = max(len(system.places) for system in systems)
        labels = [f"place {place}" for place in range(1, places + 1)]
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
            [(system.system, *system.cells, system.groups) for system in systems],
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
        ("measure", "first", "second", "difference", "p corrected", "win/tie/loss", "at equal length", "more items to decide"),
        [
            (
                test.measure,
                test.first,
                test.second,
                ranged(test.difference, test.ci),
                PValue(test.p_corrected),
                f"{test.wins}/{test.ties}/{test.losses}",
                ranged(test.equal_length, test.equal_length_ci),
                None if test.more_items is None else f"{test.more_items:,}",
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
