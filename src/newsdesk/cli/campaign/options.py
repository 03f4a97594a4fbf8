"""Options shared by several verbs of `newsdesk campaign`, and the clock for timestamps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from newsdesk.cli import options

F = TypeVar("F", bound=Callable[..., Any])

store = options.store("Database of campaigns: sqlite:///FILE or postgresql://…")
question = click.option(
    "--question", help="Which question, if several were asked; the default is overall."
)
_theirs = click.option(
    "--theirs", "prefer", flag_value="theirs", help="Decide conflicts for the sheet's answers."
)
_ours = click.option(
    "--ours", "prefer", flag_value="ours", help="Decide conflicts for the stored answers."
)


def side(command: F) -> F:
    """The options --theirs and --ours, of which the last one counts."""
    return _theirs(_ours(command))


def now() -> str:
    """The current time as a timestamp of judgments."""
    from newsdesk.campaigns import moment

    return moment(datetime.now(UTC))
