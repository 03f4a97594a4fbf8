"""Options shared by several verbs of `newsdesk campaign`, and the clock for timestamps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from newsdesk.cli import options

if TYPE_CHECKING:
    from newsdesk.campaigns.protocols import Protocol

F = TypeVar("F", bound=Callable[..., Any])

store = options.store("Database of campaigns: sqlite:///FILE or postgresql://HOST/NAME.")
question = click.option(
    "--question", metavar="NAME", help="Question to use, if several were asked; default: overall."
)
_theirs = click.option(
    "--theirs", "prefer", flag_value="theirs", help="Resolve conflicts with the sheet's answers."
)
_ours = click.option(
    "--ours", "prefer", flag_value="ours", help="Resolve conflicts with the stored answers."
)

# What tasks are made from: the same options for `new` and `controls`.
_INPUTS = (
    click.argument("outputs", type=options.INPUT, nargs=-1, metavar="[OUTPUT]..."),
    click.option(
        "--protocol",
        "form",
        required=True,
        metavar="NAME|FILE",
        help="grade, constructive, rank, relate, or a TOML file of your own.",
    ),
    click.option(
        "--questions",
        metavar="NAMES",
        help="Ask only these questions of the protocol, comma-separated; default: all.",
    ),
    click.option(
        "--references",
        type=options.INPUT,
        help="References, or clusters with summaries (rank, grade of outputs).",
    ),
    click.option(
        "--clusters", type=options.INPUT, help="Clusters (relate; for rank only their URLs)."
    ),
    click.option(
        "--articles",
        type=options.INPUT,
        help="Articles (grade of outputs; for rank only their URLs).",
    ),
    click.option(
        "--threads",
        type=options.INPUT,
        help="Threads whose comments are judged (grade, constructive).",
    ),
    click.option(
        "--real-from",
        type=options.INPUT,
        help="Threads of which one real comment per article is added to the outputs (grade of outputs).",
    ),
    click.option(
        "--in-order",
        is_flag=True,
        help="Bundle comments in file order, not at random (constructive).",
    ),
    click.option("--one-by-one", is_flag=True, help="Show every output alone (grade of outputs)."),
    click.option(
        "--sample",
        type=options.COUNT,
        help="Size of a random sample of the found articles to judge (relate); default: all.",
    ),
)


def inputs(command: F) -> F:
    """The arguments and options of the files that tasks are made from."""
    for option in reversed(_INPUTS):
        command = option(command)
    return command


def form(name: str, questions: str | None) -> Protocol:
    """The protocol of --protocol with the questions of --questions."""
    from newsdesk import campaigns

    protocol = campaigns.protocol(name)
    if questions is None:
        return protocol
    return protocol.asking([each.strip() for each in questions.split(",")])


def side(command: F) -> F:
    """The options --theirs and --ours, of which the last one counts."""
    return _theirs(_ours(command))


def now() -> str:
    """The current time as a timestamp of judgments."""
    from newsdesk.campaigns import moment

    return moment(datetime.now(UTC))
