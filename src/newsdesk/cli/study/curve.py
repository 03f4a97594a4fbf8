"""`newsdesk study curve`: scores against the number of articles per cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.options import option
from newsdesk.cli.progress import drawn
from newsdesk.cli.study.options import (
    StudyOptions,
    check_measure,
    numbers,
    study_options,
)

if TYPE_CHECKING:
    from newsdesk.studies.curve import Curve


@click.command("curve")
@click.argument("clusters", type=options.INPUT)
@option(
    "-m",
    "--method",
    "methods",
    "Name or spec of a summarizer, or with --by comments|votes of a ranker; repeatable.",
    multiple=True,
    required=True,
    metavar="METHOD",
)
@option(
    "--added",
    "Numbers of articles to add, or with --by of comments or votes to train on.",
    default="0,5,10,20,50,100",
    metavar="N,N,…",
)
@option(
    "--measure",
    "Measure to show: R1-F, R2-F, RL-F, R1-R, R2-R or RL-R.",
    default="R1-F",
    metavar="NAME",
)
@option(
    "--by",
    "Articles per cluster; or for rankers: comments per article, votes per comment.",
    type=click.Choice(["articles", "comments", "votes"]),
    default="articles",
)
@option("--sample", "Number of clusters to sample; default: all.", type=int)
@option("--max-words", "Length limit of a summary in words.", default=40)
@study_options
def curve_command(
    clusters: str,
    methods: tuple[str, ...],
    added: str,
    measure: str,
    by: str,
    sample: int | None,
    max_words: int,
    *,
    study: StudyOptions,
) -> None:
    """Compute learning curves: scores by articles per cluster, comments per article or votes per comment.

    With --by comments or votes the file holds threads, the methods are rankers, and --added is how many comments of an article, or votes of a comment, they
    are trained on: bLMP and NDCG@5 on held-out articles.

    \b
    Example:
      newsdesk study curve clusters.jsonl --method centroid --method submodular --added 0,5,10 -o curve.json
      newsdesk study curve threads.jsonl --method ranksvm --by comments --added 5,10,20
    """
    from newsdesk import records
    from newsdesk.studies.curve import LEAD, curve, curve_json, curve_section
    from newsdesk.types import Cluster

    counts = numbers(added, "--added")
    if by != "articles":
        _rankers(clusters, methods, by, counts, study)
        return
    check_measure(measure)
    files = study.files()
    with drawn("curve") as progress:
        result = curve(
            records.read(clusters, Cluster),
            methods,
            added=counts,
            sample=sample,
            max_words=max_words,
            samples=study.samples,
            seed=study.seed,
            processes=study.jobs,
            log=files.log if files else None,
            progress=progress,
        )
    shown = _as_table(result, measure)
    study.show(files, curve_json(result), shown, LEAD, lambda: curve_section(result, measure))


def _as_table(result: Curve, measure: str) -> str:
    from newsdesk.results.scores import score_cell
    from newsdesk.results.table import Cell, table
    from newsdesk.wording import plural

    counts = list(dict.fromkeys(point.added for point in result.points))
    rows: list[list[Cell]] = []
    for count in counts:
        here = [point for point in result.points if point.added == count]
        cells = [score_cell(point.scores[measure]) for point in here]
        rows.append([count, f"{here[0].articles:.1f}", here[0].full, *cells])
    lines = [
        table(["added", "articles", "clusters with so many", *result.systems], rows),
        "",
        f"{measure}, {plural(result.clusters, 'cluster')}",
        result.signature,
        result.points[0].scores[measure].signature,
    ]
    return "\n".join(lines)


def _rankers(
    threads: str, methods: tuple[str, ...], by: str, counts: list[int], study: StudyOptions
) -> None:
    """Compute the curve of rankers on threads."""
    from newsdesk import records
    from newsdesk.results.table import Cell, table
    from newsdesk.studies.curve import (
        RANKERS_LEAD,
        ranker_curve,
        ranker_curve_json,
        ranker_curve_section,
    )
    from newsdesk.types import Thread

    files = study.files()
    result = ranker_curve(
        records.read(threads, Thread),
        methods,
        by="votes" if by == "votes" else "comments",
        counts=counts,
        samples=study.samples,
        seed=study.seed,
    )
    rows: list[list[Cell]] = [
        [point.count, point.system, *(measure.value for measure in point.measures.values())]
        for point in result.points
    ]
    header = [by, "ranker", *result.points[0].measures]
    shown = "\n".join([table(header, rows), "", result.signature])
    as_object = ranker_curve_json(result)
    study.show(files, as_object, shown, RANKERS_LEAD, lambda: ranker_curve_section(result))
