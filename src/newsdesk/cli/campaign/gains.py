"""`newsdesk campaign gains`: export threads whose comments have gains, or TREC qrels."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared
from newsdesk.cli.threads import ThreadFiles, reads_threads


@click.command("gains")
@click.argument("name")
@click.option(
    "--threads",
    type=options.INPUT,
    help="Judged threads, from which articles, likes, times, positions, parents and authors are copied; without them an article has only its id.",
)
@shared.question
@options.out
@options.force
@shared.store
@reads_threads
def gains_command(
    name: str,
    threads: str | None,
    question: str | None,
    out: str,
    url: str,
    *,
    files: ThreadFiles,
    force: bool,
) -> None:
    """Write the judged comments as threads with scores, or as TREC qrels.

    Threads have score, yes and votes; an output file whose name ends in .qrels gets TREC qrels with integer gains.

    \b
    Example:
      newsdesk campaign gains pilot -o gains.jsonl
    """
    from newsdesk import campaigns, records
    from newsdesk.files import write_text
    from newsdesk.wording import plural

    with campaigns.Store.open(url, create=False) as store:
        if out.endswith(".qrels"):
            lines = campaigns.qrels(store, name, question=question)
            write_text(out, "".join(f"{line}\n" for line in lines), overwrite=force)
            return
        judged = files.read(threads) if threads else ()
        scored = campaigns.gains(store, name, judged, question=question)
    count = records.write(out, scored, overwrite=force)
    click.echo(plural(count, "thread"), err=True)
