"""Divide and thin out data sets: `newsdesk corpus dedup`, `newsdesk corpus split` and `newsdesk corpus truncate`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table
from newsdesk.cli.emit import Emit, prints, refuse_existing, refuse_same_output
from newsdesk.cli.options import option

if TYPE_CHECKING:
    from newsdesk.corpus.tally import StepTally
    from newsdesk.types import Cluster


@click.command("dedup")
@click.argument("source", metavar="ARTICLES|CLUSTERS")
@option(
    "-o",
    "--out",
    "Output: a folder if the input is a folder, else a file.",
    required=True,
    metavar="PATH",
)
@option("--cited-by", "events_file", "Events; articles that they cite are kept.", metavar="FILE")
@option("--groups", "Write every group of near-duplicates to this file (JSONL).", metavar="FILE")
@option("--days", "Largest distance between near-duplicates, in days.", type=int, default=3)
@option(
    "--threshold",
    "Smallest Jaccard similarity of near-duplicates, 0 to 1.",
    type=float,
    default=0.7,
)
@options.engine
@prints
@options.force
def dedup_command(
    source: str,
    out: str,
    events_file: str | None,
    groups: str | None,
    days: int,
    threshold: float,
    engine: str,
    *,
    emit: Emit,
    force: bool,
) -> None:
    """Drop near-duplicates: across a folder or file of articles, or within each cluster of a clusters file.

    Of each group the copies that an event cites are kept, else the earliest one. A stopped run over articles resumes.

    \b
    Example:
      newsdesk corpus dedup articles/ --cited-by events.jsonl --groups groups.jsonl -o unique/
    """
    from newsdesk import records
    from newsdesk.addresses import is_address
    from newsdesk.corpus.dedup import dedup_to_files
    from newsdesk.files import atomic
    from newsdesk.types import Event

    if is_address(source) or is_address(out):
        raise click.UsageError("near-duplicates are dropped in files and folders of this machine")
    if out == "-" and Path(source).is_dir():
        raise click.UsageError("a folder cannot be written to standard output (-); name a folder")
    refuse_same_output({"--out": out, "--groups": groups})
    if _holds_clusters(source):
        if events_file:
            raise click.UsageError("clusters say themselves what is cited: leave --cited-by out")
        with ExitStack() as stack:
            stream = None
            if groups:
                refuse_existing(groups, force=force)
                stream = stack.enter_context(atomic(groups, overwrite=force))
            tally = _clusters(source, out, stream, days, threshold, force=force)
    else:
        tally = dedup_to_files(
            source,
            out,
            list(records.read(events_file, Event)) if events_file else [],
            groups=groups,
            days=days,
            threshold=threshold,
            engine=engine,
            overwrite=force,
        ).tally
    emit(
        tally,
        lambda tally: accounts_table(("articles", tally)),
        lambda tally: {"steps": [tally.as_json()]},
        err=out == "-",
    )


def _holds_clusters(source: str) -> bool:
    from newsdesk import records
    from newsdesk.types import Cluster

    if Path(source).is_dir() or source.endswith(".parquet"):
        return False
    reader = records.read_any(source)
    reader.close()
    return reader.kind is Cluster


def _clusters(
    source: str, out: str, stream: BinaryIO | None, days: int, threshold: float, *, force: bool
) -> StepTally:
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.corpus.dedup import deduplicate_cluster, group_lines
    from newsdesk.corpus.tally import Accounts
    from newsdesk.types import Cluster

    total = Accounts("dedup").tally()

    def unique() -> Iterator[Cluster]:
        nonlocal total
        for cluster in reading(records.read(source, Cluster), "dedup"):
            smaller, result = deduplicate_cluster(cluster, days=days, threshold=threshold)
            total = total + result.tally
            if stream:
                stream.writelines(group_lines(result.groups, cluster=cluster.id))
            yield smaller

    records.write(out, unique(), overwrite=force)
    return total


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
    from newsdesk.files import filled_folder
    from newsdesk.results.table import Cell, table
    from newsdesk.types import Cluster

    split = split_days(
        (day_of(cluster) for cluster in reading(records.read(clusters, Cluster), "dates")),
        _shares(shares),
    )
    with filled_folder(out) as folder:
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
    type=options.SIZES,
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
    to: list[int],
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
    from newsdesk.files import filled_folder
    from newsdesk.results.table import Cell, table
    from newsdesk.types import Cluster

    stem = name or Path(clusters).name.removesuffix(".gz").removesuffix(".jsonl")
    files = []
    spec = f"truncate(to={','.join(map(str, to))!r}, by={by!r})"
    with filled_folder(out) as folder:
        for size in to:
            file = folder / f"{variant_name(stem, size, by)}.jsonl"
            source = reading(records.read(clusters, Cluster), file.stem)
            variant = selected(source, size=size, by=by, seed=seed)
            files.append((file, records.write(file, variant, overwrite=force)))
        manifest = records.write_manifest(
            folder / "manifest.json", files, spec=spec, seed=seed, overwrite=force
        )
    rows: list[list[Cell]] = [
        [Path(file.name).stem, size, file.records, file.sha256]
        for size, file in zip(to, manifest.files, strict=True)
    ]
    header = ["variant", "most", "clusters", "sha256"]
    emit(
        rows,
        lambda rows: table(header, rows),
        lambda rows: {"variants": [dict(zip(header, row, strict=True)) for row in rows]},
    )
