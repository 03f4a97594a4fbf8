"""The ranker `argument`: a logistic regression on votes in which the effect of length is fitted first and then fixed.

The score is the log-odds that a judge would call the comment constructive: a fixed monotone curve of log length, plus a ridge regression of everything else
(`features`), fitted on yes of votes or on pairs (`weights`). By default fitting adapts the ready model of the language (`newsdesk.rankers.ready`): its features are used as they are, and its
weights and its length curve are the prior, so a few voted articles help and many take over. Insults lower a score by a set amount (`newsdesk.rankers.insults`), whatever votes say. `probability` calibrates the score on held-out threads
(cross-validation); `calibration_error` says how far it is off, and is None where votes on ten articles are lacking. And `explain` gives the parts of a score in words (`reasons`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.languages import check_language
from newsdesk.model import Arrays, Saved, learned_field
from newsdesk.rankers.argument.counts import columns, lexicon
from newsdesk.rankers.argument.features import ArgumentFeatures, CommentRows
from newsdesk.rankers.argument.linked import Linked
from newsdesk.rankers.argument.logistic import LengthCurve
from newsdesk.rankers.argument.reading import Talk
from newsdesk.rankers.argument.reasons import Dissected, dissect
from newsdesk.rankers.argument.vectors import chosen
from newsdesk.rankers.argument.weights import Labels, Platt, RidgeRegression, Weights
from newsdesk.rankers.insults import insults_of
from newsdesk.rankers.ranker import (
    LEAST_SHARE,
    MOST_REASONS,
    Explained,
    Ranker,
    Target,
    check_enough,
    in_id_order,
)
from newsdesk.rankers.ready import load_ready, ready_name
from newsdesk.settings import above_zero, at_least, one_of
from newsdesk.text.language import main_language
from newsdesk.types import Comment, Thread
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, silent

Prior = Literal["ready", "none"]

# With fewer articles the adapted model is mostly the ready one.
_FEW_ARTICLES = 30
# With fewer comments padding is told from them as the ready model tells it.
_ENOUGH_COMMENTS = 1_000


@dataclass(frozen=True, eq=False)
class Argument(Ranker):
    """Our own ranker of constructive comments, robust to length and padding."""

    name = "argument"
    reads_thread: ClassVar[bool] = True

    target: Target = "score"
    vectors: str = "auto"
    lang: str | None = None
    wording: float = 100.0  # strength of the ridge on all but the vector
    vector: float = 20_000.0  # strength of the ridge on the vector
    seed: int = 0
    padding: bool = field(default=True, kw_only=True)
    prior: Prior = field(default="ready", kw_only=True)
    quality: float | None = field(default=None, kw_only=True)
    insults: float = field(default=1.0, kw_only=True)  # taken off a score per insult and length
    length: float = field(default=0.5, kw_only=True)  # how much length counts, from 0 to 1

    features_: ArgumentFeatures = learned_field()
    weights_: Weights = learned_field()
    platt_: Platt = learned_field()
    articles_: int = learned_field()
    adapted_: bool = learned_field()  # True if the ready model was the prior

    def __post_init__(self) -> None:
        one_of("target", self.target, get_args(Target))
        one_of("prior", self.prior, get_args(Prior))
        if self.lang:
            check_language(self.lang)
        chosen(self.vectors, self.lang or "en")
        for name in ("wording", "vector", "quality"):
            above_zero(name, getattr(self, name))
        at_least("insults", self.insults, 0)
        if not 0 <= self.length <= 1:
            raise ArgumentError(f"length is {self.length}, not between 0 and 1")

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Learn from the comments that have a target; dev threads are not used."""
        listed = in_id_order(threads)
        check_enough(listed, self.target, self.name)
        labels = Labels.of(listed, self.target)
        features, talks, start = self._start(listed)
        # Weights are fitted on comments as they are; how they are balanced and calibrated, on comments as they are scored.
        scored = replace(features, length=self.length)
        labelled, as_scored = (
            CommentRows.joined([rows.of_talk(talk) for talk in talks]).part(labels.rows)
            for rows in (features, scored)
        )
        if start is not None and len(start.coef) != features.width:
            start = start.widened(labelled)
        regression = RidgeRegression(self.wording, self.vector, self.seed, start)
        every = [comment for thread in listed for comment in thread.comments]
        penalties = self._penalties(every, features.lang)[labels.rows]
        weights, platt = regression.fit(labelled, labels, self.quality, penalties, as_scored)
        return self.hold(
            features_=features,
            weights_=weights,
            platt_=platt,
            articles_=len(np.unique(labels.articles)),
            adapted_=start is not None,
        )

    def _start(
        self, threads: Sequence[Thread]
    ) -> tuple[ArgumentFeatures, list[Talk], Weights | None]:
        """Return the features, the threads as read, and the weights to adapt, None without a ready model.

        With few comments the features are those of the ready model too.
        """
        lang = main_language(threads, self.lang) or "en"
        kind = chosen(self.vectors, lang)
        name = ready_name(lang, vectors=kind == "wordllama") if self.prior == "ready" else None
        ready = load_ready(name) if name else None
        weights = ready.weights_ if isinstance(ready, Argument) else None
        prior = ready.features_ if isinstance(ready, Argument) else None
        if prior is not None and prior.reader.vectors.kind != kind:
            prior = None  # what it has learned is about other vectors
        few = sum(len(thread.comments) for thread in threads) < _ENOUGH_COMMENTS
        if prior is not None and few and self.padding:
            features = prior
            talks = [Talk.of(thread, features.reader) for thread in threads]
        else:
            features, talks = ArgumentFeatures.of(
                threads, vectors=self.vectors, lang=self.lang, padding=self.padding, seed=self.seed
            )
            features = replace(features, linked=prior.linked if prior else None)
        return features.relinked(talks, self.seed), talks, weights

    def at_hand(self, threads: Sequence[Thread]) -> Self:
        """Return the ranker with a detector of foreign sentences learned from threads, if they are enough."""
        # Whether they are enough is asked before any is read.
        if self.length == 1 or not Linked.are_enough([len(thread.comments) for thread in threads]):
            return self
        talks = [Talk.of(thread, self._scoring.reader) for thread in threads]
        features = self.features_.relinked(talks, self.seed)
        return self.with_settings().hold(features_=features)

    @property
    def _scoring(self) -> ArgumentFeatures:
        """The features by which comments are scored: with length as far as it counts."""
        self.check_fitted()
        return replace(self.features_, length=self.length)

    def scores(self, thread: Thread) -> Floats:
        """Return the log-odds that a judge calls each comment constructive."""
        rows = self._scoring.blocks(Talk.of(thread, self._scoring.reader))
        scores = np.concatenate([np.zeros(0), *map(self.weights_.scores, rows)])
        return scores - self._penalties(thread.comments, self.features_.lang)

    def _penalties(self, comments: Sequence[Comment], lang: str) -> Floats:
        """Return what is taken off the score of each comment for its insults.

        The definition of a constructive comment excludes slander before anything else, and votes do not: so this is set, not fitted.
        """
        if not self.insults:
            return np.zeros(len(comments))
        rates = [own.rate for own in insults_of(tuple(comment.text for comment in comments), lang)]
        return np.round(self.insults * np.array(rates, dtype=np.float64), 6)

    def replaced(
        self, thread: Thread, places: Sequence[int], comments: Sequence[Comment]
    ) -> Floats:
        """Return the scores of `Ranker.replaced`; the thread is read once, unless copies change."""
        self.check_fitted()
        if not places:
            return np.zeros(0)
        rows = self._scoring.replaced(thread, places, comments)
        if rows is None:
            return super().replaced(thread, places, comments)
        return self.weights_.scores(rows) - self._penalties(comments, self.features_.lang)

    def probability(self, thread: Thread) -> Floats:
        """Return the calibrated probability that a judge calls each comment constructive.

        Learned from scores, that it beats another comment of its article.
        """
        return self.calibrate(self.scores(thread))

    def calibrate(self, scores: Floats) -> Floats:
        """Return the calibrated probability behind each score."""
        return self.platt_(scores)

    def vectors_of(self, thread: Thread) -> Floats:
        """Return one unit vector per comment, of what the discount leaves of it."""
        rows = self._scoring.blocks(Talk.of(thread, self._scoring.reader))
        width = self.features_.reader.vectors.dimensions
        return np.vstack([np.zeros((0, width)), *(row.vectors for row in rows)])

    @property
    def calibration_error(self) -> float | None:
        """The expected error of a probability; None if votes were too few to calibrate any."""
        return self.platt_.error

    def explain(
        self,
        thread: Thread,
        most: int = MOST_REASONS,
        least: float = LEAST_SHARE,
        *,
        progress: OnProgress = silent,
    ) -> list[Explained]:
        """Return the parts of each comment's score in words, at most `most` reasons per comment.

        A reason has at least the share `least` of what sets the comment apart from the usual one.
        """
        return list(self.dissect(thread, most, least, progress).comments)

    def dissect(
        self,
        thread: Thread,
        most: int = MOST_REASONS,
        least: float = LEAST_SHARE,
        progress: OnProgress = silent,
    ) -> Dissected:
        """Return what `explain` does, the part of length in each score and the vectors, in one reading."""
        return dissect(
            self._scoring, self.weights_, self.platt_, thread,
            most=most, least=least, penalties=self._penalties(thread.comments, self.features_.lang), progress=progress,
        )  # fmt: skip

    @property
    def signed(self) -> dict[str, object]:
        """What a signature says of the model: how much length counts, and what told foreign sentences."""
        linked = self.features_.linked
        if linked is None or self.length == 1:
            return {"length": 1.0, **({} if self.insults else {"insults": 0.0})}
        source = "file" if linked.at_hand else "model"
        return {"length": self.length, "links": f"{source}({linked.learned_from[0]})"}

    @property
    def links(self) -> str:
        """A sentence that says where it was learned which sentences belong to a thread; empty if nothing was."""
        linked = self.features_.linked
        if self.length == 1 or linked is None or not linked.coef.size:
            return ""
        return f"which sentences belong to a thread was learned from {linked.basis}"

    @property
    def language(self) -> str | None:
        """The language of the training comments, whose lexicon and vectors are used."""
        return self.features_.lang if hasattr(self, "features_") else None

    @property
    def summary(self) -> str:
        """The name, language, vectors, number of features, and how much of the ready model is in it."""
        self.check_fitted()
        features = self.features_
        basis = f"{features.lang}, {features.reader.vectors.kind} vectors"
        text = f"{self.name}: {basis}, {len(self.weights_.coef)} features"
        articles = plural(self.articles_, "article")
        linked = self.features_.linked
        if linked and linked.coef.size:
            text += f", length {self.length:g}, links learned from {linked.basis}"
        if not self.adapted_:
            return f"{text}, fitted on {articles}"
        mostly = ": mostly the ready model" if self.articles_ < _FEW_ARTICLES else ""
        return f"{text}, adapted from the ready model on {articles}{mostly}"

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the state of the features, the weights and the calibration."""
        self.check_fitted()
        weights, platt, reader = self.weights_, self.platt_, self.features_.reader
        learned, counts = reader.learned()
        words, vectors = reader.vectors.learned()
        arrays = {
            **counts,
            "curve": np.stack([weights.curve.logs, weights.curve.odds]),
            "features": np.stack([weights.mean, weights.scale, weights.coef]),
            **vectors,
            **self.features_.discount.learned(),
            **(self.features_.linked.learned() if self.features_.linked else {}),
        }
        fit = {
            "bias": weights.bias,
            "platt": [platt.slope, platt.bias],
            "calibration_error": platt.error,
            "columns": [column.name for column in columns()],
            "kinds": list(lexicon(reader.lang).kinds),
            "articles": self.articles_,
            "adapted": self.adapted_,
        }
        return {**learned, **fit, **words}, arrays

    def restore(self, saved: Saved) -> None:
        """Set the state that `learned` returned."""
        learned, arrays = saved.learned, saved.arrays
        if "columns" not in learned:
            raise ValueError("saved by newsdesk 0.1, whose features are gone: fit it again")
        if learned["columns"] != [column.name for column in columns()]:
            raise ValueError("its columns are not those of this version: fit it again")
        if learned["kinds"] != list(lexicon(learned["lang"]).kinds):
            raise ValueError("its word lists are not those of this version: fit it again")
        features = ArgumentFeatures.restored(learned, arrays)
        mean, scale, coef = arrays["features"]
        slope, bias = learned["platt"]
        if len(coef) != features.width:
            raise ValueError(f"{len(coef)} weights for {features.width} columns")
        self.hold(
            features_=features,
            weights_=Weights(LengthCurve(*arrays["curve"]), mean, scale, coef, learned["bias"]),
            # A model that knows no error, such as a ready one, is not calibrated.
            platt_=Platt(slope, bias, learned.get("calibration_error")),
            articles_=learned["articles"],
            adapted_=learned["adapted"],
        )
