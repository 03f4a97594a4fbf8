"""Training of the encoder–decoder with torch: teacher forcing, Adam, gradient clipping, batches of similar length, a budget of time or updates.

The loss is the mean of −log p over the words of the targets. A checkpoint holds weights, moments of the optimizer, the state of the random numbers and the place in the data: a training that was killed resumes
with the same losses. Word vectors get sparse updates. One thread, so that the same seed and number of updates give the same network.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.errors import ArgumentError
from newsdesk.files import atomic, make_folder
from newsdesk.jsonl import json_line
from newsdesk.models import Arrays
from newsdesk.nn.generation import END_ID, LSTMS, START_ID, Generator, cutoffs_of
from newsdesk.nn.threads import one_thread
from newsdesk.registry import require
from newsdesk.streams import stream
from newsdesk.text.vocabulary import Vocabulary
from newsdesk.work.progress import OnProgress, Progress, silent

Pair = tuple[NDArray[np.int32], NDArray[np.int32]]  # word ids of a source and of its target


@dataclass(frozen=True, slots=True)
class Settings:
    """Hyper-parameters of the network and its training; with both a number of `updates` and `minutes`, whichever is reached first ends it."""

    attention: bool = True
    units: int = 256
    dimensions: int = 128
    dropout: float = 0.2
    batch: int = 32
    rate: float = 1e-3
    clip: float = 5.0
    minutes: float | None = 8.0
    updates: int | None = None
    check_every: int = 500
    patience: int = 5
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """A folder for checkpoints, written every so many seconds; `digest` names the data and settings they belong to."""

    folder: Path
    digest: str
    every_s: float = 120.0


@dataclass(slots=True)
class Progressed:
    """How far a training has come: updates, place in the data, time spent, losses."""

    updates: int = 0
    epoch: int = 0
    batch: int = 0
    elapsed_s: float = 0.0
    tokens: int = 0
    running: float = 0.0
    best: float | None = None
    waited: int = 0
    dev: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)  # the running mean at every 100th update


def train(
    pairs: Sequence[Pair],
    vocabulary: Vocabulary,
    settings: Settings,
    *,
    dev: Sequence[Pair] = (),
    checkpoints: Checkpoints | None = None,
    progress: OnProgress = silent,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Generator, Progressed]:
    """Fit the network, or go on from a checkpoint, and return it with its progress; with dev pairs it is that of the lowest dev loss."""
    if not pairs:
        raise ArgumentError("there is nothing to learn from: no article has a comment with words")
    if settings.minutes is None and settings.updates is None:
        raise ArgumentError("training has no end: set minutes or updates")
    torch = require("torch", extra="neural", what="training a generator")
    with one_thread(torch):
        run = _Training(torch, pairs, vocabulary, settings, dev)
        if checkpoints:
            run.restore(checkpoints)
        run.go(checkpoints, progress, clock)
        weights = run.best_weights if run.best_weights is not None else _extract(run.network)
        return Generator(vocabulary, weights), run.done


class _Training:
    """A network, its optimizers and how far they have come."""

    def __init__(
        self,
        torch: Any,
        pairs: Sequence[Pair],
        vocabulary: Vocabulary,
        settings: Settings,
        dev: Sequence[Pair],
    ) -> None:
        self.torch, self.pairs, self.settings, self.dev = torch, pairs, settings, dev
        torch.manual_seed(settings.seed)
        self.network = _network(torch, len(vocabulary), settings)
        named = list(self.network.named_parameters())
        dense = [value for name, value in named if not name.startswith("words")]
        self.optimizers = [
            torch.optim.Adam(dense, lr=settings.rate),
            torch.optim.SparseAdam(list(self.network["words"].parameters()), lr=settings.rate),
        ]
        self.done = Progressed()
        self.best_weights: Arrays | None = None

    def go(
        self, checkpoints: Checkpoints | None, progress: OnProgress, clock: Callable[[], float]
    ) -> None:
        """Train until the budget is spent or the dev loss no longer falls."""
        settings, done = self.settings, self.done
        last, saved = clock(), 0.0
        while not self._spent():
            batches = list(_batches(self.pairs, settings, done.epoch))
            for batch in batches[done.batch :]:
                self._update([self.pairs[place] for place in batch])
                done.batch += 1
                now = clock()
                done.elapsed_s, saved, last = done.elapsed_s + now - last, saved + now - last, now
                if self.dev and done.updates % settings.check_every == 0:
                    self._check()
                if done.updates % 5 == 0:
                    progress(self._progress())
                if checkpoints and saved >= checkpoints.every_s:
                    self.store(checkpoints)
                    saved = 0.0
                if self._spent():
                    break
            else:
                done.epoch, done.batch = done.epoch + 1, 0
        if self.dev and done.updates % settings.check_every:
            self._check()

    def _progress(self) -> Progress:
        settings, done = self.settings, self.done
        speed = done.tokens / max(done.elapsed_s, 1e-9)
        text = f"update {done.updates:,}, loss {done.running:.3f}, {speed:,.0f} tokens/s"
        if settings.minutes is not None:
            return Progress(text, round(done.elapsed_s), round(60 * settings.minutes))
        return Progress(text, done.updates, settings.updates)

    def _spent(self) -> bool:
        settings, done = self.settings, self.done
        if settings.updates is not None and done.updates >= settings.updates:
            return True
        if settings.minutes is not None and done.elapsed_s >= 60 * settings.minutes:
            return done.updates > 0
        return bool(self.dev) and done.waited >= settings.patience

    def _update(self, batch: Sequence[Pair]) -> None:
        self.network.train()
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        loss, words = _batch_loss(self.torch, self.network, batch, self.settings.dropout)
        (loss / words).backward()
        dense = self.optimizers[0].param_groups[0]["params"]
        self.torch.nn.utils.clip_grad_norm_(dense, self.settings.clip)
        for optimizer in self.optimizers:
            optimizer.step()
        done = self.done
        done.updates += 1
        done.tokens += words
        done.running += (float(loss.detach()) / words - done.running) / min(done.updates, 50)
        if done.updates % 100 == 0:
            done.losses.append(round(done.running, 6))

    def _check(self) -> None:
        """Measure the dev loss, over the whole vocabulary, and remember the best network."""
        self.network.eval()
        total = count = 0.0
        with self.torch.no_grad():
            for first in range(0, len(self.dev), self.settings.batch):
                batch = self.dev[first : first + self.settings.batch]
                loss, words = _batch_loss(self.torch, self.network, batch, 0.0)
                total, count = total + float(loss), count + words
        value = total / max(count, 1.0)
        self.done.dev.append(round(value, 6))
        self.done.waited += 1
        if self.done.best is None or value < self.done.best:
            self.done.best, self.done.waited = value, 0
            self.best_weights = _extract(self.network)

    def store(self, checkpoints: Checkpoints) -> None:
        """Write a checkpoint; its header, which comes last, names the arrays that belong to it."""
        folder = make_folder(checkpoints.folder)
        arrays = {f"network.{k}": v.detach().numpy() for k, v in self.network.state_dict().items()}
        for number, optimizer in enumerate(self.optimizers):
            for place, state in optimizer.state_dict()["state"].items():
                for name, value in state.items():
                    arrays[f"optimizer.{number}.{place}.{name}"] = np.asarray(value)
        for name, value in (self.best_weights or {}).items():
            arrays[f"best.{name}"] = value
        arrays["random"] = self.torch.get_rng_state().numpy()
        file = f"state-{self.done.updates}.npz"
        with atomic(folder / file) as opened:
            np.savez(opened, allow_pickle=False, **arrays)
        header = {"format": 1, "digest": checkpoints.digest, "file": file, **asdict(self.done)}
        with atomic(folder / "checkpoint.json") as opened:
            opened.write(json_line(header))
        for path in folder.glob("state-*.npz"):
            if path.name != file:
                path.unlink()

    def restore(self, checkpoints: Checkpoints) -> None:
        """Go on from a checkpoint of the same data and settings, if there is one."""
        header_file = checkpoints.folder / "checkpoint.json"
        if not header_file.exists():
            return
        header = json.loads(header_file.read_text("utf-8"))
        if header.pop("digest") != checkpoints.digest or header.pop("format") != 1:
            return
        torch = self.torch
        with np.load(checkpoints.folder / header.pop("file"), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        network = {
            name.removeprefix("network."): torch.from_numpy(value)
            for name, value in arrays.items()
            if name.startswith("network.")
        }
        self.network.load_state_dict(network)
        for number, optimizer in enumerate(self.optimizers):
            state = optimizer.state_dict()
            for name, value in arrays.items():
                if name.startswith(f"optimizer.{number}."):
                    place, part = name.split(".")[2:]
                    entry = state["state"].setdefault(int(place), {})
                    entry[part] = torch.from_numpy(value) if value.ndim else _scalar(torch, value)
            optimizer.load_state_dict(state)
        best = {k.removeprefix("best."): v for k, v in arrays.items() if k.startswith("best.")}
        self.best_weights = best or None
        torch.set_rng_state(torch.from_numpy(arrays["random"]))
        self.done = Progressed(**header)


def _scalar(torch: Any, value: NDArray[Any]) -> Any:
    """The step counter of an optimizer: a tensor for Adam, a number for SparseAdam."""
    return int(value) if np.issubdtype(value.dtype, np.integer) else torch.tensor(float(value))


def _batches(pairs: Sequence[Pair], settings: Settings, epoch: int) -> Iterator[Ints]:
    """Batches of targets of similar length, in random order for each epoch."""
    rng = stream("generator batches", settings.seed, epoch)
    lengths = np.array([len(target) + 0.2 * len(source) for source, target in pairs])
    order = np.argsort(lengths * rng.uniform(0.9, 1.1, len(lengths)), kind="stable")
    starts = np.arange(0, len(order), settings.batch)
    for first in rng.permutation(starts).tolist():
        yield order[first : first + settings.batch]


def _network(torch: Any, words: int, settings: Settings) -> Any:
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
    """The sum of −log p over the words of a batch, ends included, and their number."""

    def padded(rows: Sequence[NDArray[np.int32]]) -> Any:
        array = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
        for place, row in enumerate(rows):
            array[place, : len(row)] = row
        return torch.from_numpy(array)

    def dropped(value: Any) -> Any:
        return torch.nn.functional.dropout(value, dropout, training=dropout > 0)

    sources = [source if len(source) else np.zeros(1, np.int32) for source, _ in batch]
    targets = [np.append(target, END_ID).astype(np.int32) for _, target in batch]
    lengths = torch.tensor([len(source) for source in sources])
    target = padded(targets)
    places, ends = _read(torch, network, dropped(network["words"](padded(sources))), lengths)
    begin = torch.tanh(network["start"](ends))
    state, cell = (each[None].contiguous() for each in begin.chunk(2, dim=-1))
    before = torch.cat([torch.full((len(batch), 1), START_ID), target[:, :-1]], dim=1)
    seen, _ = network["writer"](dropped(network["words"](before)), (state, cell))
    if "query" in network:
        energy = network["query"](seen)[:, :, None] + network["key"](places)[:, None]
        weights = network["energy"](torch.tanh(energy)).squeeze(-1)  # batch × target × source
        absent = torch.arange(places.shape[1])[None, None] >= lengths[:, None, None]
        attention = weights.masked_fill(absent, -torch.inf).softmax(dim=-1)
        seen = torch.cat([seen, attention @ places], dim=-1)
    blended = dropped(torch.tanh(network["blend"](seen)))
    inside = torch.arange(target.shape[1])[None] < torch.tensor([[len(t)] for t in targets])
    log_p = network["out"](blended[inside], target[inside]).output
    return -log_p.sum(), int(inside.sum())


def _read(torch: Any, network: Any, inputs: Any, lengths: Any) -> tuple[Any, Any]:
    """The states of both encoders at each place, and their last states; the backward one reads each text reversed, with its padding still at the end."""
    steps = torch.arange(inputs.shape[1])[None]
    turned = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)
    rows = torch.arange(len(inputs))[:, None]
    ahead, _ = network["reader"](inputs)
    back, _ = network["reader_reverse"](inputs[rows, turned])
    last = (rows[:, 0], lengths - 1)
    return torch.cat([ahead, back[rows, turned]], dim=-1), torch.cat([ahead[last], back[last]], -1)


def _extract(network: Any) -> Arrays:
    """The weights as numpy arrays, rounded to sixteen bits, as they are saved; torch's two biases per gate are added."""
    weights: dict[str, NDArray[Any]] = {
        name: value.numpy().copy()
        for name, value in network.state_dict().items()
        if not name.startswith(LSTMS)
    }
    for name in LSTMS:
        parts = {part: value.detach().numpy() for part, value in network[name].named_parameters()}
        weights[f"{name}.w_input"] = parts["weight_ih_l0"]
        weights[f"{name}.w_state"] = parts["weight_hh_l0"]
        weights[f"{name}.bias"] = parts["bias_ih_l0"] + parts["bias_hh_l0"]
    return {name: value.astype(np.float16).astype(np.float32) for name, value in weights.items()}
