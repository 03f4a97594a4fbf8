"""A one-layer LSTM in numpy, equal to torch's to float32 rounding: last states of a batch of texts, all states of one, or a single step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.text.ragged import Ragged

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Lstm:
    """Weights in torch's layout: the gates (input, forget, cell, output) stacked in the first dimension."""

    w_input: Array  # 4·units × dimensions
    w_state: Array  # 4·units × units
    bias: Array  # 4·units

    @property
    def units(self) -> int:
        """The size of the hidden state."""
        return int(self.w_state.shape[1])

    def last_states(self, texts: Ragged, vectors: Array) -> Array:
        """Return the state after the last word of each text (texts × units); of an empty text it is zero."""
        # Longest first, so that the texts still running at a step are the first rows.
        order = np.argsort(-texts.lengths, kind="stable")  # texts
        lengths = texts.lengths[order]  # texts
        starts = texts.offsets[:-1][order]  # texts
        # The input projection of each distinct word is computed once.
        words, word_of = np.unique(texts.ids, return_inverse=True)
        projected = vectors[words] @ self.w_input.T + self.bias  # words × 4·units
        w_state = np.ascontiguousarray(self.w_state.T)  # units × 4·units
        state = np.zeros((len(texts), self.units), dtype=np.float32)  # texts × units
        cell = np.zeros_like(state)  # texts × units
        for step in range(int(lengths.max(initial=0))):
            running = int(np.searchsorted(-lengths, -step))
            gates = state[:running] @ w_state  # running × 4·units
            gates += projected[word_of[starts[:running] + step]]
            state[:running], cell[:running] = _passed(gates, cell[:running])
        last = np.empty_like(state)  # texts × units, in the order of the texts
        last[order] = state
        return last

    def states(self, inputs: Array) -> tuple[Array, Array]:
        """Return the state after each of the inputs of one text (inputs × units), and the cell after the last."""
        projected = inputs @ self.w_input.T + self.bias  # inputs × 4·units
        w_state = np.ascontiguousarray(self.w_state.T)  # units × 4·units
        states = np.zeros((len(inputs), self.units), dtype=np.float32)  # inputs × units
        state = cell = np.zeros(self.units, dtype=np.float32)  # units
        for step, projection in enumerate(projected):
            state, cell = _passed(projection + state @ w_state, cell)
            states[step] = state
        return states, cell

    def step(self, inputs: Array, state: Array, cell: Array) -> tuple[Array, Array]:
        """Return the states and cells of several texts (texts × units) after one more input each."""
        return _passed(inputs @ self.w_input.T + self.bias + state @ self.w_state.T, cell)


def _passed(gates: Array, cell: Array) -> tuple[Array, Array]:
    """Apply the four gates and return the new state and cell."""
    i, f, g, o = np.split(gates, 4, axis=-1)  # … × units, as torch orders them
    cell = _sigmoid(f) * cell + _sigmoid(i) * np.tanh(g)
    return _sigmoid(o) * np.tanh(cell), cell


def _sigmoid(x: Array) -> Array:
    # tanh never overflows where exp would.
    return 0.5 * np.tanh(0.5 * x) + np.float32(0.5)
