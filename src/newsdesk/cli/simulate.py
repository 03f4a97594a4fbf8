"""`newsdesk simulate`: a simulated world with known ground truth, as a folder of files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from newsdesk.cli.progress import watched
from newsdesk.wording import plural


@click.command("simulate")
@click.option(
    "--events", type=click.IntRange(min=1), help="Number of events (default: the preset's)."
)
@click.option(
    "--comments",
    type=click.IntRange(min=0),
    help="Number of comments in threads (default: the preset's).",
)
@click.option(
    "--preset",
    default="base",
    show_default=True,
    help="One of base, equal, wide, k4, c3, fair, paper, stories, article-effect, constructive, commenting or raw.",
)
@click.option(
    "--lang",
    type=click.Choice(["en", "zh", "ja"]),
    default="en",
    show_default=True,
    help="Language of the texts.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed."
)
@click.option(
    "--only", default="", help="Write only files whose name starts with this, such as threads."
)
@click.option(
    "--pages",
    type=click.Choice(["mixed", "table", "heading", "paragraph", "wikitext"]),
    help="Add the portal pages of the events, in this layout or in all of them by turns.",
)
@click.option("--warc", is_flag=True, help="Add a crawl of the articles as a WARC file.")
@click.option("-o", "--out", required=True, help="The folder to write to.")
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
    """Simulate a world of any size, with the ground truth beside the data.

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
