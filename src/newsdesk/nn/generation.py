"""An encoder–decoder that generates a text from a source, with or without attention: inference in numpy, training with torch.

With attention (Bahdanau et al. 2015) the energy of a source word is v · tanh(W s + U h). The attention reads the decoder's state after the step and feeds the output layer, as in Luong et al. (2015), so that training can run the decoder over a whole target at once. Words are predicted by an
adaptive softmax (Grave et al. 2017): a proper distribution over the whole vocabulary in which rare words cost less. A word outside the vocabulary is replaced by the source word with the most attention.

The loss is the mean of −log p over the words of the targets. Training has a budget of time or updates; a checkpoint holds weights, moments of the optimizers, the state of the random numbers and the position in the data: a training that was killed resumes
with the same losses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays
from newsdesk.nn.encoder_decoder import (
    END_ID,
    START_ID,
    UNKNOWN_ID,
    Beam,
    EncoderDecoder,
    State,
    batches_of_similar_length,
    best_sequences,
    decoded,
    dropped,
    encoded,
    mean_loss,
    rounded_weights,
)
from newsdesk.nn.trainer import (
    Array,
    Checkpoints,
    adam,
    inside,
    padded,
    read_checkpoint,
    seeded_torch,
    update,
    write_checkpoint,
)
from newsdesk.streams import stream
from newsdesk.text.ragged import Vocabulary
from newsdesk.work.progress import OnProgress, Progress, silent

_CUTOFFS = (2_000, 10_000)  # words: where the clusters of the adaptive softmax begin

Pair = tuple[NDArray[np.int32], NDArray[np.int32]]  # word ids of a source and of its target


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A generated text with its score in the beam and its attention, if the network has any."""

    words: tuple[str, ...]
    score: float
    attention: NDArray[np.float32] | None  # words × source


@dataclass(frozen=True, slots=True, eq=False)
class Generator(EncoderDecoder):
    """The fitted network; inference in numpy."""

    @property
    def attends(self) -> bool:
        """True if the network has attention."""
        return "query.weight" in self.weights

    def write(self, words: Sequence[str], beam: Beam, count: int) -> list[GeneratedText]:
        """Write up to `count` texts for a source by beam search, best first.

        An empty source is read as one unknown word.
        """
        source = self.vocabulary.ids(words).astype(np.int64) if words else np.zeros(1, np.int64)
        decoding = _Decoding(self, source)
        sequences = best_sequences(START_ID, END_ID, decoding.start(), decoding.step, beam, count)
        return [self._spelled(decoding, row, score, words) for score, row in sequences]

    def _spelled(
        self, decoding: _Decoding, row: list[int], score: float, source: Sequence[str]
    ) -> GeneratedText:
        """Return a sequence of word ids as words, unknown ones replaced from the source."""
        attention = decoding.attention(row) if self.attends else None
        spelled = [self.vocabulary.words[number] for number in row]
        for position, number in enumerate(row):
            if number == UNKNOWN_ID and attention is not None and source:
                spelled[position] = source[int(attention[position].argmax())]
        return GeneratedText(tuple(spelled), score, attention)

    def log_probabilities(self, rows: Array) -> Array:
        """Return the log probability of every word after output vectors (rows × words)."""
        size = len(self.vocabulary)
        cutoffs = [*cutoffs_of(size), size]
        # The head holds the common words, and after them one entry for each cluster of rare ones.
        head = _log_softmax(rows @ self.weights["out.head.weight"].T)
        log_p = np.empty((len(rows), size), dtype=np.float32)  # rows × words
        log_p[:, : cutoffs[0]] = head[:, : cutoffs[0]]
        for cluster, (low, high) in enumerate(pairwise(cutoffs)):
            small = rows @ self.weights[f"out.tail.{cluster}.0.weight"].T  # rows × fewer units
            tail = _log_softmax(small @ self.weights[f"out.tail.{cluster}.1.weight"].T)
            log_p_cluster = head[:, cutoffs[0] + cluster]  # rows
            log_p[:, low:high] = tail + log_p_cluster[:, None]
        return log_p


class _Decoding:
    """The decoding of one source."""

    def __init__(self, network: Generator, source: Ints) -> None:
        self.network = network
        self.vectors = network.weights["words.weight"]  # words × dimensions
        self.source, self.begin = network.encode(self.vectors[source])  # source × units
        self.writer = network.lstm("writer")
        self.keys = network.dense("key", self.source) if network.attends else None

    def start(self) -> State:
        """Return the state of one empty sequence: the decoder's state and cell (1 × units)."""
        state, cell = np.split(self.begin[None], 2, axis=1)
        return state, cell

    def step(self, state: State, last: Ints) -> tuple[Array, State]:
        """Return the log probability of every word after the last words, and the new states.

        `<s>` and, without attention, `<unk>` cannot be written.
        """
        hidden, cell = self.writer.step(self.vectors[last], *state)  # sequences × units
        seen = hidden
        if self.keys is not None:
            seen = np.hstack([hidden, self._weights(hidden) @ self.source])
        log_p = self.network.log_probabilities(np.tanh(self.network.dense("blend", seen)))
        log_p[:, START_ID] = -np.inf
        if self.keys is None:
            log_p[:, UNKNOWN_ID] = -np.inf
        return log_p, (hidden, cell)

    def attention(self, row: list[int]) -> Array:
        """Return the attention while each word of a sequence is written (words × source).

        Each row sums to one.
        """
        (hidden, cell), weights = self.start(), []
        for last in [START_ID, *row[:-1]][: len(row)]:
            hidden, cell = self.writer.step(self.vectors[np.array([last])], hidden, cell)
            weights.append(self._weights(hidden)[0])
        return np.array(weights, dtype=np.float32).reshape(len(row), len(self.source))

    def _weights(self, hidden: Array) -> Array:
        """Return the attention of decoder states on the source (sequences × source)."""
        keys: Any = self.keys  # source × units
        energy = np.tanh(self.network.dense("query", hidden)[:, None] + keys[None])
        return np.exp(_log_softmax(energy @ self.network.weights["energy.weight"][0]))


def cutoffs_of(size: int) -> list[int]:
    """Return where the clusters of the adaptive softmax begin.

    That is after 2,000 and 10,000 words, or before the last word of a small vocabulary.

    >>> cutoffs_of(30_000), cutoffs_of(1_000)
    ([2000, 10000], [999])
    """
    return [cutoff for cutoff in _CUTOFFS if cutoff < size - 1] or [size - 1]


def _log_softmax(rows: Array) -> Array:
    shifted: Array = rows - rows.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@dataclass(frozen=True, slots=True)
class GeneratorSettings:
    """Hyper-parameters of the network and its training.

    With both `updates` and `minutes`, whichever is reached first ends it; without `patience` nothing else does.
    """

    attention: bool = True
    units: int = 256
    dimensions: int = 128
    dropout: float = 0.2
    batch: int = 32
    learning_rate: float = 1e-3
    clip: float = 5.0
    minutes: float | None = 8.0
    updates: int | None = None
    check_every: int = 500
    patience: int | None = 5
    seed: int = 0


@dataclass(slots=True)
class Progressed:
    """How far a training has come: updates, position in the data, time spent, losses."""

    updates: int = 0
    epoch: int = 0
    batch: int = 0  # of the present epoch
    elapsed_s: float = 0.0
    tokens: int = 0
    running: float = 0.0  # the mean loss of about the last 50 updates
    best: float | None = None  # the lowest dev loss
    waited: int = 0  # checks since then
    dev: list[float] = field(default_factory=list)  # the dev loss at every check
    losses: list[float] = field(default_factory=list)  # the running mean at every 100th update


def fit_generator(
    pairs: Sequence[Pair],
    vocabulary: Vocabulary,
    settings: GeneratorSettings,
    *,
    dev: Sequence[Pair] = (),
    checkpoints: Checkpoints | None = None,
    progress: OnProgress = silent,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Generator, Progressed]:
    """Fit the network, or go on from a checkpoint, and return it with its progress.

    With dev pairs it is the network of the lowest dev loss.
    """
    if not pairs:
        raise ArgumentError("there is nothing to learn from: no article has a comment with words")
    if settings.minutes is None and settings.updates is None:
        raise ArgumentError("training has no end: set minutes or updates")
    with seeded_torch("training a generator", settings.seed) as torch:
        training = _GeneratorTraining(torch, pairs, vocabulary, settings, dev)
        training.run(checkpoints, progress, clock)
        weights = training.best_weights or rounded_weights(training.network)
        return Generator(vocabulary, weights), training.done


class _GeneratorTraining:
    """A network, its optimizers and how far they have come."""

    def __init__(
        self,
        torch: Any,
        pairs: Sequence[Pair],
        vocabulary: Vocabulary,
        settings: GeneratorSettings,
        dev: Sequence[Pair],
    ) -> None:
        self.torch, self.pairs, self.settings, self.dev = torch, pairs, settings, dev
        self.network = _network(torch, len(vocabulary), settings)
        self.optimizers = adam(torch, self.network, settings.learning_rate)
        self.done = Progressed()
        self.best_weights: Arrays = {}

    def run(
        self, checkpoints: Checkpoints | None, progress: OnProgress, clock: Callable[[], float]
    ) -> None:
        """Train, from the last checkpoint on, until the budget is spent or the dev loss no longer falls."""
        parts = self.torch, self.network, self.optimizers
        if checkpoints and (restored := read_checkpoint(checkpoints, *parts)):
            self.best_weights, header = restored
            self.done = Progressed(**header)
        settings, done = self.settings, self.done
        last, unsaved_s = clock(), 0.0
        while not self._spent():
            for batch in self._batches()[done.batch :]:
                self._update([self.pairs[number] for number in batch])
                done.batch += 1
                now = clock()
                done.elapsed_s = done.elapsed_s + now - last
                unsaved_s, last = unsaved_s + now - last, now
                if self.dev and done.updates % settings.check_every == 0:
                    self._check()
                if done.updates % 5 == 0:
                    progress(self._progress())
                if checkpoints and unsaved_s >= checkpoints.every_s:
                    write_checkpoint(checkpoints, *parts, self.best_weights, asdict(done))
                    unsaved_s = 0.0
                if self._spent():
                    break
            else:  # the epoch is complete
                done.epoch, done.batch = done.epoch + 1, 0
        if self.dev and done.updates % settings.check_every:
            self._check()

    def _batches(self) -> list[Ints]:
        """Return the batches of the present epoch, which its number fixes."""
        rng = stream("generator batches", self.settings.seed, self.done.epoch)
        lengths = np.array([len(target) + 0.2 * len(source) for source, target in self.pairs])
        return list(batches_of_similar_length(rng, lengths, self.settings.batch))

    def _progress(self) -> Progress:
        """Return the progress by time where that is limited, else by updates."""
        settings, done = self.settings, self.done
        speed = done.tokens / max(done.elapsed_s, 1e-9)
        text = f"update {done.updates:,}, loss {done.running:.3f}, {speed:,.0f} tokens/s"
        if settings.minutes is not None:
            return Progress(text, round(done.elapsed_s), round(60 * settings.minutes))
        return Progress(text, done.updates, settings.updates)

    def _spent(self) -> bool:
        """Return whether the budget is spent, or the dev loss has not fallen for too long."""
        settings, done = self.settings, self.done
        if settings.updates is not None and done.updates >= settings.updates:
            return True
        if settings.minutes is not None and done.elapsed_s >= 60 * settings.minutes:
            return done.updates > 0
        return settings.patience is not None and bool(self.dev) and done.waited >= settings.patience

    def _update(self, batch: Sequence[Pair]) -> None:
        """Take one step on a batch, and count it in `done`."""
        self.network.train()
        loss, words = _batch_loss(self.torch, self.network, batch, self.settings.dropout)
        update(self.torch, self.optimizers, loss / words, clip=self.settings.clip)
        done = self.done
        done.updates += 1
        done.tokens += words
        done.running += (float(loss.detach()) / words - done.running) / min(done.updates, 50)
        if done.updates % 100 == 0:
            done.losses.append(round(done.running, 6))

    def _check(self) -> None:
        """Measure the dev loss, over the whole vocabulary, and remember the best network."""
        value = mean_loss(self.torch, self.network, self.dev, self.settings.batch, _batch_loss)
        self.done.dev.append(round(value, 6))
        self.done.waited += 1
        if self.done.best is None or value < self.done.best:
            self.done.best, self.done.waited = value, 0
            self.best_weights = rounded_weights(self.network)


def _network(torch: Any, words: int, settings: GeneratorSettings) -> Any:
    """Return the untrained network of so many words."""
    nn, units, size = torch.nn, settings.units, settings.dimensions
    half = units // 2
    parts = {
        "words": nn.Embedding(words, size, sparse=True),
        "reader": nn.LSTM(size, half, batch_first=True),
        "reader_reverse": nn.LSTM(size, half, batch_first=True),
        "writer": nn.LSTM(size, units, batch_first=True),
        "start": nn.Linear(2 * half, 2 * units),
        "blend": nn.Linear(units + (2 * half if settings.attention else 0), units),
        "out": nn.AdaptiveLogSoftmaxWithLoss(units, words, cutoffs_of(words), div_value=4.0),
    }
    if settings.attention:
        parts["query"] = nn.Linear(units, units)
        parts["key"] = nn.Linear(2 * half, units, bias=False)
        parts["energy"] = nn.Linear(units, 1, bias=False)
    nn.init.normal_(parts["words"].weight, std=0.1)
    return nn.ModuleDict(parts)


def _batch_loss(torch: Any, network: Any, batch: Sequence[Pair], dropout: float) -> tuple[Any, int]:
    """Return the sum of −log p over the words of a batch, ends included, and their number."""
    # An empty source is read as one unknown word.
    sources = [source if len(source) else np.zeros(1) for source, _ in batch]
    source = padded(torch, [words.astype(np.int64) for words in sources])  # batch × source
    lengths = torch.tensor([len(words) for words in sources])  # batch
    targets = [np.append(words, END_ID).astype(np.int64) for _, words in batch]
    target = padded(torch, targets)  # batch × target
    vectors = dropped(torch, network["words"](source), dropout)  # batch × source × dimensions
    # Each of two encoders has half of the units: batch × source × units; their last states: batch × units.
    states, ends = encoded(torch, network, vectors, lengths)
    seen = decoded(torch, network, ends, target, dropout)  # batch × target × units
    if "query" in network:
        # Attention: the energy of every source word at every word of the target.
        both = network["query"](seen)[:, :, None] + network["key"](states)[:, None]
        energy = network["energy"](torch.tanh(both)).squeeze(-1)  # batch × target × source
        absent = ~inside(torch, lengths, source.shape[1])[:, None]  # batch × 1 × source
        attention = energy.masked_fill(absent, -torch.inf).softmax(dim=-1)
        seen = torch.cat([seen, attention @ states], dim=-1)
    blended = dropped(torch, torch.tanh(network["blend"](seen)), dropout)  # batch × target × units
    # Only the words of the targets count, not their padding.
    counted = inside(torch, torch.tensor([len(words) for words in targets]), target.shape[1])
    log_p = network["out"](blended[counted], target[counted]).output  # words
    return -log_p.sum(), int(counted.sum())
