"""Training of the convolutional scorer with torch: the right text against sampled others.

The probability of a text given its context is a softmax over all texts; its normalization term is estimated from `negatives` texts of other contexts, drawn among those of the same
batch, so that each is encoded once. Adam; word vectors get sparse updates. One thread, so that the same seed gives the same network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.nn.convolution import SMALLEST, ConvolutionScorer
from newsdesk.nn.threads import one_thread
from newsdesk.registry import require
from newsdesk.streams import stream
from newsdesk.text.ragged import Ragged
from newsdesk.work.progress import OnProgress, Progress, silent

_FIRST_STD = 0.03
_WORD_STD = 0.1
# Cosines of an article and a comment are small: a shared word must weigh much to count.
_FIRST_OVERLAP, _OVERLAP_RATE = 25.0, 0.05


@dataclass(frozen=True, slots=True)
class Settings:
    """Hyper-parameters of the network and its training."""

    dimensions: int = 64
    units: int = 64
    filters: int = 64
    widths: tuple[int, ...] = (1, 2, 3)
    negatives: int = 32
    batch: int = 64
    rate: float = 2e-3
    epochs: int = 1
    updates: int = 3_000
    overlap: bool = True
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Contexts, texts, the context of each text, and both as unit TF-IDF vectors for the words they share."""

    contexts: Ragged
    texts: Ragged
    context_of: Ints
    context_words: sparse.csr_array
    text_words: sparse.csr_array

    def shared(self, contexts: Ints, texts: Ints) -> Any:
        """The cosines of contexts and texts, contexts × texts."""
        return (self.context_words[contexts] @ self.text_words[texts].T).toarray()


Measure = Callable[[ConvolutionScorer], float]


def train(
    examples: Examples,
    importance: Floats,
    settings: Settings,
    *,
    measure: Measure | None = None,
    progress: OnProgress = silent,
) -> tuple[ConvolutionScorer, int]:
    """Fit the network, with a vector for each word that has an importance, and return it with the number of updates; with `measure` (higher is better) it is that of the best epoch."""
    if not len(examples.texts):
        raise ArgumentError("there is nothing to learn relevance from: no article has a comment")
    torch = require("torch", extra="neural", what="training a relevance model")
    with one_thread(torch):
        torch.manual_seed(settings.seed)
        network = _network(torch, importance, settings)
        optimizers = _optimizers(torch, network, settings)
        per_epoch = -(-len(examples.texts) // settings.batch)
        total = min(settings.updates, settings.epochs * per_epoch)
        check = max(1, min(per_epoch, total // 5))
        best: tuple[float, ConvolutionScorer, int] | None = None
        running = 0.0
        for number, batch in enumerate(_batches(examples, settings, total), 1):
            loss = _step(torch, network, optimizers, examples, batch, settings, number)
            running += (loss - running) / min(number, 50)
            progress(Progress(f"relevance loss {running:.4f}", number, total))
            if measure and (number % check == 0 or number == total):
                checked = _extract(network, settings)
                value = measure(checked)
                if best is None or value > best[0]:
                    best = value, checked, number
        if best:
            return best[1], best[2]
        return _extract(network, settings), total


def _batches(examples: Examples, settings: Settings, total: int) -> Iterator[Ints]:
    """Batches of texts in random order, one pass over all of them after the other."""
    done = epoch = 0
    while done < total:
        order = stream("relevance batches", settings.seed, epoch).permutation(len(examples.texts))
        for first in range(0, len(order), settings.batch):
            if done == total:
                return
            yield order[first : first + settings.batch].astype(np.int64)
            done += 1
        epoch += 1


def _step(
    torch: Any,
    network: Any,
    optimizers: Sequence[Any],
    examples: Examples,
    batch: Ints,
    settings: Settings,
    number: int,
) -> float:
    for optimizer in optimizers:
        optimizer.zero_grad()
    contexts = examples.context_of[batch]
    left = _encoded(torch, network, "context", examples.contexts.take(contexts))
    right = _encoded(torch, network, "text", examples.texts.take(batch))
    scores = left @ right.T  # contexts × texts; the right ones are on the diagonal
    if settings.overlap:
        shared = torch.from_numpy(examples.shared(contexts, batch).astype(np.float32))
        scores = scores + network["overlap"].weight[0, 0] * shared
    allowed = _negatives(contexts, settings, number)
    scores = scores.masked_fill(torch.from_numpy(~allowed), -torch.inf)
    loss = torch.nn.functional.cross_entropy(scores, torch.arange(len(batch)))
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
    return float(loss.detach())


def _negatives(contexts: Ints, settings: Settings, number: int) -> Any:
    """Which texts count against which context: its own, and a draw from those of other contexts."""
    other = contexts[:, None] != contexts[None]
    rng = stream("relevance negatives", settings.seed, number)
    order = np.where(other, rng.random(other.shape), 2.0)
    ranks = order.argsort(axis=1).argsort(axis=1)
    return (other & (ranks < settings.negatives)) | np.eye(len(contexts), dtype=bool)


def _encoded(torch: Any, network: Any, side: str, texts: Ragged) -> Any:
    lengths = torch.from_numpy(texts.lengths)
    convolutions = network[f"{side}_filters"]
    widest = max(convolution.kernel_size[0] for convolution in convolutions)
    size = max(int(lengths.max()), widest)
    ids = np.zeros((len(texts), size), dtype=np.int64)
    column = np.arange(len(texts.ids)) - np.repeat(texts.offsets[:-1], texts.lengths)
    ids[texts.rows, column] = texts.ids
    inside = torch.arange(size)[None] < lengths[:, None]
    places = torch.from_numpy(ids)
    rows = network["words"](places) * inside[..., None]  # texts × size × dimensions
    weights = network["importance"](places).squeeze(-1) * inside
    pooled = []
    for convolution in convolutions:
        responses = convolution(rows.transpose(1, 2))  # texts × filters × places
        count = (lengths - convolution.kernel_size[0] + 1).clamp_min(1)
        valid = torch.arange(responses.shape[2])[None] < count[:, None]
        responses = responses.masked_fill(~valid[:, None], -torch.inf)
        pooled.append(responses.amax(dim=2).clamp_min(0))
    size_of_weights = weights.square().sum(dim=1, keepdim=True).clamp_min(SMALLEST).sqrt()
    pooled.append((rows * weights[..., None]).sum(dim=1) / size_of_weights)
    return network[f"{side}_out"](torch.cat(pooled, dim=1))


def _network(torch: Any, importance: Floats, settings: Settings) -> Any:
    nn, size = torch.nn, settings.dimensions
    parts: dict[str, Any] = {"words": nn.Embedding(len(importance), size, sparse=True)}
    nn.init.normal_(parts["words"].weight, std=_WORD_STD)
    known = torch.from_numpy(importance.astype(np.float16).astype(np.float32))
    parts["importance"] = nn.Embedding.from_pretrained(known[:, None], freeze=True)
    for side in ("context", "text"):
        parts[f"{side}_filters"] = nn.ModuleList(
            nn.Conv1d(size, settings.filters, width) for width in settings.widths
        )
        out = nn.Linear(settings.filters * len(settings.widths) + size, settings.units)
        # At first shared words decide, then sums of word vectors, which are handed on as they are.
        nn.init.normal_(out.weight, std=_FIRST_STD)
        with torch.no_grad():
            out.weight[:, -size:] = torch.eye(settings.units, size)
        parts[f"{side}_out"] = out
    parts["overlap"] = nn.Linear(1, 1, bias=False)
    nn.init.constant_(parts["overlap"].weight, _FIRST_OVERLAP if settings.overlap else 0.0)
    return nn.ModuleDict(parts)


def _optimizers(torch: Any, network: Any, settings: Settings) -> list[Any]:
    dense = [
        value
        for name, value in network.named_parameters()
        if not name.startswith(("words", "importance", "overlap"))
    ]
    overlap = {"params": list(network["overlap"].parameters()), "lr": _OVERLAP_RATE}
    return [
        torch.optim.Adam([{"params": dense}, overlap], lr=settings.rate),
        torch.optim.SparseAdam(list(network["words"].parameters()), lr=settings.rate),
    ]


def _extract(network: Any, settings: Settings) -> ConvolutionScorer:
    """The network in numpy, its weights rounded to sixteen bits, as they are saved."""
    arrays = {"words": network["words"].weight.detach().numpy()}
    arrays["importance"] = network["importance"].weight.detach().numpy()[:, 0]
    for side in ("context", "text"):
        for width, each in zip(settings.widths, network[f"{side}_filters"], strict=True):
            arrays[f"{side}.{width}.kernel"] = each.weight.detach().numpy()
            arrays[f"{side}.{width}.bias"] = each.bias.detach().numpy()
        arrays[f"{side}.weight"] = network[f"{side}_out"].weight.detach().numpy()
        arrays[f"{side}.bias"] = network[f"{side}_out"].bias.detach().numpy()
    overlap = float(network["overlap"].weight.detach()[0, 0]) if settings.overlap else 0.0
    rounded = {name: value.astype(np.float16) for name, value in arrays.items()}
    return ConvolutionScorer.of_arrays(rounded, settings.widths, overlap)
