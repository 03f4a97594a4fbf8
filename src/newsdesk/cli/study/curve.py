"""`newsdesk study curve`: scores against the number of articles per cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

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
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from newsdesk.studies.sweep import SweepResult


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
@reads_threads
@study_options
def curve_command(
    clusters: str,
    methods: tuple[str, ...],
    added: str,
    measure: str,
    by: Literal["articles", "comments", "votes"],
    sample: int | None,
    max_words: int,
    *,
    study: StudyOptions,
    files: ThreadFiles,
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
    from newsdesk.studies.curve import curve, ranker_curve
    from newsdesk.types import Cluster

    counts = numbers(added, "--added")
    check_measure(measure)
    out = study.files()
    drawing = {"samples": study.samples, "seed": study.seed}
    with drawn("curve") as progress:
        if by == "articles":
            result: SweepResult = curve(
                records.read(clusters, Cluster),
                methods,
                added=counts,
                measure=measure,
                sample=sample,
                max_words=max_words,
                processes=study.jobs,
                log=out.log if out else None,
                progress=progress,
                **drawing,
            )
        else:
            threads = files.read(clusters)
            result = ranker_curve(
                threads, methods, by=by, counts=counts, progress=progress, **drawing
            )
    study.show(out, result)
