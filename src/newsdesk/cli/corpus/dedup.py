"""`newsdesk corpus dedup`: near-duplicates out of articles or clusters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from newsdesk.cli import options
from newsdesk.cli.corpus.options import accounts_table
from newsdesk.cli.emit import Emit, prints, refuse_existing, refuse_same_output
from newsdesk.cli.options import option
from newsdesk.jsonl import json_line

if TYPE_CHECKING:
    from newsdesk.corpus.dedup import DuplicateGroup
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

    Of each group the copies that an event cites are kept, else the earliest one.

    \b
    Example:
      newsdesk corpus dedup articles/ --cited-by events.jsonl --groups groups.jsonl -o unique/
    """
    from newsdesk.addresses import is_address
    from newsdesk.files import atomic

    if is_address(source) or is_address(out):
        raise click.UsageError("near-duplicates are dropped in files and folders of this machine")
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
            tally = _articles(
                source, out, events_file, stream, days, threshold, engine, force=force
            )
    emit(
        tally,
        lambda tally: accounts_table(("articles", tally)),
        lambda tally: {"steps": [tally.as_json()]},
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
    from newsdesk.corpus.dedup import deduplicate_cluster
    from newsdesk.corpus.tally import Accounts
    from newsdesk.types import Cluster

    total = Accounts("dedup").tally()

    def unique() -> Iterator[Cluster]:
        nonlocal total
        for cluster in reading(records.read(source, Cluster), "dedup"):
            smaller, result = deduplicate_cluster(cluster, days=days, threshold=threshold)
            total = total + result.tally
            _write(stream, result.groups, cluster.id)
            yield smaller

    records.write(out, unique(), overwrite=force)
    return total


def _articles(
    source: str,
    out: str,
    events_file: str | None,
    stream: BinaryIO | None,
    days: int,
    threshold: float,
    engine: str,
    *,
    force: bool,
) -> StepTally:
    from newsdesk import records
    from newsdesk.corpus.align.article_files import article_files
    from newsdesk.corpus.dedup import near_duplicates, texts_of, write_without
    from newsdesk.types import Event

    files = article_files(source)
    events = list(records.read(events_file, Event)) if events_file else []
    result = near_duplicates(texts_of(files, events, engine=engine), days=days, threshold=threshold)
    dropped = {each for group in result.groups for each in group.dropped}
    write_without(files, dropped, Path(source), Path(out), overwrite=force)
    _write(stream, result.groups)
    return result.tally


def _write(
    stream: BinaryIO | None, groups: tuple[DuplicateGroup, ...], cluster: str | None = None
) -> None:
    for group in groups if stream else ():
        row = {"cluster": cluster} if cluster else {}
        if stream:
            stream.write(
                json_line({**row, "articles": [asdict(article) for article in group.articles]})
            )
