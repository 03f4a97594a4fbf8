"""The same figures and losses by plain loops over explicit pairs, and the threads that tests share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.types import Article, Comment, Thread


def pair_loss(
    scores: Sequence[float] | Floats,
    gains: Sequence[float] | Floats,
    articles: Sequence[int] | Ints,
) -> float:
    """Σ max(0, 1 - (z_i - z_j))² over pairs of one article with gain_i > gain_j."""
    places = range(len(scores))
    return sum(
        max(0.0, 1 - (scores[i] - scores[j])) ** 2
        for i, j in permutations(places, 2)
        if articles[i] == articles[j] and gains[i] > gains[j]
    )


def explicit_pairs(gains: Floats, articles: Floats) -> tuple[Ints, Ints]:
    """The places of the better and of the worse comment of every pair."""
    better, worse = np.nonzero(
        (articles[:, None] == articles[None]) & (gains[:, None] > gains[None])
    )
    return better, worse


def differences(matrix: sparse.csr_array, gains: Floats, articles: Floats) -> sparse.csr_array:
    """One row per pair: the better comment's features minus the worse one's, with small indices as liblinear wants them."""
    better, worse = explicit_pairs(gains, articles)
    rows = sparse.csr_array(matrix[better] - matrix[worse])
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return rows


def matched(
    scores: Sequence[float],
    shares: Sequence[float],
    lengths: Sequence[int],
    articles: Sequence[int],
) -> tuple[float | None, float | None]:
    """LMP and bLMP."""
    won: dict[int, list[float]] = {1: [], -1: [], 0: []}
    for i, j in permutations(range(len(scores)), 2):
        if articles[i] != articles[j] or round(shares[i] - shares[j], 9) < 0.2:
            continue
        if 10 * abs(lengths[i] - lengths[j]) > max(lengths[i], lengths[j]):
            continue
        side = (lengths[i] > lengths[j]) - (lengths[i] < lengths[j])
        lead = round(scores[i] - scores[j], 9)
        won[side].append(1.0 if lead > 0 else 0.5 if lead == 0 else 0.0)
    everything = [*won[1], *won[-1], *won[0]]
    lmp = sum(everything) / len(everything) if everything else None
    if not won[1] or not won[-1]:
        return lmp, None
    return lmp, (sum(won[1]) / len(won[1]) + sum(won[-1]) / len(won[-1])) / 2


def sauc(scores: Sequence[float], shares: Sequence[float], lengths: Sequence[int]) -> float | None:
    """AUC of good against poor comments of one stratum of log length, pooled by pairs."""
    won, pairs = 0.0, 0
    strata = [math.floor(math.log(max(length, 1)) / math.log(1.1)) for length in lengths]
    for i, j in combinations(range(len(scores)), 2):
        for good, poor in ((i, j), (j, i)):
            if strata[good] != strata[poor]:
                continue
            if round(shares[good], 9) < 0.6 or round(shares[poor], 9) > 0.4:
                continue
            lead = round(scores[good], 9) - round(scores[poor], 9)
            won += 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
            pairs += 1
    return won / pairs if pairs else None


def thread(
    name: str, texts: Sequence[str], scores: Sequence[float | None], **article: Any
) -> Thread:
    """A thread with likes that go against the scores."""
    comments = tuple(
        Comment(f"{name}-{place}", text, likes=place, dislikes=place % 2, score=score)
        for place, (text, score) in enumerate(zip(texts, scores, strict=True))
    )
    return Thread(Article(name, "", **article), comments)
