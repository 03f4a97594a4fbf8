"""Options that several verbs of `newsdesk campaign` have, and the clock that stamps what they store."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from newsdesk.cli import options

store = options.store("sqlite:///FILE or postgresql://…")
question = click.option("--question", help="Which one, where several were asked: overall.")


def now() -> str:
    """This moment, as judgments keep it."""
    from newsdesk.campaigns import moment

    return moment(datetime.now(UTC))
