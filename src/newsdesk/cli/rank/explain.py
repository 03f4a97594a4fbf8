"""`newsdesk rank explain`: why a fitted `newsdesk` model puts each comment where it stands."""

from __future__ import annotations

from dataclasses import asdict

import click

from newsdesk.cli import options
from newsdesk.jsonl import json_line


@click.command("explain")
@click.argument("model")
@click.argument("threads")
@click.option(
    "--most",
    type=options.COUNT,
    default=6,
    show_default=True,
    help="Reasons per comment, at most.",
)
@click.option("-o", "--out", default="-", show_default=True, help="A JSONL file.")
@options.force
def explain_command(model: str, threads: str, most: int, out: str, *, force: bool) -> None:
    """Say in words why each comment has its score: a line of JSON per comment, with a calibrated probability.

    \b
    Example:
      newsdesk rank explain model/ threads.jsonl -o reasons.jsonl
    """
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.errors import ArgumentError
    from newsdesk.files import atomic
    from newsdesk.rankers import Ranker
    from newsdesk.rankers.argument.model import Newsdesk
    from newsdesk.types import Thread

    loaded = Ranker.load(model)
    if not isinstance(loaded, Newsdesk):
        raise ArgumentError(f"{model}: a {loaded.name!r} model gives no reasons; fit 'newsdesk'")
    read = reading(records.read(threads, Thread))
    with atomic(out, overwrite=force) as stream:
        for thread in read:
            for explained in loaded.explain(thread, most):
                stream.write(json_line(asdict(explained)))
