"""`newsdesk corpus stats`: the tables and the density figure of data sets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsdesk.corpus.stats import LinkRot, Stats
    from newsdesk.types import Cluster


@click.command("stats")
@click.argument("clusters", nargs=-1, required=True, metavar="[NAME=]FILE...")
@click.option(
    "--truncated",
    default="",
    metavar="N,N,…",
    help="Also describe each file cut to so many articles per cluster, such as 100,10.",
)
@click.option(
    "--events",
    "events_file",
    metavar="FILE",
    help="Events, to count the cited sources that are missing.",
)
@click.option(
    "--sample",
    type=int,
    default=500,
    show_default=True,
    help="Number of clusters on which coverage and density are computed.",
)
@options.seed
@options.engine
@options.as_json
@click.option(
    "-o", "--out", metavar="FILE", help="Also write a page with plots to this file (.html)."
)
@options.force
def stats_command(
    clusters: tuple[str, ...],
    truncated: str,
    events_file: str | None,
    sample: int,
    seed: int,
    engine: str,
    out: str | None,
    *,
    as_json: bool,
    force: bool,
) -> None:
    """Print statistics of clusters: sizes, words, sentences, period, categories, coverage, density, duplicates, languages.

    \b
    Example:
      newsdesk corpus stats total=clusters.jsonl --truncated 100,10 -o stats.html
    """
    from newsdesk import records
    from newsdesk.cli.output import refuse_existing
    from newsdesk.corpus.stats import cluster_stats, link_rot
    from newsdesk.files import write_text
    from newsdesk.jsonl import json_text
    from newsdesk.types import Cluster, Event

    if out:
        refuse_existing(out, force=force)
    columns: list[Stats] = []
    rot: list[LinkRot] = []
    for name, path in map(_named, clusters):
        for size in (None, *_sizes(truncated)):
            label = name if size is None else f"{name}-{size}"
            rows = _read(path, size, seed)
            columns.append(cluster_stats(label, rows, sample=sample, seed=seed, engine=engine))
    if events_file:
        every = (each for _, path in map(_named, clusters) for each in records.read(path, Cluster))
        rot = link_rot(records.read(events_file, Event), every)
    if out:
        from newsdesk.corpus.stats_page import stats_page

        write_text(out, stats_page(columns, rot), overwrite=force)
    if as_json:
        row = {"stats": [asdict(column) for column in columns]}
        click.echo(json_text(row | ({"link_rot": [asdict(each) for each in rot]} if rot else {})))
    else:
        click.echo(_as_text(columns, rot).encode("utf-8"))


def _named(text: str) -> tuple[str, str]:
    """`total=clusters.jsonl`, or a file whose name is its name."""
    name, named, path = text.partition("=")
    if named and name and "/" not in name:
        return name, path
    return Path(text).name.removesuffix(".gz").removesuffix(".jsonl"), text


def _read(path: str, size: int | None, seed: int) -> Iterator[Cluster]:
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.corpus.splits import truncate
    from newsdesk.types import Cluster

    source = reading(records.read(path, Cluster))
    return source if size is None else (truncate(each, size, seed=seed) for each in source)


def _sizes(text: str) -> list[int]:
    from newsdesk.cli.corpus.truncate import sizes_of

    return sizes_of(text, "--truncated") if text else []


def _as_text(columns: Sequence[Stats], rot: Sequence[LinkRot]) -> str:
    from newsdesk.cli.table import table
    from newsdesk.corpus.stats_page import count_rows, range_rows, rot_rows, size_rows

    tables = [size_rows(columns), range_rows(columns)]
    tables += [count_rows(columns, field) for field in ("categories", "languages")]
    if rot:
        tables.append(rot_rows(rot))
    return "\n\n".join(table(header, rows) for header, rows in tables)
