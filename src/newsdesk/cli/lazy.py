"""Group commands that are imported when they are called, so that its help imports none of the parts."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from newsdesk.cli.renamed import renamed


class LazyGroup(click.Group):
    """A group of commands from a table: name → (module, one-line help).

    The attribute in the module is called `{name}_command`, with underscores.
    """

    def __init__(self, *arguments: Any, table: Mapping[str, tuple[str, str]], **rest: Any) -> None:
        super().__init__(*arguments, **rest)
        self.table = table

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember the arguments of the whole command line, which a page can show."""
        if ctx.parent is None:
            ctx.meta["newsdesk.arguments"] = tuple(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command and return the command."""
        if cmd_name not in self.table:
            return None
        module = importlib.import_module(self.table[cmd_name][0])
        return getattr(module, f"{cmd_name.replace('-', '_')}_command")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and put the new names of options in place of old ones."""
        name, command, words = super().resolve_command(ctx, args)
        path = [*ctx.command_path.split()[1:], str(name)]
        return name, command, renamed(" ".join(path), words)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.table.items()])
