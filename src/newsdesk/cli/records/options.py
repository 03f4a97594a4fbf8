"""What the verbs of `newsdesk records` share: which type and format a file has."""

from __future__ import annotations

import click

from newsdesk.registry import FORMATS, RECORDS

kind = click.option(
    "--type",
    "kind",
    type=click.Choice(list(RECORDS)),
    help="Record type; default: detected from the first line.",
)
format = click.option(
    "--format",
    type=click.Choice(["newsdesk", *FORMATS]),
    help="File format; default: detected.",
)
