"""Trained summarizers: a regression predicts the ROUGE of each sentence, and the best ones that are not redundant are taken.

    tsr      Ren et al. (2016) as used by Gholipour Ghalandari et al. (2020): features and averaged word vectors, ridge regression in closed form
    bertreg  their own (A.1): features and a sentence vector, one hidden layer of 256, SGD

Both learn the ROUGE-1 F of a sentence against the summary of its cluster (`target` can be precision or recall instead). The features are
those of `sentence_features` for both. The vector comes from the encoders table. That of `bertreg` must be chosen: the paper's 12-layer BERT is
`encoder='hf:PATH'`. Only such an encoder needs torch: fitting and scoring are numpy.

`tsr` also learns what a sentence is worth beside others (`relative`), which is Ren et al.'s point: f(s | S), the gain of a sentence s given those taken, S. f(s) is
the ridge regression. f(s | S) is a second, small one on f(s) and the relations of s to S; its target is the ROUGE of s where words of the summary that the first choice of
a greedy oracle holds count no more. (Learned from its first three choices, or from leads or random sentences in its place, R1-F on the shared WCEP clusters was .001 to .003 lower.)
After every sentence taken all others are scored anew. Their features and network are not in the papers at hand, so these are ours.

Fitting streams over the clusters: memory does not grow with the number of sentences. `fit` returns a new, fitted summarizer. It is saved into a folder
and loaded by `model='FOLDER'`; the settings that fitting fixed cannot be set then.
"""

from __future__ import annotations

import functools
import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays, Saved, check_free
from newsdesk.settings import above_zero, at_least, one_of
from newsdesk.signatures import signature
from newsdesk.streams import stream
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.regressors import (
    DEFAULT_PENALTY,
    PENALTIES,
    Learned,
    Moments,
    RowFile,
    Sgd,
    linear,
    network,
    network_error,
    ridge,
    train_network,
    weights_beside,
)
from newsdesk.summarizers.sentence_features import (
    FEATURES,
    RELATIONS,
    TARGETS,
    Frequencies,
    Relations,
)
from newsdesk.summarizers.summarizer import (
    SHOWN_BEHIND,
    Redundancy,
    Scored,
    Step,
    add_best,
    said,
)
from newsdesk.summarizers.trained import (
    Cache,
    ClusterExamples,
    Examples,
    Fitted,
    TrainedSummarizer,
    encoder_for,
    load_encoder,
    save_encoder,
)
from newsdesk.types import Article, Cluster
from newsdesk.wording import plural

Target = Literal["f", "p", "r"]


@dataclass(frozen=True)
class RougeRegression(Scored, TrainedSummarizer):
    """A summarizer whose scores are the predictions of a fitted regression."""

    model: str = ""
    encoder: str = ""
    target: Target = "f"
    fitted_: Fitted | None = field(default=None, init=False, repr=False)

    settled: ClassVar[tuple[str, ...]] = ("encoder", "target")

    def __post_init__(self) -> None:
        Scored.__post_init__(self)
        one_of("target", self.target, get_args(Target))
        arguments = dict(self.spec.arguments)
        for name in self.settled:
            if self.model and name in arguments:
                raise ArgumentError(
                    f"{name} was settled when {self.model!r} was fitted; leave it out"
                )

    @property
    def seeded(self) -> bool:
        """True if fitting uses random numbers; a fitted model does not."""
        return hasattr(self, "seed") and not self.model

    @property
    def trained(self) -> bool:
        """True if there is a fitted model to score with."""
        return bool(self.model) or self.fitted_ is not None

    @property
    def digest(self) -> str:
        """The digest of the fitted model."""
        return self.fitted().digest

    @property
    def signature(self) -> str:
        """The settings of selection and of fitting, and the digest of the model."""
        if not self.trained:
            return super().signature
        fitted = self.fitted()
        names = (each.name for each in fields(Scored))
        chosen = {name: getattr(self, name) for name in names}
        settled = {**fitted.settings, "encoder": fitted.encoder.signature}
        return signature(self.name, {**said(chosen), **settled, "fitted": fitted.digest})

    def fit(
        self,
        clusters: Iterable[Cluster],
        dev: Iterable[Cluster] | None = None,
        *,
        cache: Cache | None = None,
    ) -> Self:
        """Return a new summarizer fitted on clusters with summaries.

        Open hyper-parameters are chosen by the error on `dev` clusters.
        """
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        if self.model:
            raise ArgumentError(f"this {self.name} is fitted: {self.model!r}; leave `model` out")
        if not self.encoder:
            raise ArgumentError(
                f"no encoder was chosen for {self.name}: that of the paper is a BERT, {self.name}(encoder='hf:PATH'); "
                f"{self.name}(encoder='wordllama') averages word vectors instead"
            )
        with threadpool_limits(1):
            fitted = self._learned(clusters, dev, cache)
        return self.with_settings().hold(fitted_=fitted)

    def _learned(
        self, clusters: Iterable[Cluster], dev: Iterable[Cluster] | None, cache: Cache | None
    ) -> Fitted:
        """Return the state fitted on clusters; an error if there is nothing to learn from."""
        train = Examples(clusters, self, cache, gains=self.learns_gains)
        if not train.sentences:
            raise ArgumentError(
                f"no sentence of at least {self.min_tokens} tokens with a summary to learn from"
            )
        encoder = encoder_for(self.encoder, train)
        frequencies = train.frequencies()
        held_out = None
        if dev is not None:
            checked = Examples(dev, self, cache, gains=self.learns_gains)
            if not checked.sentences:
                raise ArgumentError("the dev clusters have no sentence to check against")
            held_out = checked.blocks(frequencies, encoder)
        learned = self.learn(train.blocks(frequencies, encoder), held_out)
        if not all(np.isfinite(weight).all() for weight in learned.weights.values()):
            raise ArgumentError(f"fitting {self.name} ran off to infinity; lower its `rate`")
        size = f"{plural(train.sentences, 'sentence')} of {plural(train.clusters, 'cluster')}"
        return Fitted(
            settings={name: getattr(self, name) for name in self.settled},
            encoder=encoder,
            frequencies=frequencies,
            mean=learned.mean,
            scale=learned.scale,
            weights=learned.weights,
            note=f"{size}, encoder {encoder.signature}{learned.note}",
        )

    @property
    def learns_gains(self) -> bool:
        """True if the regression needs the gains of sentences beside others."""
        return False

    @property
    def target_column(self) -> int:
        """The column of the targets that is learned."""
        return TARGETS.index(self.target)

    @abstractmethod
    def learn(
        self, train: Iterator[ClusterExamples], dev: Iterator[ClusterExamples] | None
    ) -> Learned:
        """Learn from a stream of examples; what is open is chosen by the error on `dev`."""

    @abstractmethod
    def predict(self, weights: Arrays, rows: Floats) -> Floats:
        """Return the predicted target of each row."""

    def fitted(self) -> Fitted:
        """Return the fitted state: of this object, or loaded from `model`."""
        if self.fitted_ is not None:
            return self.fitted_
        if not self.model:
            raise ArgumentError(
                f"{self.name} is not fitted; type: newsdesk summarize TRAIN.jsonl --method {self.name} "
                f"--fit FOLDER, then name it: --method {self.name} --fitted FOLDER"
            )
        return self._loaded

    @functools.cached_property
    def _loaded(self) -> Fitted:
        """The fitted state saved in the folder `model`, read on first use."""
        return self.load(self.model).fitted()

    def scores(self, prepared: Prepared) -> Floats:
        """Return the predicted ROUGE of each distinct sentence."""
        from threadpoolctl import threadpool_limits

        fitted = self.fitted()
        with threadpool_limits(1):
            return self.predict(fitted.weights, fitted.rows(prepared))

    @property
    def summary(self) -> str:
        """The name and a note on the training data, in one line."""
        return f"{self.name}: {self.fitted().note}"

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        articles: Iterable[Article] | None = None,
        overwrite: bool = True,
    ) -> None:
        """Write the fitted model and its encoder into a folder."""
        encoder = self.fitted().encoder
        check_free(folder, overwrite=overwrite)
        (Path(folder) / "model.json").unlink(missing_ok=True)  # its encoder goes now
        save_encoder(encoder, Path(folder))
        super().save(folder, articles=articles, overwrite=overwrite)

    def saved(self) -> Saved:
        """Return the fitted state, and of the settings those that fitting settled."""
        return replace(super().saved(), settings=dict(self.fitted().settings))

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the fitted state as JSON values and as arrays."""
        return self.fitted().learned()

    def restore(self, saved: Saved) -> None:
        """Set the fitted state; a fitted encoder lies beside it."""
        learned, arrays = saved.learned, dict(saved.arrays)
        frequencies = Frequencies(
            tuple(learned["words"]),
            documents=arrays.pop("df"),
            clusters=arrays.pop("cf"),
            document_count=learned["documents"],
            cluster_count=learned["clusters"],
        )
        encoder = load_encoder(saved.settings["encoder"], saved.folder)
        mean, scale = arrays.pop("mean"), arrays.pop("scale")
        if encoder.signature != learned["encoder"]:
            raise ValueError(f"it needs {learned['encoder']}, and here is {encoder.signature}")
        note = str(learned["note"])
        # What is left of the arrays are the weights.
        self.hold(fitted_=Fitted(saved.settings, encoder, frequencies, mean, scale, arrays, note))


@dataclass(frozen=True)
class Tsr(RougeRegression):
    """Ridge regression on features and averaged word vectors.

    With `relative` sentences are scored anew beside those taken. The penalty is chosen on dev clusters unless it is set.
    """

    encoder: str = "wordllama"
    penalty: float | None = None
    relative: bool = True

    name = "tsr"
    settled = (*RougeRegression.settled, "penalty", "relative")

    def __post_init__(self) -> None:
        RougeRegression.__post_init__(self)
        above_zero("penalty", self.penalty)

    @property
    def learns_gains(self) -> bool:
        """True if sentences are scored beside others."""
        return self.relative

    def learn(
        self, train: Iterator[ClusterExamples], dev: Iterator[ClusterExamples] | None
    ) -> Learned:
        """Ridge regression with the penalty of lowest dev error, the smallest of equals."""
        alone, beside = self._moments(train)
        # Features are standardized, vectors stay as they are.
        mean, scale = alone.mean[: len(FEATURES)], alone.deviations(len(FEATURES))
        rows = alone.standardized(mean, scale)
        penalties = (
            PENALTIES if self.penalty is None and dev else (self.penalty or DEFAULT_PENALTY,)
        )
        candidates = list(ridge(rows, penalties))
        best, note = 0, ""
        if dev:
            dev_alone, _ = self._moments(dev)
            held_out = dev_alone.standardized(mean, scale)
            errors = [held_out.error(candidate) for candidate in candidates]
            best = int(np.argmin(errors))
            note = f", dev error {errors[best]:.5f}" if len(penalties) > 1 else ""
        weights = dict(candidates[best])
        if self.relative:
            weights["relative"] = weights_beside(beside.standardized(mean, scale), weights)
        return Learned(mean, scale, weights, f", penalty {penalties[best]:g}{note}")

    def _moments(self, blocks: Iterator[ClusterExamples]) -> tuple[Moments, Moments]:
        """Return the moments of sentences alone, and of sentences beside those that an oracle took."""
        alone = beside = Moments(0)
        for block in blocks:
            rows = np.hstack([block.features, block.vectors])
            if not alone.count:
                alone = Moments(rows.shape[1] + 1)
                beside = Moments(rows.shape[1] + len(RELATIONS) + 1)
            alone.add(np.column_stack([rows, block.targets[:, self.target_column]]))
            if len(block.gains):
                gains = block.gains[:, self.target_column]
                beside.add(np.column_stack([rows, block.relations, gains]))
        return alone, beside

    def predict(self, weights: Arrays, rows: Floats) -> Floats:
        """Return the linear predictions."""
        return linear(weights, rows)

    def steps(self, prepared: Prepared) -> list[Step]:
        """Greedy selection; all sentences are scored anew beside those taken, if that was learned."""
        from threadpoolctl import threadpool_limits

        fitted = self.fitted()
        if "relative" not in fitted.weights:
            return super().steps(prepared)
        with threadpool_limits(1):
            rows = fitted.rows(prepared)
            alone = self.predict(fitted.weights, rows)
        vectors = rows[:, len(FEATURES) :]
        relations, cosines = Relations(prepared), np.zeros(len(rows))
        scores = alone

        def take(place: int) -> None:
            nonlocal scores, cosines
            relations.take(place)
            cosines = np.maximum(cosines, vectors @ vectors[place])
            beside = np.column_stack([alone, relations.features(), cosines])  # sentences × 5
            *slopes, constant = fitted.weights["relative"]
            scores = beside @ np.array(slopes) + constant

        steps = add_best(
            prepared,
            self.room(prepared),
            self.min_tokens,
            scores=lambda: scores,
            take=take,
            redundancy=Redundancy(prepared, self.redundancy),
        )
        last = max((at for at, step in enumerate(steps) if step.outcome == "taken"), default=-1)
        return steps[: last + 1 + SHOWN_BEHIND]


@dataclass(frozen=True)
class BertReg(RougeRegression):
    """A network with one hidden layer on features and a sentence vector.

    With dev clusters, the epoch of lowest dev error is used.
    """

    hidden: int = 256
    rate: float = 0.02
    epochs: int = 8
    batch: int = 8
    seed: int = 0

    name = "bertreg"
    settled = (*RougeRegression.settled, "hidden", "rate", "epochs", "batch", "seed")

    def __post_init__(self) -> None:
        RougeRegression.__post_init__(self)
        for name in ("hidden", "epochs", "batch"):
            at_least(name, getattr(self, name), 1)
        above_zero("rate", self.rate)

    def learn(
        self, train: Iterator[ClusterExamples], dev: Iterator[ClusterExamples] | None
    ) -> Learned:
        """Train the network by SGD on rows in a temporary file."""
        settings = Sgd(hidden=self.hidden, rate=self.rate, epochs=self.epochs, batch=self.batch)
        rng = stream("summarizers bertreg fit", self.seed)
        with ExitStack() as files:
            rows, features = self._rows(train, files)
            mean, scale = features.mean, features.deviations(len(FEATURES))
            rows.standardize(mean, scale)
            check = None
            if dev:
                held_out, _ = self._rows(dev, files)
                held_out.standardize(mean, scale)
                check = functools.partial(network_error, held_out)
            weights, epoch = train_network(rows, settings, rng, check)
            note = f", dev error {check(weights):.5f}" if check else ""
        return Learned(mean, scale, weights, f", epoch {epoch} of {self.epochs}{note}")

    def _rows(self, blocks: Iterator[ClusterExamples], files: ExitStack) -> tuple[RowFile, Moments]:
        """Write examples to a file and return it with the moments of their features."""
        features = Moments(len(FEATURES))
        rows: RowFile | None = None
        for block in blocks:
            features.add(block.features)
            target = block.targets[:, self.target_column]
            joined = np.column_stack([block.features, block.vectors, target])
            rows = rows or files.enter_context(RowFile(joined.shape[1]))
            rows.add(joined)
        assert rows is not None  # there is a block for every cluster
        return rows, features

    def predict(self, weights: Arrays, rows: Floats) -> Floats:
        """Return the predictions of the network."""
        return network(weights, rows)
