"""Judged comments of many articles in rows, and the scores that rankers gave them.

Comments that nobody judged are left out and counted. The figures that compare lengths have thresholds in shares of yes votes: a comment's
share is yes of votes where every comment was voted on, else its score where all scores lie in [0, 1], else the score between the
lowest and the highest of the file; `scale` says which.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError, DataError
from newsdesk.rankers.length_control import MatchedPairs
from newsdesk.rankers.ranker import Ranker
from newsdesk.rankers.targets import target_of
from newsdesk.signatures import signature
from newsdesk.text.ragged import offsets_of
from newsdesk.types import Comment, Ranked, Thread


def signature_of(
    name: str, reading: Mapping[str, object], threads: str, draws: Mapping[str, object]
) -> str:
    """What was measured, read how, on which threads (their digest), drawn how, by which version."""
    return signature(name, {**reading, "threads": threads, **draws})


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judged comments of threads, article after article; `offsets` says where each begins."""

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
        """Gather the comments that have a score, article after article."""
        kept: list[tuple[str, list[tuple[Comment, float]]]] = []
        unjudged = 0
        for thread in threads:
            scored = [(each, target_of(each, "score")) for each in thread.comments]
            found = [(each, gain) for each, gain in scored if gain is not None]
            unjudged += len(scored) - len(found)
            if found:
                kept.append((thread.article.id, found))
        if not kept:
            raise ArgumentError("no comment of the threads has a score to judge a ranking by")
        offsets = offsets_of(np.array([len(found) for _, found in kept]))
        comments = [comment for _, found in kept for comment, _ in found]
        gains = np.array([gain for _, found in kept for _, gain in found], dtype=np.float64)
        lengths = np.array([len(comment.text) for comment in comments], dtype=np.int64)
        yes, votes = _votes(comments)
        shares, scale = _shares(gains, yes, votes)
        return cls(
            tuple(article for article, _ in kept),
            tuple(comment.id for comment in comments),
            *(offsets, gains, shares, scale, lengths, yes, votes),
            MatchedPairs.of(lengths, offsets),
            unjudged,
        )

    @property
    def article_of(self) -> Ints:
        """The number of each comment's article."""
        return np.repeat(np.arange(len(self.articles)), np.diff(self.offsets))

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The ids of article and comment, of each comment."""
        articles = [self.articles[number] for number in self.article_of.tolist()]
        return list(zip(articles, self.comments, strict=True))

    @property
    def digest(self) -> str:
        """Eight characters that stand for the ids, gains and lengths."""
        lines = zip(self.comments, self.gains.tolist(), self.lengths.tolist(), strict=True)
        text = "\n".join([*self.articles, *(f"{i}\t{gain!r}\t{size}" for i, gain, size in lines)])
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def signature(
        self, name: str, reading: Mapping[str, object], draws: Mapping[str, object]
    ) -> str:
        """The signature of figures on these comments."""
        return signature_of(name, reading, self.digest, draws)

    def split(self, values: Floats) -> list[Floats]:
        """Values of all comments, article by article."""
        return np.split(values, self.offsets[1:-1])


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """What one ranker gave each judged comment; a ranker of chance has several trials, and figures are means over them."""

    name: str
    trials: tuple[Floats, ...]
    missing: int = 0
    unknown: int = 0


def system_of(
    name: str, rankers: Sequence[Ranker], threads: Iterable[Thread], judged: Judged
) -> System:
    """The scores of one ranker, or of several trials of it."""
    listed = list(threads)
    trials = []
    for ranker in rankers:
        scores = {
            (thread.article.id, comment.id): score
            for thread in listed
            for comment, score in zip(thread.comments, ranker.scores(thread), strict=True)
        }
        trials.append(_aligned(scores, judged))
    return System(name, tuple(trials))


def system_of_run(name: str, run: Iterable[Ranked], judged: Judged) -> System:
    """The scores of a run. A judged comment that it lacks stands last; comments that nobody judged are left out.

    As in trec_eval the scores count, and the column of ranks does not.
    """
    scores = {(line.article, line.comment): line.score for line in run}
    lacking = set(judged.articles) - {article for article, _ in scores}
    if lacking:
        article = min(lacking)
        raise DataError(
            f"run {name!r} ranks nothing of article {article!r} ({len(lacking)} such); rank every article of the threads"
        )
    known = set(judged.keys)
    missing = sum(key not in scores for key in known)
    unknown = sum(key not in known for key in scores)
    return System(name, (_aligned(scores, judged),), missing, unknown)


def _aligned(scores: Mapping[tuple[str, str], float], judged: Judged) -> Floats:
    last = min(scores.values(), default=0.0) - 1.0
    return np.array([scores.get(key, last) for key in judged.keys], dtype=np.float64)


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
