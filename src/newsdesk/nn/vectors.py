"""Skip-gram word vectors with negative sampling (Mikolov et al. 2013), trained on unlabelled text.

Settings follow gensim's defaults: window 5 (drawn from 1 to 5 per word), 5 negatives drawn from counts to the ¾, frequent words subsampled at 1e-3. Unlike
gensim, which updates after every pair, updates are made in batches with sparse Adam: plain gradients of a frequent word would add up over a
batch and diverge. The same seed gives the same vectors. Vectors are read and written as text, one word per line, as word2vec, gensim and GloVe do,
with or without a header line of sizes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.errors import DataError
from newsdesk.files import InputFile, atomic
from newsdesk.nn.trainer import Array, seeded_torch
from newsdesk.streams import stream
from newsdesk.text.ragged import Ragged, Vocabulary
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
    thin: float = 1e-3  # words of a higher frequency are subsampled
    learning_rate: float = 5e-3  # at first; it falls to the least
    least_rate: float = 1e-4
    seed: int = 0


def word_vectors(
    texts: Sequence[Sequence[str]],
    vocabulary: Vocabulary,
    settings: SkipGram | None = None,
    progress: OnProgress = silent,
) -> Array:
    """Train one vector per word of the vocabulary (words × dimensions)."""
    settings = settings or SkipGram()
    rng = stream("skip-gram", settings.seed)
    size = (len(vocabulary), settings.dimensions)
    drawn = rng.random(size, dtype=np.float32) - np.float32(0.5)
    start = drawn / np.float32(settings.dimensions)  # words × dimensions
    rows = vocabulary.rows(texts)
    counts = np.bincount(rows.ids, minlength=len(vocabulary)).astype(np.float64)  # words
    with seeded_torch("training word vectors", None) as torch:
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
    """Return the trained word vectors; `start` are the first ones, `counts` how often each word occurs."""
    inner = torch.nn.Embedding.from_pretrained(torch.from_numpy(start), freeze=False, sparse=True)
    outer = torch.nn.Embedding.from_pretrained(torch.zeros(start.shape), freeze=False, sparse=True)
    optimizer = torch.optim.SparseAdam([inner.weight, outer.weight], lr=settings.learning_rate)
    # A negative is drawn by where a uniform number falls among the edges of the shares.
    noise = counts**0.75
    noise_edges = np.cumsum(noise / max(noise.sum(), 1e-12))  # words
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
            drawn = rng.random((len(pairs), settings.negatives))  # pairs × negatives
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
    """Update the vectors by one batch of (word, neighbour) pairs and their negatives."""
    optimizer.zero_grad()
    centre = inner(torch.from_numpy(pairs[:, 0]))  # pairs × dimensions
    near = (centre * outer(torch.from_numpy(pairs[:, 1]))).sum(dim=1)  # pairs
    far = torch.einsum("pd,pnd->pn", centre, outer(torch.from_numpy(negatives)))
    log = torch.nn.functional.logsigmoid
    loss = -(log(near).mean() + log(-far).sum(dim=1).mean())
    loss.backward()
    optimizer.step()


def _pair_batches(
    rows: Ragged, counts: NDArray[np.float64], settings: SkipGram, rng: np.random.Generator
) -> Iterator[tuple[float, NDArray[np.int64]]]:
    """Yield the share of the epoch done and a batch of (word, neighbour), over texts in random order."""
    order = rng.permutation(len(rows))
    frequency = counts / max(counts.sum(), 1)  # words
    rarity = settings.thin / np.maximum(frequency, 1e-12)
    keep_rate = np.minimum(1, np.sqrt(rarity) + rarity)
    waiting: list[NDArray[np.int64]] = []
    count = 0
    for number, text in enumerate(order, 1):
        words = rows[text].astype(np.int64)
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
    """Pair every word with its neighbours within a window of random size (pairs × 2)."""
    reach = rng.integers(1, window + 1, len(words))  # of each word
    pairs = []
    for distance in range(1, window + 1):
        near = reach >= distance  # words
        ahead = np.flatnonzero(near[: max(len(words) - distance, 0)])
        behind = np.flatnonzero(near[distance:]) + distance
        pairs.append(np.column_stack([words[ahead], words[ahead + distance]]))
        pairs.append(np.column_stack([words[behind], words[behind - distance]]))
    return np.concatenate(pairs)


def write_vectors(
    path: str | os.PathLike[str], vocabulary: Vocabulary, vectors: Array, *, overwrite: bool = True
) -> None:
    """Write one vector per word with nine digits, the precision of float32."""
    with atomic(path, overwrite=overwrite) as out:
        out.write(f"{vectors.shape[0]} {vectors.shape[1]}\n".encode())
        for word, vector in zip(vocabulary, vectors.tolist(), strict=True):
            numbers = " ".join(f"{value:.9g}" for value in vector)
            out.write(f"{word} {numbers}\n".encode())


def read_vectors(
    path: str | os.PathLike[str], vocabulary: Vocabulary, dimensions: int, *, seed: int = 0
) -> Array:
    """Read a vector per word (words × dimensions) from a file as `write_vectors` writes it.

    That of a missing word is drawn with the variance of the others.
    """
    vectors = np.full((len(vocabulary), dimensions), np.nan, dtype=np.float32)
    numbers = {word: number for number, word in enumerate(vocabulary)}
    source = InputFile(path)
    for line, text in source.texts():
        word, *values = text.rstrip().split(" ")
        if line == 1 and len(values) == 1:  # the header: numbers of words and of dimensions
            continue
        if len(values) != dimensions:
            reason = f"{len(values)} numbers after the word, not the {dimensions} of `dimensions`"
            raise DataError(reason, file=source.name, line=line)
        if word not in numbers:
            continue
        try:
            vectors[numbers[word]] = [float(value) for value in values]
        except ValueError as error:
            raise DataError(str(error), file=source.name, line=line) from error
    lacking = np.isnan(vectors).any(axis=1)
    if lacking.all():
        raise DataError("has a vector for none of the words to learn from", file=source.name)
    spread = float(vectors[~lacking].std())
    drawn = stream("vectors of words that a file lacks", seed).normal(0, spread, vectors.shape)
    vectors[lacking] = drawn[lacking]
    return vectors
