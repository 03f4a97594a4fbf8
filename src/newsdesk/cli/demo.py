"""Run on data that comes with us: the sample newsroom (`newsdesk demo`), or a simulated world (`newsdesk simulate`)."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.options import flag, option
from newsdesk.cli.progress import say_stage, watched
from newsdesk.languages import LISTED
from newsdesk.wording import plural


@click.command("simulate")
@option("--events", "Number of events; default: that of the preset.", type=options.Integer(min=1))
@option(
    "--comments",
    "Number of comments in threads; default: that of the preset.",
    type=options.Integer(min=0),
)
@option(
    "--preset",
    "One of base, equal, wide, k4, c3, fair, paper, wcep, stories, article-effect, constructive, commenting or raw.",
    default="base",
    metavar="PRESET",
)
@option(
    "--lang",
    "Language of the texts: en, zh or ja.",
    type=click.Choice(LISTED),
    default="en",
    metavar="LANG",
)
@options.seed
@option(
    "--only",
    "Write only the files whose names begin with this, such as threads.",
    default="",
    metavar="PREFIX",
)
@option(
    "--pages",
    "Also write the portal pages of the events, in this layout; mixed: in all layouts by turns.",
    type=click.Choice(["mixed", "table", "heading", "paragraph", "wikitext"]),
)
@flag("--warc", "Also write a crawl of the articles as a WARC file.")
@options.folder()
@flag("--force", "Write into a folder that is not empty.")
def simulate_command(
    only: str, pages: str | None, out: str, *, warc: bool, force: bool, **settings: Any
) -> None:
    """Simulate news events, articles, comments and judgments of any size, with the ground truth.

    \b
    Example:
      newsdesk simulate --events 1000 --comments 50000 --seed 7 -o world
    """
    from newsdesk.simulate import world, write_world

    manifest = write_world(
        world(**settings), out, only=only, overwrite=force, pages=pages, warc=warc, watch=_watched
    )
    records = sum(file.records or 0 for file in manifest.files)
    files = plural(len(manifest.files), "file")
    click.echo(f"simulated: {plural(records, 'record')} in {files}", err=True)
    click.echo(out)


def _watched(rows: Iterable[Any], name: str, total: int | None) -> Iterable[Any]:
    done = 0

    def counted() -> Iterable[Any]:
        nonlocal done
        for row in rows:
            done += 1
            yield row

    return watched(counted(), name, lambda: done / total if total else None)


@click.command("demo")
@option("-o", "--out", "Folder to write to.", type=options.FOLDER, default="demo", metavar="DIR")
@flag("--force", "Write into a folder that is not empty.")
def demo_command(out: str, *, force: bool) -> None:
    """Run every part on the sample newsroom and write one HTML report.

    \b
    Example:
      newsdesk demo --out demo
    """
    from newsdesk.demo import run_demo

    report = run_demo(out, overwrite=force, progress=say_stage)
    click.echo(report, file=sys.stdout)
