"""`newsdesk desk`: a newsroom that runs every day."""

from __future__ import annotations

import click

from newsdesk.cli.lazy import LazyGroup

VERBS = {"run": ("run", "Bring a desk up to date: new files, events, summaries, ledger.")}


@click.command("desk", cls=LazyGroup, package=__name__, table=VERBS)
def desk_command() -> None:
    """Run a newsroom every day: new articles become events and summaries, with a ledger of what each run brought.

    \b
    Example:
      newsdesk desk run desk.toml
    """
