"""`newsdesk list`: what there is, by kind."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.output import show
from newsdesk.jsonl import json_text
from newsdesk.registry import TABLES


@click.command("list")
@click.argument("kind", type=click.Choice(list(TABLES)))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead of lines.")
@options.printed
@options.force
def list_command(kind: str, out: str, *, as_json: bool, force: bool) -> None:
    """The names of everything there is of a kind, one a line.

    \b
    Example:
      newsdesk list tokenizers
    """
    names = list(TABLES[kind])
    show(out, json_text({kind: names}) if as_json else "\n".join(names), force=force)
