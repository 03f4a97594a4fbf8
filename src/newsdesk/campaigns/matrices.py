"""Convert judgments to the arrays that `agreement` and `rankings` take; nan (or None) marks a missing or withdrawn judgment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats
from newsdesk.campaigns.campaign import answered
from newsdesk.stats.agreement import Votes
from newsdesk.stats.annotators import Skill, dawid_skene
from newsdesk.stats.coefficients import mid_ranks
from newsdesk.types import Judgment


def rank_table(judgments: Sequence[Judgment]) -> tuple[list[str], Floats, list[str]]:
    """Systems, rankings × systems (nan where not ranked), and the item of each ranking.

    Ranks are mid-ranks among the systems that are left in a ranking: without a control or a withdrawn answer, 1, 2, 4 is 1, 2, 3.
    """
    judgments = answered(judgments)
    systems = list(dict.fromkeys(judgment.target for judgment in judgments))
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for judgment in judgments:
        rows.setdefault((judgment.item, judgment.annotator), {})[judgment.target] = float(
            judgment.value
        )
    table = np.array([[row.get(system, np.nan) for system in systems] for row in rows.values()])
    for ranks in table:
        ranked = ~np.isnan(ranks)
        ranks[ranked] = mid_ranks(ranks[ranked])
    return systems, table, [item for item, _ in rows]


def value_matrix(judgments: Sequence[Judgment]) -> NDArray[Any]:
    """Annotators × targets, None or nan where an annotator did not judge a target."""
    judgments = answered(judgments)
    people = {
        name: place for place, name in enumerate(dict.fromkeys(j.annotator for j in judgments))
    }
    targets = {
        key: place for place, key in enumerate(dict.fromkeys((j.item, j.target) for j in judgments))
    }
    textual = any(isinstance(judgment.value, str) for judgment in judgments)
    shape = (len(people), len(targets))
    matrix: NDArray[Any] = np.full(
        shape, None if textual else np.nan, dtype=object if textual else float
    )
    for judgment in judgments:
        value = judgment.value if textual else float(judgment.value)
        matrix[people[judgment.annotator], targets[judgment.item, judgment.target]] = value
    return matrix


def rank_cube(judgments: Sequence[Judgment]) -> Floats:
    """Annotators × items × systems, nan where there is no rank.

    Of an item only the systems count that all its annotators ranked: who withdrew the rank of a system ranked fewer than the others.
    """
    judgments = answered(judgments)
    people, items, systems = (
        {
            name: place
            for place, name in enumerate(dict.fromkeys(getattr(j, part) for j in judgments))
        }
        for part in ("annotator", "item", "target")
    )
    cube = np.full((len(people), len(items), len(systems)), np.nan)
    for j in judgments:
        cube[people[j.annotator], items[j.item], systems[j.target]] = float(j.value)
    ranked = ~np.isnan(cube)
    partial = ranked.any(axis=2, keepdims=True) & ~ranked
    cube[np.broadcast_to(partial.any(axis=0), cube.shape)] = np.nan
    return cube


def vote_columns(judgments: Sequence[Judgment]) -> Votes:
    """Votes as columns, the input of alpha over pairs of comments."""
    judgments = answered(judgments)

    def column(part: str) -> list[Any]:
        return [getattr(judgment, part) for judgment in judgments]

    votes = [bool(judgment.value) for judgment in judgments]
    return Votes(column("task"), column("target"), column("annotator"), votes, column("item"))


def skill_of(judgments: Sequence[Judgment]) -> tuple[list[str], list[tuple[str, str]], Skill]:
    """Return the annotators, the targets (item, target) and the model of their votes or labels."""
    rows = [judgment for judgment in judgments if not judgment.withdrawn]
    annotators = list(dict.fromkeys(row.annotator for row in rows))
    targets = list(dict.fromkeys((row.item, row.target) for row in rows))
    return annotators, targets, dawid_skene(value_matrix(rows))
