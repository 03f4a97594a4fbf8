"""Training of the copier with torch: the mean of −log p over the words that can be generated or copied, with Adam.

Training uses teacher forcing: the decoder runs over the whole target at once, and match lengths and used words of the source
are computed beforehand. One thread, so that the same seed gives the same network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.errors import ArgumentError
from newsdesk.models import Arrays
from newsdesk.nn.copying import (
    END_ID,
    LONGEST_RUN,
    SHAPES,
    START_ID,
    Copier,
    Source,
    continued,
    shape,
)
from newsdesk.nn.threads import one_thread
from newsdesk.registry import require
from newsdesk.streams import stream
from newsdesk.text.vocabulary import Vocabulary
from newsdesk.work.progress import OnProgress, Progress, silent

Pair = tuple[Sequence[str], Sequence[str]]

_RUNS = (
    0.0,
    4.0,
    5.0,
    6.0,
    6.0,
)  # initial attention bias of matches of 0, 1, … words
_LEAST = 1e-9
_LSTMS = ("reader", "reader_reverse", "writer")


@dataclass(frozen=True, slots=True)
class Settings:
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
class Example:
    """A source and its target, with all that is computed before training."""

    source: Ints
    shapes: Ints
    target: Ints  # numbers in the vocabulary, the end included
    same: NDArray[np.bool_]  # target × source: where the word stands in the source
    runs: NDArray[np.int64]  # target × source: match length before the word is written
    used: NDArray[np.bool_]  # target × source: words written before

    @classmethod
    def of(cls, pair: Pair, vocabulary: Vocabulary) -> Example:
        """Map the words of a pair to ids and match them."""
        words, rewriting = pair
        source = Source.of(words, vocabulary)
        number = dict(zip(source.words, source.names.tolist(), strict=True))
        names = np.array([number.get(word, -1) for word in rewriting] + [-1], dtype=np.int64)
        same = names[:, None] == source.names
        runs = np.zeros(same.shape, dtype=np.int64)
        for place in range(1, len(runs)):
            runs[place] = continued(runs[place - 1], same[place - 1])
        used = np.zeros_like(same)
        used[1:] = np.logical_or.accumulate(same, axis=0)[:-1]
        target = np.append(vocabulary.ids(rewriting), END_ID).astype(np.int64)
        return cls(source.ids, np.array([shape(w) for w in words]), target, same, runs, used)


def train(
    pairs: Sequence[Pair],
    vocabulary: Vocabulary,
    writable: int,
    settings: Settings | None = None,
    *,
    start: Copier | None = None,
    dev: Sequence[Pair] = (),
    progress: OnProgress = silent,
) -> tuple[Copier, float]:
    """Fit the network, from scratch or from `start`, and return it with its loss: of the best epoch on `dev`, else of the last on the pairs."""
    settings = settings or Settings()
    examples = [Example.of(pair, vocabulary) for pair in pairs if pair[0] and pair[1]]
    dev_examples = [Example.of(each, vocabulary) for each in dev if each[0] and each[1]]
    if not examples:
        raise ArgumentError("there is nothing to learn rewriting from: no text with a shorter one")
    torch = require("torch", extra="neural", what="training a rewriter")
    with one_thread(torch):
        torch.manual_seed(settings.seed)
        network = _network(torch, len(vocabulary), writable, settings)
        if start is not None:
            _restore(torch, network, start.weights)
        optimizer = torch.optim.Adam(network.parameters(), lr=settings.rate)
        best: tuple[float, Arrays] | None = None
        for epoch in range(1, settings.epochs + 1):
            loss = _epoch(torch, network, optimizer, examples, settings, epoch)
            if dev_examples:
                loss = _loss(torch, network, dev_examples, settings)
            progress(Progress(f"epoch {epoch}: {loss:.3f} nats a word", epoch, settings.epochs))
            if best is None or not dev_examples or loss < best[0]:
                best = loss, _extract(network)
    if best is None:
        raise ArgumentError("epochs is 0, not at least 1")
    return Copier(vocabulary, writable, best[1]), best[0]


def _epoch(
    torch: Any,
    network: Any,
    optimizer: Any,
    examples: Sequence[Example],
    settings: Settings,
    epoch: int,
) -> float:
    network.train()
    total = count = 0.0
    for batch in _batches(examples, settings, epoch):
        optimizer.zero_grad()
        loss, words = _batch_loss(torch, network, batch, settings.dropout)
        (loss / words.clamp_min(1)).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
        optimizer.step()
        total += float(loss.detach())
        count += float(words)
    return total / max(count, 1.0)


def _loss(torch: Any, network: Any, examples: Sequence[Example], settings: Settings) -> float:
    network.eval()
    total = count = 0.0
    with torch.no_grad():
        for first in range(0, len(examples), settings.batch):
            loss, words = _batch_loss(torch, network, examples[first : first + settings.batch], 0.0)
            total += float(loss)
            count += float(words)
    return total / max(count, 1.0)


def _batches(
    examples: Sequence[Example], settings: Settings, epoch: int
) -> Iterator[list[Example]]:
    """Batches of sources of similar length, in random order for each epoch."""
    rng = stream(f"copier epoch {epoch}", settings.seed)
    lengths = np.array([len(example.source) for example in examples], dtype=np.float64)
    order = np.argsort(lengths * rng.uniform(0.9, 1.1, len(lengths)), kind="stable")
    starts = np.arange(0, len(order), settings.batch)
    for first in rng.permutation(starts).tolist():
        yield [examples[place] for place in order[first : first + settings.batch].tolist()]


def _network(torch: Any, words: int, writable: int, settings: Settings) -> Any:
    nn, units, size = torch.nn, settings.units, settings.dimensions
    network = nn.ModuleDict(
        {
            "words": nn.Embedding(words, size),
            "shapes": nn.Embedding(SHAPES, settings.shape_dimensions),
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
        network["runs"].weight.copy_(torch.tensor(_RUNS)[:, None])
    return network


def _batch_loss(
    torch: Any, network: Any, batch: Sequence[Example], dropout: float
) -> tuple[Any, Any]:
    """The sum of −log p over the words of a batch that can be generated or copied, and their number."""
    nn = torch.nn

    def padded(name: str) -> Any:
        rows = [getattr(each, name) for each in batch]
        sizes = np.max([row.shape for row in rows], axis=0)
        array = np.zeros((len(rows), *sizes), dtype=rows[0].dtype)
        for place, row in enumerate(rows):
            array[place][tuple(map(slice, row.shape))] = row
        return torch.from_numpy(array)

    def dropped(value: Any) -> Any:
        return nn.functional.dropout(value, dropout, training=dropout > 0)

    source, target, same = padded("source"), padded("target"), padded("same")
    lengths = torch.tensor([len(each.source) for each in batch])
    inputs = torch.cat([network["words"](source), network["shapes"](padded("shapes"))], dim=-1)
    places, ends = _read(torch, network, dropped(inputs), lengths)
    places = dropped(places)  # batch × source × 2·units
    begin = torch.tanh(network["start"](ends))
    state, cell = (each[None].contiguous() for each in begin.chunk(2, dim=-1))
    before = torch.cat([torch.full((len(batch), 1), START_ID), target[:, :-1]], dim=1)
    written, _ = network["writer"](dropped(network["words"](before)), (state, cell))
    written = dropped(written)  # batch × target × units
    leaning = network["query"](written) @ places.transpose(1, 2) / places.shape[-1] ** 0.5
    leaning = leaning + network["runs"](padded("runs")).squeeze(-1)
    leaning = leaning + network["used"](padded("used").long()).squeeze(-1)
    absent = torch.arange(source.shape[1])[None, None] >= lengths[:, None, None]
    attention = leaning.masked_fill(absent, -torch.inf).softmax(dim=-1)
    seen = torch.cat([written, attention @ places], dim=-1)
    gate = torch.sigmoid(network["gate"](seen)).squeeze(-1)
    words = network["write"](dropped(torch.tanh(network["blend"](seen)))).softmax(dim=-1)
    can_write = (target >= END_ID) & (target < END_ID + words.shape[-1])
    place = (target - END_ID).clamp(0, words.shape[-1] - 1)
    probability = gate * words.gather(-1, place[..., None]).squeeze(-1) * can_write
    probability = probability + (1 - gate) * (attention * same).sum(dim=-1)
    inside = torch.arange(target.shape[1])[None] < torch.tensor([[len(e.target)] for e in batch])
    counted = inside & (can_write | same.any(dim=-1))
    return -(probability.clamp_min(_LEAST).log() * counted).sum(), counted.sum()


def _read(torch: Any, network: Any, inputs: Any, lengths: Any) -> tuple[Any, Any]:
    """The states of both encoders at each place, and their last states.

    The backward one reads each text reversed, with the padding still at the end: packed sequences would do the same at half the speed.
    """
    steps = torch.arange(inputs.shape[1])[None]
    turned = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)
    rows = torch.arange(len(inputs))[:, None]
    ahead, _ = network["reader"](inputs)
    back, _ = network["reader_reverse"](inputs[rows, turned])
    last = (rows[:, 0], lengths - 1)
    return torch.cat([ahead, back[rows, turned]], dim=-1), torch.cat([ahead[last], back[last]], -1)


def _extract(network: Any) -> Arrays:
    """The weights as numpy arrays, rounded to sixteen bits, as they are saved; torch's two biases per gate are added."""
    weights: dict[str, NDArray[Any]] = {}
    for name, value in network.state_dict().items():
        if not name.startswith(_LSTMS):
            weights[name] = value.numpy()
    for name in _LSTMS:
        parts = {part: value.detach().numpy() for part, value in network[name].named_parameters()}
        weights[f"{name}.w_input"] = parts["weight_ih_l0"]
        weights[f"{name}.w_state"] = parts["weight_hh_l0"]
        weights[f"{name}.bias"] = parts["bias_ih_l0"] + parts["bias_hh_l0"]
    return {name: value.astype(np.float16).astype(np.float32) for name, value in weights.items()}


def _restore(torch: Any, network: Any, weights: Arrays) -> None:
    """Load weights that `_extract` returned into a network."""
    state = {name: torch.from_numpy(value) for name, value in weights.items()}
    for name in _LSTMS:
        state[f"{name}.weight_ih_l0"] = state.pop(f"{name}.w_input")
        state[f"{name}.weight_hh_l0"] = state.pop(f"{name}.w_state")
        state[f"{name}.bias_ih_l0"] = state.pop(f"{name}.bias")
        state[f"{name}.bias_hh_l0"] = torch.zeros_like(state[f"{name}.bias_ih_l0"])
    network.load_state_dict(state)
