"""RankNet and LSTMReg of Fujita et al. (2019), appendix B: one LSTM encodes the comment, another the title, a linear layer gives the score.

RankNet learns from pairs of comments of one article (ties count ½), LSTMReg from single scores by squared error. Words are those of the linear
rankers, in their order; words that were cut become `<unk>`. Training takes torch, ranking only numpy.

Where we depart: skip-gram vectors are trained on the comments of the training threads, judged or not, unless a file of vectors is named (the paper had 1.5
million comments); LSTMReg's targets are standardized, which changes no ranking; a comment is truncated to its first `max_words` words (the paper's
comments have at most 125 characters); rare words are trained as `<unk>`, while gensim leaves out those seen less than five times
(`vector_min_count=5`; they keep a random vector); with dev threads training stops early, and the network of the best NDCG@5 is taken. `patience=None` trains through all iterations, as the paper
does, whether there are dev threads or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays, Saved, learned_field
from newsdesk.nn.text_pairs import (
    EarlyStopping,
    TextGroup,
    TextPairScorer,
    TextPairSettings,
    fit_text_pairs,
)
from newsdesk.nn.trainer import Array, Lstm
from newsdesk.nn.vectors import SkipGram, read_vectors, word_vectors
from newsdesk.rankers.features import Bags, Width, Words, known_words
from newsdesk.rankers.linear import DEV_DEPTH, dev_ndcg
from newsdesk.rankers.ranker import LabelledComments, Ranker, Target, check_enough, in_id_order
from newsdesk.settings import above_zero
from newsdesk.text.language import main_language
from newsdesk.text.ragged import Vocabulary
from newsdesk.types import Thread
from newsdesk.work.progress import OnProgress, Progress, named, silent

_COUNTS = (
    "iterations", "units", "dimensions", "batch", "epochs", "min_count", "max_words", "check_every"
)  # fmt: skip
_PARTS = ("w_input", "w_state", "bias")
# Decimals to which float32 sums agree, independent of the comments ranked together.
_DECIMALS = 6


@dataclass(frozen=True, eq=False, kw_only=True)
class NeuralRanker(Ranker):
    """A ranker that scores with a network of two LSTMs."""

    loss: ClassVar[Literal["pairs", "squared"]]

    iterations: int = 10_000
    units: int = 300
    dimensions: int = 300
    batch: int = 10
    learning_rate: float = 1e-4
    vectors: str | None = None
    epochs: int = 5
    target: Target = "score"
    min_count: int = 4
    vector_min_count: int | None = None
    max_words: int = 200
    width: Width | None = None
    lang: str | None = None
    check_every: int = 200
    patience: int | None = 5
    seed: int = 0

    network_: TextPairScorer = learned_field()
    dev_: list[float] = learned_field()  # the NDCG of every check
    language_: str | None = learned_field()

    def __post_init__(self) -> None:
        if self.target not in get_args(Target):
            raise ArgumentError(f"target is {self.target!r}, not 'score' or 'likes'")
        above_zero("learning_rate", self.learning_rate)
        above_zero("patience", self.patience)
        above_zero("vector_min_count", self.vector_min_count)
        for name in _COUNTS:
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name} is {getattr(self, name)}, below 1")
        self._bags()

    @property
    def wants_dev(self) -> bool:
        """True: dev threads are not trained on; training stops early by them unless `patience` is None."""
        return True

    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
    ) -> Self:
        """Learn from the comments that have a target.

        `progress` is called with training steps and NDCG on the dev threads.
        """
        listed = in_id_order(threads)
        check_enough(listed, self.target, self.name)
        labelled = LabelledComments.of(listed, self.target)
        read = [self._words(thread) for thread in listed]
        tell = named(progress or silent, self.name)
        vocabulary, vectors = self._vectors(read, tell)
        groups = _groups(read, vocabulary, labelled, self.scaled(labelled.targets))
        dev_values: list[float] = []
        stopping = None
        if dev is not None and self.patience is not None:
            measure = self._measure(in_id_order(dev), vocabulary, dev_values, tell)
            stopping = EarlyStopping(measure, self.check_every, self.patience)
        settings = self.settings_for(TextPairSettings)
        network = fit_text_pairs(groups, vocabulary, vectors, self.loss, settings, tell, stopping)
        language = main_language(listed, self.lang)
        return self.hold(network_=network, dev_=dev_values, language_=language)

    def scaled(self, targets: Floats) -> Floats:
        """Return the targets on the scale that the loss needs."""
        return targets

    def scores(self, thread: Thread) -> Floats:
        """Return the network's score of each comment under the title, to six decimals."""
        self.check_fitted()
        title, comments = self._words(thread)
        return np.round(self.network_.scores(comments, title), _DECIMALS)

    @property
    def summary(self) -> str:
        """The name, the sizes of vocabulary and training, and the best dev NDCG."""
        self.check_fitted()
        dev = f", dev NDCG@{DEV_DEPTH} {max(self.dev_):.4f}" if self.dev_ else ""
        steps = f"at most {self.iterations:,}" if self.dev_ else f"{self.iterations:,}"
        return f"{self.name}: {len(self.network_.vocabulary):,} words, {steps} steps{dev}"

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the vocabulary, the dev NDCG of every check in order, and the weights."""
        self.check_fitted()
        network = self.network_
        lstms = {"text": network.text_lstm, "title": network.context_lstm}
        arrays = {
            f"{name}_{part}": getattr(lstm, part) for name, lstm in lstms.items() for part in _PARTS
        }
        learned = {
            "words": network.vocabulary.words,
            "dev": self.dev_,
            "bias": network.bias,
            "lang": self.language_,
        }
        return learned, {"vectors": network.vectors, "weights": network.weights, **arrays}

    def restore(self, saved: Saved) -> None:
        """Set the state that `learned` returned."""
        learned, arrays = saved.learned, saved.arrays
        vocabulary = Vocabulary(tuple(learned["words"]))
        vectors, weights = arrays["vectors"], arrays["weights"]
        if vectors.shape != (len(vocabulary), self.dimensions):
            raise ValueError(f"{vectors.shape} vectors for {len(vocabulary)} words")
        text, title = (
            Lstm(*(arrays[f"{name}_{part}"] for part in _PARTS)) for name in ("text", "title")
        )
        bias = float(learned["bias"])
        self.hold(
            network_=TextPairScorer(
                vocabulary, vectors, text_lstm=text, context_lstm=title, weights=weights, bias=bias
            ),
            dev_=list(learned["dev"]),
            language_=learned.get("lang"),  # models saved by version 0.1.0 have none
        )

    def _bags(self) -> Bags:
        return Bags(self.width, self.lang)

    def _words(self, thread: Thread) -> Words:
        title, comments = self._bags().sequences(thread)
        return title[: self.max_words], [words[: self.max_words] for words in comments]

    def _vectors(self, read: Sequence[Words], tell: OnProgress) -> tuple[Vocabulary, Array]:
        """Return the vocabulary, and the initial word vectors: read from a file, or trained on comments."""
        vocabulary = known_words(read, self.min_count)
        if self.vectors:
            vectors = read_vectors(self.vectors, vocabulary, self.dimensions, seed=self.seed)
            return vocabulary, vectors
        settings = SkipGram(dimensions=self.dimensions, epochs=self.epochs, seed=self.seed)
        texts = [words for _, comments in read for words in comments]
        if self.vector_min_count:
            texts = _without_rare_words(texts, self.vector_min_count)
        return vocabulary, word_vectors(texts, vocabulary, settings, tell)

    def _measure(
        self, dev: list[Thread], vocabulary: Vocabulary, dev_values: list[float], tell: OnProgress
    ) -> Callable[[TextPairScorer], float]:
        """Return the NDCG of a network on dev threads, each value also listed in `dev_values`."""
        read = [self._words(thread) for thread in dev]
        labelled = LabelledComments.of(dev, self.target)
        comments = [words for _, texts in read for words in texts]
        texts = vocabulary.rows(comments[row] for row in labelled.rows.tolist())
        titles = vocabulary.rows(title for title, _ in read)

        def measure(network: TextPairScorer) -> float:
            scores = network.scores_of(texts, titles, labelled.articles)
            dev_values.append(dev_ndcg(labelled, np.round(scores, _DECIMALS)))
            tell(Progress(f"dev NDCG@{DEV_DEPTH} {dev_values[-1]:.4f}"))
            return dev_values[-1]

        return measure


class RankNet(NeuralRanker):
    """RankNet (Burges et al., 2005): cross entropy of which of two comments of an article is the better."""

    name = "ranknet"
    loss = "pairs"


class LstmReg(NeuralRanker):
    """LSTMReg: squared error of the standardized score."""

    name = "lstm-reg"
    loss = "squared"

    def scaled(self, targets: Floats) -> Floats:
        """Return the targets standardized to mean 0 and standard deviation 1."""
        return (targets - targets.mean()) / (targets.std() or 1.0)


def _without_rare_words(texts: Sequence[Sequence[str]], min_count: int) -> list[list[str]]:
    """Return texts without the words that all of them together hold less than `min_count` times."""
    counts = Counter(word for words in texts for word in words)
    return [[word for word in words if counts[word] >= min_count] for words in texts]


def _groups(
    read: Sequence[Words], vocabulary: Vocabulary, labelled: LabelledComments, targets: Floats
) -> list[TextGroup]:
    """Return the comments with a target under their titles, article by article.

    `targets` are those of the labelled comments, on the scale of the loss.
    """
    comments = [words for _, texts in read for words in texts]
    groups = []
    for number, (title, _) in enumerate(read):
        own = np.flatnonzero(labelled.articles == number)
        texts = tuple(vocabulary.ids(comments[row]) for row in labelled.rows[own].tolist())
        groups.append(TextGroup(texts, vocabulary.ids(title), targets[own]))
    return groups


@dataclass(frozen=True, slots=True, eq=False)
class CommentVectors:
    """A vocabulary, a vector for each of its words, and the number of comments they were trained on."""

    vocabulary: Vocabulary
    vectors: Array
    comments: int


def comment_vectors(
    threads: Iterable[Thread],
    settings: SkipGram | None = None,
    *,
    min_count: int = 4,
    lang: str | None = None,
    progress: OnProgress = silent,
) -> CommentVectors:
    """Train on the comments of threads; words rarer than `min_count` become `<unk>`.

    Titles count towards `min_count` and are not trained on.
    """
    read = [Bags(lang=lang).sequences(thread) for thread in threads]
    vocabulary = known_words(read, min_count)
    if len(vocabulary) == 1:
        raise ArgumentError(f"no word comes {min_count} times; lower --min-count")
    texts = [words for _, comments in read for words in comments]
    vectors = word_vectors(texts, vocabulary, settings, progress)
    return CommentVectors(vocabulary, vectors, len(texts))
