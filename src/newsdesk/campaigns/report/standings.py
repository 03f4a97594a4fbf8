"""The systems of a rank campaign by each question, computed once for the report's verdict, tables and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from newsdesk.arrays import Floats
from newsdesk.campaigns.campaign import Campaign
from newsdesk.campaigns.matrices import rank_table
from newsdesk.campaigns.protocols import Question
from newsdesk.stats import rankings
from newsdesk.stats.strengths import Strengths, bradley_terry
from newsdesk.types import Judgment


@dataclass(frozen=True, slots=True)
class Standing:
    """How systems were ranked by one question; `ranks` is rankings × systems."""

    question: Question
    systems: tuple[str, ...]
    ranks: Floats
    means: rankings.MeanRanks
    strengths: Strengths
    duels: rankings.Duels
    friedman: rankings.Friedman


def standings_of(
    campaign: Campaign, judgments: Sequence[Judgment], seed: int
) -> tuple[Standing, ...]:
    """A standing for each question of a rank campaign that was answered; none for other protocols."""
    if campaign.protocol.kind != "rank":
        return ()
    asked = {
        question: [judgment for judgment in judgments if judgment.question == question.name]
        for question in campaign.protocol.questions
    }
    return tuple(_standing(question, rows, seed) for question, rows in asked.items() if rows)


def _standing(question: Question, judgments: Sequence[Judgment], seed: int) -> Standing:
    systems, ranks, items = rank_table(judgments)
    return Standing(
        question=question,
        systems=tuple(systems),
        ranks=ranks,
        means=rankings.mean_ranks(ranks, items, seed=seed),
        strengths=bradley_terry(ranks, items, names=systems, seed=seed),
        duels=rankings.duels(ranks),
        friedman=rankings.friedman(ranks, items),
    )


def leading_question(names: Sequence[str]) -> str:
    """The question that a verdict rests on: `overall` where it was asked, else the last one."""
    return "overall" if "overall" in names else names[-1]
