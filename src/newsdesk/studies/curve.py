"""Learning curves: summarizers by the articles of a cluster, rankers by the comments or votes they are trained on.

**Articles** (Gholipour Ghalandari et al. 2020, Figure 2). A cluster starts with the articles its editors cited; the others are added in input order. Where
no article is marked as cited, the first one stands in for them. A cluster with too few articles takes all it has, as in the paper; each point says
how many clusters had enough.

**Comments or votes** (Shallow to Deep, Fujita et al. 2019). Articles are split into folds; of the training articles each keeps its first so many comments,
or each comment at most so many of its votes, drawn without replacement. The held-out articles keep everything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from newsdesk.errors import ArgumentError
from newsdesk.rankers.evaluation.compare import cross_folds, held_out
from newsdesk.rankers.evaluation.evaluate import MeasuredRanker, evaluate
from newsdesk.rankers.evaluation.judged import Judged, system_of_run
from newsdesk.registry import RANKERS
from newsdesk.results.page import Section
from newsdesk.results.plots import lines
from newsdesk.results.scores import score_cell
from newsdesk.results.table import Cell, table
from newsdesk.signatures import signature
from newsdesk.streams import stream
from newsdesk.studies.sweep import Job, drawn, run, score_json, scored, signed
from newsdesk.summarizers import Summarizer, seeded_summarizer
from newsdesk.summarizers.evaluate import shown_name
from newsdesk.types import Cluster, Comment, Ranked, Score, Thread
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, counting, silent

By = Literal["comments", "votes"]
MEASURES = ("blmp", "ndcg@5")


@dataclass(frozen=True, slots=True)
class RankerPoint:
    """A ranker's measures with at most `count` comments per article or votes per comment in training."""

    system: str
    count: int
    measures: dict[str, MeasuredRanker]


@dataclass(frozen=True, slots=True)
class RankerCurve:
    """All points, by count and then by ranker."""

    LEAD: ClassVar[str] = (
        "What more comments per article or more votes per comment are worth to a ranker."
    )

    by: By
    points: tuple[RankerPoint, ...]
    articles: int
    signature: str

    def text(self) -> str:
        """Return the curve as a table for the terminal."""
        rows: list[list[Cell]] = [
            [point.count, point.system, *(measure.value for measure in point.measures.values())]
            for point in self.points
        ]
        header = [self.by, "ranker", *self.points[0].measures]
        return "\n".join([table(header, rows), "", self.signature])

    def as_json(self) -> dict[str, Any]:
        """Return the curve as a JSON object."""
        points = [
            {
                "system": point.system,
                self.by: point.count,
                **{
                    name: {"value": row.value, "ci": row.ci} for name, row in point.measures.items()
                },
            }
            for point in self.points
        ]
        return {
            "points": points,
            "by": self.by,
            "articles": self.articles,
            "signature": self.signature,
        }

    def section(self) -> Section:
        """Return the curve as a section of a page: the plot and the table."""
        what = f"{self.by} per {'article' if self.by == 'comments' else 'comment'} in training"
        measure = MEASURES[0]
        section = Section(
            "Rankers as training data grows", f"{measure} on held-out articles by {what}."
        )
        rows = [
            (point, float(row.value or 0), *(row.ci or (0.0, 0.0)))
            for point in self.points
            for row in [point.measures[measure]]
        ]
        series = {
            system: [
                (float(point.count), value, low, high)
                for point, value, low, high in rows
                if point.system == system
            ]
            for system in dict.fromkeys(point.system for point in self.points)
        }
        section.figure(lines(series, what, measure), "With 95 % intervals over articles.")
        section.table(
            (self.by, "ranker", measure, "low", "high"),
            [(point.count, point.system, value, low, high) for point, value, low, high in rows],
        )
        return section.code(self.signature)


def thinned(thread: Thread, by: By, count: int, seed: int) -> Thread:
    """Return the thread with its first `count` comments, or with at most `count` votes of each.

    Votes are drawn without replacement.
    """
    if by == "comments":
        return dataclasses.replace(thread, comments=thread.comments[:count])
    rng = stream(f"curve-votes {thread.article.id}", seed, count)
    return dataclasses.replace(
        thread, comments=tuple(_fewer_votes(comment, count, rng) for comment in thread.comments)
    )


def ranker_curve(
    threads: Iterable[Thread],
    models: Sequence[str],
    *,
    by: By,
    counts: Sequence[int],
    folds: int = 5,
    samples: int = 10_000,
    seed: int = 0,
    progress: OnProgress = silent,
) -> RankerCurve:
    """Fit every ranker on thinned training articles of every size and measure it on the held-out ones."""
    if not counts or min(counts) < 1 or len(set(counts)) < len(counts):
        raise ArgumentError("the counts are none, below one, or one comes twice")
    specs = [RANKERS.resolve(model) for model in models]
    if not specs or len(set(specs)) < len(specs):
        raise ArgumentError("no ranker is given, or one comes twice")
    listed = list(threads)
    judged = Judged.of(listed)
    if by == "votes" and judged.votes is None:
        raise ArgumentError("the comments have no votes (`yes` of `votes`) to leave out")
    split = cross_folds(listed, folds, seed=seed)
    finished = counting(progress, len(counts) * len(specs) * len(split))
    systems = []
    for count in counts:
        for spec in specs:
            run: list[Ranked] = []
            for fold in split:
                train = tuple(thinned(thread, by, count, seed) for thread in fold.train)
                dev = tuple(thinned(thread, by, count, seed) for thread in fold.dev)
                smaller = dataclasses.replace(fold, train=train, dev=dev)
                run += held_out(spec, smaller, judged, seed=seed).run
                finished(fold.name)
            systems.append(system_of_run(f"{count} {spec}", run, judged))
    result = evaluate(judged, systems, (5,), samples=samples, redrawn=1, seed=seed)
    points = [
        RankerPoint(
            str(spec), count, {name: result.systems[f"{count} {spec}"][name] for name in MEASURES}
        )
        for count in counts
        for spec in specs
    ]
    fields = {"by": by, "counts": ",".join(map(str, counts)), "folds": folds, "seed": seed}
    name = signature("study-curve", fields, result.signature)
    return RankerCurve(by, tuple(points), len(judged.articles), name)


def _fewer_votes(comment: Comment, count: int, rng: np.random.Generator) -> Comment:
    """Return the comment with `count` of its votes, drawn without replacement; its score goes."""
    if comment.yes is None or not comment.votes or comment.votes <= count:
        return comment
    yes = int(rng.hypergeometric(comment.yes, comment.votes - comment.yes, count))
    return dataclasses.replace(comment, yes=yes, votes=count, score=None)


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
    """All points, by number of articles added and then by method, and the measure to show."""

    LEAD: ClassVar[str] = "What articles found later are worth beside those that editors cited."

    points: tuple[Point, ...]
    clusters: int
    signature: str
    measure: str = "R1-F"

    @property
    def systems(self) -> list[str]:
        """The methods, in input order."""
        return list(dict.fromkeys(point.system for point in self.points))

    def text(self) -> str:
        """Return the curve as a table for the terminal, a column per method."""
        counts = list(dict.fromkeys(point.added for point in self.points))
        rows: list[list[Cell]] = []
        for count in counts:
            here = [point for point in self.points if point.added == count]
            cells = [score_cell(point.scores[self.measure]) for point in here]
            rows.append([count, f"{here[0].articles:.1f}", here[0].full, *cells])
        below = [
            f"{self.measure}, {plural(self.clusters, 'cluster')}",
            self.signature,
            self.points[0].scores[self.measure].signature,
        ]
        header = ["added", "articles", "clusters with so many", *map(shown_name, self.systems)]
        return "\n".join([table(header, rows), "", *below])

    def as_json(self) -> dict[str, Any]:
        """Return the curve as a JSON object."""
        points = [
            {
                "system": point.system,
                "added": point.added,
                "articles": point.articles,
                "full": point.full,
                "scores": {measure: score_json(score) for measure, score in point.scores.items()},
            }
            for point in self.points
        ]
        return {"points": points, "clusters": self.clusters, "signature": self.signature}

    def section(self) -> Section:
        """Return the curve as a section of a page: the plot and the table."""
        measure = self.measure
        section = Section(
            "Scores as clusters grow",
            f"{measure} with more and more articles beside the cited ones, on {plural(self.clusters, 'cluster')}.",
        )
        rows = [
            (point, score.value, *(score.ci or (0.0, 0.0)))
            for point in self.points
            for score in [point.scores[measure]]
        ]
        series = {
            shown_name(system): [
                (float(point.added), value, low, high)
                for point, value, low, high in rows
                if point.system == system
            ]
            for system in self.systems
        }
        section.figure(
            lines(series, "articles added", measure),
            f"Mean {measure} with 95 % intervals over clusters.",
        )
        section.table(
            ("added", "method", measure, "low", "high", "articles", "clusters with so many"),
            [
                (
                    point.added,
                    shown_name(point.system),
                    value,
                    low,
                    high,
                    point.articles,
                    point.full,
                )
                for point, value, low, high in rows
            ],
            "Articles: how many a cluster then has, on the mean",
        )
        return section.code("\n".join([self.signature, self.points[0].scores[measure].signature]))


def grown(cluster: Cluster, added: int) -> Cluster:
    """Return the cluster with its cited articles and the first `added` others, in input order.

    >>> from newsdesk import samples
    >>> [len(grown(samples.clusters()[0], added).articles) for added in (0, 2, 100)]
    [2, 4, 7]
    """
    to_add = added
    articles = []
    for cited, article in zip(_cited(cluster), cluster.articles, strict=True):
        if cited or to_add > 0:
            articles.append(article)
            to_add -= not cited
    return dataclasses.replace(cluster, articles=tuple(articles))


def curve(
    clusters: Iterable[Cluster],
    methods: Sequence[str],
    *,
    added: Sequence[int] = ADDED,
    measure: str = "R1-F",
    sample: int | None = None,
    max_words: int = 40,
    samples: int = 10_000,
    seed: int = 0,
    processes: int = 1,
    log: Path | None = None,
    progress: OnProgress = silent,
) -> Curve:
    """Score every method on clusters of every size; `added` are the numbers of articles to add."""
    if not added or min(added) < 0 or len(set(added)) < len(added):
        raise ArgumentError(
            "the numbers of added articles are none, below zero, or one comes twice"
        )
    summarizers = tuple(seeded_summarizer(method, seed, max_words=max_words) for method in methods)
    specs = [str(summarizer.spec) for summarizer in summarizers]
    if not specs or len(set(specs)) < len(specs):
        raise ArgumentError("no method is given, or one comes twice")
    chosen = drawn(clusters, sample, seed)
    signature = signed(
        "curve", chosen, seed, methods="+".join(specs), added=",".join(map(str, added))
    )
    jobs = _jobs(chosen, summarizers, added)
    done = run(jobs, study=signature, log=log, processes=processes, progress=progress)
    points: list[Point] = []
    for count in added:
        evaluation = scored(
            chosen,
            summarizers,
            lambda cluster, count=count: done[_key(cluster, count)].texts,  # type: ignore[misc]
            max_words=max_words,
            samples=samples,
            seed=seed,
        )
        sizes = [len(grown(cluster, count).articles) for cluster in chosen]
        full = sum(len(cluster.articles) - sum(_cited(cluster)) >= count for cluster in chosen)
        points += [
            Point(
                row.system,
                added=count,
                articles=sum(sizes) / len(sizes),
                full=full,
                scores=row.scores,
            )
            for row in evaluation.rows
        ]
    return Curve(tuple(points), len(chosen), signature, measure)


def _cited(cluster: Cluster) -> list[bool]:
    """Return for each article whether the cluster has it from the start."""
    cited = [article.origin == "cited" for article in cluster.articles]
    return cited if any(cited) else [index == 0 for index in range(len(cited))]


def _jobs(
    clusters: Sequence[Cluster], methods: tuple[Summarizer, ...], added: Sequence[int]
) -> Iterator[Job]:
    for cluster in clusters:
        for count in added:
            yield Job(_key(cluster, count), grown(cluster, count), methods)


def _key(cluster: Cluster, added: int) -> str:
    return f"{added} {cluster.id}"
