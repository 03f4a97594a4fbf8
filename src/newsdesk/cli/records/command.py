"""`newsdesk records`: validate files of records and convert formats."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

VERBS = {
    "check": (
        "newsdesk.cli.records.check",
        "Validate files: print what each holds, or its first error with its line.",
    ),
    "convert": (
        "newsdesk.cli.records.convert",
        "Convert WCEP, COCO, TREC, CSV, Parquet and comment exports to our format, or ours to Parquet or TREC.",
    ),
}


@click.command("records", cls=LazyGroup, table=VERBS)
def records_command() -> None:
    """Validate files of records and convert them between formats.

    \b
    Example:
      newsdesk records check clusters.jsonl
    """
