"""Find groups of voters who vote alike, and score what all groups agree on: group-informed consensus, as Polis has it (Small et al. 2021).

Votes are an array voters × comments: 1 agrees, -1 disagrees, 0 passes, nan has not voted.

- **Groups.** A missing vote becomes the mean of its comment. Voters are projected on two principal components and moved outwards by √(comments / own votes), so that who voted
  little does not sit in the middle. K-means groups them, with the number of groups, 2 to 5, whose mean silhouette is highest. Who cast fewer than 7 votes is in no group.
- **Consensus.** The probability that a group agrees is smoothed, (agreed + 1) / (voted + 2); the consensus on a comment is the product over the groups. It is the
  mean of a product of independent beta distributions, whose quantiles are its interval, with the groups taken as they are.
- **What a group stands for**: Polis' test of two proportions, the group against the others.

Polis always finds at least two groups. We first test whether there are any: under the null hypothesis a vote depends on how popular the comment is and how readily the
voter agrees (Rasch 1960), and on nothing else. The statistic is the largest singular value of the standardized residuals, its distribution comes from votes drawn
from the fitted model. Where that is not rejected there is one group. K-means starts from k-means++ ten times; Polis' intermediate 100 clusters are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

from newsdesk.arrays import Floats, Ints
from newsdesk.stats.resample import CELLS
from newsdesk.streams import stream

LEAST_VOTES = 7
LEVEL = 0.05  # of the test whether there are groups
_MOST_GROUPS, _VOTERS_PER_GROUP = 5, 12
_STARTS, _STEPS = 10, 100
_MOST_COMPARED = 2_000  # voters whose silhouette is taken
_MOST_TESTED = 400  # voters and comments of the test
_DRAWS = 2_000  # behind an interval
_RIDGE = 0.5  # of a voter's and a comment's log-odds, which all-yes would make infinite


@dataclass(frozen=True, slots=True, eq=False)
class OpinionGroups:
    """The group of each voter (-1: none), how well the groups are apart, and the p-value of the test that there is one alone."""

    of_voter: Ints
    count: int
    silhouette: float | None
    p: float


def opinion_groups(votes: Floats, *, draws: int = 99, seed: int = 0) -> OpinionGroups:
    """Group the voters; a single group holds all of them."""
    cast = (~np.isnan(votes)).sum(axis=1)
    grouped = np.flatnonzero(cast >= min(LEAST_VOTES, votes.shape[1]))
    p = no_groups_p(votes[grouped], draws=draws, seed=seed)
    alone = OpinionGroups(np.zeros(len(votes), dtype=np.int64), 1, None, p)
    points = projected(votes)[grouped]
    most = min(
        _MOST_GROUPS, 2 + len(grouped) // _VOTERS_PER_GROUP, len(np.unique(points, axis=0)) - 1
    )
    if p > LEVEL or most < 2:
        return alone
    rng = stream("opinion groups", seed)
    compared = np.sort(rng.permutation(len(points))[:_MOST_COMPARED])
    apart = _distances(points[compared], points[compared])
    candidates = [_kmeans(points, count, rng) for count in range(2, most + 1)]
    silhouettes = [_silhouette(apart, labels[compared]) for labels in candidates]
    best = int(np.argmax(np.round(silhouettes, 9)))  # of equal ones the fewest groups
    of_voter = np.full(len(votes), -1)
    of_voter[grouped] = _largest_first(candidates[best])
    return OpinionGroups(of_voter, best + 2, silhouettes[best], p)


def counted(votes: Floats, groups: OpinionGroups) -> tuple[Ints, Ints]:
    """Return how many of each group agreed, and how many voted: groups × comments."""
    members = [votes[groups.of_voter == group] for group in range(groups.count)]
    agreed = np.array([(part == 1).sum(axis=0) for part in members])
    return agreed, np.array([(~np.isnan(part)).sum(axis=0) for part in members])


def agreement(agreed: Ints, voted: Ints) -> Floats:
    """Return the smoothed probability that a group agrees.

    >>> agreement(np.array([3]), np.array([4])).round(3).tolist()
    [0.667]
    """
    return (agreed + 1) / (voted + 2)


def consensus(agreed: Ints, voted: Ints) -> Floats:
    """Return the group-informed consensus of each comment: the product of its groups' probabilities."""
    return agreement(agreed, voted).prod(axis=0)


def consensus_ends(agreed: Ints, voted: Ints, *, level: float = 0.95, seed: int = 0) -> Floats:
    """Return the ends of the consensus of each comment (2 × comments), the groups taken as they are."""
    rng = stream("consensus", seed)
    tails = [(1 - level) / 2, (1 + level) / 2]
    width = max(1, CELLS // (_DRAWS * len(agreed)))
    parts = []
    for start in range(0, agreed.shape[1], width):
        yes, no = (counts[:, start : start + width] for counts in (agreed, voted - agreed))
        drawn = rng.beta(yes + 1, no + 1, size=(_DRAWS, *yes.shape))  # draws × groups × comments
        parts.append(np.quantile(drawn.prod(axis=1), tails, axis=0))
    return np.concatenate(parts, axis=1)


def representative(agreed: Ints, voted: Ints) -> Floats:
    """Return Polis' z of each group and comment: does the group agree with it more than the others do?"""
    inside, votes_inside = agreed + 1.0, voted + 1.0
    outside = agreed.sum(axis=0) - agreed + 1.0
    votes_outside = voted.sum(axis=0) - voted + 1.0
    pooled = (inside + outside) / (votes_inside + votes_outside)
    error = np.sqrt(np.maximum(pooled * (1 - pooled), 0) * (1 / votes_inside + 1 / votes_outside))
    gap = inside / votes_inside - outside / votes_outside
    return np.divide(gap, error, out=np.zeros_like(gap), where=error > 0)


def projected(votes: Floats) -> Floats:
    """Return each voter's place on two principal components, moved outwards where votes are few."""
    cast = ~np.isnan(votes)
    means = np.where(cast, votes, 0.0).sum(axis=0) / np.maximum(cast.sum(axis=0), 1)
    centred = np.where(cast, votes - means, 0.0)  # voters × comments
    # The axes from the smaller product: voters × voters, or comments × comments.
    if len(centred) < centred.shape[1]:
        values, places = _largest(centred @ centred.T)
        points = places * np.sqrt(np.maximum(values, 0.0))
    else:
        points = centred @ _largest(centred.T @ centred)[1]
    outwards = np.sqrt(votes.shape[1] / np.maximum(cast.sum(axis=1), 1))
    return points * outwards[:, None]


def _largest(product: Floats) -> tuple[Floats, Floats]:
    """Return the two largest eigenvalues of a symmetric matrix, and their vectors as columns."""
    size = len(product)
    values, vectors = linalg.eigh(product, subset_by_index=[max(size - 2, 0), size - 1])
    return values[::-1], vectors[:, ::-1]


def no_groups_p(votes: Floats, *, draws: int = 99, seed: int = 0) -> float:
    """Return the p-value of the hypothesis that voters differ only in how readily they agree.

    Of a large table at most 400 voters are drawn, and their 400 most voted comments taken.
    """
    rng = stream("no opinion groups", seed)
    votes = votes[np.sort(rng.permutation(len(votes))[:_MOST_TESTED])]
    votes = np.where(votes == 0, np.nan, votes)  # a pass takes no side
    popular = np.argsort(-(~np.isnan(votes)).sum(axis=0), kind="stable")[:_MOST_TESTED]
    votes = votes[:, np.sort(popular)]
    cast = ~np.isnan(votes)
    if cast.sum() == 0 or min(votes.shape) < 2:
        return 1.0
    yes = (votes == 1).astype(np.float64)
    voters, comments = np.zeros(len(votes)), np.zeros(votes.shape[1])
    expected = _rasch(yes, cast, voters, comments, steps=25)
    observed = _largest_residual(yes, cast, expected)
    as_far = 0
    for _ in range(draws):
        drawn = (rng.random(yes.shape) < expected).astype(np.float64)
        refitted = _rasch(drawn, cast, voters.copy(), comments.copy(), steps=4)
        as_far += _largest_residual(drawn, cast, refitted) >= observed - 1e-9
    return (as_far + 1) / (draws + 1)


def _rasch(yes: Floats, cast: Floats, voters: Floats, comments: Floats, *, steps: int) -> Floats:
    """Fit the log-odds of voters and comments by Newton steps in turn, in place; return the probabilities."""
    for _ in range(steps):
        for odds, axis in ((comments, 0), (voters, 1)):
            expected = special.expit(voters[:, None] + comments[None, :])
            slope = (cast * (yes - expected)).sum(axis=axis) - _RIDGE * odds
            odds += slope / ((cast * expected * (1 - expected)).sum(axis=axis) + _RIDGE)
    return np.clip(special.expit(voters[:, None] + comments[None, :]), 0.02, 0.98)


def _largest_residual(yes: Floats, cast: Floats, expected: Floats) -> float:
    """Return the largest singular value of the standardized residuals."""
    residuals = np.where(cast, (yes - expected) / np.sqrt(expected * (1 - expected)), 0.0)
    if len(residuals) > residuals.shape[1]:
        residuals = residuals.T
    return float(np.sqrt(_largest(residuals @ residuals.T)[0][0]))


def _distances(first: Floats, second: Floats) -> Floats:
    return np.hypot(*(first[:, None, :] - second[None, :, :]).transpose(2, 0, 1))


def _kmeans(points: Floats, count: int, rng: np.random.Generator) -> Ints:
    """Return the group of each point: of ten starts by k-means++ the one with the smallest squares."""
    best, least = np.zeros(len(points), dtype=np.int64), np.inf
    for _ in range(_STARTS):
        centres = points[[rng.integers(len(points))]]
        while len(centres) < count:
            nearest = _distances(points, centres).min(axis=1) ** 2
            centres = np.vstack(
                [centres, points[rng.choice(len(points), p=nearest / nearest.sum())]]
            )
        labels = _distances(points, centres).argmin(axis=1)
        for _ in range(_STEPS):
            # A group that lost its points keeps its centre.
            present = [group for group in range(count) if (labels == group).any()]
            centres[present] = [points[labels == group].mean(axis=0) for group in present]
            moved = _distances(points, centres).argmin(axis=1)
            if (moved == labels).all():
                break
            labels = moved
        squares = float((_distances(points, centres).min(axis=1) ** 2).sum())
        if squares < least - 1e-9:
            best, least = labels, squares
    return best


def _silhouette(apart: Floats, labels: Ints) -> float:
    """Return the mean silhouette (Rousseeuw 1987); a point alone in its group counts 0."""
    groups, labels = np.unique(labels, return_inverse=True)
    if len(groups) < 2:
        return -1.0
    member = np.eye(len(groups))[labels]  # points × groups
    sizes = member.sum(axis=0)
    sums = apart @ member  # of the distances to each group
    rows = np.arange(len(labels))
    own = sums[rows, labels] / np.maximum(sizes[labels] - 1, 1)
    means = sums / sizes
    means[rows, labels] = np.inf
    nearest = means.min(axis=1)
    widths = (nearest - own) / np.maximum(np.maximum(nearest, own), 1e-12)
    return float(np.where(sizes[labels] > 1, widths, 0.0).mean())


def _largest_first(labels: Ints) -> Ints:
    """Renumber groups by size, the largest first; of equal ones that of the first voter."""
    groups, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    number_of = np.empty(int(groups.max()) + 1, dtype=np.int64)
    number_of[groups[np.lexsort((first, -sizes))]] = np.arange(len(groups))
    return number_of[labels]
