"""What the verbs of `newsdesk records` share: which type and format a file has."""

from __future__ import annotations

import click

from newsdesk.registry import FORMATS, RECORDS

kind = click.option(
    "--type",
    "kind",
    type=click.Choice(list(RECORDS)),
    help="Record type; detected from the first line if not set.",
)
format = click.option(
    "--format",
    type=click.Choice(["newsdesk", *FORMATS]),
    help="File format; detected if not set.",
)
