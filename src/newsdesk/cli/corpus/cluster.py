"""`newsdesk corpus cluster`: articles become events without a portal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table, runs_engine
from newsdesk.cli.emit import Emit, prints, refuse_existing, refuse_same_output
from newsdesk.cli.options import option
from newsdesk.cli.progress import drawn

if TYPE_CHECKING:
    from newsdesk.corpus.cluster.run import ClusterRun
    from newsdesk.work import Running
    from newsdesk.work.progress import OnProgress


@click.command("cluster")
@click.argument("inputs", nargs=-1, required=True, metavar="ARTICLES...")
@options.out
@option(
    "--days",
    "Days that an event stays open after its latest article.",
    type=options.Integer(min=0),
    default=3,
)
@option(
    "--probability",
    "Smallest probability with which an article joins an event; default: the learned one.",
    type=options.BoundedNumber(0, 1),
)
@option(
    "--min-articles",
    "Leave out events of fewer articles.",
    type=options.COUNT,
    default=1,
)
@option(
    "--explain",
    "Write a line for each article: its event, the nearest article, probability, shared words (JSONL).",
    metavar="FILE",
)
@option(
    "--map",
    "maps",
    "For files that are no articles of ours: fields and their columns, such as text=body; repeatable.",
    multiple=True,
    metavar="FIELD=COLUMN,...",
)
@option(
    "--dates",
    "Order of dates such as 5/11/2026; default: found from the rows.",
    type=click.Choice(["dmy", "mdy"]),
)
@runs_engine
@prints
@options.force
def cluster_command(
    inputs: tuple[str, ...],
    out: str,
    days: int,
    probability: float | None,
    min_articles: int,
    explain: str | None,
    maps: tuple[str, ...],
    dates: str | None,
    *,
    running: Callable[[OnProgress], Running],
    emit: Emit,
    force: bool,
) -> int:
    """Find the events of articles: each article joins an open event or opens one, in one pass over the days.

    ARTICLES is a folder of Parquet by date, or files of any form that `corpus from` reads. An event's id stays when it grows; its title is the headline of
    its most central article. A stopped run resumes. The exit code is 3 if a row of a file was broken.

    \b
    Example:
      newsdesk corpus cluster articles.csv -o found.jsonl
      newsdesk corpus cluster articles/ --min-articles 2 --explain why.jsonl -o events-of-two.jsonl
    """
    refuse_same_output({"--out": out, "--explain": explain})
    for path in (out, explain):
        if path and path != "-":
            refuse_existing(path, force=force)
    from newsdesk.corpus.articles import Extraction
    from newsdesk.corpus.cluster.run import ClusterOutputs, ClusterSettings, cluster_to_files
    from newsdesk.corpus.intake.columns import parse_article_map

    columns = tuple(parse_article_map(maps).items())
    with drawn("clustering") as report:
        run = cluster_to_files(
            inputs,
            ClusterOutputs(out, explain),
            settings=ClusterSettings(days, probability, min_articles),
            extraction=Extraction(any_form=True, columns=columns, dates=dates),
            running=running(report),
            overwrite=force,
        )
    emit(run, _as_table, err=out == "-")
    return 3 if run.rejected else 0


def _as_table(run: ClusterRun) -> str:
    steps = [("articles", run.articles), ("events", run.events)]
    if run.read:
        steps.insert(0, ("rows", run.read))
    return f"{accounts_table(*steps)}\n{run.signature}"
