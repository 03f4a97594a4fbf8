"""Options shared by several commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


class Integer(click.IntRange):
    """An integer between bounds, called INTEGER in help texts, which print the bounds beside the default."""

    name = "integer"


class Number(click.FloatRange):
    """A number between bounds, called FLOAT in help texts."""

    name = "float"


COUNT = Integer(min=1)


def _named(
    name: str,
    kind: click.types.StringParamType,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> str:
    """The file name unchanged; an empty one, as an unset variable of a shell gives, is a usage error."""
    if not name:
        kind.fail("the name of the file is empty.", param, ctx)
    return name


class _Input(click.types.StringParamType):
    """A file to read. `-` is standard input, which can be read once: only one input of a command may be it."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The file name unchanged; a second `-` is a usage error."""
        name = _named(super().convert(value, param, ctx), self, param, ctx)
        if name == "-" and ctx is not None:
            if "newsdesk.stdin" in ctx.meta:
                self.fail("only one input can be standard input (-); name a file.", param, ctx)
            ctx.meta["newsdesk.stdin"] = True
        return name


class _ReadTwice(click.types.StringParamType):
    """A file that a command reads more than once, so that it cannot be standard input."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The file name unchanged; `-` is a usage error."""
        name = _named(super().convert(value, param, ctx), self, param, ctx)
        if name == "-":
            self.fail(
                "this file is read more than once; it cannot be standard input (-).", param, ctx
            )
        return name


class _Engine(click.types.StringParamType):
    """The name of an engine: processes, inline, or the address of a cluster."""

    name = "engine"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name unchanged; what cannot be one is a usage error."""
        text: str = super().convert(value, param, ctx)
        host, colon, port = text.removeprefix("dask://").rpartition(":")
        cluster = text.startswith("dask://") and host and colon and port.isdecimal()
        if text not in ("processes", "inline") and not cluster:
            self.fail(f"{text!r} is none of processes, inline, dask://HOST:PORT.", param, ctx)
        return text


INPUT = _Input()
READ_TWICE = _ReadTwice()
ENGINE = _Engine()
engine = click.option(
    "--engine",
    type=ENGINE,
    default="inline",
    show_default=True,
    help="inline: this process alone; dask://HOST:PORT: a cluster.",
)

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
force = click.option("--force", is_flag=True, help="Overwrite existing files.")
printed = click.option(
    "-o",
    "--out",
    metavar="FILE",
    default="-",
    show_default=True,
    help="Output file; `-` is standard output.",
)
out = click.option(
    "-o", "--out", metavar="FILE", required=True, help="Output file; `-` is standard output."
)
samples = click.option(
    "--samples", type=COUNT, default=10_000, show_default=True, help="Number of bootstrap samples."
)
seed = click.option(
    "--seed", type=Integer(min=0), default=0, show_default=True, help="Random seed."
)


def store(help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option --store, the database URL of campaigns."""
    return click.option(
        "--store",
        "url",
        default="sqlite:///newsdesk.db",
        show_default=True,
        envvar="NEWSDESK_STORE",
        metavar="URL",
        help=help,
    )
