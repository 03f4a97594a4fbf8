"""Build a corpus: `newsdesk corpus comments` by the filters of papers, and `newsdesk corpus build` for all steps of a file of settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table, runs_engine
from newsdesk.cli.emit import Emit, prints
from newsdesk.cli.options import flag, option
from newsdesk.cli.progress import drawn
from newsdesk.cli.threads import ThreadFiles, reads_threads
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.corpus.build import Built
    from newsdesk.corpus.comments import CommentsReport
    from newsdesk.work import Running
    from newsdesk.work.progress import OnProgress


@click.command("comments")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@options.folder()
@option(
    "--preset",
    "qin2018, fujita2019, feedback or plain, with settings in brackets: 'qin2018(dev_articles=50)'.",
    default="qin2018",
    metavar="PRESET",
)
@option("--articles", "Articles (JSONL), if INPUT has only their ids.", metavar="FILE")
@flag("--authors", "Keep the names of the comments' authors; default: left out.")
@options.seed
@prints
@options.force
@reads_threads
def comments_command(
    inputs: tuple[str, ...],
    out: str,
    preset: str,
    articles: str | None,
    seed: int,
    *,
    files: ThreadFiles,
    authors: bool,
    emit: Emit,
    force: bool,
) -> int:
    """Build a comment corpus with the filters of a paper: its parts, its tables of statistics, and a page.

    The exit code is 3 if a comment could not be read.

    \b
    Example:
      newsdesk corpus comments threads.jsonl --preset plain -o comments/
    """
    from newsdesk import records
    from newsdesk.cli.progress import PATIENCE_S, drawn
    from newsdesk.corpus.comments import build_comments
    from newsdesk.types import Article

    with drawn(patience_s=PATIENCE_S) as progress:
        report = build_comments(
            inputs,
            out,
            preset=preset,
            seed=seed,
            authors=authors,
            overwrite=force,
            articles=records.read(articles, Article) if articles else (),
            read=files.read,
            progress=progress,
        )
    emit(report, _as_text)
    return 0


def _as_text(report: CommentsReport) -> str:
    from newsdesk.corpus.comments.stats import length_rows, size_rows, tail_rows
    from newsdesk.results.table import table

    shown = [rows(report.parts) for rows in (size_rows, length_rows, tail_rows)]
    tables = [table(header, rows) for header, rows in shown if rows]
    accounts = accounts_table(("articles", report.articles), ("comments", report.comments))
    vocabulary = f"vocabulary: {plural(report.vocabulary, 'word')}"
    return "\n\n".join([*tables, accounts, f"{vocabulary}\n{report.signature}"])


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
