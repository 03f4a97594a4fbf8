"""`newsdesk records convert`: a foreign file in our own format, or ours as Parquet or TREC."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.records import options as file_options
from newsdesk.cli.threads import SOME_REJECTED, dates, mapped, parsed, sentences
from newsdesk.wording import plural


@click.command("convert")
@click.argument("file")
@options.out
@file_options.kind
@file_options.format
@mapped
@dates
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def convert_command(
    file: str,
    out: str,
    kind: str | None,
    format: str | None,
    mapping: tuple[str, ...],
    dates: str | None,
    *,
    force: bool,
) -> int:
    """Convert WCEP, COCO, TREC, CSV, Parquet and comment exports to our format, or ours to Parquet (.parquet) or TREC (.trec).

    \b
    Example:
      newsdesk records convert articles.csv --type article -o articles.jsonl
      newsdesk records convert comments.csv --type thread --map article=story,text=body -o threads.jsonl
    """
    from newsdesk import records
    from newsdesk.cli.progress import reading
    from newsdesk.types import Thread

    reader = records.read_named(file, kind, format=format, columns=parsed(mapping), dates=dates)
    count = records.write(out, reading(reader), overwrite=force)
    if reader.kind is Thread:
        click.echo("\n".join([*sentences(reader), plural(count, "record")]), err=True)
        return SOME_REJECTED if reader.account.rejected else 0
    for note in reader.account.notes:
        click.echo(f"{file}: {note}", err=True)
    ignored = ", ".join(f"{key} ({n})" for key, n in sorted(reader.ignored.items()))
    click.echo(plural(count, "record") + (f"; ignored: {ignored}" if ignored else ""), err=True)
    return 0
