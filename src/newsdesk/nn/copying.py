"""A network that rewrites a text: a bidirectional encoder, and a decoder that copies words of the source or generates one of a few common words.

A pointer-generator (See et al. 2017) adapted to a few hundred examples instead of a few hundred thousand:

- it can generate only words of a closed list, such as function words; names, numbers and content words must be copied, so it cannot invent them;
- where the end of the output matches the source, the attention on the word that follows there is raised by a bias learned for
  each length of the match, so that copying a phrase to its end need not be learned from examples;
- the attention on words already used has a learned bias, and an unknown word is represented by its shape (number, mark, capitals).

The probability of a word is g · P(generate it) + (1 − g) · the attention on all its occurrences in the source. Inference in numpy. Training with torch minimizes the
mean of −log p over the words that can be generated or copied; match lengths and used words of the source are computed beforehand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays
from newsdesk.nn.encoder_decoder import (
    END_ID,
    START_ID,
    Beam,
    EncoderDecoder,
    State,
    batches_of_similar_length,
    decoded,
    dropped,
    encoded,
    load_weights,
    mean_loss,
    rounded_weights,
    search,
)
from newsdesk.nn.trainer import Array, BestModel, inside, padded, seeded_torch, update
from newsdesk.streams import stream
from newsdesk.text.ragged import Vocabulary
from newsdesk.work.progress import OnProgress, Progress, silent

Pair = tuple[Sequence[str], Sequence[str]]  # words of a source and of its target

LONGEST_RUN = 4  # longer matches count as this long
_SHAPES = 5  # see `shape`
_FIRST_RUNS = (0.0, 4.0, 5.0, 6.0, 6.0)  # initial attention bias of matches of 0, 1, … words
_LEAST_P = 1e-12  # of a word in decoding, so that its logarithm is finite
_LEAST_TRAINED_P = 1e-9  # the same in training


@dataclass(frozen=True, slots=True, eq=False)
class CopySource:
    """A text to rewrite, as word ids."""

    words: tuple[str, ...]
    ids: Ints  # in the vocabulary, 0 for unknown words
    names: Ints  # the same, but every unknown word has its own id after the vocabulary
    unknown: tuple[str, ...]

    @classmethod
    def of(cls, words: Sequence[str], vocabulary: Vocabulary) -> CopySource:
        """Return the source with vocabulary ids, unknown words numbered after the vocabulary."""
        ids = vocabulary.ids(words).astype(np.int64)
        unknown = dict.fromkeys(word for word in words if word not in vocabulary)
        own_id = {word: len(vocabulary) + n for n, word in enumerate(unknown)}
        names = [own_id.get(word, known) for word, known in zip(words, ids.tolist(), strict=True)]
        return cls(tuple(words), ids, np.array(names, dtype=np.int64), tuple(unknown))


@dataclass(frozen=True, slots=True, eq=False)
class Copier(EncoderDecoder):
    """The fitted network; inference in numpy.

    The vocabulary begins with the `writable` words, then come those it only reads.
    """

    writable: int

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits of a hash of the network."""
        digest = hashlib.sha256("\n".join(self.vocabulary).encode("utf-8", "surrogatepass"))
        digest.update(str(self.writable).encode())
        for name in sorted(self.weights):
            digest.update(name.encode() + np.ascontiguousarray(self.weights[name]).tobytes())
        return digest.hexdigest()[:12]

    def rewrite(self, words: Sequence[str], beam: Beam | None = None) -> list[str]:
        """Rewrite a source by beam search; nothing for an empty source."""
        if not words:
            return []
        source = CopySource.of(words, self.vocabulary)
        decoding = _CopyDecoding(self, source)
        written = search(START_ID, END_ID, decoding.start(), decoding.step, beam or Beam())
        spelled = (*self.vocabulary.words, *source.unknown)
        return [spelled[number] for number in written]


class _CopyDecoding:
    """The decoding of one source."""

    def __init__(self, copier: Copier, source: CopySource) -> None:
        self.copier = copier
        self.names = source.names  # source
        self.size = len(copier.vocabulary) + len(source.unknown)
        self.vectors = copier.weights["words.weight"]  # words × dimensions
        shapes = copier.weights["shapes.weight"][[shape(word) for word in source.words]]
        inputs = np.hstack([self.vectors[source.ids], shapes])  # source × dimensions
        self.source, self.begin = copier.encode(inputs)  # source × 2·units
        self.writer = copier.lstm("writer")

    def start(self) -> State:
        """Return the state of one empty sequence.

        It is the decoder's state and cell, match lengths in the source, and which of its words were used.
        """
        state, cell = np.split(self.begin[None], 2, axis=1)  # 1 × units
        run = np.zeros((1, len(self.names)), dtype=np.int64)  # 1 × source
        return state, cell, run, run.astype(bool)

    def step(self, state: State, last: Ints) -> tuple[Array, State]:
        """Return the log probability of every word of vocabulary and source, and the new states."""
        hidden, cell, run, used = state
        hit = self.names == last[:, None]  # sequences × source
        run, used = continued(run, hit), used | hit
        # Words of the source outside the vocabulary are fed to the decoder as unknown.
        fed = np.where(last < len(self.copier.vocabulary), last, 0)
        hidden, cell = self.writer.step(self.vectors[fed], hidden, cell)  # sequences × units
        # Attention: the product with the encoder states, and the biases of matches and used words.
        weights = self.copier.weights
        energy = self.copier.dense("query", hidden) @ self.source.T  # sequences × source
        energy /= np.sqrt(np.float32(self.source.shape[1]))
        energy += weights["runs.weight"][run, 0] + weights["used.weight"][used.astype(int), 0]
        attention = _softmax(energy)  # sequences × source
        # The gate divides probability between generating and copying.
        seen = np.hstack([hidden, attention @ self.source])  # sequences × 3·units
        gate = 1 / (1 + np.exp(-self.copier.dense("gate", seen)))  # sequences × 1
        blended = np.tanh(self.copier.dense("blend", seen))
        written = _softmax(self.copier.dense("write", blended))  # sequences × writable words
        probabilities = np.zeros((len(last), self.size), dtype=np.float32)  # sequences × words
        probabilities[:, END_ID : END_ID + written.shape[1]] = gate * written
        np.add.at(probabilities.T, self.names, ((1 - gate) * attention).T)
        # An unknown word is copied as itself: <unk> has no probability.
        return np.log(np.maximum(probabilities, _LEAST_P)), (hidden, cell, run, used)


def continued(run: Ints, hit: NDArray[np.bool_]) -> Ints:
    """Return the length of the match that ends before each word of the source, after one more word.

    `run` (… × source) are the lengths before; `hit` is where the source has the word just written.
    """
    runs = np.zeros_like(run)
    runs[..., 1:] = np.where(hit[..., :-1], np.minimum(run[..., :-1] + 1, LONGEST_RUN), 0)
    return runs


def shape(word: str) -> int:
    """Return the shape of a word.

    0 is punctuation, 1 a number, 2 all capitals, 3 capitalized, 4 lower case or a script without case.
    """
    if any(map(str.isdigit, word)):
        return 1
    letters = [character for character in word if character.isalpha()]
    if not letters:
        return 0
    if not letters[0].isupper():
        return 4
    return 2 if len(letters) > 1 and word.isupper() else 3


def _softmax(rows: Array) -> Array:
    weights: Array = np.exp(rows - rows.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


@dataclass(frozen=True, slots=True)
class CopierSettings:
    """Hyper-parameters of the network and its training."""

    dimensions: int = 64
    units: int = 128
    shape_dimensions: int = 8
    dropout: float = 0.3
    batch: int = 16
    rate: float = 1e-3
    clip: float = 2.0
    epochs: int = 8
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class CopyExample:
    """A source and its target, with all that is computed before training."""

    source: Ints  # word ids
    shapes: Ints  # of the source's words
    target: Ints  # ids in the vocabulary, the end included
    same: NDArray[np.bool_]  # target × source: where the word stands in the source
    runs: NDArray[np.int64]  # target × source: match length before the word is written
    used: NDArray[np.bool_]  # target × source: words written before

    @classmethod
    def of(cls, pair: Pair, vocabulary: Vocabulary) -> CopyExample:
        """Map the words of a pair to ids and match them."""
        words, rewriting = pair
        source = CopySource.of(words, vocabulary)
        name_of = dict(zip(source.words, source.names.tolist(), strict=True))
        # -1: not in the source, as the end never is.
        names = np.array([name_of.get(word, -1) for word in rewriting] + [-1], dtype=np.int64)
        same = names[:, None] == source.names  # target × source
        runs = np.zeros(same.shape, dtype=np.int64)
        for position in range(1, len(runs)):
            runs[position] = continued(runs[position - 1], same[position - 1])
        used = np.zeros_like(same)
        used[1:] = np.logical_or.accumulate(same, axis=0)[:-1]
        target = np.append(vocabulary.ids(rewriting), END_ID).astype(np.int64)
        shapes = np.array([shape(word) for word in words])
        return cls(source.ids, shapes, target, same=same, runs=runs, used=used)


def fit_copier(
    pairs: Sequence[Pair],
    vocabulary: Vocabulary,
    writable: int,
    settings: CopierSettings | None = None,
    *,
    start: Copier | None = None,
    dev: Sequence[Pair] = (),
    progress: OnProgress = silent,
) -> tuple[Copier, float]:
    """Fit the network, from scratch or from `start`, and return it with its loss in nats a word.

    The first `writable` words of the vocabulary can be written. With `dev` pairs it is the network of the lowest loss on them, else of the last epoch.
    """
    settings = settings or CopierSettings()
    examples, held_out = (
        [
            CopyExample.of((source, target), vocabulary)
            for source, target in some
            if source and target
        ]
        for some in (pairs, dev)
    )
    if not examples:
        raise ArgumentError("there is nothing to learn rewriting from: no text with a shorter one")
    best: BestModel[tuple[Arrays, float]] = BestModel()
    with seeded_torch("training a rewriter", settings.seed) as torch:
        network = _network(torch, len(vocabulary), writable, settings)
        if start is not None:
            load_weights(torch, network, start.weights)
        optimizer = torch.optim.Adam(network.parameters(), lr=settings.rate)
        for epoch in range(1, settings.epochs + 1):
            loss = _epoch(torch, network, optimizer, examples, settings, epoch)
            if held_out:
                loss = mean_loss(torch, network, held_out, settings.batch, _batch_loss)
            progress(Progress(f"epoch {epoch}: {loss:.3f} nats a word", epoch, settings.epochs))
            best.offer(-loss if held_out else epoch, (rounded_weights(network), loss))
    if best.model is None:
        raise ArgumentError("epochs is 0, not at least 1")
    weights, loss = best.model
    return Copier(vocabulary, weights, writable=writable), loss


def _epoch(
    torch: Any,
    network: Any,
    optimizer: Any,
    examples: Sequence[CopyExample],
    settings: CopierSettings,
    epoch: int,
) -> float:
    """Train on all examples once and return the mean loss of their words."""
    network.train()
    rng = stream(f"copier epoch {epoch}", settings.seed)
    lengths = np.array([len(example.source) for example in examples], dtype=np.float64)
    total = count = 0.0
    for numbers in batches_of_similar_length(rng, lengths, settings.batch):
        batch = [examples[number] for number in numbers.tolist()]
        loss, words = _batch_loss(torch, network, batch, settings.dropout)
        update(torch, [optimizer], loss / words.clamp_min(1), clip=settings.clip)
        total, count = total + float(loss.detach()), count + float(words)
    return total / max(count, 1.0)


def _network(torch: Any, words: int, writable: int, settings: CopierSettings) -> Any:
    """Return the untrained network of so many words, of which the first `writable` can be written."""
    nn, units, size = torch.nn, settings.units, settings.dimensions
    network = nn.ModuleDict(
        {
            "words": nn.Embedding(words, size),
            "shapes": nn.Embedding(_SHAPES, settings.shape_dimensions),
            "reader": nn.LSTM(size + settings.shape_dimensions, units, batch_first=True),
            "reader_reverse": nn.LSTM(size + settings.shape_dimensions, units, batch_first=True),
            "writer": nn.LSTM(size, units, batch_first=True),
            "start": nn.Linear(2 * units, 2 * units),
            "query": nn.Linear(units, 2 * units),
            "runs": nn.Embedding(LONGEST_RUN + 1, 1),
            "used": nn.Embedding(2, 1),
            "blend": nn.Linear(3 * units, size),
            "write": nn.Linear(size, 1 + writable),
            "gate": nn.Linear(3 * units, 1),
        }
    )
    nn.init.normal_(network["words"].weight, std=0.1)
    nn.init.zeros_(network["used"].weight)
    with torch.no_grad():
        network["runs"].weight.copy_(torch.tensor(_FIRST_RUNS)[:, None])
    return network


def _batch_loss(
    torch: Any, network: Any, batch: Sequence[CopyExample], dropout: float
) -> tuple[Any, Any]:
    """Return the sum of −log p over the words that can be generated or copied, and their number."""

    def stacked(name: str) -> Any:
        return padded(torch, [getattr(example, name) for example in batch])

    # Read the sources and run the decoder over the targets.
    source, target, same = stacked("source"), stacked("target"), stacked("same")
    lengths = torch.tensor([len(example.source) for example in batch])  # batch
    inputs = torch.cat([network["words"](source), network["shapes"](stacked("shapes"))], dim=-1)
    states, ends = encoded(torch, network, dropped(torch, inputs, dropout), lengths)
    states = dropped(torch, states, dropout)  # batch × source × 2·units
    written = dropped(torch, decoded(torch, network, ends, target, dropout), dropout)
    # Attention of every word of the target (batch × target × units) on the words of the source.
    energy = network["query"](written) @ states.transpose(1, 2) / states.shape[-1] ** 0.5
    energy = energy + network["runs"](stacked("runs")).squeeze(-1)  # batch × target × source
    energy = energy + network["used"](stacked("used").long()).squeeze(-1)
    absent = ~inside(torch, lengths, source.shape[1])[:, None]  # batch × 1 × source
    attention = energy.masked_fill(absent, -torch.inf).softmax(dim=-1)
    # The probability of the target: generated, if it can be, or copied.
    seen = torch.cat([written, attention @ states], dim=-1)  # batch × target × 3·units
    gate = torch.sigmoid(network["gate"](seen)).squeeze(-1)  # batch × target
    blended = dropped(torch, torch.tanh(network["blend"](seen)), dropout)
    words = network["write"](blended).softmax(dim=-1)  # batch × target × writable words
    can_write = (target >= END_ID) & (target < END_ID + words.shape[-1])  # batch × target
    column = (target - END_ID).clamp(0, words.shape[-1] - 1)
    probability = gate * words.gather(-1, column[..., None]).squeeze(-1) * can_write
    probability = probability + (1 - gate) * (attention * same).sum(dim=-1)  # batch × target
    # Padding does not count, nor do words that can be neither generated nor copied.
    sizes = torch.tensor([len(example.target) for example in batch])
    counted = inside(torch, sizes, target.shape[1]) & (can_write | same.any(dim=-1))
    return -(probability.clamp_min(_LEAST_TRAINED_P).log() * counted).sum(), counted.sum()
