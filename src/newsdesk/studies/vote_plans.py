"""What votes on comments buy: ties in the top k, pairs for a ranker, and many articles against many comments at equal cost.

The rate of yes of a comment is modelled as beta-distributed, fitted to the votes of a pilot; a design gives each of c comments of an article v
votes. Simulated articles say how often the top k is decided by a tie, how much of the true top k is found, and how many pairs of an article
differ and are ordered as the true rates are. At equal cost, Fujita et al. (2019) compare 8,000 articles with 5 comments (Shallow) to 400 with
100 (Deep). Comments of one article are alike: with a correlation ρ of their shares, n comments tell a regression as much as
n / (1 + (c − 1) ρ) independent ones, which speaks for Shallow; a ranker of pairs sees (c − 1) / 2 pairs per comment, which speaks for Deep.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.rankers.evaluation.ceiling import VoteModel
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.settings import at_least
from newsdesk.streams import stream
from newsdesk.types import Thread


@dataclass(frozen=True, slots=True)
class Rates:
    """The beta distribution of comments' rates of yes, and how alike the comments of one article are."""

    mean: float
    concentration: float
    article_correlation: float

    def draw(self, articles: int, comments: int, rng: np.random.Generator) -> Floats:
        """True rates, articles × comments."""
        first = self.mean * self.concentration
        return rng.beta(first, self.concentration - first, (articles, comments))


@dataclass(frozen=True, slots=True)
class VoteDesign:
    """What comments per article and votes per comment buy at the cost of `articles` × comments × votes votes.

    `tied`: share of articles whose top k is decided by a tie; `top`: share of the true top k that is found, ties broken at random;
    `pairs`: pairs with different votes in all; `right`: share of these ordered as the true rates; `effective`: comments as independent ones.
    """

    comments: int
    votes: int
    articles: int
    tied: float
    top: float
    pairs: int
    right: float
    effective: int


def rates_of(threads: Iterable[Thread]) -> Rates:
    """Fit the rates to the votes of threads."""
    judged = Judged.of(threads)
    if judged.yes is None or judged.votes is None:
        raise ArgumentError("the comments have no votes (`yes` of `votes`) to plan with")
    model = VoteModel.fit(np.zeros_like(judged.lengths), judged.yes, judged.votes)
    return Rates(float(model.means[0]), model.concentration, _alike(judged.shares, judged.offsets))


def plan_votes(
    rates: Rates,
    *,
    budget: int,
    comments: Sequence[int] = (5, 10, 20, 50, 100),
    votes: Sequence[int] = (1, 3, 5, 10, 40),
    k: int = 5,
    draws: int = 2_000,
    seed: int = 0,
) -> list[VoteDesign]:
    """Every design of comments per article and votes per comment within the budget of votes."""
    for name, listed in (("comments", comments), ("votes", votes)):
        if not listed or min(listed) < 1 or len(set(listed)) < len(listed):
            raise ArgumentError(f"the numbers of {name} are none, below one, or one comes twice")
    at_least("k", k, 1)
    at_least("draws", draws, 10)
    designs = []
    for count in comments:
        for vote in votes:
            articles = budget // (count * vote)
            if articles:
                rng = stream("study-plan-votes", seed, count, vote)
                designs.append(_design(rates, count, vote, articles, min(k, count), draws, rng))
    if not designs:
        raise ArgumentError(f"{budget} votes are too few for one article of the smallest design")
    return designs


def _design(
    rates: Rates,
    comments: int,
    votes: int,
    articles: int,
    k: int,
    draws: int,
    rng: np.random.Generator,
) -> VoteDesign:
    draws = max(10, min(draws, 400_000 // comments))
    truth = rates.draw(draws, comments, rng)
    counts = rng.binomial(votes, truth)
    falling = -np.sort(-counts, axis=1)
    tied = float((falling[:, k - 1] == falling[:, k]).mean()) if k < comments else 0.0
    mixed = counts + rng.random(counts.shape) * 0.5  # breaks ties at random and nothing else
    chosen = np.argsort(-mixed, axis=1)[:, :k]
    best = np.argsort(-truth, axis=1)[:, :k]
    top = float(np.mean([len(set(a) & set(b)) for a, b in zip(chosen, best, strict=True)])) / k
    differ, right = _pairs(counts, truth, rng)
    size = comments * articles
    return VoteDesign(
        comments=comments,
        votes=votes,
        articles=articles,
        tied=tied,
        top=top,
        pairs=round(articles * comments * (comments - 1) / 2 * differ),
        right=right,
        effective=round(size / (1 + (comments - 1) * rates.article_correlation)),
    )


def _pairs(counts: Ints, truth: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """The share of pairs of an article with different votes, and of these the share in the true order, over drawn pairs."""
    rows, comments = counts.shape
    if comments < 2:
        return 0.0, 0.0
    row = rng.integers(0, rows, 100_000)
    first = rng.integers(0, comments, 100_000)
    second = (first + rng.integers(1, comments, 100_000)) % comments
    gap = counts[row, first] - counts[row, second]
    differ = gap != 0
    agree = (gap > 0) == (truth[row, first] > truth[row, second])
    return float(differ.mean()), float(agree[differ].mean()) if differ.any() else 0.0


def _alike(shares: Floats, offsets: Ints) -> float:
    """The intraclass correlation of shares within articles, by one-way analysis of variance, at least 0."""
    sizes = np.diff(offsets)
    groups, total = len(sizes), len(shares)
    if groups < 2 or total <= groups:
        return 0.0
    means = np.add.reduceat(shares, offsets[:-1]) / sizes
    between = float(sizes @ (means - shares.mean()) ** 2) / (groups - 1)
    within = float(((shares - np.repeat(means, sizes)) ** 2).sum()) / (total - groups)
    size = (total - float(sizes @ sizes) / total) / (groups - 1)
    below = between + (size - 1) * within
    return max(0.0, (between - within) / below) if below > 0 else 0.0
