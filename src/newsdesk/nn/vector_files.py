"""Reads and writes word vectors as text, one word per line, as word2vec, gensim and GloVe do, with or without a header line of sizes."""

from __future__ import annotations

import os

import numpy as np

from newsdesk.errors import DataError
from newsdesk.files import Source, atomic
from newsdesk.nn.lstm import Array
from newsdesk.streams import stream
from newsdesk.text.vocabulary import Vocabulary


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
    """One vector per word of the vocabulary; for a word missing from the file it is drawn with the variance of the others."""
    vectors = np.full((len(vocabulary), dimensions), np.nan, dtype=np.float32)
    numbers = {word: number for number, word in enumerate(vocabulary)}
    source = Source(path)
    for line, text in source.texts():
        word, *values = text.rstrip().split(" ")
        if line == 1 and len(values) == 1:
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
