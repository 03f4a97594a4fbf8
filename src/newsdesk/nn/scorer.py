"""A network that scores a text given a context: two LSTMs, and one fully connected layer on both last states.

This is the model of Fujita et al. (2019), appendix B, for a comment and the title of its article. Its weights are numpy arrays and it is
saved as JSON and npz; `nn.training` fits it with torch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from newsdesk.errors import DataError, FileError
from newsdesk.files import atomic
from newsdesk.jsonl import json_text
from newsdesk.nn.lstm import Array, Lstm
from newsdesk.text.ragged import Ragged
from newsdesk.text.vocabulary import Vocabulary

_FORMAT = 1
_BATCH = 512


@dataclass(frozen=True, slots=True, eq=False)
class TextPairScorer:
    """The fitted network; inference in numpy."""

    vocabulary: Vocabulary
    vectors: Array  # words × dimensions
    text_lstm: Lstm
    context_lstm: Lstm
    weights: Array  # 2·units: the text's state first
    bias: float

    def scores(self, texts: Sequence[Sequence[str]], context: Sequence[str]) -> NDArray[np.float64]:
        """The score of each text under one context, as words."""
        rows = Ragged.of_rows([self.vocabulary.ids(words).tolist() for words in texts])
        seen = Ragged.of_rows([self.vocabulary.ids(context).tolist()])
        return self.scores_of(rows, seen, np.zeros(len(rows), dtype=np.int64))

    def scores_of(
        self, texts: Ragged, contexts: Ragged, context_of: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The score of each text under its own context, texts and contexts as word ids."""
        units = self.context_lstm.units
        of_text = _weighed(self.text_lstm, texts, self.vectors, self.weights[:-units])
        of_context = _weighed(self.context_lstm, contexts, self.vectors, self.weights[-units:])
        return (of_text + of_context[context_of] + self.bias).astype(float)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the network to a folder as `network.json` and `network.npz`."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        header = {
            "format": _FORMAT,
            "network": "text-pair",
            "bias": self.bias,
            "words": self.vocabulary.words,
        }
        with atomic(path / "network.json") as stream:
            stream.write(json_text(header).encode("utf-8"))
        lstms = {"text": self.text_lstm, "context": self.context_lstm}
        parts = {
            f"{name}_{part}": getattr(lstm, part)
            for name, lstm in lstms.items()
            for part in ("w_input", "w_state", "bias")
        }
        with atomic(path / "network.npz") as stream:
            np.savez_compressed(stream, vectors=self.vectors, weights=self.weights, **parts)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> TextPairScorer:
        """Read a network that `save` wrote."""
        path = Path(folder)
        try:
            header = json.loads((path / "network.json").read_text("utf-8"))
            with np.load(path / "network.npz", allow_pickle=False) as arrays:
                parts = {name: arrays[name] for name in arrays.files}
        except (OSError, ValueError) as error:
            raise FileError(f"{path}: not a saved network ({error})") from error
        if header.get("format") != _FORMAT:
            raise DataError(f"`format` is {header.get('format')!r}, not {_FORMAT}", file=str(path))
        text, context = (
            Lstm(*(parts[f"{name}_{part}"] for part in ("w_input", "w_state", "bias")))
            for name in ("text", "context")
        )
        vocabulary = Vocabulary(tuple(header["words"]))
        return cls(vocabulary, parts["vectors"], text, context, parts["weights"], header["bias"])


def _weighed(lstm: Lstm, texts: Ragged, vectors: Array, weights: Array) -> Array:
    """The weighted sum of each text's last state, in batches of similar length."""
    sums = np.zeros(len(texts), dtype=np.float32)
    order = np.argsort(texts.lengths, kind="stable")
    for start in range(0, len(texts), _BATCH):
        chosen = order[start : start + _BATCH]
        sums[chosen] = lstm.last_states(texts.take(chosen), vectors) @ weights
    return sums
