"""`newsdesk rank audit`: are likes a measure of quality?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.rank.measures import number
from newsdesk.cli.table import Cell, table
from newsdesk.cli.threads import ThreadFiles, reads_threads
from newsdesk.jsonl import json_text
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.rankers.evaluation.audit import Bar, LikesAudit


@click.command("audit")
@click.argument("threads")
@click.option(
    "--count",
    type=options.COUNT,
    default=5_000,
    show_default=True,
    help="Number of random comments, and of most liked comments, to compare.",
)
@click.option(
    "--dislike-weight",
    default="5",
    show_default=True,
    metavar="NUMBER|ratio",
    help="Likes that one dislike cancels; ratio: likes per dislike in the file.",
)
@options.samples
@options.seed
@options.as_json
@options.printed
@options.force
@reads_threads
def audit_command(
    threads: str,
    count: int,
    dislike_weight: str,
    samples: int,
    seed: int,
    out: str,
    *,
    files: ThreadFiles,
    as_json: bool,
    force: bool,
) -> None:
    """Compare likes with scores: their correlation, and the distributions of scores of random and of most liked comments.

    \b
    Example:
      newsdesk rank audit threads.jsonl
    """
    from newsdesk.rankers.evaluation.audit import audit as compare

    refuse_existing(out, force=force)
    audit = compare(
        files.read(threads),
        count,
        dislike_weight=_weight(dislike_weight),
        samples=samples,
        seed=seed,
    )
    show(out, json_text(audit.as_json()) if as_json else _as_table(audit), force=force)


def _weight(text: str) -> float | None:
    try:
        return None if text == "ratio" else float(text)
    except ValueError:
        hint = "--dislike-weight"
        raise click.BadParameter(
            f"{text!r} is neither a number nor ratio", param_hint=hint
        ) from None


def _as_table(audit: LikesAudit) -> str:
    rows: list[list[Cell]] = [[_span(bar), bar.random, bar.liked] for bar in audit.bars]
    rows.append(["mean", audit.random_mean, audit.liked_mean])
    lines = [table(["score", f"{audit.count} random", f"{audit.count} most liked"], rows), ""]
    correlation = number(audit.pearson, audit.ci) or "– (one side is constant)"
    lines.append(
        f"likes - {audit.dislike_weight:g} x dislikes against score, {plural(audit.n, 'comment')}: r = {correlation}"
    )
    return "\n".join([*lines, audit.signature])


def _span(bar: Bar) -> str:
    return f"{bar.low:g}" if bar.low == bar.high else f"{bar.low:g} to {bar.high:g}"
