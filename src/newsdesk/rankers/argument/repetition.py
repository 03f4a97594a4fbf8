"""Repetition: copies among the comments of a thread, sentences said twice, and how rare words are.

Inverse document frequency of words in the training comments, and which words occur there in lower case.

Languages without spaces are counted by pairs of neighbouring characters.

Groups of copies and near-copies among the comments of a thread, so that a comment pasted ten times counts once.

Two comments are copies if the smaller set of terms shares four fifths of its terms with the other and the sets are of similar size. Candidates share one of
eight minimum hashes of their terms (Broder 1997), so the cost is linear in the number of comments.

Detects repetition: a comment that starts over, and repeated sentences.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Bools, Ints
from newsdesk.languages import has_spaces
from newsdesk.rankers.argument.counts import units_of

# Numbers of terms.
Terms = NDArray[np.signedinteger[Any]]

_HASHES = 8
# Copies share so much of the smaller set of terms, which has at least so much of the larger one's size.
_SHARED, _SIMILAR_SIZE = 0.8, 0.6
_MIXERS = np.array(
    [
        (0x9E3779B97F4A7C15 * (2 * number + 1)) & 0xFFFFFFFFFFFFFFFF
        for number in range(1, _HASHES + 1)
    ],
    dtype=np.uint64,
)


def are_copies(first: Terms, second: Terms) -> bool:
    """Return True if two sets of terms, each given in order, are those of copies or near-copies.

    >>> are_copies(np.array([1, 2, 3, 4, 5]), np.array([1, 2, 3, 4, 6]))
    True
    """
    small, large = sorted((len(first), len(second)))
    if small < _SIMILAR_SIZE * large:
        return False
    both = np.concatenate([first, second])
    both.sort()
    return int(np.count_nonzero(both[1:] == both[:-1])) >= _SHARED * small


def copy_groups(terms: Terms, starts: Ints, hashes: Ints) -> Ints:
    """Return the group of copies of each comment, numbered from 0.

    Comment i has the distinct terms from `starts[i]` to before `starts[i + 1]`, in order, and
    `hashes` are those of all terms.
    """
    parent = list(range(len(starts) - 1))  # union–find over comments

    def root(comment: int) -> int:
        while parent[comment] != comment:
            parent[comment] = parent[parent[comment]]
            comment = parent[comment]
        return comment

    first_of: dict[bytes, int] = {}  # terms → the first comment with exactly these
    buckets: dict[tuple[int, int], int] = {}  # (number of the hash, its minimum) → first comment
    ends = starts.tolist()
    for comment, (start, end) in enumerate(pairwise(ends)):
        own = terms[start:end]
        same = first_of.setdefault(own.tobytes(), comment)
        if same != comment or start == end:
            parent[comment] = root(same)
            continue
        # Minimum hashes: comments that share one are compared.
        mixed = hashes.take(own).view(np.uint64) * _MIXERS[:, None]  # hashes × terms
        mixed ^= mixed >> np.uint64(29)
        others = {
            buckets.setdefault(bucket, comment) for bucket in enumerate(mixed.min(axis=1).tolist())
        }
        for other in sorted(others - {comment}):
            if are_copies(own, terms[ends[other] : ends[other + 1]]):
                low, high = sorted((root(other), root(comment)))
                parent[high] = low
    # Comments: the first of each group.
    roots = np.array([root(comment) for comment in range(len(parent))], dtype=np.int64)
    return np.unique(roots, return_inverse=True)[1] if len(roots) else roots


# Words, or pairs of characters, in a row that two writers do not choose alike by chance.
_IN_A_ROW = 5
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def ngrams(terms: Terms, starts: Ints) -> tuple[Ints, Ints]:
    """Return a key of every n-gram of terms within a sentence, and its sentence.

    Sentence s has the terms from `starts[s]` to before `starts[s + 1]`.
    """
    sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))  # uses of terms
    count = max(len(terms) - _IN_A_ROW + 1, 0)
    keys = np.zeros(count, dtype=np.uint64)  # n-grams, also those across sentences
    for shift in range(_IN_A_ROW):
        keys = (keys + terms[shift : shift + count].astype(np.uint64) + np.uint64(1)) * _FACTOR
    inside = sentence[:count] == sentence[len(terms) - count :]
    return keys[inside].view(np.int64), sentence[:count][inside]


class ReadTerms(Protocol):
    """Comments as a reader leaves them: their sentences, and the terms of each."""

    @property
    def starts(self) -> Ints:
        """Where the sentences of each comment begin."""

    @property
    def terms(self) -> Terms:
        """The numbers of all terms."""

    @property
    def term_starts(self) -> Ints:
        """Where the terms of each sentence begin."""

    @property
    def comment_of(self) -> Ints:
        """The comment of each sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class SaidBefore:
    """Which n-grams the article and the comments of a thread use, and who was first."""

    keys: Ints  # n-grams, sorted
    first: NDArray[np.int32]  # n-grams: the turn of the first comment with it; -1 for the article
    turns: Ints  # comments: the order in which they were written

    @classmethod
    def of(cls, article: Ints, blocks: Iterable[ReadTerms], turns: Ints) -> SaidBefore:
        """Index the n-grams of an article, by their keys, and of blocks of comments under it."""
        keys, owners = [article], [np.full(len(article), -1)]
        first = 0  # comment of the block
        for block in blocks:
            own, sentence = ngrams(block.terms, block.term_starts)
            keys.append(own)
            owners.append(turns[first + block.comment_of[sentence]])
            first += len(block.starts) - 1
        every, turn = np.concatenate(keys), np.concatenate(owners).astype(np.int32)
        if (np.diff(turn) < 0).any():
            order = np.argsort(turn, kind="stable")
            every, turn = every[order], turn[order]
        # The first of equal n-grams is the earliest.
        order = np.argsort(every, kind="stable")
        every = every[order]
        begins = np.ones(len(every), dtype=bool)
        begins[1:] = every[1:] != every[:-1]
        return cls(every[begins], turn[order[begins]], turns)

    def before(self, keys: Ints, hosts: Ints) -> Bools:
        """Return whether each n-gram, of the comment in a host's place, was said before that comment."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=bool)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return (self.keys[places] == keys) & (self.first[places] < self.turns[hosts])


# An overlap below this many characters is taken for coincidence, unless the whole text is repeated.
_LEAST_OVERLAP = 20
# Shorter texts and sentences (characters, letters) are not looked at.
_LEAST_TEXT = 12
_LEAST_SENTENCE = 8
_MARKS = re.compile(r"\W+")


def once(text: str) -> str:
    """Return the text without its tail, where that repeats the text from the start.

    Spaces and case do not matter.

    >>> once("No new taxes, please. No new taxes, please. No new")
    'No new taxes, please.'
    >>> once("To be or not to be")
    'To be or not to be'
    """
    packed = "".join(text.split()).lower()
    size = len(packed)
    if size < _LEAST_TEXT or packed.find(packed[: _LEAST_TEXT // 2], 1) < 0:
        return text
    places = [index for index, character in enumerate(text) if not character.isspace()]
    if len(places) != size:  # a few letters are two in lower case
        return text
    overlap = _border(packed)
    period = size - overlap
    if overlap < _LEAST_OVERLAP and 2 * period > size:
        return text
    return text[: places[period - 1] + 1]


def is_new(sentences: Sequence[str]) -> list[bool]:
    """Return for each sentence True unless it occurred before; very short ones always count as new."""
    seen: set[str] = set()
    flags: list[bool] = []
    for sentence in sentences:
        letters = _MARKS.sub("", sentence.lower())
        flags.append(len(letters) < _LEAST_SENTENCE or letters not in seen)
        seen.add(letters)
    return flags


def _border(text: str) -> int:
    """Return the length of the longest proper beginning that is also the end (Knuth, Morris and Pratt)."""
    borders = [0] * len(text)
    size = 0
    for index in range(1, len(text)):
        while size and text[index] != text[size]:
            size = borders[size - 1]
        size += text[index] == text[size]
        borders[index] = size
    return borders[-1]


_SMALL = re.compile(r"(?<![^\s(\"'])[a-z]{2,}")
_LEAST_COUNT = 2  # texts that hold a term
_LEAST_SMALL = 3  # uses of a word in small letters


def terms_of(units: Sequence[str], lang: str) -> list[str]:
    """Return the terms whose document frequency is counted: words, or pairs of characters."""
    if not has_spaces(lang):
        return [first + second for first, second in pairwise(units)]
    return list(units)


@dataclass(frozen=True, slots=True)
class Rarity:
    """Document frequency of each term in `texts` comments; terms seen once are left out."""

    texts: int
    counts: dict[str, int]
    small: frozenset[str]  # words known in small letters
    _values: dict[str, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = {
            term: math.log((self.texts + 1) / (count + 1)) for term, count in self.counts.items()
        }
        object.__setattr__(self, "_values", values)

    @classmethod
    def of(cls, texts: Iterable[str], lang: str) -> Rarity:
        """Count the document frequency of the terms of texts."""
        counts: Counter[str] = Counter()
        small: Counter[str] = Counter()
        number = 0
        for text in texts:
            counts.update(set(terms_of(units_of(text, lang), lang)))
            small.update(_SMALL.findall(text))
            number += 1
        frequent = {term: counts[term] for term in sorted(counts) if counts[term] >= _LEAST_COUNT}
        frequent_small = frozenset(word for word, count in small.items() if count >= _LEAST_SMALL)
        return cls(number, frequent, frequent_small)

    @property
    def most(self) -> float:
        """The inverse document frequency of an unseen term."""
        return math.log(self.texts + 1)

    def values(self, terms: Iterable[str]) -> list[float]:
        """Return the inverse document frequency of each term."""
        most, find = self.most, self._values.get
        return [find(term, most) for term in terms]
