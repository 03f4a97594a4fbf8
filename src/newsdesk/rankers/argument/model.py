"""The ranker `argument`: a logistic regression on votes in which the effect of length is fitted first and then fixed.

The score is the log-odds that a judge would call the comment constructive: a fixed monotone curve of log length, plus a ridge regression of everything else
(`features`), fitted on yes of votes or on pairs (`weights`). `probability` calibrates the score on held-out threads
(cross-validation), and `explain` gives the reasons for a score in words (`reasons`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.languages import check_language
from newsdesk.models import Arrays
from newsdesk.rankers.argument.features import Features
from newsdesk.rankers.argument.logistic import LengthCurve
from newsdesk.rankers.argument.reasons import Explained, explain
from newsdesk.rankers.argument.targets import Labels
from newsdesk.rankers.argument.vectors import chosen
from newsdesk.rankers.argument.weights import Platt, Regression, Weights
from newsdesk.rankers.ranker import Progress, Ranker, fitted
from newsdesk.rankers.targets import Target, check_enough, in_id_order
from newsdesk.types import Comment, Thread

# Strengths of the ridge.
_WORDING, _VECTOR = 100.0, 20_000.0


class Argument(Ranker):
    """Our own ranker of constructive comments, robust to length and padding."""

    name = "argument"
    reads_thread: ClassVar[bool] = True

    def __init__(
        self,
        target: Target = "score",
        vectors: str = "auto",
        lang: str | None = None,
        wording: float = _WORDING,
        vector: float = _VECTOR,
        seed: int = 0,
        *,
        padding: bool = True,
    ) -> None:
        if target not in get_args(Target):
            raise ArgumentError(f"target is {target!r}, not 'score' or 'likes'")
        if lang:
            check_language(lang)
        chosen(vectors, lang or "en")
        for name, value in (("wording", wording), ("vector", vector)):
            if not value > 0:
                raise ArgumentError(f"{name} is {value}, not above zero")
        self.target = target
        self.vectors = vectors
        self.lang = lang
        self.wording = wording
        self.vector = vector
        self.padding = padding
        self.seed = seed

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from the comments that have a target; dev threads are not used."""
        listed = in_id_order(threads)
        check_enough(listed, self.target, self.name)
        labels = Labels.of(listed, self.target)
        features, comments = Features.of(
            listed, vectors=self.vectors, lang=self.lang, padding=self.padding, seed=self.seed
        )
        rows = np.vstack([each.rows for each in comments])[labels.rows]
        logs = np.concatenate([each.logs for each in comments])[labels.rows]
        regression = Regression(len(features.columns), self.wording, self.vector, self.seed)
        weights = regression.weights(rows, logs, labels)
        platt = regression.calibration(rows, logs, labels)
        self.features_, self.weights_, self.platt_ = features, weights, platt
        return self

    def scores(self, thread: Thread) -> Floats:
        """The log-odds that a judge calls each comment constructive."""
        fitted(self, "weights_")
        if not thread.comments:
            return np.zeros(0)
        return self.weights_.scores(self.features_.of_thread(thread))

    def replaced(
        self, thread: Thread, places: Sequence[int], comments: Sequence[Comment]
    ) -> Floats:
        """The score that each comment would get in place of the one at its place, one at a time; the thread is read once."""
        fitted(self, "weights_")
        if not places:
            return np.zeros(0)
        return self.weights_.scores(self.features_.replaced(thread, places, comments))

    def probability(self, thread: Thread) -> Floats:
        """The calibrated probability that a judge calls each comment constructive (or the share of the best score)."""
        scores = self.scores(thread)
        return self.platt_(scores)

    def explain(self, thread: Thread, most: int = 6) -> list[Explained]:
        """The reasons for each comment's score in words, at most `most` per comment."""
        fitted(self, "weights_")
        return explain(self.features_, self.weights_, self.platt_, thread, most)

    @property
    def language(self) -> str | None:
        """The language of the training comments, whose lexicon and vectors are used."""
        return self.features_.lang if hasattr(self, "features_") else None

    @property
    def summary(self) -> str:
        """The name, the language, the vectors and the number of features."""
        fitted(self, "weights_")
        features = self.features_
        vectors = features.reader.vectors.kind
        return (
            f"{self.name}: {features.lang}, {vectors} vectors, {len(self.weights_.coef)} features"
        )

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """The state of the features, the weights and the calibration."""
        fitted(self, "weights_")
        weights, platt, reader = self.weights_, self.platt_, self.features_.reader
        learned, counts = reader.learned()
        words, vectors = reader.vectors.learned()
        arrays = {
            **counts,
            "curve": np.stack([weights.curve.logs, weights.curve.odds]),
            "features": np.stack([weights.mean, weights.scale, weights.coef]),
            **vectors,
            **self.features_.padding.learned(),
        }
        calibrated = {"bias": weights.bias, "platt": [platt.slope, platt.bias]}
        return {**learned, **calibrated, **words}, arrays

    def restore(self, learned: Mapping[str, Any], arrays: Arrays) -> None:
        """Set the state that `learned` returned."""
        features = Features.restored(learned, arrays)
        mean, scale, coef = arrays["features"]
        if len(coef) != features.width:
            columns = len(features.columns)
            raise ValueError(f"{len(coef)} weights for {columns} columns and two vectors")
        weights = Weights(LengthCurve(*arrays["curve"]), mean, scale, coef, learned["bias"])
        slope, bias = learned["platt"]
        self.features_, self.weights_, self.platt_ = features, weights, Platt(slope, bias)


def load_explainer(folder: str | os.PathLike[str]) -> Argument:
    """Load the `argument` ranker saved in a folder; any other kind gives no reasons and is refused."""
    model = Ranker.load(folder)
    if not isinstance(model, Argument):
        raise ArgumentError(f"{folder}: a {model.name!r} model gives no reasons; fit 'argument'")
    return model
