"""`newsdesk demo`: every part of the loop at work on the sample newsroom, ending in one HTML page."""

from __future__ import annotations

import importlib
import sys

import click

from newsdesk.cli.output import write_text
from newsdesk.files import build_folder, make_folder

# Each stage is a module of `cli.stages` with `run(folder) -> Section`; it writes into a folder of its own name.
STAGES = ("newsroom", "text", "summaries", "scores", "campaigns", "ranking")

_REPORT = "report.html"
_ABOUT = (
    "newsdesk-demo.txt",
    "This folder is made by `newsdesk demo`.\n\nEverything is in report.html, which is written last: without it the demo was stopped, and starts anew.\n",
)


@click.command("demo")
@click.option("-o", "--out", default="demo", show_default=True, help="The folder to write to.")
@click.option("--force", is_flag=True, help="Write into a folder that holds something already.")
def demo_command(out: str, *, force: bool) -> None:
    """The whole loop on the sample newsroom, ends in one HTML report.

    \b
    Example:
      newsdesk demo --out demo
    """
    from newsdesk.studies.report import page

    folder = build_folder(out, _ABOUT, last=_REPORT, names=STAGES, overwrite=force)
    sections = []
    for number, name in enumerate(STAGES, 1):
        click.echo(f"[{number}/{len(STAGES)}] {name}", err=True)
        stage = importlib.import_module(f"newsdesk.cli.stages.{name}")
        sections.append(stage.run(make_folder(folder / name)))
    report = folder / _REPORT
    lead = "What newsdesk does, shown on a small newsroom that we wrote ourselves."
    write_text(report, page("newsdesk: the demo", lead, sections))
    click.echo(report, file=sys.stdout)
