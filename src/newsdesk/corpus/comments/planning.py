"""What a preset works on: threads without empty and repeated comments, facts about every article, and seeded draws from them.

Neither paper says that it drops repeated comments; reposts of one text would otherwise be drawn for annotation several times and be on both sides of a
comparison. `duplicates=True` keeps them. Words are the tokens of the language's tokenizer (for Chinese the words of jieba, as in Qin et al. 2018) that hold a
letter or a digit.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import DataError
from newsdesk.streams import stream
from newsdesk.text import language, tokenizer_for
from newsdesk.types import Comment, Thread

EMPTY = "empty"
REPEATED = "repeats an earlier comment"


@dataclass(frozen=True)
class Clean:
    """A thread, its comments that are left, and how many were empty or repeated."""

    thread: Thread
    comments: tuple[Comment, ...]
    empty: int
    repeated: int

    @functools.cached_property
    def lang(self) -> str:
        """The language of the article, by its script where it is not given."""
        article = self.thread.article
        if article.lang:
            return article.lang
        text = f"{article.title or ''} {article.text}".strip()
        return language(text or " ".join(comment.text for comment in self.comments[:20]))

    def words(self, text: str) -> list[str]:
        """Return the words of a text in the thread's language."""
        return words_of(text, self.lang)

    @functools.cached_property
    def upvotes(self) -> int:
        """The up-votes of all comments."""
        return sum(comment.likes or 0 for comment in self.comments)


def cleaned(thread: Thread, *, duplicates: bool) -> Clean:
    """Return a thread without empty comments and, unless `duplicates` are to stay, without repeated ones.

    Case and white space make no difference.

    >>> from newsdesk.types import Article
    >>> texts = ["Yes.", "  yes. ", "", "No."]
    >>> comments = tuple(Comment(str(n), text) for n, text in enumerate(texts))
    >>> [comment.id for comment in cleaned(Thread(Article("a", ""), comments), duplicates=False).comments]
    ['0', '3']
    """
    seen: set[str] = set()
    comments: list[Comment] = []
    empty = repeated = 0
    for comment in thread.comments:
        key = folded(comment.text)
        if not key:
            empty += 1
        elif key in seen and not duplicates:
            repeated += 1
        else:
            comments.append(comment)
            seen.add(key)
    return Clean(thread, tuple(comments), empty, repeated)


def folded(text: str) -> str:
    """Return a text by which copies are recognised."""
    return " ".join(text.casefold().split())


def words_of(text: str, lang: str) -> list[str]:
    """Return the tokens of a text that hold a letter or a digit."""
    tokens = tokenizer_for(lang).words(text)
    return [token for token in tokens if token[0].isalnum() or any(map(str.isalnum, token))]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a corpus, and how many people are to judge each of its comments (0 for none)."""

    name: str
    votes: int


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What a plan knows of an article: its place, how many comments may be drawn, perhaps their scores."""

    index: int
    pool: int
    scores: Floats | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """An article for a part, with all comments of its pool, some drawn from it, or those at `ranks`."""

    index: int
    part: str
    count: int | None = None
    ranks: tuple[int, ...] | None = None

    def places(self, pool: int, seed: int) -> Sequence[int]:
        """Return the places of the comments in a pool of this size."""
        if self.ranks is not None:
            return self.ranks
        return range(pool) if self.count is None else sampled(self.index, pool, self.count, seed)


def permuted(facts: Sequence[Facts], seed: int, name: str) -> list[Facts]:
    """Return the articles in random order."""
    order = stream(f"comment corpus {name}", seed).permutation(len(facts)).tolist()
    return [facts[place] for place in order]


def drawn(facts: Sequence[Facts], count: int, seed: int, name: str) -> list[Facts]:
    """Draw so many articles without replacement, in the order of the inputs; `name` names the draw."""
    chosen = permuted(facts, seed, name)[:count]
    return sorted(chosen, key=lambda fact: fact.index)


def sampled(index: int, pool: int, count: int, seed: int) -> tuple[int, ...]:
    """Draw so many places in the pool of an article without replacement, in the thread's order."""
    rng = stream("comment corpus comments", seed, index)
    places = rng.choice(pool, size=min(count, pool), replace=False)
    return tuple(np.sort(places).tolist())


def even_counts(pools: Sequence[int], total: int) -> list[int]:
    """Return how many comments each article gives, as evenly as the pools allow, so that all make `total`.

    >>> even_counts([2, 9, 5], 10), even_counts([2, 1], 10)
    ([2, 4, 4], [2, 1])
    """
    counts = [0] * len(pools)
    remaining = min(total, sum(pools))
    open_articles = list(range(len(pools)))
    while remaining:
        share, leftover = divmod(remaining, len(open_articles))
        for turn, place in enumerate(open_articles):
            added = min(share + (turn < leftover), pools[place] - counts[place])
            counts[place] += added
            remaining -= added
        open_articles = [place for place in open_articles if counts[place] < pools[place]]
    return counts


def need(available: int, wanted: int, setting: str, what: str) -> None:
    """Raise an error if there are fewer `what` than wanted; `setting` is the one to lower."""
    if available < wanted:
        raise DataError(
            f"there are only {available:,} {what}, not {wanted:,}; name smaller sizes, such as {setting}, in --preset, or take --preset plain"
        )
