"""Systems by the ranks that people gave them: the standings of one question, and the pictures that show them.

A campaign and a comparison of systems print the same standings; their pages differ in what they say about them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from newsdesk.results.page import Section
from newsdesk.results.part import ResultPart
from newsdesk.results.plots import heat_map, intervals, stacked, win_shares
from newsdesk.results.table import Cell, p_text, ranged

Ends = tuple[float, float]


class RankedSystem(ResultPart):
    """What every result has of a ranked system; each prints these in an order of its own."""

    __slots__ = ()
    system: str
    places: tuple[int, ...]
    mean_rank: float | None
    mean_rank_ci: Ends | None
    strength: float | None
    strength_ci: Ends | None

    @property
    def bar(self) -> tuple[str, float, float, float]:
        """The strength with the ends of its interval, for a plot, which leaves out what is not a number."""
        value = math.nan if self.strength is None else self.strength
        return self.system, value, *(self.strength_ci or (value, value))

    @property
    def cells(self) -> tuple[Cell, Cell]:
        """The mean rank and the strength as cells of a table."""
        return ranged(self.mean_rank, self.mean_rank_ci), ranged(self.strength, self.strength_ci)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemStanding(RankedSystem):
    """One system by rank: mean rank, Bradley–Terry strength, counts of places, wins, ties and losses."""

    system: str
    n: int = 0
    places: tuple[int, ...] = ()
    mean_rank: float | None = None
    mean_rank_ci: Ends | None = None
    strength: float | None = None
    strength_ci: Ends | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0


@dataclass(frozen=True, slots=True)
class PairwiseWins(ResultPart):
    """Systems × systems: how often the row's system is ranked above the column's, and how often they tie."""

    systems: tuple[str, ...]
    wins: tuple[tuple[int, ...], ...]
    ties: tuple[tuple[int, ...], ...]

    def shares(self, order: Sequence[str]) -> list[list[float | None]]:
        """Return the share of wins of each row against each column, in this order of systems."""
        places = [self.systems.index(name) for name in order]
        wins, ties = (
            [[table[row][column] for column in places] for row in places]
            for table in (self.wins, self.ties)
        )
        return win_shares(wins, ties)

    @property
    def balanced(self) -> bool:
        """Whether every two systems met equally often, so that their mean ranks can be compared."""
        size = range(len(self.systems))
        met = {
            self.wins[one][two] + self.wins[two][one] + self.ties[one][two]
            for one in size
            for two in size
            if one < two
        }
        return len(met) <= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FriedmanTest(ResultPart):
    """Friedman's chi-square and its p-value; None where undefined."""

    statistic: float | None = None
    p: float | None = None

    def __str__(self) -> str:
        return f"χ² = {self.statistic:.2f}, p {p_text(self.p or 0.0)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FriedmanResult(FriedmanTest):
    """Friedman's test of a campaign; `note` says why it is undefined."""

    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStanding(ResultPart):
    """How systems stand by one question of a campaign."""

    question: str
    text: str
    friedman: FriedmanResult
    systems: tuple[SystemStanding, ...]
    duels: PairwiseWins
    note: str = ""


def strengths_figure(
    section: Section, name: str, systems: Sequence[RankedSystem], model: str = "with ties"
) -> None:
    """Append the Bradley–Terry strengths of systems with their intervals."""
    section.figure(
        intervals([system.bar for system in systems], "log strength, higher is better"),
        f"{name}: Bradley–Terry strength {model}, 95 % intervals over items.",
    )


def places_figure(
    section: Section, systems: Sequence[RankedSystem], labels: Sequence[str], caption: str
) -> None:
    """Append how often each system had each place; `labels` name as many places as are shown."""
    rows = [(system.system, system.places[: len(labels)]) for system in systems]
    section.figure(stacked(rows, labels, "rankings"), caption)


def wins_figure(section: Section, duels: PairwiseWins, order: Sequence[str], caption: str) -> None:
    """Append the shares of pairwise wins in this order of systems."""
    picture = heat_map(order, duels.shares(order), "share of wins, left against top")
    section.figure(picture, caption)


def places_used(systems: Sequence[RankedSystem]) -> int:
    """Return the last place that any of these systems had."""
    return max(
        (rank for system in systems for rank, count in enumerate(system.places, 1) if count),
        default=0,
    )
