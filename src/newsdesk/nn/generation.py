"""An encoder–decoder that generates a text from a source, with or without attention; inference in numpy.

A bidirectional LSTM reads the source, an LSTM writes the target. With attention (Bahdanau et al. 2015) the energy of a place is v · tanh(W s + U h). The attention reads the decoder's state
after the step and feeds the output layer, as in Luong et al. (2015), so that training can run the decoder over a whole target at once. Words are predicted by an adaptive softmax (Grave et al. 2017): a proper
distribution over the whole vocabulary in which rare words cost less. A word outside the vocabulary is replaced by the source word with the most attention.
`nn.generation_training` fits the network with torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.models import Arrays
from newsdesk.nn.beam import Beam, State, best_sequences
from newsdesk.nn.lstm import Array, Lstm
from newsdesk.text.vocabulary import UNKNOWN, Vocabulary

START, END = "<s>", "</s>"
UNKNOWN_ID, START_ID, END_ID = 0, 1, 2
CUTOFFS = (2_000, 10_000)
LSTMS = ("reader", "reader_reverse", "writer")


@dataclass(frozen=True, slots=True)
class Written:
    """A generated text: its words, its score in the beam, and its attention (words × places of the source), if the network has any."""

    words: tuple[str, ...]
    score: float
    attention: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True, eq=False)
class Generator:
    """The fitted network: a vocabulary that begins with `<unk>`, `<s>`, `</s>`, and weights under torch's names."""

    vocabulary: Vocabulary
    weights: Arrays

    @property
    def attends(self) -> bool:
        """True if the network has attention."""
        return "query.weight" in self.weights

    def dense(self, name: str, rows: Array) -> Array:
        """Apply a fully connected layer to rows."""
        product: Array = rows @ self.weights[f"{name}.weight"].T
        bias = self.weights.get(f"{name}.bias")
        return product if bias is None else product + bias

    def lstm(self, name: str) -> Lstm:
        """The LSTM whose weights begin with a name."""
        return Lstm(*(self.weights[f"{name}.{part}"] for part in ("w_input", "w_state", "bias")))

    def read(self, source: Ints) -> tuple[Array, Array]:
        """The encoder states of a source (places × units) and the decoder's initial state and cell in one."""
        inputs = self.weights["words.weight"][source]
        ahead, _ = self.lstm("reader").states(inputs)
        back, _ = self.lstm("reader_reverse").states(inputs[::-1])
        ends = np.concatenate([ahead[-1], back[-1]])
        return np.hstack([ahead, back[::-1]]), np.tanh(self.dense("start", ends))

    def write(self, words: Sequence[str], beam: Beam, count: int) -> list[Written]:
        """Up to `count` texts for a source by beam search, best first; an empty source is read as one unknown word."""
        source = self.vocabulary.ids(words).astype(np.int64) if words else np.zeros(1, np.int64)
        decoding = _Decoding(self, source)
        sequences = best_sequences(START_ID, END_ID, decoding.start(), decoding.step, beam, count)
        return [self._spelled(decoding, row, score, words) for score, row in sequences]

    def _spelled(
        self, decoding: _Decoding, row: list[int], score: float, source: Sequence[str]
    ) -> Written:
        attention = decoding.attention(row) if self.attends else None
        spelled = [self.vocabulary.words[number] for number in row]
        for place, number in enumerate(row):
            if number == UNKNOWN_ID and attention is not None and source:
                spelled[place] = source[int(attention[place].argmax())]
        return Written(tuple(spelled), score, attention)

    def log_probabilities(self, rows: Array) -> Array:
        """The log probability of every word after output vectors: the adaptive softmax, head and tails."""
        size = len(self.vocabulary)
        cutoffs = [*cutoffs_of(size), size]
        head = _log_softmax(rows @ self.weights["out.head.weight"].T)
        log_p = np.empty((len(rows), size), dtype=np.float32)
        log_p[:, : cutoffs[0]] = head[:, : cutoffs[0]]
        for number in range(len(cutoffs) - 1):
            small = rows @ self.weights[f"out.tail.{number}.0.weight"].T
            tail = _log_softmax(small @ self.weights[f"out.tail.{number}.1.weight"].T)
            cluster = head[:, cutoffs[0] + number]
            log_p[:, cutoffs[number] : cutoffs[number + 1]] = tail + cluster[:, None]
        return log_p


class _Decoding:
    """The decoding of one source."""

    def __init__(self, network: Generator, source: Ints) -> None:
        self.network = network
        self.places, self.begin = network.read(source)
        self.writer = network.lstm("writer")
        self.keys = network.dense("key", self.places) if network.attends else None

    def start(self) -> State:
        state, cell = np.split(self.begin[None], 2, axis=1)
        return state, cell

    def step(self, state: State, last: Ints) -> tuple[Array, State]:
        """The log probability of every word after the last words, and the new states; `<s>` and, without attention, `<unk>` cannot be written."""
        hidden, cell = self.writer.step(self.network.weights["words.weight"][last], *state)
        seen = hidden
        if self.keys is not None:
            seen = np.hstack([hidden, self._weights(hidden) @ self.places])
        log_p = self.network.log_probabilities(np.tanh(self.network.dense("blend", seen)))
        log_p[:, START_ID] = -np.inf
        if self.keys is None:
            log_p[:, UNKNOWN_ID] = -np.inf
        return log_p, (hidden, cell)

    def attention(self, row: list[int]) -> Array:
        """The attention while each word of a sequence is written (words × places); each row sums to one."""
        state, weights = self.start(), []
        for last in [START_ID, *row[:-1]][: len(row)]:
            inputs = self.network.weights["words.weight"][np.array([last])]
            state = self.writer.step(inputs, *state)
            weights.append(self._weights(state[0])[0])
        return np.array(weights, dtype=np.float32).reshape(len(row), len(self.places))

    def _weights(self, hidden: Array) -> Array:
        """The attention of decoder states on the places (sequences × places)."""
        keys: Any = self.keys
        energy = np.tanh(self.network.dense("query", hidden)[:, None] + keys[None])
        return np.exp(_log_softmax(energy @ self.network.weights["energy.weight"][0]))


def cutoffs_of(size: int) -> list[int]:
    """Where the clusters of the adaptive softmax begin: after 2,000 and 10,000 words, or before the last word of a small vocabulary.

    >>> cutoffs_of(30_000), cutoffs_of(1_000)
    ([2000, 10000], [999])
    """
    return [each for each in CUTOFFS if each < size - 1] or [size - 1]


def vocabulary_of(words: Sequence[str]) -> Vocabulary:
    """A vocabulary with the words of a generator's own in front."""
    return Vocabulary((UNKNOWN, START, END, *dict.fromkeys(words)))


def _log_softmax(rows: Array) -> Array:
    shifted: Array = rows - rows.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
