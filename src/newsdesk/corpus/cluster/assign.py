"""One pass over the articles of a day: each joins the open cluster that it fits best, or opens one.

How well an article fits a cluster is the mean of two numbers: its probability with the nearest of its articles, and the mean over the (at most five) nearest ones, where articles that
are no candidates count as 0. So one stray resemblance does not tie two events together, as it would with the nearest article alone. Near-duplicates come first: a copy joins the cluster of its original.
A cluster is open as long as an article of it is in the window. Its id is that of its first article, so it stays when the cluster grows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.corpus.cluster.pairs import PairModel, candidate_pairs
from newsdesk.corpus.cluster.terms import DayTerms, TermNumbers
from newsdesk.corpus.minhash import links

MOST_COMPARED = 5
NEAR_DUPLICATE = 0.7
_SHOWN_TERMS = 6


@dataclass(frozen=True, slots=True)
class Joined:
    """What was decided on an article: its cluster and, unless it opened it, with which article, how probably, and by which shared terms."""

    article: str
    cluster: str
    nearest: str | None = None
    probability: float | None = None
    cosine: float | None = None
    copy: bool = False
    shared: tuple[str, ...] = ()


def cluster_id(day: str | None, article: str) -> str:
    """Return the id of a cluster that an article opens: its day and 8 hex digits of the sha256 of its id.

    >>> cluster_id("2031-03-04", "a")
    '2031-03-04/ca978112'
    """
    return f"{day or 'undated'}/{hashlib.sha256(article.encode()).hexdigest()[:8]}"


def assign_day(
    day: str | None,
    days: Sequence[DayTerms],
    assigned: Mapping[str, str],
    numbers: TermNumbers,
    model: PairModel,
) -> list[Joined]:
    """Decide on the articles of the last of some days; `assigned` has the cluster of each article of the days before."""
    today = days[-1]
    first_today = sum(map(len, days[:-1]))
    ids = [name for each in days for name in each.ids]
    clusters = [assigned[name] for name in ids[:first_today]]
    sizes: dict[str, int] = {}
    for name in clusters:
        sizes[name] = sizes.get(name, 0) + 1
    originals: dict[int, int] = {}
    for before, copied in links([each.minima for each in days], NEAR_DUPLICATE):
        originals.setdefault(copied, before)
    pairs = candidate_pairs(days)
    probabilities = model.probabilities(pairs.matrix)
    ends = np.searchsorted(pairs.later, np.arange(len(today) + 1)).tolist()
    earlier, chances = pairs.earlier.tolist(), probabilities.tolist()
    cosines = pairs.matrix[:, 0].tolist()
    decided: list[Joined] = []
    for row, name in enumerate(today.ids):
        place = first_today + row
        some = range(ends[row], ends[row + 1])
        if place in originals:
            nearest, chance, cosine, copy = originals[place], 1.0, None, True
        else:
            copy, cosine = False, None
            nearest, chance = _best(some, earlier, chances, clusters, sizes)
            if nearest >= 0 and chance >= model.threshold:
                pair = next(pair for pair in some if earlier[pair] == nearest)
                cosine = round(cosines[pair], 4)
            else:
                nearest = -1
        if nearest < 0:
            cluster = cluster_id(day, name)
            decided.append(Joined(name, cluster))
        else:
            cluster = clusters[nearest]
            shared = _shared_terms(days, place, nearest, numbers)
            decided.append(Joined(name, cluster, ids[nearest], round(chance, 4), cosine, copy, shared))  # fmt: skip
        clusters.append(cluster)
        sizes[cluster] = sizes.get(cluster, 0) + 1
    return decided


def _best(
    some: range,
    earlier: Sequence[int],
    chances: Sequence[float],
    clusters: Sequence[str],
    sizes: Mapping[str, int],
) -> tuple[int, float]:
    """Return the nearest article of the cluster that fits best, and how well; -1 where there is no candidate."""
    by_cluster: dict[str, list[tuple[float, int]]] = {}
    for pair in some:
        by_cluster.setdefault(clusters[earlier[pair]], []).append((-chances[pair], earlier[pair]))
    best, nearest = 0.0, -1
    for cluster, members in by_cluster.items():
        members.sort()
        most = min(sizes[cluster], MOST_COMPARED)
        mean = -sum(chance for chance, _ in members[:most]) / most
        fit = (mean - members[0][0]) / 2
        if fit > best + 1e-9:
            best, nearest = fit, members[0][1]
    return nearest, best


def _shared_terms(
    days: Sequence[DayTerms], first: int, second: int, numbers: TermNumbers
) -> tuple[str, ...]:
    """Return the words that weigh most in the cosine of two articles."""
    rows = []
    for place in (first, second):
        for each in days:
            if place < len(each):
                start, end = each.weights.indptr[place], each.weights.indptr[place + 1]
                rows.append(
                    dict(
                        zip(
                            each.weights.indices[start:end].tolist(),
                            each.weights.data[start:end].tolist(),
                            strict=True,
                        )
                    )
                )
                break
            place -= len(each)
    ours, theirs = rows
    products = {term: ours[term] * theirs[term] for term in ours.keys() & theirs.keys()}
    best = sorted(products, key=lambda term: (-round(products[term], 9), numbers.word(term)))
    return tuple(numbers.word(term) for term in best[:_SHOWN_TERMS])
