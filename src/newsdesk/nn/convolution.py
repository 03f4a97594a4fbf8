"""A convolutional network that scores how well a text fits a context: inference in numpy, training with torch.

A text becomes a matrix of word vectors; filters of several widths slide over it, and the largest response of each is kept (Kim 2014). A linear layer gives the vector, and the score is the product of the vectors of text and context: the model `cnn`.
With `cnn+sum` the sum of the word vectors, weighted by importance, stands beside the responses (Iyyer et al. 2015 average them); it learns from every word and not only from the largest responses. With `cnn+sum+shared` the score also
sees how far text and context share words, as in Severyn and Moschitti (2015): the cosine of their TF-IDF vectors, with a learned weight.
Because texts and contexts are encoded apart, the vectors of texts that are scored again and again are computed once.

In training the probability of a text under its context is a softmax over all texts; its normalization term is estimated from `negatives` texts of other contexts, drawn among those of the same
batch, so that a text is encoded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.model import Arrays
from newsdesk.nn.trainer import Array, BestModel, adam, inside, seeded_torch, update
from newsdesk.streams import stream
from newsdesk.text.ragged import Ragged
from newsdesk.work.progress import OnProgress, Progress, silent

RelevanceModel = Literal["cnn", "cnn+sum", "cnn+sum+shared"]
CNN, CNN_SUM, CNN_SUM_SHARED = get_args(RelevanceModel)

_BATCH = 256
# Decimals to which sums in single precision agree, independent of the texts encoded together.
_DECIMALS = 5
_LEAST_SQUARE = 1e-6  # the squared length of the weights of a text without a word of the vocabulary
_SIDES = ("context", "text")
# Standard deviations of the first weights of the linear layer, and of word vectors.
_FIRST_STD = 0.03
_WORD_STD = 0.1
# Cosines of an article and a comment are small: a shared word must weigh much to count.
_FIRST_OVERLAP, _OVERLAP_RATE = 25.0, 0.05  # first weight of shared words, and its learning rate


@dataclass(frozen=True, slots=True, eq=False)
class ConvolutionEncoder:
    """One side of the network: filters of several widths, then a linear layer."""

    kernels: tuple[Array, ...]  # for each width: filters × dimensions × width
    biases: tuple[Array, ...]  # for each width: filters
    weight: Array  # units × (filters of all widths, and dimensions if word vectors are summed)
    bias: Array  # units

    def vectors(self, texts: Ragged, words: Array, importance: Array) -> Array:
        """Return the vector of each text (texts × units), computed in batches of similar length."""
        vectors = np.zeros((len(texts), len(self.bias)), dtype=np.float32)
        order = np.argsort(texts.lengths, kind="stable")
        for start in range(0, len(texts), _BATCH):
            chosen = order[start : start + _BATCH]
            vectors[chosen] = self._batch(texts.take(chosen), words, importance)
        return vectors

    def _batch(self, texts: Ragged, words: Array, importance: Array) -> Array:
        """Return the vectors of texts of word ids, all held as one padded array."""
        lengths = texts.lengths  # texts
        size = max(int(lengths.max(initial=0)), *(kernel.shape[2] for kernel in self.kernels))
        # Word vectors of all texts, filled up with zeros.
        column = texts.columns
        rows = np.zeros((len(texts), size, words.shape[1]), dtype=np.float32)
        rows[texts.rows, column] = words[texts.ids]  # texts × size × dimensions
        # The largest response of each filter over the windows that lie inside a text.
        pooled = []
        for kernel, bias in zip(self.kernels, self.biases, strict=True):
            filters, dimensions, width = kernel.shape
            windows = sliding_window_view(rows, width, axis=1)
            flat = windows.reshape(len(texts), -1, dimensions * width)  # texts × windows × …
            responses = flat @ kernel.reshape(filters, -1).T + bias  # texts × windows × filters
            count = np.maximum(lengths - width + 1, 1)  # texts
            responses[np.arange(responses.shape[1])[None] >= count[:, None]] = -np.inf
            pooled.append(np.maximum(responses.max(axis=1), 0))  # texts × filters
        if self._sums_words:
            # The sum of word vectors, weighted by importance; weights have unit length.
            weights = np.zeros((len(texts), size), dtype=np.float32)
            weights[texts.rows, column] = importance[texts.ids]  # texts × size
            norms = np.sqrt(np.maximum(np.square(weights).sum(axis=1), _LEAST_SQUARE))  # texts
            sums = np.einsum("tsd,ts->td", rows, weights) / norms[:, None]  # texts × dimensions
            pooled.append(sums)
        return np.concatenate(pooled, axis=1) @ self.weight.T + self.bias

    @property
    def _sums_words(self) -> bool:
        """True if the linear layer has more inputs than there are filters."""
        return int(self.weight.shape[1]) > sum(len(bias) for bias in self.biases)


@dataclass(frozen=True, slots=True, eq=False)
class ConvolutionScorer:
    """The fitted network: words, encoders of contexts and of texts, and the weight of shared words."""

    words: Array  # words × dimensions
    importance: Array  # words
    context: ConvolutionEncoder
    text: ConvolutionEncoder
    overlap: float

    def contexts(self, rows: Ragged) -> Array:
        """Return the vectors of contexts, which are word ids (contexts × units)."""
        return self.context.vectors(rows, self.words, self.importance)

    def texts(self, rows: Ragged) -> Array:
        """Return the vectors of texts, which are word ids (texts × units)."""
        return self.text.vectors(rows, self.words, self.importance)

    def scores(self, context: Array, texts: Array, shared: NDArray[np.floating[Any]]) -> Floats:
        """Return the score of each text under one context, from their vectors and the cosines of their words."""
        products: Floats = texts.astype(np.float64) @ context.astype(np.float64)  # texts
        return np.round(products + self.overlap * shared.astype(np.float64), _DECIMALS)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the weights by name, in sixteen bits, as they are saved."""
        named: dict[str, NDArray[Any]] = {"words": self.words, "importance": self.importance}
        for side, encoder in zip(_SIDES, (self.context, self.text), strict=True):
            for kernel, bias in zip(encoder.kernels, encoder.biases, strict=True):
                named[f"{side}.{kernel.shape[2]}.kernel"] = kernel
                named[f"{side}.{kernel.shape[2]}.bias"] = bias
            named[f"{side}.weight"], named[f"{side}.bias"] = encoder.weight, encoder.bias
        return {name: value.astype(np.float16) for name, value in named.items()}

    @classmethod
    def of_arrays(
        cls, arrays: Arrays, widths: tuple[int, ...], overlap: float
    ) -> ConvolutionScorer:
        """Rebuild the network whose weights `arrays` returned."""
        named: Mapping[str, Array] = {
            name: np.asarray(value, dtype=np.float32) for name, value in arrays.items()
        }
        context, text = (
            ConvolutionEncoder(
                kernels=tuple(named[f"{side}.{width}.kernel"] for width in widths),
                biases=tuple(named[f"{side}.{width}.bias"] for width in widths),
                weight=named[f"{side}.weight"],
                bias=named[f"{side}.bias"],
            )
            for side in _SIDES
        )
        return cls(named["words"], named["importance"], context, text, overlap)


@dataclass(frozen=True, slots=True)
class ConvolutionSettings:
    """Hyper-parameters of the network and its training."""

    dimensions: int = 64
    units: int = 64
    filters: int = 64
    widths: tuple[int, ...] = (1, 2, 3)
    negatives: int = 32
    batch: int = 64
    learning_rate: float = 2e-3
    epochs: int = 1
    updates: int = 3_000
    relevance_model: RelevanceModel = "cnn+sum+shared"
    seed: int = 0

    @property
    def sums_words(self) -> bool:
        """True if the sum of word vectors stands beside the filters."""
        return self.relevance_model != CNN

    @property
    def sees_shared_words(self) -> bool:
        """True if the score sees how far text and context share words."""
        return self.relevance_model == CNN_SUM_SHARED


@dataclass(frozen=True, slots=True, eq=False)
class RelevanceExamples:
    """Contexts, texts, the context of each text, and both as unit TF-IDF vectors for the words they share."""

    contexts: Ragged
    texts: Ragged
    context_of: Ints  # texts
    context_words: sparse.csr_array  # contexts × words
    text_words: sparse.csr_array  # texts × words

    def shared(self, contexts: Ints, texts: Ints) -> Any:
        """Return the cosines of contexts and texts (contexts × texts)."""
        return (self.context_words[contexts] @ self.text_words[texts].T).toarray()


Measure = Callable[[ConvolutionScorer], float]


def fit_convolution(
    examples: RelevanceExamples,
    importance: Floats,
    settings: ConvolutionSettings,
    *,
    measure: Measure | None = None,
    progress: OnProgress = silent,
) -> tuple[ConvolutionScorer, int]:
    """Fit the network, and return it with the number of updates it took.

    `importance` has a weight for each word of the vocabulary. With `measure` (higher is better) it is the
    best network checked.
    """
    if not len(examples.texts):
        raise ArgumentError("there is nothing to learn relevance from: no article has a comment")
    with seeded_torch("training a relevance model", settings.seed) as torch:
        network = _network(torch, importance, settings)
        optimizers = adam(torch, network, settings.learning_rate, {"overlap": _OVERLAP_RATE})
        per_epoch = math.ceil(len(examples.texts) / settings.batch)
        total = min(settings.updates, settings.epochs * per_epoch)
        check_every = max(1, min(per_epoch, total // 5))
        best: BestModel[tuple[ConvolutionScorer, int]] = BestModel()
        mean_loss = 0.0  # over about the last 50 updates
        for number, batch in enumerate(_batches(examples, settings, total), 1):
            loss = update(
                torch, optimizers, _loss(torch, network, examples, batch, settings, number)
            )
            mean_loss += (loss - mean_loss) / min(number, 50)
            progress(Progress(f"relevance loss {mean_loss:.4f}", number, total))
            if measure and (number % check_every == 0 or number == total):
                checked = _extract(network, settings)
                best.offer(measure(checked), (checked, number))
        return best.model or (_extract(network, settings), total)


def _batches(
    examples: RelevanceExamples, settings: ConvolutionSettings, total: int
) -> Iterator[Ints]:
    """Yield `total` batches of texts in random order, one pass over all of them after the other."""
    done = epoch = 0
    while done < total:
        order = stream("relevance batches", settings.seed, epoch).permutation(len(examples.texts))
        for first in range(0, len(order), settings.batch):
            if done == total:
                return
            yield order[first : first + settings.batch].astype(np.int64)
            done += 1
        epoch += 1


def _loss(
    torch: Any,
    network: Any,
    examples: RelevanceExamples,
    batch: Ints,
    settings: ConvolutionSettings,
    number: int,
) -> Any:
    """Return the mean cross entropy of each text of a batch among those drawn against it.

    `batch` are texts; the `number` of the batch seeds the draw.
    """
    contexts = examples.context_of[batch]  # batch
    context_vectors = _encoded(
        torch, network, "context", examples.contexts.take(contexts), settings
    )
    text_vectors = _encoded(torch, network, "text", examples.texts.take(batch), settings)
    scores = context_vectors @ text_vectors.T  # contexts × texts; own texts are on the diagonal
    if settings.sees_shared_words:
        shared = torch.from_numpy(examples.shared(contexts, batch).astype(np.float32))
        scores = scores + network["overlap"].weight[0, 0] * shared
    allowed = _negatives(contexts, settings, number)
    scores = scores.masked_fill(torch.from_numpy(~allowed), -torch.inf)
    return torch.nn.functional.cross_entropy(scores, torch.arange(len(batch)))


def _negatives(contexts: Ints, settings: ConvolutionSettings, number: int) -> Any:
    """Return which texts count against which context: its own, and a draw from those of other contexts."""
    other = contexts[:, None] != contexts[None]  # contexts × texts
    rng = stream("relevance negatives", settings.seed, number)
    # Texts of the same context get 2, behind every draw from 0 to 1.
    draws = np.where(other, rng.random(other.shape), 2.0)
    ranks = draws.argsort(axis=1).argsort(axis=1)  # contexts × texts, 0 for the lowest draw
    return (other & (ranks < settings.negatives)) | np.eye(len(contexts), dtype=bool)


def _encoded(
    torch: Any, network: Any, side: str, texts: Ragged, settings: ConvolutionSettings
) -> Any:
    """Return the vectors of texts (texts × units), as `ConvolutionEncoder` computes them in numpy."""
    lengths = torch.from_numpy(texts.lengths)  # texts
    convolutions = network[f"{side}_filters"]
    size = max(int(lengths.max()), *(filters.kernel_size[0] for filters in convolutions))
    ids = np.zeros((len(texts), size), dtype=np.int64)
    ids[texts.rows, texts.columns] = texts.ids
    words = torch.from_numpy(ids)  # texts × size
    filled = inside(torch, lengths, size)  # texts × size
    rows = network["words"](words) * filled[..., None]  # texts × size × dimensions
    pooled = []
    for filters in convolutions:
        responses = filters(rows.transpose(1, 2))  # texts × filters × windows
        count = (lengths - filters.kernel_size[0] + 1).clamp_min(1)  # texts
        valid = inside(torch, count, responses.shape[2])  # texts × windows
        responses = responses.masked_fill(~valid[:, None], -torch.inf)
        pooled.append(responses.amax(dim=2).clamp_min(0))  # texts × filters
    if settings.sums_words:
        weights = network["importance"](words).squeeze(-1) * filled  # texts × size
        norms = (
            weights.square().sum(dim=1, keepdim=True).clamp_min(_LEAST_SQUARE).sqrt()
        )  # texts × 1
        pooled.append((rows * weights[..., None]).sum(dim=1) / norms)  # texts × dimensions
    return network[f"{side}_out"](torch.cat(pooled, dim=1))


def _network(torch: Any, importance: Floats, settings: ConvolutionSettings) -> Any:
    """Return the untrained network: word vectors, filters and a linear layer of each side, overlap."""
    nn, size = torch.nn, settings.dimensions
    parts: dict[str, Any] = {"words": nn.Embedding(len(importance), size, sparse=True)}
    nn.init.normal_(parts["words"].weight, std=_WORD_STD)
    fixed = torch.from_numpy(importance.astype(np.float16).astype(np.float32))  # words
    parts["importance"] = nn.Embedding.from_pretrained(fixed[:, None], freeze=True)
    for side in _SIDES:
        parts[f"{side}_filters"] = nn.ModuleList(
            nn.Conv1d(size, settings.filters, width) for width in settings.widths
        )
        inputs = settings.filters * len(settings.widths) + (size if settings.sums_words else 0)
        out = nn.Linear(inputs, settings.units)
        if settings.sums_words:
            # At first shared words decide, then sums of word vectors, which are handed on as they are.
            nn.init.normal_(out.weight, std=_FIRST_STD)
            with torch.no_grad():
                out.weight[:, -size:] = torch.eye(settings.units, size)
        parts[f"{side}_out"] = out
    parts["overlap"] = nn.Linear(1, 1, bias=False)
    nn.init.constant_(
        parts["overlap"].weight, _FIRST_OVERLAP if settings.sees_shared_words else 0.0
    )
    return nn.ModuleDict(parts)


def _extract(network: Any, settings: ConvolutionSettings) -> ConvolutionScorer:
    """Return the network in numpy, its weights rounded to sixteen bits, as they are saved."""
    tensors = {"words": network["words"].weight, "importance": network["importance"].weight[:, 0]}
    for side in _SIDES:
        for width, filters in zip(settings.widths, network[f"{side}_filters"], strict=True):
            tensors[f"{side}.{width}.kernel"] = filters.weight
            tensors[f"{side}.{width}.bias"] = filters.bias
        out = network[f"{side}_out"]
        tensors[f"{side}.weight"], tensors[f"{side}.bias"] = out.weight, out.bias
    rounded = {name: value.detach().numpy().astype(np.float16) for name, value in tensors.items()}
    overlap = float(network["overlap"].weight.detach()[0, 0]) if settings.sees_shared_words else 0.0
    return ConvolutionScorer.of_arrays(rounded, settings.widths, overlap)
