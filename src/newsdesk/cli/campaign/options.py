"""Options shared by several verbs of `newsdesk campaign`, and the clock for timestamps."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from newsdesk.cli import options

store = options.store("Database of campaigns: sqlite:///FILE or postgresql://…")
question = click.option(
    "--question", help="Which question, if several were asked; the default is overall."
)


def now() -> str:
    """The current time as a timestamp of judgments."""
    from newsdesk.campaigns import moment

    return moment(datetime.now(UTC))
