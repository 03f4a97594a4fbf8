"""Options shared by several verbs of `newsdesk campaign`, and the clock for timestamps."""

from __future__ import annotations

import functools
from datetime import UTC, datetime
from typing import Any

from newsdesk.cli import options
from newsdesk.cli.options import Command, option

store = options.store("Database of campaigns: sqlite:///FILE or postgresql://HOST/NAME.")
question = option(
    "--question", "Question to use, if several were asked; default: overall.", metavar="NAME"
)
# Of --theirs and --ours the last one counts.
side = options.group(
    option(
        "--theirs", "prefer", "Resolve conflicts with the sheet's answers.", flag_value="theirs"
    ),
    option("--ours", "prefer", "Resolve conflicts with the stored answers.", flag_value="ours"),
)


def opens_store(command: Command) -> Command:
    """Give a command the option --store, and the open store as the argument `store`."""

    @store
    @functools.wraps(command)
    def opening(*arguments: Any, url: str, **rest: Any) -> Any:
        from newsdesk import campaigns

        with campaigns.Store.open(url, create=False) as opened:
            return command(*arguments, store=opened, **rest)

    return opening


def now() -> str:
    """Return the current time as a timestamp of judgments."""
    from newsdesk.campaigns import moment

    return moment(datetime.now(UTC))
