"""`newsdesk corpus articles`: WARC files, folders of HTML and files of records become articles, Parquet by date."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus.accounts import accounts_table
from newsdesk.cli.progress import drawn
from newsdesk.jsonl import json_text

if TYPE_CHECKING:
    from newsdesk.corpus.articles import ArticlesReport

_DAY = click.DateTime(formats=["%Y-%m-%d"])
_WORDS = "Comma-separated; repeatable."


def running(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that starts an engine."""
    for option in (
        click.option(
            "--timeout-s",
            type=options.Number(min=0, min_open=True),
            default=30.0,
            show_default=True,
            help="CPU time limit of one page, in seconds.",
        ),
        click.option(
            "--workers",
            type=options.COUNT,
            default=1,
            show_default=True,
            help="Number of worker processes.",
        ),
        click.option(
            "--engine",
            type=options.ENGINE,
            default="processes",
            show_default=True,
            help="processes: worker processes, replaced if they die; inline: this process alone; dask://HOST:PORT: a cluster.",
        ),
    ):
        command = option(command)
    return command


@click.command("articles")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("-o", "--out", required=True, metavar="DIR", help="Folder to write to.")
@click.option(
    "--lang",
    multiple=True,
    metavar="LANGS",
    help=f"Keep only these languages, such as en,zh. {_WORDS}",
)
@click.option(
    "--since",
    type=_DAY,
    metavar="DATE",
    help="Keep only articles of this day (YYYY-MM-DD) and later.",
)
@click.option(
    "--until",
    type=_DAY,
    metavar="DATE",
    help="Keep only articles of this day (YYYY-MM-DD) and earlier.",
)
@click.option(
    "--outlet",
    multiple=True,
    metavar="HOSTS",
    help=f"Keep only these hosts and their subdomains. {_WORDS}",
)
@click.option(
    "--min-chars",
    type=options.Integer(min=0),
    default=0,
    show_default=True,
    help="Shortest text, in characters.",
)
@click.option(
    "--max-chars",
    type=options.Integer(min=0),
    help="Longest text, in characters; default: no limit.",
)
@click.option(
    "--base",
    metavar="URL",
    help="Base address of the paths in a .paths list; default: Common Crawl's.",
)
@click.option("--max-bytes", type=options.COUNT, help="Largest page, in bytes; default: 8 MiB.")
@running
@options.as_json
@click.option("--force", is_flag=True, help="Drop the articles of inputs that are no longer named.")
def articles_command(
    inputs: tuple[str, ...],
    out: str,
    base: str | None,
    max_bytes: int | None,
    engine: str,
    workers: int,
    timeout_s: float,
    *,
    as_json: bool,
    force: bool,
    **limits: Any,
) -> int:
    """Extract articles from WARC files, folders of HTML and files of records into Parquet by date.

    A stopped run resumes, and with more inputs only the new ones are extracted. Every lost page is counted with its reason; the exit code
    is 3 if a page or record was damaged or could not be extracted.

    \b
    Example:
      newsdesk corpus articles crawl.warc.gz --lang en -o articles/
    """
    from newsdesk.corpus.articles import Extraction, build_articles
    from newsdesk.corpus.pages import MAX_BYTES
    from newsdesk.corpus.shards import COMMON_CRAWL
    from newsdesk.work import Running

    with drawn("articles") as report:
        done = build_articles(
            inputs,
            out,
            extraction=Extraction(max_bytes=max_bytes or MAX_BYTES),
            filters=_filters(**limits),
            running=Running(engine, workers, timeout_s, report),
            base=base or COMMON_CRAWL,
            overwrite=force,
        )
    click.echo((json_text(done.as_json()) if as_json else _as_table(done)).encode("utf-8"))
    return 3 if done.rejected else 0


def _filters(
    lang: tuple[str, ...],
    since: Any,
    until: Any,
    outlet: tuple[str, ...],
    min_chars: int,
    max_chars: int | None,
) -> Any:
    from newsdesk.corpus.partitions import Filters

    return Filters(
        languages=_split(lang),
        since=since.date().isoformat() if since else None,
        until=until.date().isoformat() if until else None,
        outlets=_split(outlet),
        min_characters=min_chars,
        max_characters=max_chars,
    )


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def _as_table(done: ArticlesReport) -> str:
    lines = [accounts_table(("pages", done.tally))]
    return "\n".join([*lines, f"{done.tally.kept} articles in {len(done.files)} files"])
