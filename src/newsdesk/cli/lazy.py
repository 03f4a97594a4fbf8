"""Group commands that are imported when they are called, so that help imports none of the parts.

Options are also accepted under other names: those of the design, silently, and for one version those that they had before.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

# Old name → new name → the commands that had the old one.
RENAMED: dict[str, dict[str, tuple[str, ...]]] = {
    "--by": {"--keep": ("corpus truncate",)},
    "--comments": {"--per-article": ("study plan",)},
    "--concurrency": {"--jobs": ("corpus archive",)},
    "--count": {"--top": ("rank audit", "study next")},
    "--date": {"--day": ("corpus events",)},
    "--events": {"--cited-by": ("corpus dedup", "corpus stats")},
    "--fillers": {"--game": ("rank compare",)},
    "--format": {
        "--output-format": ("score",),
        "--input-format": (
            *("campaign gains", "campaign new", "campaign report", "comment compare"),
            *("comment fit", "comment suggest", "corpus comments", "corpus stats", "rank apply"),
            *("rank audit", "rank compare", "rank eval", "rank explain", "rank fit", "rank game"),
            *("rank vectors", "records check", "records convert", "study next", "study plan"),
        ),
    },
    "-k": {"--top": ("study plan",)},
    "--k": {"--top": ("study plan",)},
    "--model": {"--fitted": ("summarize",)},
    "--models": {"--model-dir": ("corpus forget",)},
    "--most": {"--top": ("rank explain",)},
    "--number": {"--top": ("comment suggest",)},
    "--processes": {"--jobs": ("serve",)},
    "--question": {"--questions": ("study compare", "study correlate")},
    "--test": {"--significance": ("score",)},
    "--workers": {"--jobs": ("corpus articles", "corpus build", "corpus rebuild")},
}
# Names that scripts may use for good, although help shows another: elsewhere the same word means something else.
ALIASES: dict[str, dict[str, str]] = {
    "campaign weights": {"--map": "--weights"},
    "score": {"--per-item": "--item-scores"},
    "study claims": {"--data": "--data-file"},
    "summarize": {"--since": "--after"},
}


def renamed(command: str, words: Sequence[str]) -> list[str]:
    """Return the words of a command line with the names of options that help shows, and say which are old."""
    old_names = {
        old: new
        for old, uses in RENAMED.items()
        for new, commands in uses.items()
        if command in commands
    }
    values = list(itertools.dropwhile(lambda word: word != "--", words))
    options = words[: len(words) - len(values)]
    return [*_translated(options, old_names, ALIASES.get(command, {})), *values]


def _translated(
    words: Sequence[str], old_names: Mapping[str, str], aliases: Mapping[str, str]
) -> Iterator[str]:
    names = {**old_names, **aliases}
    for word in words:
        old, equals, value = word.partition("=")
        if old not in names and word[:1] == "-" != word[1:2]:  # a value may follow one letter
            old, equals, value = word[:2], "=", word[2:]
        if old not in names:
            yield word
            continue
        if old in old_names:
            note = f"note: {old} is now {names[old]}; the old name goes in the next version"
            click.echo(note, err=True)
        yield f"{names[old]}{equals}{value}"


class LazyGroup(click.Group):
    """A group of commands: name → (module in `package`, one-line help); `{name}_command` is the attribute."""

    def __init__(
        self, *arguments: Any, package: str, table: Mapping[str, tuple[str, str]], **rest: Any
    ) -> None:
        super().__init__(*arguments, **rest)
        self.package, self.table = package, table

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
        module = importlib.import_module(f"{self.package}.{self.table[cmd_name][0]}")
        return getattr(module, f"{cmd_name.replace('-', '_')}_command")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and put the new names of options in place of old ones."""
        name, command, words = super().resolve_command(ctx, args)
        if isinstance(command, LazyGroup) and words[:1] and words[0] in command.table:
            return name, command, words  # its verb translates its own options
        path = [*ctx.command_path.split()[1:], str(name)]
        return name, command, renamed(" ".join(path), words)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.table.items()])


class PlainVerb(LazyGroup):
    """A command with arguments of its own that has verbs too: `summarize FILE` beside `summarize verify FILE`.

    A first word that is the name of a verb is the verb; a file of that name is written as `./verify`.
    """

    allow_interspersed_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command's own words, or leave them to the verb that they begin with."""
        if args[:1] and args[0] in self.table:
            ctx._protected_args, ctx.args = args[:1], args[1:]
            return ctx.args
        return click.Command.parse_args(self, ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb, or the command itself."""
        if not ctx._protected_args:
            return click.Command.invoke(self, ctx)
        name, command, words = self.resolve_command(ctx, [*ctx._protected_args, *ctx.args])
        assert command is not None
        path = f"{ctx.info_name} {name}"
        with command.make_context(path, words, parent=ctx.parent) as inner:
            return command.invoke(inner)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the pieces of the command's own usage line."""
        return click.Command.collect_usage_pieces(self, ctx)
