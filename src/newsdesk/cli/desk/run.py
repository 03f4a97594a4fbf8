"""`newsdesk desk run`: one run of a desk, as often as wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from newsdesk.cli.corpus import accounts_table, runs_engine
from newsdesk.cli.emit import Emit, prints
from newsdesk.cli.progress import drawn

if TYPE_CHECKING:
    from newsdesk.desk.run import DeskRun
    from newsdesk.work import Running
    from newsdesk.work.progress import OnProgress


@click.command("run")
@click.argument("settings", metavar="DESK.TOML")
@runs_engine
@prints
def run_command(settings: str, *, running: Callable[[OnProgress], Running], emit: Emit) -> int:
    """Bring a desk up to date with its inputs: articles, events, summaries, and a ledger of what is new.

    A run with nothing new changes no file; a killed run resumes. The exit code is 3 if a row of a file was broken.

    \b
    Example:
      newsdesk desk run desk.toml
    """
    from newsdesk.desk.run import read_desk, run_desk

    with drawn("desk") as report:
        done = run_desk(read_desk(settings), Path(settings).parent, running=running(report))
    emit(done, _as_table)
    return 3 if done.rejected else 0


def _as_table(done: DeskRun) -> str:
    lines = [accounts_table(("rows", done.articles), ("events", done.events))]
    days = f"{len(done.computed)} days computed, {done.summarized} events summarized"
    lines.append(days if done.changed else f"nothing new; {days}")
    return "\n".join([*lines, str(done.folder)])
