"""Options shared by several commands, and the types of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def option(*words: str, **settings: Any) -> Decorator:
    """Declare an option: its names, then its help, which shows the default unless that is empty."""
    *names, help = words
    shown = settings.get("default") not in (None, "")
    return click.option(*names, show_default=shown, help=help, **settings)


def flag(*words: str) -> Decorator:
    """Declare an option without a value."""
    return option(*words, is_flag=True)


def input_file(*words: str, **settings: Any) -> Decorator:
    """Declare an option that names a file to read, or `-`."""
    return option(*words, type=INPUT, **settings)


def whole_number(*words: str, **settings: Any) -> Decorator:
    """Declare an option that takes a whole number from 1 on."""
    return option(*words, type=COUNT, **settings)


def group(*decorators: Decorator) -> Decorator:
    """Join arguments and options into one decorator, in the order of the help."""

    def decorated(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorated


class Integer(click.IntRange):
    """An integer between bounds, called INTEGER in help texts, which print the bounds beside the default."""

    name = "integer"


class BoundedNumber(click.FloatRange):
    """A number between bounds, called FLOAT in help texts."""

    name = "float"


# Orders by name, each with how much length counts.
_ORDERS = {"short-and-good": 0.0, "longest": 1.0}


class LengthWeight(BoundedNumber):
    """How much length counts, from 0 to 1, or the name of an order."""

    name = "length"

    def __init__(self) -> None:
        super().__init__(0, 1)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number that a name stands for, or the number itself."""
        return float(super().convert(_ORDERS.get(value, value), param, ctx))


class _File(click.types.StringParamType):
    """The name of a file; an empty one, as an unset variable of a shell gives, is a usage error."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the file name unchanged."""
        name: str = super().convert(value, param, ctx)
        if not name:
            self.fail("the name of the file is empty.", param, ctx)
        return name


class _Input(_File):
    """A file to read; only one input of a command may be `-`, standard input, which is read once."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the file name unchanged; a second `-` is a usage error."""
        name = super().convert(value, param, ctx)
        if name == "-" and ctx is not None:
            if "newsdesk.stdin" in ctx.meta:
                self.fail("only one input can be standard input (-); name a file.", param, ctx)
            ctx.meta["newsdesk.stdin"] = True
        return name


class _ReadTwice(_File):
    """A file that a command reads more than once, so that it cannot be standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the file name unchanged; `-` is a usage error."""
        name = super().convert(value, param, ctx)
        if name == "-":
            self.fail(
                "this file is read more than once; it cannot be standard input (-).", param, ctx
            )
        return name


class _Folder(click.types.StringParamType):
    """A folder to write to; several files cannot go to standard output."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name unchanged; `-` is a usage error."""
        name: str = super().convert(value, param, ctx)
        if name == "-":
            self.fail("a folder cannot be standard output (-); name a folder.", param, ctx)
        return name


class WholeNumbers(click.ParamType):  # type: ignore[type-arg]  # click 8.1 has no generic one
    """Whole numbers with commas between them, such as 1,5,10.

    `repeated` is the fault to name where they must differ and be at least 1.
    """

    name = "numbers"

    def __init__(self, example: str, repeated: str | None = None) -> None:
        self._example, self._repeated = example, repeated

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int]:
        """Return the numbers; what is no list of them is a usage error."""
        try:
            numbers = [int(part) for part in value.split(",")]
        except ValueError:
            self.fail(f"{value!r} is not a list like {self._example}", param, ctx)
        if self._repeated and (min(numbers) < 1 or len(set(numbers)) < len(numbers)):
            self.fail(f"{value!r} {self._repeated}", param, ctx)
        return numbers


class _Engine(click.types.StringParamType):
    """The name of an engine: processes, inline, or the address of a cluster."""

    name = "engine"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name unchanged; what cannot be one is a usage error."""
        text: str = super().convert(value, param, ctx)
        host, colon, port = text.removeprefix("dask://").rpartition(":")
        cluster = text.startswith("dask://") and host and colon and port.isdecimal()
        if text not in ("processes", "inline") and not cluster:
            self.fail(f"{text!r} is none of processes, inline, dask://HOST:PORT.", param, ctx)
        if cluster and not 1 <= int(port[:6]) <= 65535:
            self.fail(f"{text!r}: the port is not from 1 to 65535.", param, ctx)
        return text


COUNT = Integer(min=1)
INPUT = _Input()
READ_TWICE = _ReadTwice()
FOLDER = _Folder()
ENGINE = _Engine()
NUMBERS = WholeNumbers("5,10,20")
SIZES = WholeNumbers("100,10", "repeats a size or has one below 1")

engine = option(
    "--engine",
    "inline: this process alone; dask://HOST:PORT: a cluster.",
    type=ENGINE,
    default="inline",
)
force = flag("--force", "Overwrite existing files.")
method = option(
    "-m",
    "--method",
    "Name or spec of a summarizer; `newsdesk list summarizers` has the names.",
    required=True,
    metavar="METHOD",
)
out = option("-o", "--out", "Output file; `-` is standard output.", metavar="FILE", required=True)
length = option(
    "--length",
    "How much length counts, 0 to 1: at 0 (`short-and-good`) beyond 20 words hardly, at 0.5 beyond 80, at 1 (`longest`) every word, and insults take nothing off; default: as the model was fitted.",
    type=LengthWeight(),
    metavar="SHARE",
)
samples = whole_number("--samples", "Number of bootstrap samples.", default=10_000)
seed = option("--seed", "Random seed.", type=Integer(min=0), default=0)


def as_json(help: str = "Print JSON instead of a table.") -> Decorator:
    """Return the option --json."""
    return flag("--json", "as_json", help)


def jobs(help: str = "Number of worker processes.", default: int = 1) -> Decorator:
    """Return the option --jobs, how many things are done at the same time."""
    return whole_number("-j", "--jobs", help, default=default)


def top(help: str, default: int | None = None) -> Decorator:
    """Return the option --top, how many are listed, the best first."""
    return whole_number("-n", "--top", help, default=default)


def printed(help: str = "Output file; `-` is standard output.") -> Decorator:
    """Return the option --out of a command that prints by default."""
    return option("-o", "--out", help, metavar="FILE", default="-")


def folder(help: str = "Folder to write to.", *, required: bool = True) -> Decorator:
    """Return the option --out of a command that writes a folder."""
    return option("-o", "--out", help, type=FOLDER, metavar="DIR", required=required)


def store(help: str) -> Decorator:
    """Return the option --store, the database URL of campaigns."""
    return option(
        "--store",
        "url",
        help,
        default="sqlite:///newsdesk.db",
        envvar="NEWSDESK_STORE",
        metavar="URL",
    )
