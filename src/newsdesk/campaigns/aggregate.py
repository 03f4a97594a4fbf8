"""Aggregates of judgments: mean grades, C-scores, shares of systems ranked below, label shares; reference weights, gains and training pairs.

Everything is a pure function of the current judgments (the last row of each key, without excluded annotators and control questions), so
excluding an annotator later recomputes every aggregate. Estimates over a whole campaign carry a bootstrap interval over items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.campaigns.campaign import answered
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.tasks import REAL
from newsdesk.errors import ArgumentError
from newsdesk.metrics.weights import Weighting
from newsdesk.stats.coefficients import mid_ranks
from newsdesk.stats.units import over_items
from newsdesk.types import Article, Comment, Judgment, Pair, Reference, References, Thread


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
    return tallies(_shares_behind(asked) if form.kind == "rank" else asked)


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
    """Mean value of each system (a target that occurs in several items), best first.

    Real comments are pooled as `readers`.
    """
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
    return rows[:, 0] / np.maximum(rows[:, -1], 1)


def _spread(rows: Floats) -> Floats:
    count = np.maximum(rows[:, -1], 1)
    return np.sqrt(np.maximum(rows[:, 1] / count - (rows[:, 0] / count) ** 2, 0))


def _estimate(
    name: str, columns: Floats, items: Sequence[str], values: Callable[[Floats], Floats], seed: int
) -> CampaignMeasure:
    """Return a measure over targets with its interval; targets of one item are resampled together."""
    rows = np.column_stack([columns, np.ones(len(columns))])
    place = {item: number for number, item in enumerate(dict.fromkeys(items))}
    sums = np.zeros((len(place), rows.shape[1]))
    np.add.at(sums, [place[item] for item in items], rows)
    spread = over_items(sums, values, samples=2_000, seed=seed)
    value, low, high = (float(each[0]) for each in (spread.value, spread.low, spread.high))
    return CampaignMeasure(name, value, low, high, len(rows))


def weighted_references(
    rows: Iterable[Tally], texts: Mapping[tuple[str, str], str], weighting: Weighting
) -> list[References]:
    """Return the targets as references of their item, weighted by mean grade or share of votes."""
    listed = list(rows)
    places = {item: number for number, item in enumerate(dict.fromkeys(row.item for row in listed))}
    weights = weighting([row.mean for row in listed], [places[row.item] for row in listed])
    references_of: dict[str, list[Reference]] = {}
    for row, weight in zip(listed, weights, strict=True):
        text = texts[row.item, row.target]
        references_of.setdefault(row.item, []).append(Reference(text, float(weight)))
    return [References(item, tuple(references)) for item, references in references_of.items()]


def gain_threads(
    rows: Iterable[Tally],
    texts: Mapping[tuple[str, str], str],
    threads: Iterable[Thread],
    *,
    votes: bool,
) -> list[Thread]:
    """Return threads whose comments have their gain as `score`: the share of yes, or the mean grade.

    Likes, times, authors and all else is that of the comment of the same ids in `threads`; the text is the one that was judged.
    """
    articles: dict[str, Article] = {}
    known: dict[tuple[str, str], Comment] = {}
    for thread in threads:
        articles[thread.article.id] = thread.article
        known |= {(thread.article.id, comment.id): comment for comment in thread.comments}
    comments_of: dict[str, list[Comment]] = {}
    for row in rows:
        yes, count = (row.yes, len(row.values)) if votes else (None, None)
        text = texts[row.item, row.target]
        comment = known.get((row.item, row.target)) or Comment(row.target, text)
        judged = replace(comment, text=text, score=row.mean, yes=yes, votes=count)
        comments_of.setdefault(row.item, []).append(judged)
    return [
        Thread(articles.get(item) or Article(item, ""), tuple(comments))
        for item, comments in comments_of.items()
    ]


def qrels_lines(rows: Iterable[Tally]) -> Iterator[str]:
    """Lines of TREC qrels with integer gains: the number of yes votes, or the sum of grades."""
    for row in rows:
        for name in (row.item, row.target):
            if any(character.isspace() for character in name):
                raise ArgumentError(f"the id {name!r} holds white space, which a TREC file cannot")
        yield f"{row.item} 0 {row.target} {row.yes}"


def training_pairs(rows: Iterable[Tally], *, least_margin: float) -> Iterator[Pair]:
    """Pairs of targets of one item whose means differ by at least the margin, the better one first."""
    by_item: dict[str, list[Tally]] = {}
    for row in rows:
        by_item.setdefault(row.item, []).append(row)
    for item, tallied in by_item.items():
        for first, second in combinations(tallied, 2):
            better, worse = (first, second) if first.mean >= second.mean else (second, first)
            margin = better.mean - worse.mean
            if margin > 0 and margin >= least_margin:
                yield Pair(item, better.target, worse.target, round(margin, 9))
