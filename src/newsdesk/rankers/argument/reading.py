"""Comments and threads as the ranker reads them: one table of sentences with counts, terms and vectors, and statistics of the thread.

A sentence is split again where a capitalized word begins a new one without a full stop before it. Copies of a comment count once in the statistics of its thread, and none
of them in its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.languages import has_spaces
from newsdesk.models import Arrays
from newsdesk.rankers.argument.copies import copy_groups
from newsdesk.rankers.argument.counts import count
from newsdesk.rankers.argument.lexicon import lexicon, units_of
from newsdesk.rankers.argument.rarity import Rarity, terms_of
from newsdesk.rankers.argument.repeats import once
from newsdesk.rankers.argument.vectors import SentenceVectors
from newsdesk.text.sentences import sentences
from newsdesk.types import Thread

_UNMARKED = re.compile(r"(?<=[a-z0-9)\]'\"%])\s+(?=([A-Z][a-z]+)(?:-[a-z]+)?\s+[a-z])")
_LEAST_PIECE = 25
# Comments looked at together: with more, a long thread would need more memory.
BLOCK = 512


@dataclass(slots=True)
class Terms:
    """The terms of a thread, numbered as they are met, each with its rarity and a hash that is the same everywhere."""

    rarity: Rarity
    numbers: dict[str, int] = field(default_factory=dict)
    _names: list[str] = field(default_factory=list)
    _rarities: Floats = field(default_factory=lambda: np.zeros(0))

    def number(self, terms: Sequence[str]) -> list[int]:
        """The numbers of terms; new terms get the next ones."""
        known = self.numbers
        for term in terms:
            if term not in known:
                known[term] = len(known)
                self._names.append(term)
        return [known[term] for term in terms]

    def rarities(self) -> Floats:
        """The inverse document frequency of each term, in the order of their numbers."""
        new = self._names[len(self._rarities) :]
        if new:
            self._rarities = np.concatenate([self._rarities, self.rarity.values(new)])
        return self._rarities

    def hashes(self) -> Ints:
        """A 64-bit hash of each term, in the order of their numbers."""
        digests = b"".join(
            hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            for term in self._names
        )
        return np.frombuffer(digests, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences of comments: comment i has those from `starts[i]` to before `starts[i + 1]`, and sentence s the terms from `term_starts[s]` on."""

    texts: tuple[str, ...]
    starts: Ints
    counts: Floats
    vectors: Floats
    terms: Ints
    term_starts: Ints

    @classmethod
    def joined(cls, parts: Sequence[Sentences]) -> Sentences:
        """The comments of all parts in one table."""
        return cls(
            tuple(text for each in parts for text in each.texts),
            _starts([size for each in parts for size in np.diff(each.starts).tolist()]),
            np.vstack([each.counts for each in parts]),
            np.vstack([each.vectors for each in parts]),
            np.concatenate([each.terms for each in parts]),
            _starts([size for each in parts for size in np.diff(each.term_starts).tolist()]),
        )

    def part(self, first: int, last: int) -> Sentences:
        """The sentences of the comments from `first` to before `last`."""
        start, end = self.starts[[first, last]].tolist()
        term_start, term_end = self.term_starts[[start, end]].tolist()
        return Sentences(
            self.texts[start:end],
            self.starts[first : last + 1] - start,
            self.counts[start:end],
            self.vectors[start:end],
            self.terms[term_start:term_end],
            self.term_starts[start : end + 1] - term_start,
        )

    @property
    def comment_of(self) -> Ints:
        """The comment of each sentence."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def sums(self, values: Floats) -> Floats:
        """The sum over the sentences of each comment of a row of values per sentence."""
        sums = np.zeros((len(self.starts) - 1, *values.shape[1:]))
        some = np.flatnonzero(np.diff(self.starts))
        if len(some):  # a comment without sentences would take the first sentence of the next
            sums[some] = np.add.reduceat(values, self.starts[some], axis=0, dtype=np.float64)
        return sums

    def distinct_terms(self) -> tuple[Ints, Ints]:
        """The distinct terms of each comment, in order: comment i has those from `starts[i]` to before `starts[i + 1]` of the first array."""
        comment = np.repeat(self.comment_of, np.diff(self.term_starts))
        size = int(self.terms.max(initial=0)) + 1
        keys = np.unique(comment * size + self.terms)
        count = len(self.starts) - 1
        return keys % size, _starts(np.bincount(keys // size, minlength=count).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Splits texts of one language into sentences, counts in them and encodes them."""

    lang: str
    rarity: Rarity
    vectors: SentenceVectors

    @classmethod
    def restored(cls, learned: Mapping[str, Any], arrays: Arrays) -> Reader:
        """Rebuild the reader from the state that `learned`, of the reader and of the vectors, returned."""
        lang = learned["lang"]
        vectors = SentenceVectors.restored(learned["vectors"], lang, learned, arrays)
        counts = dict(zip(learned["terms"], arrays["term_counts"].tolist(), strict=True))
        rarity = Rarity(learned["texts"], counts, frozenset(learned["small"]))
        return cls(lang, rarity, vectors)

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """The language, the kind of vectors, and the terms with their document frequencies: a part for JSON, and arrays."""
        rarity = self.rarity
        learned = {
            "lang": self.lang,
            "vectors": self.vectors.kind,
            "texts": rarity.texts,
            "terms": list(rarity.counts),
            "small": sorted(rarity.small),
        }
        return learned, {"term_counts": np.array(list(rarity.counts.values()), dtype=np.int64)}

    def read(self, texts: Sequence[str], terms: Terms) -> Sentences:
        """Split comments, count in their sentences and encode them, a block of comments at a time."""
        blocks = [texts[start : start + BLOCK] for start in range(0, len(texts), BLOCK)] or [()]
        return Sentences.joined([self._read(block, terms) for block in blocks])

    def _read(self, texts: Sequence[str], terms: Terms) -> Sentences:
        split = [self.split(text) for text in texts]
        flat = tuple(sentence for each in split for sentence in each)
        units = [units_of(sentence, self.lang) for sentence in flat]
        hits = [lexicon(self.lang).hits(each) for each in units]
        numbers = [terms.number(terms_of(each, self.lang)) for each in units]
        return Sentences(
            flat,
            _starts([len(each) for each in split]),
            count(flat, units, hits, self.vectors, self.lang).astype(np.float32),
            self.vectors.encode(flat).astype(np.float32),
            np.array([number for each in numbers for number in each], dtype=np.int64),
            _starts([len(each) for each in numbers]),
        )

    def split(self, text: str) -> list[str]:
        """The sentences of a comment, without a tail that repeats it."""
        pieces: list[str] = []
        for sentence in sentences(once(text), self.lang):
            start = 0
            for gap in _UNMARKED.finditer(sentence) if has_spaces(self.lang) else ():
                opens = gap[1].lower() in self.rarity.small
                if opens and len(sentence) - gap.end() >= _LEAST_PIECE:
                    pieces.append(sentence[start : gap.start()])
                    start = gap.end()
            pieces.append(sentence[start:])
        return [each for each in pieces if each]


@dataclass(frozen=True, slots=True, eq=False)
class Talk:
    """A thread as read: its sentences, the groups of copies among its comments, and over groups the document frequency of terms and the sum of mean vectors."""

    read: Sentences
    terms: Terms
    distinct: Ints
    distinct_starts: Ints
    groups: Ints
    frequency: Ints
    owners: Ints
    centres: Floats
    title: Floats

    @classmethod
    def of(cls, thread: Thread, reader: Reader) -> Talk:
        """Read the comments and the title of a thread."""
        terms = Terms(reader.rarity)
        read = reader.read([comment.text for comment in thread.comments], terms)
        distinct, starts = read.distinct_terms()
        groups = copy_groups(distinct, starts, terms.hashes())
        count = int(groups.max()) + 1 if len(groups) else 0
        vocabulary = max(len(terms.numbers), 1)
        owners = np.unique(np.repeat(groups, np.diff(starts)) * vocabulary + distinct)
        frequency = np.bincount(owners % vocabulary, minlength=vocabulary)
        title = reader.vectors.encode([thread.article.title or ""])[0]
        # In half the memory of Floats: a thread may have many comments.
        centres: Any = np.zeros((len(groups), reader.vectors.dimensions), dtype=np.float32)
        for first in range(0, len(groups), BLOCK):
            last = min(first + BLOCK, len(groups))
            some = read.part(first, last)
            centres[first:last] = unit_rows(some.sums(some.vectors))
        own = group_means(centres, groups, count)
        return cls(read, terms, distinct, starts, groups, frequency, owners, own, title)

    def others(self, hosts: Ints) -> Floats:
        """For each host the sum of the mean vectors of all groups but its own."""
        return self.centres.sum(axis=0) - self.centres[self.groups[hosts]]

    def shared(self, terms: Ints, hosts: Ints) -> Floats:
        """For each term whether a group other than its host's uses it; both are given per use of a term."""
        known = terms < len(self.frequency)
        inside = np.where(known, terms, 0)
        keys = self.groups[hosts] * len(self.frequency) + inside
        places = np.minimum(np.searchsorted(self.owners, keys), max(len(self.owners) - 1, 0))
        own = self.owners[places] == keys if len(self.owners) else np.zeros(len(keys), dtype=bool)
        return (known & (self.frequency[inside] - own > 0)).astype(np.float64)


def unit_rows(vectors: Floats) -> Floats:
    """Rows scaled to length one; a row of zeros stays."""
    norms = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return vectors / np.where(norms > 0, norms, 1.0)


def group_means(vectors: Floats, groups: Ints, count: int) -> Floats:
    """The mean of the vectors of each group."""
    means = np.zeros((count, vectors.shape[1]), dtype=vectors.dtype)
    np.add.at(means, groups, vectors)
    means /= np.maximum(np.bincount(groups, minlength=count), 1).astype(vectors.dtype)[:, None]
    return means


def _starts(sizes: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
