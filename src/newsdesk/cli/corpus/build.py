"""Build a corpus: `newsdesk corpus articles`, and `newsdesk corpus build` for all steps of a file of settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table, runs_engine
from newsdesk.cli.emit import Emit, prints
from newsdesk.cli.options import flag, option, whole_number
from newsdesk.cli.progress import drawn

if TYPE_CHECKING:
    from newsdesk.corpus.articles import ArticlesReport
    from newsdesk.corpus.build import Built
    from newsdesk.work import Running
    from newsdesk.work.progress import OnProgress

_DAY = click.DateTime(formats=["%Y-%m-%d"])
_WORDS = "Comma-separated; repeatable."


@click.command("articles")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@options.folder()
@option(
    "--lang", f"Keep only these languages, such as en,zh. {_WORDS}", multiple=True, metavar="LANGS"
)
@option(
    "--since", "Keep only articles of this day (YYYY-MM-DD) and later.", type=_DAY, metavar="DATE"
)
@option(
    "--until", "Keep only articles of this day (YYYY-MM-DD) and earlier.", type=_DAY, metavar="DATE"
)
@option(
    "--outlet",
    f"Keep only these hosts and their subdomains. {_WORDS}",
    multiple=True,
    metavar="HOSTS",
)
@option("--min-chars", "Shortest text, in characters.", type=options.Integer(min=0), default=0)
@option(
    "--max-chars", "Longest text, in characters; default: no limit.", type=options.Integer(min=0)
)
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


@click.command("build")
@click.argument("settings", metavar="CORPUS.TOML")
@options.folder("Folder to build in.")
@runs_engine
@prints
@flag("--force", "Drop the articles of inputs that are no longer named.")
def build_command(
    settings: str,
    out: str,
    *,
    running: Callable[[OnProgress], Running],
    emit: Emit,
    force: bool,
) -> int:
    """Run all steps: events, articles, duplicates, clusters, data sets and statistics, with a page that counts every loss.

    A stopped build resumes; after a change of inputs or settings only what depends on it is computed again. The exit code is 3 if a page or
    record was damaged or could not be parsed.

    \b
    Example:
      newsdesk corpus build corpus.toml -o corpus/
    """
    from newsdesk.corpus.build import build
    from newsdesk.corpus.build_settings import read_settings

    with drawn("build") as report:
        done = build(
            read_settings(settings),
            out,
            root=Path(settings).parent,
            running=running(report),
            tell=lambda step: click.echo(step, err=True),
            overwrite=force,
        )
    emit(
        done,
        _build_table,
        lambda done: {"steps": [stage.tally.as_json() for stage in done.stages]},
    )
    return 3 if done.rejected else 0


def _build_table(done: Built) -> str:
    steps = ((f"{stage.tally.step}: {stage.unit}", stage.tally) for stage in done.stages)
    return f"{accounts_table(*steps)}\n{done.folder / 'index.html'}"
