"""`newsdesk corpus articles` and `newsdesk corpus from`: crawls, and files of any form, become articles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table, runs_engine
from newsdesk.cli.emit import Emit, prints, refuse_existing
from newsdesk.cli.options import flag, option, whole_number
from newsdesk.cli.progress import drawn

if TYPE_CHECKING:
    from newsdesk.corpus.articles import ArticlesReport
    from newsdesk.work import Running
    from newsdesk.work.progress import OnProgress


_DAY = click.DateTime(formats=["%Y-%m-%d"])
_WORDS = "Comma-separated; repeatable."


_limits = options.group(
    option(
        "--lang",
        f"Keep only these languages, such as en,zh. {_WORDS}",
        multiple=True,
        metavar="LANGS",
    ),
    option(
        "--since",
        "Keep only articles of this day (YYYY-MM-DD) and later.",
        type=_DAY,
        metavar="DATE",
    ),
    option(
        "--until",
        "Keep only articles of this day (YYYY-MM-DD) and earlier.",
        type=_DAY,
        metavar="DATE",
    ),
    option(
        "--outlet",
        f"Keep only these hosts and their subdomains. {_WORDS}",
        multiple=True,
        metavar="HOSTS",
    ),
    option("--min-chars", "Shortest text, in characters.", type=options.Integer(min=0), default=0),
    option(
        "--max-chars",
        "Longest text, in characters; default: no limit.",
        type=options.Integer(min=0),
    ),
)


@click.command("articles")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@options.folder()
@_limits
@option(
    "--base", "Base address of the paths in a .paths list; default: Common Crawl's.", metavar="URL"
)
@whole_number("--max-bytes", "Largest page, in bytes; default: 8 MiB.")
@runs_engine
@prints
@flag("--force", "Drop the articles of inputs that are no longer named.")
def articles_command(
    inputs: tuple[str, ...],
    out: str,
    base: str | None,
    max_bytes: int | None,
    *,
    running: Callable[[OnProgress], Running],
    emit: Emit,
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

    with drawn("articles") as report:
        done = build_articles(
            inputs,
            out,
            extraction=Extraction(max_bytes=max_bytes or MAX_BYTES),
            filters=_filters(**limits),
            running=running(report),
            base=base or COMMON_CRAWL,
            overwrite=force,
        )
    emit(done, _articles_table)
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


def _articles_table(done: ArticlesReport) -> str:
    lines = [accounts_table(("pages", done.tally))]
    return "\n".join([*lines, f"{done.tally.kept} articles in {len(done.files)} files"])


@click.command("from")
@click.argument("inputs", nargs=-1, required=True, metavar="FILE...")
@option(
    "-o",
    "--out",
    "Output: a folder of Parquet by date, or a file of articles (.jsonl, .jsonl.gz, .parquet).",
    required=True,
    metavar="PATH",
)
@option(
    "--map",
    "maps",
    "Fields and their columns, such as text=body,title=head; repeatable. An empty column is not read.",
    multiple=True,
    metavar="FIELD=COLUMN,...",
)
@option(
    "--dates",
    "Order of dates such as 5/11/2026; default: found from the rows.",
    type=click.Choice(["dmy", "mdy"]),
)
@_limits
@runs_engine
@prints
@flag("--force", "Replace a file, or drop the articles of inputs that are no longer named.")
def from_command(
    inputs: tuple[str, ...],
    out: str,
    maps: tuple[str, ...],
    dates: str | None,
    *,
    running: Callable[[OnProgress], Running],
    emit: Emit,
    force: bool,
    **limits: Any,
) -> int:
    """Read articles from files of any form: CSV and other tables, JSON, Parquet, folders of text or HTML, RSS and Atom feeds, news sitemaps, WARC, and the published files of WCEP and Multi-News.

    Columns are recognised by their names. Every row that does not become an article is counted with its reason; the exit code is 3 if one was broken.

    \b
    Example:
      newsdesk corpus from articles.csv -o articles.jsonl
      newsdesk corpus from export.csv --map text=body,date=created --dates dmy -o export/
    """
    from newsdesk.corpus.articles import Extraction, articles_to_file, build_articles
    from newsdesk.corpus.intake.columns import parse_article_map
    from newsdesk.corpus.partitions import UNKNOWN

    extraction = Extraction(
        any_form=True, columns=tuple(parse_article_map(maps).items()), dates=dates
    )
    to_file = out.endswith((".jsonl", ".jsonl.gz", ".parquet"))
    if out == "-":
        raise click.UsageError("--out is a folder or a file with a name, not standard output (-)")
    if to_file:
        refuse_existing(out, force=force)
    build = articles_to_file if to_file else build_articles
    with drawn("articles") as report:
        done = build(
            inputs,
            out,
            extraction=extraction,
            filters=_filters(**limits),
            running=running(report),
            overwrite=force,
        )
    undated = sum(count for name, count in done.files.items() if UNKNOWN in name)
    emit(done, lambda done: _from_table(done, undated))
    return 3 if done.rejected else 0


def _from_table(done: ArticlesReport, undated: int) -> str:
    lines = [accounts_table(("rows", done.tally))]
    if undated:
        lines.append(f"{undated} without a date: name its column with --map date=COLUMN")
    return "\n".join([*lines, f"{done.tally.kept} articles"])
