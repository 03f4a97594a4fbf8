"""What all networks share: an LSTM in numpy, and in training a seeded torch, optimizers, update steps, padding and checkpoints.

Training uses one thread, because the last digits of sums depend on the number of threads: so the same seed gives the same network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import unpacked_arrays
from newsdesk.files import atomic, make_folder
from newsdesk.jsonl import json_line, json_value
from newsdesk.model import Arrays, prefixed, without_prefix
from newsdesk.registry import require
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
    # … × units each, as torch orders them
    input_gate, forget_gate, new_cell, output_gate = np.split(gates, 4, axis=-1)
    cell = _sigmoid(forget_gate) * cell + _sigmoid(input_gate) * np.tanh(new_cell)
    return _sigmoid(output_gate) * np.tanh(cell), cell


def _sigmoid(x: Array) -> Array:
    # tanh never overflows where exp would.
    return 0.5 * np.tanh(0.5 * x) + np.float32(0.5)


Model = TypeVar("Model")

_HEADER = "checkpoint.json"


@contextmanager
def seeded_torch(what: str, seed: int | None) -> Iterator[Any]:
    """Import torch for a training, seeded and with one thread; restore its threads afterwards.

    `what` names the training in the error where torch is missing. Without a `seed` torch is not seeded.
    """
    torch = require("torch", extra="neural", what=what)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        if seed is not None:
            torch.manual_seed(seed)
        yield torch
    finally:
        torch.set_num_threads(threads)


def adam(
    torch: Any, network: Any, rate: float, own_rates: Mapping[str, float] = MappingProxyType({})
) -> list[Any]:
    """Return Adam for the dense weights, and sparse Adam for `words`.

    `own_rates` has the learning rate of parts of the network (by name) that do not use `rate`. Dense updates of word vectors would spend most of the time on words that are not in the batch.
    """
    apart = ("words", *own_rates)
    dense = [
        weight
        for name, weight in network.named_parameters()
        if weight.requires_grad and not name.startswith(apart)
    ]
    groups: list[dict[str, Any]] = [{"params": dense}]
    groups += [
        {"params": list(network[name].parameters()), "lr": own} for name, own in own_rates.items()
    ]
    words = list(network["words"].parameters())
    return [torch.optim.Adam(groups, lr=rate), torch.optim.SparseAdam(words, lr=rate)]


def update(torch: Any, optimizers: Sequence[Any], loss: Any, clip: float | None = None) -> float:
    """Take one step down the gradient of a loss, clipped for the first optimizer, and return the loss."""
    for optimizer in optimizers:
        optimizer.zero_grad()
    loss.backward()
    if clip is not None:
        torch.nn.utils.clip_grad_norm_(optimizers[0].param_groups[0]["params"], clip)
    for optimizer in optimizers:
        optimizer.step()
    return float(loss.detach())


@dataclass(slots=True)
class BestModel(Generic[Model]):
    """The model of the highest value so far, and how many models were offered after it."""

    value: float | None = None
    model: Model | None = None
    waited: int = 0

    def offer(self, value: float, model: Model) -> None:
        """Keep the model if its value is higher than all before."""
        self.waited += 1
        if self.value is None or value > self.value:
            self.value, self.model, self.waited = value, model, 0


def padded(torch: Any, rows: Sequence[NDArray[Any]]) -> Any:
    """Stack arrays of different sizes into one tensor, filled up with zeros at their ends."""
    sizes = np.max([row.shape for row in rows], axis=0)
    stacked = np.zeros((len(rows), *sizes), dtype=rows[0].dtype)  # rows × largest sizes
    for number, row in enumerate(rows):
        stacked[number][tuple(map(slice, row.shape))] = row
    return torch.from_numpy(stacked)


def inside(torch: Any, lengths: Any, size: int) -> Any:
    """Return which columns of padded rows hold something (rows × size)."""
    return torch.arange(size)[None] < lengths[:, None]


def lstm_of(module: Any) -> Lstm:
    """Return torch's LSTM in numpy; its two biases for each gate are added."""
    weights = {name: value.detach().numpy() for name, value in module.named_parameters()}
    bias = weights["bias_ih_l0"] + weights["bias_hh_l0"]
    return Lstm(weights["weight_ih_l0"].copy(), weights["weight_hh_l0"].copy(), bias)


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """A folder for checkpoints, written every so many seconds.

    `digest` names the data and settings they belong to.
    """

    folder: Path
    digest: str
    every_s: float = 120.0


def write_checkpoint(
    checkpoints: Checkpoints,
    torch: Any,
    network: Any,
    optimizers: Sequence[Any],
    best: Arrays,
    done: Mapping[str, Any],
) -> None:
    """Write weights, moments, random state and best weights, and delete the checkpoint before.

    The header, `done` included, comes last and names the file of arrays, so a killed writer loses nothing.
    """
    folder = make_folder(checkpoints.folder)
    weights = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    arrays = prefixed("network.", weights)
    for number, optimizer in enumerate(optimizers):
        for weight, state in optimizer.state_dict()["state"].items():
            for name, value in state.items():
                arrays[f"optimizer.{number}.{weight}.{name}"] = np.asarray(value)
    arrays |= prefixed("best.", best)
    arrays["random"] = torch.get_rng_state().numpy()
    file = f"state-{done['updates']}.npz"
    with atomic(folder / file) as opened:
        np.savez(opened, allow_pickle=False, **arrays)
    header = {"format": 1, "digest": checkpoints.digest, "file": file, **done}
    with atomic(folder / _HEADER) as opened:
        opened.write(json_line(header))
    for path in folder.glob("state-*.npz"):
        if path.name != file:
            path.unlink()


def read_checkpoint(
    checkpoints: Checkpoints, torch: Any, network: Any, optimizers: Sequence[Any]
) -> tuple[Arrays, dict[str, Any]] | None:
    """Restore network, optimizers and random state from a checkpoint of the same data and settings.

    Return its best weights and what the header held of `done`; None if there is no such checkpoint.
    """
    header_file = checkpoints.folder / _HEADER
    if not header_file.exists():
        return None
    header = json_value(header_file.read_text("utf-8"))
    if header.pop("digest") != checkpoints.digest or header.pop("format") != 1:
        return None
    arrays = unpacked_arrays((checkpoints.folder / header.pop("file")).read_bytes())
    weights = without_prefix("network.", arrays)
    network.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
    for number, optimizer in enumerate(optimizers):
        state = optimizer.state_dict()
        for name, value in without_prefix(f"optimizer.{number}.", arrays).items():
            weight, part = name.split(".")
            entry = state["state"].setdefault(int(weight), {})
            entry[part] = torch.from_numpy(value) if value.ndim else _scalar(torch, value)
        optimizer.load_state_dict(state)
    torch.set_rng_state(torch.from_numpy(arrays["random"]))
    return without_prefix("best.", arrays), header


def _scalar(torch: Any, value: NDArray[Any]) -> Any:
    """Return the step counter of an optimizer: a tensor for Adam, a number for SparseAdam."""
    return int(value) if np.issubdtype(value.dtype, np.integer) else torch.tensor(float(value))
