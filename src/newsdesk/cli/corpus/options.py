"""Options and the table of accounts that the verbs of `newsdesk corpus` share."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from newsdesk.cli import options
from newsdesk.cli.options import Command, option
from newsdesk.results.table import Cell, table

if TYPE_CHECKING:
    from newsdesk.corpus.tally import StepTally

_ENGINE = options.group(
    option(
        "--engine",
        "processes: worker processes, replaced if they die; inline: this process alone; dask://HOST:PORT: a cluster.",
        type=options.ENGINE,
        default="processes",
    ),
    options.jobs(),
    option(
        "--timeout-s",
        "CPU time limit of one page, in seconds.",
        type=options.BoundedNumber(min=0, min_open=True),
        default=30.0,
    ),
)


def runs_engine(command: Command) -> Command:
    """Give a command the options of an engine.

    Its argument `running` makes a `Running` of a progress callback.
    """

    @_ENGINE
    @functools.wraps(command)
    def started(*arguments: Any, engine: str, jobs: int, timeout_s: float, **rest: Any) -> Any:
        from newsdesk.work import Running

        running = functools.partial(Running, engine, jobs, timeout_s)
        return command(*arguments, running=running, **rest)

    return started


def accounts_table(*tallies: tuple[str, StepTally]) -> str:
    """Return read, kept and dropped of each step, a line for each reason.

    Notes are counts that are no losses.
    """
    rows: list[list[Cell]] = []
    for unit, tally in tallies:
        rows += [[unit, "read", tally.read], ["", "kept", tally.kept]]
        rows += [["", f"dropped: {reason}", n] for reason, n in sorted(tally.dropped.items())]
        rows += [["", f"note: {what}", n] for what, n in sorted(tally.notes.items())]
    return table(["unit", "account", "count"], rows)
