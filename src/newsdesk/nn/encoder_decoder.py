"""What the generator and the copier share: an LSTM reads a source in both directions, another writes a target by beam search.

Inference in numpy; in training with torch the decoder runs over a whole target at once (teacher forcing), in batches of similar length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.model import Arrays
from newsdesk.nn.trainer import Array, Lstm, lstm_of
from newsdesk.text.ragged import UNKNOWN, Vocabulary

State = tuple[NDArray[Any], ...]  # arrays whose first dimension is the sequences in the beam
Step = Callable[[State, Ints], tuple[NDArray[np.float32], State]]


@dataclass(frozen=True, slots=True)
class Beam:
    """Settings: the width of the beam, lengths in words, repeated n-grams, length normalization.

    `no_repeat` = n forbids repeated n-grams, 0 allows them.
    The score of a sequence is its log probability divided by its length to the power of `normalization`: 1 is the mean, 0 no normalization.
    """

    width: int = 4
    shortest: int = 1
    longest: int = 100
    no_repeat: int = 3
    normalization: float = 1.0


def search(start: int, end: int, state: State, step: Step, beam: Beam) -> list[int]:
    """Return the finished sequence of the highest score, without `start` and `end`.

    `step` takes the states and last words of the sequences in the beam, and returns the log probability of every word and the new
    states. Where no sequence is finished, the most probable unfinished one is returned.
    """
    (_, words), *_ = best_sequences(start, end, state, step, beam, count=1)
    return words


def best_sequences(
    start: int, end: int, state: State, step: Step, beam: Beam, count: int
) -> list[tuple[float, list[int]]]:
    """Return up to `count` finished sequences with their scores, best first.

    `start` and `end` are word ids; `step` is that of `search`. Where no sequence is finished, it is the
    most probable unfinished one.
    """
    rows: list[list[int]] = [[]]  # the sequences in the beam
    scores = np.zeros(1)  # their log probabilities
    ended: list[tuple[float, list[int]]] = []
    for size in range(beam.longest + 1):
        last = np.array([row[-1] if row else start for row in rows], dtype=np.int64)
        step_scores, state = step(state, last)
        log_p = step_scores.astype(np.float64)  # sequences × words
        if size < beam.shortest:
            log_p[:, end] = -np.inf
        for number, row in enumerate(rows):
            log_p[number, _banned(row, beam.no_repeat)] = -np.inf
        total = scores[:, None] + log_p  # sequences × words
        # A sequence that ends here leaves the beam; its end counts as a word of its length.
        if size >= beam.shortest:
            for row, score in zip(rows, total[:, end].tolist(), strict=True):
                ended.append((score / (size + 1) ** beam.normalization, row))
            total[:, end] = -np.inf
        best = _best(total.ravel(), beam.width)  # indices of (sequence, word), at most width
        if size == beam.longest or not len(best):
            break
        parents, words = np.divmod(best, total.shape[1])
        rows = [
            [*rows[parent], word]
            for parent, word in zip(parents.tolist(), words.tolist(), strict=True)
        ]
        scores = total.ravel()[best]
        state = tuple(array[parents] for array in state)
        # An upper bound of what the beam can still reach: its best sequence at full length without further loss.
        reachable = scores[0] / (beam.longest + 1) ** beam.normalization
        if len(ended) >= count and sorted(ended, reverse=True)[count - 1][0] >= reachable:
            break
    possible = [(score, row) for score, row in ended if score > -np.inf]
    possible.sort(key=lambda scored: -scored[0])
    unfinished = float(scores[0]) / max(len(rows[0]), 1) ** beam.normalization
    return possible[:count] or [(unfinished, rows[0])]


def _best(values: NDArray[np.float64], count: int) -> Ints:
    """Return the indices of the `count` largest finite values, largest first; of equals the first."""
    cut = len(values) - min(count, len(values))
    floor = np.partition(values, cut)[cut]  # the smallest of the largest
    largest = np.flatnonzero((values >= floor) & np.isfinite(values))
    return largest[np.argsort(-values[largest], kind="stable")][:count]


def _banned(row: list[int], n: int) -> list[int]:
    """Return the words that would repeat an n-gram of the row; none if n is 0."""
    if n == 0 or len(row) < n:
        return []
    tail = row[len(row) - n + 1 :]
    ngrams = (row[start : start + n] for start in range(len(row) - n + 1))
    return [ngram[-1] for ngram in ngrams if ngram[:-1] == tail]


START, END = "<s>", "</s>"
UNKNOWN_ID, START_ID, END_ID = 0, 1, 2

_LSTMS = ("reader", "reader_reverse", "writer")
_PARTS = ("w_input", "w_state", "bias")

Pair = TypeVar("Pair")


def vocabulary_of(words: Sequence[str]) -> Vocabulary:
    """Return a vocabulary with `<unk>`, `<s>` and `</s>` in front of the words."""
    return Vocabulary((UNKNOWN, START, END, *dict.fromkeys(words)))


@dataclass(frozen=True, slots=True, eq=False)
class EncoderDecoder:
    """A fitted network: a vocabulary of `vocabulary_of`, and weights under torch's names."""

    vocabulary: Vocabulary
    weights: Arrays

    def dense(self, name: str, rows: Array) -> Array:
        """Apply a fully connected layer to rows."""
        product: Array = rows @ self.weights[f"{name}.weight"].T
        bias = self.weights.get(f"{name}.bias")
        return product if bias is None else product + bias

    def lstm(self, name: str) -> Lstm:
        """Return the LSTM whose weights begin with a name."""
        return Lstm(*(self.weights[f"{name}.{part}"] for part in _PARTS))

    def encode(self, inputs: Array) -> tuple[Array, Array]:
        """Return the states of a source (words × 2·units), and the decoder's first state and cell in one."""
        ahead, _ = self.lstm("reader").states(inputs)  # words × units
        back, _ = self.lstm("reader_reverse").states(inputs[::-1])  # words × units, last word first
        ends = np.concatenate([ahead[-1], back[-1]])  # 2·units
        return np.hstack([ahead, back[::-1]]), np.tanh(self.dense("start", ends))


def batches_of_similar_length(
    rng: np.random.Generator, lengths: Floats, size: int
) -> Iterator[Ints]:
    """Yield batches of `size` examples (indices) of similar length, in random order."""
    order = np.argsort(lengths * rng.uniform(0.9, 1.1, len(lengths)), kind="stable")
    for first in rng.permutation(np.arange(0, len(order), size)).tolist():
        yield order[first : first + size]


def mean_loss(
    torch: Any,
    network: Any,
    pairs: Sequence[Pair],
    size: int,
    loss_of: Callable[[Any, Any, Sequence[Pair], float], tuple[Any, Any]],
) -> float:
    """Return the mean of −log p over the words of held-out pairs, without dropout.

    `loss_of` takes torch, the network, a batch of at most `size` pairs and the dropout, and returns the sum of −log p and the number of words in it.
    """
    no_dropout = 0.0
    network.eval()
    total = count = 0.0
    with torch.no_grad():
        for first in range(0, len(pairs), size):
            loss, words = loss_of(torch, network, pairs[first : first + size], no_dropout)
            total, count = total + float(loss), count + float(words)
    return total / max(count, 1.0)


def dropped(torch: Any, value: Any, dropout: float) -> Any:
    """Apply dropout, if there is any."""
    return torch.nn.functional.dropout(value, dropout, training=dropout > 0)


def encoded(torch: Any, network: Any, inputs: Any, lengths: Any) -> tuple[Any, Any]:
    """Return the states of both encoders (batch × source × 2·units) and the last (batch × 2·units).

    The backward one reads each text reversed, with the padding still at the end: packed sequences would do the same at half the speed.
    """
    steps = torch.arange(inputs.shape[1])[None]  # 1 × source
    turned = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)
    rows = torch.arange(len(inputs))[:, None]  # batch × 1
    ahead, _ = network["reader"](inputs)  # batch × source × units
    back, _ = network["reader_reverse"](inputs[rows, turned])  # batch × source × units
    last = (rows[:, 0], lengths - 1)
    return torch.cat([ahead, back[rows, turned]], dim=-1), torch.cat([ahead[last], back[last]], -1)


def decoded(torch: Any, network: Any, ends: Any, target: Any, dropout: float) -> Any:
    """Return the decoder's state before each word of the targets (batch × target × units).

    `ends` are the last states of the encoders.
    """
    begin = torch.tanh(network["start"](ends))  # batch × 2·units
    state, cell = (half[None].contiguous() for half in begin.chunk(2, dim=-1))
    before = torch.cat([torch.full((len(target), 1), START_ID), target[:, :-1]], dim=1)
    states, _ = network["writer"](dropped(torch, network["words"](before), dropout), (state, cell))
    return states


def rounded_weights(network: Any) -> Arrays:
    """Return the weights as numpy arrays, rounded to sixteen bits, as they are saved."""
    weights: dict[str, NDArray[Any]] = {
        name: value.numpy()
        for name, value in network.state_dict().items()
        if not name.startswith(_LSTMS)
    }
    for name in _LSTMS:
        lstm = lstm_of(network[name])
        weights |= {f"{name}.{part}": getattr(lstm, part) for part in _PARTS}
    return {name: value.astype(np.float16).astype(np.float32) for name, value in weights.items()}


def load_weights(torch: Any, network: Any, weights: Arrays) -> None:
    """Load weights that `rounded_weights` returned into a network."""
    state = {name: torch.from_numpy(value) for name, value in weights.items()}
    for name in _LSTMS:
        state[f"{name}.weight_ih_l0"] = state.pop(f"{name}.w_input")
        state[f"{name}.weight_hh_l0"] = state.pop(f"{name}.w_state")
        state[f"{name}.bias_ih_l0"] = state.pop(f"{name}.bias")
        state[f"{name}.bias_hh_l0"] = torch.zeros_like(state[f"{name}.bias_ih_l0"])
    network.load_state_dict(state)
