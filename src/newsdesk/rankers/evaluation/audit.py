"""Audit of likes as a measure of quality: section 2.4 and Figure 2 of Fujita et al. (2019).

User feedback (likes minus weighted dislikes) is compared with judged scores: the correlation over all comments, and the
distribution of scores among randomly drawn comments and among the most liked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, best_first
from newsdesk.errors import ArgumentError
from newsdesk.feedback import DISLIKE_WEIGHT, dislike_ratio, feedback
from newsdesk.metrics.ranking import pearson, spearman, varies
from newsdesk.rankers.ranker import target_of
from newsdesk.settings import at_least
from newsdesk.signatures import sha256_of, signature
from newsdesk.stats.significance import interval
from newsdesk.streams import stream
from newsdesk.types import Thread

COUNT = 5_000  # comments drawn, and comments liked most
_MOST_VALUES = 41  # distinct scores with a bar of their own
_BINS = 10


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of Figure 2: the shares of random and of most liked comments with such scores."""

    low: float
    high: float
    random: float
    liked: float


@dataclass(frozen=True, slots=True)
class LikesAudit:
    """The correlation of likes and scores, and the scores of random and of the most liked comments.

    Where all likes or all scores are equal the correlation is undefined: None, not 0.
    """

    n: int
    dislike_weight: float
    pearson: float | None
    ci: tuple[float, float] | None
    spearman: float | None
    count: int
    random_mean: float
    liked_mean: float
    bars: tuple[Bar, ...]
    signature: str

    def as_json(self) -> dict[str, Any]:
        """Return every field but the weight of dislikes, which is in the signature."""
        return {name: value for name, value in asdict(self).items() if name != "dislike_weight"}


def audit(
    threads: Iterable[Thread],
    count: int = COUNT,
    *,
    dislike_weight: float | None = DISLIKE_WEIGHT,
    samples: int = 10_000,
    seed: int = 0,
) -> LikesAudit:
    """Compare likes and scores of the comments that have both.

    `count` comments are drawn, and as many of the most liked taken; with fewer than twice `count`, half.
    Without a `dislike_weight` it is the ratio of likes to dislikes among these comments.
    """
    at_least("count", count, 1)
    rated = [
        (article, comment, score)
        for article, thread in enumerate(threads)
        for comment in thread.comments
        if comment.likes is not None and (score := target_of(comment, "score")) is not None
    ]
    if len(rated) < 2:
        raise ArgumentError("fewer than two comments have both likes and a score")
    if dislike_weight is None:
        dislike_weight = dislike_ratio(comment for _, comment, _ in rated)
    article = np.array([article for article, _, _ in rated], dtype=np.float64)
    likes = np.array([feedback(comment, dislike_weight) for _, comment, _ in rated], np.float64)
    scores = np.array([score for _, _, score in rated], dtype=np.float64)
    count = min(count, len(rated) // 2)
    random = scores[stream("audit", seed).choice(len(scores), count, replace=False)]
    liked = scores[best_first(likes)[:count]]
    varied = varies(likes) and varies(scores)
    rows = _moments(article.astype(np.int64), likes, scores)
    estimate = interval(rows, _pearson, samples=samples, seed=seed) if varied else None
    return LikesAudit(
        n=len(rated),
        dislike_weight=dislike_weight,
        pearson=pearson(likes, scores) if varied else None,
        ci=estimate.ci if estimate else None,
        spearman=spearman(likes, scores) if varied else None,
        count=count,
        random_mean=float(random.mean()),
        liked_mean=float(liked.mean()),
        bars=_bars(scores, random, liked),
        signature=signature(
            "rank-audit",
            {
                "likes": f"minus-{dislike_weight:g}-dislikes",
                "count": count,
                "threads": sha256_of(np.array([article, likes, scores]).tobytes(), 8),
                "samples": samples,
                "seed": seed,
            },
        ),
    )


def _bars(scores: Floats, random: Floats, liked: Floats) -> tuple[Bar, ...]:
    """Return one bar per score where there are few distinct ones, else ten of equal width."""
    values = np.unique(scores)
    if len(values) <= _MOST_VALUES:
        return tuple(
            Bar(value, value, float((random == value).mean()), float((liked == value).mean()))
            for value in values.tolist()
        )
    edges = np.linspace(values[0], values[-1], _BINS + 1)
    shares = [np.histogram(part, edges)[0] / len(part) for part in (random, liked)]
    return tuple(
        Bar(float(low), float(high), random=float(random_share), liked=float(liked_share))
        for low, high, random_share, liked_share in zip(edges[:-1], edges[1:], *shares, strict=True)
    )


def _moments(article: np.ndarray[tuple[int], np.dtype[np.int64]], x: Floats, y: Floats) -> Floats:
    """Return articles × (n, Σx, Σy, Σx², Σy², Σxy), the sums of which a correlation consists.

    Both variables are centred first, to avoid cancellation.
    """
    x, y = x - x.mean(), y - y.mean()
    present = np.unique(article, return_inverse=True)[1]
    columns = (np.ones_like(x), x, y, x * x, y * y, x * y)
    return np.column_stack([np.bincount(present, column) for column in columns])


def _pearson(rows: Floats) -> Floats:
    """Return Pearson's r of each row of summed moments; 0 where a side is constant."""
    n, x, y, xx, yy, xy = rows.T
    spread = np.sqrt(np.maximum(n * xx - x * x, 0) * np.maximum(n * yy - y * y, 0))
    return np.where(spread > 0, (n * xy - x * y) / np.where(spread > 0, spread, 1), 0.0)
