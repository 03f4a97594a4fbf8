"""Length-controlled measures of a ranking: LMP, bLMP and sAUC.

LMP (length-matched pairs) is the accuracy on pairs of one article whose shares differ by at least 0.2 and whose lengths, in characters of
the raw text, differ by at most a tenth of the longer; equal ranks count ½; pairs are pooled over articles. bLMP leaves out pairs of equal
length and is the mean of that accuracy over pairs whose better comment is the longer one and over those whose better is the shorter:
any rule that looks at length only scores .5. sAUC is the AUC of shares ≥ 0.6 against shares ≤ 0.4 within strata of log length of
width log 1.1 (over all articles), pooled over strata by their number of pairs.

Scores and shares are compared after rounding to 1e-9, so that .6 - .4 is .2. Where no comment has any text (qrels), no lengths are known and there is
no pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints, rounded
from newsdesk.stats.resample import resample

SHARE_GAP = 0.2
GOOD_SHARE, POOR_SHARE = 0.6, 0.4
# Lengths match if they differ by at most one part in so many of the longer.
LENGTH_PART = 10
_LOG_WIDTH = math.log(1.1)


@dataclass(frozen=True, slots=True, eq=False)
class MatchedPairs:
    """The pairs of comments of one article that match in length; `article[i]` is the article of pair i."""

    first: Ints
    second: Ints
    article: Ints
    articles: int
    longer: NDArray[np.int8]  # 1 where the first is the longer, -1 the second, 0 neither

    @classmethod
    def of(cls, lengths: Ints, offsets: Ints) -> MatchedPairs:
        """Return every pair of comments of one article that match in length, once.

        `offsets` are the starts of the articles among the comments, and their end.
        """
        spans = pairwise(offsets.tolist() if lengths.any() else [0] * len(offsets))
        pairs = [_pairs_within(lengths[start:end]) for start, end in spans]
        sizes = [len(first) for first, _ in pairs]
        shift = np.repeat(offsets[:-1], sizes)
        first = np.concatenate([first for first, _ in pairs]) + shift
        second = np.concatenate([second for _, second in pairs]) + shift
        article = np.repeat(np.arange(len(pairs)), sizes)
        longer = np.sign(lengths[first] - lengths[second]).astype(np.int8)
        return cls(first, second, article, len(pairs), longer)

    def statistics(self, scores: Floats, shares: Floats) -> Floats:
        """Return articles × 6: pairs won and all pairs, the better comment longer, shorter, of equal length."""
        gap = rounded(shares[self.first] - shares[self.second])
        differs = np.abs(gap) >= SHARE_GAP
        side = np.sign(gap[differs])  # 1 where the first is the better
        lead = side * np.sign(rounded(scores[self.first] - scores[self.second])[differs])
        better_longer = side * self.longer[differs]
        article = self.article[differs]
        columns = []
        for kind in (1, -1, 0):
            of_kind = better_longer == kind
            won = np.bincount(article[of_kind], (1 + lead[of_kind]) / 2, self.articles)
            columns += [won, np.bincount(article[of_kind], minlength=self.articles)]
        return np.column_stack(columns).astype(np.float64)


def monotone_rate(
    lengths: Ints | Floats, yes: Ints | Floats, votes: Ints | Floats
) -> tuple[Floats, Floats, Ints]:
    """Return the distinct lengths, the rate of yes at each, and the number of each comment's length.

    The rate is an isotonic regression on the votes, rising or falling with length as they do.
    """
    from scipy.optimize import isotonic_regression

    # Comments of one length are one point, weighted by their votes.
    points, group = np.unique(lengths, return_inverse=True)  # lengths, comments
    weight = np.bincount(group, votes).astype(np.float64)  # lengths
    rate = np.bincount(group, yes) / weight  # lengths: share of yes
    # Whether the rate rises or falls with length, by the sign of their covariance.
    slope = np.sum(weight * (points - np.average(points, weights=weight)) * rate)
    fitted: Floats = isotonic_regression(rate, weights=weight, increasing=bool(slope >= 0)).x
    return points.astype(np.float64), fitted, group.astype(np.int64)


def lmp(rows: Floats) -> Floats:
    """Return LMP of each row of `MatchedPairs.statistics`: the share of pairs won; ½ without any pair."""
    won_longer, longer, won_shorter, shorter, won_equal, equal = rows.T
    return _share(won_longer + won_shorter + won_equal, longer + shorter + equal)


def blmp(rows: Floats) -> Floats:
    """Return bLMP of each row: the mean of the shares won where the better is longer and where shorter."""
    return (blmp_longer(rows) + blmp_shorter(rows)) / 2


def blmp_longer(rows: Floats) -> Floats:
    """Return the half of bLMP whose better comment is the longer one; length alone reaches 1."""
    won_longer, longer, *_ = rows.T
    return _share(won_longer, longer)


def blmp_shorter(rows: Floats) -> Floats:
    """Return the half of bLMP whose better comment is the shorter one; length alone reaches 0."""
    _, _, won_shorter, shorter, *_ = rows.T
    return _share(won_shorter, shorter)


def _share(won: Floats, pairs: Floats) -> Floats:
    return np.where(pairs > 0, won / np.maximum(pairs, 1), 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """Good comments, and poor ones sorted by stratum and score; ranges are places among the poor."""

    good: Ints
    poor: Ints
    start: Ints  # of each good comment: where its stratum begins,
    tie_start: Ints  # where the poor of equal score begin,
    tie_end: Ints  # where they end,
    end: Ints  # where its stratum ends

    @classmethod
    def of(cls, scores: Floats, shares: Floats, lengths: Ints) -> Strata:
        """Sort comments by stratum of length and score."""
        rounded_shares, stratum = rounded(shares), strata(lengths)
        score_rank = np.unique(rounded(scores), return_inverse=True)[1]
        key = stratum * len(scores) + score_rank
        good = np.flatnonzero(rounded_shares >= GOOD_SHARE)
        poor = np.flatnonzero(rounded_shares <= POOR_SHARE)
        poor = poor[np.argsort(key[poor], kind="stable")]
        return cls(
            good,
            poor,
            start=np.searchsorted(stratum[poor], stratum[good], side="left"),
            tie_start=np.searchsorted(key[poor], key[good], side="left"),
            tie_end=np.searchsorted(key[poor], key[good], side="right"),
            end=np.searchsorted(stratum[poor], stratum[good], side="right"),
        )

    def counts(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return pairs won and all pairs, for each column of weights (comments × columns)."""
        below = np.zeros((len(self.poor) + 1, weights.shape[1]))
        np.cumsum(weights[self.poor], axis=0, out=below[1:])
        good, start = weights[self.good], below[self.start]
        won = good * ((below[self.tie_start] + below[self.tie_end]) / 2 - start)
        pairs = good * (below[self.end] - start)
        return won.sum(axis=0), pairs.sum(axis=0)


def strata(lengths: Ints) -> Ints:
    """Return the stratum of each length; an empty text is in the stratum of one character.

    >>> strata(np.array([0, 1, 10, 11])).tolist()
    [0, 0, 24, 25]
    """
    return np.floor(np.log(np.maximum(lengths, 1)) / _LOG_WIDTH).astype(np.int64)


def sauc(scores: Floats, shares: Floats, lengths: Ints) -> float | None:
    """Return the AUC within strata of length; None where no stratum holds both good and poor comments."""
    if not lengths.any():
        return None
    won, pairs = Strata.of(scores, shares, lengths).counts(np.ones((len(scores), 1)))
    return float(won[0] / pairs[0]) if pairs[0] else None


def sauc_draws(
    trials: tuple[Floats, ...],
    shares: Floats,
    lengths: Ints,
    offsets: Ints,
    *,
    samples: int,
    seed: int,
) -> Floats:
    """Return bootstrap values of the mean sAUC of trials over articles drawn with replacement.

    Each trial has a score for every comment; `shares` are its share of yes votes, or its human score from 0 to 1; `offsets` are the starts of
    the articles among the comments, and their end.

    Pairs cross articles, so sAUC is not a sum over articles and `significance.interval` cannot resample it. The resamples are the same for
    all systems; one without any pair gives ½.
    """
    articles = len(offsets) - 1
    sizes = np.diff(offsets)
    strata_of_trials = [Strata.of(scores, shares, lengths) for scores in trials]
    values = []
    # Pairs of comments are counted for every sample, which takes twice the memory of their weights.
    width = 2 * int(offsets[-1])
    for times in resample("bootstrap", seed, units=articles, samples=samples, width=width):
        # A comment weighs as often as its article was drawn (`times`: samples × articles).
        weights = np.repeat(times.T, sizes, axis=0)  # comments × samples
        counted = [trial.counts(weights) for trial in strata_of_trials]
        values.append(np.mean([_share(won, pairs) for won, pairs in counted], axis=0))  # samples
    return np.concatenate(values)


def _pairs_within(lengths: Ints) -> tuple[Ints, Ints]:
    """Return the shorter and the longer comment of all pairs of one article that match in length."""
    order = np.argsort(lengths, kind="stable")
    ordered = lengths[order]
    # The shortest that matches a length L is the least whole number l with 10 (L - l) ≤ L: L - L // 10.
    least = ordered - ordered // LENGTH_PART
    start = np.searchsorted(ordered, least, side="left")
    counts = np.arange(len(ordered)) - start
    second = np.repeat(np.arange(len(ordered)), counts)
    ends = np.cumsum(counts)
    first = np.arange(len(second)) - np.repeat(ends - counts, counts) + np.repeat(start, counts)
    return order[first].astype(np.int64), order[second].astype(np.int64)
