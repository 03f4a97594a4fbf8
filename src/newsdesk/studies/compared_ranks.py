"""Ranks of compared systems: mean ranks, Bradley–Terry strengths, Friedman's test with Nemenyi's groups, places and duels.

Rankings come from a campaign as they were given, or from scores: the systems of an item in the order of their mean scores.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.campaigns.aggregate import rank_table
from newsdesk.results.standings import PairwiseWins
from newsdesk.results.systems import BlockedFriedman, ComparedRanks, GroupedStanding
from newsdesk.stats.coefficients import mid_ranks
from newsdesk.stats.rankings import (
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


def rankings_of_scores(
    question: str, items: tuple[str, ...], systems: tuple[str, ...], scores: Floats
) -> SystemRankings:
    """Return each item's systems ranked by their scores, high is best; ties share their mean rank."""
    table = np.array([_ranked(row) for row in scores]).reshape(len(items), len(systems))
    return SystemRankings(question, systems, table, items)


def _ranked(scores: Floats) -> Floats:
    ranks = np.full(len(scores), np.nan)
    present = ~np.isnan(scores)
    if present.any():
        ranks[present] = mid_ranks(-scores[present])
    return ranks


def rankings_of_judgments(question: str, judgments: Iterable[Judgment]) -> SystemRankings:
    """Return the rankings that annotators gave to one question of a campaign."""
    systems, table, items = rank_table(
        [judgment for judgment in judgments if judgment.question == question]
    )
    return SystemRankings(question, tuple(systems), table, tuple(items))


def rank_study(rankings: SystemRankings, *, samples: int, seed: int) -> ComparedRanks | None:
    """Return mean ranks, strengths and groups of systems; None where no ranking has two systems."""
    if len(rankings.systems) < 2 or (~np.isnan(rankings.table)).sum(axis=1).max(initial=0) < 2:
        return None
    items = np.array(rankings.items)
    means = mean_ranks(rankings.table, items, samples=samples, seed=seed)
    fit = bradley_terry(rankings.table, items, names=rankings.systems, samples=samples, seed=seed)
    test = friedman(rankings.table, items)
    by_system = dict(zip(rankings.systems, means.values, strict=True))
    order = sorted(rankings.systems, key=lambda system: by_system[system])
    distance, grouped = None, dict[str, str]()
    if test.p is not None:
        distance = nemenyi_distance(len(rankings.systems), test.blocks)
        grouped = letters(order, apart_by_ranks(by_system, distance))
    places = place_counts(rankings.table, "competition")
    counted = duels(rankings.table)
    wins, ties = (tuple(map(tuple, counts.tolist())) for counts in (counted.wins, counted.ties))
    return ComparedRanks(
        human=rankings.question,
        systems=tuple(
            GroupedStanding(
                system=system,
                mean_rank=means.values[index],
                mean_rank_ci=(means.low[index], means.high[index]),
                strength=fit.values[index],
                strength_ci=(fit.low[index], fit.high[index]),
                groups=grouped.get(system, ""),
                places=tuple(places[index].tolist()),
            )
            for system in order
            for index in [rankings.systems.index(system)]
        ),
        friedman=BlockedFriedman(statistic=test.statistic, p=test.p, blocks=test.blocks),
        critical_distance=distance,
        duels=PairwiseWins(rankings.systems, wins, ties),
        note="; ".join(note for note in (test.note, fit.note) if note),
    )
