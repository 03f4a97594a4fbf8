"""`newsdesk list`: the names of a kind, aliases included."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.output import show
from newsdesk.jsonl import json_text
from newsdesk.registry import TABLES


@click.command("list")
@click.argument("kind", type=click.Choice([*TABLES, "models"]))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead of lines.")
@options.printed
@options.force
def list_command(kind: str, out: str, *, as_json: bool, force: bool) -> None:
    """List the available metrics, rankers, summarizers, commenters, protocols, tokenizers, encoders or models.

    \b
    Example:
      newsdesk list tokenizers
    """
    if kind == "models":
        from newsdesk.commenters.commenter import MODELS as COMMENTERS
        from newsdesk.rankers.ready import MODELS as RANKERS, READY, ready_names

        names, notes = (*ready_names(), *COMMENTERS), {**RANKERS, **COMMENTERS}
        text = json_text({kind: names, "notes": notes}) if as_json else "\n".join(names)
        show(out, text, force=force)
        if not as_json:
            click.echo(f"note: {READY} is the one of the comments' language", err=True)
            for name, about in notes.items():
                click.echo(f"note: {name} is {about}", err=True)
        return
    listed = TABLES[kind]
    aliases = {"aliases": dict(listed.aliases)} if listed.aliases else {}
    text = json_text({kind: list(listed), **aliases}) if as_json else "\n".join(listed.names)
    show(out, text, force=force)
    if not as_json:
        for alias, name in listed.aliases.items():
            click.echo(f"note: {alias} is an alias of {name}", err=True)
