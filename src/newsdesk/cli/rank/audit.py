"""`newsdesk rank audit`: are likes a measure of quality?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import json_text
from newsdesk.cli.rank.figures import number
from newsdesk.cli.table import Cell, table

if TYPE_CHECKING:
    from newsdesk.rankers.audit import Bar


@click.command("audit")
@click.argument("threads")
@click.option(
    "--count",
    type=options.COUNT,
    default=5_000,
    show_default=True,
    help="Comments drawn, and most liked.",
)
@options.samples
@options.seed
@options.as_json
def audit_command(threads: str, count: int, samples: int, seed: int, *, as_json: bool) -> None:
    """Set likes beside scores: their correlation, and the scores of random and of most liked comments.

    \b
    Example:
      newsdesk rank audit threads.jsonl
    """
    from newsdesk import records
    from newsdesk.rankers.audit import audit as compare
    from newsdesk.types import Thread

    found = compare(records.read(threads, Thread), count, samples=samples, seed=seed)
    if as_json:
        click.echo(json_text(asdict(found)))
        return
    rows: list[list[Cell]] = [[_span(bar), bar.random, bar.liked] for bar in found.bars]
    rows.append(["mean", found.random_mean, found.liked_mean])
    click.echo(table(["score", f"{found.count} random", f"{found.count} most liked"], rows))
    correlation = number(found.pearson, found.ci)
    click.echo(f"\nlikes - 5 x dislikes against score, {found.n} comments: r = {correlation}")


def _span(bar: Bar) -> str:
    return f"{bar.low:g}" if bar.low == bar.high else f"{bar.low:g} to {bar.high:g}"
