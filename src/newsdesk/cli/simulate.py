"""`newsdesk simulate`: a simulated world with known ground truth, as a folder of files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.progress import watched
from newsdesk.languages import LISTED
from newsdesk.wording import plural


@click.command("simulate")
@click.option(
    "--events", type=options.Integer(min=1), help="Number of events; default: that of the preset."
)
@click.option(
    "--comments",
    type=options.Integer(min=0),
    help="Number of comments in threads; default: that of the preset.",
)
@click.option(
    "--preset",
    default="base",
    show_default=True,
    metavar="NAME",
    help="One of base, equal, wide, k4, c3, fair, paper, stories, article-effect, constructive, commenting or raw.",
)
@click.option(
    "--lang",
    type=click.Choice(LISTED),
    default="en",
    show_default=True,
    help="Language of the texts.",
)
@options.seed
@click.option(
    "--only",
    default="",
    metavar="PREFIX",
    help="Write only the files whose names begin with this, such as threads.",
)
@click.option(
    "--pages",
    type=click.Choice(["mixed", "table", "heading", "paragraph", "wikitext"]),
    help="Also write the portal pages of the events, in this layout; mixed: in all layouts by turns.",
)
@click.option("--warc", is_flag=True, help="Also write a crawl of the articles as a WARC file.")
@click.option("-o", "--out", required=True, metavar="DIR", help="Folder to write to.")
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
def simulate_command(
    events: int | None,
    comments: int | None,
    preset: str,
    lang: str,
    seed: int,
    only: str,
    pages: str | None,
    out: str,
    *,
    warc: bool,
    force: bool,
) -> None:
    """Simulate news events, articles, comments and judgments of any size, with the ground truth.

    \b
    Example:
      newsdesk simulate --events 1000 --comments 50000 --seed 7 -o world
    """
    from newsdesk.simulate import world, write_world

    simulated = world(seed=seed, preset=preset, events=events, comments=comments, lang=lang)
    manifest = write_world(
        simulated, out, only=only, overwrite=force, pages=pages, warc=warc, watch=_watched
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
