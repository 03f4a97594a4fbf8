"""`newsdesk rank apply`: write a run with a fitted model."""

from __future__ import annotations

import click

from newsdesk.cli import options


@click.command("apply")
@click.argument("model")
@click.argument("threads")
@click.option("-o", "--out", default="-", show_default=True, help="A run: .jsonl or .trec.")
@options.force
def apply_command(model: str, threads: str, out: str, *, force: bool) -> None:
    """Rank the comments of threads with a fitted model, one thread at a time.

    \b
    Example:
      newsdesk rank apply model/ threads.jsonl -o run.jsonl
    """
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.cli.rank.steps import library_warnings
    from newsdesk.rankers import Ranker
    from newsdesk.types import Thread
    from newsdesk.wording import plural

    loaded = Ranker.load(model)
    reader = records.read(threads, Thread)
    with library_warnings():
        count = records.write(out, loaded.run(reading(reader)), overwrite=force)
    click.echo(f"{plural(count, 'comment')} of {plural(reader.count, 'article')}", err=True)
