"""Linear rankers on the features of Fujita et al. (2019), section 3.2: RankSVM over all pairs of an article, and support vector regression.

Both minimize ½ w·w + C · loss. If not set, C (`cost`) is chosen by the mean NDCG@5 on the dev threads (see `solver`), each value starting
from the solution of the one before, and also beyond the paper's grid (`beyond_grid=False` keeps to it); without dev threads it is 2⁻¹⁰. There is no bias term, as in liblinear's default.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self, get_args

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.metrics.ranking import ndcg, per_article
from newsdesk.model import Arrays, Saved, learned_field
from newsdesk.rankers.features import LinearFeatures, Width
from newsdesk.rankers.ranker import LabelledComments, Ranker, Target, check_enough
from newsdesk.rankers.solver import Loss, PairLoss, Tried, minimize, search
from newsdesk.settings import above_zero
from newsdesk.text.language import main_language
from newsdesk.types import Thread
from newsdesk.work.progress import OnProgress, Progress

DEFAULT_COST = 2.0**-10
DEV_DEPTH = 5  # the k of the dev NDCG@k
SVR_SCALE = 10.0  # targets of the regression go from 0 to this


def dev_ndcg(labelled: LabelledComments, scores: Floats) -> float:
    """Return the mean NDCG@5 of scores over articles."""
    cuts = np.flatnonzero(np.diff(labelled.articles)) + 1
    by_article, targets = np.split(scores, cuts), np.split(labelled.targets, cuts)
    return float(per_article(partial(ndcg, k=DEV_DEPTH), by_article, targets).mean())


@dataclass(frozen=True, eq=False)
class LinearRanker(Ranker):
    """A ranker whose score is a weighted sum of features."""

    cost: float | None = None
    target: Target = "score"
    min_count: int = 4
    width: Width | None = None
    lang: str | None = None
    tolerance: float = 1e-5
    beyond_grid: bool = field(default=True, kw_only=True)

    features_: LinearFeatures = learned_field()
    language_: str | None = learned_field()
    cost_: float = learned_field()
    coef_: Floats = learned_field()
    dev_: list[tuple[float, float]] = learned_field()  # every cost tried, and its NDCG

    def __post_init__(self) -> None:
        if self.target not in get_args(Target):
            raise ArgumentError(f"target is {self.target!r}, not 'score' or 'likes'")
        above_zero("cost", self.cost)
        self._features()

    @abstractmethod
    def loss(self, labelled: LabelledComments) -> Loss:
        """Return the loss to minimize on these comments."""

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Learn from the comments that have a target.

        `progress` is called with every cost tried on the dev threads.
        """
        listed = list(threads)
        check_enough(listed, self.target, self.name)
        labelled = LabelledComments.of(listed, self.target)
        features = self._features()
        matrix = features.fit_transform(listed)[labelled.rows]
        dev_rows = None
        if dev is not None:
            listed_dev = list(dev)
            dev_labelled = LabelledComments.of(listed_dev, self.target)
            dev_rows = features.transform(listed_dev)[dev_labelled.rows], dev_labelled
        cost, weights, tried = self._best_cost(matrix, self.loss(labelled), dev_rows, progress)
        return self.hold(
            features_=features,
            language_=main_language(listed, self.lang),
            cost_=cost,
            coef_=weights,
            dev_=tried,
        )

    def scores(self, thread: Thread) -> Floats:
        """Return the weighted sum of each comment's features."""
        self.check_fitted()
        return np.asarray(self.features_.transform([thread]) @ self.coef_, dtype=np.float64)

    @property
    def wants_dev(self) -> bool:
        """True if the cost is not set and so chosen on dev threads."""
        return self.cost is None

    @property
    def summary(self) -> str:
        """The name, the cost, and the dev NDCG that it was chosen by."""
        self.check_fitted()
        dev = f", dev NDCG@{DEV_DEPTH} {dict(self.dev_)[self.cost_]:.4f}" if self.dev_ else ""
        return f"{self.name}: {self.features_.columns:,} columns, cost {self.cost_:g}{dev}"

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the vocabulary, the cost, the dev NDCG of every cost tried, and the weights."""
        self.check_fitted()
        words = self.features_.vocabulary_.words
        learned = {"cost": self.cost_, "dev": self.dev_, "words": words, "lang": self.language_}
        return learned, {"coef": self.coef_}

    def restore(self, saved: Saved) -> None:
        """Set the state that `learned` returned."""
        learned, arrays = saved.learned, saved.arrays
        features, weights = self._features().restore(learned["words"]), arrays["coef"]
        if weights.shape != (features.columns,):
            raise ValueError(f"{weights.shape} weights for {features.columns} columns")
        self.hold(
            features_=features,
            language_=learned.get("lang"),  # models saved by version 0.1.0 have none
            cost_=learned["cost"],
            coef_=weights,
            dev_=[(cost, value) for cost, value in learned["dev"]],
        )

    def _features(self) -> LinearFeatures:
        return LinearFeatures(self.min_count, self.width, self.lang)

    def _best_cost(
        self,
        matrix: sparse.csr_array,
        loss: Loss,
        dev: tuple[sparse.csr_array, LabelledComments] | None,
        progress: OnProgress | None,
    ) -> tuple[float, Floats, list[tuple[float, float]]]:
        """Return the best cost with its weights, and every cost tried with its dev NDCG.

        Without `dev` (features and labels of the dev comments) nothing is tried.
        """
        if dev is None:
            cost = self.cost or DEFAULT_COST
            return cost, minimize(matrix, loss, cost, tolerance=self.tolerance), []
        rows, labelled = dev

        def fit(cost: float, start: Floats | None) -> Tried:
            weights = minimize(matrix, loss, cost, start=start, tolerance=self.tolerance)
            value = dev_ndcg(labelled, rows @ weights)
            if progress:
                progress(Progress(f"{self.name}: cost {cost:g}, dev NDCG@{DEV_DEPTH} {value:.4f}"))
            return Tried(cost, weights, value)

        if self.cost is None:
            best, tried = search(fit, beyond_grid=self.beyond_grid)
        else:
            best = fit(self.cost, None)
            tried = [best]
        return best.cost, best.weights, [(trial.cost, trial.ndcg) for trial in tried]


class RankSvm(LinearRanker):
    """RankSVM (Lee and Lin, 2014): the squared hinge loss of pairs of comments.

    A pair is two comments of one article that differ in score.
    """

    name = "ranksvm"

    def loss(self, labelled: LabelledComments) -> PairLoss:
        """Return the loss over all pairs of an article, without forming them."""
        return PairLoss(labelled.targets, labelled.articles)


@dataclass(frozen=True, slots=True, eq=False)
class TubeState:
    """The epsilon-insensitive squared loss at some scores."""

    value: float
    gradient: Floats  # comments
    weights: Floats  # comments: the diagonal of the Hessian

    def curvature(self, direction: Floats) -> Floats:
        """Return the (generalized) Hessian times a direction."""
        return self.weights * direction


@dataclass(frozen=True, slots=True, eq=False)
class TubeLoss:
    """The L2-loss of support vector regression: max(0, |score - target| - epsilon)², summed."""

    targets: Floats
    epsilon: float

    def at(self, scores: Floats) -> TubeState:
        """Return the loss at these scores, with its gradient."""
        error = scores - self.targets
        outside = np.sign(error) * np.maximum(np.abs(error) - self.epsilon, 0)
        return TubeState(
            value=float(np.sum(outside**2)), gradient=2 * outside, weights=2.0 * (outside != 0)
        )


@dataclass(frozen=True, eq=False)
class Svr(LinearRanker):
    """L2-loss support vector regression: scikit-learn's LinearSVR without a bias.

    It is liblinear's solver 11 with p = .1.

    Targets are first scaled to 0 … 10, the scale of the paper's C-scores, so that `epsilon` means the same for shares and any other score.
    """

    name = "svr"

    epsilon: float = 0.1

    def loss(self, labelled: LabelledComments) -> TubeLoss:
        """Return the distance of each score from its target."""
        low, high = labelled.targets.min(), labelled.targets.max()
        scaled = SVR_SCALE * (labelled.targets - low) / ((high - low) or 1.0)
        return TubeLoss(scaled, self.epsilon)
