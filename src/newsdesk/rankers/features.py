"""The features of Fujita et al. (2019), section 3.2, of a comment and the title of its article.

Four blocks of columns: how often the comment holds each known word; the same for the words that it shares with the title, as separate columns; how
many different words it has; and the cosine of its bag of words with the title's. Stop words stay, and the body of the article is never
read. Words seen three times or less in the training texts (comments and titles) are cut; the last two columns still count them.

Where the paper is silent: counts are raw, and the cosine is taken over all words. Where we depart: texts are normalized full-width only in
Japanese, as the paper does, and by NFKC elsewhere; `width` names one for all languages.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, Self

import numpy as np
from scipy import sparse

from newsdesk.errors import ArgumentError
from newsdesk.languages import check_language, has_spaces, settings_of
from newsdesk.text.language import language_of
from newsdesk.text.normalize import Normalizer, lined
from newsdesk.text.ragged import Vocabulary
from newsdesk.text.tokenize import tokenizer_for
from newsdesk.types import Thread

Width = Literal["full", "nfkc"]
# A title and the comments under it, as words.
Words = tuple[list[str], list[list[str]]]


class Bags:
    """Comments and titles as bags of normalized words."""

    def __init__(self, width: Width | None = None, lang: str | None = None) -> None:
        if width not in ("full", "nfkc", None):
            raise ArgumentError(f"width is {width!r}, not 'full', 'nfkc' or None")
        if lang:
            check_language(lang)
        self.width = width
        self.lang = lang

    def words(self, text: str, lang: str) -> list[str]:
        """Return the words of a text in lower case and one width, every number as `<num>`."""
        normalizer = Normalizer(self.width or settings_of(lang).width)
        text = normalizer.text(lined(text))
        words = tokenizer_for(lang).words(text)
        # Tokenizers of spaced languages cut no number apart.
        return normalizer.words(words) if has_spaces(lang) else normalizer.words(words, text)

    def language(self, thread: Thread) -> str:
        """Return the language set for all threads, else that of the thread (`language_of`)."""
        return settings_of(self.lang).code if self.lang else language_of(thread)

    def sequences(self, thread: Thread) -> Words:
        """Return the words of the title, and of each comment, in their order."""
        lang = self.language(thread)
        title = self.words(thread.article.title or "", lang)
        return title, [self.words(comment.text, lang) for comment in thread.comments]

    def of(self, thread: Thread) -> tuple[Counter[str], list[Counter[str]]]:
        """Return the bag of the title, and of each comment."""
        title, comments = self.sequences(thread)
        return Counter(title), [Counter(words) for words in comments]


class LinearFeatures:
    """Bag-of-words features whose vocabulary is learned from threads."""

    def __init__(
        self, min_count: int = 4, width: Width | None = None, lang: str | None = None
    ) -> None:
        if min_count < 1:
            raise ArgumentError(f"min_count is {min_count}, below 1")
        self.min_count = min_count
        self.bags = Bags(width, lang)

    @property
    def columns(self) -> int:
        """The number of columns: two for every known word, and two more."""
        return 2 * (len(self.vocabulary_) - 1) + 2

    def fit_transform(self, threads: Iterable[Thread]) -> sparse.csr_array:
        """Learn the vocabulary of threads and return their features."""
        bags = [self.bags.of(thread) for thread in threads]
        self.vocabulary_ = known_words(bags, self.min_count)
        return self._matrix(iter(bags))

    def transform(self, threads: Iterable[Thread]) -> sparse.csr_array:
        """Return the features of every comment of threads, one a row."""
        return self._matrix(self.bags.of(thread) for thread in threads)

    def restore(self, words: Iterable[str]) -> Self:
        """Set the vocabulary to the words of a saved one."""
        self.vocabulary_ = Vocabulary(tuple(words))
        return self

    def _matrix(self, bags: Iterator[tuple[Counter[str], list[Counter[str]]]]) -> sparse.csr_array:
        """Return comments × columns: words, words shared with the title, distinct words, cosine."""
        size = len(self.vocabulary_) - 1
        columns, values, ends = array("i"), array("d"), array("q", [0])  # of a CSR matrix
        for title, comments in bags:
            in_title = set(self.vocabulary_.ids(title).tolist()) - {0}
            for bag in comments:
                for number, count in zip(
                    self.vocabulary_.ids(bag).tolist(), bag.values(), strict=True
                ):
                    if number:
                        columns.append(number - 1)
                        values.append(count)
                    if number in in_title:
                        columns.append(size + number - 1)
                        values.append(count)
                columns.extend((2 * size, 2 * size + 1))
                values.extend((len(bag), cosine(bag, title)))
                ends.append(len(columns))
        matrix = sparse.csr_array(
            (np.array(values), np.array(columns, dtype=np.int32), np.array(ends)),
            shape=(len(ends) - 1, 2 * size + 2),
        )
        matrix.sort_indices()
        return matrix


def known_words(
    read: Iterable[tuple[Iterable[str], Iterable[Iterable[str]]]], min_count: int
) -> Vocabulary:
    """Return the words that titles and comments, as lists or bags, hold at least `min_count` times.

    `read` has the title and the comments of each thread. The words stand by frequency and then by spelling, so they do not depend on the order of files.
    """
    counts: Counter[str] = Counter()
    for title, comments in read:
        for words_or_bag in (title, *comments):
            counts.update(words_or_bag)
    by_frequency = sorted((-count, word) for word, count in counts.items() if count >= min_count)
    return Vocabulary.build([[word for _, word in by_frequency]])


def cosine(bag: Counter[str], other: Counter[str]) -> float:
    """Return the cosine of two bags of words; 0 with an empty one.

    >>> round(cosine(Counter("aab"), Counter("ac")), 6)
    0.632456
    """
    shared = sum(count * bag[word] for word, count in other.items())
    if not shared:
        return 0.0
    return shared / math.sqrt(_square(bag) * _square(other))


def _square(bag: Counter[str]) -> int:
    return sum(count * count for count in bag.values())
