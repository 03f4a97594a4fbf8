"""`newsdesk rank explain`: the reasons for the scores of a ready or a fitted `argument` model."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.threads import ThreadFiles, reads_threads


@click.command("explain")
@click.argument("model")
@click.argument("threads")
@click.option(
    "--most",
    type=options.COUNT,
    default=6,
    show_default=True,
    help="Largest number of reasons per comment.",
)
@click.option(
    "-o",
    "--out",
    default="-",
    show_default=True,
    metavar="FILE",
    help="Output file (JSONL); `-` is standard output.",
)
@options.force
@reads_threads
def explain_command(
    model: str, threads: str, most: int, out: str, *, files: ThreadFiles, force: bool
) -> None:
    """Explain in words why each comment has its score: a line of JSON per comment, with a calibrated probability.

    \b
    Example:
      newsdesk rank explain model/ threads.jsonl -o reasons.jsonl
      newsdesk rank explain ready comments.csv --most 3
    """
    from newsdesk.cli.progress import library_warnings, reading
    from newsdesk.rankers.ranked import explanations
    from newsdesk.rankers.ranker import write_reasons
    from newsdesk.rankers.ready import Models

    models = Models(model)
    explained = explanations(models, reading(files.read(threads)), most)
    with library_warnings():
        write_reasons(out, explained, overwrite=force)
