"""The judged comments of many articles as arrays.

Unjudged comments are left out and counted. The length-controlled measures have thresholds in shares of yes votes: a comment's
share is yes of votes where every comment was voted on, else its score where all scores lie in [0, 1], else the score between the
lowest and the highest of the file; `scale` says which.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.rankers.evaluation.length_control import MatchedPairs
from newsdesk.rankers.threads import target_of
from newsdesk.signatures import signature
from newsdesk.text.ragged import offsets_of
from newsdesk.types import Comment, Thread


def signature_of(
    name: str, reading: Mapping[str, object], threads: str, sampling: Mapping[str, object]
) -> str:
    """The signature of a measurement: its name, readings, the digest of the threads, the resampling and the version."""
    return signature(name, {**reading, "threads": threads, **sampling})


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judged comments of threads, article after article; `offsets` are the starts of the articles."""

    articles: tuple[str, ...]
    comments: tuple[str, ...]
    offsets: Ints
    gains: Floats
    shares: Floats
    scale: str
    lengths: Ints
    yes: Ints | None
    votes: Ints | None
    matched: MatchedPairs
    unjudged: int

    @classmethod
    def of(cls, threads: Iterable[Thread]) -> Judged:
        """Collect the comments that have a score, article after article."""
        articles: list[tuple[str, list[tuple[Comment, float]]]] = []
        unjudged = 0
        for thread in threads:
            scored = [(each, target_of(each, "score")) for each in thread.comments]
            judged = [(each, gain) for each, gain in scored if gain is not None]
            unjudged += len(scored) - len(judged)
            if judged:
                articles.append((thread.article.id, judged))
        if not articles:
            raise ArgumentError("no comment of the threads has a score to judge a ranking by")
        offsets = offsets_of(np.array([len(judged) for _, judged in articles]))
        comments = [comment for _, judged in articles for comment, _ in judged]
        gains = np.array([gain for _, judged in articles for _, gain in judged], dtype=np.float64)
        lengths = np.array([len(comment.text) for comment in comments], dtype=np.int64)
        yes, votes = _votes(comments)
        shares, scale = _shares(gains, yes, votes)
        return cls(
            articles=tuple(article for article, _ in articles),
            comments=tuple(comment.id for comment in comments),
            offsets=offsets,
            gains=gains,
            shares=shares,
            scale=scale,
            lengths=lengths,
            yes=yes,
            votes=votes,
            matched=MatchedPairs.of(lengths, offsets),
            unjudged=unjudged,
        )

    @property
    def article_of(self) -> Ints:
        """The number of each comment's article."""
        return np.repeat(np.arange(len(self.articles)), np.diff(self.offsets))

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The ids of article and comment for each comment."""
        articles = [self.articles[number] for number in self.article_of.tolist()]
        return list(zip(articles, self.comments, strict=True))

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of a hash of the ids, gains and lengths."""
        lines = zip(self.comments, self.gains.tolist(), self.lengths.tolist(), strict=True)
        text = "\n".join([*self.articles, *(f"{i}\t{gain!r}\t{size}" for i, gain, size in lines)])
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def signature(
        self, name: str, reading: Mapping[str, object], sampling: Mapping[str, object]
    ) -> str:
        """The signature of measures on these comments."""
        return signature_of(name, reading, self.digest, sampling)

    def split(self, values: Floats) -> list[Floats]:
        """Split values of all comments by article."""
        return np.split(values, self.offsets[1:-1])


def _votes(comments: Sequence[Comment]) -> tuple[Ints | None, Ints | None]:
    if not all(comment.votes and comment.yes is not None for comment in comments):
        return None, None
    yes = np.array([comment.yes for comment in comments], dtype=np.int64)
    return yes, np.array([comment.votes for comment in comments], dtype=np.int64)


def _shares(gains: Floats, yes: Ints | None, votes: Ints | None) -> tuple[Floats, str]:
    if yes is not None and votes is not None:
        return yes / votes, "votes"
    low, high = float(gains.min()), float(gains.max())
    if low >= 0 and high <= 1:
        return gains, "score"
    return (gains - low) / ((high - low) or 1.0), f"minmax({low:g},{high:g})"
