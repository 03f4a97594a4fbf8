"""A plan for an annotation: the items, votes and people that find a difference, and what votes on comments buy, as JSON and text.

**Votes**: the rate of yes of a comment is modelled as beta-distributed, fitted to the votes of a pilot; a design gives each of c comments of an article v
votes. Simulated articles say how often the top k is decided by a tie, how much of the true top k is found, and how many pairs of an article
differ and are ordered as the true rates are. At equal cost, Fujita et al. (2019) compare 8,000 articles with 5 comments (Shallow) to 400 with
100 (Deep). Comments of one article are alike: with a correlation ρ of their shares, n comments tell a regression as much as
n / (1 + (c − 1) ρ) independent ones, which speaks for Shallow; a ranker of pairs sees (c − 1) / 2 pairs per comment, which speaks for Deep.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.rankers.evaluation.judged import Judged, VoteModel
from newsdesk.settings import at_least
from newsdesk.signatures import signature
from newsdesk.stats.power import Design, Grades, difference_seen, plan_items
from newsdesk.streams import stream
from newsdesk.types import Thread
from newsdesk.wording import plural

_MOST_DRAWN_COMMENTS = 400_000  # of one design
_DRAWN_PAIRS = 100_000


@dataclass(frozen=True, slots=True)
class YesRates:
    """The beta distribution of comments' rates of yes, and how alike the comments of one article are."""

    mean: float
    concentration: float
    article_correlation: float

    def draw(self, articles: int, comments: int, rng: np.random.Generator) -> Floats:
        """Draw the true rates of yes of comments, articles × comments."""
        alpha = self.mean * self.concentration
        beta = self.concentration - alpha
        return rng.beta(alpha, beta, (articles, comments))


@dataclass(frozen=True, slots=True)
class VoteDesign:
    """What comments per article and votes per comment buy at equal cost, in `articles` articles.

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


def rates_of(threads: Iterable[Thread]) -> YesRates:
    """Fit the rates to the votes of threads."""
    judged = Judged.of(threads)
    if judged.yes is None or judged.votes is None:
        raise ArgumentError("the comments have no votes (`yes` of `votes`) to plan with")
    model = VoteModel.fit(np.zeros_like(judged.lengths), judged.yes, judged.votes)
    return YesRates(
        float(model.means[0]), model.concentration, _alike(judged.shares, judged.offsets)
    )


def plan_votes(
    rates: YesRates,
    *,
    budget: int,
    comments: Sequence[int] = (5, 10, 20, 50, 100),
    votes: Sequence[int] = (1, 3, 5, 10, 40),
    k: int = 5,
    draws: int = 2_000,
    seed: int = 0,
) -> list[VoteDesign]:
    """Return every design of comments per article and votes per comment within the budget of votes."""
    for name, listed in (("comments", comments), ("votes", votes)):
        if not listed or min(listed) < 1 or len(set(listed)) < len(listed):
            raise ArgumentError(f"the numbers of {name} are none, below one, or one comes twice")
    at_least("k", k, 1)
    at_least("draws", draws, 10)
    designs = []
    for per_article in comments:
        for per_comment in votes:
            articles = budget // (per_article * per_comment)
            if articles:
                designs.append(
                    _design(
                        rates,
                        comments=per_article,
                        votes=per_comment,
                        articles=articles,
                        k=min(k, per_article),
                        draws=draws,
                        rng=stream("study-plan-votes", seed, per_article, per_comment),
                    )
                )
    if not designs:
        raise ArgumentError(f"{budget} votes are too few for one article of the smallest design")
    return designs


def _design(
    rates: YesRates,
    *,
    comments: int,
    votes: int,
    articles: int,
    k: int,
    draws: int,
    rng: np.random.Generator,
) -> VoteDesign:
    """Return what a design buys, by simulating at most `draws` articles of `comments` comments each."""
    draws = max(10, min(draws, _MOST_DRAWN_COMMENTS // comments))
    truth = rates.draw(draws, comments, rng)  # draws × comments, as the next three
    counts = rng.binomial(votes, truth)
    falling = -np.sort(-counts, axis=1)
    tied = float((falling[:, k - 1] == falling[:, k]).mean()) if k < comments else 0.0
    mixed = counts + rng.random(counts.shape) * 0.5  # breaks ties at random and nothing else
    chosen = np.argsort(-mixed, axis=1)[:, :k]  # draws × k
    best = np.argsort(-truth, axis=1)[:, :k]
    hits = [len(set(ours) & set(true)) for ours, true in zip(chosen, best, strict=True)]
    top = float(np.mean(hits)) / k
    differ, right = _pairs(counts, truth, rng)
    size = comments * articles
    return VoteDesign(
        comments=comments,
        votes=votes,
        articles=articles,
        tied=tied,
        top=top,
        pairs=round(size * (comments - 1) / 2 * differ),
        right=right,
        effective=round(size / (1 + (comments - 1) * rates.article_correlation)),
    )


def _pairs(counts: Ints, truth: Floats, rng: np.random.Generator) -> tuple[float, float]:
    """Return the share of drawn pairs with different votes, and of these the share in the true order.

    `counts` of yes and `truth`, the rates, are articles × comments; a pair is of one article.
    """
    articles, comments = counts.shape
    if comments < 2:
        return 0.0, 0.0
    article = rng.integers(0, articles, _DRAWN_PAIRS)
    first = rng.integers(0, comments, _DRAWN_PAIRS)
    second = (first + rng.integers(1, comments, _DRAWN_PAIRS)) % comments  # never the first
    gap = counts[article, first] - counts[article, second]
    differ = gap != 0
    agree = (gap > 0) == (truth[article, first] > truth[article, second])
    return float(differ.mean()), float(agree[differ].mean()) if differ.any() else 0.0


def _alike(shares: Floats, offsets: Ints) -> float:
    """Return the intraclass correlation of shares within articles (one-way ANOVA), at least 0.

    `shares` has one value per comment; the comments of article i are those from `offsets[i]` to `offsets[i + 1]`.
    """
    sizes = np.diff(offsets)  # articles
    groups, total = len(sizes), len(shares)
    if groups < 2 or total <= groups:
        return 0.0
    means = np.add.reduceat(shares, offsets[:-1]) / sizes
    between = float(sizes @ (means - shares.mean()) ** 2) / (groups - 1)
    within = float(((shares - np.repeat(means, sizes)) ** 2).sum()) / (total - groups)
    typical_size = (total - float(sizes @ sizes) / total) / (groups - 1)
    variance = between + (typical_size - 1) * within
    return max(0.0, (between - within) / variance) if variance > 0 else 0.0


@dataclass(frozen=True, slots=True)
class GradePlan:
    """Designs that compare two systems by grades, with the model and settings of the simulation.

    `difference` is the true one, `seen` what is left of it on the scale of grades.
    """

    model: Grades
    difference: float
    seen: float
    power: float
    level: float
    comparisons: int
    draws: int
    seed: int
    designs: tuple[Design, ...]

    @property
    def cheapest(self) -> Design | None:
        """The design with the fewest judgments that reaches the power, the first of equals."""
        reached = [design for design in self.designs if design.judgments]
        return min(reached, key=lambda design: design.judgments or 0) if reached else None

    @property
    def verdict(self) -> str:
        """The plan in one sentence."""
        best = self.cheapest
        if best is None or best.items is None:
            most = max(max(design.power, default=0) for design in self.designs)
            return f"No design finds a difference of {self.difference:g} with a power of {self.power:g} within {most} items."
        return (
            f"{plural(best.items, 'item')} with {plural(best.votes, 'vote')} per output ({plural(best.judgments or 0, 'judgment')},"
            f" {plural(best.people or 0, 'person', 'people')}) find a difference of {self.difference:g} with a power of {self.power:g}."
        )

    @property
    def signature(self) -> str:
        """Everything that fixes the numbers."""
        model = ",".join(f"{value:.6g}" for value in _numbers(self.model))
        scale = "-".join(map(str, self.model.scale)) if self.model.scale else "none"
        fields = {
            "difference": f"{self.difference:g}",
            "power": f"{self.power:g}",
            "level": f"{self.level:g}",
            "comparisons": self.comparisons,
            "grades": f"[{model}]",
            "scale": scale,
            "test": "paired-t-over-items",
            "draws": self.draws,
            "seed": self.seed,
        }
        return signature("study-plan", fields)


@dataclass(frozen=True, slots=True)
class VotePlan:
    """Designs of votes on comments within one budget."""

    rates: YesRates
    budget: int
    k: int
    seed: int
    designs: tuple[VoteDesign, ...]

    @property
    def verdict(self) -> str:
        """Shallow against Deep at equal cost in one sentence, where both were simulated with the same votes."""
        votes = self.designs[0].votes
        alike = [design for design in self.designs if design.votes == votes]
        shallow, deep = alike[0], alike[-1]
        if shallow.comments == deep.comments:
            return f"{self.designs[0].tied:.0%} of articles have a top {self.k} decided by a tie."
        return (
            f"With {plural(self.budget, 'vote')} at {votes} per comment, {shallow.comments} comments of {plural(shallow.articles, 'article')} are worth {shallow.effective} independent"
            f" comments and give {shallow.pairs} pairs; {deep.comments} comments of {plural(deep.articles, 'article')} are worth {deep.effective} and give {deep.pairs} pairs."
        )

    @property
    def signature(self) -> str:
        """Everything that fixes the numbers."""
        rates = self.rates
        model = f"beta[{rates.mean:.6g},{rates.concentration:.6g},{rates.article_correlation:.6g}]"
        return signature(
            "study-plan-votes",
            {"budget": self.budget, "k": self.k, "rates": model, "seed": self.seed},
        )


def plan_grades(
    model: Grades,
    difference: float,
    *,
    votes: Sequence[int] = (1, 2, 3, 5),
    power: float = 0.8,
    level: float = 0.05,
    comparisons: int = 1,
    most_items: int = 1_000,
    per_person: int = 200,
    draws: int = 2_000,
    seed: int = 0,
) -> GradePlan:
    """Return the plan of a comparison of two systems by grades."""
    designs = plan_items(
        model,
        difference,
        votes=votes,
        power=power,
        level=level,
        comparisons=comparisons,
        most_items=most_items,
        per_person=per_person,
        draws=draws,
        seed=seed,
    )
    seen = difference_seen(model, difference, seed=seed)
    return GradePlan(
        model,
        difference,
        seen=seen,
        power=power,
        level=level,
        comparisons=comparisons,
        draws=draws,
        seed=seed,
        designs=tuple(designs),
    )


def plan_threads(
    threads: Iterable[Thread],
    *,
    budget: int,
    comments: Sequence[int],
    votes: Sequence[int],
    k: int,
    draws: int = 2_000,
    seed: int = 0,
) -> VotePlan:
    """Return the plan of votes on comments, with rates like those of the threads."""
    rates = rates_of(threads)
    designs = plan_votes(
        rates, budget=budget, comments=comments, votes=votes, k=k, draws=draws, seed=seed
    )
    return VotePlan(rates, budget, k, seed, tuple(designs))


def model_sentence(plan: GradePlan) -> str:
    """Return the model that was simulated, in one sentence."""
    model = plan.model
    return (
        f"Simulated: {plan.draws:,} campaigns per number of votes, agreement {model.agreement:.2f}, standard deviations of items {model.item_sd:.2f},"
        f" of systems on items {model.system_sd:.2f}, of persons {model.noise_sd:.2f}; people see a difference of {plan.seen:.2f}."
    )


def plan_json(grades: GradePlan | None, votes: VotePlan | None) -> dict[str, Any]:
    """Return the plan as a JSON object."""
    result: dict[str, Any] = {}
    if grades:
        result |= {
            "verdict": grades.verdict,
            "difference": grades.difference,
            "difference_seen": grades.seen,
            "model": {**asdict(grades.model), "agreement": grades.model.agreement},
            "designs": [
                {
                    **asdict(design),
                    "power": {str(items): power for items, power in design.power.items()},
                }
                for design in grades.designs
            ],
            "signature": grades.signature,
        }
    if votes:
        result["votes"] = {
            "verdict": votes.verdict,
            "budget": votes.budget,
            "k": votes.k,
            "rates": asdict(votes.rates),
            "designs": [asdict(design) for design in votes.designs],
            "signature": votes.signature,
        }
    return result


def power_rows(plan: GradePlan) -> tuple[list[str], list[list[Any]]]:
    """Return the table of designs: header and rows, power to three digits."""
    item_counts = list(plan.designs[0].power)
    header = ["votes", "items", "judgments", "people"]
    header += [f"power at {items}" for items in item_counts]
    rows: list[list[Any]] = [
        [
            design.votes,
            design.items,
            design.judgments,
            design.people,
            *(f"{design.power[items]:.3f}" for items in item_counts),
        ]
        for design in plan.designs
    ]
    return header, rows


def vote_rows(plan: VotePlan) -> tuple[list[str], list[list[Any]]]:
    """Return the table of vote designs: header and rows."""
    header = ["comments", "votes", "articles", f"top {plan.k} tied", f"top {plan.k} found"]
    header += ["pairs", "pairs right", "as independent"]
    return header, [_vote_row(design) for design in plan.designs]


def _vote_row(design: VoteDesign) -> list[Any]:
    shares = [f"{design.tied:.3f}", f"{design.top:.3f}"]
    rest = [design.pairs, f"{design.right:.3f}", design.effective]
    return [design.comments, design.votes, design.articles, *shares, *rest]


def _numbers(model: Grades) -> Sequence[float]:
    return (model.mean, model.item_sd, model.system_sd, model.noise_sd)
