"""An unfiltered comment corpus: threads of 0 to 2,000 comments of all lengths, with categories, up-votes, short articles and duplicates.

What a crawl of a news site brings home before any filter of Qin et al. (2018) or Fujita et al. (2019). Texts are drawn word by word without grammar, since
filters count words and characters and look at nothing else; that makes millions of comments cheap. The truth of each thread is counted from the words
that were drawn, not from the texts.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from newsdesk.arrays import Ints
from newsdesk.simulate.lexicon import WorldLexicon, ranks, world_stream, zipf_shares
from newsdesk.simulate.threads import comment_id
from newsdesk.types import Article, Comment, Thread

MOST_COMMENTS = 2_000
_CATEGORIES = 44
_FIRST_DAY = date(2031, 4, 1)
_DAYS = 150
_READERS = 50_000
_EVERY_EMPTY = 12  # of so many threads, one has no comments
_EVERY_SHORT = 9  # … one has an article of a few words
_EVERY_COPY = 31  # … one repeats the article of an earlier thread
SIZE_SPREAD = 1.1  # of log sizes: most threads are short, few are very long
_FUNCTION_SHARE = 0.4
_CONTENT_WORDS = (30, 400)
_SHORT_WORDS = (1, 30)
_TITLE_WORDS = (4, 12)
_MEDIAN_WORDS = 11.0
_WORDS_SPREAD = 0.9
_MOST_WORDS = 300
_COPIED_COMMENTS = 0.05
_MOST_LIKES = 20_000


@dataclass(frozen=True, slots=True)
class RawThread:
    """A thread before it is written: words, copies (-1 for none) and reactions."""

    number: int
    title: tuple[str, ...]
    content: tuple[str, ...]
    comments: tuple[tuple[str, ...], ...]
    copies: tuple[int, ...]  # for each comment the number of the one it repeats
    likes: tuple[int, ...]
    dislikes: tuple[int, ...]
    readers: tuple[int, ...]


@dataclass(frozen=True)
class RawThreads:
    """Draws the threads of an unfiltered corpus, with so many comments as far as their limit allows."""

    lexicon: WorldLexicon
    seed: int
    count: int
    comments: int
    spread: float = SIZE_SPREAD

    @functools.cached_property
    def sizes(self) -> Ints:
        """How many comments each thread has."""
        rng = world_stream("raw sizes", self.seed)
        weights = rng.lognormal(0, self.spread, self.count)
        weights[_EVERY_EMPTY // 2 :: _EVERY_EMPTY] = 0
        sizes = np.zeros(self.count, dtype=np.int64)
        while (left := self.comments - int(sizes.sum())) and weights.any():
            sizes += rng.multinomial(left, weights / weights.sum())
            weights[sizes >= MOST_COMMENTS] = 0
            sizes = np.minimum(sizes, MOST_COMMENTS)
        return sizes

    def __iter__(self) -> Iterator[Thread]:
        """Return the threads in order."""
        return (self._written(self._drawn(number)) for number in range(self.count))

    def truth(self) -> Iterator[dict[str, Any]]:
        """Yield what was planted in each thread: words of the content, comments, different ones of a kind."""
        for number in range(self.count):
            yield self._truth(self._drawn(number))

    def _original(self, number: int) -> int:
        """Return the thread whose article a thread repeats: itself, or an earlier one."""
        if number % _EVERY_COPY != _EVERY_COPY - 1:
            return number
        return number - 1 - number % 7

    def _drawn(self, number: int) -> RawThread:
        rng = world_stream("raw thread", self.seed, number)
        title, content = self._article_words(self._original(number))
        size = int(self.sizes[number])
        lengths = np.exp(rng.normal(np.log(_MEDIAN_WORDS), _WORDS_SPREAD, size)).astype(np.int64)
        lengths = np.clip(lengths, 1, _MOST_WORDS)
        comments = self._texts(rng, lengths)
        is_copy = rng.random(size) < _COPIED_COMMENTS
        earlier = (rng.random(size) * np.arange(size)).astype(np.int64)
        copies = np.where(is_copy & (np.arange(size) > 0), earlier, -1).tolist()
        for copy, original in enumerate(copies):
            if original >= 0:
                comments[copy] = comments[original]
        likes = np.exp(rng.normal(0.4, 1.6, size))
        dislikes = likes * rng.beta(1, 5, size)
        return RawThread(
            number,
            title,
            content,
            comments=tuple(comments),
            copies=tuple(copies),
            likes=tuple(np.minimum(likes, _MOST_LIKES).astype(int).tolist()),
            dislikes=tuple(dislikes.astype(int).tolist()),
            readers=tuple(rng.integers(0, _READERS, size).tolist()),
        )

    def _article_words(self, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        rng = world_stream("raw article", self.seed, number)
        span = _SHORT_WORDS if number % _EVERY_SHORT == 4 else _CONTENT_WORDS
        lengths = np.array([rng.integers(*_TITLE_WORDS), rng.integers(*span)])
        title, content = self._texts(rng, lengths)
        return title, content

    def _texts(self, rng: np.random.Generator, lengths: Ints) -> list[tuple[str, ...]]:
        """Draw the words of texts of these lengths."""
        total = int(lengths.sum())
        content, function = self.lexicon.content, self.lexicon.function
        shares = zipf_shares(len(content), 1.0)
        words = content[ranks(shares, rng.random(total))]
        swapped = np.flatnonzero(rng.random(total) < _FUNCTION_SHARE)
        words[swapped] = function[rng.integers(0, len(function), len(swapped))]
        flat = words.tolist()
        ends = np.cumsum(lengths)
        spans = zip((ends - lengths).tolist(), ends.tolist(), strict=True)
        return [tuple(flat[start:end]) for start, end in spans]

    def _written(self, thread: RawThread) -> Thread:
        article = self._article(thread)
        return Thread(article, tuple(self._comments(thread, article)))

    def _article(self, thread: RawThread) -> Article:
        name = f"sim-raw-{thread.number:07d}"
        rng = world_stream("raw category", self.seed, self._original(thread.number))
        category = int(ranks(zipf_shares(_CATEGORIES, 1.0), rng.random(1))[0])
        day = _FIRST_DAY + timedelta(thread.number * _DAYS // self.count)
        return Article(
            name,
            self._text(thread.content),
            title=self._text(thread.title, stop=False),
            url=f"https://raw.simulated.invalid/{name}",
            date=day.isoformat(),
            lang=self.lexicon.lang,
            source="raw.simulated.invalid",
            category=f"sim-category-{category + 1:02d}",
        )

    def _comments(self, thread: RawThread, article: Article) -> Iterator[Comment]:
        columns = (
            thread.comments,
            thread.copies,
            thread.likes,
            thread.dislikes,
            thread.readers,
        )
        rows = zip(*columns, strict=True)
        for number, (words, original, likes, dislikes, reader) in enumerate(rows):
            text = self._text(words)
            minute = number * 1440 // len(thread.comments)
            yield Comment(
                comment_id(article.id, number),
                f" {text}  "
                if original >= 0 and number % 2
                else text,  # a copy need not look like one
                likes,
                dislikes,
                at=f"{article.date}T{minute // 60:02d}:{minute % 60:02d}:00Z",
                position=number + 1,
                author=f"sim-reader-{reader:05d}",
            )

    def _text(self, words: tuple[str, ...], *, stop: bool = True) -> str:
        text = self.lexicon.space.join(words)
        return (text[:1].upper() + text[1:]) + (self.lexicon.stop if stop else "")

    def _characters(self, words: tuple[str, ...]) -> int:
        """Return how many characters a text of these words has, with its full stop."""
        return sum(map(len, words)) + len(self.lexicon.space) * (len(words) - 1) + 1

    def _truth(self, thread: RawThread) -> dict[str, Any]:
        """Return the truth of a thread; lists have an entry for each different comment."""
        first: dict[tuple[str, ...], int] = {}  # words → the first comment of these words
        for number, words in enumerate(thread.comments):
            key = ("".join(words).casefold(),) if not self.lexicon.space else words
            first.setdefault(tuple(word.casefold() for word in key), number)
        different = list(first.values())
        original = self._original(thread.number)
        row = {
            "article": f"sim-raw-{thread.number:07d}",
            "words": len(thread.content),
            "comments": len(thread.comments),
            "different": len(different),
            "characters": [self._characters(thread.comments[number]) for number in different],
            "comment_words": [len(thread.comments[number]) for number in different],
            "likes": [thread.likes[number] for number in different],
            "dislikes": [thread.dislikes[number] for number in different],
        }
        return row if original == thread.number else {**row, "of": f"sim-raw-{original:07d}"}
