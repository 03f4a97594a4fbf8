"""The aligner: a logistic regression over the features of a pair, with the background that the features need.

Gholipour Ghalandari et al. (2020) train on cited pairs against the sources of other events of the same date, and ended at seven positives to a
hundred negatives. Here negatives are weighted to that ratio, so that a probability of 0.9 means the same for a portal of five events a
day and for one of fifty.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import get_args

import numpy as np

from newsdesk import packaged
from newsdesk.arrays import Floats, Ints
from newsdesk.corpus.align.background import Background
from newsdesk.corpus.align.features import NAMES, FeatureSet
from newsdesk.errors import ArgumentError, DataError
from newsdesk.jsonl import json_line
from newsdesk.model.folder import Saved, load_model, save_model
from newsdesk.settings import one_of

KIND = "aligner"
NEGATIVES_PER_POSITIVE = 100 / 7
_DIGITS = 9


@dataclass(frozen=True, slots=True, eq=False)
class EventAligner:
    """A fitted classifier of pairs; `weights` has one number a feature, `data` says what it was fitted on."""

    features: FeatureSet
    weights: tuple[float, ...]
    bias: float
    background: Background
    data: str = ""

    def __post_init__(self) -> None:
        if self.features not in get_args(FeatureSet):
            raise ArgumentError(f"features is {self.features!r}, not one of: {', '.join(NAMES)}")
        if len(self.weights) != len(NAMES[self.features]):
            raise ArgumentError(
                f"{len(self.weights)} weights do not fit the {len(NAMES[self.features])} features of {self.features!r}"
            )

    @property
    def signature(self) -> str:
        """What decides a probability, in one line."""
        numbers = ",".join(f"{each:g}" for each in (*self.weights, self.bias))
        return f"aligner.{self.features}|documents:{self.background.documents}|weights:{numbers}"

    def digest(self) -> str:
        """Return the sha256 of all that decides a probability, to the last digit."""
        background = self.background
        parts = [self.features, self.weights, self.bias, background.documents, background.summary_words]  # fmt: skip
        sha = hashlib.sha256(json_line(parts))
        for name, array in sorted(background.arrays().items()):
            sha.update(name.encode() + array.tobytes())
        return sha.hexdigest()

    def probabilities(self, matrix: Floats) -> Floats:
        """Return the probability of each pair, rounded to nine places.

        No product in BLAS, so that threads change nothing.
        """
        odds = (matrix * np.array(self.weights)).sum(axis=1) + self.bias
        rounded: Floats = np.round(1 / (1 + np.exp(-odds)), _DIGITS)
        return rounded

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the aligner to a folder."""
        learned = {
            "weights": dict(zip(NAMES[self.features], self.weights, strict=True)),
            "bias": self.bias,
            "documents": self.background.documents,
            "summary_words": self.background.summary_words,
            "data": self.data,
        }
        saved = Saved(self.features, {}, learned, self.background.arrays())
        save_model(folder, KIND, saved, overwrite=overwrite)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> EventAligner:
        """Load the aligner that `save` wrote."""
        saved = load_model(folder, KIND)
        learned = saved.learned
        try:
            background = Background.from_arrays(
                int(learned["documents"]), int(learned["summary_words"]), saved.arrays
            )
            weights = tuple(float(learned["weights"][name]) for name in NAMES[saved.name])
            return cls(saved.name, weights, learned["bias"], background, learned["data"])  # type: ignore[arg-type]
        except KeyError as error:
            raise DataError(f"a saved aligner without {error}", file=os.fspath(folder)) from error


def ready_aligner(features: FeatureSet = "rich") -> EventAligner:
    """Return the aligner that ships with the package, fitted on simulated pairs and on WCEP pairs.

    Its `data` says which.
    """
    one_of("features", features, get_args(FeatureSet))
    return EventAligner.load(packaged.path("corpus", "data", "aligner", features))


def fit_logistic(matrix: Floats, labels: Ints) -> tuple[tuple[float, ...], float]:
    """Fit a logistic regression (ridge 1, standardised features, negatives weighted to 100 : 7).

    Numbers are rounded to nine digits, so that the last bits of a solver do not reach a file.
    """
    positives = int(labels.sum())
    negatives = len(labels) - positives
    if not positives or not negatives:
        raise ArgumentError(
            f"an aligner cannot be fitted on {positives} cited pairs and {negatives} others; it needs dates with several events whose sources were obtained"
        )
    from sklearn.linear_model import LogisticRegression

    means, spreads = matrix.mean(axis=0), matrix.std(axis=0)
    spreads = np.where(spreads > 0, spreads, 1.0)
    importance = np.where(labels == 1, 1.0, NEGATIVES_PER_POSITIVE * positives / negatives)
    model = LogisticRegression(solver="newton-cholesky", tol=1e-8, max_iter=200)
    model.fit((matrix - means) / spreads, labels, sample_weight=importance)
    weights = model.coef_[0] / spreads
    bias = float(model.intercept_[0] - (weights * means).sum())
    return tuple(_rounded(each) for each in weights.tolist()), _rounded(bias)


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
