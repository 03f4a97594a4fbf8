"""Look into data sets: `newsdesk corpus stats` (tables and density figure), `corpus show` (one record), `corpus fill` (texts that are missing)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table
from newsdesk.cli.emit import Emit, emits, prints, refuse_existing
from newsdesk.cli.options import flag, option
from newsdesk.cli.records import described
from newsdesk.cli.threads import SOME_REJECTED, ThreadFiles, parsed, reads_threads

if TYPE_CHECKING:
    from newsdesk.corpus.stats import LinkRot
    from newsdesk.results.page import Cell
    from newsdesk.types import Cluster


@click.command("fill")
@click.argument("file", type=options.READ_TWICE)
@click.argument("contents", nargs=-1, required=True, metavar="ARTICLES...")
@options.out
@flag(
    "--drop-missing",
    "Leave out articles that are still without text, and clusters and threads without any.",
)
@prints
@options.force
def fill_command(
    file: str,
    contents: tuple[str, ...],
    out: str,
    *,
    drop_missing: bool,
    emit: Emit,
    force: bool,
) -> int:
    """Fill the texts of articles into threads, clusters or articles without text, by id or address.

    ARTICLES are folders of Parquet, JSONL files of articles, or WARC files, of which only the pages that are asked for are extracted. Title, date, language
    and source are filled where they are missing. FILE may be a published WCEP file without articles: its clusters are filled, cited articles by address, found
    ones by the id of their WARC record. The exit code is 3 if an article is still without text.

    \b
    Example:
      newsdesk corpus fill threads.jsonl articles/ -o filled.jsonl
      newsdesk corpus fill clusters.jsonl articles/ crawl.warc.gz --drop-missing -o complete.jsonl
    """
    from newsdesk.corpus.fill import fill

    if out != "-":
        refuse_existing(out, force=force)
    report = fill(file, contents, out, drop_missing=drop_missing, overwrite=force)
    emit(
        report,
        lambda report: accounts_table(("articles", report.articles), ("records", report.records)),
        err=out == "-",
    )
    return SOME_REJECTED if report.missing else 0


@click.command("show")
@click.argument("file", type=options.INPUT)
@click.argument("id", required=False)
@described
@options.top("Number of found articles, or without ID of records, to print.", default=10)
@emits
def show_command(
    file: str,
    id: str | None,
    kind: str | None,
    format: str | None,
    mapping: tuple[str, ...],
    dates: str | None,
    top: int,
    *,
    emit: Emit,
) -> None:
    """Print one cluster, event, thread or article; without ID, the ids of the first ones.

    A cluster is printed as in Table 1 of Gholipour Ghalandari et al. (2020): the summary, the headlines of the cited articles and of found ones. A thread is printed as in
    Tables 5 and 6 of the supplement of Qin et al. (2018): title, content, and the comments with their scores.

    \b
    Example:
      newsdesk corpus show clusters.jsonl
      newsdesk corpus show threads.jsonl 2031-03-03-ferry-collision/2
    """
    from newsdesk import records
    from newsdesk.corpus.show import listing, shown

    reader = records.read_named(file, kind, format=format, columns=parsed(mapping), dates=dates)
    emit(listing(reader, top) if id is None else shown(reader, id, max_found=top))


Named = Sequence[tuple[str, list[str]]]  # the name of each column and its files

_OF_CLUSTERS = {"truncated", "events_file", "sample", "seed", "engine"}


@click.command("stats")
@click.argument("data", nargs=-1, required=True, metavar="[NAME=]FILE...")
@option(
    "--type",
    "kind",
    "What the files hold; default: detected, except in tables of comments.",
    type=click.Choice(["cluster", "thread"]),
)
@option(
    "--truncated",
    "Also describe each file cut to so many articles per cluster, such as 100,10.",
    type=options.SIZES,
    metavar="N,N,…",
)
@option(
    "--cited-by",
    "events_file",
    "Events, to count the cited sources that are missing.",
    metavar="FILE",
)
@option(
    "--sample",
    "Number of clusters on which coverage and density are computed.",
    type=int,
    default=500,
)
@options.seed
@options.engine
@prints
@option("-o", "--out", "Also write a page with plots to this file (.html).", metavar="FILE")
@options.force
@reads_threads
def stats_command(
    data: tuple[str, ...],
    kind: str | None,
    out: str | None,
    *,
    files: ThreadFiles,
    emit: Emit,
    force: bool,
    **of_clusters: Any,
) -> None:
    """Print statistics of clusters (sizes, words, sentences, period, categories, coverage, density, duplicates, languages) or of threads (Table 2 of the papers on comments).

    A column is a file; files under one NAME are one column together.

    \b
    Example:
      newsdesk corpus stats total=clusters.jsonl --truncated 100,10 -o stats.html
      newsdesk corpus stats threads.jsonl
    """
    from newsdesk.cli.emit import refuse_existing
    from newsdesk.files import write_text

    if out:
        refuse_existing(out, force=force)
    named = _named(data)
    if _hold_threads(named, kind):
        _refuse_options_of_clusters()
        described = _of_threads(named, files)
    else:
        described = _of_clusters(named, **of_clusters)
    if out:
        write_text(out, described.page(), overwrite=force)
    emit(described, lambda described: described.text(), lambda described: described.row)


@dataclass(frozen=True, slots=True)
class _Described:
    """The statistics of files as a JSON object, and as a text and a page when these are asked for."""

    row: dict[str, Any]
    text: Callable[[], str]
    page: Callable[[], str]


def _hold_threads(named: Named, kind: str | None) -> bool:
    """Return True if the files hold threads; those of both kinds are a usage error."""
    paths = [path for _, column in named for path in column]
    if kind is not None or "-" in paths:
        return kind == "thread"
    from newsdesk import records
    from newsdesk.types import Thread

    kinds = {}
    for path in paths:
        with contextlib.closing(records.read_any(path)) as reader:
            kinds[path] = reader.kind is Thread
    if len(set(kinds.values())) > 1:
        raise click.UsageError("some files hold threads and others do not; describe them apart")
    return all(kinds.values())


def _refuse_options_of_clusters() -> None:
    """Raise a usage error if an option was given that says something about clusters alone."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in _OF_CLUSTERS and source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{parameter.opts[0]} is for clusters, and the files hold threads"
            )


def _of_threads(named: Named, files: ThreadFiles) -> _Described:
    from newsdesk.cli.progress import reading
    from newsdesk.corpus.comments.stats import thread_stats, thread_tables, threads_page

    columns = [
        thread_stats(name, chain.from_iterable(reading(files.read(path)) for path in paths))
        for name, paths in named
    ]
    return _Described(
        {"stats": [asdict(column) for column in columns]},
        lambda: _joined(thread_tables(columns).values()),
        lambda: threads_page(columns),
    )


def _of_clusters(
    named: Named,
    truncated: list[int] | None,
    events_file: str | None,
    sample: int,
    seed: int,
    engine: str,
) -> _Described:
    from newsdesk import records
    from newsdesk.corpus.stats import (
        cluster_stats,
        count_rows,
        link_rot,
        range_rows,
        rot_rows,
        size_rows,
        stats_page,
    )
    from newsdesk.types import Cluster, Event

    columns = [
        cluster_stats(
            name if size is None else f"{name}-{size}",
            _read(column, size, seed),
            sample=sample,
            seed=seed,
            engine=engine,
        )
        for name, column in named
        for size in (None, *(truncated or ()))
    ]
    rot: list[LinkRot] = []
    if events_file:
        paths = dict.fromkeys(path for _, column in named for path in column)
        clusters = (cluster for path in paths for cluster in records.read(path, Cluster))
        rot = link_rot(records.read(events_file, Event), clusters)
    row: dict[str, Any] = {"stats": [asdict(column) for column in columns]}
    tables = [size_rows(columns), range_rows(columns)]
    tables += [count_rows(columns, field) for field in ("categories", "languages")]
    tables += [rot_rows(rot)] if rot else []
    return _Described(
        row | ({"link_rot": [asdict(year) for year in rot]} if rot else {}),
        lambda: _joined(tables),
        lambda: stats_page(columns, rot),
    )


def _named(data: Sequence[str]) -> Named:
    """Return the columns: NAME=FILE, joined with other files of that name, or a file by its own."""
    columns: dict[tuple[str, str], list[str]] = {}
    for text in data:
        name, named, path = text.partition("=")
        if named and name and "/" not in name:
            columns.setdefault((name, ""), []).append(path)
        else:
            stem = Path(text).name.removesuffix(".gz").removesuffix(".jsonl")
            columns[stem, text] = [text]
    return [(name, paths) for (name, _), paths in columns.items()]


def _read(paths: Sequence[str], size: int | None, seed: int) -> Iterator[Cluster]:
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.corpus.splits import truncate
    from newsdesk.types import Cluster

    source = chain.from_iterable(reading(records.read(path, Cluster)) for path in paths)
    return source if size is None else (truncate(cluster, size, seed=seed) for cluster in source)


def _joined(tables: Iterable[tuple[list[str], list[list[Cell]]]]) -> str:
    from newsdesk.results.table import table

    return "\n\n".join(table(header, rows) for header, rows in tables)
