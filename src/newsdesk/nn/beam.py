"""Beam search over the sequences that a network generates word by word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints

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
    return best_sequences(start, end, state, step, beam, 1)[0][1]


def best_sequences(
    start: int, end: int, state: State, step: Step, beam: Beam, count: int
) -> list[tuple[float, list[int]]]:
    """Return up to `count` finished sequences with their scores, best first.

    Where no sequence is finished, it is the most probable unfinished one.
    """
    rows: list[list[int]] = [[]]
    scores = np.zeros(1)
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
        best = _best(total.ravel(), beam.width)  # width: numbers of (sequence, word)
        if size == beam.longest or not len(best):
            break
        parents, words = np.divmod(best, total.shape[1])
        rows = [[*rows[p], w] for p, w in zip(parents.tolist(), words.tolist(), strict=True)]
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
    """Return the indices of the largest finite values; of equals the first."""
    few = min(count, len(values))
    floor = np.partition(values, len(values) - few)[len(values) - few]
    largest = np.flatnonzero((values >= floor) & np.isfinite(values))
    return largest[np.argsort(-values[largest], kind="stable")][:count]


def _banned(row: list[int], size: int) -> list[int]:
    """Return the words that would repeat an n-gram of the row."""
    if size == 0 or len(row) < size:
        return []
    tail = row[len(row) - size + 1 :]
    return [
        row[at + size - 1] for at in range(len(row) - size + 1) if row[at : at + size - 1] == tail
    ]
