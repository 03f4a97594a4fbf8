"""`newsdesk corpus comments`: comment corpora by the filters of papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table
from newsdesk.cli.emit import Emit, prints
from newsdesk.cli.options import flag, option
from newsdesk.cli.threads import ThreadFiles, reads_threads
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.corpus.comments import CommentsReport


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
