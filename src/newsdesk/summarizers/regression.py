"""Trained summarizers: a regression predicts the ROUGE of each sentence, and the best ones that are not redundant are taken.

    tsr      Ren et al. (2016) as used by Gholipour Ghalandari et al. (2020): features and averaged word vectors, ridge regression in closed form
    bertreg  their own (A.1): features and a sentence vector, one hidden layer of 256, SGD

Both learn the ROUGE-1 F of a sentence against the summary of its cluster (`target` can be precision or recall instead). The features are
those of `sentence_features` for both. The vector comes from the encoders table; the paper's 12-layer BERT is `encoder='hf:PATH'`. Only such an
encoder needs torch: fitting and scoring are numpy.

`fit` returns a new, fitted summarizer. It is saved into a folder and loaded by `model='FOLDER'`; the settings that fitting fixed cannot be set
then.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays, Saved, check_free
from newsdesk.settings import at_least, one_of
from newsdesk.signatures import signature
from newsdesk.streams import stream
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.regressors import (
    DEFAULT_PENALTY,
    PENALTIES,
    Check,
    Sgd,
    linear,
    network,
    ridge,
    train_network,
)
from newsdesk.summarizers.sentence_features import (
    FEATURES,
    TARGETS,
    Examples,
    Frequencies,
    SentenceFacts,
    encoder_for,
    load_encoder,
    save_encoder,
)
from newsdesk.summarizers.summarizer import Scored
from newsdesk.summarizers.trained import Cache, TrainedSummarizer
from newsdesk.text.encoders import Encoder
from newsdesk.types import Cluster
from newsdesk.wording import plural

Target = Literal["f", "p", "r"]

_CONSTANT = 1e-9  # a feature with a smaller standard deviation is constant


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The fitted state: encoder, document frequencies, standardization and weights."""

    settings: Mapping[str, Any]
    encoder: Encoder
    frequencies: Frequencies
    mean: Floats  # of each feature in the training data
    scale: Floats
    weights: Arrays
    note: str
    digest: str = field(init=False)  # identifies this model

    def __post_init__(self) -> None:
        plain, arrays = self.learned()
        digest = hashlib.sha256(json.dumps([dict(self.settings), plain]).encode())
        for name in sorted(arrays):
            digest.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
        object.__setattr__(self, "digest", digest.hexdigest()[:12])

    def rows(self, facts: SentenceFacts, texts: Sequence[str]) -> Floats:
        """Return the feature matrix of sentences: standardized features, then the vector."""
        raw = np.hstack([self.frequencies.features(facts), self.encoder.encode(texts)])
        return standardized(raw, self.mean, self.scale)

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the fitted state as JSON values and as arrays, for saving."""
        counted = self.frequencies
        plain = {
            "encoder": self.encoder.signature,
            "words": list(counted.words),
            "documents": counted.document_count,
            "clusters": counted.cluster_count,
            "note": self.note,
        }
        arrays = {"df": counted.documents, "cf": counted.clusters}
        return plain, {**arrays, "mean": self.mean, "scale": self.scale, **self.weights}


@dataclass(frozen=True)
class RougeRegression(Scored, TrainedSummarizer):
    """A summarizer whose scores are the predictions of a fitted regression."""

    model: str = ""
    encoder: str = "wordllama"
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
        return signature(self.name, {**chosen, **settled, "fitted": fitted.digest})

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
        with threadpool_limits(1):
            fitted = self._learned(clusters, dev, cache or Cache())
        return self.with_settings().hold(fitted_=fitted)

    def _learned(
        self, clusters: Iterable[Cluster], dev: Iterable[Cluster] | None, cache: Cache
    ) -> Fitted:
        train = Examples.of(clusters, self.min_tokens, cache, titles=self.titles)
        if not len(train.targets):
            raise ArgumentError(
                f"no sentence of at least {self.min_tokens} tokens with a summary to learn from"
            )
        encoder = encoder_for(self.encoder, train)
        frequencies = Frequencies.of(train.facts)
        column = TARGETS.index(self.target)
        raw, targets = train.rows(frequencies, encoder, cache), train.targets[:, column]
        mean, scale = raw[:, : len(FEATURES)].mean(axis=0), raw[:, : len(FEATURES)].std(axis=0)
        scale[scale < _CONSTANT] = 1.0
        check = None
        if dev is not None:
            dev_examples = Examples.of(dev, self.min_tokens, cache, titles=self.titles)
            if not len(dev_examples.targets):
                raise ArgumentError("the dev clusters have no sentence to check against")
            rows = standardized(dev_examples.rows(frequencies, encoder, cache), mean, scale)
            check = self._check(rows, dev_examples.targets[:, column])
        weights, note = self.learn(standardized(raw, mean, scale), targets, check)
        if not all(np.isfinite(weight).all() for weight in weights.values()):
            raise ArgumentError(f"fitting {self.name} ran off to infinity; lower its `rate`")
        size = f"{plural(len(targets), 'sentence')} of {plural(train.count, 'cluster')}"
        settings = {name: getattr(self, name) for name in self.settled}
        return Fitted(
            settings=settings,
            encoder=encoder,
            frequencies=frequencies,
            mean=mean,
            scale=scale,
            weights=weights,
            note=f"{size}{note}",
        )

    @abstractmethod
    def learn(self, rows: Floats, targets: Floats, check: Check | None) -> tuple[Arrays, str]:
        """Return the fitted weights and a note on the choices made.

        `check` returns the error of weights on dev clusters.
        """

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
        texts = [prepared.texts[number] for number in prepared.distinct.tolist()]
        with threadpool_limits(1):
            return self.predict(fitted.weights, fitted.rows(SentenceFacts.of(prepared), texts))

    @property
    def summary(self) -> str:
        """The name and a note on the training data, in one line."""
        return f"{self.name}: {self.fitted().note}"

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the fitted model and its encoder into a folder."""
        encoder = self.fitted().encoder
        check_free(folder, overwrite=overwrite)
        save_encoder(encoder, Path(folder))
        super().save(folder, overwrite=overwrite)

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
        self.hold(fitted_=Fitted(saved.settings, encoder, frequencies, mean, scale, arrays, note))

    def _check(self, rows: Floats, targets: Floats) -> Check:
        """Return a function that returns the mean squared error of weights on these rows."""
        return lambda weights: float(np.mean((self.predict(weights, rows) - targets) ** 2))


@dataclass(frozen=True)
class Tsr(RougeRegression):
    """Ridge regression on features and averaged word vectors.

    The penalty is chosen on dev clusters unless it is set.
    """

    penalty: float | None = None

    name = "tsr"
    settled = (*RougeRegression.settled, "penalty")

    def __post_init__(self) -> None:
        RougeRegression.__post_init__(self)
        if self.penalty is not None and not self.penalty > 0:
            raise ArgumentError(f"penalty is {self.penalty}, not above zero")

    def learn(self, rows: Floats, targets: Floats, check: Check | None) -> tuple[Arrays, str]:
        """Ridge regression with the penalty of lowest dev error, the smallest of equals."""
        if self.penalty is not None or check is None:
            penalty = self.penalty or DEFAULT_PENALTY
            return next(ridge(rows, targets, (penalty,))), f", penalty {penalty:g}"
        candidates = list(ridge(rows, targets, PENALTIES))
        errors = [check(candidate) for candidate in candidates]
        best = int(np.argmin(errors))
        note = f", penalty {PENALTIES[best]:g}, dev error {errors[best]:.5f}"
        return candidates[best], note

    def predict(self, weights: Arrays, rows: Floats) -> Floats:
        """Return the linear predictions."""
        return linear(weights, rows)


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
        if not self.rate > 0:
            raise ArgumentError(f"rate is {self.rate}, not above zero")

    def learn(self, rows: Floats, targets: Floats, check: Check | None) -> tuple[Arrays, str]:
        """Train the network by SGD."""
        settings = Sgd(self.hidden, self.rate, self.epochs, self.batch)
        rng = stream("summarizers bertreg fit", self.seed)
        weights, epoch = train_network(rows, targets, settings, rng, check)
        note = f", dev error {check(weights):.5f}" if check else ""
        return weights, f", epoch {epoch} of {self.epochs}{note}"

    def predict(self, weights: Arrays, rows: Floats) -> Floats:
        """Return the predictions of the network."""
        return network(weights, rows)


def standardized(raw: Floats, mean: Floats, scale: Floats) -> Floats:
    """Return the features standardized by the training data's mean and deviation.

    The vector is left at unit length.

    Vectors standardized by column as well would outweigh the features: on the shared WCEP clusters the network's error on held-out
    clusters was then .0073 instead of .0062.
    """
    rows = raw.copy()
    rows[:, : len(FEATURES)] = (raw[:, : len(FEATURES)] - mean) / scale
    return rows
