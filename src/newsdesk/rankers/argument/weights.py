"""The weights of the ranker `argument`: a fixed curve of log length, a ridge regression of all other features on top, and a calibration.

With votes the regression is fitted on yes of votes on top of a monotone curve; where comments have scores and no votes, on pairs of one article, on top of a
fixed slope of log length. A prior (the ready model) is adapted: how far to trust its length curve and its quality is fitted first, and both
are the starting point that the votes move. Calibration is Platt's sigmoid (Platt 1999), fitted on out-of-fold scores (folds of articles).

Training labels: votes where all comments have them, else pairs of comments of one article that differ in score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from newsdesk.arrays import Bools, Floats, Ints
from newsdesk.rankers.argument.counts import columns
from newsdesk.rankers.argument.features import CommentRows
from newsdesk.rankers.argument.logistic import (
    LengthCurve,
    calibration_error,
    platt_scaling,
    ridge_logistic,
    sigmoid,
)
from newsdesk.rankers.evaluation.length_control import MatchedPairs, blmp
from newsdesk.rankers.ranker import LabelledComments, Target
from newsdesk.streams import stream
from newsdesk.types import Thread

_MOST_PAIRS = 30_000
# Of an article with more comments, pairs are drawn.
_MOST_WHOLE = 250


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The comments that have a target: row, article, target in [0, 1], and the number of votes.

    There are votes only if all comments were voted on.
    """

    rows: Ints  # labelled comments: places among all
    articles: Ints  # labelled comments
    shares: Floats  # labelled comments, from 0 to 1
    votes: Floats | None  # labelled comments

    @classmethod
    def of(cls, threads: Sequence[Thread], target: Target) -> Labels:
        """Collect the comments that have a target."""
        labelled = LabelledComments.of(threads, target)
        rows, articles, shares = labelled.rows, labelled.articles, labelled.targets
        every = [comment for thread in threads for comment in thread.comments]
        comments = [every[row] for row in rows.tolist()]
        voted = all(comment.votes and comment.yes is not None for comment in comments)
        if target == "score" and voted:
            yes = np.array([comment.yes for comment in comments], dtype=np.float64)
            votes = np.array([comment.votes for comment in comments], dtype=np.float64)
            return cls(rows, articles, yes / votes, votes)
        low, high = shares.min(), shares.max()
        if low < 0 or high > 1:
            shares = (shares - low) / ((high - low) or 1.0)
        return cls(rows, articles, shares, None)

    def part(self, chosen: Ints) -> Labels:
        """Return the labels of a subset of the comments."""
        votes = None if self.votes is None else self.votes[chosen]
        return Labels(self.rows[chosen], self.articles[chosen], self.shares[chosen], votes)

    def standings(self) -> Floats:
        """Return the share of the other comments of its article that each beats; a tie counts ½."""
        shares = np.full(len(self.rows), 0.5)  # comments
        for article in np.unique(self.articles).tolist():
            own = np.flatnonzero(self.articles == article)  # comments of this article
            values = np.sort(self.shares[own])
            below = np.searchsorted(values, self.shares[own], "left")  # comments of this article
            # How many of the article stand above each comment of it.
            above = len(own) - np.searchsorted(values, self.shares[own], "right")
            if len(own) > 1:
                shares[own] = (1 + (below - above) / (len(own) - 1)) / 2
        return shares

    def pairs(self, seed: int) -> tuple[Ints, Ints, Floats]:
        """Return the better and the worse comment of pairs of one article, and the weights of pairs.

        Weights give each comment about one vote.
        """
        rng = stream("pairs", seed)
        columns: list[tuple[Ints, Ints, Floats]] = []
        for article in np.unique(self.articles).tolist():
            own = np.flatnonzero(self.articles == article)  # comments of this article
            first, second = _two_of(len(own), rng)
            # Every pair once, or a sample with the same total weight.
            weight = len(own) / max(len(first), 1)
            # Ties are no pairs.
            lead = np.sign(self.shares[own[first]] - self.shares[own[second]])
            better = np.where(lead > 0, own[first], own[second])[lead != 0]  # pairs
            worse = np.where(lead > 0, own[second], own[first])[lead != 0]  # pairs
            columns.append((better, worse, np.full(len(better), weight)))
        # Pairs, over all articles.
        better, worse, weights = (np.concatenate(column) for column in zip(*columns, strict=True))
        if len(better) <= _MOST_PAIRS:
            return better, worse, weights
        drawn = np.sort(rng.choice(len(better), _MOST_PAIRS, replace=False))  # pairs
        return better[drawn], worse[drawn], weights[drawn] * (len(better) / _MOST_PAIRS)


def _two_of(count: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return the indices of all pairs of up to `_MOST_WHOLE` comments, or of a sample of pairs of more."""
    if count <= _MOST_WHOLE:
        first, second = np.triu_indices(count, 1)  # pairs
        return first.astype(np.int64), second.astype(np.int64)
    first, second = rng.integers(0, count, (2, _MOST_PAIRS))
    return first[first != second], second[first != second]


# Pairs say less of vectors than votes do, and are fitted with so much less of the penalty on them.
_PAIR_SHARE = 0.05
_MOST_DEVIATIONS = 4.0
_FOLDS = 4
# Votes on fewer articles or comments do not make a probability.
_VOTED_ARTICLES, _VOTED_COMMENTS = 10, 100
# Decimals to which float32 vectors agree, independent of the comments read together.
_DECIMALS = 6
# Before it has seen anything, a column has a little weight on its own side.
_FIRST_WEIGHT = 0.04
# With a prior: the ridge is so much stronger (more with fewer articles), its length and quality are trusted like this many votes, and its curve like so many.
_PRIOR_RIDGE, _PRIOR_TRUST, _PRIOR_VOTES = 3.0, 20.0, 500.0
_MANY_ARTICLES = 100
# How much quality weighs against length where votes cannot tell, the choices, and the bLMP that a step away must gain (more with fewer articles).
_QUALITY, _QUALITIES, _STEP_GAIN = 2.0, (1.0, 1.5, 2.0, 2.5), 0.01


@dataclass(frozen=True, slots=True, eq=False)
class ScoreParts:
    """The scores of comments and what they are made of: all that their explanation needs of the features."""

    scores: Floats  # comments
    signs: Floats  # comments × columns: effects of wording and neighbours
    present: Bools  # comments × columns: whether a comment has any of it
    likeness: Floats  # comments: effect of the vector
    whole: Floats  # comments: effect of length before the discount
    left: Floats  # comments: effect of length after the discount
    trust: Floats  # comments, from 0 to 1

    @classmethod
    def joined(cls, blocks: Sequence[ScoreParts]) -> ScoreParts:
        """Return the comments of all blocks in one."""
        return cls(
            *(np.concatenate([getattr(block, name) for block in blocks]) for name in cls.__slots__)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The fitted regression: the length curve, the scales and weights of features, and a bias."""

    curve: LengthCurve
    mean: Floats  # columns
    scale: Floats  # columns
    coef: Floats  # columns
    bias: float

    def scaled(self, comments: CommentRows) -> Floats:
        """Return features as deviations from the mean, divided by the scale.

        Those of wording count as far as a comment's length lets them be trusted; a missing value is the mean.
        """
        # comments × columns
        rows = np.nan_to_num((comments.rows - self.mean) / self.scale, nan=0.0)
        scaled: Floats = np.clip(rows, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
        scaled[:, : len(columns())] *= comments.trust[:, None]
        return scaled

    def effects(self, comments: CommentRows) -> Floats:
        """Return the contribution of each feature to the log-odds."""
        return self.scaled(comments) * self.coef  # comments × columns

    def quality(self, comments: CommentRows) -> Floats:
        """Return the log-odds beside those of length, without the bias."""
        return self.scaled(comments) @ self.coef

    def scores(self, comments: CommentRows) -> Floats:
        """Return the log-odds of comments, rounded to the reliable decimals."""
        # Log-odds of each comment.
        odds = self.curve(comments.logs) + self.effects(comments).sum(axis=1) + self.bias
        return np.round(odds, _DECIMALS)

    def parts(self, comments: CommentRows) -> ScoreParts:
        """Return the scores of comments and what they are made of."""
        effects = self.effects(comments)  # comments × (columns + dimensions)
        count = len(columns())
        return ScoreParts(
            scores=self.scores(comments),
            signs=effects[:, :count].copy(),
            present=comments.rows[:, :count] > 0,
            likeness=effects[:, count:].sum(axis=1),
            whole=self.curve(comments.whole_logs),
            left=self.curve(comments.logs),
            trust=comments.trust,
        )

    def weighing(self, quality: float) -> Weights:
        """Return the same weights with everything beside length multiplied."""
        return replace(self, coef=self.coef * quality)

    def widened(self, comments: CommentRows) -> Weights:
        """Return the weights for rows with other vectors: wording as before, no weight on vectors."""
        count = len(columns())
        mean, scale = scales(comments.rows[:, count:])  # dimensions
        return replace(
            self,
            mean=np.concatenate([self.mean[:count], mean]),
            scale=np.concatenate([self.scale[:count], scale]),
            coef=np.concatenate([self.coef[:count], np.zeros(len(mean))]),
        )


@dataclass(frozen=True, slots=True)
class Platt:
    """Platt scaling: a linear map from scores to calibrated log-odds.

    `error` is the expected calibration error, out of fold; None where there were too few votes to call it calibrated.
    """

    slope: float
    bias: float
    error: float | None = None

    def __call__(self, scores: Floats) -> Floats:
        """Return the calibrated probabilities of scores."""
        return sigmoid(self.slope * scores + self.bias)


@dataclass(frozen=True, slots=True)
class RidgeRegression:
    """Fits the weights.

    The ridge penalty is `wording` on the columns with a sign and `vector` on the rest; the seed draws pairs.
    """

    wording: float
    vector: float
    seed: int
    prior: Weights | None = None

    def fit(
        self,
        comments: CommentRows,
        labels: Labels,
        quality: float | None = None,
        penalties: Floats | None = None,
        scored: CommentRows | None = None,
    ) -> tuple[Weights, Platt]:
        """Return the weights and their calibration.

        `quality` is how much quality weighs against length; None: it is chosen on out-of-fold scores. The calibration is that of scores less the penalties. `scored` are the comments
        as scores take them, where that is not as the weights are fitted.
        """
        weights = self.weights(comments, labels)
        folds = self._out_of_fold(comments, labels, scored or comments)
        if folds is None:
            weight = quality or (_QUALITY if labels.votes is not None else 1.0)
            return weights.weighing(weight), Platt(slope=1.0, bias=0.0)
        length, merit = folds
        chosen = quality or self._balance(length, merit, comments, labels)
        scores = length + chosen * merit - (0.0 if penalties is None else penalties)  # comments
        return weights.weighing(chosen), _calibrated(scores, labels)

    def weights(self, comments: CommentRows, labels: Labels) -> Weights:
        """Fit on votes, or on pairs of comments where there are no votes."""
        if self.prior is None:
            mean, scale = scales(comments.rows)
            curve = LengthCurve(np.zeros(1), np.zeros(1))
            signs = np.concatenate([_signs(), np.zeros(len(mean) - len(columns()))])  # columns
            start = Weights(curve, mean, scale, _FIRST_WEIGHT * signs, 0.0)
        else:
            start = self.prior
        if labels.votes is None:
            return self._of_pairs(comments, labels, start)
        return self._of_votes(comments, labels, labels.votes, start)

    def _of_votes(
        self, comments: CommentRows, labels: Labels, votes: Floats, start: Weights
    ) -> Weights:
        """Fit the length curve on yes of votes, then the weights of all else on top of it.

        `start` has the prior's curve and weights, or small first weights.
        """
        yes, logs = labels.shares * votes, comments.logs
        trusted = 1.0  # share of the prior's weights
        if self.prior is None:
            curve = LengthCurve.of_votes(logs, yes, votes)
        else:
            # How far the prior's length curve and quality are right for these votes, and the level of both.
            length = start.curve(logs)  # comments
            level = float(length.mean())
            # comments × 3
            parts = np.column_stack([length - level, start.quality(comments), np.ones(len(logs))])
            expected_slopes = np.array([1.0, 1.0, 0.0])
            slope, trusted, bias = ridge_logistic(
                parts,
                yes,
                votes,
                offset=np.zeros(len(logs)),
                ridge=np.array([_PRIOR_TRUST, _PRIOR_TRUST, 1e-3]),
                prior=expected_slopes,
                signs=expected_slopes,
            ).tolist()
            # The adapted curve joins the votes as if `_PRIOR_VOTES` had been cast by it.
            believed = votes * (_PRIOR_VOTES / votes.sum())
            expected = believed * sigmoid(slope * (length - level) + bias)
            curve = LengthCurve.of_votes(logs, yes + expected, votes + believed)
        # All else, with length as a fixed offset; the last column is the bias.
        width = len(start.coef)
        # One slope for each column, and the bias.
        slopes = ridge_logistic(
            np.column_stack([start.scaled(comments), np.ones(len(logs))]),
            yes,
            votes,
            offset=curve(logs),
            ridge=np.append(self._ridge(labels, width, self.vector), 1e-6),
            prior=np.append(trusted * start.coef, 0.0),
            signs=_sides(width + 1),
        )
        return replace(start, curve=curve, coef=slopes[:-1], bias=float(slopes[-1]))

    def _of_pairs(self, comments: CommentRows, labels: Labels, start: Weights) -> Weights:
        """Return the slope of log length, fitted alone, and the weights of all else on top of it."""
        better, worse, votes = labels.pairs(self.seed)
        scaled = start.scaled(comments)  # comments × columns
        # A pair is a vote that was won: the better one's features minus those of the worse.
        matrix = scaled[better] - scaled[worse]  # pairs × columns
        nothing = np.zeros(len(better))
        trusted = 1.0  # share of the prior's weights
        if self.prior is None:
            lead = (comments.logs[better] - comments.logs[worse])[:, None]  # pairs × 1
            slope = float(ridge_logistic(lead, votes, votes, nothing, np.ones(1))[0])
            curve = LengthCurve.of_slope(comments.logs, slope)
        else:
            length = start.curve(comments.logs)
            # Pairs × 2: what the length curve and the quality of the prior say.
            parts = np.column_stack([length[better] - length[worse], matrix @ start.coef])
            slope, trusted = ridge_logistic(
                parts,
                votes,
                votes,
                offset=nothing,
                ridge=np.full(2, _PRIOR_TRUST),
                prior=np.ones(2),
                signs=np.ones(2),
            ).tolist()
            curve = start.curve.shifted(slope, 0.0)
        offset = curve(comments.logs)  # comments
        coef = ridge_logistic(
            matrix,
            votes,
            votes,
            offset=offset[better] - offset[worse],
            ridge=self._ridge(labels, len(start.coef), _PAIR_SHARE * self.vector),
            prior=trusted * start.coef,
            signs=_sides(len(start.coef)),
        )
        return replace(start, curve=curve, coef=coef, bias=0.0)

    def _ridge(self, labels: Labels, width: int, vector: float) -> Floats:
        """Return the penalty of each of `width` columns; `vector` is that of columns of the vector."""
        strength = _PRIOR_RIDGE * _scarcity(labels) if self.prior is not None else 1.0
        count = len(columns())
        return strength * np.repeat([self.wording, vector], [count, width - count])

    def _out_of_fold(
        self, comments: CommentRows, labels: Labels, scored: CommentRows
    ) -> tuple[Floats, Floats] | None:
        """Return the log-odds of length and of quality of each comment, by weights of other articles.

        None with too few articles.
        """
        articles = np.unique(labels.articles)
        if len(articles) < _FOLDS:
            return None
        fold_of = np.searchsorted(articles, labels.articles) % _FOLDS  # comments
        length, merit = np.zeros((2, len(fold_of)))  # comments, comments
        for fold in range(_FOLDS):
            # Comments of the other folds, and of this one.
            inside, outside = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            weights = self.weights(comments.part(inside), labels.part(inside))
            tested = scored.part(outside)
            length[outside] = weights.curve(tested.logs) + weights.bias
            merit[outside] = weights.quality(tested)
        return length, merit

    def _balance(
        self, length: Floats, merit: Floats, comments: CommentRows, labels: Labels
    ) -> float:
        """Return the weight of quality against length with the best out-of-fold bLMP.

        A step away from the usual one must gain something.
        """
        if labels.votes is None:
            return 1.0
        # Pairs of similar length within an article, so that length alone cannot decide.
        starts = np.flatnonzero(np.diff(labels.articles, prepend=-1))  # articles: first comments
        sizes: Ints = np.round(np.exp(comments.whole_logs)).astype(np.int64)
        pairs = MatchedPairs.of(sizes, np.append(starts, len(sizes)))
        values = []
        for quality in _QUALITIES:
            # Pairs won and all pairs, of three kinds: six sums.
            rows = pairs.statistics(length + quality * merit, labels.shares).sum(axis=0)
            handicap = _scarcity(labels) * _STEP_GAIN * abs(quality - _QUALITY) / 0.5
            values.append((float(blmp(rows[None])[0]) - handicap, quality))
        _, best = max(values)
        return best


def _scarcity(labels: Labels) -> float:
    """Return 1 with many articles, more with few."""
    articles = len(np.unique(labels.articles))
    return float(np.sqrt(max(_MANY_ARTICLES / articles, 1.0)))


def scales(rows: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of columns, missing values left out.

    1 where a column hardly varies.
    """
    present = np.isfinite(rows)  # comments × columns
    count = np.maximum(present.sum(axis=0), 1)
    # Of each column, over the comments that have it.
    mean = np.where(present, rows, 0.0).sum(axis=0) / count
    scale = np.sqrt((np.where(present, rows - mean, 0.0) ** 2).sum(axis=0) / count)  # columns
    return mean, np.where(scale < 1e-9, 1.0, scale)


def _calibrated(scores: Floats, labels: Labels) -> Platt:
    """Fit Platt scaling on out-of-fold scores, with its expected error where enough was voted on."""
    platt = _platt(scores, labels)
    articles, article_of = np.unique(labels.articles, return_inverse=True)
    few = len(articles) < _VOTED_ARTICLES or len(scores) < _VOTED_COMMENTS
    if labels.votes is None or few:
        return platt
    fold_of = article_of % _FOLDS  # comments
    probability = np.zeros(len(scores))  # comments, by a scaling of the other folds
    for fold in range(_FOLDS):
        inside, outside = np.flatnonzero(fold_of != fold), fold_of == fold
        probability[outside] = _platt(scores[inside], labels.part(inside))(scores[outside])
    return replace(platt, error=calibration_error(probability, labels.shares))


def _platt(scores: Floats, labels: Labels) -> Platt:
    votes = np.ones(len(scores)) if labels.votes is None else labels.votes  # comments
    shares = labels.standings() if labels.votes is None else labels.shares
    return Platt(*platt_scaling(scores, shares * votes, votes))


def _signs() -> Floats:
    return np.array([column.sign for column in columns()], dtype=np.float64)


def _sides(width: int) -> Floats:
    """Return the signs of all columns of a row; vectors and the bias have none."""
    return np.concatenate([_signs(), np.zeros(width - len(columns()))])
