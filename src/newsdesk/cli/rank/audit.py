"""`newsdesk rank audit`: are likes a measure of quality?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import json_text, refuse_existing, show
from newsdesk.cli.rank.figures import number
from newsdesk.cli.table import Cell, table

if TYPE_CHECKING:
    from newsdesk.rankers.audit import Audit, Bar


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
@options.printed
@options.force
def audit_command(
    threads: str, count: int, samples: int, seed: int, out: str, *, as_json: bool, force: bool
) -> None:
    """Set likes beside scores: their correlation, and the scores of random and of most liked comments.

    \b
    Example:
      newsdesk rank audit threads.jsonl
    """
    from newsdesk import records
    from newsdesk.rankers.audit import audit as compare
    from newsdesk.types import Thread

    refuse_existing(out, force=force)
    found = compare(records.read(threads, Thread), count, samples=samples, seed=seed)
    show(out, json_text(asdict(found)) if as_json else _as_table(found), force=force)


def _as_table(found: Audit) -> str:
    rows: list[list[Cell]] = [[_span(bar), bar.random, bar.liked] for bar in found.bars]
    rows.append(["mean", found.random_mean, found.liked_mean])
    lines = [table(["score", f"{found.count} random", f"{found.count} most liked"], rows), ""]
    correlation = number(found.pearson, found.ci) or "– (one side is constant)"
    lines.append(f"likes - 5 x dislikes against score, {found.n} comments: r = {correlation}")
    return "\n".join([*lines, found.signature])


def _span(bar: Bar) -> str:
    return f"{bar.low:g}" if bar.low == bar.high else f"{bar.low:g} to {bar.high:g}"
