"""`newsdesk campaign judgments`: export the judgments."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared


@click.command("judgments")
@click.argument("name")
@click.option(
    "--history", is_flag=True, help="Write every stored row, not only the latest of each key."
)
@options.out
@options.force
@shared.store
def judgments_command(name: str, out: str, url: str, *, history: bool, force: bool) -> None:
    """Write the judgments, with annotators as keyed hashes.

    \b
    Example:
      newsdesk campaign judgments pilot -o judgments.jsonl
    """
    from newsdesk import campaigns, records
    from newsdesk.wording import plural

    with campaigns.Store.open(url, create=False) as store:
        judgments = store.judgments(name, current=not history, include_excluded=history)
        count = records.write(out, judgments, overwrite=force)
    click.echo(plural(count, "judgment"), err=True)
