"""`newsdesk study next`: which comments or outputs to label next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from newsdesk.studies.next_labels import NextComments, NextItems


@click.command("next")
@click.argument("inputs", type=options.INPUT, nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--for",
    "purpose",
    type=click.Choice(["ranker", "verdict"]),
    required=True,
    help="ranker: comments of threads to label; verdict: outputs to judge until the best system is known.",
)
@click.option(
    "--judgments", type=options.INPUT, help="With --for verdict: grades collected so far (JSONL)."
)
@click.option("--question", metavar="NAME", help="With --for verdict: the question that decides.")
@click.option(
    "--level",
    default=0.05,
    show_default=True,
    help="With --for verdict: significance level of the tests.",
)
@click.option(
    "-n",
    "--count",
    type=options.COUNT,
    default=50,
    show_default=True,
    help="Number of comments or items to list.",
)
@options.seed
@options.as_json
@options.printed
@options.force
@reads_threads
def next_command(
    inputs: tuple[str, ...],
    purpose: str,
    judgments: str | None,
    question: str | None,
    level: float,
    count: int,
    seed: int,
    out: str,
    *,
    files: ThreadFiles,
    as_json: bool,
    force: bool,
) -> None:
    """List what to label next, the most informative first.

    For a ranker: comments without votes whose answer cannot be predicted from their length, estimated from comments that have votes (`yes` of
    `votes`). For a verdict: items on which the leading system and those that do not differ significantly from it should be judged.

    \b
    Example:
      newsdesk study next threads.jsonl --for ranker --count 100
      newsdesk study next outputs.jsonl --for verdict --judgments judgments.jsonl
    """
    from newsdesk import records
    from newsdesk.jsonl import json_text
    from newsdesk.studies.next_labels import next_comments, next_items, next_json
    from newsdesk.types import Judgment, Output

    refuse_existing(out, force=force)
    result: NextComments | NextItems
    if purpose == "ranker":
        if judgments or question:
            raise click.UsageError("--judgments and --question go with --for verdict.")
        result = next_comments(
            (thread for path in inputs for thread in files.read(path)), count=count
        )
    else:
        if not judgments:
            raise click.UsageError("--for verdict needs --judgments: the grades so far.")
        result = next_items(
            (output for path in inputs for output in records.read(path, Output)),
            records.read(judgments, Judgment),
            count=count,
            question=question,
            level=level,
            seed=seed,
        )
    text = json_text(next_json(result)) if as_json or out.endswith(".json") else _table(result)
    show(out, text, force=force)


def _table(result: NextComments | NextItems) -> str:
    from newsdesk.cli.table import Cell, table
    from newsdesk.studies.next_labels import NextItems

    if isinstance(result, NextItems):
        rows: list[list[Cell]] = [[item.item, item.votes] for item in result.items]
        systems = ", ".join(result.systems)
        lines = [result.verdict]
        if rows:
            lines += ["", f"judge {systems} on", "", table(["item", "votes so far"], rows)]
        return "\n".join([*lines, "", result.signature])
    comments: list[list[Cell]] = [
        [comment.article, comment.comment, comment.probability, comment.information]
        for comment in result.comments
    ]
    header = ["article", "comment", "probability", "information"]
    return "\n".join([table(header, comments), "", result.signature])
