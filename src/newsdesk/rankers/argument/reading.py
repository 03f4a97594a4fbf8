"""Comments and threads as the ranker reads them: one table of sentences with counts, terms and vectors, and statistics of the thread.

A sentence is split again where a capitalized word begins a new one without a full stop before it. Copies of a comment count once in the statistics of its thread, and none
of them in its own.

Every comment is read once. The sentences of a thread of more than `MOST_EXACT` comments are kept with vectors in half precision.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints, unit_rows
from newsdesk.languages import has_spaces
from newsdesk.model import Arrays
from newsdesk.rankers.argument.counts import WordSigns, count, lexicon, units_of
from newsdesk.rankers.argument.repetition import Rarity, copy_groups, once, terms_of
from newsdesk.rankers.argument.vectors import NearestVectors, SentenceVectors, Vectors
from newsdesk.text.ragged import Ragged, WordNumbers, offsets_of
from newsdesk.text.sentences import sentences
from newsdesk.types import Thread

_UNMARKED = re.compile(r"(?<=[a-z0-9)\]'\"%])\s+(?=([A-Z][a-z]+)(?:-[a-z]+)?\s+[a-z])")
_LEAST_PIECE = 25
# Comments looked at together: with more, a long thread would need more memory.
BLOCK = 512
# The vectors of a thread with more comments are kept in half precision.
MOST_EXACT = 4_096


@dataclass(slots=True)
class CommentTerms:
    """The terms of a thread, numbered as they are met, each with its rarity and a stable hash."""

    rarity: Rarity
    signs: WordSigns
    numbers: WordNumbers = field(default_factory=WordNumbers)
    _rarities: Floats = field(default_factory=lambda: np.zeros(0))

    def rarities(self) -> Floats:
        """Return the inverse document frequency of each term, in the order of their numbers."""
        new = islice(self.numbers, len(self._rarities), None)
        if len(self.numbers) > len(self._rarities):
            self._rarities = np.concatenate([self._rarities, self.rarity.values(new)])
        return self._rarities

    def hashes(self) -> Ints:
        """Return a 64-bit hash of each term, in the order of their numbers."""
        digests = b"".join(
            hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            for term in self.numbers
        )
        return np.frombuffer(digests, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences of comments, and the terms of each sentence.

    Comment i has the sentences from `starts[i]` to before `starts[i + 1]`, and sentence s the terms from
    `term_starts[s]` on.
    """

    texts: tuple[str, ...]
    starts: Ints  # comments + 1
    counts: Vectors  # sentences × counts
    vectors: Vectors  # sentences × dimensions
    terms: NDArray[np.int32]  # uses of terms: their numbers
    term_starts: Ints  # sentences + 1

    def with_vectors_as(self, precision: type[np.floating[Any]]) -> Sentences:
        """Return the same sentences with vectors in another precision."""
        return replace(self, vectors=self.vectors.astype(precision, copy=False))

    @property
    def comment_of(self) -> Ints:
        """The comment of each sentence."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def sums(self, values: Vectors) -> Floats:
        """Return the sum over the sentences of each comment of a row of values per sentence."""
        sums = np.zeros((len(self.starts) - 1, *values.shape[1:]))  # comments × …
        some = np.flatnonzero(np.diff(self.starts))  # comments that have sentences
        if len(some):  # a comment without sentences would take the first sentence of the next
            sums[some] = np.add.reduceat(values, self.starts[some], axis=0, dtype=np.float64)
        return sums

    def distinct_terms(self) -> tuple[Ints, Ints]:
        """Return the distinct terms of each comment, in order, and where each comment begins.

        Comment i has those from `starts[i]` to before `starts[i + 1]` of the first array.
        """
        comment = np.repeat(self.comment_of, np.diff(self.term_starts))  # uses of terms
        # One number for comment and term, so that a single sort finds the distinct ones.
        size = int(self.terms.max(initial=0)) + 1
        keys = np.unique(comment * size + self.terms)  # pairs of comment and term
        count = len(self.starts) - 1
        return keys % size, offsets_of(np.bincount(keys // size, minlength=count))


@dataclass(frozen=True, slots=True, eq=False)
class CommentReader:
    """Splits texts of one language into sentences, counts in them and encodes them."""

    lang: str
    rarity: Rarity
    vectors: SentenceVectors

    @classmethod
    def restored(cls, learned: Mapping[str, Any], arrays: Arrays) -> CommentReader:
        """Rebuild the reader from the state that `learned`, of the reader and of the vectors, returned."""
        lang = learned["lang"]
        vectors = SentenceVectors.restored(learned["vectors"], lang, learned, arrays)
        counts = dict(zip(learned["terms"], arrays["term_counts"].tolist(), strict=True))
        rarity = Rarity(learned["texts"], counts, frozenset(learned["small"]))
        return cls(lang, rarity, vectors)

    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the language, the kind of vectors, and the terms with their document frequencies.

        A part is for JSON, the other are arrays.
        """
        rarity = self.rarity
        learned = {
            "lang": self.lang,
            "vectors": self.vectors.kind,
            "texts": rarity.texts,
            "terms": list(rarity.counts),
            "small": sorted(rarity.small),
        }
        return learned, {"term_counts": np.array(list(rarity.counts.values()), dtype=np.int64)}

    def no_terms(self) -> CommentTerms:
        """Return the terms of a thread that nothing is read of yet."""
        return CommentTerms(self.rarity, WordSigns(self.vectors, self.lang))

    def read(self, texts: Sequence[str], terms: CommentTerms) -> Sentences:
        """Split comments, count in their sentences and encode them; new terms are added to `terms`."""
        split = [self.split(text) for text in texts]
        flat = tuple(sentence for pieces in split for sentence in pieces)
        units = [units_of(sentence, self.lang) for sentence in flat]
        hits = list(map(lexicon(self.lang).hits, units))
        numbered = Ragged.number([terms_of(own, self.lang) for own in units], terms.numbers)
        counts = count(flat, units, hits, terms.signs, self.rarity.small)
        return Sentences(
            texts=flat,
            starts=offsets_of(np.array([len(pieces) for pieces in split], dtype=np.int64)),
            counts=counts.astype(np.float32),
            vectors=self.vectors.encode(flat).astype(np.float32),
            terms=numbered.ids,
            term_starts=numbered.offsets,
        )

    def split(self, text: str) -> list[str]:
        """Return the sentences of a comment, without a tail that repeats it."""
        pieces: list[str] = []
        for sentence in sentences(once(text), self.lang):
            start = 0
            for gap in _UNMARKED.finditer(sentence) if has_spaces(self.lang) else ():
                opens = gap[1].lower() in self.rarity.small
                if opens and len(sentence) - gap.end() >= _LEAST_PIECE:
                    pieces.append(sentence[start : gap.start()])
                    start = gap.end()
            pieces.append(sentence[start:])
        return [piece for piece in pieces if piece]


@dataclass(frozen=True, slots=True, eq=False)
class Talk:
    """A thread as read: its sentences, and the groups of copies among its comments.

    Document frequencies of terms and mean vectors are over groups, so that a comment pasted ten times counts
    once. `read` has the sentences of one block of comments after the other.
    """

    texts: tuple[str, ...]
    reader: CommentReader
    terms: CommentTerms
    read: tuple[Sentences, ...]
    distinct: Ints  # distinct terms of each comment, one comment after the other
    distinct_starts: Ints  # comments + 1
    groups: Ints  # comments
    frequency: Ints  # terms: how many groups use each
    owners: Ints  # group × terms + term, of every use by a group, sorted
    centres: Vectors  # groups × dimensions
    total: Floats  # dimensions: the sum of all centres
    nearest: NearestVectors  # among the centres
    title: Floats  # dimensions

    @classmethod
    def of(cls, thread: Thread, reader: CommentReader) -> Talk:
        """Read the comments and the title of a thread."""
        texts = tuple(comment.text for comment in thread.comments)
        terms = reader.no_terms()
        # The direction of each comment: comments × dimensions.
        centres = np.zeros((len(texts), reader.vectors.dimensions), dtype=np.float32)
        precision = np.float32 if len(texts) <= MOST_EXACT else np.float16
        parts, distinct = [], []
        for first in range(0, len(texts), BLOCK):
            part = reader.read(texts[first : first + BLOCK], terms)
            centres[first : first + BLOCK] = unit_rows(part.sums(part.vectors))
            distinct.append(part.distinct_terms())
            parts.append(part.with_vectors_as(precision))
        # Copies are one group, and every group counts once.
        numbers = np.concatenate([np.zeros(0, dtype=np.int64), *(own for own, _ in distinct)])
        # Where the distinct terms of each comment begin: comments + 1.
        sizes = [size for _, block_starts in distinct for size in np.diff(block_starts)]
        starts = offsets_of(np.array(sizes, np.int64))
        groups = copy_groups(numbers, starts, terms.hashes())
        count = int(groups.max()) + 1 if len(groups) else 0
        vocabulary = max(len(terms.numbers), 1)
        # Uses of a term by a group, each once.
        owners = np.unique(np.repeat(groups, np.diff(starts)) * vocabulary + numbers)
        means = group_means(centres, groups, count)
        return cls(
            texts=texts,
            reader=reader,
            terms=terms,
            read=tuple(parts),
            distinct=numbers,
            distinct_starts=starts,
            groups=groups,
            frequency=np.bincount(owners % vocabulary, minlength=vocabulary),
            owners=owners,
            centres=means,
            total=means.sum(axis=0, dtype=np.float64),
            nearest=NearestVectors.of(means),
            title=reader.vectors.encode([thread.article.title or ""])[0],
        )

    def blocks(self) -> Iterator[tuple[Ints, Sentences]]:
        """Yield the numbers and the sentences of a block of comments after the other."""
        first = 0
        for part in self.read:
            last = first + len(part.starts) - 1
            yield np.arange(first, last), part.with_vectors_as(np.float32)
            first = last

    def others(self, hosts: Ints) -> Floats:
        """Return for each host (a comment) the sum of the mean vectors of all groups but its own."""
        return self.total - self.centres[self.groups[hosts]]

    def shared(self, terms: NDArray[np.int32], hosts: Ints) -> Floats:
        """Return for each use of a term, by its host comment, 1 if a group other than the host's uses it."""
        seen = terms < len(self.frequency)  # uses of terms; a new one is used by no group
        inside = np.where(seen, terms, 0)
        # Is the host's own group among the users of the term?
        keys = self.groups[hosts] * len(self.frequency) + inside
        # Uses of terms: where the pair of group and term would stand.
        places = np.minimum(np.searchsorted(self.owners, keys), max(len(self.owners) - 1, 0))
        own = self.owners[places] == keys if len(self.owners) else np.zeros(len(keys), dtype=bool)
        return (seen & (self.frequency[inside] - own > 0)).astype(np.float64)


def group_means(vectors: Vectors, groups: Ints, count: int) -> Vectors:
    """Return the mean of the vectors of each group."""
    means = np.zeros((count, vectors.shape[1]), dtype=vectors.dtype)  # groups × dimensions
    np.add.at(means, groups, vectors)
    means /= np.maximum(np.bincount(groups, minlength=count), 1).astype(vectors.dtype)[:, None]
    return means
