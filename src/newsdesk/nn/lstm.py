"""A one-layer LSTM in numpy: the last state of every text of a batch, equal to torch's to float32 rounding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsdesk.text.ragged import Ragged

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Lstm:
    """Weights in torch's layout: the four gates (input, forget, cell, output) stacked in the first dimension."""

    w_input: Array  # 4·units × dimensions
    w_state: Array  # 4·units × units
    bias: Array  # 4·units

    @property
    def units(self) -> int:
        """The size of the state."""
        return int(self.w_state.shape[1])

    def last_states(self, texts: Ragged, vectors: Array) -> Array:
        """The state after the last word of each text (texts × units); an empty text keeps the zero state."""
        # Longest first, so that the texts still running at a step are the first rows.
        order = np.argsort(-texts.lengths, kind="stable")
        lengths = texts.lengths[order]
        starts = texts.offsets[:-1][order]
        # Each word's part in the gates is computed once, however often the word comes.
        words, place = np.unique(texts.ids, return_inverse=True)
        heard = vectors[words] @ self.w_input.T + self.bias  # words × 4·units
        w_state = np.ascontiguousarray(self.w_state.T)
        state = np.zeros((len(texts), self.units), dtype=np.float32)
        cell = np.zeros_like(state)
        for step in range(int(lengths.max(initial=0))):
            running = int(np.searchsorted(-lengths, -step))
            gates = state[:running] @ w_state  # running × 4·units
            gates += heard[place[starts[:running] + step]]
            i, f, g, o = np.split(gates, 4, axis=1)  # each running × units
            cell[:running] = _sigmoid(f) * cell[:running] + _sigmoid(i) * np.tanh(g)
            state[:running] = _sigmoid(o) * np.tanh(cell[:running])
        last = np.empty_like(state)
        last[order] = state
        return last


def _sigmoid(x: Array) -> Array:
    # tanh never overflows where exp would.
    half: Array = 0.5 * np.tanh(0.5 * x) + np.float32(0.5)
    return half
