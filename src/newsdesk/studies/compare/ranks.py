"""Systems by the ranks that people gave them: mean ranks with Friedman's test and Nemenyi's groups, Bradley–Terry strengths with ties.

Rankings come from a campaign as they were given, or from scores: the systems of an item in the order of their mean scores.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.campaigns.matrices import rank_table
from newsdesk.stats.coefficients import mid_ranks
from newsdesk.stats.rankings import (
    Duels,
    apart_by_ranks,
    duels,
    friedman,
    letters,
    mean_ranks,
    nemenyi_distance,
    place_counts,
)
from newsdesk.stats.strengths import bradley_terry
from newsdesk.types import Judgment


@dataclass(frozen=True, slots=True, eq=False)
class SystemRankings:
    """Rankings × systems, 1 is best, nan where a system was not ranked, and the item of each ranking."""

    question: str
    systems: tuple[str, ...]
    table: Floats
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """One system by rank: mean rank and strength with intervals, its group, and counts of its places."""

    system: str
    mean_rank: float
    mean_rank_ci: tuple[float, float]
    strength: float
    strength_ci: tuple[float, float]
    groups: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RankStudy:
    """All systems best first, with Friedman's test and the wins and ties of every pair.

    `distance` is the critical distance of mean ranks, None if undefined.
    """

    question: str
    systems: tuple[RankedSystem, ...]
    statistic: float | None
    p: float | None
    blocks: int
    distance: float | None
    duels: Duels
    order: tuple[str, ...]
    note: str


def rankings_of_scores(
    question: str, items: tuple[str, ...], systems: tuple[str, ...], scores: Floats
) -> SystemRankings:
    """Return each item's systems ranked by their scores, high is best; ties share their mean rank."""
    table = np.array([_ranked(row) for row in scores]).reshape(len(items), len(systems))
    return SystemRankings(question, systems, table, items)


def rankings_of_judgments(question: str, judgments: Iterable[Judgment]) -> SystemRankings:
    """Return the rankings that annotators gave to one question of a campaign."""
    systems, table, items = rank_table(
        [judgment for judgment in judgments if judgment.question == question]
    )
    return SystemRankings(question, tuple(systems), table, tuple(items))


def rank_study(rankings: SystemRankings, *, samples: int, seed: int) -> RankStudy | None:
    """Mean ranks, strengths and groups of systems; None with fewer than two systems or no ranking."""
    if len(rankings.systems) < 2 or not (~np.isnan(rankings.table)).sum(axis=1).max(initial=0) > 1:
        return None
    items = np.array(rankings.items)
    means = mean_ranks(rankings.table, items, samples=samples, seed=seed)
    fit = bradley_terry(rankings.table, items, names=rankings.systems, samples=samples, seed=seed)
    test = friedman(rankings.table, items)
    by_system = dict(zip(rankings.systems, means.values, strict=True))
    distance, differ = None, set[frozenset[str]]()
    if test.p is not None:
        distance = nemenyi_distance(len(rankings.systems), test.blocks)
        differ = apart_by_ranks(by_system, distance)
    order = sorted(rankings.systems, key=lambda system: by_system[system])
    grouped = letters(order, differ) if distance is not None else {}
    places = place_counts(rankings.table, "competition")
    place = {system: at for at, system in enumerate(rankings.systems)}
    rows = tuple(
        RankedSystem(
            system,
            means.values[at],
            (means.low[at], means.high[at]),
            fit.values[at],
            (fit.low[at], fit.high[at]),
            grouped.get(system, ""),
            tuple(places[at].tolist()),
        )
        for system in order
        for at in (place[system],)
    )
    notes = "; ".join(note for note in (test.note, fit.note) if note)
    return RankStudy(
        rankings.question, rows, test.statistic, test.p, test.blocks, distance,
        duels(rankings.table), rankings.systems, notes,
    )  # fmt: skip


def _ranked(scores: Floats) -> Floats:
    ranks = np.full(len(scores), np.nan)
    present = ~np.isnan(scores)
    if present.any():
        ranks[present] = mid_ranks(-scores[present])
    return ranks
