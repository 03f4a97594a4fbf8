"""A convolutional network that scores how well a text fits a context, in numpy: each is encoded on its own, and the score is the product of both vectors.

A text becomes a matrix of word vectors; filters of several widths slide over it, and the largest response of each is kept (Kim 2014). Beside them stands the sum of the word vectors, weighted by importance (Iyyer et al. 2015 average them), which
learns from every word and not only from the largest responses. A linear layer gives the vector. As in Severyn and Moschitti (2015) the last layer also sees how far the two share words: here the cosine of their TF-IDF vectors, with a learned weight.
Because texts and contexts are encoded apart, the vectors of texts that are scored again and again are computed once. `nn.convolution_training` fits the network with torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from newsdesk.models import Arrays
from newsdesk.nn.lstm import Array
from newsdesk.text.ragged import Ragged

_BATCH = 256
# Decimals to which sums in single precision agree, independent of the texts encoded together.
_DECIMALS = 5
SMALLEST = 1e-6  # the squared length of the weights of a text without a known word


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """One side: for each width a kernel (filters × dimensions × width) and a bias, then a linear layer over the largest responses and the sum of word vectors."""

    kernels: tuple[Array, ...]
    biases: tuple[Array, ...]
    weight: Array  # units × (filters of all widths + dimensions)
    bias: Array

    def vectors(self, texts: Ragged, words: Array, importance: Array) -> Array:
        """The vector of each text (texts × units) from the vectors and the importance of words, in batches of similar length."""
        vectors = np.zeros((len(texts), len(self.bias)), dtype=np.float32)
        order = np.argsort(texts.lengths, kind="stable")
        for start in range(0, len(texts), _BATCH):
            chosen = order[start : start + _BATCH]
            vectors[chosen] = self._batch(texts.take(chosen), words, importance)
        return vectors

    def _batch(self, texts: Ragged, words: Array, importance: Array) -> Array:
        widest = max(kernel.shape[2] for kernel in self.kernels)
        lengths = texts.lengths
        size = max(int(lengths.max(initial=0)), widest)
        rows = np.zeros((len(texts), size, words.shape[1]), dtype=np.float32)
        column = np.arange(len(texts.ids)) - np.repeat(texts.offsets[:-1], lengths)
        rows[texts.rows, column] = words[texts.ids]
        pooled = []
        for kernel, bias in zip(self.kernels, self.biases, strict=True):
            filters, dimensions, width = kernel.shape
            windows = sliding_window_view(
                rows, width, axis=1
            )  # texts × places × dimensions × width
            flat = windows.reshape(len(texts), -1, dimensions * width)
            responses = flat @ kernel.reshape(filters, -1).T + bias
            inside = (
                np.arange(responses.shape[1])[None] < np.maximum(lengths - width + 1, 1)[:, None]
            )
            responses[~inside] = -np.inf
            pooled.append(np.maximum(responses.max(axis=1), 0))
        weights = np.zeros((len(texts), size), dtype=np.float32)
        weights[texts.rows, column] = importance[texts.ids]
        lengths_of_weights = np.sqrt(np.maximum(np.square(weights).sum(axis=1), SMALLEST))
        sums = np.einsum("tsd,ts->td", rows, weights) / lengths_of_weights[:, None]
        return np.concatenate([*pooled, sums], axis=1) @ self.weight.T + self.bias


@dataclass(frozen=True, slots=True, eq=False)
class ConvolutionScorer:
    """The fitted network: vectors and importance of words, an encoder for contexts and one for texts, and the weight of shared words."""

    words: Array
    importance: Array
    context: Encoder
    text: Encoder
    overlap: float

    def contexts(self, rows: Ragged) -> Array:
        """The vectors of contexts, as word ids."""
        return self.context.vectors(rows, self.words, self.importance)

    def texts(self, rows: Ragged) -> Array:
        """The vectors of texts, as word ids."""
        return self.text.vectors(rows, self.words, self.importance)

    def scores(
        self, context: Array, texts: Array, shared: NDArray[np.floating[Any]]
    ) -> NDArray[np.float64]:
        """The score of each text under one context, from their vectors and the cosines of their words."""
        products: NDArray[np.float64] = texts.astype(np.float64) @ context.astype(np.float64)
        return np.round(products + self.overlap * shared.astype(np.float64), _DECIMALS)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights by name, in sixteen bits, as they are saved."""
        named: dict[str, NDArray[Any]] = {"words": self.words, "importance": self.importance}
        for side, encoder in (("context", self.context), ("text", self.text)):
            for kernel, bias in zip(encoder.kernels, encoder.biases, strict=True):
                named[f"{side}.{kernel.shape[2]}.kernel"] = kernel
                named[f"{side}.{kernel.shape[2]}.bias"] = bias
            named[f"{side}.weight"], named[f"{side}.bias"] = encoder.weight, encoder.bias
        return {name: value.astype(np.float16) for name, value in named.items()}

    @classmethod
    def of_arrays(
        cls, arrays: Arrays, widths: tuple[int, ...], overlap: float
    ) -> ConvolutionScorer:
        """The network whose weights `arrays` returned."""
        named: Mapping[str, Array] = {
            name: np.asarray(value, dtype=np.float32) for name, value in arrays.items()
        }
        context, text = (
            Encoder(
                tuple(named[f"{side}.{width}.kernel"] for width in widths),
                tuple(named[f"{side}.{width}.bias"] for width in widths),
                named[f"{side}.weight"],
                named[f"{side}.bias"],
            )
            for side in ("context", "text")
        )
        return cls(named["words"], named["importance"], context, text, overlap)
