"""`newsdesk corpus truncate`: named variants of a data set with fewer articles a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from newsdesk.cli import options


@click.command("truncate")
@click.argument("clusters", type=options.READ_TWICE)
@click.option(
    "--to",
    default="100,10",
    show_default=True,
    metavar="N,N,…",
    help="Largest number of articles per cluster, for each variant.",
)
@click.option(
    "--by",
    type=click.Choice(["sample", "probability"]),
    default="sample",
    show_default=True,
    help="Which articles stay after the cited ones: a random sample, or the most probable.",
)
@click.option("--name", metavar="NAME", help="Name of the variants; default: the name of the file.")
@options.seed
@click.option("-o", "--out", required=True, metavar="DIR", help="Folder for the variants.")
@options.as_json
@options.force
def truncate_command(
    clusters: str,
    to: str,
    by: Any,
    name: str | None,
    seed: int,
    out: str,
    *,
    as_json: bool,
    force: bool,
) -> None:
    """Truncate clusters to at most 100 and 10 articles, cited ones first, and write a manifest with checksums.

    \b
    Example:
      newsdesk corpus truncate clusters.jsonl --name wcep -o variants/
    """
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.cli.table import Cell, table
    from newsdesk.corpus.splits import selected, variant_name
    from newsdesk.files import make_folder
    from newsdesk.jsonl import json_text
    from newsdesk.types import Cluster

    sizes = sizes_of(to, "--to")
    stem = name or Path(clusters).name.removesuffix(".gz").removesuffix(".jsonl")
    folder = make_folder(out)
    files = []
    for size in sizes:
        file = folder / f"{variant_name(stem, size, by)}.jsonl"
        source = reading(records.read(clusters, Cluster), file.stem)
        variant = selected(source, size=size, by=by, seed=seed)
        files.append((file, records.write(file, variant, overwrite=force)))
    spec = f"truncate(to={to!r}, by={by!r})"
    manifest = records.write_manifest(
        folder / "manifest.json", files, spec=spec, seed=seed, overwrite=force
    )
    rows: list[list[Cell]] = [
        [Path(each.name).stem, size, each.records, each.sha256]
        for size, each in zip(sizes, manifest.files, strict=True)
    ]
    header = ["variant", "most", "clusters", "sha256"]
    if as_json:
        named = [dict(zip(header, row, strict=True)) for row in rows]
        click.echo(json_text({"variants": named}))
    else:
        click.echo(table(header, rows))


def sizes_of(text: str, option: str) -> list[int]:
    """The sizes that an option names."""
    try:
        sizes = [int(each) for each in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1 or len(set(sizes)) < len(sizes):
        raise click.BadParameter(
            f"{text!r} is not different whole numbers like 100,10.", param_hint=option
        )
    return sizes
