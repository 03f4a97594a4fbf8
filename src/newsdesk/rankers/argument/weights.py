"""The weights of the ranker `argument`: a fixed curve of log length, a ridge regression of all other features on top, and a calibration.

With votes the regression is fitted on yes of votes on top of a monotone curve; where comments have scores and no votes, on pairs of one article, on top of a
fixed slope of log length. The calibration is Platt's sigmoid (Platt 1999), fitted on out-of-fold scores (folds of articles).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.rankers.argument.features import CommentRows
from newsdesk.rankers.argument.logistic import LengthCurve, ridge_logistic, sigmoid
from newsdesk.rankers.argument.targets import Labels

_PAIR_VECTOR = 1_000.0
_MOST_DEVIATIONS = 4.0
_CALIBRATION_FOLDS = 4
# Decimals to which float32 vectors agree, independent of the comments read together.
_DECIMALS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The fitted regression: the length curve, the scales and weights of features, and a bias."""

    curve: LengthCurve
    mean: Floats
    scale: Floats
    coef: Floats
    bias: float

    def effects(self, rows: Floats) -> Floats:
        """The contribution of each feature to the log-odds."""
        scaled = np.clip((rows - self.mean) / self.scale, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
        return scaled * self.coef

    def odds(self, rows: Floats, logs: Floats) -> Floats:
        """The log-odds of comments with these features and log lengths."""
        return self.curve(logs) + self.effects(rows).sum(axis=1) + self.bias

    def scores(self, comments: CommentRows) -> Floats:
        """The log-odds of comments, rounded to the reliable decimals."""
        return np.round(self.odds(comments.rows, comments.logs), _DECIMALS)


@dataclass(frozen=True, slots=True)
class Platt:
    """Platt scaling: a linear map from scores to calibrated log-odds."""

    slope: float
    bias: float

    def __call__(self, scores: Floats) -> Floats:
        """The calibrated probabilities of scores."""
        return sigmoid(self.slope * scores + self.bias)


@dataclass(frozen=True, slots=True)
class Regression:
    """Fits the weights: a ridge penalty of `wording` on the first `words` columns and of `vector` on the rest; the seed draws pairs."""

    words: int
    wording: float
    vector: float
    seed: int

    def weights(self, rows: Floats, logs: Floats, labels: Labels) -> Weights:
        """Fit on votes, or on pairs of comments where there are no votes."""
        mean, scale = rows.mean(axis=0), rows.std(axis=0)
        scale[scale < 1e-9] = 1.0
        scaled = np.clip((rows - mean) / scale, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
        vectors = rows.shape[1] - self.words
        if labels.votes is None:
            strengths = [self.wording, min(self.vector, _PAIR_VECTOR)]
            ridge = np.repeat(strengths, [self.words, vectors])
            slope, coef = self._pair_slopes(scaled, logs, labels, ridge)
            return Weights(LengthCurve.of_slope(logs, slope), mean, scale, coef, 0.0)
        yes = labels.shares * labels.votes
        curve = LengthCurve.of_votes(logs, yes, labels.votes)
        ridge = np.repeat([self.wording, self.vector, 1e-6], [self.words, vectors, 1])
        matrix = np.column_stack([scaled, np.ones(len(scaled))])
        slopes = ridge_logistic(matrix, yes, labels.votes, curve(logs), ridge)
        return Weights(curve, mean, scale, slopes[:-1], float(slopes[-1]))

    def calibration(self, rows: Floats, logs: Floats, labels: Labels) -> Platt:
        """Fit Platt scaling on out-of-fold scores."""
        articles = np.unique(labels.articles)
        fold_of = np.searchsorted(articles, labels.articles) % _CALIBRATION_FOLDS
        if len(articles) < _CALIBRATION_FOLDS:
            return Platt(1.0, 0.0)
        scores = np.zeros(len(logs))
        for fold in range(_CALIBRATION_FOLDS):
            inside, outside = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            weights = self.weights(rows[inside], logs[inside], labels.part(inside))
            scores[outside] = weights.odds(rows[outside], logs[outside])
        votes = np.ones(len(logs)) if labels.votes is None else labels.votes
        matrix = np.column_stack([scores, np.ones(len(scores))])
        # The slope is shrunk towards 1, so that a few comments cannot invert the order.
        start, ridge = scores.copy(), np.array([1.0, 1e-3])
        change, bias = ridge_logistic(matrix, labels.shares * votes, votes, start, ridge)
        return Platt(float(max(1 + change, 0.0)), float(bias))

    def _pair_slopes(
        self, scaled: Floats, logs: Floats, labels: Labels, ridge: Floats
    ) -> tuple[float, Floats]:
        """The slope of log length, fitted alone, and the weights of all else on top of it."""
        better, worse, votes = labels.pairs(self.seed)
        lead = (logs[better] - logs[worse])[:, None]
        nothing = np.zeros(len(better))
        slope = float(ridge_logistic(lead, votes, votes, nothing, np.ones(1))[0])
        matrix = scaled[better] - scaled[worse]
        return slope, ridge_logistic(matrix, votes, votes, slope * lead[:, 0], ridge)
