"""A network that rewrites a text: a bidirectional encoder, and a decoder that copies words of the source or generates one of a few common words.

A pointer-generator (See et al. 2017) adapted to a few hundred examples instead of a few hundred thousand:

- it can generate only words of a closed list, such as function words; names, numbers and content words must be copied, so it cannot invent them;
- where the end of the output matches the source, the attention on the word that follows there is raised by a bias learned for
  each length of the match, so that copying a phrase to its end need not be learned from examples;
- the attention on words already used has a learned bias, and an unknown word is represented by its shape (number, mark, capitals).

The probability of a word is g · P(generate it) + (1 − g) · the attention on all its places in the source. Weights are numpy arrays under torch's
names; `nn.copying_training` fits them with torch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.models import Arrays
from newsdesk.nn.beam import Beam, State, search
from newsdesk.nn.lstm import Array, Lstm
from newsdesk.text.vocabulary import UNKNOWN, Vocabulary

START, END = "<s>", "</s>"
START_ID, END_ID = 1, 2
LONGEST_RUN = 4  # longer matches count as this long
SHAPES = 5
_LEAST = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A text to rewrite, as word ids."""

    words: tuple[str, ...]
    ids: Ints  # in the vocabulary, 0 for unknown words
    names: Ints  # the same, but each unknown word has its own id after the vocabulary
    unknown: tuple[str, ...]

    @classmethod
    def of(cls, words: Sequence[str], vocabulary: Vocabulary) -> Source:
        """The source with vocabulary ids, unknown words numbered after the vocabulary."""
        ids = vocabulary.ids(words).astype(np.int64)
        unknown = dict.fromkeys(word for word in words if word not in vocabulary)
        number = {word: len(vocabulary) + n for n, word in enumerate(unknown)}
        names = np.array(
            [number.get(word, known) for word, known in zip(words, ids.tolist(), strict=True)],
            dtype=np.int64,
        )
        return cls(tuple(words), ids, names, tuple(unknown))


@dataclass(frozen=True, slots=True, eq=False)
class Copier:
    """The fitted network; inference in numpy."""

    vocabulary: Vocabulary  # <unk>, <s>, </s>, the words it can generate, then those it only reads
    writable: int
    weights: Arrays
    _reader: tuple[Lstm, Lstm] = field(init=False, repr=False)
    _writer: Lstm = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = ("reader", "reader_reverse", "writer")
        ahead, back, writer = (_lstm(self.weights, name) for name in names)
        object.__setattr__(self, "_reader", (ahead, back))
        object.__setattr__(self, "_writer", writer)

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits of a hash of the network."""
        digest = hashlib.sha256("\n".join(self.vocabulary).encode("utf-8", "surrogatepass"))
        digest.update(str(self.writable).encode())
        for name in sorted(self.weights):
            digest.update(name.encode() + np.ascontiguousarray(self.weights[name]).tobytes())
        return digest.hexdigest()[:12]

    def rewrite(self, words: Sequence[str], beam: Beam | None = None) -> list[str]:
        """The rewriting of a source by beam search; empty for an empty source."""
        if not words:
            return []
        source = Source.of(words, self.vocabulary)
        reading = _Reading(self, source)
        written = search(START_ID, END_ID, reading.start(), reading.step, beam or Beam())
        spelled = (*self.vocabulary.words, *source.unknown)
        return [spelled[number] for number in written]

    def log_probability(self, words: Sequence[str], rewriting: Sequence[str]) -> float:
        """The log probability of a rewriting, including its end; words that can be neither generated nor copied are skipped."""
        source = Source.of(words, self.vocabulary)
        reading = _Reading(self, source)
        number = dict(zip(source.words, source.names.tolist(), strict=True))
        state, last, total = reading.start(), np.array([START_ID]), 0.0
        for word in (*rewriting, END):
            log_p, state = reading.step(state, last)
            known = int(self.vocabulary.ids([word])[0])
            last = np.array([number.get(word, known)])
            if word in number or self.can_write(known):
                total += float(log_p[0, last[0]])
        return total

    def can_write(self, number: int) -> bool:
        """True if a word of the vocabulary, or the end, can be generated."""
        return END_ID <= number <= END_ID + self.writable

    def dense(self, name: str, rows: Array) -> Array:
        """Apply one of the fully connected layers to rows."""
        return rows @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def read(self, source: Source) -> tuple[Array, Array]:
        """The encoder states of a source (places × 2·units), and the initial state of the decoder."""
        shapes = self.weights["shapes.weight"][[shape(word) for word in source.words]]
        inputs = np.hstack([self.weights["words.weight"][source.ids], shapes])
        ahead, _ = self._reader[0].states(inputs)
        back, _ = self._reader[1].states(inputs[::-1])
        ends = np.concatenate([ahead[-1], back[-1]])
        return np.hstack([ahead, back[::-1]]), np.tanh(self.dense("start", ends))

    def write(self, last: Ints, state: Array, cell: Array) -> tuple[Array, Array]:
        """The decoder's states and cells after the last words."""
        known = np.where(last < len(self.vocabulary), last, 0)
        return self._writer.step(self.weights["words.weight"][known], state, cell)


class _Reading:
    """The decoding of one source."""

    def __init__(self, copier: Copier, source: Source) -> None:
        self.copier = copier
        self.names = source.names
        self.size = len(copier.vocabulary) + len(source.unknown)
        self.places, self.begin = copier.read(source)

    def start(self) -> State:
        """The state of one empty sequence: the decoder's state and cell, match lengths in the source, and which of its words were used."""
        state, cell = np.split(self.begin[None], 2, axis=1)
        run = np.zeros((1, len(self.names)), dtype=np.int64)
        return state, cell, run, run.astype(bool)

    def step(self, state: State, last: Ints) -> tuple[Array, State]:
        """The log probability of every word of the vocabulary and the source after the last words, and the new states."""
        hidden, cell, run, used = state
        hit = self.names == last[:, None]
        run, used = continued(run, hit), used | hit
        hidden, cell = self.copier.write(last, hidden, cell)
        weights = self.copier.weights
        leaning = self.copier.dense("query", hidden) @ self.places.T
        leaning /= np.sqrt(np.float32(self.places.shape[1]))
        leaning += weights["runs.weight"][run, 0] + weights["used.weight"][used.astype(int), 0]
        attention = _softmax(leaning)  # sequences × places
        seen = np.hstack([hidden, attention @ self.places])
        gate = 1 / (1 + np.exp(-self.copier.dense("gate", seen)))
        blended = np.tanh(self.copier.dense("blend", seen))
        probabilities = np.zeros((len(last), self.size), dtype=np.float32)
        written = _softmax(self.copier.dense("write", blended))
        probabilities[:, END_ID : END_ID + written.shape[1]] = gate * written
        np.add.at(probabilities.T, self.names, ((1 - gate) * attention).T)
        # An unknown word is copied as itself: <unk> has no probability.
        return np.log(np.maximum(probabilities, _LEAST)), (hidden, cell, run, used)


def continued(run: Ints, hit: NDArray[np.bool_]) -> Ints:
    """The length of the match that ends before each place, after the word at the places `hit` was written."""
    runs = np.zeros_like(run)
    runs[..., 1:] = np.where(hit[..., :-1], np.minimum(run[..., :-1] + 1, LONGEST_RUN), 0)
    return runs


def shape(word: str) -> int:
    """The shape of a word: 0 punctuation, 1 number, 2 all capitals, 3 capitalized, 4 lower case or a script without case."""
    if any(map(str.isdigit, word)):
        return 1
    letters = [each for each in word if each.isalpha()]
    if not letters:
        return 0
    if not letters[0].isupper():
        return 4
    return 2 if len(letters) > 1 and word.isupper() else 3


def vocabulary_of(writable: Sequence[str], others: Sequence[str]) -> Vocabulary:
    """The vocabulary of a copier: the words it can generate, then the others."""
    return Vocabulary((UNKNOWN, START, END, *dict.fromkeys((*writable, *others))))


def _lstm(weights: Arrays, name: str) -> Lstm:
    return Lstm(*(weights[f"{name}.{part}"] for part in ("w_input", "w_state", "bias")))


def _softmax(rows: Array) -> Array:
    weights: Array = np.exp(rows - rows.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights
