"""What the ranker learns from: votes where all comments have them, else which of two comments of one article has the higher score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.errors import ArgumentError
from newsdesk.metrics.significance import stream
from newsdesk.rankers.ranker import Floats, Ints
from newsdesk.rankers.targets import Target, target_of
from newsdesk.types import Thread

_MOST_PAIRS = 60_000


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The comments with a target: their places among all, their article, the target between 0 and 1, and votes if all were voted on."""

    rows: Ints
    articles: Ints
    shares: Floats
    votes: Floats | None

    @classmethod
    def of(cls, threads: Sequence[Thread], target: Target) -> Labels:
        """Gather the comments that have a target."""
        rows, articles, values, votes = [], [], [], []
        row = -1
        for number, thread in enumerate(threads):
            for comment in thread.comments:
                row += 1
                value = target_of(comment, target)
                if value is None:
                    continue
                voted = target == "score" and comment.yes is not None and comment.votes
                votes.append(float(comment.votes or 0) if voted else 0.0)
                values.append(comment.yes / comment.votes if voted else value)  # type: ignore[operator]
                rows.append(row)
                articles.append(number)
        if not rows:
            raise ArgumentError(f"no comment has a {target!r} to learn from")
        shares, counted = np.array(values), np.array(votes)
        if counted.all():
            return cls(np.array(rows), np.array(articles), shares, counted)
        low, high = shares.min(), shares.max()
        if low < 0 or high > 1:
            shares = (shares - low) / ((high - low) or 1.0)
        return cls(np.array(rows), np.array(articles), shares, None)

    def part(self, chosen: Ints) -> Labels:
        """Some of the comments; `rows` then count within the matrix of all labelled ones no more."""
        votes = None if self.votes is None else self.votes[chosen]
        return Labels(self.rows[chosen], self.articles[chosen], self.shares[chosen], votes)

    def pairs(self, seed: int) -> tuple[Ints, Ints, Floats]:
        """The better and the worse comment of pairs of one article, and weights that give each comment about one vote."""
        better, worse, weights = [], [], []
        for article in np.unique(self.articles).tolist():
            own = np.flatnonzero(self.articles == article)
            first, second = np.nonzero(np.subtract.outer(self.shares[own], self.shares[own]) > 0)
            better.append(own[first])
            worse.append(own[second])
            weights.append(np.full(len(first), 2.0 / max(len(own) - 1, 1)))
        found = np.concatenate(better), np.concatenate(worse), np.concatenate(weights)
        if len(found[0]) <= _MOST_PAIRS:
            return found
        drawn = np.sort(stream("pairs", seed).choice(len(found[0]), _MOST_PAIRS, replace=False))
        return found[0][drawn], found[1][drawn], found[2][drawn] * len(found[0]) / _MOST_PAIRS
