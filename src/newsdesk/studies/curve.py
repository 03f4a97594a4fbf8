"""Scores against the number of articles added to each cluster (Gholipour Ghalandari et al. 2020, Figure 2).

A cluster starts with the articles its editors cited; the others are added in input order. Where no article is marked as
cited, the first one stands in for them. A cluster with too few articles takes all it has, as in the paper; each point
says how many clusters had enough.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsdesk.errors import ArgumentError
from newsdesk.results.page import Section
from newsdesk.results.plots import lines
from newsdesk.studies.files import score_json
from newsdesk.studies.sweep import Job, drawn, run, scored, signed
from newsdesk.summarizers import Summarizer, seeded_summarizer
from newsdesk.types import Cluster, Score
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, silent

LEAD = "What articles found later are worth beside those that editors cited."
ADDED = (0, 5, 10, 20, 50, 100)


@dataclass(frozen=True, slots=True)
class Point:
    """A method's scores with `added` articles; `full` clusters had that many to add."""

    system: str
    added: int
    articles: float
    full: int
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Curve:
    """All points, by number of articles added and then by method."""

    points: tuple[Point, ...]
    clusters: int
    signature: str

    @property
    def systems(self) -> list[str]:
        """The methods, in input order."""
        return list(dict.fromkeys(point.system for point in self.points))


def grown(cluster: Cluster, added: int) -> Cluster:
    """Return the cluster with its cited articles and the first `added` others, in input order.

    >>> from newsdesk import samples
    >>> [len(grown(samples.clusters()[0], added).articles) for added in (0, 2, 100)]
    [2, 4, 7]
    """
    left = added
    articles = []
    for cited, article in zip(_cited(cluster), cluster.articles, strict=True):
        if cited or left > 0:
            articles.append(article)
            left -= not cited
    return dataclasses.replace(cluster, articles=tuple(articles))


def curve(
    clusters: Iterable[Cluster],
    methods: Sequence[str],
    *,
    added: Sequence[int] = ADDED,
    sample: int | None = None,
    max_words: int = 40,
    samples: int = 10_000,
    seed: int = 0,
    processes: int = 1,
    log: Path | None = None,
    progress: OnProgress = silent,
) -> Curve:
    """Score every method on clusters of every size."""
    if not added or min(added) < 0 or len(set(added)) < len(added):
        raise ArgumentError(
            "the numbers of added articles are none, below zero, or one comes twice"
        )
    summarizers = tuple(seeded_summarizer(method, seed, max_words=max_words) for method in methods)
    if not summarizers or len({str(summarizer.spec) for summarizer in summarizers}) < len(
        summarizers
    ):
        raise ArgumentError("no method is given, or one comes twice")
    chosen = drawn(clusters, sample, seed)
    specs = "+".join(str(summarizer.spec) for summarizer in summarizers)
    signature = signed("curve", chosen, seed, methods=specs, added=",".join(map(str, added)))
    jobs = _jobs(chosen, summarizers, added)
    done = run(jobs, study=signature, log=log, processes=processes, progress=progress)
    points: list[Point] = []
    for count in added:
        table = scored(
            chosen,
            summarizers,
            lambda cluster, count=count: done[_key(cluster, count)].texts,  # type: ignore[misc]
            max_words=max_words,
            samples=samples,
            seed=seed,
        )
        sizes = [len(grown(cluster, count).articles) for cluster in chosen]
        full = sum(len(each.articles) - sum(_cited(each)) >= count for each in chosen)
        points += [
            Point(row.system, count, sum(sizes) / len(sizes), full, row.scores)
            for row in table.rows
        ]
    return Curve(tuple(points), len(chosen), signature)


def curve_json(result: Curve) -> dict[str, Any]:
    """Return the curve as a JSON object."""
    points = [
        {
            "system": point.system,
            "added": point.added,
            "articles": point.articles,
            "full": point.full,
            "scores": {measure: score_json(score) for measure, score in point.scores.items()},
        }
        for point in result.points
    ]
    return {"points": points, "clusters": result.clusters, "signature": result.signature}


def curve_section(result: Curve, measure: str = "R1-F") -> Section:
    """Return the curve as a section of a page: the plot and the table."""
    section = Section(
        "Scores as clusters grow",
        f"{measure} with more and more articles beside the cited ones, on {plural(result.clusters, 'cluster')}.",
    )
    rows = [
        (point, point.scores[measure].value, *(point.scores[measure].ci or (0.0, 0.0)))
        for point in result.points
    ]
    series = {
        system: [
            (float(point.added), value, low, high)
            for point, value, low, high in rows
            if point.system == system
        ]
        for system in result.systems
    }
    section.figure(
        lines(series, "articles added", measure),
        f"Mean {measure} with 95 % intervals over clusters.",
    )
    section.table(
        ("added", "method", measure, "low", "high", "articles", "clusters with so many"),
        [
            (point.added, point.system, value, low, high, point.articles, point.full)
            for point, value, low, high in rows
        ],
        "Articles: how many a cluster then has, on the mean",
    )
    return section.code("\n".join([result.signature, result.points[0].scores[measure].signature]))


def _cited(cluster: Cluster) -> list[bool]:
    """For each article, whether the cluster has it from the start."""
    cited = [article.origin == "cited" for article in cluster.articles]
    return cited if any(cited) else [place == 0 for place in range(len(cited))]


def _jobs(
    clusters: Sequence[Cluster], methods: tuple[Summarizer, ...], added: Sequence[int]
) -> Iterator[Job]:
    for cluster in clusters:
        for count in added:
            yield Job(_key(cluster, count), grown(cluster, count), methods)


def _key(cluster: Cluster, added: int) -> str:
    return f"{added} {cluster.id}"
