"""Divide a data set: `newsdesk corpus split` and `newsdesk corpus truncate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, prints
from newsdesk.cli.options import option


@click.command("split")
@click.argument("clusters", type=options.READ_TWICE)
@option(
    "--shares", "Shares of train, val and test, in percent.", default="80,10,10", metavar="N,N,N"
)
@options.folder("Folder for the parts.")
@prints
@options.force
def split_command(clusters: str, shares: str, out: str, *, emit: Emit, force: bool) -> None:
    """Split clusters by date into train, val and test, with a manifest.

    \b
    Example:
      newsdesk corpus split clusters.jsonl -o parts/
    """
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.corpus.splits import PARTS, day_of, split_days, write_parts
    from newsdesk.results.table import Cell, table
    from newsdesk.types import Cluster

    split = split_days(
        (day_of(cluster) for cluster in reading(records.read(clusters, Cluster), "dates")),
        _shares(shares),
    )
    folder = Path(out)
    counts = write_parts(folder, clusters, split, overwrite=force)
    records.write_manifest(
        folder / "manifest.json",
        [(folder / name, count) for name, count in counts.items()],
        spec=f"split(shares={shares!r})",
        overwrite=force,
    )
    periods = {
        part: sorted(day for day, name in split.part_of_day.items() if name == part)
        for part in PARTS
    }
    rows: list[dict[str, Cell]] = [
        {"part": part, "clusters": count, "from": periods[part][0], "to": periods[part][-1]}
        for part, count in zip(PARTS, counts.values(), strict=True)
    ]
    emit(
        rows,
        lambda rows: table(list(rows[0]), [list(row.values()) for row in rows]),
        lambda rows: {"parts": rows},
    )


def _shares(text: str) -> list[float]:
    try:
        numbers = [float(share) for share in text.replace("/", ",").split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not three numbers like 80,10,10.", param_hint="--shares"
        ) from None
    total = sum(numbers)
    return [number / total for number in numbers] if total else numbers


@click.command("truncate")
@click.argument("clusters", type=options.READ_TWICE)
@option(
    "--to",
    "Largest number of articles per cluster, for each variant.",
    default="100,10",
    metavar="N,N,…",
)
@option(
    "--keep",
    "by",
    "Which articles stay after the cited ones: a random sample, or the most probable.",
    type=click.Choice(["sample", "probability"]),
    default="sample",
)
@option("--name", "Name of the variants; default: the name of the file.", metavar="NAME")
@options.seed
@options.folder("Folder for the variants.")
@prints
@options.force
def truncate_command(
    clusters: str,
    to: str,
    by: Any,
    name: str | None,
    seed: int,
    out: str,
    *,
    emit: Emit,
    force: bool,
) -> None:
    """Truncate clusters to at most 100 and 10 articles, cited ones first, and write a manifest with checksums.

    \b
    Example:
      newsdesk corpus truncate clusters.jsonl --name wcep -o variants/
    """
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.corpus.splits import selected, variant_name
    from newsdesk.files import make_folder
    from newsdesk.results.table import Cell, table
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
        [Path(file.name).stem, size, file.records, file.sha256]
        for size, file in zip(sizes, manifest.files, strict=True)
    ]
    header = ["variant", "most", "clusters", "sha256"]
    emit(
        rows,
        lambda rows: table(header, rows),
        lambda rows: {"variants": [dict(zip(header, row, strict=True)) for row in rows]},
    )


def sizes_of(text: str, option: str) -> list[int]:
    """Return the sizes that an option names."""
    try:
        sizes = [int(size) for size in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1 or len(set(sizes)) < len(sizes):
        raise click.BadParameter(
            f"{text!r} is not different whole numbers like 100,10.", param_hint=option
        )
    return sizes
