"""Clusters cut to a number of articles: WCEP-100 and WCEP-10 of Gholipour Ghalandari et al. (2020, section 3).

Cited articles come first; the rest is sampled, or taken by probability as later papers did. A cluster's sample depends on its id and the seed
alone, and a smaller one is part of a larger one. What is retained keeps its order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from newsdesk.errors import ArgumentError
from newsdesk.streams import stream
from newsdesk.types import Cluster

By = Literal["sample", "probability"]


def truncate(cluster: Cluster, size: int, *, by: By = "sample", seed: int = 0) -> Cluster:
    """A cluster of at most `size` articles."""
    if size < 1:
        raise ArgumentError(f"size is {size}; a cluster has at least one article")
    if by not in get_args(By):
        raise ArgumentError(f"by is {by!r}, not one of: {', '.join(get_args(By))}")
    articles = cluster.articles
    if len(articles) <= size:
        return cluster
    cited = [place for place, each in enumerate(articles) if each.origin == "cited"]
    others = [place for place, each in enumerate(articles) if each.origin != "cited"]
    if by == "sample":
        order = stream(f"truncate {cluster.id}", seed).permutation(len(others)).tolist()
    else:
        order = sorted(
            range(len(others)),
            key=lambda place: -round(articles[others[place]].probability or 0.0, 9),
        )
    ranked = [*cited, *(others[place] for place in order)]
    return replace(cluster, articles=tuple(articles[place] for place in sorted(ranked[:size])))


def variant_name(name: str, size: int, by: By) -> str:
    """What a truncated data set is called.

    >>> variant_name("wcep", 100, "sample"), variant_name("wcep", 10, "probability")
    ('wcep-100', 'wcep-10-by-probability')
    """
    return f"{name}-{size}" if by == "sample" else f"{name}-{size}-by-probability"
