"""Training of the text-pair network with torch: pairs as RankNet does, or single scores by squared error.

RankNet's loss on a pair is −t log p − (1 − t) log(1 − p) with p = σ(f(c₁) − f(c₂)) and t = 1, 0 or ½ for a tie (the formula printed in Fujita et
al. uses p for both terms). Adam throughout; word vectors get sparse updates, because dense ones would spend most of the time on words that are not in the
batch. In a pair the term of the context cancels, so RankNet never runs its LSTM. One thread throughout: more would change the last
digits, and are no faster on batches of ten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsdesk.errors import ArgumentError
from newsdesk.nn.lstm import Array, Lstm
from newsdesk.nn.scorer import TextPairScorer
from newsdesk.nn.threads import one_thread
from newsdesk.registry import require
from newsdesk.streams import stream
from newsdesk.text.vocabulary import Vocabulary
from newsdesk.work.progress import OnProgress, Progress, silent


@dataclass(frozen=True, slots=True)
class Settings:
    """Hyper-parameters of training; the defaults are those of Fujita et al. (2019)."""

    units: int = 300
    iterations: int = 10_000
    batch: int = 10
    learning_rate: float = 1e-4
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Texts under one context with their targets: the comments of an article, its title, their scores."""

    texts: tuple[NDArray[np.int32], ...]
    context: NDArray[np.int32]
    targets: NDArray[np.float64]


Example = tuple[Group, int, int]


@dataclass(frozen=True, slots=True)
class Stopping:
    """Early stopping: `measure` is taken every so many steps, higher is better, and training ends after `patience` checks without a new best."""

    measure: Callable[[TextPairScorer], float]
    every: int
    patience: int


def train(
    groups: Sequence[Group],
    vocabulary: Vocabulary,
    vectors: Array,
    loss: Literal["pairs", "squared"],
    settings: Settings | None = None,
    progress: OnProgress = silent,
    stopping: Stopping | None = None,
) -> TextPairScorer:
    """Fit the network; `progress` names a running mean of the loss. With `stopping` the best network checked is returned."""
    settings = settings or Settings()
    usable = [group for group in groups if len(group.texts) > (loss == "pairs")]
    if not usable:
        raise ArgumentError("there is nothing to learn from: no group with enough texts")
    torch = require("torch", extra="neural", what="training a neural ranker")
    with one_thread(torch):
        torch.manual_seed(settings.seed)
        network = _network(torch, vectors, settings.units)
        steps = _steps(torch, network, _batches(usable, loss, settings), loss, settings)
        best: tuple[float, TextPairScorer] | None = None
        waited = 0
        for number, running in enumerate(steps, 1):
            progress(Progress(f"loss {running:.4f}", number, settings.iterations))
            last = number == settings.iterations
            if not stopping or not (last or number % stopping.every == 0):
                continue
            checked = _extract(network, vocabulary)
            value = stopping.measure(checked)
            waited += 1
            if best is None or value > best[0]:
                best, waited = (value, checked), 0
            if waited >= stopping.patience:
                break
        return best[1] if best else _extract(network, vocabulary)


def _steps(
    torch: Any, network: Any, batches: Iterator[list[Example]], loss: str, settings: Settings
) -> Iterator[float]:
    """Take one optimization step per batch and yield the running mean of the loss after each."""
    loss_of = _pair_loss if loss == "pairs" else _squared_loss
    dense = [weight for name, weight in network.named_parameters() if not name.startswith("words")]
    adam = {"lr": settings.learning_rate, "betas": settings.betas, "eps": settings.epsilon}
    optimizers = [
        torch.optim.Adam(dense, **adam),
        torch.optim.SparseAdam(list(network["words"].parameters()), **adam),
    ]
    running = 0.0
    for number, batch in enumerate(batches, 1):
        for optimizer in optimizers:
            optimizer.zero_grad()
        value = loss_of(torch, network, batch)
        value.backward()
        for optimizer in optimizers:
            optimizer.step()
        running += (float(value.detach()) - running) / min(number, 100)
        yield running


def _batches(groups: Sequence[Group], loss: str, settings: Settings) -> Iterator[list[Example]]:
    """Batches of (group, first text, second text); the second is only used for pairs, whose batches are of one article each."""
    rng = stream(f"neural batches: {loss}", settings.seed)
    sizes = np.array([len(group.texts) for group in groups], dtype=np.float64)
    for _ in range(settings.iterations):
        if loss == "pairs":
            group = groups[int(rng.integers(len(groups)))]
            pairs = [rng.choice(len(group.texts), 2, replace=False) for _ in range(settings.batch)]
            yield [(group, int(a), int(b)) for a, b in pairs]
        else:
            chosen = rng.choice(len(groups), settings.batch, p=sizes / sizes.sum())
            yield [(groups[g], int(rng.integers(len(groups[g].texts))), 0) for g in chosen]


def _network(torch: Any, vectors: Array, units: int) -> Any:
    words = torch.nn.Embedding.from_pretrained(
        torch.from_numpy(vectors.copy()), freeze=False, sparse=True
    )
    size = vectors.shape[1]
    return torch.nn.ModuleDict(
        {
            "words": words,
            "text": torch.nn.LSTM(size, units, batch_first=True),
            "context": torch.nn.LSTM(size, units, batch_first=True),
            "out": torch.nn.Linear(2 * units, 1),
        }
    )


def _last_states(torch: Any, network: Any, name: str, texts: Sequence[NDArray[np.int32]]) -> Any:
    # torch cannot pack an empty text: it goes in as one unknown word and its state is set to zero.
    lengths = torch.tensor([max(len(text), 1) for text in texts])
    padded = torch.zeros(len(texts), int(lengths.max()), dtype=torch.long)
    for row, text in enumerate(texts):
        padded[row, : len(text)] = torch.from_numpy(text.astype(np.int64))
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        network["words"](padded), lengths, batch_first=True, enforce_sorted=False
    )
    _, (state, _) = network[name](packed)
    filled = torch.tensor([float(len(text) > 0) for text in texts]).unsqueeze(1)
    return state[0] * filled  # texts × units


def _pair_loss(torch: Any, network: Any, batch: Sequence[Example]) -> Any:
    texts = [group.texts[a] for group, a, _ in batch] + [group.texts[b] for group, _, b in batch]
    states = _last_states(torch, network, "text", texts)  # 2·batch × units
    scores = states @ network["out"].weight[0, : states.shape[1]]
    first, second = scores[: len(batch)], scores[len(batch) :]
    wanted = [np.sign(group.targets[a] - group.targets[b]) / 2 + 0.5 for group, a, b in batch]
    target = torch.tensor(wanted, dtype=torch.float32)
    return torch.nn.functional.binary_cross_entropy_with_logits(first - second, target)


def _squared_loss(torch: Any, network: Any, batch: Sequence[Example]) -> Any:
    texts = _last_states(torch, network, "text", [group.texts[a] for group, a, _ in batch])
    contexts = _last_states(torch, network, "context", [group.context for group, _, _ in batch])
    scores = network["out"](torch.cat([texts, contexts], dim=1)).squeeze(1)
    target = torch.tensor([group.targets[a] for group, a, _ in batch], dtype=torch.float32)
    return torch.nn.functional.mse_loss(scores, target)


def _extract(network: Any, vocabulary: Vocabulary) -> TextPairScorer:
    """The fitted weights as numpy arrays; torch's two biases per gate are added."""

    def array(tensor: Any) -> Array:
        return tensor.detach().numpy().copy()

    def lstm(module: Any) -> Lstm:
        bias = array(module.bias_ih_l0) + array(module.bias_hh_l0)
        return Lstm(array(module.weight_ih_l0), array(module.weight_hh_l0), bias)

    return TextPairScorer(
        vocabulary,
        array(network["words"].weight),
        lstm(network["text"]),
        lstm(network["context"]),
        array(network["out"].weight)[0],
        float(network["out"].bias.detach()[0]),
    )
