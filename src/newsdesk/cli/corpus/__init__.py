"""`newsdesk corpus`: build, divide, describe and publish corpora; what its verbs share."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.lazy import LazyGroup
from newsdesk.cli.options import Command, option

if TYPE_CHECKING:
    from newsdesk.corpus.tally import StepTally
    from newsdesk.results.table import Cell

VERBS = {
    "build": ("build", "Run all steps from one file of settings; resumable."),
    "events": ("events", "Read portal pages into events."),
    "archive": ("events", "Download cited sources from the Wayback Machine."),
    "from": ("articles", "Read articles from tables, JSON, texts, feeds or collections."),
    "articles": ("articles", "Extract articles from WARC files, folders of HTML or JSONL."),
    "dedup": ("parts", "Drop near-duplicates of articles."),
    "align": ("align", "Align articles with events; writes clusters."),
    "cluster": ("cluster", "Find the events of articles, without a portal."),
    "split": ("parts", "Split clusters by date into train, val and test."),
    "truncate": ("parts", "Truncate clusters to a number of articles."),
    "comments": ("build", "Build a comment corpus with the filters of a paper."),
    "fill": ("stats", "Fill texts into threads, clusters and articles without text."),
    "show": ("stats", "Print one cluster, event, thread or article."),
    "stats": ("stats", "Print statistics of clusters, or write them as a page."),
    "release": ("release", "Release a corpus by address and hash, or with texts."),
    "rebuild": ("release", "Rebuild the corpus of a release and verify it by hashes."),
    "forget": (
        "release",
        "Remove an article, a domain or an author from a corpus and all later builds.",
    ),
}


@click.command("corpus", cls=LazyGroup, package=__name__, table=VERBS)
def corpus_command() -> None:
    """Build event clusters from portal pages and web crawls, with every lost record counted.

    \b
    Example:
      newsdesk corpus build corpus.toml -o corpus/
    """


_ENGINE = options.group(
    option(
        "--engine",
        "processes: worker processes, replaced if they die; inline: this process alone; dask://HOST:PORT: a cluster.",
        type=options.ENGINE,
        default="processes",
    ),
    options.jobs(),
    option(
        "--timeout-s",
        "CPU time limit of one page, in seconds.",
        type=options.BoundedNumber(min=0, min_open=True),
        default=30.0,
    ),
)


def runs_engine(command: Command) -> Command:
    """Give a command the options of an engine as `running`, which takes a progress callback."""

    @_ENGINE
    @functools.wraps(command)
    def started(*arguments: Any, engine: str, jobs: int, timeout_s: float, **rest: Any) -> Any:
        from newsdesk.work import Running

        running = functools.partial(Running, engine, jobs, timeout_s)
        return command(*arguments, running=running, **rest)

    return started


def accounts_table(*tallies: tuple[str, StepTally]) -> str:
    """Return read, kept, and dropped by reason of each step; notes are counts that are no losses."""
    from newsdesk.results.table import table

    rows: list[list[Cell]] = []
    for unit, tally in tallies:
        rows += [[unit, "read", tally.read], ["", "kept", tally.kept]]
        rows += [["", f"dropped: {reason}", n] for reason, n in sorted(tally.dropped.items())]
        rows += [["", f"note: {what}", n] for what, n in sorted(tally.notes.items())]
    return table(["unit", "account", "count"], rows)
