"""Signs of careful writing, as rates that do not grow with the length of a comment.

Lower case where capitals belong, careless spelling (`care-en.txt`), and words that the tokenizer of the vectors splits into subword
pieces, as it does with misspelt, foreign and rare words. Only wordllama has pieces; with other vectors their columns are 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.packaged import sections
from newsdesk.rankers.argument.vectors import SentenceVectors

CARE = (
    "small i",
    "small starts",
    "stretched words",
    "careless spelling",
    "missing space",
    "pieces",
    "cut words",
    "shattered words",
    "rare pieces",
    "weighty pieces",
)

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_START = re.compile(r"[.!?]\s+([^\W\d_])")
_STRETCHED = re.compile(r"([^\W\d_])\1\1")
_SPACE = re.compile(r"[,.!?;:](?:(?<=\s.)|(?=[^\W\d_]))")
# A longer string is no word, and slow to tokenize.
_MOST_LETTERS = 40
_CUT, _SHATTERED = 1, 2


def care_rates(texts: Sequence[str], vectors: SentenceVectors, lang: str) -> Floats:
    """The rates of `CARE`, one row per text."""
    plain = [text.replace("’", "'") for text in texts]
    words = [_WORD.findall(text) for text in plain]
    sizes = np.array([len(each) for each in words], dtype=np.int64)
    flat = [word for each in words for word in each]
    place_of = {word: place for place, word in enumerate(dict.fromkeys(flat))}
    # The counts of each distinct word, then summed over the words of each text.
    added = _of_words(list(place_of), vectors, lang)[[place_of[word] for word in flat]]
    rows = np.repeat(np.arange(len(texts)), sizes)
    sums = np.stack([np.bincount(rows, column, len(texts)) for column in added.T], axis=1)
    small, stretched, careless, cut, shattered, pieces, rank, weight = sums.T
    starts = np.array([_small_starts(text) for text in plain])
    spaces = np.array([len(_SPACE.findall(text)) for text in plain])
    counted = np.stack([small, stretched, careless, spaces, pieces, cut, shattered])
    per_word = counted / np.maximum(sizes, 1)
    per_piece = np.stack([rank, weight]) / np.maximum(pieces, 1)
    return np.vstack([per_word[:1], starts, per_word[1:], per_piece]).T


def _small_starts(text: str) -> float:
    """The share of small letters among those that begin a sentence."""
    starts: list[str] = _START.findall(text)
    return sum(start.islower() for start in starts) / max(len(starts), 1)


def _of_words(words: Sequence[str], vectors: SentenceVectors, lang: str) -> Floats:
    """For each word: whether it is a lower-case i, stretched, careless, cut, shattered; its number of pieces, their ranks and weights."""
    careless = frozenset(sections("rankers", "care-en.txt")["careless"] if lang == "en" else ())
    lower = [word[:_MOST_LETTERS].lower() for word in words]
    pieces = vectors.pieces(lower)
    columns = [
        [word == "i" for word in words],
        [len(_STRETCHED.findall(word)) for word in words],
        [word in careless for word in lower],
        pieces[:, 0] > _CUT,
        pieces[:, 0] > _SHATTERED,
        *pieces.T,
    ]
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)
