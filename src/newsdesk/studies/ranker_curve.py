"""Rankers against the size of their training data: comments per article (Shallow to Deep, Fujita et al. 2019) or votes per comment.

Articles are split into folds; of the training articles each keeps at most so many comments, drawn at random, or each comment at most so many of its
votes, drawn without replacement. The held-out articles keep everything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from newsdesk.errors import ArgumentError
from newsdesk.rankers.evaluation.compare import held_out
from newsdesk.rankers.evaluation.evaluate import MeasuredRanker, evaluate
from newsdesk.rankers.evaluation.folds import cross_folds
from newsdesk.rankers.evaluation.judged import Judged, system_of_run
from newsdesk.registry import RANKERS
from newsdesk.results.page import Section
from newsdesk.results.plots import lines
from newsdesk.signatures import signature
from newsdesk.streams import stream
from newsdesk.types import Comment, Ranked, Thread
from newsdesk.work.progress import OnProgress, counting, silent

By = Literal["comments", "votes"]
LEAD = "What more comments per article or more votes per comment are worth to a ranker."
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

    by: By
    points: tuple[RankerPoint, ...]
    articles: int
    signature: str


def thinned(thread: Thread, by: By, count: int, seed: int) -> Thread:
    """Return the thread with its first `count` comments, or with at most `count` votes of each comment, drawn without replacement."""
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
                train = tuple(thinned(each, by, count, seed) for each in fold.train)
                dev = tuple(thinned(each, by, count, seed) for each in fold.dev)
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


def ranker_curve_json(result: RankerCurve) -> dict[str, Any]:
    """Return the curve as a JSON object."""
    points = [
        {
            "system": point.system,
            result.by: point.count,
            **{name: {"value": each.value, "ci": each.ci} for name, each in point.measures.items()},
        }
        for point in result.points
    ]
    return {
        "points": points,
        "by": result.by,
        "articles": result.articles,
        "signature": result.signature,
    }


def ranker_curve_section(result: RankerCurve, measure: str = "blmp") -> Section:
    """Return the curve as a section of a page: the plot and the table."""
    what = f"{result.by} per {'article' if result.by == 'comments' else 'comment'} in training"
    section = Section(
        "Rankers as training data grows", f"{measure} on held-out articles by {what}."
    )
    rows = [
        (point, float(each.value or 0), *(each.ci or (0.0, 0.0)))
        for point in result.points
        for each in [point.measures[measure]]
    ]
    series = {
        system: [(float(point.count), *rest) for point, *rest in rows if point.system == system]
        for system in dict.fromkeys(point.system for point in result.points)
    }
    section.figure(lines(series, what, measure), "With 95 % intervals over articles.")  # type: ignore[arg-type]
    section.table(
        (result.by, "ranker", measure, "low", "high"),
        [(point.count, point.system, *rest) for point, *rest in rows],
    )
    return section.code(result.signature)


def _fewer_votes(comment: Comment, count: int, rng: np.random.Generator) -> Comment:
    if comment.yes is None or not comment.votes or comment.votes <= count:
        return comment
    yes = int(rng.hypergeometric(comment.yes, comment.votes - comment.yes, count))
    return dataclasses.replace(comment, yes=yes, votes=count, score=None)
