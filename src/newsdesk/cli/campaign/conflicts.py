"""`newsdesk campaign conflicts`: list answers of sheets that contradict newer answers, and decide them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import options as shared
from newsdesk.cli.output import show
from newsdesk.cli.table import table
from newsdesk.jsonl import json_text

_COLUMNS = ("task", "annotator", "shown", "question", "ours", "theirs")


@click.command("conflicts")
@click.argument("name")
@click.option("--annotator", metavar="NAME", help="List only the conflicts of this annotator.")
@shared.side
@shared.store
@options.as_json
@options.printed
@options.force
def conflicts_command(
    name: str,
    annotator: str | None,
    prefer: Any,
    url: str,
    out: str,
    *,
    as_json: bool,
    force: bool,
) -> None:
    """List or resolve conflicts: cells of imported sheets that contradict newer answers.

    A newer answer is one given after the sheet was written. --theirs stores the sheets' answers, --ours keeps the stored ones; without either
    the conflicts are only listed.

    \b
    Example:
      newsdesk campaign conflicts pilot
    """
    from newsdesk import campaigns
    from newsdesk.wording import plural

    with campaigns.Store.open(url, create=False) as store:
        conflicts = store.conflicts(name, annotator)
        if prefer is not None:
            stored = store.resolve(name, prefer, annotator, at=shared.now())
            click.echo(
                f"{plural(len(conflicts), 'conflict')} decided, {plural(stored.corrected, 'judgment')} corrected",
                err=True,
            )
    if as_json:
        text = json_text({"conflicts": [asdict(conflict) for conflict in conflicts]})
    else:
        text = table(
            _COLUMNS, [tuple(getattr(conflict, c) for c in _COLUMNS) for conflict in conflicts]
        )
    show(out, text, force=force)
