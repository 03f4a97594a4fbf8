"""Comments and threads as the ranker reads them: one table of sentences with counts, terms and vectors, and statistics of the thread.

A sentence is split again where a capitalized word begins a new one without a full stop before it. Copies of a comment count once in the statistics of its thread, and none
of them in its own.

Every comment is read once. Of a thread of more than `MOST_EXACT` comments the vectors of sentences are not kept, but made again of their pieces when they are needed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from newsdesk.arrays import Bools, Floats, Ints, unit_rows
from newsdesk.languages import has_spaces
from newsdesk.model import Arrays
from newsdesk.rankers.argument.counts import WordSigns, count, lexicon, units_of
from newsdesk.rankers.argument.repetition import (
    Rarity,
    SaidBefore,
    Terms,
    copy_groups,
    ngrams,
    once,
    terms_of,
)
from newsdesk.rankers.argument.vectors import NearestVectors, SentenceVectors, Vectors
from newsdesk.records.comments.cells import parse_moment
from newsdesk.text.ragged import Ragged, WordNumbers, offsets_of
from newsdesk.text.sentences import sentences
from newsdesk.types import Thread
from newsdesk.work.progress import OnProgress, Progress, silent

_UNMARKED = re.compile(r"(?<=[a-z0-9)\]'\"%])\s+(?=([A-Z][a-z]+)(?:-[a-z]+)?\s+[a-z])")
_LEAST_PIECE = 25
_DIGIT = re.compile(r"\d")
# Comments looked at together: with more, a long thread would need more memory.
BLOCK = 1_024
# The sentences of a thread with more comments are kept in less memory.
MOST_EXACT = 4_096
# As many groups as a usual thread has.
_USUAL_GROUPS = 256
# Whole numbers up to this are exact in half precision.
_EXACT_COUNT = 2_048


@dataclass(slots=True)
class CommentTerms:
    """The terms of a thread, numbered as they are met, each with its rarity and a stable hash."""

    rarity: Rarity
    signs: WordSigns
    numbers: WordNumbers = field(default_factory=WordNumbers)
    _rarities: Floats = field(default_factory=lambda: np.zeros(0))
    _numeric: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def rarities(self) -> Floats:
        """Return the inverse document frequency of each term, in the order of their numbers."""
        new = islice(self.numbers, len(self._rarities), None)
        if len(self.numbers) > len(self._rarities):
            self._rarities = np.concatenate([self._rarities, self.rarity.values(new)])
        return self._rarities

    def numeric(self) -> Bools:
        """Return for each term, in the order of their numbers, True if there is a digit in it."""
        new = islice(self.numbers, len(self._numeric), None)
        if len(self.numbers) > len(self._numeric):
            flags = [_DIGIT.search(term) is not None for term in new]
            self._numeric = np.concatenate([self._numeric, np.array(flags, dtype=bool)])
        return self._numeric

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
    pieces: Ragged | None  # what the vectors are made of, where the encoder has pieces
    terms: Terms  # uses of terms: their numbers
    term_starts: Ints  # sentences + 1

    def packed(self) -> Sentences:
        """Return the same sentences in less memory, for `unpacked`: without vectors that can be made again.

        Other vectors are in half precision, and counts where that is exact.
        """
        exact = self.counts.max(initial=0) <= _EXACT_COUNT
        counts = self.counts.astype(np.float16) if exact else self.counts
        half = self.vectors.astype(np.float16) if self.pieces is None else np.zeros((0, 0))
        return replace(self, counts=counts, vectors=half)

    def unpacked(self, encoder: SentenceVectors) -> Sentences:
        """Return packed sentences with numbers as they are computed with."""
        counts = self.counts.astype(np.float32)
        if self.pieces is None:
            return replace(self, counts=counts, vectors=self.vectors.astype(np.float32))
        return replace(self, counts=counts, vectors=encoder.embed(self.pieces))

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

    def first_uses(self) -> Bools:
        """Return for each use of a term True unless its comment used the term before."""
        comment = np.repeat(self.comment_of, np.diff(self.term_starts))  # uses of terms
        size = int(self.terms.max(initial=0)) + 1
        _, first = np.unique(comment * size + self.terms, return_index=True)
        flags = np.zeros(len(self.terms), dtype=bool)
        flags[first] = True
        return flags

    def distinct_terms(self) -> tuple[Terms, Ints]:
        """Return the distinct terms of each comment, in order, and where each comment begins.

        Comment i has those from `starts[i]` to before `starts[i + 1]` of the first array.
        """
        comment = np.repeat(self.comment_of, np.diff(self.term_starts))  # uses of terms
        # One number for comment and term, so that a single sort finds the distinct ones.
        size = int(self.terms.max(initial=0)) + 1
        keys = np.unique(comment * size + self.terms)  # pairs of comment and term
        count = len(self.starts) - 1
        return (keys % size).astype(np.int32), offsets_of(
            np.bincount(keys // size, minlength=count)
        )


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
        pieces = self.vectors.cut(flat)
        counts = count(flat, units, hits, terms.signs, self.rarity.small)
        return Sentences(
            texts=flat,
            starts=offsets_of(np.array([len(pieces) for pieces in split], dtype=np.int64)),
            counts=counts.astype(np.float32),
            vectors=self.vectors.encode(flat) if pieces is None else self.vectors.embed(pieces),
            pieces=pieces,
            terms=numbered.ids,
            term_starts=numbered.offsets,
        )

    def numbered(self, text: str, terms: CommentTerms) -> Ragged:
        """Return the terms of each sentence of a text, numbered; new terms are added to `terms`."""
        units = [units_of(sentence, self.lang) for sentence in sentences(text, self.lang)]
        return Ragged.number([terms_of(own, self.lang) for own in units], terms.numbers)

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
    distinct: Terms  # distinct terms of each comment, one comment after the other
    distinct_starts: Ints  # comments + 1
    groups: Ints  # comments
    frequency: Ints  # terms: how many groups use each
    owners: Ints  # group × terms + term, of every use by a group, sorted
    centres: Vectors  # groups × dimensions
    total: Floats  # dimensions: the sum of all centres
    nearest: NearestVectors  # among the centres
    sample: Ints  # groups: all, or as many as a usual thread has
    title: Floats  # dimensions
    article: Terms  # distinct terms of the article
    said: SaidBefore

    @classmethod
    def of(cls, thread: Thread, reader: CommentReader, progress: OnProgress = silent) -> Talk:
        """Read the comments and the title of a thread."""
        texts = tuple(comment.text for comment in thread.comments)
        terms = reader.no_terms()
        # The direction of each comment: half of the precision is enough for the mean of a long thread.
        short = len(texts) <= MOST_EXACT
        precision = np.float32 if short else np.float16
        directions = np.zeros((len(texts), reader.vectors.dimensions), precision)
        parts, distinct = [], []
        for first in range(0, len(texts), BLOCK):
            part = reader.read(texts[first : first + BLOCK], terms)
            directions[first : first + BLOCK] = unit_rows(part.sums(part.vectors))
            distinct.append(part.distinct_terms())
            parts.append(part if short else part.packed())
            progress(Progress("reading comments", first + len(part.starts) - 1, len(texts)))
        # Copies are one group, and every group counts once.
        numbers = np.concatenate([np.zeros(0, dtype=np.int32), *(own for own, _ in distinct)])
        # Where the distinct terms of each comment begin: comments + 1.
        sizes = [size for _, block_starts in distinct for size in np.diff(block_starts)]
        starts = offsets_of(np.array(sizes, np.int64))
        groups = copy_groups(numbers, starts, terms.hashes())
        vocabulary = max(len(terms.numbers), 1)
        owners = _sorted_set(np.repeat(groups * vocabulary, np.diff(starts)) + numbers)
        means = group_means(directions, groups)
        article = reader.numbered(thread.article.text, terms)
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
            sample=_sample(means),
            title=reader.vectors.encode([thread.article.title or ""])[0].astype(np.float64),
            article=np.unique(article.ids),
            said=SaidBefore.of(ngrams(article.ids, article.offsets)[0], parts, turns_of(thread)),
        )

    def blocks(self) -> Iterator[tuple[Ints, Sentences]]:
        """Yield the numbers and the sentences of a block of comments after the other."""
        packed = len(self.texts) > MOST_EXACT
        first = 0
        for part in self.read:
            last = first + len(part.starts) - 1
            yield np.arange(first, last), part.unpacked(self.reader.vectors) if packed else part
            first = last

    def others(self, hosts: Ints) -> Floats:
        """Return for each host (a comment) the sum of the mean vectors of all groups but its own."""
        return self.total - self.centres[self.groups[hosts]]

    def shared(self, terms: Terms, hosts: Ints) -> Floats:
        """Return for each use of a term, by its host comment, 1 if a group other than the host's uses it."""
        seen = terms < len(self.frequency)  # uses of terms; a new one is used by no group
        inside = np.where(seen, terms, 0)
        frequency = self.frequency[inside]  # uses of terms
        others = frequency > 1
        # Of a term that one group uses: is it the host's own?
        once = np.flatnonzero(seen & (frequency == 1))
        others[once] = ~self.owned(inside[once], hosts[once])
        return (seen & others).astype(np.float64)

    def mentions(self, terms: Terms, hosts: Ints) -> Ints:
        """Return for each use of a term, by its host comment, how many use it: groups beside the host's, and the article."""
        mentions = np.isin(terms, self.article).astype(np.int64)  # uses of terms
        if not len(self.owners):
            return mentions
        seen = np.flatnonzero(terms < len(self.frequency))
        mentions[seen] += self.frequency[terms[seen]] - self.owned(terms[seen], hosts[seen])
        return mentions

    def owned(self, terms: Terms, hosts: Ints) -> Bools:
        """Return for each use of a term of this thread, by its host comment, True if the host's group uses it."""
        keys = self.groups[hosts] * len(self.frequency) + terms
        # Uses of terms: where the pair of group and term would stand.
        places = np.minimum(np.searchsorted(self.owners, keys), len(self.owners) - 1)
        return self.owners[places] == keys


def turns_of(thread: Thread) -> Ints:
    """Return the order in which the comments were written: by their times, or as they stand where one has none."""
    count = len(thread.comments)
    moments = [parse_moment(comment.at) for comment in thread.comments if comment.at]
    seconds = [moment.timestamp() for moment in moments if moment]
    order = np.argsort(seconds, kind="stable") if len(seconds) == count else np.arange(count)
    turns = np.empty(count, dtype=np.int64)
    turns[order] = np.arange(count)
    return turns


def _sorted_set(keys: Ints) -> Ints:
    """Return the distinct keys in order; sorted in place, as `np.unique` would need ten times the memory."""
    keys.sort()
    return keys[np.diff(keys, prepend=-1) > 0]


def _sample(centres: Vectors) -> Ints:
    """Return all groups, or of many a sample that is the same however the thread is sorted."""
    if len(centres) <= _USUAL_GROUPS:
        return np.arange(len(centres))
    if not centres.shape[1]:  # without vectors one is like another
        return np.arange(_USUAL_GROUPS)
    order = np.lexsort(np.round(centres[:, :4].astype(np.float64), 5).T)
    return order[np.linspace(0, len(centres) - 1, _USUAL_GROUPS).astype(np.int64)]


def group_means(vectors: Vectors, groups: Ints) -> Vectors:
    """Return the mean of the vectors of each group, in their precision: groups × dimensions."""
    sizes = np.bincount(groups)  # groups
    order, starts = np.argsort(groups, kind="stable"), offsets_of(sizes)
    means = vectors[order[starts[:-1]]]  # most groups are a single comment
    for group in np.flatnonzero(sizes > 1).tolist():
        rows = order[starts[group] : starts[group + 1]]
        means[group] = vectors[rows].mean(axis=0, dtype=np.float32)
    return means
