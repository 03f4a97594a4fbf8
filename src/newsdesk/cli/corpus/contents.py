"""Contents of records: `newsdesk corpus fill` gives articles their texts, `newsdesk corpus show` prints one record."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table
from newsdesk.cli.emit import Emit, emits, prints, refuse_existing
from newsdesk.cli.options import flag
from newsdesk.cli.records import described
from newsdesk.cli.threads import SOME_REJECTED, parsed


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
