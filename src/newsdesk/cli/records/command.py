"""`newsdesk records`: validate files of records and convert formats."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

VERBS = {
    "check": (
        "newsdesk.cli.records.check",
        "Say what each file holds, or what is wrong with it and where.",
    ),
    "convert": (
        "newsdesk.cli.records.convert",
        "Write a foreign file (WCEP, COCO, TREC, CSV, Parquet, comments) in our own format.",
    ),
}


@click.command("records", cls=LazyGroup, table=VERBS)
def records_command() -> None:
    """Check and convert files of records."""
