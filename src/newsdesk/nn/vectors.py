"""Skip-gram word vectors with negative sampling (Mikolov et al. 2013), trained on unlabelled text.

Settings follow gensim's defaults: window 5 (drawn from 1 to 5 per word), 5 negatives drawn from counts to the ¾, frequent words subsampled at 1e-3. Unlike
gensim, which updates after every pair, updates are made in batches with sparse Adam: plain gradients of a frequent word would add up over a
batch and diverge. The same seed gives the same vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.nn.lstm import Array
from newsdesk.nn.threads import one_thread
from newsdesk.registry import require
from newsdesk.streams import stream
from newsdesk.text.ragged import Ragged
from newsdesk.text.vocabulary import Vocabulary
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, Progress, silent

_BATCH_PAIRS = 4_096


@dataclass(frozen=True, slots=True)
class SkipGram:
    """Hyper-parameters of skip-gram training."""

    dimensions: int = 300
    window: int = 5
    negatives: int = 5
    epochs: int = 5
    thin: float = 1e-3
    learning_rate: float = 5e-3
    least_rate: float = 1e-4
    seed: int = 0


def word_vectors(
    texts: Sequence[Sequence[str]],
    vocabulary: Vocabulary,
    settings: SkipGram | None = None,
    progress: OnProgress = silent,
) -> Array:
    """One vector per word of the vocabulary (words × dimensions)."""
    settings = settings or SkipGram()
    torch = require("torch", extra="neural", what="training word vectors")
    rng = stream("skip-gram", settings.seed)
    size = (len(vocabulary), settings.dimensions)
    drawn = rng.random(size, dtype=np.float32) - np.float32(0.5)
    start = drawn / np.float32(settings.dimensions)
    rows = Ragged.of_rows([vocabulary.ids(words).tolist() for words in texts])
    counts = np.bincount(rows.ids, minlength=len(vocabulary)).astype(np.float64)
    with one_thread(torch):
        return _train(torch, rows, counts, start, settings, rng, progress)


def _train(
    torch: Any,
    rows: Ragged,
    counts: NDArray[np.float64],
    start: Array,
    settings: SkipGram,
    rng: np.random.Generator,
    progress: OnProgress,
) -> Array:
    inner = torch.nn.Embedding.from_pretrained(torch.from_numpy(start), freeze=False, sparse=True)
    outer = torch.nn.Embedding.from_pretrained(torch.zeros(start.shape), freeze=False, sparse=True)
    optimizer = torch.optim.SparseAdam([inner.weight, outer.weight], lr=settings.learning_rate)
    noise = counts**0.75
    noise_edges = np.cumsum(noise / max(noise.sum(), 1e-12))
    for epoch in range(settings.epochs):
        for done, pairs in _pair_batches(rows, counts, settings, rng):
            share = (epoch + done) / settings.epochs
            progress(
                Progress(
                    f"skip-gram vectors of {plural(len(start), 'word')}", round(100 * share), 100
                )
            )
            rate = settings.learning_rate + share * (settings.least_rate - settings.learning_rate)
            optimizer.param_groups[0]["lr"] = rate
            drawn = rng.random((len(pairs), settings.negatives))
            negatives = np.searchsorted(noise_edges, drawn, side="right")
            _step(torch, inner, outer, optimizer, pairs, np.minimum(negatives, len(start) - 1))
    return inner.weight.detach().numpy().copy()


def _step(
    torch: Any,
    inner: Any,
    outer: Any,
    optimizer: Any,
    pairs: NDArray[np.int64],
    negatives: NDArray[np.int64],
) -> None:
    optimizer.zero_grad()
    centre = inner(torch.from_numpy(pairs[:, 0]))  # pairs × dimensions
    near = (centre * outer(torch.from_numpy(pairs[:, 1]))).sum(dim=1)
    far = torch.einsum("pd,pnd->pn", centre, outer(torch.from_numpy(negatives)))
    log = torch.nn.functional.logsigmoid
    loss = -(log(near).mean() + log(-far).sum(dim=1).mean())
    loss.backward()
    optimizer.step()


def _pair_batches(
    rows: Ragged, counts: NDArray[np.float64], settings: SkipGram, rng: np.random.Generator
) -> Iterator[tuple[float, NDArray[np.int64]]]:
    """Batches of (word, neighbour) over the texts in random order, each with the share of the epoch done."""
    order = rng.permutation(len(rows))
    frequency = counts / max(counts.sum(), 1)
    keep_rate = np.minimum(
        1,
        np.sqrt(settings.thin / np.maximum(frequency, 1e-12))
        + settings.thin / np.maximum(frequency, 1e-12),
    )
    waiting: list[NDArray[np.int64]] = []
    count = 0
    for number, place in enumerate(order, 1):
        words = rows[place].astype(np.int64)
        words = words[rng.random(len(words)) < keep_rate[words]]
        pairs = _neighbours(words, settings.window, rng)
        waiting.append(pairs)
        count += len(pairs)
        if count >= _BATCH_PAIRS or number == len(order):
            joined = np.concatenate(waiting)
            for start in range(0, len(joined), _BATCH_PAIRS):
                yield number / len(order), joined[start : start + _BATCH_PAIRS]
            waiting, count = [], 0


def _neighbours(
    words: NDArray[np.int64], window: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Pairs of every word with its neighbours within a window of random size."""
    reach = rng.integers(1, window + 1, len(words))
    pairs = []
    for distance in range(1, window + 1):
        near = reach >= distance
        ahead = np.flatnonzero(near[: max(len(words) - distance, 0)])
        behind = np.flatnonzero(near[distance:]) + distance
        pairs.append(np.column_stack([words[ahead], words[ahead + distance]]))
        pairs.append(np.column_stack([words[behind], words[behind - distance]]))
    return np.concatenate(pairs)
