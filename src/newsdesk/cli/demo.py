"""`newsdesk demo`: every part of the loop at work on the sample newsroom, ending in one HTML page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from newsdesk.work import Progress


@click.command("demo")
@click.option(
    "-o", "--out", default="demo", show_default=True, metavar="DIR", help="Folder to write to."
)
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
def demo_command(out: str, *, force: bool) -> None:
    """Run every part on the sample newsroom and write one HTML report.

    \b
    Example:
      newsdesk demo --out demo
    """
    from newsdesk.demo import run_demo

    report = run_demo(out, overwrite=force, progress=_say)
    click.echo(report, file=sys.stdout)


def _say(stage: Progress) -> None:
    click.echo(f"[{stage.done}/{stage.total}] {stage.step}", err=True)
