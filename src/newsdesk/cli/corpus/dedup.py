"""`newsdesk corpus dedup`: near-duplicates out of articles or clusters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from newsdesk.cli import options
from newsdesk.cli.corpus.options import accounts_table
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
    from newsdesk.corpus.dedup import dedup_to_files, group_lines
    from newsdesk.files import atomic
    from newsdesk.types import Event

    if is_address(source) or is_address(out):
        raise click.UsageError("near-duplicates are dropped in files and folders of this machine")
    if out == "-" and Path(source).is_dir():
        raise click.UsageError("a folder cannot be written to standard output (-); name a folder")
    refuse_same_output({"--out": out, "--groups": groups})
    if groups:
        refuse_existing(groups, force=force)
    with ExitStack() as stack:
        stream = stack.enter_context(atomic(groups, overwrite=force)) if groups else None
        if _holds_clusters(source):
            if events_file:
                raise click.UsageError(
                    "clusters say themselves what is cited: leave --cited-by out"
                )
            tally = _clusters(source, out, stream, days, threshold, force=force)
        else:
            result = dedup_to_files(
                source,
                out,
                list(records.read(events_file, Event)) if events_file else [],
                days=days,
                threshold=threshold,
                engine=engine,
                overwrite=force,
            )
            tally = result.tally
            if stream:
                stream.writelines(group_lines(result.groups))
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
