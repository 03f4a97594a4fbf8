"""Aggregates of judgments: mean grades, C-scores, shares of systems ranked below, label shares; and judgments as arrays.

Everything is a pure function of the current judgments (the last row of each key, without excluded annotators and control questions), so
excluding an annotator later recomputes every aggregate. Estimates over a whole campaign carry a bootstrap interval over items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats
from newsdesk.campaigns.campaign import answered
from newsdesk.campaigns.choices import numbers_for
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.tasks import REAL
from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement import Votes
from newsdesk.stats.annotators import Skill, dawid_skene
from newsdesk.stats.coefficients import mid_ranks
from newsdesk.stats.units import over_items
from newsdesk.types import Judgment


def rank_table(judgments: Sequence[Judgment]) -> tuple[list[str], Floats, list[str]]:
    """Return systems, ranks (rankings × systems, nan where not ranked), and the item of each ranking.

    Ranks are mid-ranks among the systems that are left in a ranking: without a control or a withdrawn answer, 1, 2, 4 is 1, 2, 3.
    """
    judgments = answered(judgments)
    systems = list(dict.fromkeys(judgment.target for judgment in judgments))
    rows: dict[tuple[str, str, str], dict[str, float]] = {}
    for judgment in judgments:
        ranking = (judgment.item, judgment.task, judgment.annotator)
        rows.setdefault(ranking, {})[judgment.target] = float(judgment.value)
    table = np.array([[row.get(system, np.nan) for system in systems] for row in rows.values()])
    for ranks in table:
        ranked = ~np.isnan(ranks)
        ranks[ranked] = mid_ranks(ranks[ranked])
    return systems, table, [item for item, _, _ in rows]


def value_matrix(judgments: Sequence[Judgment]) -> NDArray[Any]:
    """Return values, annotators × targets; None or nan where an annotator did not judge a target."""
    judgments = answered(judgments)
    annotators = dict.fromkeys(judgment.annotator for judgment in judgments)
    people = {name: place for place, name in enumerate(annotators)}
    keys = dict.fromkeys((judgment.item, judgment.target) for judgment in judgments)
    targets = {key: place for place, key in enumerate(keys)}
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
    """Return ranks, annotators × items × systems, nan where there is no rank.

    Of an item only the systems count that all its annotators ranked: who withdrew the rank of a system ranked fewer than the others.
    """
    judgments = answered(judgments)
    people, items, systems = (
        {
            name: place
            for place, name in enumerate(
                dict.fromkeys(getattr(judgment, field) for judgment in judgments)
            )
        }
        for field in ("annotator", "item", "target")
    )
    cube = np.full((len(people), len(items), len(systems)), np.nan)
    for judgment in judgments:
        cube[people[judgment.annotator], items[judgment.item], systems[judgment.target]] = float(
            judgment.value
        )
    ranked = ~np.isnan(cube)
    partial = ranked.any(axis=2, keepdims=True) & ~ranked
    cube[np.broadcast_to(partial.any(axis=0), cube.shape)] = np.nan
    return cube


def vote_columns(judgments: Sequence[Judgment]) -> Votes:
    """Return votes as columns, the input of alpha over pairs of comments."""
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


@dataclass(frozen=True, slots=True)
class Tally:
    """All annotators' values for one target and one question."""

    item: str
    target: str
    question: str
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean value; for votes, the share of yes."""
        return sum(self.values) / len(self.values)

    @property
    def yes(self) -> int:
        """The number of yes votes: the C-score of Fujita et al. (2019)."""
        return round(sum(self.values))


@dataclass(frozen=True, slots=True)
class CampaignMeasure:
    """One measure of a campaign with its confidence interval and its number of targets."""

    name: str
    value: float
    low: float
    high: float
    n: int


def tallies(judgments: Iterable[Judgment]) -> list[Tally]:
    """Group numeric judgments (grades, votes) by target, in the order of first appearance."""
    values_of_target: dict[tuple[str, str, str], list[float]] = {}
    for judgment in answered(judgments):
        if isinstance(judgment.value, str):
            raise ArgumentError(f"{judgment.value!r} is a label, not a grade or a vote")
        key = (judgment.item, judgment.target, judgment.question)
        values_of_target.setdefault(key, []).append(float(judgment.value))
    return [Tally(*key, tuple(values)) for key, values in values_of_target.items()]


def values_of(
    judgments: Iterable[Judgment], form: Protocol, question: str | None = None
) -> list[Tally]:
    """Return one question's values by target, higher is better.

    Grades, votes, or for ranks the share of other targets ranked below.

    The default question is the only one, or `overall`.
    """
    names = [each.name for each in form.questions]
    chosen = question or (names[0] if len(names) == 1 else "overall")
    if question is None and chosen not in names:
        raise ArgumentError(
            f"several questions were asked and none is called 'overall'; name one: {', '.join(names)}"
        )
    if chosen not in names:
        raise ArgumentError(f"no question is called {chosen!r}; there are: {', '.join(names)}")
    asked = [each for each in answered(judgments) if each.question == chosen]
    if form.kind == "rank":
        return tallies(_shares_behind(asked))
    return tallies(numbers_for(form, asked))


def _shares_behind(judgments: Iterable[Judgment]) -> Iterator[Judgment]:
    """Replace each rank by the share of the other targets ranked below it; ties count half."""
    rankings: dict[tuple[str, str], list[Judgment]] = {}
    for judgment in judgments:
        rankings.setdefault((judgment.task, judgment.annotator), []).append(judgment)
    for ranked in rankings.values():
        places = mid_ranks([float(each.value) for each in ranked])
        shares = (len(ranked) - places) / max(len(ranked) - 1, 1)
        for judgment, share in zip(ranked, shares.tolist(), strict=True):
            yield replace(judgment, value=share)


def grade_estimates(rows: Sequence[Tally], *, top: float, seed: int = 0) -> list[CampaignMeasure]:
    """Return mean and standard deviation of the mean grades, and the share of targets with a top grade."""
    means = np.array([row.mean for row in rows])
    topped = np.array([max(row.values) >= top for row in rows], dtype=np.float64)
    items = [row.item for row in rows]
    return [
        _estimate("mean grade", means, items, _mean, seed),
        _estimate("standard deviation", np.column_stack([means, means**2]), items, _spread, seed),
        _estimate(f"share with at least one {top:g}", topped, items, _mean, seed),
    ]


def system_estimates(rows: Sequence[Tally], *, seed: int = 0) -> list[CampaignMeasure]:
    """Return the mean value of each system, best first; real comments are pooled as `readers`."""
    rows_of: dict[str, list[Tally]] = {}
    for row in rows:
        name = "readers" if row.target.startswith(REAL) else row.target
        rows_of.setdefault(name, []).append(row)
    shared = {name: own for name, own in rows_of.items() if len(own) > 1}
    estimates = [
        _estimate(name, np.array([row.mean for row in own]), [row.item for row in own], _mean, seed)
        for name, own in shared.items()
    ]
    return sorted(estimates, key=lambda each: -each.value)


def mean_estimate(rows: Sequence[Tally], *, seed: int = 0) -> CampaignMeasure:
    """Return the mean value of all targets."""
    means = np.array([row.mean for row in rows])
    return _estimate("mean", means, [row.item for row in rows], _mean, seed)


def vote_estimates(rows: Sequence[Tally], *, seed: int = 0) -> list[CampaignMeasure]:
    """Return the mean share of yes votes, and the share of targets with a majority of yes."""
    shares = np.array([row.mean for row in rows])
    items = [row.item for row in rows]
    return [
        _estimate("mean share of yes", shares, items, _mean, seed),
        _estimate(
            "share with a majority of yes", (shares > 0.5).astype(np.float64), items, _mean, seed
        ),
    ]


def label_estimates(
    judgments: Iterable[Judgment], labels: Sequence[str], *, seed: int = 0
) -> list[CampaignMeasure]:
    """Return the share of targets with each label by majority vote; tied labels share a target equally."""
    votes: dict[tuple[str, str], Counter[str]] = {}
    for judgment in answered(judgments):
        votes.setdefault((judgment.item, judgment.target), Counter())[str(judgment.value)] += 1
    items = [item for item, _ in votes]
    estimates = []
    for label in labels:
        shares = np.array([_majority_share(count, label) for count in votes.values()])
        estimates.append(_estimate(label, shares, items, _mean, seed))
    return estimates


def _majority_share(votes: Counter[str], label: str) -> float:
    most = max(votes.values())
    winners = [each for each, count in votes.items() if count == most]
    return 1 / len(winners) if label in winners else 0.0


def _mean(rows: Floats) -> Floats:
    """Return the mean of the first column; the last one counts targets."""
    return rows[:, 0] / np.maximum(rows[:, -1], 1)


def _spread(rows: Floats) -> Floats:
    """Return the standard deviation from sums of values, of squares and, last, of targets."""
    count = np.maximum(rows[:, -1], 1)
    return np.sqrt(np.maximum(rows[:, 1] / count - (rows[:, 0] / count) ** 2, 0))


def _estimate(
    name: str, columns: Floats, items: Sequence[str], values: Callable[[Floats], Floats], seed: int
) -> CampaignMeasure:
    """Return a measure over targets with its interval; targets of one item are resampled together.

    `columns` has a row for each target; `values` computes the measure from summed rows, a count appended.
    """
    rows = np.column_stack([columns, np.ones(len(columns))])
    row_of_item = {item: number for number, item in enumerate(dict.fromkeys(items))}
    sums = np.zeros((len(row_of_item), rows.shape[1]))  # items × columns
    np.add.at(sums, [row_of_item[item] for item in items], rows)
    interval = over_items(sums, values, samples=2_000, seed=seed)
    value, low, high = (float(each[0]) for each in (interval.value, interval.low, interval.high))
    return CampaignMeasure(name, value, low, high, len(rows))
