"""Training labels: votes where all comments have them, else pairs of comments of one article that differ in score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.rankers.targets import Target, target_of
from newsdesk.streams import stream
from newsdesk.types import Thread

_MOST_PAIRS = 30_000
# Of an article with more comments, pairs are drawn.
_MOST_WHOLE = 250


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The comments that have a target: their row among all, their article, the target in [0, 1], and the number of votes if all were voted on."""

    rows: Ints
    articles: Ints
    shares: Floats
    votes: Floats | None

    @classmethod
    def of(cls, threads: Sequence[Thread], target: Target) -> Labels:
        """Collect the comments that have a target."""
        rows, articles, values, yes, votes = [], [], [], [], []
        row = -1
        for number, thread in enumerate(threads):
            for comment in thread.comments:
                row += 1
                value = target_of(comment, target)
                if value is None:
                    continue
                voted = target == "score" and comment.yes is not None
                votes.append(float(comment.votes or 0) if voted else 0.0)
                yes.append(float(comment.yes or 0))
                values.append(value)
                rows.append(row)
                articles.append(number)
        if not rows:
            raise ArgumentError(f"no comment has a {target!r} to learn from")
        shares, counted = np.array(values), np.array(votes)
        if counted.all():
            return cls(np.array(rows), np.array(articles), np.array(yes) / counted, counted)
        low, high = shares.min(), shares.max()
        if low < 0 or high > 1:
            shares = (shares - low) / ((high - low) or 1.0)
        return cls(np.array(rows), np.array(articles), shares, None)

    def part(self, chosen: Ints) -> Labels:
        """The labels of a subset of the comments."""
        votes = None if self.votes is None else self.votes[chosen]
        return Labels(self.rows[chosen], self.articles[chosen], self.shares[chosen], votes)

    def standings(self) -> Floats:
        """For each comment the share of the other comments of its article that it beats; a tie counts ½."""
        shares = np.full(len(self.rows), 0.5)
        for article in np.unique(self.articles).tolist():
            own = np.flatnonzero(self.articles == article)
            values = np.sort(self.shares[own])
            below = np.searchsorted(values, self.shares[own], "left")
            above = len(own) - np.searchsorted(values, self.shares[own], "right")
            if len(own) > 1:
                shares[own] = (1 + (below - above) / (len(own) - 1)) / 2
        return shares

    def pairs(self, seed: int) -> tuple[Ints, Ints, Floats]:
        """The better and the worse comment of pairs of one article, and weights that give each comment about one vote."""
        rng = stream("pairs", seed)
        columns: list[tuple[Ints, Ints, Floats]] = []
        for article in np.unique(self.articles).tolist():
            own = np.flatnonzero(self.articles == article)
            first, second = _two_of(len(own), rng)
            # Every pair once, or a sample with the same total weight.
            weight = len(own) / max(len(first), 1)
            lead = np.sign(self.shares[own[first]] - self.shares[own[second]])
            better = np.where(lead > 0, own[first], own[second])[lead != 0]
            worse = np.where(lead > 0, own[second], own[first])[lead != 0]
            columns.append((better, worse, np.full(len(better), weight)))
        better, worse, weights = (np.concatenate(column) for column in zip(*columns, strict=True))
        if len(better) <= _MOST_PAIRS:
            return better, worse, weights
        drawn = np.sort(rng.choice(len(better), _MOST_PAIRS, replace=False))
        return better[drawn], worse[drawn], weights[drawn] * (len(better) / _MOST_PAIRS)


def _two_of(count: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The indices of all pairs of up to `_MOST_WHOLE` comments, or of a sample of pairs of more."""
    if count <= _MOST_WHOLE:
        first, second = np.triu_indices(count, 1)
        return first.astype(np.int64), second.astype(np.int64)
    first, second = rng.integers(0, count, (2, _MOST_PAIRS))
    return first[first != second], second[first != second]
