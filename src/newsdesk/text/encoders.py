"""Sentence encoders: texts in, one unit vector each out, as float32. A text without known words is a row of zeros.

`lsa` is fitted on texts of your own and needs nothing else. `wordllama` averages word vectors that come inside its wheel.
`hf:PATH` is any transformers encoder in a local folder, or on the hub if you name one there. `onnx:FILE` is an ONNX graph that
takes texts and gives vectors, with its tokenizer inside.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import unit_rows, unpacked_arrays
from newsdesk.errors import ArgumentError, FileError
from newsdesk.files import atomic, read_whole
from newsdesk.jsonl import json_text, json_value
from newsdesk.registry import ENCODERS, Spec, require
from newsdesk.text.ragged import Ragged, Tfidf, Vocabulary, WordNumbers
from newsdesk.text.tokenize import tokenizer_for

if TYPE_CHECKING:
    from scipy import sparse

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """The interface of sentence encoders."""

    @property
    def signature(self) -> str:
        """The encoder's name, version and settings."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vector of each text, texts × dimensions."""


@runtime_checkable
class PieceEncoder(Protocol):
    """An encoder in two steps: what it cuts a text into takes a twentieth of the memory of its vector."""

    def cut(self, texts: Sequence[str]) -> Ragged:
        """Return the numbers of the pieces of each text."""

    def embed(self, pieces: Ragged) -> Vectors:
        """Return the unit vector of each text from its pieces."""


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The unit vectors of a text's tokens, and which of them seek a partner; marks at the ends do not."""

    vectors: Vectors
    seeks: NDArray[np.bool_]


@runtime_checkable
class TokenEncoder(Protocol):
    """An encoder that has vectors of tokens, too."""

    def token_vectors(self, texts: Sequence[str], layer: int | None = None) -> list[TokenVectors]:
        """Return the unit vectors of the tokens of each text; `layer` counts hidden states."""


def sentence_encoder(spec: str) -> Any:
    """Return the encoder that a spec names: `lsa(dimensions=100)`, `wordllama`, `hf:PATH` or `onnx:FILE`."""
    name, colon, path = spec.partition(":")
    if colon and name in ("hf", "onnx"):
        return ENCODERS.make(Spec(name), path=path)
    return ENCODERS.make(spec)


class Lsa:
    """Latent semantic analysis.

    TF-IDF cut down to a few dimensions by a seeded singular value decomposition.
    """

    def __init__(
        self, dimensions: int = 100, lang: str = "en", min_count: int = 2, seed: int = 0
    ) -> None:
        if dimensions < 1:
            raise ArgumentError(f"dimensions is {dimensions}, below 1")
        self.dimensions = dimensions
        self.lang = lang
        self.min_count = min_count
        self.seed = seed

    @property
    def signature(self) -> str:
        """The encoder's name, settings and tokenizer."""
        words = tokenizer_for(self.lang).signature
        return f"lsa(dimensions={self.dimensions}, seed={self.seed})|{words}"

    def fit(self, texts: Sequence[str]) -> Lsa:
        """Learn the vocabulary, idf and singular vectors from texts."""
        from sklearn.utils.extmath import randomized_svd

        self.vocabulary_ = Vocabulary.build(self._words(texts), min_count=self.min_count)
        rows = self.cut(texts)
        self.tfidf_ = Tfidf.fit(rows, len(self.vocabulary_))
        matrix = self.tfidf_.transform(rows)
        rank = min(self.dimensions, *matrix.shape)
        _, _, axes = randomized_svd(matrix, rank, random_state=self.seed)
        self.axes_: Vectors = axes.astype(np.float32)
        return self

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vector of each text, texts × dimensions."""
        if not hasattr(self, "axes_"):
            raise ArgumentError("this lsa encoder is not fitted yet; call fit(texts) first")
        return self.embed(self.cut(texts))

    def cut(self, texts: Sequence[str]) -> Ragged:
        """Return the known words of each text, numbered."""
        ids = [self.vocabulary_.ids(words) for words in self._words(texts)]
        return Ragged.of_rows([row[row > 0].tolist() for row in ids])

    def embed(self, pieces: Ragged) -> Vectors:
        """Return the unit vector of each text from its known words."""
        vectors = self.tfidf_.transform(pieces) @ self.axes_.T
        return unit_rows(np.asarray(vectors, dtype=np.float32))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the fitted encoder as JSON and npz."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        settings = {
            "format": 1,
            "encoder": "lsa",
            "dimensions": self.dimensions,
            "lang": self.lang,
            "min_count": self.min_count,
            "seed": self.seed,
            "words": self.vocabulary_.words,
        }
        with atomic(path / "lsa.json") as stream:
            stream.write(json_text(settings).encode("utf-8"))
        with atomic(path / "lsa.npz") as stream:
            np.savez_compressed(stream, idf=self.tfidf_.idf, axes=self.axes_)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Lsa:
        """Load an encoder that `save` wrote; FileError if the folder holds none."""
        path = Path(folder)
        try:
            settings = json_value(read_whole(path / "lsa.json"))
            arrays = unpacked_arrays(read_whole(path / "lsa.npz", most_bytes=1 << 32))
            if settings["format"] != 1:
                raise ValueError(f"`format` is {settings['format']!r}, not 1")
            names = ("dimensions", "lang", "min_count", "seed")
            lsa = cls(**{name: settings[name] for name in names})
            return lsa.restore(settings["words"], arrays["idf"], arrays["axes"])
        except (FileError, LookupError, TypeError, ValueError) as error:
            raise FileError(f"{path}: not a saved lsa encoder ({error})") from error

    def restore(self, words: Sequence[str], idf: NDArray[np.float64], axes: Vectors) -> Lsa:
        """Set what a fitted encoder learned."""
        self.vocabulary_, self.tfidf_, self.axes_ = Vocabulary(tuple(words)), Tfidf(idf), axes
        return self

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        words = tokenizer_for(self.lang).words
        return [words(text.lower()) for text in texts]


def has_wordllama() -> bool:
    """Return whether the encoder `wordllama` is installed."""
    try:
        return find_spec("wordllama") is not None
    except ModuleNotFoundError:  # raised by importers that hide a module
        return False


# Marks that wordllama reads as its own.
_OWN_MARKS = ("▁", "<s>", "</s>", "<unk>")
_CACHED_WORDS, _CACHED_LENGTH = 30_000, 40  # words, and letters of a word


def _has_wide_space(text: str) -> bool:
    """Return whether a text has spaces that are no single space between words, or marks that wordllama reads as its own."""
    if "  " in text or text.startswith(" ") or text.endswith((" ", " \n")):
        return True
    return ("<" in text or not text.isascii()) and any(mark in text for mark in _OWN_MARKS)


class WordLlama:
    """Averaged word vectors from the wordllama wheel: 256 dimensions, no download.

    Its own `embed` pads every batch to its longest text; one sparse product gives the same means in a quarter of the time.
    """

    def __init__(self) -> None:
        with _root_logger_unchanged():
            module = require("wordllama", extra="vectors", what="the wordllama encoder")
            folder = Path(module.__file__).parent
            model = module.WordLlama.load(cache_dir=folder, disable_download=True)
        self._words: Vectors = model.embedding
        self._tokenizer = model.tokenizer
        self._tokenizer.no_padding()
        self._piece_cache: dict[str, list[int]] = {}
        ranks, lengths = np.log1p(np.arange(len(self._words))), np.linalg.norm(self._words, axis=1)
        self._piece_features: Vectors = np.stack(
            [np.ones_like(ranks), ranks, lengths], axis=1, dtype=np.float32
        )
        self.signature = f"wordllama-{module.__version__}(dim=256)"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vector of each text, texts × 256; zeros for a text without words."""
        return self.embed(self.cut(texts))

    def embed(self, pieces: Ragged) -> Vectors:
        """Return the unit vector of each text from its subword pieces."""
        sums: Vectors = self._counts(pieces) @ self._words
        means: Vectors = (sums / np.maximum(pieces.lengths, 1)[:, None]).astype(np.float32)
        return unit_rows(means)

    def token_vectors(self, texts: Sequence[str], layer: int | None = None) -> list[TokenVectors]:
        """Return the unit vector of each subword piece, the same in every text."""
        cut = self.cut(texts)
        rows = (np.minimum(cut[place], len(self._words) - 1) for place in range(len(cut)))
        return [
            TokenVectors(unit_rows(self._words[row]), np.ones(len(row), np.bool_)) for row in rows
        ]

    def pieces(self, words: Sequence[str]) -> Vectors:
        """Return three features of each word's subword pieces.

        Their number, the sum of their log ranks, the sum of their vector norms. A common word is one piece of low rank.
        """
        return self._counts(self.cut(words)) @ self._piece_features

    def _counts(self, pieces: Ragged) -> sparse.csr_array:
        """Return subword pieces as a sparse matrix, texts × vocabulary, in the order of the text."""
        from scipy import sparse  # as in `text.ragged`

        size = len(self._words)
        words = np.minimum(pieces.ids, size - 1)  # as wordllama does with marks that have no vector
        ones = np.ones(len(words), dtype=np.float32)
        return sparse.csr_array((ones, words, pieces.offsets), shape=(len(pieces), size))

    def cut(self, texts: Sequence[str]) -> Ragged:
        """Return the subword ids of each text; none for a text of white space.

        No piece reaches over a single space, so what stands between spaces is cut once, however often it comes. Only a row of spaces is a
        piece of its own: a text with one (or with a mark of the tokenizer's own) is cut as a whole.
        """
        lexicon = WordNumbers()
        parts = [
            [text] if _has_wide_space(text) else text.split(" ")
            for text in (text if text.strip() else "" for text in texts)
        ]
        chunks = Ragged.number(parts, lexicon)
        pieces = Ragged.of_rows(self._pieces_of(list(lexicon))).take(chunks.ids.astype(np.int64))
        return Ragged(pieces.ids, pieces.offsets[chunks.offsets])

    def _pieces_of(self, words: list[str]) -> list[list[int]]:
        """Return the subword ids of each word, from the cache where it has them."""
        cache = self._piece_cache
        missing = [word for word in words if word not in cache]
        encodings = self._tokenizer.encode_batch_fast(missing, add_special_tokens=False)
        new = dict(zip(missing, (encoding.ids for encoding in encodings), strict=True))
        ids_of_words = [cache[word] if word in cache else new[word] for word in words]
        if len(cache) + len(new) > _CACHED_WORDS:
            cache = self._piece_cache = {}
        cache.update((word, ids) for word, ids in new.items() if len(word) <= _CACHED_LENGTH)
        return ids_of_words


class HuggingFace:
    """Mean of the last hidden states of a transformers encoder, from a local folder or the hub."""

    def __init__(self, path: str, batch_size: int = 32, max_tokens: int = 256) -> None:
        if not path:
            raise ArgumentError("hf: needs a folder or a model name, as in hf:models/minilm")
        transformers = require("transformers", extra="hf", what="an encoder by hf:PATH")
        require("torch", extra="hf", what="an encoder by hf:PATH")
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(path)
            self._model = transformers.AutoModel.from_pretrained(path).eval()
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise FileError(f"{path}: no transformers model there ({reason})") from error
        self.path = path
        self.batch_size = batch_size
        self.max_tokens = max_tokens
        self.signature = f"hf:{path}(pool=mean, max_tokens={max_tokens})"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vector of each text, texts × dimensions."""
        # Texts of like length share a batch, so that little is padding.
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        vectors = np.zeros((len(texts), self._model.config.hidden_size), dtype=np.float32)
        for start in range(0, len(order), self.batch_size):
            places = order[start : start + self.batch_size]
            vectors[places] = self._batch([texts[number] for number in places])
        return unit_rows(vectors)

    def token_vectors(self, texts: Sequence[str], layer: int | None = None) -> list[TokenVectors]:
        """Return the unit hidden states of each text's tokens at a layer, by default the last, in the context of the text.

        Texts are cut off where the model ends, not at `max_tokens`.
        """
        import torch

        most = min(self._tokenizer.model_max_length, self._model.config.max_position_embeddings)
        ends = {self._tokenizer.cls_token_id, self._tokenizer.sep_token_id}
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        rows: dict[int, TokenVectors] = {}
        for start in range(0, len(order), self.batch_size):
            places = order[start : start + self.batch_size]
            inputs = self._tokenizer(
                [texts[place].strip() for place in places],
                padding=True, truncation=True, max_length=most, return_tensors="pt",
            )  # fmt: skip
            with torch.inference_mode():
                states = self._model(**inputs, output_hidden_states=True).hidden_states
            if layer is not None and layer >= len(states):
                raise ArgumentError(
                    f"layer {layer} of {self.path}: there are 0 to {len(states) - 1}"
                )
            chosen = states[-1 if layer is None else layer].float()  # texts × tokens × dimensions
            for row, place in enumerate(places):
                used = inputs["attention_mask"][row].bool()
                seeks = np.array(
                    [token not in ends for token in inputs["input_ids"][row][used].tolist()]
                )
                rows[place] = TokenVectors(unit_rows(chosen[row][used].numpy()), seeks)
        return [rows[place] for place in range(len(texts))]

    def _batch(self, texts: list[str]) -> Vectors:
        """Return the mean of the last hidden states of each text, padding left out."""
        import torch

        inputs = self._tokenizer(
            texts, padding=True, truncation=True, max_length=self.max_tokens, return_tensors="pt"
        )
        with torch.inference_mode():
            states = self._model(**inputs).last_hidden_state  # texts × tokens × dimensions
        mask = inputs["attention_mask"].unsqueeze(-1)
        mean = (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        return mean.numpy()


class Onnx:
    """An ONNX graph from texts to vectors with its tokenizer inside, as Universal Sentence Encoders have.

    Texts are encoded one by one: a quantized graph gives slightly different vectors in batches of different sizes.
    """

    def __init__(self, path: str) -> None:
        if not path:
            raise ArgumentError("onnx: needs a file, as in onnx:models/sentences.onnx")
        runtime = require("onnxruntime", extra="onnx", what="an encoder by onnx:FILE")
        extensions = require("onnxruntime_extensions", extra="onnx", what="an encoder by onnx:FILE")
        if not Path(path).is_file():
            raise FileError(f"{path}: no such file; onnx: needs an ONNX graph that takes texts")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.register_custom_ops_library(extensions.get_library_path())
        try:
            self._session = runtime.InferenceSession(path, options)
        except Exception as error:  # the runtime's own exceptions share no narrower class
            reason = str(error).splitlines()[0]
            raise FileError(f"{path}: not an ONNX graph that can be run ({reason})") from error
        inputs = self._session.get_inputs()
        if len(inputs) != 1 or inputs[0].type != "tensor(string)":
            raise FileError(f"{path}: the graph does not take texts; its tokenizer must be inside")
        self._input = inputs[0].name
        self.path = path
        self.signature = f"onnx:{path}(batch=1)"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vector of each text, texts × dimensions."""
        rows = [self._session.run(None, {self._input: [text]})[0][0] for text in texts]
        return unit_rows(np.array(rows, dtype=np.float32)) if rows else np.zeros((0, 0), np.float32)


@contextmanager
def _root_logger_unchanged() -> Iterator[None]:
    """Restore the root logger after importing wordllama, which installs a handler of its own."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
